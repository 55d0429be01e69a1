"""What a player has chosen once, kept in the home: names, a relay, and how the screen is.

Read before anything else, help included: so nothing heavy is loaded, and whatever cannot be read
counts as not chosen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ..words import translation

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

MOST: Final = 4096
LEVELS: Final = ("easy", "normal", "hard")
"""As `p2p_hoity.bots` has them, which is not loaded here."""


@dataclass(frozen=True)
class Settings:
    """None: not chosen yet."""

    nickname: str | None = None
    language: str | None = None
    light: bool | None = None
    bell: bool | None = None
    staged: bool | None = None
    relay: str | None = None
    bots: str | None = None


def load(home: Home | None = None) -> Settings:
    """The settings of this home, or of the player's own."""
    from p2p_hoity.storage.home import home as own_home

    try:
        path = (home or own_home()).path / "settings.json"
        if not path.is_file():
            return Settings()
        with path.open("rb") as file:
            return _read(json.loads(file.read(MOST)))
    except (OSError, ValueError, RecursionError):
        return Settings()


def _read(value: Any) -> Settings:
    given = value if isinstance(value, dict) else {}
    nickname, language = given.get("nickname"), given.get("language")
    relay, level = given.get("relay"), given.get("bots")
    return Settings(
        nickname=nickname if isinstance(nickname, str) else None,
        language=language if language in translation.LANGUAGES else None,
        light=_taste(given, "light"),
        bell=_taste(given, "bell"),
        staged=_taste(given, "staged"),
        relay=relay if isinstance(relay, str) else None,
        bots=level if level in LEVELS else None,
    )


def _taste(given: dict[str, Any], name: str) -> bool | None:
    taste = given.get(name)
    return taste if isinstance(taste, bool) else None


def is_kept(home: Home) -> bool:
    """Whether the player has been asked here already; a relay and a level are kept apart."""
    return replace(load(home), relay=None, bots=None) != Settings()


def keep(home: Home, settings: Settings) -> None:
    """Keep them; OSError or NotPrivateError if the home takes no files."""
    from p2p_hoity.storage.private_files import write_private

    data = json.dumps(asdict(settings), ensure_ascii=False).encode()
    write_private(home.path / "settings.json", data)


NONE: Final = "none"
"""Typed in the place of a relay: without any."""


def relays_of(typed: Sequence[str] | None) -> list[str]:
    """Return the relays typed, else the one kept; none of them if the word for that was typed."""
    if typed:
        return [] if NONE in typed else list(typed)
    relay = load().relay
    return [relay] if relay else []
