"""Tests of a host: who gets a seat, who learns the terms, who comes back, and what it is told."""

import os
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.player_table import Guest, PlayerTable, SilentAir, hosted
from support.running import running
from support.sampling import BAD_MOMENTS

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.net.hub import Event, Frame, Hub, LinkDown, LinkUp
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Found, ReachCode, Scope, Wanted, judge
from p2p_hoity.table.gathering import host_table
from p2p_hoity.table.gathering import lobby as frames
from p2p_hoity.table.gathering.host_table import KEEP, SHOW, TicketTeller
from p2p_hoity.table.gathering.lobby import Seating
from p2p_hoity.table.open_links import Lan
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.frame_kinds import is_of_game
from protocol.crypto.identities import Identity
from protocol.wire import table_header

SOME = pytest.mark.sampled(1)

HOME, MAPPED = "192.168.1.5:4646", "81.2.69.142:14646"


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


@pytest.mark.parametrize("is_told", [True, False])
def test_codes_lead_to_the_addresses_that_are_valid_now(tmp_path: Path, is_told: bool) -> None:
    """Also where the host's player is not told of them."""
    table, told = PlayerTable(tmp_path, 2), list[Any]()
    me = table.guests[0].key
    entry = table_header.sit(table.terms, me, "P0", b"n" * 32)
    ticket = Ticket(me.public, (HOME,), table.terms.digest(), (), b"s" * 16)
    teller = TicketTeller(Seating(table.terms, entry, ()), told.append, ticket, is_told)
    for found in (Found((HOME,)), Found((HOME,), mapped=MAPPED)):
        teller.tell(judge(found, Wanted(lan=True)))
    assert decode_ticket(teller.word()).addresses == (MAPPED, HOME)
    assert len(told) == (2 if is_told else 0)


@BAD_MOMENTS
async def test_a_guest_that_leaves_before_the_table_is_full_frees_its_seat(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    table.guests.append(Guest(tmp_path, "leaving_seat"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.host)
        assert await table.sit_until(3, lambda update: isinstance(update, updates.Joined))
        nursery.start_soon(table.join, 1)
        nursery.start_soon(table.join, 2)
    table.guests.pop()
    joined = [update.names for update in table.guests[0].heard(updates.Joined)]
    assert ("P0", "leaving_seat") in joined
    assert table.ended_alike()


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
