"""Tests of the lobby: who gets a seat, who learns the terms, and who comes back."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_tables import Club, Guest
from support.memory_network import MemoryNetwork

from cli.trouble import exit_code_of
from p2p_hoity import tables
from p2p_hoity.errors import Reason
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.events import Event, Frame, LinkDown, LinkUp
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.session import updates
from p2p_hoity.session.capability import Capability
from p2p_hoity.session.lobby import (
    Ask,
    Asked,
    LobbyFrame,
    Names,
    Offer,
    Refusal,
    Refuse,
    Roster,
    Shown,
    Sit,
    encode_lobby,
    is_lobby,
    parse_lobby,
)
from p2p_hoity.tables import hosting, joining
from p2p_hoity.tables.hosting import KEEP, SHOW
from p2p_hoity.tables.seating import Lan
from protocol.crypto.signing import Identity
from protocol.errors import Invalid
from protocol.wire import header


@dataclass
class Caller:
    """A hub that speaks the lobby by hand."""

    hub: Hub
    host: bytes
    heard: list[Any] = field(default_factory=list)

    def say(self, frame: LobbyFrame) -> None:
        self.hub.post(self.host, encode_lobby(frame))

    def proof(self, ticket: Ticket, **changed: bytes) -> bytes:
        capability = Capability(ticket.terms, ticket.secret)
        binding = self.hub.binding(self.host)
        assert binding is not None
        place = {"binding": binding, "door": self.host, "guest": self.hub.me, **changed}
        return capability.guest_proof(**place)

    def sit(self, club: Club, name: str, *addresses: str) -> None:
        entry = header.sit(club.terms, self.hub._identity, name, os.urandom(32))
        self.say(Sit(entry.value(), addresses))

    async def listen(self) -> None:
        async for event in self.hub.events:
            frame = isinstance(event, Frame) and is_lobby(event.data)
            self.heard.append(parse_lobby(event.data) if frame else event)  # type: ignore[union-attr]

    async def next(self, kind: type[Any]) -> Any:
        """What is heard of this kind, awaited."""
        while not (found := [one for one in self.heard if isinstance(one, kind)]):
            await trio.sleep(0.1)
        self.heard.remove(found[0])
        return found[0]


@asynccontextmanager
async def silent_air(_: Any) -> AsyncIterator[Any]:
    """Stands for the LAN: nothing is announced."""

    class Air:
        async def update(self, joined: int) -> None:
            """Nobody hears."""

    yield Air()


@pytest.fixture(autouse=True)
def _no_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "announce", silent_air)


@asynccontextmanager
async def hosted(club: Club, lan: Lan = Lan.OFF) -> AsyncIterator[Callable[[], Awaitable[Caller]]]:
    """A host in its lobby, and a way to make callers linked to it."""
    club.lan = lan
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        await club.opened.wait()

        async def call(identity: Identity | None = None) -> Caller:
            hub = Hub(identity or Identity(os.urandom(32)), network=club.network)
            await nursery.start(hub.run)
            assert club.ticket is not None
            caller = Caller(hub, club.ticket.host_id)
            nursery.start_soon(caller.listen)
            await hub.connect(club.ticket.addresses, club.ticket.host_id, 5)
            return caller

        yield call
        nursery.cancel_scope.cancel()


# The ticket, shown both ways.


async def test_who_merely_reaches_the_port_learns_nothing_and_is_sent_away(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club) as call:
        stranger = await call()
        await trio.sleep(SHOW - 1)
        assert [type(one) for one in stranger.heard] == [LinkUp]
        stranger.sit(club, "scanner")
        await trio.sleep(3)
        assert [type(one) for one in stranger.heard] == [LinkUp, LinkDown]
    assert [update.names for update in club.guests[0].heard(updates.Joined)] == [("P0",)]


async def test_a_crowd_without_the_ticket_fills_no_table(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club) as call:
        for number in range(20):
            stranger = await call()
            stranger.say(Ask(b""))
            stranger.sit(club, f"scanner {number}")
        await club.join(1)
    assert club.guests[1].outcome is not None
    assert club.guests[1].outcome.transcript is not None


@pytest.mark.parametrize("kind", ["secret", "door", "guest", "binding", "empty"])
async def test_a_proof_that_is_not_for_this_link_guest_and_table_gives_no_seat(
    tmp_path: Path, autojump_clock: Any, kind: str
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club) as call:
        caller, other = await call(), await call()
        ticket = club.ticket
        assert ticket is not None
        if kind == "secret":
            proof = caller.proof(replace(ticket, secret=b"x" * 16))
        elif kind == "empty":
            proof = b""
        elif kind == "binding":
            proof = caller.proof(ticket, binding=other.hub.binding(other.host) or b"")
        else:
            proof = caller.proof(ticket, **{kind: other.hub.me})
        caller.say(Ask(proof))
        assert (await caller.next(Refuse)).reason is Refusal.UNPROVEN
        caller.sit(club, "liar")
        assert isinstance(await caller.next(LinkDown), LinkDown)
        assert not any(isinstance(one, Offer) for one in caller.heard)


async def test_a_proof_heard_on_one_link_is_worth_nothing_on_the_next(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club) as call:
        caller = await call()
        assert club.ticket is not None
        proof = caller.proof(club.ticket)
        caller.say(Ask(proof))
        await caller.next(Offer)
        caller.hub.drop(caller.host, Reason("again"))
        await caller.next(LinkDown)
        await caller.hub.connect(club.ticket.addresses, caller.host, 5)
        caller.say(Ask(proof))
        assert (await caller.next(Refuse)).reason is Refusal.UNPROVEN


@pytest.mark.parametrize("proof", [b"x", bytes(31), bytes(33), bytes(5000), "text", None, 7])
def test_a_proof_of_another_size_or_form_is_no_frame(proof: Any) -> None:
    with pytest.raises(Invalid, match="bad-frame"):
        parse_lobby(encode_lobby(Ask(proof)))


class WithoutTheSecret(Capability):
    """A host that took over the host's key, but not the ticket."""

    def admits(self, *_: bytes) -> bool:
        return True

    def door_proof(self, *_: bytes) -> bytes:
        return b"x" * 32


