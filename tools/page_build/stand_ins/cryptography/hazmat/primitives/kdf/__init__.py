"""Derivation of keys."""
