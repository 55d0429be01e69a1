"""A running table: the driver between machine, journal, links, player and screen."""
