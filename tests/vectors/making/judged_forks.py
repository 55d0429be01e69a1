"""Files in which seats have signed two versions of a choice, and others speak behind one of them.

The tree of 10.3 forks there. What all signers have spoken behind is kept (10.5, 3), else the slots
of the faulty seats become FAULT. The file ends with the base.
"""

from __future__ import annotations

from collections.abc import Iterable

from vectors.making.judged import Judged, fails, sound
from vectors.making.scripted import Script, dealt, two_prepares

from protocol.chain import transition
from protocol.chain.chain_state import Node
from protocol.wire.signed_messages import Message, Rejoin

AT, BEHIND = 10, 11
"""The step of which there are two versions at the table of four, and the next one."""


class Fork:
    """A step in which the last seats give several versions, each on the same chain.

    Attributes:
        script: The table, which stands behind the step with the first version of each.
        node: The node before the step.
        bodies: The first body of each seat.
    """

    def __init__(
        self,
        seats: int = 4,
        quorum: int = 0,
        liars: Iterable[int] = (3,),
        script: Script | None = None,
    ) -> None:
        self.script = script or dealt(seats, quorum)
        self.node, self.liars = self.script.tip, tuple(liars)
        self.bodies = {seat: self.script.body(seat) for seat in sorted(self.node.present)}
        self.others = {seat: self.script.body(seat, "second") for seat in self.liars}
        self.thirds = {seat: self.script.body(seat, "third") for seat in self.liars}
        self.script.step(self.bodies)

    def second(self, seat: int = 3, heard: bool = True) -> Message:
        """Give the second version of a faulty seat."""
        return self.script.give_input(seat, self.others[seat], on=self.node, heard=heard)

    def child(self, *changed: int) -> Node:
        """Return the node behind the step with the second version of these seats."""
        bodies = {**self.bodies, **{seat: self.others[seat] for seat in changed}}
        return transition.append(self.node, transition.slots_of(self.node, bodies))

    def build_on(self, child: Node, *seats: int) -> None:
        """Have seats speak behind a version."""
        for seat in seats:
            self.script.give_input(seat, on=child)

    def ended(self) -> bytes:
        """Return the file that ends with the base of epoch 1."""
        return self.script.change().file()

    def proposed(self) -> bytes:
        """Return the file with a new-epoch message that has no base, on the chain before it."""
        named = [self.script.promise(seat) for seat in range(self.script.table.quorum)]
        self.script.propose(named)
        self.script.tip = self.node
        return self.script.file()


def child() -> bytes:
    """Seat 3 seals two choices in a step, and all signers give inputs after the first one, which is
    kept.
    """
    fork = Fork()
    fork.second()
    fork.build_on(fork.child(), 0, 1, 2)
    return fork.ended()


def faulty_on_the_other() -> bytes:
    """As `fork-child`, and seat 3 itself gives an input after its second version, which counts for
    nothing since it is a culprit.
    """
    fork = Fork()
    fork.second()
    fork.build_on(fork.child(), 0, 1, 2)
    fork.build_on(fork.child(3), 3)
    return fork.ended()


def illegal_version() -> bytes:
    """Seat 3's second version is the empty body where it owes a choice: it is no body of the tree,
    and the step keeps the legal one.
    """
    fork = Fork()
    fork.script.give_input(3, on=fork.node)
    return fork.ended()


def second_only_in_proof() -> bytes:
    """Only a proof names seat 3's second version: it builds nothing, and the others play on after
    the first one.
    """
    fork = Fork()
    first = next(m for m in fork.script.store.values() if _is_input(m, 3, fork.bodies[3]))
    proof = [first, fork.second(heard=False)]
    fork.script.change(special={0: {"proofs": [proof]}})
    return fork.script.play(lambda node: False).file()


def _is_input(message: Message, seat: int, body: bytes) -> bool:
    return message.seat == seat and getattr(message.statement, "body", None) == body


def signer_two_barriers() -> bytes:
    """Seat 2, one of the signers, has given inputs after both versions of seat 3's choice: it is
    proven at fault, and the new-epoch message is invalid.
    """
    fork = Fork()
    fork.second()
    fork.build_on(fork.child(), 0, 1, 2)
    fork.build_on(fork.child(3), 2)
    return fork.proposed()


def split_signers() -> bytes:
    """Seats 0 and 1 give inputs after one version and seat 2 after the other: neither is kept."""
    fork = Fork()
    fork.second()
    fork.build_on(fork.child(), 0, 1)
    fork.build_on(fork.child(3), 2)
    return fork.ended()


