"""The screen of lines: for terminals without a full screen, and for whoever prefers it."""
