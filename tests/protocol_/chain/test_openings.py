"""Steps that open cards and sealed choices: shares of all, of absent seats, and escrows."""

from dataclasses import replace
from typing import Any

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain
from support.forgeries.bodies import flip, patched, plus_one
from support.forgeries.cheater import on_input
from support.hostile_table import HONEST, LIAR, has_lied, hostile_table
from support.machine_table import toy_table
from support.named_faults import check_named, eager, gone_before, reported

from protocol.chain import openings, transition
from protocol.chain.chain_state import Kind, Missing, Node
from protocol.chain.openings import helped
from protocol.chain.sealed_choices import seal_choice
from protocol.chain.transition import STEPS
from protocol.fault_codes import Fault
from protocol.wire import codec
from protocol.wire.step_bodies import EMPTY

pytestmark = pytest.mark.usefixtures("cheap")


@pytest.mark.parametrize(("kind", "lie"), [("bid", (0, 1)), ("bid", 9), ("card", (2, 3))])
def test_one_that_the_others_open_from_escrow_is_void(kind: str, lie: Any) -> None:
    table = hostile_table(kind, lie)
    table.start()
    while table.deliver():
        want = table.machine().tip.want
        if has_lied(table, kind) and want.kind is Kind.REVEAL and want.name == kind:
            table.places[LIAR].alive = False
    table.run(until=2000)
    for machine in table.machines(HONEST):
        assert machine.finished
        assert [(c.seat, c.code) for c in machine.tip.convictions] == [(LIAR, "illegal-choice")]


def test_a_forged_share_given_for_an_absent_seat_is_named_and_t_others_suffice() -> None:
    spoil = patched(2, lambda batches: tuple(plus_one(batch) for batch in batches))
    lie = on_input(lambda node: LIAR in node.present and bool(helped(node)), spoil, passes=False)
    table = toy_table(6, choose=eager, cheaters={LIAR: lie})
    gone_before(table, 5, lambda node: node.want.kind is Kind.OPEN)
    table.play(until=400)
    check_named(table, "bad-share")
    assert all(machine.finished for machine in table.machines(reported(table)))
    after = table.machine().tip
    assert after.banned == {LIAR}
    while after.parent is None or after.slots is None or not helped(after.parent):
        assert after.parent is not None
        after = after.parent
    node, bodies = after.parent, after.slots
    step = STEPS[node.want.kind]
    given = {
        seat: step.check(node, seat, body)
        for seat, body in enumerate(bodies)
        if isinstance(body, bytes)
    }
    lacking = {lack for lack in node.want.lacks if lack[1] == 5}
    assert lacking
    few = dict(list(given.items())[: table.table.quorum - 1])
    assert lacking <= set(step.apply(node, given).shares)
    assert not lacking & set(step.apply(node, few).shares)


# Each part of a body


def revealing(seats: int = 4, gone: int | None = None) -> DrivenChain:
    """Return a chain before the bids are opened; a seat may be absent since it sealed its own."""
    drive = DrivenChain(seats)
    node = drive.stand_before(Kind.REVEAL, "bid")
    if gone is not None:
        present = node.present - {gone}
        counts = tuple(int(seat == gone) for seat in range(seats))
        drive.node = transition.reconfigure(node, present, frozenset(), counts)
    return drive


def fields(body: bytes) -> list[Any]:
    """Return the fields of a body: the opening, shares, helps and escrow shares."""
    found = codec.decode(body, len(body))
    assert isinstance(found, tuple)
    return list(found)


def refused(node: Node, seat: int, body: object, code: str, place: str | None) -> None:
    """Check that a body of these fields is a fault with this code, in this field."""
    data = body if isinstance(body, bytes) else codec.encode(tuple(body))  # type: ignore[arg-type]
    found = fails(Fault, code, transition.check, node, seat, data)
    assert place == (found.place and str(found.place))


def test_each_seat_opens_its_own_choice_and_the_others_that_of_an_absent_one() -> None:
    node = revealing(gone=3).node
    assert [openings.own_due(node, seat) for seat in range(4)] == [True, True, True, False]
    assert openings.lost_dues(node) == (3,)
    assert not openings.owes_nothing(node, 0)
    whole = revealing().node
    assert openings.lost_dues(whole) == ()
    opened = replace(whole, want=replace(whole.want, dues=(1, 2, 3)))
    assert openings.owes_nothing(opened, 0)
    assert not openings.owes_nothing(opened, 1)


