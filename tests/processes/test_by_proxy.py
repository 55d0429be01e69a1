"""A whole game of real processes that all dial by a SOCKS5 proxy: a host with a bot of its own, a
guest, and a relay whose name nobody but the proxy knows."""

from pathlib import Path

import pytest
import trio
from support.process_table import ProcessTable
from support.relays import serve_relay
from support.sampling import REACHED
from support.socks_server import SocksServer, proxied

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.ticket import decode_ticket

pytestmark = REACHED

RELAY = "relay.onion:4646"


async def test_a_game_behind_a_proxy_names_and_dials_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SocksServer(login=(b"Ada", b"s3cret"))
    table = ProcessTable(tmp_path, 3, options=("--bots", "1", "--no-again"))
    table.ways = {0: ("--relay", RELAY), 1: ("--no-again",)}
    async with trio.open_nursery() as nursery, proxied(server):
        (relay,) = await nursery.start(serve_relay, "127.0.0.1", 0)
        server.where["relay.onion"] = ("127.0.0.1", parse_address(relay).port)
        monkeypatch.setenv("HOITY_PROXY", f"socks5://Ada:s3cret@127.0.0.1:{server.port}")

        def play() -> None:
            with table:
                table.join(1)
                table.judge([0, 1])

        await trio.to_thread.run_sync(play)
        nursery.cancel_scope.cancel()
    read = decode_ticket(table.ticket)
    assert read.relay == (RELAY,)
    assert [address.partition(":")[0] for address in read.addresses] == ["127.0.0.1"]
    assert set(server.asked) == {("relay.onion", 4646)}
    assert set(server.logins) == {(b"Ada", b"s3cret")}
    for seat in table.running.values():
        assert "s3cret" not in seat.errors() + repr(seat.lines)
