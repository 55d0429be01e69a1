"""A table of one node: how it opens, how others come to it, how it is played and left."""
