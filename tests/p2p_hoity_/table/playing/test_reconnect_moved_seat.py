"""Tests of fresh tickets: a seat that comes back elsewhere is found, and a liar's lead nowhere."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
import trio
from support.cases import fails
from support.journals import FIRST
from support.kept_home import table_of
from support.machine_table import MachineTable, identity
from support.memory_network import MemoryNetwork
from support.player_table import PlayerTable, past_round
from support.running import running

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetCode, NobodyError
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Judged, Scope
from p2p_hoity.storage.journal import create
from p2p_hoity.storage.private_files import PrivateFiles
from p2p_hoity.table.beside_game.rematch import Agreed
from p2p_hoity.table.gathering.join_table import checked_header
from p2p_hoity.table.gathering.lobby import Roster
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import reconnect_moved_seat
from p2p_hoity.table.playing.play_table import journal_path
from p2p_hoity.table.playing.reconnect_moved_seat import (
    FreshError,
    NewTicketReporter,
    check_fresh,
    dial_by_ticket,
    hand_over,
    take_tickets,
)
from protocol import Identity
from protocol.wire.table_header import sign_roster

SECRET = b"s" * 16
RELAYS = tuple(f"relay{n}:9" for n in range(4))


WAS = ("8.0.0.1:9",)
RELAY = "relay+8.9.0.1:9"


def terms() -> bytes:
    """The digest of the terms of the table of two."""
    return table_of(2, 1).table.header.terms.digest()


def ticket(**given: Any) -> Ticket:
    """A ticket of seat 0 of that table."""
    return replace(Ticket(identity(0).public, ("8.0.0.1:9",), terms(), (), SECRET), **given)


def test_a_ticket_of_any_seat_is_taken_by_players_and_onlookers_and_no_other() -> None:
    """[T-3], by one whose ticket had a secret, and by one who came to an open table without."""
    header = table_of(2, 1).table.header
    for secret in (SECRET, b""):
        for seat in range(2):
            check_fresh(ticket(host_id=identity(seat).public), header, secret)
    for given, code in (
        ({"terms": b"t" * 32}, "ticket-of-another-table"),
        ({"host_id": b"h" * 32}, "ticket-of-no-seat"),
        ({"secret": b"x" * 16}, "ticket-with-another-secret"),
        ({"secret": b""}, "ticket-with-another-secret"),
    ):
        fails(FreshError, code, check_fresh, ticket(**given), header, SECRET)
    roster = Roster(header.encode(), ((), ()), sign_roster(header, identity(0)), (None, None))
    for seat in range(2):
        assert checked_header(roster, ticket(host_id=identity(seat).public)) == header
    fails(PeerError, "other-host", checked_header, roster, ticket(host_id=b"h" * 32))
    with pytest.raises(PeerError, match="other-table"):
        checked_header(roster, ticket(host_id=identity(1).public, terms=b"t" * 32))


class Street(MemoryNetwork):
    """A network that remembers who was dialled."""

    def __init__(self) -> None:
        super().__init__()
        self.dialled: list[str] = []

    async def open(self, address: Address) -> trio.abc.Stream:
        self.dialled.append(str(address))
        return await super().open(address)


def three_seats() -> MachineTable:
    """Return the machines of a table of three."""
    return table_of(3, 1)


MANY = tuple(f"far{n}:9" for n in range(8))


async def test_the_ticket_of_a_faulty_seat_is_dialled_in_vain_and_the_known_ways_stay() -> None:
    """[T-4]: a stranger answers at its addresses; the seat is found where it said that it is,
    though tickets come again and again and are as long as can be."""
    street, table = Street(), three_seats().table
    mine, seat, stranger = identity(1), identity(0), Identity(os.urandom(32))
    known = ((*(f"nowhere{n}:9" for n in range(11)), "known:9"), (), ())
    async with running() as nursery:
        hubs = [Hub(who, network=street) for who in (mine, seat, stranger)]
        for hub in hubs:
            await nursery.start(hub.run)
        await hubs[2].listen("far7", 9)
        for number in range(5):
            addresses = (*(f"t{number}x{n}" + ":9" for n in range(7)), MANY[7])
            forged = Ticket(seat.public, addresses, table.header.terms.digest(), RELAYS)
            dial_by_ticket(hubs[0], table, known, forged)
            await trio.sleep(60)
        assert street.dialled.count("far7:9") > 5
        latest = street.dialled[-12:]
        assert not [where for where in latest if where.startswith("t") and where[1] != "4"]
        assert not hubs[0].links()
        assert not hubs[2].links()
        await hubs[1].listen("known", 9)
        await trio.sleep(60)
        assert hubs[0].links() == {seat.public}


async def test_a_seat_is_found_by_the_ticket_and_not_where_it_was() -> None:
    """[T-4]."""
    street, table = Street(), three_seats().table
    async with running() as nursery:
        hubs = [Hub(identity(n), network=street) for n in (1, 0)]
        for hub in hubs:
            await nursery.start(hub.run)
        await hubs[1].listen("far", 9)
        fresh = Ticket(identity(0).public, ("far:9",), table.header.terms.digest())
        dial_by_ticket(hubs[0], table, (("was:9",), (), ()), fresh)
        await trio.sleep(5)
        assert hubs[0].links() == {identity(0).public}
        dial_by_ticket(hubs[0], table, ((), (), ()), replace(fresh, host_id=identity(1).public))
        await trio.sleep(5)
        assert hubs[0].links() == {identity(0).public}


# To a game that is being played.


def files_of(journal: Path) -> PrivateFiles:
    """Return the store of a journal."""
    return PrivateFiles(journal.parent.parent)


@asynccontextmanager
async def game(journal: Path, looks: bool = True) -> AsyncIterator[trio.CancelScope]:
    """Something that holds a journal and takes tickets, until this is cancelled or left."""
    made = create(journal, FIRST)
    hub, capability = Hub(identity(1), network=Street()), Capability(terms(), SECRET)
    table, roster = (
        three_seats().table,
        Roster(three_seats().table.header.encode(), ((), (), ()), b"", (None,) * 3),
    )
    found = reconnect_moved_seat._handed if looks else lambda files, place: None
    scope = trio.CancelScope()

    async def play() -> None:
        with scope:
            try:
                agreed = Agreed(roster, capability)
                await take_tickets(hub, table, agreed, lambda _: None, made)
            finally:
                made.close()

    with patch.object(reconnect_moved_seat, "_handed", found):
        async with running() as nursery:
            await nursery.start(hub.run)
            nursery.start_soon(play)
            yield scope


def ticket_of_three(where: str) -> Ticket:
    return Ticket(
        three_seats().table.ids[0], (where,), three_seats().table.header.terms.digest(), (), SECRET
    )


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "home" / "journals" / "a.journal"


async def test_a_game_that_ends_before_it_has_looked_has_taken_nothing(journal: Path) -> None:
    async with game(journal, looks=False) as scope, running():
        scope.deadline = trio.current_time() + 2
        assert not await hand_over(files_of(journal), journal, ticket_of_three("8.0.0.1:9"))
    assert not journal.with_suffix(".ticket").exists()


async def test_of_two_who_hand_over_to_a_blind_game_neither_is_told_so(journal: Path) -> None:
    told = []

    async def hand(where: str, after: float) -> None:
        await trio.sleep(after)
        told.append(await hand_over(files_of(journal), journal, ticket_of_three(where)))

    async with game(journal, looks=False), trio.open_nursery() as nursery:
        nursery.start_soon(hand, "8.0.0.1:9", 0)
        nursery.start_soon(hand, "8.0.0.2:9", 3)
    assert told == [False, False]
    assert not journal.with_suffix(".ticket").exists()


async def test_what_is_no_ticket_is_cleared_away_and_the_next_one_taken(journal: Path) -> None:
    place = journal.with_suffix(".ticket")
    async with game(journal):
        for rubbish in (b"\xff", b"hoity3nonsense", b"a" * 100_000, b""):
            files_of(journal).put(place, rubbish)
            await trio.sleep(2)
            assert not place.exists()
        if hasattr(os, "mkfifo"):
            os.mkfifo(place)
        assert await hand_over(files_of(journal), journal, ticket_of_three("8.0.0.1:9"))


# When there is something to give.


def far(*direct: str, scope: Scope = Scope.ANYWHERE) -> Judged:
    return Judged(direct, direct, scope, ())


async def told(
    judged: Judged,
    seat: int = 0,
    linked: tuple[int, ...] = (),
    known: tuple[str, ...] = WAS,
    relays: tuple[str, ...] = (),
    is_meant: bool = False,
) -> list[updates.Moved]:
    """What a player is told in ten seconds after coming back."""
    ids = three_seats().table.ids
    there = {ids[number] for number in linked}
    hub: Any = SimpleNamespace(
        me=ids[seat], linked=lambda peer: peer in there, relays=lambda: frozenset(relays)
    )
    ways: Any = SimpleNamespace(judged=lambda: judged)
    bare = Ticket(ids[seat], (), terms(), tuple(r.removeprefix("relay+") for r in relays), SECRET)
    heard: list[Any] = []
    machine = three_seats().places[seat].machine
    giver = NewTicketReporter(hub, ways, machine, heard.append, bare, known, is_meant)
    with trio.move_on_after(10):
        await giver.run()
    return heard


async def test_who_is_elsewhere_and_alone_is_told_once() -> None:
    for seat in range(3):
        (moved,) = await told(far("8.0.9.9:9"), seat)
        assert decode_ticket(moved.ticket).addresses == ("8.0.9.9:9",)
        assert decode_ticket(moved.ticket).host_id == three_seats().table.ids[seat]
        assert decode_ticket(moved.ticket).secret == SECRET


ELSEWHERE = far("8.0.9.9:9")


@pytest.mark.parametrize(
    ("given", "times"),
    [
        ({"judged": far(*WAS)}, 0),
        ({"judged": far()}, 0),
        ({"judged": ELSEWHERE, "linked": (1, 2)}, 0),
        ({"judged": far("10.0.0.1:9", scope=Scope.LAN), "linked": (1,)}, 0),
        ({"judged": ELSEWHERE, "seat": 1, "linked": (0,)}, 0),
        ({"judged": ELSEWHERE, "relays": (RELAY,), "known": (*WAS, RELAY)}, 0),
        ({"judged": ELSEWHERE, "linked": (1,)}, 1),
        ({"judged": ELSEWHERE, "relays": (RELAY,)}, 1),
        ({"judged": ELSEWHERE, "relays": (RELAY,), "known": (*WAS, RELAY), "is_meant": True}, 1),
    ],
    ids=[
        *("same", "nowhere", "all-linked", "only-near", "guest-linked", "by-the-old-relay"),
        *("one-lost", "new-relay", "meant"),
    ],
)
async def test_a_host_is_told_if_somebody_does_not_find_it(given: Any, times: int) -> None:
    assert len(await told(**given)) == times


# A whole table.


class Islands(MemoryNetwork):
    """A network on which nobody can be dialled who is behind a NAT, by what it listens on."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[str] = set()

    async def open(self, address: Address) -> trio.abc.Stream:
        if address.host in self.hidden:
            raise NobodyError(NetCode.UNREACHED, address=str(address), why=None)
        return await super().open(address)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("by_hand", [True, False], ids=["handed", "resumed"])
