"""Exhaustive models of a change of epoch."""
