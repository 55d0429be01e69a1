"""A whole game of real processes that all dial by a SOCKS5 proxy: a host with a bot of its own, a
guest, and a relay whose name nobody but the proxy knows."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from support import terminals
from support.relays import serve_relay
from support.socks_server import SocksServer, proxied

from p2p_hoity import game_port
from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.ticket import decode_ticket
from protocol.transcript import verifier

BOT = ("--auto", "--json", "--yes", "--no-again")
RELAY = "relay.onion:4646"


async def test_a_game_behind_a_proxy_names_and_dials_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SocksServer(login=(b"Ada", b"s3cret"))
    async with trio.open_nursery() as nursery, proxied(server):
        (relay,) = await nursery.start(serve_relay, "127.0.0.1", 0)
        server.where["relay.onion"] = ("127.0.0.1", parse_address(relay).port)
        monkeypatch.setenv("HOITY_PROXY", f"socks5://Ada:s3cret@127.0.0.1:{server.port}")
        words = ("host", "--seats", "3", "--bots", "1", "--relay", RELAY, *BOT)
        host = terminals.start(tmp_path / "host", *words)
        ticket = await _read(host, "ticket")
        read = decode_ticket(str(ticket["ticket"]))
        assert read.relay == (RELAY,)
        assert [address.partition(":")[0] for address in read.addresses] == ["127.0.0.1"]
        guest = terminals.start(tmp_path / "guest", "join", str(ticket["ticket"]), *BOT)
        files = await trio.to_thread.run_sync(terminals.finish, [host, guest])
        assert files[0] == files[1]
        assert verifier.verify(files[0], game_port.read_game).problem is None
        assert set(server.asked) == {("relay.onion", 4646)}
        assert set(server.logins) == {(b"Ada", b"s3cret")}
        nursery.cancel_scope.cancel()
    for seat in (host, guest):
        assert "s3cret" not in seat.errors() + repr(seat.lines)


async def _read(terminal: terminals.Terminal, key: str) -> dict[str, object]:
    return await trio.to_thread.run_sync(terminal.read_until, key)
