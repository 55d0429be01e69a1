"""Which relay is meant where none is typed: the one that the player keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from p2p_hoity.storage.home import home

from . import settings

NONE: Final = "none"
"""Typed in the place of a relay: without any."""


def relays_of(typed: Sequence[str] | None) -> tuple[str, ...]:
    """The relays typed, else the one kept; none of them if the word for that was typed."""
    if typed:
        return () if NONE in typed else tuple(typed)
    return kept()


def kept() -> tuple[str, ...]:
    """The relay of the settings, if there is one."""
    relay = settings.load().relay
    return (relay,) if relay else ()


def keep(relay: str | None) -> None:
    """Keep another relay, or none; OSError or NotPrivateError if the home takes no files."""
    settings.keep(home(), replace(settings.load(), relay=relay))
