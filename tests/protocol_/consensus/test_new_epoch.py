"""The base of a new epoch: form of promises, absence, rejoin, faults, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest
from support.cases import fails
from support.machine_table import identity
from support.models.epochs import Model
from support.tiny_table import tiny_steps

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Missing, Node
from protocol.consensus import absence, fault_evidence, fork_tree, new_epoch
from protocol.consensus.fork_tree import MAX_CHOICES, Tree
from protocol.consensus.message_lookup import Malformed, References, Unknown, Void
from protocol.consensus.new_epoch import ReadPromise
from protocol.wire import signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    NewEpoch,
    QuorumCertificate,
    Rejoin,
    StepInput,
    StepTimeout,
)
from protocol.wire.table_header import MAX_SEATS


class Few(References):
    """References to a few messages."""

    def __init__(self, model: Model, *stored: Message) -> None:
        super().__init__(model.base)
        self.stored = {m.hash: m for m in stored}

    def find(self, digest: bytes) -> Message | None:
        return self.stored.get(digest)

    def find_base(self, key: tuple[int, bytes]) -> Node | None:
        return None


@pytest.fixture
def model() -> Model:
    with tiny_steps():
        yield Model(4, 3, {3}, "AA")  # type: ignore[misc]


def inputs_of(model: Model, *seats: int, node: Node | None = None) -> list[Message]:
    return [model.step_input(node or model.base, seat, b"a") for seat in seats]


def promise_of(
    model: Model,
    seat: int,
    inputs: list[Message],
    timeout: bool = False,
    proofs: tuple[Message, ...] = (),
) -> ReadPromise:
    node = model.base
    place = StepTimeout(0, node.step, node.digest) if timeout else None
    promise = EpochPromise(1, None, tuple(sorted(m.hash for m in inputs)), place, (), ())
    return ReadPromise(
        signed(model, seat, promise), promise, tuple(inputs), (), proofs, (), node, ()
    )


def base_of(model: Model, inputs: list[Message], *seats: int, **more: Any) -> new_epoch.Base:
    """Return the base of promises that all list these inputs, of seats 0 to 2 by default."""
    return new_epoch.base_of_promises(
        [promise_of(model, s, inputs, **more) for s in seats or (0, 1, 2)]
    )


def slots_before(node: Node) -> tuple[bytes | Missing, ...]:
    """Return the slots of the step before the reconfiguration that leads to a node."""
    assert node.parent is not None
    assert node.parent.slots is not None
    return node.parent.slots


def signed(model: Model, seat: int, statement: signed_messages.Statement) -> Message:
    return Message(seat, statement, signed_messages.payload(model.table.id, seat, statement), b"")


def test_all_bodies_complete_the_step_also_from_different_promises(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    base = base_of(model, inputs)
    assert base.node.step == model.base.step + 1
    assert base.node.present == {0, 1, 2, 3}
    assert base.faults == ()
    promises = [promise_of(model, s, [inputs[s], inputs[3]]) for s in (0, 1, 2)]
    assert new_epoch.base_of_promises(promises).node.step == model.base.step + 1


@pytest.mark.parametrize(("timeout", "absent"), [(0, False), (1, False), (2, True), (3, True)])
def test_absence_needs_one_more_than_n_minus_t_timeout_claims(
    model: Model, timeout: int, absent: bool
) -> None:
    inputs = inputs_of(model, 0, 1, 2)
    promises = [promise_of(model, s, inputs, timeout=s < timeout) for s in (0, 1, 2)]
    node = new_epoch.base_of_promises(promises).node
    assert (3 not in node.present) is absent
    assert node.absences[3] == int(absent)
    assert slots_before(node)[3] is Missing.ABSENT if absent else node is model.base


def test_a_timeout_claimed_elsewhere_does_not_count(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2)
    promises = [promise_of(model, s, inputs, timeout=True) for s in (0, 1, 2)]
    wrong = StepTimeout(0, model.base.step, b"x" * 32)
    for read in promises[1:]:
        object.__setattr__(read.promise, "timeout", wrong)
    assert new_epoch.base_of_promises(promises).node is model.base


def test_a_seat_with_two_bodies_is_banned_and_its_body_void(model: Model) -> None:
    inputs = [*inputs_of(model, 0, 1, 2, 3), model.step_input(model.base, 3, b"b")]
    base = base_of(model, inputs)
    assert base.faults == ((3, "equivocation"),)
    assert base.node.banned == {3}
    assert base.node.present == {0, 1, 2}
    assert slots_before(base.node)[3] is Missing.FAULT


@pytest.mark.parametrize(("signers", "kept"), [((0, 1, 2), True), ((0, 1), False)])
def test_a_version_that_all_signers_built_on_is_kept_any_other_void_and_its_author_banned(
    model: Model, signers: tuple[int, ...], kept: bool
) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    after = base_of(model, inputs).node
    every = [
        *inputs,
        model.step_input(model.base, 3, b"b"),
        *inputs_of(model, *signers, node=after),
    ]
    node = base_of(model, every).node
    assert (after.digest in fault_evidence.ancestry(node)) is kept
    assert node.banned == {3}


def test_versions_that_only_proofs_name_convict_and_build_nothing(model: Model) -> None:
    """A faulty seat could else name more versions than anybody can try, and hide the final one."""
    inputs = inputs_of(model, 0, 1, 2, 3)
    other = model.step_input(model.base, 3, b"b")
    base = base_of(model, inputs, proofs=(inputs[3], other))
    assert base.faults == ((3, "equivocation"),)
    assert base.node.banned == {3}
    assert slots_before(base.node) == (b"a",) * 4


def test_of_all_choices_of_bodies_only_the_first_are_looked_at(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = {**dict.fromkeys(range(3), b"a"), 3: b"b"}
    after = transition.append(model.base, transition.slots_of(model.base, bodies))
    inputs = [
        *inputs_of(model, 0, 1, 2, 3),
        model.step_input(model.base, 3, b"b"),
        *inputs_of(model, 0, node=after),
    ]
    assert after.digest in Tree(model.base, inputs, 0).nodes
    monkeypatch.setattr(fork_tree, "MAX_CHOICES", 1)
    assert after.digest not in Tree(model.base, inputs, 0).nodes


def test_an_input_that_only_a_proof_names_counts_for_two_chains(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    after = base_of(model, inputs).node
    whole = Tree(model.base, [*inputs, *inputs_of(model, 0, 1, 2, 3, node=after)], 0)
    stray = signed(model, 3, StepInput(0, model.base.step, b"x" * 32, b"a"))
    assert list(fault_evidence.off_chain(whole)) == []
    assert [seat for seat, _, _ in fault_evidence.off_chain(whole, [stray])] == [3]
    earlier = signed(model, 3, StepInput(0, model.base.step - 1, b"x" * 32, b"a"))
    assert (
        list(fault_evidence.off_chain(whole, [earlier])) == []
    )  # before the base nothing is compared


def test_a_signer_at_fault_or_that_leaves_out_its_own_input_makes_the_new_epoch_message_invalid(
    model: Model,
) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    twice = [*inputs, model.step_input(model.base, 3, b"b")]
    fails(Malformed, "proves at fault", base_of, model, twice, 0, 1, 3)
    promises = [
        promise_of(model, 0, inputs),
        promise_of(model, 1, inputs),
        promise_of(model, 3, inputs[:3]),
    ]
    fails(Malformed, "proves at fault", new_epoch.base_of_promises, promises)


def test_an_illegal_body_is_a_fault_and_counts_as_missing(model: Model) -> None:
    bad = signed(model, 3, StepInput(0, model.base.step, model.base.digest, b"c"))
    inputs = [*inputs_of(model, 0, 1, 2), bad]
    base = base_of(model, inputs)
    assert base.faults == ((3, "bad-body"),)
    assert base.node.step == model.base.step
    assert base.node.present == {0, 1, 2}


def test_a_rejoin_counts_only_for_an_absent_seat_with_its_count_up_to_the_limit(
    model: Model,
) -> None:
    gone = base_of(model, inputs_of(model, 0, 1, 2), timeout=True).node
    wrong, right = (signed(model, 3, Rejoin(count)) for count in (0, 1))
    assert absence.rejoining(gone, [wrong]) == set()
    assert absence.rejoining(gone, [right]) == {3}
    assert absence.rejoining(model.base, [right, wrong]) == set()
    limit = model.table.header.terms.rejoins
    object.__setattr__(gone, "absences", (0, 0, 0, limit + 1))
    assert absence.rejoining(gone, [signed(model, 3, Rejoin(limit + 1))]) == set()
    object.__setattr__(gone, "present", frozenset({0, 1}))
    assert absence.rejoining(gone, [signed(model, 3, Rejoin(limit + 1))]) == {3}, "[E-31]"
    object.__setattr__(gone, "absences", (0, 0, 0, 256))
    assert not absence.may_rejoin(gone, 3)


NO_PROMISE = EpochPromise(1, None, (), None, (), ())


def test_a_promise_that_leaves_out_what_its_own_input_builds_on_is_malformed(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    after = base_of(model, inputs).node
    mine = model.step_input(after, 1, b"a")
    source = Few(model, mine, *inputs)
    listed = tuple(sorted(m.hash for m in [mine, *inputs]))
    new_epoch.read_promise(
        model.table, signed(model, 1, replace(NO_PROMISE, inputs=listed)), source
    )
    for seat in (1, 0):
        promise = signed(model, seat, replace(NO_PROMISE, inputs=(mine.hash,)))
        fails(Malformed, "builds on", new_epoch.read_promise, model.table, promise, source)


def test_all_that_a_promise_names_and_is_not_stored_is_asked_for_at_once(model: Model) -> None:
    asked: list[bytes] = []
    source = Few(model, model.step_input(model.base, 0, b"a"))
    find = source.message

    def message(digest: bytes) -> Message:
        asked.append(digest)
        return find(digest)

    source.message = message  # type: ignore[method-assign]
    names = [bytes([i]) * 32 for i in range(4)]
    promise = EpochPromise(1, None, tuple(names[:2]), None, (names[2],), ((names[3],),))
    fails(Unknown, "", new_epoch.read_promise, model.table, signed(model, 1, promise), source)
    assert asked == names


def test_promises_that_name_what_is_unknown_or_wrong_are_not_read(model: Model) -> None:
    step_input, rejoin = model.step_input(model.base, 0, b"a"), signed(model, 3, Rejoin(0))
    source = Few(model, step_input, rejoin)

    def read(promise: EpochPromise) -> ReadPromise:
        return new_epoch.read_promise(model.table, signed(model, 1, promise), source)

    fails(Unknown, "", read, replace(NO_PROMISE, inputs=(b"x" * 32,)))
    fails(Unknown, "", read, replace(NO_PROMISE, proofs=((b"x" * 32,),)))
    fails(Malformed, "no input", read, replace(NO_PROMISE, inputs=(rejoin.hash,)))
    fails(Malformed, "no rejoin", read, replace(NO_PROMISE, rejoins=(step_input.hash,)))
    fails(
        Malformed, "another epoch", read, replace(NO_PROMISE, timeout=StepTimeout(1, 9, b"d" * 32))
    )
    certificate = QuorumCertificate(
        1, b"b" * 32, True, tuple((seat, b"s" * 64) for seat in range(3))
    )
    fails(
        Malformed,
        "fewer votes",
        read,
        replace(NO_PROMISE, epoch=2, certificate=replace(certificate, votes=())),
    )
    stranger = replace(certificate, votes=tuple((seat, b"s" * 64) for seat in (4, 5, 6)))
    fails(Malformed, "no seat", read, replace(NO_PROMISE, epoch=2, certificate=stranger))
    fails(Malformed, "wrong signature", read, replace(NO_PROMISE, epoch=2, certificate=certificate))
    fails(Malformed, "not below", read, replace(NO_PROMISE, epoch=1, certificate=certificate))


def test_a_proof_of_two_needs_nothing_of_what_the_two_name(model: Model) -> None:
    """A second promise may name inputs that nobody has. The two prove the fault all the same."""
    one, two = (signed(model, 3, replace(NO_PROMISE, inputs=(x * 32,))) for x in (b"x", b"y"))
    pair = tuple(sorted((one.hash, two.hash)))
    promise = signed(model, 0, replace(NO_PROMISE, proofs=(pair,)))
    assert new_epoch.read_promise(model.table, promise, Few(model, one, two)).bad == ()
    assert base_of(model, [], proofs=(one, two)).node.banned == {3}


def test_two_committed_bases_of_one_epoch_prove_no_bad_form(model: Model) -> None:
    """Only t faulty seats can commit two. The proposer that lists both has broken no form."""
    one = base_of(model, inputs_of(model, 0, 1, 2, 3)).node
    two = base_of(model, inputs_of(model, 0, 1, 2), timeout=True).node
    bases = {node.base_digest(): node for node in (one, two)}

    def promise(seat: int, digest: bytes) -> Message:
        votes = tuple(
            (voter, signed_messages.sign(identity(voter), model.table.id, voter, vote).signature)
            for voter in (0, 1, 2)
            for vote in [CommitVote(1, digest)]
        )
        return signed(
            model,
            seat,
            EpochPromise(2, QuorumCertificate(1, digest, True, votes), (), None, (), ()),
        )

    first, second = bases
    promises = [promise(0, first), promise(1, second), promise(2, first)]
    proposal = signed(model, 2, NewEpoch(2, tuple(m.hash for m in promises)))
    source = Few(model, *promises, proposal)
    source.base = lambda epoch, digest: bases[digest]  # type: ignore[method-assign]
    fails(Void, "two bases", new_epoch.base_of_new_epoch, model.table, proposal, source)
    assert not new_epoch.is_bad_form(model.table, proposal, source)
    unordered = signed(model, 2, NewEpoch(2, tuple(m.hash for m in reversed(promises))))
    assert new_epoch.is_bad_form(model.table, unordered, source)


def test_a_new_epoch_message_needs_t_promises_of_its_epoch_by_rising_seat_from_its_proposer(
    model: Model,
) -> None:
    promises = [signed(model, s, NO_PROMISE) for s in range(4)]
    request = signed(model, 2, replace(NO_PROMISE, epoch=5))
    source = Few(model, *promises, request)

    def proposal(seat: int, *chosen: Message, epoch: int = 1) -> Message:
        return signed(model, seat, NewEpoch(epoch, tuple(m.hash for m in chosen)))

    assert (
        new_epoch.base_of_new_epoch(model.table, proposal(1, *promises[:3]), source).node
        is model.base
    )
    for bad in (
        proposal(2, *promises[:3]),
        proposal(1, *promises[:2]),
        proposal(1, *promises),
        proposal(1, promises[1], promises[0], promises[2]),
        proposal(1, promises[0], promises[0], promises[1]),
        proposal(1, promises[0], promises[1], request),
    ):
        fails(Malformed, "", new_epoch.base_of_new_epoch, model.table, bad, source)
    assert model.base.want.kind is Kind.SEAL


def test_no_table_has_so_many_seats_that_a_choice_which_decides_a_base_is_left_out() -> None:
    """A new epoch contains at most 2t bodies of each seat that does not sign it ([E-18])."""
    tables = [(n, t) for n in range(2, MAX_SEATS + 1) for t in range(n // 2 + 1, n + 1)]
    assert max((2 * t) ** (n - t) for n, t in tables) <= 1000 < MAX_CHOICES
