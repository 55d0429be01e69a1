"""The chain: the same for all, bound to every body, and still where the rules say so."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from support.cases import fails
from support.machine_table import TIMEOUTS, MachineTable, make_table, toy_choice, toy_table
from support.toy_game import Toy, ToyGame

from protocol.chain import transition
from protocol.chain.chain_state import NEXT, SETUP, Conviction, Kind, Missing, Node
from protocol.fault_codes import Fault
from protocol.game_interface import IllegalMove, Unseal
from protocol.transcript.verifier import steps_to

pytestmark = pytest.mark.usefixtures("cheap")


def played(seats: int = 3) -> list[Node]:
    """Every node of an undisturbed game, in order."""
    table = toy_table(seats, 1, timeouts=TIMEOUTS)
    table.play(until=5)
    passages = list(steps_to(table.machine().tip))
    return [passages[0][0], *(after for _, _, after in passages)]


def test_steps_follow_the_step_table_and_are_numbered_from_one() -> None:
    nodes = played()
    assert [node.step for node in nodes] == list(range(1, len(nodes) + 1))
    assert nodes[0].digest == nodes[0].table.id
    for before, after in pairwise(nodes):
        assert after.want.kind in NEXT[before.want.kind]
    assert nodes[-1].want.kind is Kind.RESULT
    assert {n.want.kind for n in nodes} >= set(SETUP) | {Kind.DEAL, Kind.OVER, Kind.FINAL}


def test_a_digest_covers_every_slot_and_only_slots() -> None:
    nodes = played()
    node = next(n for n in nodes if n.want.kind is Kind.DECK_OK)
    slots = next(n for n in nodes if n.parent is node).slots
    assert slots is not None
    digest = transition.digest_after_step(node.digest, slots)
    for seat in range(3):
        for other in (b"x", Missing.ABSENT, Missing.FAULT, Missing.NONE):
            changed = (*slots[:seat], other, *slots[seat + 1 :])
            assert transition.digest_after_step(node.digest, changed) != digest
    assert transition.append(node, slots).digest == digest


def test_who_is_not_asked_may_not_speak() -> None:
    node = next(n for n in played() if n.want.kind is Kind.CHOOSE)
    (speaker,) = node.want.speakers
    transition.check(node, speaker, b"\x00")
    fails(Fault, "not-expected", transition.check, node, (speaker + 1) % 3, b"\x00")
    fails(Fault, "illegal-choice", transition.check, node, speaker, b"\x09")
    fails(Fault, "bad-body", transition.check, node, speaker, b"\xc3\xc3")
    fails(ValueError, "not asked", transition.append, node, (b"\x00", b"\x00", b"\x00"))


def test_a_reconfiguration_changes_the_digest_and_keeps_the_step() -> None:
    node = next(n for n in played() if n.want.kind is Kind.REVEAL and n.want.name == "bid")
    after = transition.reconfigure(node, frozenset({0, 1}), frozenset(), (0, 0, 1))
    assert after.step == node.step
    assert after.digest != node.digest
    assert after.want.speakers == {0, 1}
    assert ("bid", 2) in after.lost
    assert after.base_digest() != node.base_digest()
    again = transition.reconfigure(after, frozenset({0, 1, 2}), frozenset(), (0, 0, 1))
    assert ("bid", 2) in again.lost
    assert again.want.speakers == {0, 1, 2}
    assert 2 not in again.want.owes


class ShrinkingGame(ToyGame):
    """A game that waits for no card of an absent seat, and then forbids seat 1's."""

    def expected(self, state: Toy) -> Any:
        due = super().expected(state)
        if isinstance(due, Unseal) and due.shows:
            return replace(due, seats=due.seats & state.present)
        return due

    def check(self, state: Toy, kind: str, seat: int, choice: Any, cards: Any) -> None:
        if kind == "card" and seat == 1 and 2 not in state.present:
            raise IllegalMove("card-of-another-hand", slot=choice[0])
        super().check(state, kind, seat, choice, cards)


@pytest.mark.parametrize("gone", [2, 0])
def test_a_choice_that_is_judged_behind_a_reconfiguration_is_void_at_the_last_step_of_the_chain(
    gone: int,
) -> None:
    """Only a game whose goal rests on who is present comes to this ([P-1])."""
    table = MachineTable(*make_table(ShrinkingGame(3, 1), 3, None, TIMEOUTS), toy_choice)
    table.play(until=5)
    passages = list(steps_to(table.machine().tip))
    node, slots = next(
        (before, slots) for before, slots, _ in passages if before.want.shows and before.want.dues
    )
    assert slots is not None
    opened = transition.append(
        node, tuple(Missing.ABSENT if s == gone else slots[s] for s in range(3))
    )
    assert opened.convictions == ()
    counts = tuple(int(seat == gone) for seat in range(3))
    after = transition.reconfigure(opened, frozenset(range(3)) - {gone}, frozenset(), counts)
    assert after.step == opened.step == node.step + 1
    void = [] if gone == 0 else [Conviction(node.step, 1, "illegal-choice")]
    assert list(after.convictions) == void
    assert after.banned == frozenset(one.seat for one in void)


@pytest.mark.parametrize(
    ("present", "banned", "counts"),
    [({0, 1}, set(), (0, 0, 2)), ({0, 1}, {2}, (0, 0, 1)), ({0, 2}, set(), (0, 0, 1))],
)
def test_a_reconfiguration_covers_presence_bans_and_counts(
    present: set[int], banned: set[int], counts: tuple[int, ...]
) -> None:
    node = next(n for n in played() if n.want.kind is Kind.REVEAL)
    one = transition.reconfigure(node, frozenset({0, 1}), frozenset(), (0, 0, 1))
    other = transition.reconfigure(node, frozenset(present), frozenset(banned), counts)
    assert one.digest != other.digest


def test_below_the_quorum_the_chain_stands_still() -> None:
    """And while nobody plays: all coins are void, while all seats are still present."""
    nodes = played(4)
    (deal,) = [n for n in nodes if n.want.kind is Kind.DEAL]
    assert deal.step == 9 == deal.table.first_step, "n plus five steps in"
    node = next(n for n in nodes if n.want.kind is Kind.REVEAL)
    assert transition.may_go_on(node)
    few = transition.reconfigure(node, frozenset({0, 1}), frozenset(), (0, 0, 1, 1))
    assert not transition.may_go_on(few)
    assert not transition.may_go_on(nodes[-1])
    node = next(n for n in played() if n.want.kind is Kind.SEAL)
    assert transition.may_go_on(node)
    alone = replace(node, game_present=frozenset())
    assert not transition.may_go_on(alone)
    linked = transition.reconfigure(alone, node.present, frozenset(), (0, 0, 0))
    assert linked.game_present == node.present
    assert transition.may_go_on(linked)


def test_no_share_of_a_card_is_asked_before_deck_ok_and_no_hand_before_over() -> None:
    nodes = played()
    hands = {slot for hand in nodes[0].table.layout.hands for slot in hand}
    for node in nodes:
        assert len(repr(node)) < 120, "it shows shares or keys"
        owners = {(slot, seat) for slot, seat in node.want.lacks if slot in hands}
        if node.want.kind in SETUP:
            assert node.want.lacks == ()
        elif node.want.kind is Kind.DEAL:
            layout = node.table.layout
            assert all(slot not in layout.hands[seat] for slot, seat in owners)
        elif node.want.kind is Kind.FINAL:
            assert node.is_over_given
