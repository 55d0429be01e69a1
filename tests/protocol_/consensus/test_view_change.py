"""The base of a close: form of halts, absence, return, faults, and what is refused."""

from collections.abc import Callable

import pytest
from support.cases import fails
from support.models.epochs import Model
from support.tiny_table import tiny_steps

from protocol.chain.state import Kind, Missing, Node
from protocol.consensus import evidence, source, view_change
from protocol.consensus.source import Malformed, Unknown
from protocol.consensus.tree import Tree
from protocol.consensus.view_change import ReadHalt
from protocol.wire import messages
from protocol.wire.messages import Back, Close, Expired, Halt, Lock, Message, Say


class Core:
    """A Source over a few messages."""

    def __init__(self, model: Model, *held: Message) -> None:
        self.model = model
        self.held = {m.hash: m for m in held}

    def message(self, digest: bytes) -> Message:
        if digest not in self.held:
            raise Unknown("not held")
        return self.held[digest]

    def base(self, epoch: int, digest: bytes | None) -> Node:
        if epoch:
            raise Unknown("no such base")
        return self.model.base

    def once(self, key: source.ReadingKey, make: Callable[[], source.T]) -> source.T:
        return make()


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
    backs: tuple[Message, ...] = (),
    proofs: tuple[Message, ...] = (),
) -> ReadHalt:
    node = model.base
    place = Expired(0, node.step, node.digest) if expired else None
    halt = Halt(1, None, tuple(sorted(m.hash for m in says)), place, (), ())
    message = Message(seat, halt, messages.payload(model.table.id, seat, halt), b"")
    return ReadHalt(message, halt, tuple(says), backs, proofs, (), model.base, ())


def signed(model: Model, seat: int, statement: messages.Statement) -> Message:
    return Message(seat, statement, messages.payload(model.table.id, seat, statement), b"")


def test_all_bodies_complete_the_step(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    base = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)])
    assert base.node.step == model.base.step + 1
    assert base.node.present == {0, 1, 2, 3}
    assert base.faults == ()


def test_bodies_may_come_from_different_halts(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    halts = [halt_of(model, s, [says[s], says[3]]) for s in (0, 1, 2)]
    assert view_change.base_of_halts(halts).node.step == model.base.step + 1


@pytest.mark.parametrize(("expired", "absent"), [(0, False), (1, False), (2, True), (3, True)])
def test_absence_needs_one_more_than_n_minus_t_expired_halts(
    model: Model, expired: int, absent: bool
) -> None:
    says = said(model, 0, 1, 2)
    halts = [halt_of(model, s, says, expired=s < expired) for s in (0, 1, 2)]
    node = view_change.base_of_halts(halts).node
    assert (3 not in node.present) is absent
    assert node.absences[3] == int(absent)
    if absent:
        assert node.parent is not None
        assert node.parent.slots is not None
        assert node.parent.slots[3] is Missing.ABSENT
    else:
        assert node is model.base


def test_expired_elsewhere_does_not_count(model: Model) -> None:
    says = said(model, 0, 1, 2)
    halts = [halt_of(model, s, says, expired=True) for s in (0, 1, 2)]
    wrong = Expired(0, model.base.step, b"x" * 32)
    for read in halts[1:]:
        object.__setattr__(read.halt, "expired", wrong)
    assert view_change.base_of_halts(halts).node is model.base


def test_a_seat_with_two_bodies_is_banned_and_its_body_void(model: Model) -> None:
    says = [*said(model, 0, 1, 2, 3), model.say(model.base, 3, b"b")]
    base = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)])
    assert base.faults == ((3, "two-statements"),)
    assert base.node.banned == {3}
    assert base.node.present == {0, 1, 2}
    assert base.node.parent is not None
    assert base.node.parent.slots is not None
    assert base.node.parent.slots[3] is Missing.FAULT


