"""The game of Hoity Toity and the peer that plays it, built on the package `protocol`."""
