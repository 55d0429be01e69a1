"""Where the learned bot comes from: the vectorised rules, self-play, export and measurement."""
