"""What the parts of a game cost on this machine."""
