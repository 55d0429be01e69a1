"""The full-screen table for a person at a terminal; only it loads Textual."""
