"""The chain of steps: its states, what each kind of step allows, and what it changes."""
