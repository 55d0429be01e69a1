"""`python -m cli` is `hoity`."""

from .hoity_app import main

main()
