"""Opponents that choose from one seat's view alone."""
