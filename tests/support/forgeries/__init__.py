"""Forgeries: one catalogue for cheaters in memory and over sockets, and for forged files."""
