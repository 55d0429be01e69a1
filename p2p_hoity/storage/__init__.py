"""A player's files: home, key, journals, marks and transcripts."""
