"""Running a blind relay that others are reached through."""

from __future__ import annotations

from functools import partial
from typing import Final

import trio

from p2p_hoity.codes.spoken import parse_relay
from p2p_hoity.net.files import open_files
from p2p_hoity.relay.limits import RelayLimits
from p2p_hoity.relay.serving import serve_relay
from p2p_hoity.storage.home import home

from ..local import relays
from ..local.places import check_home
from ..printing import say
from ..trouble import OK, ctrl_c_means
from ..ui.json_screen import write_line
from ..words.lingo import _
from .reaching import listening

FILES_A_CALL: Final = 2
SPARE_FILES: Final = 256


def relay(listen: str, as_json: bool, seats: int, calls: int, same_address: int) -> int:
    """Serve until Ctrl-C; the exit code."""
    host, port = listening(listen)
    limits = RelayLimits(seats, min(seats, same_address), calls, min(calls, same_address))
    lacking = open_files(seats + FILES_A_CALL * calls + SPARE_FILES)

    async def serve() -> None:
        async with trio.open_nursery() as nursery:
            found = await nursery.start(partial(serve_relay, host, port, limits=limits))
            _announce(found, as_json)
            if lacking is not None and not as_json:
                words = _("This system lets the relay have {number} connections, no more.")
                say(words.format(number=lacking))

    with ctrl_c_means(lambda: _("Interrupted: the relay is closed.")):
        trio.run(serve)
    return OK


def _announce(found: list[str], as_json: bool) -> None:
    if as_json:
        write_line({"type": "relay", "addresses": found})
        return
    say(
        _("The relay listens at {addresses}. It sees who talks and how much, never what.").format(
            addresses=", ".join(found)
        )
    )
    say(_("A host uses it with: hoity host --relay HOST:PORT. Ctrl-C ends it."))


def use(address: str, as_json: bool) -> int:
    """Keep a relay for this player's tables and codes, or none; the exit code."""
    chosen = None if address == relays.NONE else parse_relay(address)
    check_home(home())
    relays.keep(chosen)
    if as_json:
        write_line({"type": "use", "relay": chosen})
    elif chosen is None:
        say(_("No relay is kept any more."))
    else:
        words = _("Kept: your tables are reached through {relay}, and their codes are of it.")
        say(words.format(relay=chosen))
    return OK
