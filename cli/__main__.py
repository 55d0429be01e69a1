"""`python -m cli` is `hoity`."""

from .app import main

main()
