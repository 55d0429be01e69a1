"""What a player has chosen once, kept in the home: names, a relay, and how the screen is.

Read before anything else, help included: so nothing heavy is loaded, and whatever cannot be read
counts as not chosen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
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


SOUND: Final[Mapping[str, Callable[[Any], bool]]] = {
    "nickname": lambda value: isinstance(value, str),
    "language": translation.LANGUAGES.__contains__,
    **dict.fromkeys(("light", "bell", "staged"), lambda value: isinstance(value, bool)),
    "relay": lambda value: isinstance(value, str),
    "bots": LEVELS.__contains__,
}
"""What each setting has to be; what is not counts as not chosen."""


def load(home: Home | None = None) -> Settings:
    """Return the settings of this home, or of the player's own."""
    from p2p_hoity.storage.home import home as own_home

    try:
        path = (home or own_home()).path / "settings.json"
        if not path.is_file():
            return Settings()
        with path.open("rb") as file:
            given = json.loads(file.read(MOST))
        sound = {
            name: given.get(name) for name, is_sound in SOUND.items() if is_sound(given.get(name))
        }
        return Settings(**sound)
    except (OSError, ValueError, AttributeError, RecursionError):
        return Settings()


def is_kept(home: Home) -> bool:
    """Return whether the player has been asked here already; a relay and a level are kept apart."""
    return replace(load(home), relay=None, bots=None) != Settings()


def keep(home: Home, settings: Settings) -> None:
    """Keep them.

    Raises:
        OSError, NotPrivateError: If the home takes no files.
    """
    data = json.dumps(asdict(settings), ensure_ascii=False).encode()
    home.files.put(home.path / "settings.json", data)


NONE: Final = "none"
"""Typed in the place of a relay: without any."""


def relays_of(typed: Sequence[str] | None) -> list[str]:
    """Return the relays typed, else the one kept; none of them if the word for that was typed."""
    if typed:
        return [] if NONE in typed else list(typed)
    relay = load().relay
    return [relay] if relay else []
