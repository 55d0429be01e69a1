"""Tests of what a ticket names, what its host and its guests are told of it, and who hides."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.player_table import Guest, PlayerTable, past_round, yes

from p2p_hoity.coded_errors import because
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetCode, NobodyError
from p2p_hoity.net.socks_proxy import ProxyCode
from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Found, ReachCode, Scope, Wanted, judge
from p2p_hoity.table.gathering.host_table import TicketTeller
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.lobby import Seating
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.play_table import Reach, open_hub
from p2p_hoity.table.playing.resume_table import resume_table
from protocol.crypto.identities import Identity
from protocol.wire import table_header

SOME = pytest.mark.sampled(1)

HOME, MAPPED = "192.168.1.5:4646", "81.2.69.142:14646"


@pytest.mark.parametrize(
    ("addresses", "relay", "code"),
    [
        ((HOME,), (), "host-unreached-lan"),
        (("127.0.0.1:9",), (), "host-unreached-machine"),
        (("[2606:4700::1111]:9",), (), "host-unreached-six"),
        (("93.184.216.34:9", HOME), (), "host-unreached"),
        ((HOME,), ("relay.example.org:9",), "host-unreached"),
    ],
)
async def test_a_guest_is_told_how_far_its_ticket_leads(
    addresses: tuple[str, ...], relay: tuple[str, ...], code: str, tmp_path: Path,
) -> None:  # fmt: skip
    guest, ticket = Guest(tmp_path, "P0"), Ticket(b"h" * 32, addresses, b"t" * 32, relay)
    how = Reach("n:0", network=MemoryNetwork())
    joining = join_table(guest.seat, guest.keys, ticket, yes, how)
    assert (await ends_in(PeerError, code, joining)).code.exit_code == 3


@SOME
@pytest.mark.parametrize("outside", [True, False])
async def test_a_host_is_told_how_far_its_ticket_leads(pair: PlayerTable, outside: bool) -> None:
    """Who plays on one machine is told nothing."""
    pair.how = lambda number: {"outside": outside and number == 0}
    await pair.play()
    told = [(one.scope, one.ticket) for one in pair.guests[0].heard(updates.Reached)]
    assert told == ([(Scope.ANYWHERE, "")] if outside else [])
    assert not pair.guests[1].heard(updates.Reached)


def told_of(tmp_path: Path, *found: Found) -> list[Any]:
    """What a host of the LAN is told as these ways are found one after the other."""
    table, told = PlayerTable(tmp_path, 2), list[Any]()
    me = table.guests[0].key
    entry = table_header.sit(table.terms, me, "P0", b"n" * 32)
    ticket = Ticket(me.public, (HOME,), table.terms.digest(), (), b"s" * 16)
    teller = TicketTeller(Seating(table.terms, entry, ()), told.append, ticket, True)
    for one in found:
        teller.tell(judge(one, Wanted(lan=True)))
    return told


def test_a_better_ticket_is_given_once_with_the_same_secret(tmp_path: Path) -> None:
    first, second = told_of(tmp_path, Found((HOME,)), Found((HOME,)), Found((HOME,), mapped=MAPPED))
    assert (first.scope, first.ticket, second.scope) == (Scope.LAN, "", Scope.ANYWHERE)
    better = decode_ticket(second.ticket)
    assert better.addresses == (MAPPED, HOME)
    assert better.secret == b"s" * 16
    assert second.ticket not in repr(second)
    trouble = because(ReachCode.DOUBLE_NAT, address="100.64.0.1")  # more, though the ticket stays
    ways = (Found((HOME,), asking=True), Found((HOME,), trouble=(trouble,)))
    first, second = told_of(tmp_path / "other", *ways)
    assert first.ticket == second.ticket == ""
    assert trouble in second.reasons


async def test_who_hides_names_no_machine_and_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    network = MemoryNetwork()
    listen = network.listen

    async def spy(host: str, port: int) -> Any:
        asked.append(host)
        return await listen(host, port)

    monkeypatch.setattr(network, "listen", spy)
    how = Reach(":0", network=network, advertised=("x.onion:1",), maps=True, hidden=True)
    async with open_hub(Identity(b"h" * 32), how) as (hub, ways):
        assert asked == ["127.0.0.1"]
        assert ways.named == ways.judged().direct == ("x.onion:1",)
        assert hub._limits.dial > Limits().dial
        assert hub._limits.handshake == Limits().handshake


@SOME
async def test_a_game_begun_behind_a_proxy_is_not_resumed_without_one(three: PlayerTable) -> None:
    """All sit behind proxies, each reached where it says."""
    places = [f"node{number}:7" for number in range(3)]
    three.how = lambda n: {"listen": places[n], "advertised": (places[n],), "hidden": True}
    assert await three.play_until_the_last_goes(past_round(1))
    with pytest.raises(PeerError, match="game-by-proxy"):
        await resume_table(three.guests[2].seat, None, Reach(network=three.network))
    with trio.move_on_after(5) as waiting:
        how = replace(three.reach(2), network=three.network)
        await resume_table(three.guests[2].seat, None, how=how)
    assert waiting.cancelled_caught  # it waits for the others, who are gone


@SOME
async def test_a_seat_is_resumed_where_it_is_told_to_listen(tmp_path: Path) -> None:
    table, places = PlayerTable(tmp_path, 3), []
    assert await table.play_until_the_last_goes(past_round(1))
    listen = table.network.listen

    async def spy(host: str, port: int) -> Any:
        places.append((host, port))
        return await listen(host, port)

    for how in (Reach("node9:9", anew=True), Reach("node9:9")):
        setattr(table.network, "listen", spy)  # noqa: B010 - a method of one network
        with trio.move_on_after(5):
            away = replace(how, network=table.network)
            await resume_table(table.guests[2].seat, None, how=away)
    assert places[0] == ("node9", 9)
    assert places[1][0] == "node2"


async def test_a_guest_whose_own_proxy_is_down_is_told_so(tmp_path: Path) -> None:
    class NoProxy(MemoryNetwork):
        async def open(self, address: Any) -> Any:
            await trio.lowlevel.checkpoint()
            nobody = because(NetCode.NOBODY_LISTENS)
            raise NobodyError(ProxyCode.UNREACHED, proxy="127.0.0.1:9050", why=nobody)

    guest, ticket = Guest(tmp_path, "P0"), Ticket(b"h" * 32, (HOME, MAPPED), b"t" * 32)
    how = Reach("n:0", network=NoProxy(), hidden=True)
    joining = join_table(guest.seat, guest.keys, ticket, yes, how)
    assert (await ends_in(PeerError, "host-unreached-by-proxy", joining)).code.exit_code == 3
