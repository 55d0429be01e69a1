"""The file that shows, for a game that is over, where the player sat and which seats were own bots.

A transcript names its seats by keys that were drawn for the table. Vouches show the players behind
them, but not for a player who shows no key, and the bots of this computer are gone after the game.
So this private file is written for each game that ends here. No verdict depends on it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from .file_store import NotPrivateError
from .home import Home

MAX_FILE: Final = 1_024
"""The most bytes of such a file."""
SUFFIX: Final = ".json"
OTHER_FORM: Final = (ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""The errors that reading JSON of another form raises. JSON has Infinity."""


@dataclass(frozen=True)
class Company:
    """Who sat at the table of a finished game, as far as this computer knows.

    Attributes:
        seat: The number of the player's own seat.
        levels: For each seat the level of the player's own bot there. None for all other seats.
    """

    seat: int
    levels: tuple[str | None, ...]


def place_of_company(home: Home, game: str) -> Path:
    """Return the path of the file for a game, which need not exist."""
    return home.path / "company" / f"{game}{SUFFIX}"


def keep_company(home: Home, game: str, company: Company) -> None:
    """Store who sat at the table of a game.

    No error is raised if the file cannot be written, because only statistics depend on it.
    """
    with suppress(OSError, NotPrivateError):
        home.files.put(place_of_company(home, game), json.dumps(asdict(company)).encode())


def read_company(home: Home, game: str, seats: int) -> Company | None:
    """Return who sat at the table of a game with so many seats, None if it is not known."""
    # Another file may lie there. It is no reason to fail.
    with suppress(OSError, NotPrivateError, *OTHER_FORM):
        data = home.files.get(place_of_company(home, game), MAX_FILE + 1)
        value: Any = json.loads(data)
        levels = tuple(None if level is None else str(level) for level in value["levels"])
        found = Company(int(value["seat"]), levels)
        if 0 <= found.seat < seats == len(levels):
            return found
    return None
