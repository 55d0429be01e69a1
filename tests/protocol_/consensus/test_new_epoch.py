"""The base of a close: form of halts, absence, return, faults, and what is refused."""

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
from protocol.consensus.fork_tree import Tree
from protocol.consensus.message_lookup import Malformed, References, Unknown, Void
from protocol.consensus.new_epoch import ReadHalt
from protocol.wire import signed_messages
from protocol.wire.signed_messages import Back, Close, Expired, Halt, Lock, Message, Say, SealVote


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


def said(model: Model, *seats: int, node: Node | None = None) -> list[Message]:
    return [model.say(node or model.base, seat, b"a") for seat in seats]


def halt_of(
    model: Model,
    seat: int,
    says: list[Message],
    expired: bool = False,
    proofs: tuple[Message, ...] = (),
) -> ReadHalt:
    node = model.base
    place = Expired(0, node.step, node.digest) if expired else None
    halt = Halt(1, None, tuple(sorted(m.hash for m in says)), place, (), ())
    return ReadHalt(signed(model, seat, halt), halt, tuple(says), (), proofs, (), node, ())


def base_of(model: Model, says: list[Message], *seats: int, **more: Any) -> new_epoch.Base:
    """Return the base of halts that all list these says; of seats 0 to 2 if none is named."""
    return new_epoch.base_of_halts([halt_of(model, s, says, **more) for s in seats or (0, 1, 2)])


def slots_before(node: Node) -> tuple[bytes | Missing, ...]:
    """Return the slots of the last step before the link that ends in a node."""
    assert node.parent is not None
    assert node.parent.slots is not None
    return node.parent.slots


def signed(model: Model, seat: int, statement: signed_messages.Statement) -> Message:
    return Message(seat, statement, signed_messages.payload(model.table.id, seat, statement), b"")


