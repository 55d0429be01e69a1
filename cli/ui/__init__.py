"""Screens: what a seat tells becomes lines or JSON, and what a person types becomes answers."""
