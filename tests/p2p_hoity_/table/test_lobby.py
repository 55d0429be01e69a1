"""Tests of the lobby: who gets a seat, who learns the terms, and who comes back."""

import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.cases import ends_in, fails
from support.memory_network import MemoryNetwork
from support.player_table import Caller, Guest, PlayerTable, SilentAir, hosted, seated
from support.running import running

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Event, Frame, Hub, LinkDown, LinkUp
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.gathering import host_table, join_table
from p2p_hoity.table.gathering import lobby as frames
from p2p_hoity.table.gathering.host_table import KEEP, SHOW
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.frame_kinds import KINDS, is_of_game
from p2p_hoity.table.playing.play_table import Lan
from protocol.crypto.identities import Identity
from protocol.errors import Invalid
from protocol.wire import codec, table_header

SOME = pytest.mark.sampled(1)


@pytest.fixture(autouse=True)
def _no_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_table, "announce", SilentAir().announce)


async def test_the_lan_is_told_again_of_a_table_that_it_did_not_carry(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    air = SilentAir()
    monkeypatch.setattr(host_table, "announce", air.announce)
    air.problem = Reason("lan-carries-nothing")
    async with hosted(pair, Lan.CLOSED):
        await trio.sleep(3.5 * host_table.AGAIN)
        assert air.updates == [1, 1, 1]
        air.problem = None
        await trio.sleep(3.5 * host_table.AGAIN)
        assert air.updates == [1, 1, 1]


# The ticket, shown both ways.


async def test_who_merely_reaches_the_port_learns_nothing_and_must_go(pair: PlayerTable) -> None:
    async with hosted(pair) as call:
        stranger = await call()
        await trio.sleep(SHOW - 1)
        assert [type(one) for one in stranger.heard] == [LinkUp]
        stranger.sit(pair, "scanner")
        await trio.sleep(3)
        assert [type(one) for one in stranger.heard] == [LinkUp, LinkDown]
    assert [update.names for update in pair.guests[0].heard(updates.Joined)] == [("P0",)]


async def test_a_frame_longer_than_its_kind_ends_the_link(pair: PlayerTable) -> None:
    """A frame of the table says nothing to the lobby, which does not look at it."""
    async with hosted(pair) as call:
        stranger = await call()
        for size, seen in (
            (KINDS[3].most_bytes - 4, [LinkUp]),
            (KINDS[3].most_bytes, [LinkUp, LinkDown]),
        ):
            stranger.hub.post(stranger.host, codec.encode((3, bytes(size))))
            await trio.sleep(0.5)
            assert [type(one) for one in stranger.heard] == seen


async def test_a_crowd_without_the_ticket_fills_no_table(pair: PlayerTable) -> None:
    async with hosted(pair) as call:
        for number in range(20):
            stranger = await call()
            stranger.say(frames.Ask(b""))
            stranger.sit(pair, f"scanner {number}")
        await pair.join(1)
    assert pair.guests[1].games()


@pytest.mark.parametrize("kind", ["secret", "host", "guest", "binding", "empty"])
async def test_a_proof_for_another_link_or_guest_is_refused(pair: PlayerTable, kind: str) -> None:
    async with hosted(pair) as call:
        caller, other = await call(), await call()
        ticket = pair.ticket
        if kind == "secret":
            proof = caller.proof(replace(ticket, secret=b"x" * 16))
        elif kind == "empty":
            proof = b""
        elif kind == "binding":
            proof = caller.proof(ticket, binding=other.hub.binding(other.host) or b"")
        else:
            proof = caller.proof(ticket, **{kind: other.hub.me})
        caller.say(frames.Ask(proof))
        assert (await caller.next(frames.Refuse)).reason is frames.Refusal.UNPROVEN
        caller.sit(pair, "liar")
        assert isinstance(await caller.next(LinkDown), LinkDown)
        assert not any(isinstance(one, frames.Offer) for one in caller.heard)


async def test_a_proof_heard_on_one_link_is_worth_nothing_on_the_next(pair: PlayerTable) -> None:
    async with hosted(pair) as call:
        caller = await call()
        proof = caller.proof(pair.ticket)
        caller.say(frames.Ask(proof))
        await caller.next(frames.Offer)
        caller.hub.drop(caller.host, Reason("again"))
        await caller.next(LinkDown)
        await caller.hub.connect(pair.ticket.addresses, caller.host, 5)
        caller.say(frames.Ask(proof))
        assert (await caller.next(frames.Refuse)).reason is frames.Refusal.UNPROVEN


def test_a_proof_of_another_size_or_form_is_no_frame() -> None:
    wrong: list[Any] = [b"x", bytes(31), bytes(33), bytes(5000), "text", None, 7]
    for proof in wrong:
        data = frames.encode_lobby(frames.Ask(proof))
        fails(Invalid, "bad-frame|bad-encoding", frames.parse_lobby, data)


class WithoutTheSecret(Capability):
    """A host that took over the host's key, but not the ticket."""

    shown = b""

    def admits(self, *_: bytes) -> bool:
        return True

    def host_proof(self, *_: bytes) -> bytes:
        return self.shown


@pytest.mark.parametrize("shown", [b"x" * 32, b""])
async def test_a_host_that_cannot_show_the_ticket_is_left(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch, shown: bytes
) -> None:
    monkeypatch.setattr(host_table, "Capability", WithoutTheSecret)
    monkeypatch.setattr(WithoutTheSecret, "shown", shown)
    async with hosted(pair):
        await ends_in(PeerError, "host-impostor", pair.join(1))


async def test_a_host_that_says_anothers_terms_is_left(pair: PlayerTable) -> None:
    """A host can name anyone in its terms; the guest compares with the link and the ticket."""
    pair.terms = replace(pair.terms, host=Identity(b"famous" * 5 + b"xx").public)
    async with hosted(pair):
        await ends_in(PeerError, "other-host", pair.join(1))


@pytest.mark.parametrize("lan", Lan)
async def test_the_secret_is_in_no_ticket_of_the_lan(
    pair: PlayerTable, lan: Lan, monkeypatch: pytest.MonkeyPatch
) -> None:
    air = SilentAir()
    monkeypatch.setattr(host_table, "announce", air.announce)
    async with hosted(pair, lan):
        await trio.testing.wait_all_tasks_blocked()
    assert bool(air.announced) == (lan is not Lan.OFF)
    for told in air.announced:
        assert bool(told.ticket) == (lan is Lan.OPEN)
        assert not (told.ticket and decode_ticket(told.ticket).secret)


@pytest.mark.parametrize("lan", [Lan.OPEN, Lan.CLOSED])
async def test_an_open_table_alone_seats_who_comes_by_the_lan(pair: PlayerTable, lan: Lan) -> None:
    async with hosted(pair, lan):
        pair.ticket = replace(pair.ticket, secret=b"")
        closed = pytest.raises(PeerError, match="ticket-unknown")
        with closed if lan is Lan.CLOSED else nullcontext():
            await pair.join(1)
    assert lan is Lan.CLOSED or pair.guests[1].games()


async def test_once_the_table_is_full_the_ticket_gives_no_seat(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 2)
    table.guests.append(Guest(tmp_path, "late"))
    async with hosted(table, joining=[1]):
        await table.until_heard(updates.Started, 0)
        await ends_in(PeerError, "game-begun", table.join(2))


@pytest.mark.parametrize("number", [0, 1])
async def test_without_the_ticket_nobody_looks_on_anywhere(pair: PlayerTable, number: int) -> None:
    async with hosted(pair, joining=[1]), running() as nursery:
        await pair.until_heard(updates.Started, 1)
        hub = Hub(Identity(os.urandom(32)), network=pair.network)
        await nursery.start(hub.run)
        door = pair.guests[number].key.public
        caller = Caller(hub, door)
        nursery.start_soon(caller.listen)
        await hub.connect([f"node{number}:{40000 + number}"], door, 5)
        caller.say(frames.Ask(b"x" * 32))
        assert (await caller.next(frames.Refuse)).reason is frames.Refusal.UNPROVEN
        await caller.next(LinkDown)
        told = frames.Roster | Frame | frames.SignedTable
        assert not any(isinstance(one, told) for one in caller.heard)


async def test_who_waits_at_the_door_as_the_game_begins_hears_nothing(pair: PlayerTable) -> None:
    async with hosted(pair) as call, running() as nursery:
        stranger = await call()
        nursery.start_soon(pair.join, 1)
        await pair.until_heard(updates.ChainGrew, 0)
        await stranger.next(LinkDown)
        assert [type(one) for one in stranger.heard] == [LinkUp]


# Coming back.


async def test_a_reset_costs_no_seat(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each guest's link is cut as soon as it sits, and once more as the roster goes out."""
    cuts: list[bytes] = []
    hear = host_table.Lobby.hear

    def cut(lobby: host_table.Lobby, event: Event) -> None:
        hear(lobby, event)
        sat = isinstance(event, Frame) and isinstance(frames.parse_lobby(event.data), frames.Sit)
        if sat and cuts.count(event.peer) < 2:
            cuts.append(event.peer)
            lobby.hub.drop(event.peer, Reason("a reset"))

    monkeypatch.setattr(host_table.Lobby, "hear", cut)
    await three.play()
    assert len(cuts) >= 2
    assert three.ended_alike()


@SOME
async def test_a_lost_roster_is_given(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[bytes] = []
    post = Hub.post

    def lose(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_lobby = not is_of_game(data)
        if not lost and is_lobby and isinstance(frames.parse_lobby(data), frames.Roster):
            lost.append(to)
            hub.drop(to, Reason("a reset"))
            return False
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", lose)
    await three.play()
    assert lost
    assert three.ended_alike()


async def test_a_seat_is_kept_for_a_while_and_then_given_to_who_waits(three: PlayerTable) -> None:
    async with hosted(three) as call:
        leaver = await call()
        leaver.say(frames.Ask(leaver.proof(three.ticket)))
        leaver.sit(three, "leaver")
        await leaver.next(frames.SeatedNames)
        leaver.hub.drop(leaver.host, Reason("gone"))
        began = trio.current_time()
        async with running() as nursery:
            nursery.start_soon(three.join, 1)
            nursery.start_soon(three.join, 2)
            await three.until_heard(updates.Started, 0)
            assert KEEP <= trio.current_time() - began <= KEEP + 3


@pytest.mark.parametrize("lie", ["another's consent", ()])
async def test_who_waits_for_a_kept_seat_has_consented_too(lie: Any, three: PlayerTable) -> None:
    """[L-8]"""
    async with hosted(three) as call:
        guests = {name: await call() for name in ("leaver", "guest", "liar")}
        for name, guest in guests.items():
            guest.say(frames.Ask(guest.proof(three.ticket)))
            await guest.next(frames.Offer)
            if name != "liar":
                guest.sit(three, name)
                await trio.sleep(1)
            if name == "leaver":
                guest.hub.drop(guest.host, Reason("gone"))
        other = table_header.sit(three.terms, Identity(os.urandom(32)), "other", os.urandom(32))
        liar = guests["liar"]
        liar.say(frames.Sit(other.value() if lie == "another's consent" else lie, ()))
        await liar.next(LinkDown)
        await trio.sleep(KEEP + 2)
        await three.join(1)


def test_a_table_is_complete_when_all_who_sit_are_there(pair: PlayerTable) -> None:
    host = table_header.sit(pair.terms, pair.guests[0].key, "P0", bytes(32))
    seating = frames.Seating(pair.terms, host, ())
    one, two = Identity(b"1" * 32), Identity(b"2" * 32)
    entry = table_header.sit(pair.terms, one, "one", bytes(32)).value()
    other = table_header.sit(pair.terms, two, "two", bytes(32)).value()
    assert seated(seating, one.public, frames.Sit(entry, ())) is None
    assert seating.is_complete
    seating.leave(one.public, 100.0)
    assert not seating.is_complete
    assert seating.is_kept
    assert not seating.give_up(100.0 + KEEP - 1 - KEEP)
    assert seated(seating, two.public, frames.Sit(other, ())) is frames.Refusal.FULL
    assert seated(seating, one.public, frames.Sit(entry, ())) is None
    assert seating.is_complete
    seating.leave(one.public, 200.0)
    assert seating.give_up(200.0)
    assert seated(seating, two.public, frames.Sit(other, ())) is None
    assert seating.is_complete


async def test_sitting_down_often_under_new_names_costs_the_link(three: PlayerTable) -> None:
    async with hosted(three) as call:
        caller = await call()
        for number in range(40):
            if not caller.hub.linked(caller.host):
                with suppress(NetError):  # one identity brings up so many links in a row only
                    await caller.hub.connect(three.ticket.addresses, caller.host, 5)
            if caller.hub.linked(caller.host):
                caller.say(frames.Ask(caller.proof(three.ticket)))
                for name in "ab":
                    caller.sit(three, f"{name} {number}")
            await trio.sleep(0.2)
        lines = three.guests[0].heard(updates.Joined)
        assert len(lines) <= host_table.SITS[0] + 10
        assert len({update.names for update in lines}) <= host_table.SITS[0] + 10


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (lambda number: frames.SeatedNames((f"line {number}",)), updates.Joined),
        (lambda _: frames.Pending(), updates.HostAsked),
    ],
    ids=["names", "asked"],
)
async def test_lines_that_a_host_makes_appear_are_bounded(
    word: Callable[[int], frames.LobbyFrame],
    shown: type[updates.Update],
    three: PlayerTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer = host_table.Lobby._asked

    def flood(lobby: host_table.Lobby, to: bytes, proof: bytes, data: bytes) -> None:
        offer(lobby, to, proof, data)
        for number in range(1000):
            lobby._post(to, word(number))

    monkeypatch.setattr(host_table.Lobby, "_asked", flood)
    async with hosted(three):
        with trio.move_on_after(5):
            await three.join(1)
    assert 0 < len(three.guests[1].heard(shown)) <= join_table.LINES[0] + 5


async def test_addresses_of_this_machine_count_only_from_who_is_on_it(three: PlayerTable) -> None:
    kept: list[tuple[str, ...]] = []
    sit = frames.Seating.sit

    def watch(seating: Any, entry: Any, addresses: tuple[str, ...], vouch: Any) -> list[bytes]:
        kept.append(addresses)
        return sit(seating, entry, addresses, vouch)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(frames.Seating, "sit", watch)
        async with hosted(three) as call:
            caller = await call()
            caller.say(frames.Ask(caller.proof(three.ticket)))
            near = ("127.0.0.1:631", "[::1]:25", "relay+127.0.0.1:9")
            caller.sit(three, "far", "192.0.2.7:1", *near)
            await caller.next(frames.SeatedNames)
    assert kept == [("192.0.2.7:1",)]


# Whose seat is safe.


def never(*_: Any) -> None:
    """No journal is found."""


@SOME
async def test_a_kept_seat_is_told_so(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:

    async def leave() -> None:
        await three.sit_until(2, lambda update: isinstance(update, updates.ChainGrew))
        for known in (True, False):  # by the journal that is here, or as the host says
            monkeypatch.setattr(join_table, "kept_seat", join_table.kept_seat if known else never)
            await ends_in(PeerError, "seat-kept", three.join_anew(2))
        await three.resume(2)

    await three.play({2: leave})
    assert three.ended_alike()


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


async def test_a_guest_dials_again_while_the_hosts_door_is_crowded(pair: PlayerTable) -> None:
    pair.network = Crowded()
    await pair.play()
    assert pair.ended_alike()


async def test_who_cuts_links_is_left(pair: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    tick = host_table.Lobby.hear

    def cut(lobby: host_table.Lobby, event: Event) -> None:
        tick(lobby, event)
        if isinstance(event, Frame):
            lobby.hub.drop(event.peer, Reason("no"))

    monkeypatch.setattr(host_table.Lobby, "hear", cut)
    async with hosted(pair):
        await ends_in(PeerError, "host-cuts-links", pair.join(1))


async def test_a_second_process_of_one_key_does_not_take_its_seat(three: PlayerTable) -> None:
    async with hosted(three) as call:
        first = await call(three.guests[1].key)
        first.say(frames.Ask(first.proof(three.ticket)))
        first.sit(three, "P1")
        await first.next(frames.SeatedNames)
        assert (await ends_in(PeerError, "sits-elsewhere", three.join(1))).code.exit_code == 1
        assert first.hub.linked(first.host)
    assert three.guests[0].heard(updates.Joined)[-1].names == ("P0", "P1")