def test_shares_of_absent_seats_are_given_by_all_that_are_present() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.OPEN)
    assert openings.helped(node) == ()
    (slot,) = openings.own_lacks(node, 3)
    after = transition.reconfigure(node, frozenset({0, 1, 2}), frozenset(), (0, 0, 0, 1))
    assert openings.helped(after) == (3,)
    assert openings.own_lacks(after, 3) == (slot,), "it is asked of its key, whoever gives it"


def test_a_seat_with_an_old_journal_may_lack_its_opening() -> None:
    drive = revealing()
    assert openings.has_opening(drive.node, 1, drive.secrets[1])
    drive.secrets[1].openings.clear()
    assert not openings.has_opening(drive.node, 1, drive.secrets[1])
    idle = replace(drive.node, want=replace(drive.node.want, dues=(0,)))
    assert openings.has_opening(idle, 1, drive.secrets[1]), "it owes none"


def test_an_opening_is_given_where_one_is_due_and_nowhere_else() -> None:
    drive = revealing()
    body = fields(drive.honest_body(1))
    refused(drive.node, 1, [None, *body[1:]], "bad-body", "opening")
    refused(drive.node, 1, EMPTY, "bad-body", None)
    choice, nonce = body[0]
    refused(drive.node, 1, [(choice, flip(nonce)), *body[1:]], "bad-opening", "opening")
    deal = DrivenChain(4)
    node = deal.stand_before(Kind.OPEN)
    said = fields(deal.honest_body(1))
    refused(node, 1, [(b"\1", bytes(32)), *said[1:]], "bad-body", "opening")


def test_a_share_of_an_absent_seats_escrow_is_proven_and_a_quorum_of_them_opens_it() -> None:
    drive = revealing(gone=3)
    node, step = drive.node, STEPS[Kind.REVEAL]
    bodies = {seat: drive.honest_body(seat) for seat in (0, 1, 2)}
    *rest, (share,) = fields(bodies[0])
    refused(node, 0, [*rest, (plus_one(share),)], "bad-escrow-share", "escrows[0]")
    refused(node, 0, [*rest, ()], "bad-body", "escrows")
    given = {seat: step.check(node, seat, body) for seat, body in bodies.items()}
    choice, _ = drive.secrets[3].openings[node.sealed["bid", 3].commitment]
    assert step.apply(node, given).opened["bid", 3] == codec.decode(choice, 9)
    assert ("bid", 3) not in step.apply(node, {seat: given[seat] for seat in (0, 1)}).opened


@pytest.mark.parametrize(
    ("choice", "code"), [(b"\xc3", "bad-escrow"), (b"\x09", "illegal-choice"), (b"\x02", None)]
)
def test_what_an_escrow_holds_is_judged_once_it_is_open(choice: bytes, code: str | None) -> None:
    """The choice of seat 3 was sealed truly, whatever it is. It is absent when it is opened."""
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.SEAL, "bid")
    said = {seat: drive.honest_body(seat) for seat in range(3)}
    said[3] = seal_choice(node, 3, "bid", choice, drive.secrets[3], drive.rng)
    drive.node = transition.append(node, transition.slots_of(node, said))
    barrier = transition.slots_of(drive.node, dict.fromkeys(range(3), EMPTY), Missing.ABSENT)
    stopped = transition.append(drive.node, barrier)
    drive.node = transition.reconfigure(stopped, frozenset({0, 1, 2}), frozenset(), (0, 0, 0, 1))
    bodies = {seat: drive.honest_body(seat) for seat in range(3)}
    after = STEPS[Kind.REVEAL].apply(
        drive.node,
        {seat: STEPS[Kind.REVEAL].check(drive.node, seat, body) for seat, body in bodies.items()},
    )
    assert after.opened["bid", 3] == (None if code else 2)
    assert after.banned == (frozenset({3}) if code else frozenset())
    assert [one.code for one in after.convictions] == ([code] if code else [])
