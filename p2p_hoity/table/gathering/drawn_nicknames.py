"""Draw a nickname for a player who has chosen none, another one for each table.

Such a nickname says nothing of the player or the computer, and so links no two of its games.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from ...confusable_names import twins
from ...storage.player_key import NamedIdentity


@cache
def nickname_words() -> tuple[tuple[str, ...], ...]:
    """Return the words of drawn nicknames: the qualities and the animals, in lower case."""
    text = files(__package__).joinpath("nickname_words.txt").read_text("ascii")
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(tuple(part.split()) for part in plain.split("\n\n"))


def draw_nickname(taken: Iterable[str] = ()) -> str:
    """Draw a nickname of two words, such as Brisk Walrus, of at most 16 characters.

    Args:
        taken: Nicknames at the table, at most some dozen. The drawn one looks like none of them.
    """
    others = tuple(taken)
    while True:
        drawn = " ".join(secrets.choice(words).capitalize() for words in nickname_words())
        if not any(twins(drawn, other) for other in others):
            return drawn


def nickname_among(me: NamedIdentity, others: Sequence[str]) -> str:
    """Return a player's nickname. A drawn one is drawn again if one of the others looks like it."""
    is_taken = me.is_drawn and any(twins(me.nickname, other) for other in others)
    return draw_nickname(others) if is_taken else me.nickname
