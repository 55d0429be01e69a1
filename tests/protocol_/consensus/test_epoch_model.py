"""Every first change of epoch at small tables: no final step is lost, nobody honest is framed.

At the end of a game, two bases that differ in their standings alone are two bases.
"""

from collections.abc import Callable, Set
from functools import partial
from itertools import product
from typing import Any

import pytest
from support.cases import fails
from support.machine_table import identity
from support.models.epochs import Model
from support.mutants import MUTANTS, planted
from support.sampling import sample
from support.tiny_table import tiny_steps

from protocol.chain.chain_state import Node
from protocol.consensus.message_lookup import References, Unknown
from protocol.consensus.new_epoch import read_promise
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    QuorumCertificate,
    sign,
)

Row = tuple[int, int, Set[int], str, int, int]
NOBODY: Set[int] = frozenset()

QUICK: list[Row] = [
    (3, 2, NOBODY, "A", 15, 51),
    (3, 2, NOBODY, "AA", 22, 75),
    (3, 2, {2}, "A", 12, 292),
    (3, 2, {2}, "2", 9, 256),
    (4, 3, NOBODY, "A", 31, 180),
    (4, 3, {3}, "A", 34, 926),
    (4, 3, {3}, "3", 27, 778),
    (4, 3, {3}, "0", 9, 173),
    (4, 3, {3}, "0A", 35, 934),
    (4, 3, {3}, "A0", 24, 594),
    (4, 3, {3}, "03", 28, 786),
    (4, 3, {3}, "30", 17, 446),
    (5, 4, {4}, "A", 96, 2664),
]
LONG: list[Row] = [
    (3, 2, {2}, "AA", 28, 2242),
    (3, 2, {2}, "2A", 25, 2206),
    (4, 3, {3}, "3A", 79, 6516),
    (4, 3, {3}, "AA", 86, 6664),
    (4, 3, {3}, "33", 125, 59794),
]


def _run(seats: int, quorum: int, liars: Set[int], shape: str, **wrong: Any) -> Model:
    with tiny_steps():
        model = Model(seats, quorum, liars, shape, **wrong)
        model.run()
    return model


@pytest.mark.parametrize(
    ("seats", "quorum", "liars", "shape", "states", "new_epochs"),
    [*sample(QUICK, 3, "epochs"), *(pytest.param(*row, marks=pytest.mark.nightly) for row in LONG)],
)
def test_no_new_epoch_loses_a_final_step(
    seats: int, quorum: int, liars: Set[int], shape: str, states: int, new_epochs: int
) -> None:
    model = _run(seats, quorum, liars, shape)
    assert model.found == {}
    assert (model.states, model.new_epochs) == (states, new_epochs)
    assert model.new_epochs > model.states > 1


def test_the_model_catches_a_wrong_rule() -> None:
    (mutant,) = [m for m in MUTANTS if m.name == "an equivocator's version always void"]
    with planted(mutant):
        model = _run(4, 3, {3}, "A")
    assert model.found != {}


WRONG: dict[str, dict[str, Any]] = {
    "no honest promise": {"signers": 1},
    "final by t inputs": {"final_by": 3},
    "a completed step final by itself": {"final_by": 1},
    "a promise omits its own last input": {"omit_own_last": True},
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_the_model_loses_a_final_step_under_a_weaker_rule(wrong: dict[str, Any]) -> None:
    assert _run(4, 3, {3}, "A", **wrong).found != {}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("seats", "quorum", "liars"), [(3, 2, {2}), (4, 3, {3})])
def test_a_new_epoch_message_whose_signer_equivocates_is_never_valid(
    seats: int, quorum: int, liars: Set[int]
) -> None:
    """The model need not try them: with all of them it finds as many valid changes of epoch."""
    few, all_of = (_run(seats, quorum, liars, "A", whole=whole) for whole in (False, True))
    assert all_of.new_epochs > few.new_epochs
    assert all_of.valid() == few.valid()


# Standings ([N-13])

RANKS = [ranks for ranks in product((1, 2, 3), repeat=3) if 1 in ranks]


class Bases(References):
    """References that know one base of epoch 1, and find it by its digest."""

    def __init__(self, known: Node) -> None:
        super().__init__(None)
        self.known = {(1, known.base_digest()): known}

    def find(self, digest: bytes) -> Message | None:
        return None

    def find_base(self, key: tuple[int, bytes]) -> Node | None:
        return self.known.get(key)


def end_of(ranks: tuple[int, ...], shape: str = "A") -> Node:
    with tiny_steps():
        return Model(3, 2, NOBODY, shape, ranks=ranks).end()


def promise_on(base: Node) -> Message:
    """Return an epoch promise with a quorum certificate for a base of epoch 1."""
    vote, table = CommitVote(1, base.base_digest()), base.table
    signed = (sign(identity(seat), table.id, seat, vote).signature for seat in (0, 1))
    certificate = QuorumCertificate(1, vote.base, True, tuple(enumerate(signed)))
    return sign(identity(0), table.id, 0, EpochPromise(2, certificate, (), None, (), ()))


@pytest.mark.parametrize("shape", ["A", "A2"])
def test_ends_that_differ_in_their_standings_alone_are_different_bases(shape: str) -> None:
    ends = [end_of(ranks, shape) for ranks in RANKS]
    assert len({end.digest for end in ends}) == 1
    assert len({end.base_digest() for end in ends}) == len(RANKS)
    before = {end.before(end.step - 1) for end in ends}
    assert len({node.base_digest() for node in before if node is not None}) == 1


def test_a_quorum_certificate_serves_for_the_standings_that_it_names_alone() -> None:
    ends = [end_of(ranks) for ranks in RANKS]
    for end, other in product(ends, ends):
        source, promise = Bases(other), promise_on(end)
        if end is other:
            assert read_promise(end.table, promise, source).base is other
        else:
            fails(Unknown, "base of epoch 1", read_promise, end.table, promise, source)


@pytest.mark.parametrize(
    "check",
    [
        partial(test_ends_that_differ_in_their_standings_alone_are_different_bases, "A"),
        test_a_quorum_certificate_serves_for_the_standings_that_it_names_alone,
    ],
    ids=["bases", "certificates"],
)
def test_a_base_without_its_standings_is_caught(check: Callable[[], None]) -> None:
    (wrong,) = [m for m in MUTANTS if m.name == "a base leaves the standings out"]
    with planted(wrong), pytest.raises((AssertionError, pytest.fail.Exception)):
        check()
