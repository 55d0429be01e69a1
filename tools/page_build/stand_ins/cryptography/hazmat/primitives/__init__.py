"""Hashes, and derivation of keys."""
