"""The transcript: its file format, its writer, and the offline verifier."""