async def test_a_table_goes_on_by_a_fresh_ticket(tmp_path: Path, by_hand: bool) -> None:
    """The host is elsewhere; its guest is handed the ticket while it waits, or takes its seat
    again by it."""
    table = PlayerTable(tmp_path, 2, thinking=1.0)
    table.network = islands = Islands()
    islands.hidden.add("node1")
    host, guest = table.guests

    async def come_back(number: int, fresh: Ticket | None = None) -> None:
        where = "8.0.9.9:1" if number == 0 else "node1:0"
        how = Reach(where, network=islands, anew=True, outside=True)
        await table.resume(number, how=how, fresh=fresh)

    async def go_elsewhere() -> None:
        await table.sit_until(0, past_round(2))
        islands.hidden.add("node0")
        await come_back(0)

    gone = trio.Event()

    async def go_too() -> None:
        await table.sit_until(1, lambda _: bool(host.heard(updates.Moved)))
        gone.set()

    with trio.fail_after(3600):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(go_elsewhere)
            if by_hand:
                nursery.start_soon(table.join, 1)
            else:
                nursery.start_soon(go_too)
            while not host.heard(updates.Moved):
                await trio.sleep(1)
            fresh = decode_ticket(host.heard(updates.Moved)[0].ticket)
            assert replace(fresh, addresses=()) == replace(table.ticket, addresses=())
            assert fresh.addresses == ("8.0.9.9:1",)
            if by_hand:
                played = host.heard(updates.Started)[0].table
                assert await hand_over(guest.home.files, journal_path(guest.home, played), fresh)
            else:
                await gone.wait()
                nursery.start_soon(come_back, 1, fresh)
    assert table.ended_alike()
    assert len(guest.heard(updates.TicketTaken)) == by_hand
    assert encode_ticket(fresh) not in str(host.heard(updates.Moved))
