"""The labels of the page."""

from __future__ import annotations


def labels() -> dict[str, str]:
    """Return the labels of the page by their names."""
    return {}