def two_pass() -> bytes:
    """Seats 0 and 1 give inputs after one version, and seat 2, a signer, after none: none is
    kept.
    """
    fork = Fork()
    fork.second()
    fork.build_on(fork.child(), 0, 1)
    return fork.ended()


def three_in_one_promise() -> bytes:
    """Each epoch promise lists three versions of seat 3's choice ([E-11])."""
    fork = Fork()
    fork.second()
    fork.others[3] = fork.thirds[3]
    fork.second()
    return fork.proposed()


# Two at once.


def _two() -> Fork:
    fork = Fork(5, 3, (3, 4))
    fork.second(3)
    fork.second(4)
    return fork


def two_faulty_none() -> bytes:
    """Two of five seal two choices each, and nobody gives an input after any of the four
    children.
    """
    return _two().ended()


def two_faulty_split() -> bytes:
    """Seats 0 and 1 give inputs after one of four children, and seat 2 after another one: none is
    kept.
    """
    fork = _two()
    fork.build_on(fork.child(), 0, 1)
    fork.build_on(fork.child(3, 4), 2)
    return fork.ended()


def two_faulty_two_children() -> bytes:
    """All signers give inputs after one child, and the two culprits after another one: the first is
    kept.
    """
    fork = _two()
    fork.build_on(fork.child(), 0, 1, 2)
    fork.build_on(fork.child(3, 4), 3, 4)
    return fork.ended()


def illegal_input_listed() -> bytes:
    """All promises list a body of seat 3 that does not decode: it is no body of the tree, seat 3 is
    made absent in the step, and banned after it.
    """
    script = dealt()
    node = script.tip
    for seat in (0, 1, 2):
        script.give_input(seat, script.body(seat))
    script.give_input(3, b"\xc1", on=node)
    return script.change(timeout=True).file()


# Fewer than a quorum.


def _two_banned(script: Script) -> Script:
    proofs = [two_prepares(script, seat) for seat in (3, 4)]
    return script.change(special={0: {"proofs": proofs}})


def _too_few() -> Script:
    """Two of five are banned, a third one is absent: two are present of a quorum of three."""
    script = _two_banned(dealt(5, 3))
    for seat in (0, 1):
        script.give_input(seat, script.body(seat))
    return script.change(signers=(0, 1, 4), timeout=True)


def too_few_present_and_on() -> bytes:
    """Two of five are banned and a third is absent, and the two that are left of a quorum of three
    go on alone ([N-5])."""
    return _too_few().end_with(dict.fromkeys((0, 1), b"\xc0")).file()


def rejoin_from_too_few() -> bytes:
    """Two of five are banned, a third one was absent and asks back where the chain stands still:
    it is present again."""
    script = _too_few()
    rejoins = [script.sign(2, Rejoin(1))]
    return script.change(signers=(0, 1, 3), rejoins=rejoins).file()


EQUIVOCATION = (3, BEHIND, "equivocation")
BOTH = ((3, 12, "equivocation"), (4, 12, "equivocation"))
BANNED = ((3, 11, "equivocation"), (4, 11, "equivocation"))
FORKS: dict[str, Judged] = {
    "fork-child": fails(child, "not-final", BEHIND, None, EQUIVOCATION),
    "fork-faulty-on-the-other": fails(faulty_on_the_other, "not-final", BEHIND, None, EQUIVOCATION),
    "fork-illegal-version": fails(illegal_version, "not-final", BEHIND, None, EQUIVOCATION),
    "fork-second-only-in-proof": sound(second_only_in_proof, EQUIVOCATION),
    "fork-signer-two-barriers": fails(signer_two_barriers, "bad-base", None, 1),
    "fork-split-signers": fails(split_signers, "not-final", BEHIND, None, EQUIVOCATION),
    "fork-two-pass": fails(two_pass, "not-final", BEHIND, None, EQUIVOCATION),
    "fork-three-in-one-promise": fails(three_in_one_promise, "bad-base", None, 1),
    "more-two-faulty-none": fails(two_faulty_none, "not-final", 12, None, *BOTH),
    "more-two-faulty-split": fails(two_faulty_split, "not-final", 12, None, *BOTH),
    "more-two-faulty-two-children": fails(two_faulty_two_children, "not-final", 12, None, *BOTH),
    "more-illegal-input-listed": fails(
        illegal_input_listed, "not-final", BEHIND, None, (3, BEHIND, "bad-body")
    ),
    "more-too-few-present-and-on": fails(too_few_present_and_on, "left-over", 12, None, *BANNED),
    "more-rejoin-from-too-few": fails(rejoin_from_too_few, "not-final", 12, None, *BANNED),
}
"""Name to file."""
