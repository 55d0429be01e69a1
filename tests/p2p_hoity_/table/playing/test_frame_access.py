"""Tests of who is heard at a running table, and of a host who gives two rosters."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing
from support.cases import fails
from support.machine_table import identity
from support.player_table import LONGER, Caller, PlayerTable, Thinker, hosted, past_round
from support.running import running
from support.toy_game import ToyGame

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.hub import Frame, Hub, LinkDown
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.chat import MOST_ONLOOKERS
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering import lobby as frames
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.playing.end_codes import TWO_ROSTERS
from p2p_hoity.table.playing.frame_access import (
    PROOF_TIMEOUT,
    REFUSED,
    OnlookerAccess,
    SeatAccess,
    TwoRosters,
)
from p2p_hoity.table.playing.frame_kinds import is_of_game
from protocol.chain.chain_state import Table
from protocol.crypto.identities import Identity
from protocol.errors import Invalid
from protocol.wire import peer_frames, signed_messages, table_header
from protocol.wire.signed_messages import StepInput
from protocol.wire.table_header import Header, Terms

SOME = pytest.mark.sampled(1)

WHO = [identity(seat) for seat in range(3)]
TERMS = Terms(WHO[0].public, b"n" * 32, (("toy", 1),), 3, 2)
ENTRIES = [
    table_header.sit(TERMS, one, f"P{seat}", bytes([seat]) * 32) for seat, one in enumerate(WHO)
]
ONE = Header(TERMS, tuple(ENTRIES))
OTHER = Header(TERMS, (ENTRIES[0], ENTRIES[2], ENTRIES[1]))
CLOSED = replace(TERMS, options=((table_header.ONLOOKERS, False),))
UNWATCHED = Header(
    CLOSED, tuple(table_header.sit(CLOSED, one, f"P{n}", bytes(32)) for n, one in enumerate(WHO))
)
SECRET, LINK, STRANGER = b"s" * 16, b"l" * 32, b"x" * 32
HELD = Capability(TERMS.digest(), SECRET)


LATER = replace(TERMS, nonce=b"m" * 32)
NEXT = Header(LATER, tuple(table_header.sit(LATER, one, "x", b"n" * 32) for one in WHO))


class Desk:
    """A reception of seat 1, and what it posts."""

    def __init__(self, held: Capability = HELD, seat: int | None = 1, header: Header = ONE) -> None:
        signature = table_header.sign_roster(header, WHO[0])
        roster = lobby.Roster(header.encode(), ((), (), ()), signature, (None,) * 3)
        self.posted: list[tuple[bytes, Any]] = []
        self.left: list[tuple[str, bytes]] = []
        table = Table(header, ToyGame(3, 1))
        self.me = STRANGER if seat is None else WHO[seat].public
        kind = OnlookerAccess if seat is None else SeatAccess
        self.it = kind(table, seat, roster, held, cast(Hub, self), [].append)
        self.signature = signature

    def post(self, to: bytes, data: bytes) -> bool:
        self.posted.append((to, lobby.parse_lobby(data)))
        return True

    def leave_alone(self, peer: bytes) -> None:
        self.left.append(("for a while", peer))

    def forget(self, peer: bytes) -> None:
        self.left.append(("for good", peer))

    def drop(self, peer: bytes, reason: Reason) -> None:
        self.left.append((reason.code, peer))

    def linked(self, peer: bytes) -> bool:
        return False

    def receive(self, peer: bytes, frame: Any) -> bool:
        return self.it.receive(peer, lobby.encode_lobby(frame))


def linked(*held: Capability, **how: Any) -> tuple[Desk, bytes]:
    """Return a reception and the last seat, which has just been linked with it."""
    desk = Desk(*held, **how)
    desk.it.link_up(WHO[2].public, LINK, 0.0)
    return desk, WHO[2].public


def test_seats_show_their_table_and_two_of_one_host_are_found_out() -> None:
    desk, other = linked()
    assert desk.posted == [(other, lobby.SignedTable(ONE.table_id, desk.signature))]
    assert not desk.it.is_let_in(other)
    assert desk.receive(other, lobby.SignedTable(ONE.table_id, desk.signature))
    assert desk.it.is_let_in(other)
    desk.it.link_down(other)
    assert not desk.it.is_let_in(other)
    desk, other = linked()
    with pytest.raises(TwoRosters) as caught:
        desk.receive(
            other, lobby.SignedTable(OTHER.table_id, table_header.sign_roster(OTHER, WHO[0]))
        )
    evidence = caught.value.evidence
    assert evidence.one.table != evidence.other.table
    assert evidence.terms == TERMS.digest()
    for shown in (evidence.one, evidence.other):
        table_header.check_roster(TERMS, shown.table, shown.signature)


@pytest.mark.parametrize(
    "shown",
    [
        lobby.SignedTable(OTHER.table_id, table_header.sign_roster(OTHER, WHO[2])),
        lobby.SignedTable(OTHER.table_id, table_header.sign_roster(ONE, WHO[0])),
        lobby.SignedTable(NEXT.table_id, table_header.sign_roster(NEXT, WHO[0])),
        lobby.SignedTable(ONE.table_id, bytes(64)),
        lobby.SignedTable(bytes(32), bytes(64)),
    ],
    ids=["signed by itself", "moved", "of other terms", "empty", "nothing"],
)
def test_no_guest_can_frame_the_host(shown: lobby.SignedTable) -> None:
    desk, liar = linked()
    fails(Invalid, "", desk.receive, liar, shown)
    assert not desk.it.is_let_in(liar)


@pytest.mark.parametrize("size", [31, 33, 0])
def test_a_shown_table_of_another_size_is_no_frame(size: int) -> None:
    with pytest.raises(Invalid, match="bad-frame"):
        lobby.parse_lobby(lobby.encode_lobby(lobby.SignedTable(bytes(size), bytes(64))))
    with pytest.raises(Invalid, match="bad-frame"):
        lobby.parse_lobby(lobby.encode_lobby(lobby.SignedTable(bytes(32), bytes(2 * size))))


def test_an_onlooker_cannot_show_a_table_but_shows_the_ticket_to_each_seat() -> None:
    desk, me = Desk(), WHO[1].public
    desk.it.link_up(STRANGER, LINK, 0.0)
    other = lobby.SignedTable(OTHER.table_id, table_header.sign_roster(OTHER, WHO[0]))
    assert not desk.receive(STRANGER, other)
    assert not desk.it.is_let_in(STRANGER)
    assert desk.posted == []
    assert not desk.receive(STRANGER, lobby.Ask(b""))
    assert not desk.receive(STRANGER, lobby.Ask(HELD.guest_proof(LINK, WHO[0].public, STRANGER)))
    assert [frame for _, frame in desk.posted] == [lobby.Refuse(lobby.Refusal.UNPROVEN)] * 2
    assert desk.receive(STRANGER, lobby.Ask(HELD.guest_proof(LINK, me, STRANGER)))
    assert isinstance(desk.posted[-1][1], lobby.Roster)
    assert desk.it.is_let_in(STRANGER)
    assert not desk.receive(STRANGER, lobby.Ask(HELD.guest_proof(LINK, me, STRANGER)))  # not anew


def test_who_shows_nothing_is_overdue_but_the_onlookers_side_asks_and_hears() -> None:
    desk = Desk(seat=None)
    desk.it.link_up(WHO[1].public, LINK, 0.0)
    proof = HELD.guest_proof(LINK, WHO[1].public, STRANGER)
    assert desk.posted == [(WHO[1].public, lobby.Ask(proof))]
    assert desk.it.is_let_in(WHO[1].public)
    desk, other = linked()
    desk.it.link_up(STRANGER, LINK, 5.0)
    assert desk.it.overdue(PROOF_TIMEOUT - 1) == []
    assert desk.it.overdue(PROOF_TIMEOUT) == [other]
    desk.receive(other, desk.it.shown)
    assert desk.it.overdue(PROOF_TIMEOUT + 5) == [STRANGER]


def test_a_seat_that_never_got_the_roster_gets_it_watched_or_not() -> None:
    desk, other = linked(Capability(TERMS.digest()))
    assert not desk.receive(other, lobby.Ask(b""))
    assert isinstance(desk.posted[-1][1], lobby.Roster)
    assert not desk.it.is_let_in(other)  # it has yet to show that it plays at this table
    desk, other = linked(header=UNWATCHED)
    shown = lobby.SignedTable(UNWATCHED.table_id, desk.signature)
    assert desk.posted[-1][1] == shown
    desk.receive(other, lobby.Ask(b""))
    assert isinstance(desk.posted[-1][1], lobby.Roster)
    assert desk.receive(other, shown)


def test_where_nobody_may_look_on_who_holds_the_ticket_is_told_so_and_nothing_else() -> None:
    """[L-64]"""
    held = Capability(UNWATCHED.terms.digest(), SECRET)
    desk, me = Desk(held, header=UNWATCHED), WHO[1].public
    desk.it.link_up(STRANGER, LINK, 0.0)
    assert not desk.receive(STRANGER, lobby.Ask(bytes(32)))
    assert desk.posted == [(STRANGER, lobby.Refuse(lobby.Refusal.UNPROVEN))]
    proof = lobby.Ask(held.guest_proof(LINK, me, STRANGER))
    for _ in range(2):
        assert not desk.receive(STRANGER, proof)
    assert [frame for _, frame in desk.posted[1:]] == [lobby.Refuse(lobby.Refusal.UNWATCHED)] * 2
    assert not desk.it.is_let_in(STRANGER)
    assert desk.it.onlookers == frozenset()
    assert desk.it.overdue(PROOF_TIMEOUT) == [STRANGER]
    desk = Desk(Capability(UNWATCHED.terms.digest(), is_open=True), header=UNWATCHED)
    desk.it.link_up(STRANGER, LINK, 0.0)
    assert not desk.receive(STRANGER, lobby.Ask(b""))
    assert desk.posted == [(STRANGER, lobby.Refuse(lobby.Refusal.UNWATCHED))]


def test_once_the_game_has_begun_a_second_roster_ends_nothing() -> None:
    """[L-21]"""
    desk, other = linked()
    turned = lobby.SignedTable(OTHER.table_id, table_header.sign_roster(OTHER, WHO[0]))
    assert not desk.it.receive(other, lobby.encode_lobby(turned), bound=True)
    assert not desk.it.is_let_in(other)


@pytest.mark.parametrize(
    "frame", [lobby.SeatedNames(("x",) * 16), lobby.Roster(bytes(20), (), bytes(64), ())]
)
def test_other_frames_of_the_lobby_mean_nothing_at_a_table(frame: Any) -> None:
    desk = Desk()
    desk.it.link_up(STRANGER, LINK, 0.0)
    assert not desk.receive(STRANGER, frame)
    assert desk.posted == []


async def test_two_rosters_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = PlayerTable(tmp_path, 4)
    post, host, given = Hub.post, table.guests[0].key, list[bytes]()

    def two_faced(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me == host.public and not is_of_game(data):
            frame = lobby.parse_lobby(data)
            if isinstance(frame, lobby.Roster) and to != hub.me:
                given.append(to)
            if isinstance(frame, lobby.Roster) and to in given[1:2]:
                whole = table_header.parse_header(frame.header)
                turned = Header(whole.terms, (whole.roster[0], *whole.roster[:0:-1]))
                where = (frame.addresses[0], *frame.addresses[:0:-1])
                signature = table_header.sign_roster(turned, host)
                data = lobby.encode_lobby(
                    replace(
                        frame,
                        header=turned.encode(),
                        addresses=where,
                        signature=signature,
                        vouches=(frame.vouches[0], *frame.vouches[:0:-1]),
                    )
                )
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", two_faced)
    await table.play()
    for guest in table.guests:
        assert guest.outcome is not None
        found = (guest.outcome.code, guest.outcome.seat)
        assert found == (TWO_ROSTERS, 0), (guest.name, guest.outcome, guest.told)
        assert guest.outcome.evidence is not None
        (ended,) = guest.heard(updates.Ended)
        assert ended.seat == 0


@SOME
async def test_a_late_roster_ends_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = PlayerTable(tmp_path, 3, edition=LONGER)
    host, hubs, shown = table.guests[0].key, list[Hub](), list[bytes]()
    run = Hub.run

    async def noted(hub: Hub, **rest: Any) -> None:
        hubs.append(hub)
        await run(hub, **rest)

    def show_another(update: updates.Update) -> None:
        if shown or not past_round(2)(update):
            return
        whole = table.guests[0].heard(updates.Started)[0].table.header
        turned = Header(whole.terms, (whole.roster[0], *whole.roster[:0:-1]))
        other = lobby.encode_lobby(
            lobby.SignedTable(turned.table_id, table_header.sign_roster(turned, host))
        )
        (hub,) = (one for one in hubs if one.me == host.public)
        shown.extend(peer for peer in hub.links() if hub.post(peer, other))

    monkeypatch.setattr(Hub, "run", noted)
    table.guests[0].listener = show_another
    table.guests[1].player = Thinker()  # the game lasts for longer than it takes to leave it
    await table.play()
    assert len(shown) == 2
    assert table.ended_alike()


@SOME
async def test_a_roster_after_the_own_confirmation_of_the_deck_ends_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host keeps back its input to `deck.ok`, shows another table, and then plays on."""
    table = PlayerTable(tmp_path, 3)
    host, post, kept_back = table.guests[0].key, Hub.post, list[tuple[Hub, bytes, bytes]]()
    is_shown = False

    async def show_another() -> None:
        nonlocal is_shown
        await trio.sleep(5)
        whole = table.guests[0].heard(updates.Started)[0].table.header
        turned = Header(whole.terms, (whole.roster[0], *whole.roster[:0:-1]))
        other = lobby.SignedTable(turned.table_id, table_header.sign_roster(turned, host))
        for guest in table.guests[1:]:
            assert not any(isinstance(one, updates.Ended) for one in guest.told)
            assert post(kept_back[0][0], guest.key.public, lobby.encode_lobby(other))
        is_shown = True
        for hub, to, data in kept_back:
            post(hub, to, data)

    def late(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me == host.public and not is_shown and is_deck_ok(table, data):
            if not kept_back:
                trio.lowlevel.spawn_system_task(show_another)
            kept_back.append((hub, to, data))
            return True
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", late)
    await table.play()
    assert is_shown
    assert table.ended_alike()


def is_deck_ok(table: PlayerTable, data: bytes) -> bool:
    """Return whether a frame carries an input to `deck.ok`."""
    if not is_of_game(data):
        return False
    frame = peer_frames.parse_frame(data)
    if not isinstance(frame, peer_frames.Carry):
        return False
    played = table.guests[0].heard(updates.Started)[0].table
    statement = signed_messages.read(frame.message, played.id, played.seats).statement
    return isinstance(statement, StepInput) and statement.step == played.seats + 4


async def test_a_guest_frames_nobody(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its links are cut, so the others see it as silent; nobody says that the host did it."""
    liar, shown = three.guests[2].key, SeatAccess.shown

    def turned(reception: SeatAccess) -> lobby.SignedTable:
        if reception._hub.me != liar.public:
            told: lobby.SignedTable = shown.__get__(reception)
            return told
        entries = reception.table.header.roster
        other = Header(reception.table.header.terms, (entries[0], *entries[:0:-1]))
        return lobby.SignedTable(other.table_id, table_header.sign_roster(other, liar))

    monkeypatch.setattr(SeatAccess, "shown", property(turned))
    await three.play()
    for guest in three.guests[:2]:
        assert guest.outcome is not None
        assert guest.outcome.code != TWO_ROSTERS
        assert guest.outcome.seat == guest.heard(updates.Started)[0].table.ids.index(liar.public)
        assert not guest.heard(updates.Accused)


def test_a_roster_is_signed_once_for_its_terms_and_table() -> None:
    signature = table_header.sign_roster(ONE, WHO[0])
    table_header.check_roster(TERMS, ONE.table_id, signature)
    for terms, table, signed in (
        (LATER, ONE.table_id, signature),
        (TERMS, OTHER.table_id, signature),
        (TERMS, ONE.table_id, table_header.sign_roster(ONE, WHO[1])),
        (TERMS, ONE.table_id, os.urandom(64)),
    ):
        fails(Invalid, "", table_header.check_roster, terms, table, signed)


@pytest.mark.parametrize("reason", lobby.Refusal)
def test_an_onlooker_leaves_who_refuses_it_and_dials_whom_it_may(reason: lobby.Refusal) -> None:
    """A guest of an open table has no ticket, so it can never check the onlooker's proof."""
    desk = Desk(seat=None)
    for seat in (0, 1):
        desk.it.link_up(WHO[seat].public, LINK, 0.0)
    desk.receive(WHO[1].public, lobby.Refuse(reason))
    if reason not in REFUSED:
        assert not desk.left
        return
    how = "for good" if reason is lobby.Refusal.UNPROVEN else "for a while"
    assert desk.left == [(how, WHO[1].public), (REFUSED[reason], WHO[1].public)]


def test_one_seat_lets_in_so_many_onlookers_and_gives_the_others_the_roster() -> None:
    desk = Desk()
    crowd = [bytes([number]) + b"o" * 31 for number in range(MOST_ONLOOKERS + 1)]
    for peer in crowd:
        desk.it.link_up(peer, LINK, 0.0)
        proof = HELD.guest_proof(LINK, WHO[1].public, peer)
        let_in = desk.it.receive(peer, lobby.encode_lobby(lobby.Ask(proof)))
        assert let_in is (peer != crowd[-1])
        told = [frame for to, frame in desk.posted if to == peer]
        assert isinstance(told.pop(0), lobby.Roster)
        assert told == ([lobby.Refuse(lobby.Refusal.FULL)] if peer == crowd[-1] else [])
    assert desk.it.onlookers == frozenset(crowd[:-1])
    assert not desk.it.is_let_in(crowd[-1])
    assert desk.it.overdue(PROOF_TIMEOUT) == [crowd[-1]]
    desk.it.link_down(crowd[0])
    proof = HELD.guest_proof(LINK, WHO[1].public, crowd[-1])
    assert desk.it.receive(crowd[-1], lobby.encode_lobby(lobby.Ask(proof)))


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
