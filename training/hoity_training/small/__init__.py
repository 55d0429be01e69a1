"""The method in small: a cut-down of the game for two seats, learned and measured exactly."""
