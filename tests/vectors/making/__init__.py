"""The workshop: makes the committed vectors, the same bytes every time."""