def test_all_bodies_complete_the_step_also_from_different_halts(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    base = base_of(model, says)
    assert base.node.step == model.base.step + 1
    assert base.node.present == {0, 1, 2, 3}
    assert base.faults == ()
    halts = [halt_of(model, s, [says[s], says[3]]) for s in (0, 1, 2)]
    assert new_epoch.base_of_halts(halts).node.step == model.base.step + 1


@pytest.mark.parametrize(("expired", "absent"), [(0, False), (1, False), (2, True), (3, True)])
def test_absence_needs_one_more_than_n_minus_t_expired_halts(
    model: Model, expired: int, absent: bool
) -> None:
    says = said(model, 0, 1, 2)
    halts = [halt_of(model, s, says, expired=s < expired) for s in (0, 1, 2)]
    node = new_epoch.base_of_halts(halts).node
    assert (3 not in node.present) is absent
    assert node.absences[3] == int(absent)
    assert slots_before(node)[3] is Missing.ABSENT if absent else node is model.base


def test_expired_elsewhere_does_not_count(model: Model) -> None:
    says = said(model, 0, 1, 2)
    halts = [halt_of(model, s, says, expired=True) for s in (0, 1, 2)]
    wrong = Expired(0, model.base.step, b"x" * 32)
    for read in halts[1:]:
        object.__setattr__(read.halt, "expired", wrong)
    assert new_epoch.base_of_halts(halts).node is model.base


def test_a_seat_with_two_bodies_is_banned_and_its_body_void(model: Model) -> None:
    says = [*said(model, 0, 1, 2, 3), model.say(model.base, 3, b"b")]
    base = base_of(model, says)
    assert base.faults == ((3, "two-statements"),)
    assert base.node.banned == {3}
    assert base.node.present == {0, 1, 2}
    assert slots_before(base.node)[3] is Missing.FAULT


@pytest.mark.parametrize(("signers", "kept"), [((0, 1, 2), True), ((0, 1), False)])
def test_a_version_that_all_signers_built_on_is_kept_any_other_void_and_its_author_banned(
    model: Model, signers: tuple[int, ...], kept: bool
) -> None:
    says = said(model, 0, 1, 2, 3)
    after = base_of(model, says).node
    every = [*says, model.say(model.base, 3, b"b"), *said(model, *signers, node=after)]
    node = base_of(model, every).node
    assert (after.digest in fault_evidence.ancestry(node)) is kept
    assert node.banned == {3}


def test_versions_that_only_proofs_name_convict_and_build_nothing(model: Model) -> None:
    """A liar could else bring more versions than anybody can try, and hide the one that stands."""
    says = said(model, 0, 1, 2, 3)
    other = model.say(model.base, 3, b"b")
    base = base_of(model, says, proofs=(says[3], other))
    assert base.faults == ((3, "two-statements"),)
    assert base.node.banned == {3}
    assert slots_before(base.node) == (b"a",) * 4


def test_of_all_choices_of_bodies_only_the_first_are_looked_at(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = {**dict.fromkeys(range(3), b"a"), 3: b"b"}
    after = transition.append(model.base, transition.slots_of(model.base, bodies))
    says = [*said(model, 0, 1, 2, 3), model.say(model.base, 3, b"b"), *said(model, 0, node=after)]
    assert after.digest in Tree(model.base, says, 0).nodes
    monkeypatch.setattr(fork_tree, "MAX_VERSIONS", 1)
    assert after.digest not in Tree(model.base, says, 0).nodes


def test_a_say_that_only_a_proof_names_counts_for_two_chains(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = base_of(model, says).node
    whole = Tree(model.base, [*says, *said(model, 0, 1, 2, 3, node=after)], 0)
    stray = signed(model, 3, Say(0, model.base.step, b"x" * 32, b"a"))
    assert list(fault_evidence.off_chain(whole)) == []
    assert [seat for seat, _, _ in fault_evidence.off_chain(whole, [stray])] == [3]
    earlier = signed(model, 3, Say(0, model.base.step - 1, b"x" * 32, b"a"))
    assert (
        list(fault_evidence.off_chain(whole, [earlier])) == []
    )  # before the base nothing is compared


def test_a_signer_at_fault_or_that_leaves_out_its_own_say_makes_the_close_invalid(
    model: Model,
) -> None:
    says = said(model, 0, 1, 2, 3)
    twice = [*says, model.say(model.base, 3, b"b")]
    fails(Malformed, "proves at fault", base_of, model, twice, 0, 1, 3)
    halts = [halt_of(model, 0, says), halt_of(model, 1, says), halt_of(model, 3, says[:3])]
    fails(Malformed, "proves at fault", new_epoch.base_of_halts, halts)


def test_an_illegal_body_is_a_fault_and_counts_as_missing(model: Model) -> None:
    bad = signed(model, 3, Say(0, model.base.step, model.base.digest, b"c"))
    says = [*said(model, 0, 1, 2), bad]
    base = base_of(model, says)
    assert base.faults == ((3, "bad-body"),)
    assert base.node.step == model.base.step
    assert base.node.present == {0, 1, 2}


def test_a_back_counts_only_for_an_absent_seat_with_its_count_up_to_the_limit(
    model: Model,
) -> None:
    gone = base_of(model, said(model, 0, 1, 2), expired=True).node
    wrong, right = (signed(model, 3, Back(count)) for count in (0, 1))
    assert absence.returning(gone, [wrong]) == set()
    assert absence.returning(gone, [right]) == {3}
    assert absence.returning(model.base, [right, wrong]) == set()
    limit = model.table.header.terms.returns
    object.__setattr__(gone, "absences", (0, 0, 0, limit + 1))
    assert absence.returning(gone, [signed(model, 3, Back(limit + 1))]) == set()
    object.__setattr__(gone, "present", frozenset({0, 1}))
    assert absence.returning(gone, [signed(model, 3, Back(limit + 1))]) == {3}, "[E-31]"
    object.__setattr__(gone, "absences", (0, 0, 0, 256))
    assert not absence.may_return(gone, 3)


NO_HALT = Halt(1, None, (), None, (), ())


def test_a_halt_that_leaves_out_what_its_own_say_builds_on_is_malformed(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = base_of(model, says).node
    mine = model.say(after, 1, b"a")
    source = Few(model, mine, *says)
    told = tuple(sorted(m.hash for m in [mine, *says]))
    new_epoch.read_halt(model.table, signed(model, 1, replace(NO_HALT, says=told)), source)
    for seat in (1, 0):
        halt = signed(model, seat, replace(NO_HALT, says=(mine.hash,)))
        fails(Malformed, "builds on", new_epoch.read_halt, model.table, halt, source)


def test_all_that_a_halt_names_and_is_not_held_is_asked_for_at_once(model: Model) -> None:
    asked: list[bytes] = []
    source = Few(model, model.say(model.base, 0, b"a"))
    find = source.message

    def message(digest: bytes) -> Message:
        asked.append(digest)
        return find(digest)

    source.message = message  # type: ignore[method-assign]
    names = [bytes([i]) * 32 for i in range(4)]
    halt = Halt(1, None, tuple(names[:2]), None, (names[2],), ((names[3],),))
    fails(Unknown, "", new_epoch.read_halt, model.table, signed(model, 1, halt), source)
    assert asked == names


def test_halts_that_name_what_is_unknown_or_wrong_are_not_read(model: Model) -> None:
    say, back = model.say(model.base, 0, b"a"), signed(model, 3, Back(0))
    source = Few(model, say, back)

    def read(halt: Halt) -> ReadHalt:
        return new_epoch.read_halt(model.table, signed(model, 1, halt), source)

    fails(Unknown, "", read, replace(NO_HALT, says=(b"x" * 32,)))
    fails(Unknown, "", read, replace(NO_HALT, proofs=((b"x" * 32,),)))
    fails(Malformed, "no say", read, replace(NO_HALT, says=(back.hash,)))
    fails(Malformed, "no back", read, replace(NO_HALT, backs=(say.hash,)))
    fails(Malformed, "another epoch", read, replace(NO_HALT, expired=Expired(1, 9, b"d" * 32)))
    lock = Lock(1, b"b" * 32, True, tuple((seat, b"s" * 64) for seat in range(3)))
    fails(Malformed, "fewer votes", read, replace(NO_HALT, epoch=2, lock=replace(lock, votes=())))
    stranger = replace(lock, votes=tuple((seat, b"s" * 64) for seat in (4, 5, 6)))
    fails(Malformed, "no seat", read, replace(NO_HALT, epoch=2, lock=stranger))
    fails(Malformed, "wrong signature", read, replace(NO_HALT, epoch=2, lock=lock))
    fails(Malformed, "not below", read, replace(NO_HALT, epoch=1, lock=lock))


def test_a_proof_of_two_needs_nothing_of_what_the_two_name(model: Model) -> None:
    """A liar's second halt may name says that nobody has: the two prove it all the same."""
    one, two = (signed(model, 3, replace(NO_HALT, says=(x * 32,))) for x in (b"x", b"y"))
    pair = tuple(sorted((one.hash, two.hash)))
    halt = signed(model, 0, replace(NO_HALT, proofs=(pair,)))
    assert new_epoch.read_halt(model.table, halt, Few(model, one, two)).bad == ()
    assert base_of(model, [], proofs=(one, two)).node.banned == {3}


def test_two_sealed_bases_of_one_epoch_prove_no_bad_form(model: Model) -> None:
    """Only t cheaters can seal two; the proposer that lists both has broken no form."""
    one = base_of(model, said(model, 0, 1, 2, 3)).node
    two = base_of(model, said(model, 0, 1, 2), expired=True).node
    bases = {node.base_digest(): node for node in (one, two)}

    def promise(seat: int, digest: bytes) -> Message:
        votes = tuple(
            (voter, signed_messages.sign(identity(voter), model.table.id, voter, vote).signature)
            for voter in (0, 1, 2)
            for vote in [SealVote(1, digest)]
        )
        return signed(model, seat, Halt(2, Lock(1, digest, True, votes), (), None, (), ()))

    first, second = bases
    halts = [promise(0, first), promise(1, second), promise(2, first)]
    close = signed(model, 2, Close(2, tuple(m.hash for m in halts)))
    source = Few(model, *halts, close)
    source.base = lambda epoch, digest: bases[digest]  # type: ignore[method-assign]
    fails(Void, "two bases", new_epoch.base_of_close, model.table, close, source)
    assert not new_epoch.is_bad_form(model.table, close, source)
    unordered = signed(model, 2, Close(2, tuple(m.hash for m in reversed(halts))))
    assert new_epoch.is_bad_form(model.table, unordered, source)


def test_a_close_needs_t_halts_of_its_epoch_by_rising_seat_from_its_proposer(model: Model) -> None:
    halts = [signed(model, s, NO_HALT) for s in range(4)]
    late = signed(model, 2, replace(NO_HALT, epoch=5))
    source = Few(model, *halts, late)

    def close(seat: int, *chosen: Message, epoch: int = 1) -> Message:
        return signed(model, seat, Close(epoch, tuple(m.hash for m in chosen)))

    assert new_epoch.base_of_close(model.table, close(1, *halts[:3]), source).node is model.base
    for bad in (
        close(2, *halts[:3]),
        close(1, *halts[:2]),
        close(1, *halts),
        close(1, halts[1], halts[0], halts[2]),
        close(1, halts[0], halts[0], halts[1]),
        close(1, halts[0], halts[1], late),
    ):
        fails(Malformed, "", new_epoch.base_of_close, model.table, bad, source)
    assert model.base.want.kind is Kind.SEAL
