"""What a page has of `cryptography`: HKDF with SHA-256, which `spake2` needs."""
