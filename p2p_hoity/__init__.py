"""The game of Hoity Toity and the peer that plays it."""
