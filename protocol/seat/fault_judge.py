"""The fault judge of one node: what is still to be judged, who is proven at fault, and the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..bounds import Seconds
from ..chain.chain_state import Kind, Node
from ..consensus import fault_evidence, new_epoch
from ..consensus.fault_evidence import Proof
from ..consensus.new_epoch import Base
from ..wire.signed_messages import Message, StepInput
from ..wire.signed_notices import EndNotice
from .effects import Broken, Guilty, Outbox
from .message_log import MessageLog
from .timeouts import Timers

SETTLES: Final[Seconds] = 1.0
"""Seconds after the first proof against a seat in which a graver one may still come in, so that all
seats name the same fault; they are also what a table that ends before the game needs to pass on,
a fault or a leave."""


class FaultJudge:
    """Faults that one node can prove, and how the table ended for it and for others.

    Attributes:
        checked: The node at which no long body waits for its check.
        proofs: The first proof of each other seat's fault, or one that shows the same fault whole.
        accusation: Such a proof against the own seat.
        broken: How the table ended without a result, if it did.
        finished: Whether the game is over and its result final.
        ends: The end notice of each seat whose end is final.
        setup_ends: The first notice of each seat that ended the table in setup, in their order.
        refuser: A seat that refuses this table, in setup.
    """

    def __init__(self, log: MessageLog, timers: Timers, outbox: Outbox, seat: int | None) -> None:
        """Begin without a fault."""
        self.log, self.timers, self.outbox, self.seat = log, timers, outbox, seat
        self.checked: Node | None = None
        self.proofs: dict[int, Proof] = {}
        self.accusation: Proof | None = None
        self.broken: Broken | None = None
        self.finished = False
        self.ends: dict[int, EndNotice] = {}
        self.setup_ends: dict[int, EndNotice] = {}
        self.refuser: int | None = None
        self._proven_at: dict[int, float] = {}
        self._ended_at: dict[int, float] = {}
        self._told: dict[int, str] = {}

    # Judging

    def judge_fresh(self) -> None:
        """Convict whoever is proven at fault by what was stored since the last call."""
        for message in self.log.take_fresh():
            if message.seat not in self.log.tip.banned:
                proof = fault_evidence.find_fault(message, self.log.store, self.log.view)
                if proof is not None:
                    self.convict(proof)

    def judge_again(self, messages: Iterable[Message]) -> None:
        """Judge what is stored where the chain stands now: at once, or when the rules go on."""
        self.log.renew(messages)
        if not self.outbox.hands_out:
            self.judge_fresh()

    def mark_checked(self) -> None:
        """Note that no long body waits for its check where the chain stands."""
        self.checked = self.log.tip

    def convict(self, proof: Proof) -> None:
        """Keep the first proof of a seat's fault, or what shows the same fault whole.

        The player of a seat that others can prove at fault is told, once.
        """
        is_own = proof.seat == self.seat
        if is_own and self.outbox.is_replaying:
            return
        known = self.accusation if is_own else self.proofs.get(proof.seat)
        if known is None or fault_evidence.supersedes(proof, known):
            self._proven_at.setdefault(proof.seat, self.timers.now)
            if is_own:
                self.accusation = proof
            else:
                self.proofs[proof.seat] = proof
        if is_own and proof.seat not in self._told:
            self._tell(proof.seat, proof.code)

    def enter(self, base: Base) -> None:
        """Tell what a committed base finds, the same for all, and drop proofs that it answers."""
        for seat, code in base.faults if not self.outbox.is_replaying else ():
            self._tell(seat, code)
        self.proofs = {s: p for s, p in self.proofs.items() if s not in base.node.banned}

    def _tell(self, seat: int, code: str) -> None:
        """Tell the driver of a seat at fault, unless this very fault was told."""
        if self._told.get(seat) != code:
            self._told[seat] = code
            self.outbox.emit(Guilty(seat, code))

    def tell_settled(self) -> None:
        """Tell of each seat proven at fault, once no other code is to be expected."""
        for seat, proof in self.proofs.items():
            if self.is_settled(seat):
                self._tell(seat, proof.code)

    # The end of the table

    def end(self, broken: Broken) -> None:
        """End the table here, without a result."""
        if self.broken is None:
            self.broken = broken
            self.outbox.emit(broken)

    def end_by_faults(self, broken: Broken) -> None:
        """End the table, having told of every seat that is proven at fault."""
        for seat, proof in self.proofs.items():
            self._tell(seat, proof.code)
        self.end(broken)

    def finish(self) -> None:
        """Note that the game is over and its result final."""
        self.finished = True
        self.timers.finish()

    def refuse(self, seat: int) -> None:
        """Note that a seat refuses this table."""
        self.refuser = seat

    def keep_end(self, notice: EndNotice) -> None:
        """Store an end notice, whose signature holds."""
        if notice.is_over:
            self.ends[notice.seat] = notice
        else:
            self.setup_ends[notice.seat] = notice
            self._ended_at[notice.seat] = self.timers.now

    def forget_end(self, seat: int) -> None:
        """Forget that a seat's end was final: over a new link it may be an older copy of itself.

        After the own end the first such link of each seat begins the wait anew ([E-19]).
        """
        self.ends.pop(seat, None)
        self.timers.note_link(seat)

    # Queries

    def all_have_ended(self) -> bool:
        """Return whether the end is final for every other present seat, by its own notice."""
        return self.log.tip.present - {self.seat} <= self.ends.keys()

    def can_go_on(self) -> bool:
        """Return whether the game can go on, or is over, in spite of the faults proven so far."""
        table, tip = self.log.table, self.log.tip
        if self.finished or tip.want.kind is Kind.RESULT:
            return True
        if table.strict or not self.log.has_begun:
            return not self.proofs
        return len(tip.banned | set(self.proofs)) <= table.seats - table.quorum

    def illegal_input(self) -> Message | None:
        """Return an input to the first incomplete step that proves its seat at fault by itself."""
        tip = self.log.tip
        for proof in self.proofs.values():
            message, *others = proof.messages
            statement = message.statement
            if not others and isinstance(statement, StepInput) and statement.on == tip.digest:
                return message
        return None

    def is_settled_end(self, seat: int) -> bool:
        """Return whether a seat's end notice of setup is stored for long enough."""
        return self.timers.now - self._ended_at[seat] >= SETTLES

    def is_settled(self, seat: int) -> bool:
        """Return whether a proof against this seat is stored for long enough."""
        return self.timers.now - self._proven_at.get(seat, self.timers.now) >= SETTLES

    def all_proofs(self) -> list[Proof]:
        """Return what ends a table before the game: proofs against others, then the own accusation.

        The others see that one too. An accused seat must not name who fell silent on account of it.
        """
        own = [] if self.accusation is None else [self.accusation]
        return [*self.proofs.values(), *own]

    def settled_proof(self) -> Proof | None:
        """Return the first proof that counts, if it is stored for long enough."""
        return next((proof for proof in self.all_proofs() if self.is_settled(proof.seat)), None)

    def has_proof(self) -> bool:
        """Return whether a present seat is proven at fault, as the next base will find ([E-3])."""
        tip = self.log.tip
        if tip.present & tip.banned:
            return True
        return any(s in tip.present and self.is_effective(p) for s, p in self.proofs.items())

    def is_unsettled(self) -> bool:
        """Return whether a fault is proven that no base holds, though the game is over ([E-23])."""
        return self.has_proof() and self.log.view.base.want.kind is not Kind.RESULT

    def is_effective(self, proof: Proof) -> bool:
        """Return whether a base on the followed chain will find this fault."""
        if proof.code not in ("bad-promise", "bad-new-epoch"):
            return fault_evidence.is_effective(proof, self.log.view)
        return new_epoch.is_bad_form(self.log.table, proof.messages[0], self.log.votes)
