"""The desk of one node at one table: what it holds, has promised and signs; the rules use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ..chain import transition
from ..chain.secrets import Secrets, new_secrets
from ..chain.state import Node, Table
from ..consensus import view as follow
from ..consensus.message_store import Store
from ..consensus.view import Proof, View
from ..consensus.votes import Ballot
from ..crypto.randomness import Random
from ..crypto.signing import Identity
from ..game import Choice
from ..wire import encoding, frames, messages
from ..wire.messages import (
    Accept,
    Back,
    Close,
    Expired,
    Halt,
    Late,
    Message,
    Say,
    SealVote,
    Statement,
    identity_of,
)
from .effects import Broken, Effect, Guilty, Record, Send
from .inquiry import Inquiry
from .timeouts import Clocks, Place


class State(StrEnum):
    """Where a seat stands; `SIGNS` says what it may sign there."""

    STANDING = "standing"
    HALTED = "halted"
    FINISHED = "finished"
    SILENT = "silent"
    WATCHING = "watching"
    BROKEN = "broken"


_VOTES: Final = frozenset({Close, Accept, SealVote})
SIGNS: Final[Mapping[State, frozenset[type[Any]]]] = {
    State.STANDING: _VOTES | {Say, Late, Back},
    State.HALTED: _VOTES | {Halt, Late, Back},
    State.FINISHED: _VOTES | {Say, Halt, Late, Back},
    State.SILENT: frozenset(),
    State.WATCHING: frozenset(),
    State.BROKEN: frozenset(),
}
"""The state table of a seat: which statements it may sign in which state.

standing: its promise is the epoch it stands in. halted: its promise is above every open epoch.
finished: its end is final; it stays to answer and to vote, and
wishes an epoch only when halted, or when it can prove a fault. silent: it takes its seat again,
and the others have not told yet what they hold of it. watching: it has no seat. broken: the
table ended before the game began, or is void.
"""


@dataclass
class Given:
    """A player's choice, the node it was made on, and whether it has been shown since."""

    digest: bytes
    choice: Choice
    burnt: bool = False


Note = tuple[bytes, str, Choice]
"""What the journal keeps of a choice: digest of the node, kind, choice."""


