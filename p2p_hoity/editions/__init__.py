"""Editions of the game as data: Collectibles, Cash, Thieves and the score track."""

from .descent import Descent, descent
from .loading import DEFAULT, NAMES, load, parse
from .reading import EditionError

__all__ = ["DEFAULT", "NAMES", "Descent", "EditionError", "descent", "load", "parse"]
