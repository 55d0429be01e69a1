"""Editions of the game as data: Collectibles, Cash, Thieves and the score track."""
