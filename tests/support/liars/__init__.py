"""Lying seats: what they tell, and the tables at which they tell it."""