class Desk:
    """All that one node holds; the one place where it signs, records and judges."""

    def __init__(
        self,
        table: Table,
        rng: Random,
        seat: int | None = None,
        who: Identity | None = None,
        seed: bytes | None = None,
    ) -> None:
        """`seed` (32 bytes) gives the seat's secrets; it must be on disk before `start`."""
        self.table, self.rng, self.seat = table, rng, seat
        self._who = who
        size = 1 if table.strict else table.quorum
        self._secrets = new_secrets(seed, size) if seed is not None else None
        self.store = Store()
        self.ballot = Ballot(table, self.store)
        self.view: View = follow.new_view(0, transition.begin(table), 0.0)
        self.clocks = Clocks(table.header.terms.patience)
        self.promise = 0
        self.proofs: dict[int, Proof] = {}
        self.proven_at: dict[int, float] = {}
        self.told_guilty: dict[int, str] = {}
        self.accusation: Proof | None = None
        self.broken: Broken | None = None
        self.finished = False
        self.wants_back = False
        self.inquiry: Inquiry | None = None
        self.links: set[int] = set()
        self.floor = 0
        self.replaying = False
        self.given: dict[tuple[int, str], Given] = {}
        self.asked: Place | None = None
        self.asked_last: tuple[tuple[bytes, ...], tuple[int, ...]] = ((), ())
        self.expired: dict[int, Expired] = {}
        self.told_waiting: set[tuple[int, bytes]] = set()
        self.granted_bytes: dict[tuple[int, int, int | None, bool], int] = {}
        self._effects: list[Effect] = []
        self._final = 0
        self._grown_step = 0
        self._grown_promise = 0

    # What it is.

    @property
    def tip(self) -> Node:
        """The node the followed chain stands at."""
        return self.view.tip

    @property
    def state(self) -> State:
        """Which row of the state table holds now."""
        if self.broken is not None:
            return State.BROKEN
        if self.seat is None or self._who is None:
            return State.WATCHING
        if self.inquiry is not None:
            return State.SILENT
        if self.finished:
            return State.FINISHED
        return State.STANDING if self.is_standing else State.HALTED

    @property
    def is_standing(self) -> bool:
        """Whether the promise is the epoch stood in."""
        return self.view.epoch == self.promise

    @property
    def has_begun(self) -> bool:
        """Whether epoch 0 has begun."""
        return self.ballot.start is not None

    @property
    def secrets(self) -> Secrets:
        """The seat's secrets; a watcher has none."""
        if self._secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self._secrets

    @property
    def fruitless(self) -> int:
        """Epochs promised since the followed chain last became longer than ever before."""
        return self.promise - self._grown_promise

    def awaited(self) -> frozenset[int]:
        """The seats that still have to speak in the first incomplete step."""
        return self.tip.want.speakers - set(follow.chosen_says(self.store, self.view))

    def has_said(self, step: int) -> bool:
        """Whether this seat has spoken in this step of the epoch it stands in."""
        identity = (messages.NUMBER[Say], self.seat or 0, self.view.epoch, step)
        return bool(self.store.versions(identity))

    def has_signed(self, kind: type[Any], epoch: int) -> bool:
        """Whether this seat has signed a late, halt, close, accept or seal of the epoch."""
        return bool(self.store.versions((messages.NUMBER[kind], self.seat or 0, epoch)))

    def final_step(self) -> int:
        """The last step that nothing can replace any more; it never falls.

        What comes after a halt proves nothing: only while standing in the epoch does it count.
        """
        if self.is_standing:
            self._final = max(self._final, follow.final_step(self.store, self.view))
        return max(self._final, self.view.base.step - 1)

    # What it does.

    def emit(self, effect: Effect) -> None:
        """Hand an effect to the driver."""
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        """The effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects

    def send(self, frame: frames.FrameBody, peer: bytes | None) -> None:
        """Send a frame to one linked node, or to all."""
        self.emit(Send(frames.encode_frame(frame), peer))

    def carry(self, message: Message, peer: bytes | None) -> None:
        """Send a message to one linked node, or to all."""
        self.send(frames.Carry(message.encode()), peer)

    def sign(self, statement: Statement, note: Note | None = None) -> bool:
        """Sign, record, send; never a second statement of one identity."""
        if self.replaying or type(statement) not in SIGNS[self.state]:
            return False
        if self.seat is None or self._who is None or self._has_wished(statement):
            return False
        if self.store.versions(identity_of(self.seat, statement)) or self._may_contradict(
            statement
        ):
            return False
        message = messages.sign(self._who, self.table.id, self.seat, statement)
        self.hold(message)
        self.record(message, note)
        self.carry(message, None)
        return True

    def _has_wished(self, statement: Statement) -> bool:
        """A lower wish than one already signed says nothing, and is not kept; after the last epoch
        there is none to wish.
        """
        if not isinstance(statement, Late):
            return False
        return not self.store.highest_late(self.seat) < statement.epoch <= messages.MAX_EPOCH

    def _may_contradict(self, statement: Statement) -> bool:
        """Whether something this seat has forgotten could stand against it.

        After an old journal was restored, a liar may be the only one to hold what was signed
        since, and hide it. It was signed in an epoch that some honest seat has wished, so below
        `floor`: nothing is signed there any more, nor a halt that would have to report it.
        """
        if isinstance(statement, Halt):
            return (statement.lock.epoch if statement.lock else 0) < self.floor
        bound = isinstance(statement, Say | Close | Accept | SealVote)
        return bound and statement.epoch < self.floor  # type: ignore[union-attr]

    def record_floor(self, floor: int | None) -> None:
        """Have the floor put on disk; None while it is not known yet."""
        if not self.replaying:
            self.emit(Record(encoding.encode((b"", (), floor))))

    def record(self, message: Message, note: Note | None = None) -> None:
        """Have a message and the secrets behind it put on disk."""
        if self.replaying:
            return
        fresh: tuple[tuple[bytes, bytes, bytes], ...] = ()
        if message.seat == self.seat and self._secrets is not None:
            fresh = tuple((c, *o) for c, o in self._secrets.unrecorded())
        self.emit(Record(encoding.encode((message.encode(), fresh, note))))

    def hold(self, message: Message) -> bool:
        """Keep a message and draw what follows from it at once; False if it was known."""
        if not self.store.add(message) and not self._keep_close(message):
            return False
        if message.seat == self.seat:
            self._bind(message.statement)
        if isinstance(message.statement, Close):
            self.ballot.read_closes()
        self.judge(message)
        return True

    def _keep_close(self, message: Message) -> bool:
        """A liar may have filled the room for its closes with bad ones; others follow this."""
        known = message.hash in self.store
        return not known and self.ballot.is_sound(message) and self.store.add(message, sound=True)

    def _bind(self, statement: Statement) -> None:
        """What an own statement binds this seat to."""
        if isinstance(statement, Halt | Accept | SealVote | Say):
            self.raise_promise(statement.epoch)
        if isinstance(statement, Say):
            for (step, _), given in self.given.items():
                given.burnt = given.burnt or statement.step > step

    def raise_promise(self, epoch: int) -> None:
        """Sign nothing of a lower epoch any more."""
        if epoch <= self.promise:
            return
        self.final_step()
        self._fix_expired()
        self.promise = epoch
        self.clocks.halted, self.clocks.proposing = self.clocks.now, None

    def _fix_expired(self) -> None:
        """Said once, as the promise rises above the epoch stood in: did patience run out here?"""
        if not self.is_standing or not self.has_begun or self.replaying:
            return
        view = self.view
        thinks = self.seat in view.tip.want.speakers and not self.has_said(view.tip.step)
        if thinks:
            return  # nobody votes himself away, nor others while they wait for him
        if self.clocks.has_expired(view) and transition.may_go_on(view.tip):
            self.expired[view.epoch] = Expired(view.epoch, view.tip.step, view.tip.digest)

    def forget_choices(self) -> None:
        """Whatever was chosen is asked again: it may have been shown."""
        for given in self.given.values():
            given.burnt = True

    def note_growth(self) -> None:
        """Note when the followed chain is longer than ever before."""
        if self.tip.step > self._grown_step:
            self._grown_step, self._grown_promise = self.tip.step, self.promise

    def judge(self, message: Message) -> None:
        """Convict the signer if what is held now proves a fault of his."""
        if message.seat in self.tip.banned:
            return
        proof = follow.find_fault(message, self.store, self.view)
        if proof is not None:
            self.convict(proof)

    def convict(self, proof: Proof) -> None:
        """Keep the first proof of a seat's fault, or what shows the same fault whole."""
        if proof.seat == self.seat:
            self._hear_accusation(proof)
            return
        known = self.proofs.get(proof.seat)
        if known is None or follow.supersedes(proof, known):
            self.proofs[proof.seat] = proof
            self.proven_at.setdefault(proof.seat, self.clocks.now)

    def _hear_accusation(self, proof: Proof) -> None:
        """What others hold proves this very seat at fault: its player is told, once."""
        if self.replaying:
            return
        if self.accusation is None or follow.supersedes(proof, self.accusation):
            self.accusation = proof
            self.proven_at.setdefault(proof.seat, self.clocks.now)
        if proof.seat not in self.told_guilty:
            self.tell_guilt(proof.seat, proof.code)

    def tell_guilt(self, seat: int, code: str) -> None:
        """Tell of a seat at fault, unless this very fault was told."""
        if self.told_guilty.get(seat) != code:
            self.told_guilty[seat] = code
            self.emit(Guilty(seat, code))

    def end(self, broken: Broken) -> None:
        """The table ends here, without a result."""
        if self.broken is None:
            self.broken = broken
            self.emit(broken)
