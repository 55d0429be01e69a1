"""Whatever a hostile seat chooses, nothing escapes `receive`: it is a fault, or void."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import fails
from support.machine_table import MachineTable, make_table, toy_choice
from support.toy_game import ToyGame

from protocol.chain.chain_state import Kind, Table
from protocol.game_interface import NOT_OF_FORM, ChoiceForm, IllegalMove
from protocol.seat.effects import ChoiceAsked, Guilty
from protocol.seat.seat_machine import SeatMachine

LIAR, HONEST = 1, (0, 2, 3)


class BrittleGame(ToyGame):
    """The toy, with tables where anything out of its form is a TypeError or worse."""

    def check(self, state: Any, kind: str, seat: int, choice: Any, cards: Any) -> None:
        if kind == "bid":
            choice = ("none", "low", "middle", "high")[choice]
        elif kind == "pile":
            choice = choice - 1
        else:
            (slot,) = choice
            if self.layout.hands[seat].count(slot) != 1:
                raise IllegalMove("card-of-another-hand", slot=slot)


class LaxGame(BrittleGame):
    """What the liar plays by: it lets anything pass."""

    def form(self, kind: str) -> ChoiceForm:
        form = super().form(kind)
        return AnyForm(form.low, form.high)

    def check(self, state: Any, kind: str, seat: int, choice: Any, cards: Any) -> None:
        return


@dataclass(frozen=True)
class AnyForm(ChoiceForm):
    """The form of everything."""

    def admits(self, choice: object) -> bool:
        return True


def hostile_table(kind: str, lie: Any) -> MachineTable:
    """Return four seats, of which seat 1 gives `lie` where this kind of choice is asked of it.

    It bids highest, so that it is asked for all there is, and its machine follows its own rules.
    """

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        if machine.seat == LIAR and asked.kind == kind:
            return lie
        if asked.kind == "bid":
            return 3 if machine.seat == LIAR else 0
        return toy_choice(machine, asked)

    table, who = make_table(BrittleGame(4, 1), 4)
    room = MachineTable(table, who, choose)
    rules, room.table = room.table, Table(table.header, LaxGame(4, 1))
    room.places[LIAR].machine = room.build(LIAR)
    room.table = rules
    return room


def has_lied(room: MachineTable, kind: str) -> bool:
    """Return whether the liar was asked for its lie."""
    return any(asked.kind == kind for asked in room.places[LIAR].of_kind(ChoiceAsked))


def guilty(room: MachineTable) -> list[set[tuple[int, str]]]:
    """Return whom each honest seat has found at fault, and of what."""
    heard = [place.of_kind(Guilty) for seat, place in enumerate(room.places) if seat != LIAR]
    return [{(effect.seat, effect.code) for effect in one} for one in heard]


SEALED = [("bid", lie) for lie in ((), (0, 1), 9, 2**32 - 1)]
SHOWN_BY_ALL = [("card", lie) for lie in (2, (), (2, 3), (2, 2), (99,))]
SHOWN_ALONE = [("solo", lie) for lie in (2, (), (2, 3), (99, 2**32 - 1))]
OPEN = [("pile", lie) for lie in ((), (0,), (1, 1, 1), 2)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "lie"), SEALED + SHOWN_BY_ALL + SHOWN_ALONE + OPEN)
def test_a_choice_that_is_not_of_its_form_is_a_fault(kind: str, lie: Any) -> None:
    room = hostile_table(kind, lie)
    room.play(until=400)
    assert has_lied(room, kind)
    assert all(m.finished and m.tip.banned == {LIAR} for m in room.machines(HONEST))
    assert guilty(room) == [{(LIAR, "illegal-choice")}] * 3


@pytest.mark.parametrize(("kind", "lie"), [("bid", (0, 1)), ("bid", 9), ("card", (2, 3))])
def test_one_that_the_others_open_from_escrow_is_void(kind: str, lie: Any) -> None:
    room = hostile_table(kind, lie)
    room.start()
    while room.deliver():
        want = room.machine().tip.want
        if has_lied(room, kind) and want.kind is Kind.REVEAL and want.name == kind:
            room.places[LIAR].alive = False
    room.run(until=2000)
    for machine in room.machines(HONEST):
        assert machine.finished
        assert [(c.seat, c.code) for c in machine.tip.convictions] == [(LIAR, "illegal-choice")]


@pytest.mark.parametrize("kind", ["bid", "card", "solo", "pile"])
def test_what_is_of_its_form_is_no_fault(kind: str) -> None:
    room = hostile_table(kind, {"bid": 3, "pile": 0, "card": (2,), "solo": (3,)}[kind])
    room.play(until=400)
    assert has_lied(room, kind)
    assert all(m.finished and not m.tip.banned for m in room.machines(HONEST))
    assert guilty(room) == [set()] * 3


def test_the_table_asks_for_the_form_before_the_game_sees_the_choice() -> None:
    table = hostile_table("bid", 0).table
    state = table.game.start()
    fails(TypeError, "", BrittleGame(4).check, state, "bid", 0, (0, 1), {})
    with pytest.raises(IllegalMove) as caught:
        table.check_choice(state, "bid", 0, (0, 1), {})
    assert (caught.value.code, caught.value.fields) == (NOT_OF_FORM, {"kind": "bid"})
    table.check_choice(state, "bid", 0, 1, {})


@pytest.mark.parametrize("value", [True, False, 0.0, "0", b"\0", None, [0], (0,), -1, 4])
def test_a_form_of_one_int_admits_nothing_else(value: object) -> None:
    assert not ChoiceForm(0, 3).admits(value)
    assert ChoiceForm(0, 3).admits(3)


@pytest.mark.parametrize("value", [0, (), (0,), [0, 1], (0, True), (0, 4), (0, 1, 2, 3), ((0,), 1)])
def test_a_form_of_two_or_three_ints_admits_nothing_else(value: object) -> None:
    form = ChoiceForm(0, 3, (2, 3))
    assert not form.admits(value)
    assert form.admits((3, 3))
    assert form.admits((0, 1, 2))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES)
def test_a_form_judges_any_value(value: object) -> None:
    assert ChoiceForm(0, 3).admits(value) is (type(value) is int and 0 <= value <= 3)
    assert ChoiceForm(0, 3, (0, 9)).admits(value) in (True, False)
