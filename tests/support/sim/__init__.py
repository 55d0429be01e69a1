"""Whole tables on a virtual clock with delays, losses, crashes and a liar, drawn from a seed."""
