"""The settings that a player has once chosen, stored in the folder of the program's files.

The settings are read before anything else, even for help. So this module imports nothing that
loads slowly. A setting that cannot be read counts as not chosen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ..words import translation

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

MOST: Final = 4096
LEVELS: Final = ("easy", "fair", "normal", "hard")
"""The levels of bots, repeated from `p2p_hoity.bots`, which this module must not load."""


@dataclass(frozen=True)
class Settings:
    """The settings of a player. A setting is None if it was not chosen yet.

    Attributes:
        staged: Whether reveals are shown step by step.
        sentences: Whether the line prompt tells everything in whole sentences.
        relay: The relay for the player's tables and spoken codes, as HOST:PORT.
        bots: The level of the player's bots in games for which no level is typed.
    """

    nickname: str | None = None
    language: str | None = None
    light: bool | None = None
    bell: bool | None = None
    staged: bool | None = None
    relay: str | None = None
    bots: str | None = None
    sentences: bool | None = None


SOUND: Final[Mapping[str, Callable[[Any], bool]]] = {
    "nickname": lambda value: isinstance(value, str),
    "language": translation.LANGUAGES.__contains__,
    **dict.fromkeys(
        ("light", "bell", "staged", "sentences"), lambda value: isinstance(value, bool)
    ),
    "relay": lambda value: isinstance(value, str),
    "bots": LEVELS.__contains__,
}
"""The check of each setting. A stored value that fails its check counts as not chosen."""


def load(home: Home | None = None) -> Settings:
    """Load the settings that can be read, from the player's own folder if none is given."""
    from p2p_hoity.storage.home import FolderError
    from p2p_hoity.storage.home import home as own_home

    try:
        given = json.loads(_stored(home or own_home()))
        sound = {
            name: given.get(name) for name, is_sound in SOUND.items() if is_sound(given.get(name))
        }
        return Settings(**sound)
    except (OSError, ValueError, AttributeError, RecursionError, FolderError):
        return Settings()


def _stored(home: Home) -> bytes:
    """Return the stored settings, `{}` for none. An OSError is raised if they cannot be read."""
    path = home.path / "settings.json"
    if home.store is not None:
        return home.store.get(path, MOST) if home.store.has(path) else b"{}"
    if not path.is_file():
        return b"{}"
    # Not by the store of the disk, which even a help page would have to load.
    with path.open("rb") as file:
        return file.read(MOST)


def in_sentences(home: Home | None = None) -> bool:
    """Return whether the line prompt tells everything in whole sentences."""
    return load(home).sentences is True


def change(home: Home | None = None, **changed: Any) -> None:
    """Store some settings, in the player's own folder if none is given.

    What cannot be stored holds for this run of the program alone.
    """
    from p2p_hoity.coded_errors import CodedError
    from p2p_hoity.storage.home import home as own_home

    with suppress(OSError, CodedError):
        home = home or own_home()
        keep(home, replace(load(home), **changed))


def is_kept(home: Home) -> bool:
    """Return whether a setting is stored that only a player of a game has.

    Then nothing is asked again. The others can be chosen before the first game.
    """
    found = replace(load(home), relay=None, bots=None, language=None, sentences=None)
    return found != Settings()


def keep(home: Home, settings: Settings) -> None:
    """Store the settings.

    Raises:
        OSError: If the folder cannot be written to.
        NotPrivateError: If other users can write to the folder.
    """
    data = json.dumps(asdict(settings), ensure_ascii=False).encode()
    home.files.put(home.path / "settings.json", data)


NONE: Final = "none"
"""The word that a player types in place of a relay to use no relay."""


def is_none(word: str) -> bool:
    """Return whether a typed word stands for no relay."""
    return word.strip().lower() == NONE


def relays_of(typed: Sequence[str] | None) -> list[str]:
    """Return the relays that were typed, none if `none` is among them, or else the stored one."""
    if typed:
        return [] if any(map(is_none, typed)) else list(typed)
    relay = load().relay
    return [relay] if relay else []
