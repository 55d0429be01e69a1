"""The fault judge of one seat: it keeps proofs of faults, and notes how the table ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..chain.chain_state import Kind, Node
from ..consensus import fault_evidence, new_epoch
from ..consensus.fault_evidence import Proof
from ..consensus.new_epoch import Base
from ..units import Seconds
from ..wire.signed_messages import Message, StepInput
from ..wire.signed_notices import EndNotice
from .effects import Broken, Guilty, Outbox
from .message_log import MessageLog
from .timeouts import Timers

SETTLES: Final[Seconds] = 1.0
"""The seconds that a seat waits after the first proof of a fault.

Meanwhile a proof with another code may still come in, and all seats are to name the same fault.
Before the game, the seats also need this time to pass on the proof, or a departure.
"""


class FaultJudge:
    """The faults that one seat can prove, and how the table has ended for it and for others.

    Attributes:
        checked: The last node of the chain for which no long input was left to check in a job.
        proofs: The stored proof against each other seat.
        accusation: The stored proof against the own seat.
        broken: Why the table ended without a result.
        finished: Whether the game is over and its result is final for this seat.
        ends: The notices `over` of seats for which the game's end is final.
        setup_ends: For each seat that ended the table in setup, its first two different notices
            that say so. Two show that the seat lies.
        refuser: A seat that refuses this table in setup.
    """

    def __init__(self, log: MessageLog, timers: Timers, outbox: Outbox, seat: int | None) -> None:
        """Create the judge of a seat that has seen no fault."""
        self.log, self.timers, self.outbox, self.seat = log, timers, outbox, seat
        self.checked: Node | None = None
        self.proofs: dict[int, Proof] = {}
        self.accusation: Proof | None = None
        self.broken: Broken | None = None
        self.finished = False
        self.ends: dict[int, EndNotice] = {}
        self.setup_ends: dict[int, tuple[EndNotice, ...]] = {}
        self.refuser: int | None = None
        self._proven_at: dict[int, float] = {}
        self._ended_at: dict[int, float] = {}
        self._told: dict[int, str] = {}

    # Faults

    def judge_fresh(self) -> None:
        """Search the messages stored since the last call for faults, and store their proofs."""
        for message in self.log.take_fresh():
            # Nothing more can be done to a banned seat, and each of its messages would cost a
            # search.
            if message.seat not in self.log.tip.banned:
                proof = fault_evidence.find_fault(message, self.log.store, self.log.followed)
                if proof is not None:
                    self.convict(proof)

    def judge_again(self, messages: Iterable[Message]) -> None:
        """Judge stored messages again, because the followed chain has come to their step."""
        self.log.renew(messages)
        # Otherwise a job checks the long ones first, and the rules judge them after it.
        if not self.outbox.hands_out:
            self.judge_fresh()

    def mark_checked(self) -> None:
        """Note that at the current end of the chain there is nothing more for a job to check."""
        self.checked = self.log.tip

    def convict(self, proof: Proof) -> None:
        """Store the first proof of a seat's fault, or one that supersedes it.

        If the proof is against the own seat, the player is told once.
        """
        is_own = proof.seat == self.seat
        # The effects of a replay are dropped: the player would never be told of it.
        if is_own and self.outbox.is_replaying:
            return
        known = self.accusation if is_own else self.proofs.get(proof.seat)
        if known is None or fault_evidence.supersedes(proof, known):
            # From the first proof on: a faulty seat could else put off the report by a second
            # proof.
            self._proven_at.setdefault(proof.seat, self.timers.now)
            if is_own:
                self.accusation = proof
            else:
                self.proofs[proof.seat] = proof
        if is_own and proof.seat not in self._told:
            self._tell(proof.seat, proof.code)

    def enter(self, base: Base) -> None:
        """Report the seats that a new epoch bans, and drop the stored proofs of their faults.

        All seats compute the same banned seats from the promises for the epoch.
        """
        for seat, code in base.faults if not self.outbox.is_replaying else ():
            self._tell(seat, code)
        self.proofs = {s: p for s, p in self.proofs.items() if s not in base.node.banned}

    def _tell(self, seat: int, code: str) -> None:
        """Tell the driver a seat's fault, unless the last report on the seat had the same code."""
        if self._told.get(seat) != code:
            self._told[seat] = code
            self.outbox.emit(Guilty(seat, code))

    def tell_settled(self) -> None:
        """Tell the driver which seats were first proven at fault at least `SETTLES` seconds ago."""
        for seat, proof in self.proofs.items():
            if self.is_settled(seat):
                self._tell(seat, proof.code)

    # The end of the table

    def end(self, broken: Broken) -> None:
        """End the table without a result for this seat, unless it has ended already."""
        # The first reason stays, because the player and other seats may have been told of it.
        if self.broken is None:
            self.broken = broken
            self.outbox.emit(broken)

    def end_by_faults(self, broken: Broken) -> None:
        """End the table, after telling the driver of every seat that is proven at fault."""
        for seat, proof in self.proofs.items():
            self._tell(seat, proof.code)
        self.end(broken)

    def finish(self) -> None:
        """Note that the game is over and its result final."""
        self.finished = True
        self.timers.finish()

    def refuse(self, seat: int) -> None:
        """Note that a seat refuses to play at this table, during setup."""
        self.refuser = seat

    def keep_end(self, notice: EndNotice) -> None:
        """Store an end notice of a seat, whose signature is valid."""
        if notice.is_over:
            self.ends[notice.seat] = notice
        else:
            self.setup_ends[notice.seat] = (*self.setup_ends.get(notice.seat, ()), notice)
            # From the first notice on: a second one must not put off the end of the table.
            self._ended_at.setdefault(notice.seat, self.timers.now)

    def forget_end(self, seat: int) -> None:
        """Forget that a seat has announced the end of the game, after a new link with it.

        The program at the new link may have restored an older journal, in which the game has not
        ended. The first new link with each seat after the end also restarts the time for which this
        seat stays to help the others ([E-19]).
        """
        self.ends.pop(seat, None)
        self.timers.note_link(seat)

    # Queries

    def can_go_on(self) -> bool:
        """Return whether the faults proven so far leave the game intact, or it is over already.

        A fault in setup or at a strict table ends it, and so do fewer seats without a fault than a
        quorum.
        """
        table, tip = self.log.table, self.log.tip
        if self.finished or tip.want.kind is Kind.RESULT:
            return True
        if table.strict or not self.log.has_begun:
            return not self.proofs
        return len(tip.banned | set(self.proofs)) <= table.seats - table.quorum

    def illegal_input(self) -> Message | None:
        """Return the first input to the current step whose body alone proves a fault, or None."""
        tip = self.log.tip
        for proof in self.proofs.values():
            message, *others = proof.messages
            statement = message.statement
            # Only an input to the next step can be the last entry of a file ([F-2]).
            if not others and isinstance(statement, StepInput) and statement.on == tip.digest:
                return message
        return None

    def is_known_end(self, notice: EndNotice) -> bool:
        """Return whether an end notice need not be stored, because it or two others are.

        Its signature need not be valid.
        """
        if notice.is_over:
            return notice.seat in self.ends
        stored = self.setup_ends.get(notice.seat, ())
        # Without the signatures, because a seat can sign the same words in any number of ways.
        said = [(one.reason, one.about) for one in stored]
        return len(stored) > 1 or (notice.reason, notice.about) in said

    def all_setup_ends(self) -> list[EndNotice]:
        """Return the notices of seats that ended the table in setup, at most two of each seat.

        The first ones stand first.
        """
        return [notice for notices in self.setup_ends.values() for notice in notices]

    def is_settled_end(self, seat: int) -> bool:
        """Return whether a seat's first notice that ended setup is `SETTLES` seconds old."""
        return self.timers.now - self._ended_at[seat] >= SETTLES

    def is_settled(self, seat: int) -> bool:
        """Return whether the first proof against a seat is at least `SETTLES` seconds old."""
        return self.timers.now - self._proven_at.get(seat, self.timers.now) >= SETTLES

    def all_proofs(self) -> list[Proof]:
        """Return all stored proofs of faults. A proof against this seat itself comes last."""
        own = [] if self.accusation is None else [self.accusation]
        # So `settled_proof` names another seat first, if one is at fault.
        return [*self.proofs.values(), *own]

    def settled_proof(self) -> Proof | None:
        """Return the first proof against a seat for which `is_settled` holds, None without one."""
        return next((proof for proof in self.all_proofs() if self.is_settled(proof.seat)), None)

    def has_proof(self) -> bool:
        """Return whether a change of epoch would remove a present seat for a fault ([E-3])."""
        tip = self.log.tip
        # `enter` has dropped the proof of a seat that is banned and still present.
        if tip.present & tip.banned:
            return True
        return any(s in tip.present and self.is_effective(p) for s, p in self.proofs.items())

    def is_unsettled(self) -> bool:
        """Return whether a change of epoch is needed to exclude a faulty present seat ([E-23]).

        After an epoch that begins at the last step, `result`, none is.
        """
        return self.has_proof() and self.log.followed.base.want.kind is not Kind.RESULT

    def is_effective(self, proof: Proof) -> bool:
        """Return whether a change of epoch on the current chain would ban a seat by this proof."""
        # These two are judged by their form alone, the others by the followed chain.
        if proof.code not in ("bad-promise", "bad-new-epoch"):
            return fault_evidence.is_effective(proof, self.log.followed)
        return new_epoch.is_bad_form(self.log.table, proof.messages[0], self.log.votes)