def test_the_version_all_signers_built_on_is_kept_and_its_author_banned(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)]).node
    beyond = said(model, 0, 1, 2, node=after)
    every = [*says, model.say(model.base, 3, b"b"), *beyond]
    node = view_change.base_of_halts([halt_of(model, s, every) for s in (0, 1, 2)]).node
    assert node.before(after.step) is not None
    assert node.banned == {3}
    chain = []
    while node.parent is not None:
        chain.append(node.digest)
        node = node.parent
    assert after.digest in chain


def test_a_version_that_one_signer_did_not_build_on_is_void(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)]).node
    every = [*says, model.say(model.base, 3, b"b"), *said(model, 0, 1, node=after)]
    base = view_change.base_of_halts([halt_of(model, s, every) for s in (0, 1, 2)])
    assert base.node.before(after.step) is not after
    assert base.node.banned == {3}


def test_versions_that_only_proofs_name_convict_and_build_nothing(model: Model) -> None:
    """A liar could else bring more versions than anybody can try, and hide the one that stands."""
    says = said(model, 0, 1, 2, 3)
    other = model.say(model.base, 3, b"b")
    halts = [halt_of(model, s, says, proofs=(says[3], other)) for s in (0, 1, 2)]
    base = view_change.base_of_halts(halts)
    assert base.faults == ((3, "two-statements"),)
    assert base.node.banned == {3}
    assert base.node.parent is not None
    assert base.node.parent.slots == (b"a",) * 4


def test_a_say_that_only_a_proof_names_counts_for_two_chains(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)]).node
    tree = Tree(model.base, [*says, *said(model, 0, 1, 2, 3, node=after)], 0)
    stray = signed(model, 3, Say(0, model.base.step, b"x" * 32, b"a"))
    assert list(evidence.off_chain(tree)) == []
    assert [seat for seat, _, _ in evidence.off_chain(tree, [stray])] == [3]


def test_a_signer_proven_at_fault_makes_the_close_invalid(model: Model) -> None:
    says = [*said(model, 0, 1, 2, 3), model.say(model.base, 3, b"b")]
    with pytest.raises(Malformed, match="proves at fault"):
        view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 3)])


def test_a_signer_that_leaves_out_its_own_say_makes_the_close_invalid(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    halts = [halt_of(model, 0, says), halt_of(model, 1, says), halt_of(model, 3, says[:3])]
    fails(Malformed, "proves at fault", view_change.base_of_halts, halts)


def test_an_illegal_body_is_a_fault_and_counts_as_missing(model: Model) -> None:
    bad = signed(model, 3, Say(0, model.base.step, model.base.digest, b"c"))
    says = [*said(model, 0, 1, 2), bad]
    base = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)])
    assert base.faults == ((3, "bad-body"),)
    assert base.node.step == model.base.step
    assert base.node.present == {0, 1, 2}


def test_a_back_counts_only_for_an_absent_seat_with_its_count(model: Model) -> None:
    says = said(model, 0, 1, 2)
    gone = view_change.base_of_halts(
        [halt_of(model, s, says, expired=True) for s in (0, 1, 2)]
    ).node
    wrong, right = (signed(model, 3, Back(count)) for count in (0, 1))
    assert view_change.returning(gone, [wrong]) == set()
    assert view_change.returning(gone, [right]) == {3}
    assert view_change.returning(model.base, [right, wrong]) == set()


def test_a_return_beyond_the_limit_is_none(model: Model) -> None:
    limit = model.table.header.terms.returns
    says = said(model, 0, 1, 2)
    gone = view_change.base_of_halts(
        [halt_of(model, s, says, expired=True) for s in (0, 1, 2)]
    ).node
    object.__setattr__(gone, "absences", (0, 0, 0, limit + 1))
    assert view_change.returning(gone, [signed(model, 3, Back(limit + 1))]) == set()


