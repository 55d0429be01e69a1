"""The steps in which seats choose: sealed, openly, or with cards that they show; and the result."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain
from support.forgeries.bodies import flip, plus_one

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.chain.transition import STEPS
from protocol.errors import Invalid
from protocol.fault_codes import Fault
from protocol.wire import codec
from protocol.wire.step_bodies import EMPTY

pytestmark = pytest.mark.usefixtures("cheap")


def body_of(drive: DrivenChain, seat: int, choice: object) -> bytes:
    """Return the body with which a seat makes a choice."""
    given = drive.node, seat, choice, drive.secrets[seat], drive.rng
    return transition.body_of_choice(*given)  # type: ignore[arg-type]


def refused(node: Node, seat: int, body: bytes, code: str, place: str | None) -> None:
    """Check that a body is a fault with this code, in this field."""
    found = fails(Fault, code, transition.check, node, seat, body)
    assert place == (found.place and str(found.place))


def test_who_owes_a_choice_seals_one_and_whoever_owes_none_gives_the_empty_body() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.SEAL, "bid")
    body = body_of(drive, 0, 2)
    assert transition.check(node, 0, body).commitment in drive.secrets[0].openings
    refused(node, 0, EMPTY, "bad-body", None)
    refused(node, 1, body, "bad-escrow", "escrow")
    commitment, box = codec.decode(body, len(body))  # type: ignore[misc]
    refused(node, 0, codec.encode((flip(commitment), box)), "bad-escrow", "escrow")
    refused(node, 0, codec.encode((commitment, box + b"\0")), "bad-escrow", "escrow")
    freed = replace(node, want=replace(node.want, owes=frozenset({0})))
    assert STEPS[Kind.SEAL].check(freed, 1, EMPTY) is None
    fails(Invalid, "bad-body", STEPS[Kind.SEAL].check, freed, 1, body)


def test_the_game_is_told_who_has_sealed() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.SEAL, "bid")
    step = STEPS[Kind.SEAL]
    sealed = {seat: step.check(node, seat, body_of(drive, seat, 1)) for seat in (0, 2)}
    after = step.apply(node, {**sealed, 3: None})
    assert after.state.sealed == {0, 2}
    assert {key: after.sealed[key] for key in after.sealed} == {
        ("bid", seat): one for seat, one in sealed.items()
    }


def test_an_open_choice_has_to_be_of_its_form_and_the_game_gets_none_of_who_gave_none() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.CHOOSE, "pile")
    (seat,) = node.want.speakers
    assert body_of(drive, seat, 1) == codec.encode(1)
    assert transition.check(node, seat, codec.encode(1)) == 1
    for body, code in ((codec.encode(2), "illegal-choice"), (b"\xc3", "bad-body")):
        refused(node, seat, body, code, None)
    chosen, none = (STEPS[Kind.CHOOSE].apply(node, said).state for said in ({seat: 1}, {}))
    assert [state.log[-1].choice for state in (chosen, none)] == [1, None]


def test_a_seat_shows_a_card_of_its_hand_with_a_proven_share() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.SHOW, "solo")
    (seat,) = node.want.owes
    hidden = [next(s for s in hand if s not in node.cards) for hand in drive.table.layout.hands]
    slot = hidden.pop(seat)
    body = body_of(drive, seat, (slot,))
    given = transition.check(node, seat, body)
    after = STEPS[Kind.SHOW].apply(node, {seat: given})
    assert after.opened["solo", seat] == (slot,)
    assert (slot, seat) in after.shares
    choice, shares = codec.decode(body, len(body))  # type: ignore[misc]
    for slots in ((hidden[0],), (slot, slot)):
        other = codec.encode((codec.encode(slots), shares))
        refused(node, seat, other, "illegal-choice", "choice")
    refused(node, seat, codec.encode((choice, plus_one(shares))), "bad-share", "shares")
    refused(node, seat, codec.encode((choice, b"")), "bad-body", "shares")
    refused(node, seat, EMPTY, "bad-body", None)


def test_the_other_seats_show_nothing_and_a_silent_one_has_no_choice() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.SHOW, "solo")
    (seat,) = node.want.owes
    for other in {0, 1, 2} - {seat}:
        assert transition.check(node, other, EMPTY) is None
        refused(node, other, body_of(drive, seat, (1,)), "bad-body", None)
    after = STEPS[Kind.SHOW].apply(node, dict.fromkeys({0, 1, 2} - {seat}))
    assert after.opened["solo", seat] is None
    assert after.shares == node.shares


def test_the_result_is_of_these_standings_and_present_seats_and_makes_no_further_node() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.RESULT)
    step = STEPS[Kind.RESULT]
    body = step.write(node, 0, drive.secrets[0], drive.rng)
    assert body == codec.encode((node.standings(), [0, 1, 2]))
    transition.check(node, 0, body)
    winner = replace(node.state, score=(0, 0, 9))
    for other in (replace(node, state=winner), replace(node, present=frozenset({0, 1}))):
        assert other.result_body() != body
        fails(Invalid, "bad-body", step.check, other, 0, body)
    fails(RuntimeError, "ends before", step.apply, node, {0: None})
