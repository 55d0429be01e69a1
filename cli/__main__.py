"""The start of `python -m cli`, which is the same as `hoity`."""

from .app import main

main()
