"""What is said to people, in the language spoken."""
