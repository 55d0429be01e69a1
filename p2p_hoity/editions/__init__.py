"""Editions of the game as data: Collectibles, Cash, Thieves and the score track."""

from .edition_bytes import Descent, descent
from .load_edition import DEFAULT, NAMES, EditionError, load, parse

__all__ = ["DEFAULT", "NAMES", "Descent", "EditionError", "descent", "load", "parse"]