@pytest.mark.parametrize("shown", [b"x" * 32, b""])
async def test_a_host_that_cannot_show_the_ticket_is_left(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, shown: bytes
) -> None:
    club = Club(tmp_path, 2)
    monkeypatch.setattr(hosting, "Capability", WithoutTheSecret)
    monkeypatch.setattr(WithoutTheSecret, "door_proof", lambda *_: shown)
    async with hosted(club):
        with pytest.raises(tables.PeerError, match="host-impostor"):
            await club.join(1)


async def test_a_host_that_says_anothers_terms_is_left(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host can name anyone in its terms; the guest compares with the link and the ticket."""
    club = Club(tmp_path, 2)
    club.terms = replace(club.terms, host=Identity(b"famous" * 5 + b"xx").public)
    async with hosted(club):
        with pytest.raises(tables.PeerError, match="other-host"):
            await club.join(1)


async def test_the_secret_is_in_no_ticket_of_the_lan_and_in_no_repr(tmp_path: Path) -> None:
    club = Club(tmp_path, 2)
    bare = Ticket(club.terms.host, ("192.0.2.1:7",), club.terms.digest())
    for lan in Lan:
        told = hosting._announced(club.guests[0].seat, club.terms, bare, tables.Reach(lan=lan))
        assert (told is None) == (lan is Lan.OFF)
        assert bool(told and told.ticket) == (lan is Lan.OPEN)


async def test_an_open_table_seats_who_comes_by_the_lan(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club, Lan.OPEN):
        assert club.ticket is not None
        club.ticket = replace(club.ticket, secret=b"")
        await club.join(1)
    assert club.guests[1].outcome is not None
    assert club.guests[1].outcome.transcript is not None


async def test_a_closed_table_does_not(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club, Lan.CLOSED):
        assert club.ticket is not None
        club.ticket = replace(club.ticket, secret=b"")
        with pytest.raises(tables.PeerError, match="ticket-unknown"):
            await club.join(1)


async def test_once_the_table_is_full_the_ticket_gives_no_seat(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    late = Guest(tmp_path, "late")
    club.guests.append(late)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        while not club.guests[0].heard(updates.Started):
            await trio.sleep(0.1)
        with pytest.raises(tables.PeerError, match="game-begun"):
            await club.join(2)


@pytest.mark.parametrize("number", [0, 1])
async def test_without_the_ticket_nobody_looks_on_at_any_seat(
    tmp_path: Path, autojump_clock: Any, number: int
) -> None:
    club = Club(tmp_path, 2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        while not club.guests[1].heard(updates.Started):
            await trio.sleep(0.1)
        hub = Hub(Identity(os.urandom(32)), network=club.network)
        await nursery.start(hub.run)
        door = club.guests[number].me.identity.public
        caller = Caller(hub, door)
        nursery.start_soon(caller.listen)
        await hub.connect([f"node{number}:{40000 + number}"], door, 5)
        caller.say(Ask(b"x" * 32))
        assert (await caller.next(Refuse)).reason is Refusal.UNPROVEN
        await caller.next(LinkDown)
        assert not any(isinstance(one, Roster | Frame | Shown) for one in caller.heard)
        nursery.cancel_scope.cancel()


async def test_one_who_waits_at_the_door_as_the_game_begins_is_told_nothing_of_it(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    async with hosted(club) as call, trio.open_nursery() as nursery:
        stranger = await call()
        nursery.start_soon(club.join, 1)
        while not club.guests[0].heard(updates.Stepped):
            await trio.sleep(0.1)
        await stranger.next(LinkDown)
        assert [type(one) for one in stranger.heard] == [LinkUp]
        nursery.cancel_scope.cancel()


# Coming back.


async def test_a_reset_after_sitting_down_costs_nobody_the_table(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Each guest's link is cut as soon as it sits, and once more as the roster goes out."""
    club = Club(tmp_path, 3)
    cuts: list[bytes] = []
    hear = hosting.Lobby.hear

    def cut(lobby: hosting.Lobby, event: Event) -> None:
        hear(lobby, event)
        sat = isinstance(event, Frame) and isinstance(parse_lobby(event.data), Sit)
        if sat and cuts.count(event.peer) < 2:
            cuts.append(event.peer)
            lobby.hub.drop(event.peer, Reason("a reset"))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hosting.Lobby, "hear", cut)
        await club.play()
    assert len(cuts) >= 2
    assert len(set(club.transcripts())) == 1