def _halt(**changes: object) -> Halt:
    fields: dict[str, object] = {
        "epoch": 1,
        "lock": None,
        "says": (),
        "expired": None,
        "backs": (),
        "proofs": (),
    }
    return Halt(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_halt_that_leaves_out_what_its_own_say_builds_on_is_malformed(model: Model) -> None:
    says = said(model, 0, 1, 2, 3)
    after = view_change.base_of_halts([halt_of(model, s, says) for s in (0, 1, 2)]).node
    mine = model.say(after, 1, b"a")
    source = Core(model, mine, *says)
    told = tuple(sorted(m.hash for m in [mine, *says]))
    view_change.read_halt(model.table, signed(model, 1, _halt(says=told)), source)
    with pytest.raises(Malformed, match="builds on"):
        view_change.read_halt(model.table, signed(model, 1, _halt(says=(mine.hash,))), source)
    with pytest.raises(Malformed, match="builds on"):
        view_change.read_halt(model.table, signed(model, 0, _halt(says=(mine.hash,))), source)


def test_all_that_a_halt_names_and_is_not_held_is_asked_for_at_once(model: Model) -> None:
    asked: list[bytes] = []
    source = Core(model, model.say(model.base, 0, b"a"))
    find = source.message

    def message(digest: bytes) -> Message:
        asked.append(digest)
        return find(digest)

    source.message = message  # type: ignore[method-assign]
    names = [bytes([i]) * 32 for i in range(4)]
    halt = Halt(1, None, tuple(names[:2]), None, (names[2],), ((names[3],),))
    fails(Unknown, "", view_change.read_halt, model.table, signed(model, 1, halt), source)
    assert asked == names


def test_halts_that_name_what_is_unknown_or_wrong_are_not_read(model: Model) -> None:
    say, back = model.say(model.base, 0, b"a"), signed(model, 3, Back(0))
    source = Core(model, say, back)

    def read(halt: Halt) -> ReadHalt:
        return view_change.read_halt(model.table, signed(model, 1, halt), source)

    fails(Unknown, "", read, _halt(says=(b"x" * 32,)))
    fails(Unknown, "", read, _halt(proofs=((b"x" * 32,),)))
    fails(Malformed, "no say", read, _halt(says=(back.hash,)))
    fails(Malformed, "no back", read, _halt(backs=(say.hash,)))
    fails(Malformed, "another epoch", read, _halt(expired=Expired(1, 9, b"d" * 32)))
    fails(Malformed, "fewer votes", read, _halt(epoch=2, lock=Lock(1, b"b" * 32, True, ())))
    votes = tuple((seat, b"s" * 64) for seat in range(3))
    fails(Malformed, "wrong signature", read, _halt(epoch=2, lock=Lock(1, b"b" * 32, True, votes)))
    fails(Malformed, "not below", read, _halt(epoch=1, lock=Lock(1, b"b" * 32, True, votes)))


def test_a_proof_of_two_needs_nothing_of_what_the_two_name(model: Model) -> None:
    """A liar's second halt may name says that nobody has: the two prove it all the same."""
    one, two = (signed(model, 3, _halt(says=(x * 32,))) for x in (b"x", b"y"))
    pair = tuple(sorted((one.hash, two.hash)))
    source = Core(model, one, two)
    read = view_change.read_halt(model.table, signed(model, 0, _halt(proofs=(pair,))), source)
    assert read.bad == ()
    halts = [halt_of(model, s, [], proofs=(one, two)) for s in (0, 1, 2)]
    assert view_change.base_of_halts(halts).node.banned == {3}


def test_a_close_needs_t_halts_of_its_epoch_by_rising_seat_from_its_proposer(model: Model) -> None:
    halts = [signed(model, s, _halt()) for s in range(4)]
    late = signed(model, 2, _halt(epoch=5))
    source = Core(model, *halts, late)

    def close(seat: int, *chosen: Message, epoch: int = 1) -> Message:
        return signed(model, seat, Close(epoch, tuple(m.hash for m in chosen)))

    assert view_change.base_of_close(model.table, close(1, *halts[:3]), source).node is model.base
    for bad in (
        close(2, *halts[:3]),
        close(1, *halts[:2]),
        close(1, *halts),
        close(1, halts[1], halts[0], halts[2]),
        close(1, halts[0], halts[0], halts[1]),
        close(1, halts[0], halts[1], late),
    ):
        fails(Malformed, "", view_change.base_of_close, model.table, bad, source)
    assert model.base.want.kind is Kind.SEAL
