"""How long a test waits on the real clock before it fails."""

LIMIT = 240
"""Seconds after which what does not come is taken for hung; the one limit of all such waits.

No test fails because the machine is slow.
"""
