"""Commands of this program as they are typed here, in messages and as a field of them."""

from __future__ import annotations

import os
import re
from typing import Final

CALLED_AS: Final = "HOITY_CALLED_AS"
"""In the environment: the words by which this program was started, if they are not `hoity`."""
NAMES: Final = (
    "learn", "play", "host", "join", "tables", "resume", "watch", "games", "forget", "verify",
    "replay", "relay", "id", "rules", "bench",
)  # fmt: skip
"""The first words of all commands, in the order in which help lists them."""
COMMAND: Final = re.compile(rf"(?<![\w.-])hoity ({'|'.join(NAMES)})\b")
"""A command in a message. The `hoity` of `*.hoity` and of `p2p-hoity` begins none."""
INSTALLED: Final = "hoity"
"""What other players type, however this program was started here: the field `{hoity}` of a message
that tells their commands, so that `as_typed` leaves them as they are."""


def command_line(*words: str) -> str:
    """Return a command as it is typed here, as in `hoity resume 8daa`; empty words are left out.

    Where `CALLED_AS` is set, as by `tasks.py`, its words stand in place of `hoity`. `tasks.py` has
    a target of its own for `play`.
    """
    called_as = os.environ.get(CALLED_AS, INSTALLED)
    if words[:1] == ("play",):
        called_as = called_as.removesuffix(" hoity")
    return " ".join(filter(None, (called_as, *words)))


def as_typed(message: str) -> str:
    """Return a message, its fields not yet filled in, with its commands as they are typed here."""
    return COMMAND.sub(lambda found: command_line(found[1]), message)
