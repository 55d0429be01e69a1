"""Editions of the game as data: Collectibles, Cash, Thieves and the score track."""

from .loading import DEFAULT, NAMES, load, parse
from .reading import EditionError

__all__ = ["DEFAULT", "NAMES", "EditionError", "load", "parse"]
