"""The state of the chain: choices and their form, nodes, key shares, and secrets."""

from dataclasses import replace
from typing import Any

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain, with_roots
from support.hostile_table import HONEST, LIAR, BrittleGame, has_lied, hostile_table
from support.machine_table import MachineTable, seeded

from protocol.chain import chain_state, transition
from protocol.chain.chain_state import Kind, Secrets, stream
from protocol.crypto import group, key_sharing
from protocol.game_interface import NOT_OF_FORM, IllegalMove
from protocol.seat.effects import Guilty
from protocol.wire import codec

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


# Tables and nodes


def test_setup_has_as_many_steps_as_seats_and_four_more_and_a_body_has_a_bound() -> None:
    for seats in (2, 3, 6):
        drive = DrivenChain(seats)
        drive.stand_before(Kind.DEAL)
        assert drive.node.step == drive.table.first_step == seats + 5
        assert drive.table.max_body == 192 * drive.table.layout.cards + 8192
        assert drive.table.strict is (seats == 2)


def test_a_node_finds_the_last_one_before_a_step_and_its_whole_history() -> None:
    drive = DrivenChain(4)
    begin = drive.node
    node = drive.stand_before(Kind.REVEAL, "bid")
    assert node.history()[0] is begin
    assert node.history()[-1] is node
    after = transition.reconfigure(node, frozenset({0, 1, 2}), frozenset(), (0, 0, 0, 1))
    assert after.before(node.step) is after, "the changes right before a step count"
    assert after.before(node.step - 1) is node.parent
    assert after.before(node.step + 1) is None
    assert after.before(0) is None


def test_only_a_game_that_is_over_has_standings_and_they_are_in_the_digest_of_its_base() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.OVER)
    assert node.standings() is None
    assert node.base_value()[-1] is None
    end = drive.stand_before(Kind.RESULT)
    assert end.standings() == tuple(sorted(drive.game.standings(end.state)))
    other = replace(end, state=replace(end.state, score=(0, 0, 9)))
    assert other.standings() != end.standings()
    assert other.base_digest() != end.base_digest()
    assert codec.decode(end.result_body(), 99) == (end.standings(), (0, 1, 2))
    assert replace(end, present=frozenset({2, 0})).base_value()[2] == (0, 2)


def test_results_of_a_node_are_forgotten_together() -> None:
    drive = DrivenChain(3)
    node = drive.node
    drive.step()
    assert node.derived.verdicts
    assert node.derived.steps
    node.derived.clear()
    assert (node.derived.verdicts, node.derived.steps) == ({}, {})


def test_public_key_shares_are_those_of_the_secret_ones() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.KEY_OK)
    for dealer, secrets in enumerate(drive.secrets):
        assert node.keys.share_key(dealer) == group.mul_base(secrets.key)
        share = key_sharing.key_share_at(secrets.polynomial, 3)
        assert node.keys.public_key_share(dealer, 2) == group.mul_base(share)
    shares = (key_sharing.key_share_at(one.polynomial, 3) for one in drive.secrets)
    assert node.keys.total_key(2) == group.mul_base(sum(shares))


# Secrets


def test_a_seed_gives_the_same_bytes_for_a_purpose_and_others_for_another() -> None:
    one, same, other, purpose = (
        stream(seed, purpose)
        for seed, purpose in ((b"a" * 32, "key"),) * 2 + ((b"b" * 32, "key"), (b"a" * 32, "box"))
    )
    first = one(16)
    assert first == same(16)
    assert len({first, one(16), other(16), purpose(16)}) == 4


def test_a_key_share_is_decrypted_for_its_holder_and_its_own_is_computed() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.KEY_OK)
    for dealer in range(4):
        expected = key_sharing.key_share_at(drive.secrets[dealer].polynomial, 2)
        assert drive.secrets[1].key_share_of(node, dealer, 1) == expected
    sealed = replace(node.keys, key_shares=((b"",) * 4,) * 4)
    spoilt = replace(node, keys=sealed)
    assert drive.secrets[1].key_share_of(spoilt, 0, 1), "it is decrypted once"


def test_an_opening_is_recorded_once() -> None:
    secrets = chain_state.new_secrets(bytes(32), 2)
    secrets.keep_opening(b"c", b"choice", b"n")
    assert secrets.unrecorded() == [(b"c", (b"choice", b"n"))]
    assert secrets.unrecorded() == []
    secrets.keep_opening(b"d", b"other", b"n")
    assert [one for one, _ in secrets.unrecorded()] == [b"d"]


def test_a_shuffle_is_prepared_once_and_used_once() -> None:
    drive = DrivenChain(3)
    node, secrets = drive.stand_before(Kind.SHUFFLE), drive.secrets[0]
    assert not secrets.is_prepared
    assert secrets.take_shuffle() is None
    assert secrets.prepare_shuffle(node, seeded("shuffle"))
    assert not secrets.prepare_shuffle(node, seeded("shuffle"))
    assert secrets.is_prepared
    assert secrets.take_shuffle() is not None
    assert secrets.take_shuffle() is None, "two decks with the same blinds show the permutation"
