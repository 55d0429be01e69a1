"""The switchboard: a blind relay that others are reached through."""

from __future__ import annotations

import trio

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.relay import serve_relay

from .json_screen import write_line
from .lingo import _
from .paper import say
from .trouble import OK, USAGE, Trouble, ctrl_c_means


def relay(listen: str, as_json: bool) -> int:
    """Serve until Ctrl-C; the exit code."""
    host, port = _where(listen)

    async def serve() -> None:
        async with trio.open_nursery() as nursery:
            found = await nursery.start(serve_relay, host, port)
            _announce(found, as_json)

    with ctrl_c_means(_("Interrupted: the relay is closed.")):
        trio.run(serve)
    return OK


def _where(listen: str) -> tuple[str, int]:
    host, _colon, port = listen.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        words = _("--listen is HOST:PORT, as in 0.0.0.0:4646, not {text}.")
        raise Trouble(words.format(text=repr(listen)), USAGE)
    if host and port != "0":
        address = parse_address(listen)
        return address.host, address.port
    return host.strip("[]"), int(port)


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
