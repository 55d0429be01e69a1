"""Long runs, each a script: `python -m soak.NAME` with `tests` on the path."""
