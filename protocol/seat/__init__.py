"""One seat's machine: bytes in, effects out."""