async def test_a_guest_that_lost_the_roster_gets_it_from_the_running_table(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 3)
    lost: list[bytes] = []
    post = Hub.post

    def lose(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_first = not lost and is_lobby(data) and isinstance(parse_lobby(data), Roster)
        if is_first:
            lost.append(to)
            hub.drop(to, Reason("a reset"))
            return False
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", lose)
    await club.play()
    assert lost
    assert len(set(club.transcripts())) == 1


async def test_a_seat_is_kept_for_a_while_and_then_given_to_who_waits(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    async with hosted(club) as call:
        leaver = await call()
        assert club.ticket is not None
        leaver.say(Ask(leaver.proof(club.ticket)))
        leaver.sit(club, "leaver")
        await leaver.next(Names)
        leaver.hub.drop(leaver.host, Reason("gone"))
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(club.join, 1)
            nursery.start_soon(club.join, 2)
            while not club.guests[0].heard(updates.Started):
                await trio.sleep(0.1)
            assert KEEP <= trio.current_time() - began <= KEEP + 3


@pytest.mark.parametrize("lie", ["another's consent", ()])
async def test_who_waits_for_a_kept_seat_has_consented_as_all_others(
    lie: Any, tmp_path: Path, autojump_clock: Any
) -> None:
    """[L-8]"""
    club = Club(tmp_path, 3)
    async with hosted(club) as call:
        assert club.ticket is not None
        guests = {name: await call() for name in ("leaver", "guest", "liar")}
        for name, guest in guests.items():
            guest.say(Ask(guest.proof(club.ticket)))
            await guest.next(Offer)
            if name != "liar":
                guest.sit(club, name)
                await trio.sleep(1)
            if name == "leaver":
                guest.hub.drop(guest.host, Reason("gone"))
        other = header.sit(club.terms, Identity(os.urandom(32)), "other", os.urandom(32))
        liar = guests["liar"]
        liar.say(Sit(other.value() if lie == "another's consent" else lie, ()))
        await liar.next(LinkDown)
        await trio.sleep(KEEP + 2)
        await club.join(1)


def test_a_table_is_complete_when_all_who_sit_are_there(tmp_path: Path) -> None:
    club = Club(tmp_path, 2)
    seating = hosting.Seating(
        club.terms, header.sit(club.terms, club.guests[0].me.identity, "P0", bytes(32)), ()
    )
    one, two = Identity(b"1" * 32), Identity(b"2" * 32)
    entry = header.sit(club.terms, one, "one", bytes(32)).value()
    other = header.sit(club.terms, two, "two", bytes(32)).value()
    assert seating.sit(one.public, Sit(entry, ())) is None
    assert seating.complete
    seating.leave(one.public, 100.0)
    assert not seating.complete
    assert seating.is_kept
    assert not seating.give_up(100.0 + KEEP - 1 - KEEP)
    assert seating.sit(two.public, Sit(other, ())) is Refusal.FULL
    assert seating.sit(one.public, Sit(entry, ())) is None
    assert seating.complete
    seating.leave(one.public, 200.0)
    assert seating.give_up(200.0)
    assert seating.sit(two.public, Sit(other, ())) is None
    assert seating.complete


async def test_sitting_down_again_and_again_under_new_names_costs_the_link(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    async with hosted(club) as call:
        caller = await call()
        assert club.ticket is not None
        for number in range(40):
            if not caller.hub.linked(caller.host):
                await caller.hub.connect(club.ticket.addresses, caller.host, 5)
            caller.say(Ask(caller.proof(club.ticket)))
            for name in "ab":
                caller.sit(club, f"{name} {number}")
            await trio.sleep(0.2)
        lines = club.guests[0].heard(updates.Joined)
        assert len(lines) <= hosting.SITS + 10
        assert len({update.names for update in lines}) <= hosting.SITS + 10


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (lambda number: Names((f"line {number}",)), updates.Joined),
        (lambda _: Asked(), updates.HostAsked),
    ],
    ids=["names", "asked"],
)
async def test_lines_that_a_host_makes_appear_are_bounded(
    word: Callable[[int], LobbyFrame],
    shown: type[updates.Update],
    tmp_path: Path,
    autojump_clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    club = Club(tmp_path, 3)
    offer = hosting.Lobby._asked

    def flood(lobby: hosting.Lobby, to: bytes, proof: bytes, data: bytes) -> None:
        offer(lobby, to, proof, data)
        for number in range(1000):
            lobby._post(to, word(number))

    monkeypatch.setattr(hosting.Lobby, "_asked", flood)
    async with hosted(club):
        with trio.move_on_after(5):
            await club.join(1)
    assert 0 < len(club.guests[1].heard(shown)) <= joining.LINES + 5


async def test_addresses_of_this_machine_count_only_from_one_that_is_on_it(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    kept: list[tuple[str, ...]] = []
    sit = hosting.Seating.sit

    def watch(seating: Any, to: bytes, frame: Sit) -> Any:
        kept.append(frame.addresses)
        return sit(seating, to, frame)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hosting.Seating, "sit", watch)
        async with hosted(club) as call:
            caller = await call()
            assert club.ticket is not None
            caller.say(Ask(caller.proof(club.ticket)))
            caller.sit(club, "far", "127.0.0.1:631", "[::1]:25", "192.0.2.7:1", "relay+127.0.0.1:9")
            await caller.next(Names)
    assert kept == [("192.0.2.7:1",)]


# Whose seat is safe.


def never(*_: Any) -> None:
    """No journal is found."""


async def test_one_whose_seat_is_kept_is_told_to_resume(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 3)
    scope = trio.CancelScope()
    gone = club.guests[2]
    gone.cut = lambda update: isinstance(update, updates.Stepped), scope

    async def leave() -> None:
        with scope:
            await club.join(2)
        gone.cut = None
        for known in (True, False):  # by the journal that is here, or as the host says
            monkeypatch.setattr(joining, "kept_seat", joining.kept_seat if known else never)
            with pytest.raises(tables.PeerError, match="seat-kept"):
                await club.join(2)
        await club.resume(2)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(leave)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
    assert len(set(club.transcripts())) == 1


# Dialling the host.


class Crowded(MemoryNetwork):
    """A network whose first connections are cut, as by a full gate."""

    left = 4

    async def open(self, address: Address) -> trio.abc.Stream:
        stream = await super().open(address)
        if self.left:
            self.left -= 1
            await stream.aclose()
        return stream


async def test_a_guest_dials_again_while_the_hosts_door_is_crowded(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    club.network = Crowded()
    await club.play()
    assert len(set(club.transcripts())) == 1


async def test_where_nobody_listens_it_is_told_at_once(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    club.ticket = Ticket(club.guests[0].me.identity.public, ("node0:1",), b"t" * 32)
    club.opened.set()
    began = trio.current_time()
    with pytest.raises(tables.PeerError, match=r"host-unreached .*nobody-listens"):
        await club.join(1)
    assert trio.current_time() - began < 1


async def test_a_host_that_cuts_every_link_is_given_up(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    tick = hosting.Lobby.hear

    def cut(lobby: hosting.Lobby, event: Event) -> None:
        tick(lobby, event)
        if isinstance(event, Frame):
            lobby.hub.drop(event.peer, Reason("no"))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hosting.Lobby, "hear", cut)
        async with hosted(club):
            with pytest.raises(tables.PeerError, match="host-cuts-links"):
                await club.join(1)


async def test_a_second_process_of_one_key_does_not_take_the_seat_of_the_first(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    async with hosted(club) as call:
        first = await call(club.guests[1].me.identity)
        assert club.ticket is not None
        first.say(Ask(first.proof(club.ticket)))
        first.sit(club, "P1")
        await first.next(Names)
        with pytest.raises(tables.PeerError, match="sits-elsewhere") as caught:
            await club.join(1)
        assert exit_code_of(caught.value) == 1
        assert first.hub.linked(first.host)
    assert club.guests[0].heard(updates.Joined)[-1].names == ("P0", "P1")
