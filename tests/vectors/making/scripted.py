"""Games that a maker writes step by step, with the keys of all seats in its hands.

No machine plays here. A maker decides what each seat signs, in which step, on which chain and in
which epoch, and which epoch promises lead to a new epoch. The file then has exactly what its
new-epoch messages name.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from support.forgeries.transcripts import envelopes
from support.stream import pick, stream
from vectors.making.tables import EXHIBIT, Plan

from p2p_hoity import rules
from protocol.chain import cards, transition
from protocol.chain.chain_state import Kind, Missing, Node, new_secrets
from protocol.consensus.message_lookup import Malformed, Unknown, Void
from protocol.consensus.new_epoch import Base, base_of_new_epoch
from protocol.transcript import transcript_writer
from protocol.transcript.transcript_format import Content, Evidence, Signed, StepEntry, Transcript
from protocol.transcript.verifier_checks import FileReferences
from protocol.wire import signed_messages, step_bodies
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    Statement,
    StepInput,
    StepTimeout,
)

Preference = Callable[["Script", int, list[Any]], Any]
"""Return which of its legal choices a seat makes; None leaves it to `eager`."""
Given = Mapping[int, bytes | Missing]
"""The bodies that seats give in a step instead of a legal one."""


def no_preference(script: Script, seat: int, options: list[Any]) -> Any:
    """Leave every choice to `eager`."""
    return None


class Script:
    """A table whose every statement a maker decides.

    Attributes:
        tip: The node behind the last step.
        epoch: The epoch in which the seats give their inputs.
        base: The node with which this epoch began.
        start: The node with which epoch 0 began; the beginning of the chain before it.
        wish: What the seats choose.
        store: Everything that was signed, by hash.
        heard: The hashes of the inputs of each epoch that an epoch promise lists by default.
        new_epochs: The new-epoch messages of the file.
        ending: Steps behind the tip that the chain does not admit.
    """

    def __init__(self, plan: Plan, preference: Preference = no_preference) -> None:
        self.plan, self.preference = plan, preference
        self.table, self.who = plan.sit_down(), plan.who
        size = 1 if self.table.strict else self.table.quorum
        seeds = (stream(plan.seed, f"seat {k} secret")(32) for k in range(plan.seats))
        self.secrets = [new_secrets(seed, size) for seed in seeds]
        self.tip = self.start = self.base = transition.begin(self.table)
        self.epoch = 0
        self.store: dict[bytes, Message] = {}
        self.heard: dict[int, set[bytes]] = {}
        self.new_epochs: list[Message] = []
        self.bases: dict[tuple[int, bytes], Node] = {}
        self.ending: list[StepEntry] = []

    def branch(self, preference: Preference | None = None) -> Script:
        """Return a copy that goes on by itself."""
        other = copy.copy(self)
        other.preference = preference or self.preference
        other.store, other.bases = dict(self.store), dict(self.bases)
        other.heard = {epoch: set(hashes) for epoch, hashes in self.heard.items()}
        other.new_epochs, other.ending = list(self.new_epochs), list(self.ending)
        return other

    # Bodies

    def body(self, seat: int, version: str = "", choice: Any = None) -> bytes:
        """Return a legal body of a seat in the next step; another `version` has other nonces."""
        node, secrets = self.tip, self.secrets[seat]
        draw = stream(self.plan.seed, f"seat {seat} body {version} on {node.digest.hex()}")
        if choice is None and transition.needs_choice(node, seat):
            choice = self.choice(seat)
        if choice is None:
            return transition.body_of(node, seat, secrets, draw)
        return transition.body_of_choice(node, seat, choice, secrets, draw)

    def choice(self, seat: int) -> Any:
        """Return what a seat chooses in the next step."""
        options = self.options(seat)
        preference = self.preference(self, seat, options)
        return self._eager(seat, options) if preference is None else preference

    def options(self, seat: int) -> list[Any]:
        """Return the legal choices of a seat in the next step."""
        return list(self.view(seat).legal(self.tip.want.name))  # type: ignore[arg-type]

    def view(self, seat: int) -> rules.View:
        """Return the game as a seat sees it, with the cards that it alone may see."""
        hand = cards.hand(self.tip, seat, self.secrets[seat], {})
        return rules.view(self.tip.state.state, seat, hand)

    def _eager(self, seat: int, options: list[Any]) -> Any:
        if self.tip.want.name in ("action", "turn"):
            numbers = [o[1] if isinstance(o, tuple) else o for o in options]
            pairs = zip(options, numbers, strict=True)
            options = [o for o, number in pairs if number % 8 == EXHIBIT] or options
        label = f"seat {seat} choice on {self.tip.digest.hex()}"
        return pick(stream(self.plan.seed, label), options)

    # Statements

    def sign(self, seat: int, statement: Statement) -> Message:
        """Return a statement of a seat, which is kept for whatever names it."""
        message = signed_messages.sign(self.who[seat], self.table.id, seat, statement)
        self.store[message.hash] = message
        return message

    def give_input(
        self,
        seat: int,
        body: bytes | None = None,
        on: Node | None = None,
        step: int | None = None,
        digest: bytes | None = None,
        epoch: int | None = None,
        heard: bool = True,
    ) -> Message:
        """Return the input of a seat to the next step of the chain, or to another one.

        Args:
            seat: The seat.
            body: What it gives; if nothing is given, what a seat gives that owes nothing.
            on: The node that it speaks on.
            step: The number of the step, if not that of the node.
            digest: The digest that it names, if not that of the node.
            epoch: The epoch, if not this one.
            heard: Whether epoch promises list it.
        """
        node, epoch = on or self.tip, self.epoch if epoch is None else epoch
        step, digest = step or node.step, digest or node.digest
        if body is None:
            is_over = node.want.kind is Kind.RESULT
            body = node.result_body() if is_over else step_bodies.EMPTY
        message = self.sign(seat, StepInput(epoch, step, digest, body))
        if heard:
            self.heard.setdefault(epoch, set()).add(message.hash)
        return message

    # Steps

    def step(self, said: Given | None = None) -> Script:
        """Add the next step: legal bodies of all speakers but for what is `said`."""
        node, said = self.tip, said or {}
        bodies: dict[int, bytes] = {}
        for seat in sorted(node.want.speakers):
            body = said.get(seat)
            if not isinstance(body, Missing):
                bodies[seat] = self.body(seat) if body is None else body
        for seat, body in bodies.items():
            self.give_input(seat, body)
        self.tip = transition.append(node, transition.slots_of(node, bodies))
        if self.tip.step == self.table.first_step and self.tip.want.kind is Kind.DEAL:
            self.start = self.base = self.tip
            self.heard.clear()
        return self

    def play(self, until: Callable[[Node], bool]) -> Script:
        """Add steps until the chain stands where this holds, or at its end."""
        while not until(self.tip) and self.tip.want.kind is not Kind.RESULT:
            self.step()
        return self

    def end_with(self, said: Given) -> Script:
        """End the file with a step that the rules need not allow; whoever is in `said` speaks."""
        slots = tuple(said.get(seat, Missing.NONE) for seat in range(self.table.seats))
        on, step = self.tip.digest, self.tip.step + len(self.ending)
        for entry in self.ending:
            on = transition.digest_after_step(on, entry.slots)
        for seat, body in said.items():
            if isinstance(body, bytes):
                self.give_input(seat, body, step=step, digest=on)
        self.ending.append(StepEntry(slots))
        return self

    # Epochs

    def certificate(
        self, sealed: bool = True, seats: Iterable[int] | None = None, base: Node | None = None
    ) -> QuorumCertificate | None:
        """Return the votes of the first t seats, or of these, for a base of this epoch."""
        if self.epoch == 0:
            return None
        digest, kind = (base or self.base).base_digest(), CommitVote if sealed else PrepareVote
        voters = range(self.table.quorum) if seats is None else seats
        signed = ((s, self.sign(s, kind(self.epoch, digest)).signature) for s in voters)
        return QuorumCertificate(self.epoch, digest, sealed, tuple(signed))

    def promise(
        self,
        seat: int,
        epoch: int | None = None,
        timeout: bool | StepTimeout = False,
        proofs: Iterable[Iterable[Message]] = (),
        rejoins: Iterable[Message] = (),
        inputs: Iterable[Message | bytes] | None = None,
        **more: Any,
    ) -> Message:
        """Return the epoch promise of a seat for the next epoch, listing all inputs of this one.

        Args:
            seat: The seat.
            epoch: The epoch that is promised, if not the next one.
            timeout: Whether it says that the step at the tip timed out, or what it says instead.
            proofs: The messages of each proof.
            rejoins: The rejoin messages.
            inputs: The inputs that it lists, if not all that are heard.
            more: `certificate`, if not that of the first t seats for the base of this epoch.
        """
        if timeout is True:
            timeout = StepTimeout(self.epoch, self.tip.step, self.tip.digest)
        listed = self.heard.get(self.epoch, set()) if inputs is None else inputs
        said = EpochPromise(
            epoch or self.epoch + 1,
            more["certificate"] if "certificate" in more else self.certificate(),
            tuple(sorted(m if isinstance(m, bytes) else m.hash for m in listed)),
            timeout or None,
            tuple(sorted(m.hash for m in rejoins)),
            tuple(sorted(tuple(sorted(m.hash for m in proof)) for proof in proofs)),
        )
        return self.sign(seat, said)

    def propose(self, promises: Iterable[Message], epoch: int | None = None) -> Message:
        """Add a new-epoch message over these promises, whatever follows from it."""
        named = list(promises)
        epoch = epoch or self.epoch + 1
        message = self.sign(epoch % self.table.seats, NewEpoch(epoch, tuple(m.hash for m in named)))
        self.new_epochs.append(message)
        return message

    def base_of(self, message: Message) -> Base:
        """Return the base that a new-epoch message leads to, and remember it."""
        source = FileReferences(self.start, dict(self.store))
        source.bases = self.bases
        base = base_of_new_epoch(self.table, message, source)
        assert isinstance(message.statement, NewEpoch)
        self.bases[message.statement.epoch, base.node.base_digest()] = base.node
        return base

    def enter(self, message: Message) -> Script:
        """Stand in the epoch that a new-epoch message opens."""
        assert isinstance(message.statement, NewEpoch)
        self.tip = self.base = self.base_of(message).node
        self.epoch = message.statement.epoch
        return self

    def change(
        self,
        signers: Iterable[int] | None = None,
        special: Mapping[int, dict[str, Any]] | None = None,
        epoch: int | None = None,
        **same: Any,
    ) -> Script:
        """Change the epoch by promises of the first t seats, or of `signers`.

        `special` says what is different in the promise of a seat, `same` what is so in all.
        """
        seats, special = signers or range(self.table.quorum), special or {}
        named = [self.promise(s, epoch, **{**same, **special.get(s, {})}) for s in seats]
        return self.enter(self.propose(named, epoch))

    # The file

    def whole(self) -> Transcript:
        """Return the file."""
        nodes = self.tip.history()
        steps = [(a, b.slots) for a, b in pairwise(nodes) if b.slots is not None]
        rows = [self._row(node.digest, node.step, slots) for node, slots in steps]
        digest = self.tip.digest
        for count, entry in enumerate(self.ending):
            rows.append(self._row(digest, self.tip.step + count, entry.slots))
            digest = transition.digest_after_step(digest, entry.slots)
        entries = (*map(transcript_writer.entry_of, nodes[1:]), *self.ending)
        said = {m.hash for row in rows for m in row}
        proposals = {m.hash for m in self.new_epochs}
        evidence = [self.store[h] for h in self._named() - said - proposals]
        return Transcript(
            Content(self.table.header.encode(), entries),
            Evidence(
                tuple(tuple((_epoch(m), m.signature) for m in row) for row in rows),
                envelopes(*evidence),
                tuple((m.payload, m.signature) for m in sorted(self.new_epochs, key=self._rank)),
                self._commits(),
                self._final(),
            ),
        )

    def file(self) -> bytes:
        """Return the bytes of the file."""
        return self.whole().encode()

    def _row(self, on: bytes, step: int, slots: Iterable[Any]) -> list[Message]:
        """Return for each body of a step the input of the lowest epoch that says it."""
        said: dict[tuple[int, bytes], Message] = {}
        for message in sorted(self.store.values(), key=_epoch, reverse=True):
            one = message.statement
            if isinstance(one, StepInput) and (one.on, one.step) == (on, step):
                said[message.seat, one.body] = message
        return [said[s, body] for s, body in enumerate(slots) if isinstance(body, bytes)]

    def _rank(self, message: Message) -> tuple[int, bytes]:
        assert isinstance(message.statement, NewEpoch)
        epoch = message.statement.epoch
        try:
            return epoch, self.base_of(message).node.base_digest()
        except (Malformed, Unknown, Void):  # it has no base
            return epoch, b""

    def _named(self) -> set[bytes]:
        """Return the hashes of all that the new-epoch messages look up."""
        found: set[bytes] = set()
        for message in self.new_epochs:
            self._look_up(message, False, found)
        return found & set(self.store)

    def _look_up(self, message: Message, inside: bool, found: set[bytes]) -> None:
        one = message.statement
        if isinstance(one, NewEpoch):
            found |= set(one.promises)
            for promise in (self.store[h] for h in one.promises if h in self.store):
                self._look_up(promise, inside, found)
        elif isinstance(one, EpochPromise):
            proofs = [proof for proof in one.proofs if len(proof) > 1 or not inside]
            found |= {*one.inputs, *one.rejoins, *(h for proof in proofs for h in proof)}
            for (alone,) in (proof for proof in proofs if len(proof) == 1):
                if alone in self.store:
                    self._look_up(self.store[alone], True, found)

    def _commits(self) -> tuple[Signed, ...]:
        if self.epoch == 0:
            return ()
        vote = CommitVote(self.epoch, self.base.base_digest())
        return tuple((s, self.sign(s, vote).signature) for s in range(self.table.quorum))

    def _final(self) -> tuple[Signed, ...]:
        if self.tip.want.kind is not Kind.RESULT or self.base.want.kind is Kind.RESULT:
            return ()
        seats = sorted(self.tip.present)
        return tuple((s, self.give_input(s, heard=False).signature) for s in seats)


def _epoch(message: Message) -> int:
    return message.statement.epoch if isinstance(message.statement, StepInput) else 0


# Tables to begin with.

SEEDS = {3: "judged over 3 0", 4: "judged 4 0", 5: "judged 5 0"}
"""Of tables by their seats; the first ones of their kind that make a short game."""


@cache
def _dealt(seats: int, quorum: int) -> Script:
    script = Script(Plan(SEEDS[seats], "small-4", seats, quorum=quorum))
    return script.play(lambda node: node.step > script.table.first_step)


def dealt(seats: int = 4, quorum: int = 0) -> Script:
    """Return a table whose cards are dealt, at step n + 6."""
    return _dealt(seats, quorum).branch()


def before(script: Script, step: int) -> Node:
    """Return the node before a step of the chain."""
    node = script.tip.before(step)
    assert node is not None
    return node


def two_prepares(script: Script, seat: int) -> list[Message]:
    """Return two prepare votes of a seat for different bases of epoch 5."""
    return [script.sign(seat, PrepareVote(5, base)) for base in (bytes(32), b"\x01" * 32)]
