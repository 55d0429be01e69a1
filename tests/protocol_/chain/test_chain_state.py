"""The state of the chain: choices and their form, nodes, key shares, and secrets."""

from typing import Any

import pytest
from support.cases import fails
from support.driven_chain import with_roots
from support.hostile_table import HONEST, LIAR, BrittleGame, has_lied, hostile_table
from support.machine_table import MachineTable

from protocol.chain import chain_state
from protocol.chain.chain_state import Secrets
from protocol.game_interface import NOT_OF_FORM, IllegalMove
from protocol.seat.effects import Guilty

pytestmark = pytest.mark.usefixtures("cheap")


def test_an_honest_seat_draws_again_when_a_key_share_would_be_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = iter([*with_roots(7, [3], 3), 5, 6, 8])
    monkeypatch.setattr(chain_state, "nonzero_scalar", lambda rng: next(drawn))
    assert chain_state.new_secrets(bytes(32), 3).polynomial == (5, 6, 8)


def test_secrets_do_not_show() -> None:
    assert "polynomial" not in repr(Secrets(bytes(32), (1, 2), bytes(32)))


def guilty(table: MachineTable) -> list[set[tuple[int, str]]]:
    """Return whom each honest seat has found at fault, and of what."""
    heard = [place.of_kind(Guilty) for seat, place in enumerate(table.places) if seat != LIAR]
    return [{(effect.seat, effect.code) for effect in one} for one in heard]


SEALED = [("bid", lie) for lie in ((), (0, 1), 9, 2**32 - 1)]
SHOWN_BY_ALL = [("card", lie) for lie in (2, (), (2, 3), (2, 2), (99,))]
SHOWN_ALONE = [("solo", lie) for lie in (2, (), (2, 3), (99, 2**32 - 1))]
OPEN = [("pile", lie) for lie in ((), (0,), (1, 1, 1), 2)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "lie"), SEALED + SHOWN_BY_ALL + SHOWN_ALONE + OPEN)
def test_a_choice_that_is_not_of_its_form_is_a_fault(kind: str, lie: Any) -> None:
    table = hostile_table(kind, lie)
    table.play(until=400)
    assert has_lied(table, kind)
    assert all(m.finished and m.tip.banned == {LIAR} for m in table.machines(HONEST))
    assert guilty(table) == [{(LIAR, "illegal-choice")}] * 3


@pytest.mark.parametrize("kind", ["bid", "card", "solo", "pile"])
def test_what_is_of_its_form_is_no_fault(kind: str) -> None:
    table = hostile_table(kind, {"bid": 3, "pile": 0, "card": (2,), "solo": (3,)}[kind])
    table.play(until=400)
    assert has_lied(table, kind)
    assert all(m.finished and not m.tip.banned for m in table.machines(HONEST))
    assert guilty(table) == [set()] * 3


def test_the_table_asks_for_the_form_before_the_game_sees_the_choice() -> None:
    table = hostile_table("bid", 0).table
    state = table.game.start()
    fails(TypeError, "", BrittleGame(4).check, state, "bid", 0, (0, 1), {})
    with pytest.raises(IllegalMove) as caught:
        table.check_choice(state, "bid", 0, (0, 1), {})
    assert (caught.value.code, caught.value.fields) == (NOT_OF_FORM, {"kind": "bid"})
    table.check_choice(state, "bid", 0, 1, {})
