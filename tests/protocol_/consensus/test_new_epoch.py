"""The base of a new epoch: form of promises, absence, rejoin, faults, and what is refused."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.machine_table import identity
from support.models.epochs import Model
from support.models.promises import (
    StoredMessages,
    base_of,
    inputs_of,
    promise_of,
    signed,
    slots_before,
)

from protocol.chain.chain_state import Kind, Missing
from protocol.consensus import fault_evidence, new_epoch
from protocol.consensus.message_lookup import Malformed, Unknown, Void
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


def test_all_bodies_complete_the_step_also_from_different_promises(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    base = base_of(model, inputs)
    assert base.node.step == model.base.step + 1
    assert base.node.present == {0, 1, 2, 3}
    assert base.faults == ()
    promises = [promise_of(model, s, [inputs[s], inputs[3]]) for s in (0, 1, 2)]
    assert new_epoch.base_of_promises(promises).node.step == model.base.step + 1


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


NO_PROMISE = EpochPromise(1, None, (), None, (), ())


def test_a_promise_that_leaves_out_what_its_own_input_builds_on_is_malformed(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    after = base_of(model, inputs).node
    mine = model.step_input(after, 1, b"a")
    source = StoredMessages(model, mine, *inputs)
    listed = tuple(sorted(m.hash for m in [mine, *inputs]))
    new_epoch.read_promise(
        model.table, signed(model, 1, replace(NO_PROMISE, inputs=listed)), source
    )
    for seat in (1, 0):
        promise = signed(model, seat, replace(NO_PROMISE, inputs=(mine.hash,)))
        fails(Malformed, "builds on", new_epoch.read_promise, model.table, promise, source)


def test_all_that_a_promise_names_and_is_not_stored_is_asked_for_at_once(model: Model) -> None:
    asked: list[bytes] = []
    source = StoredMessages(model, model.step_input(model.base, 0, b"a"))
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
    source = StoredMessages(model, step_input, rejoin)

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
    assert new_epoch.read_promise(model.table, promise, StoredMessages(model, one, two)).bad == ()
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
    source = StoredMessages(model, *promises, proposal)
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
    source = StoredMessages(model, *promises, request)

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
