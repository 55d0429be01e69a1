"""The switchboard: a blind relay that others are reached through."""

from __future__ import annotations

import trio

from p2p_hoity.net.relay import serve_relay

from .json_screen import write_line
from .lingo import _
from .paper import say
from .reaching import listening
from .trouble import OK, ctrl_c_means


def relay(listen: str, as_json: bool) -> int:
    """Serve until Ctrl-C; the exit code."""
    host, port = listening(listen)

    async def serve() -> None:
        async with trio.open_nursery() as nursery:
            found = await nursery.start(serve_relay, host, port)
            _announce(found, as_json)

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
