"""The core of one node at one table: what it holds, has promised and signs; the rules use it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..chain import transition
from ..chain.secrets import Secrets, new_secrets
from ..chain.state import Node, Table
from ..consensus import view as follow
from ..consensus.message_store import MessageStore
from ..consensus.view import Proof, View
from ..consensus.votes import Votes
from ..crypto.elgamal import Ciphertext
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from ..game import Choice
from ..wire import frames, messages
from ..wire.end_notices import EndNotice
from ..wire.leaves import Leave
from ..wire.messages import (
    Expired,
    Message,
    Say,
)
from .effects import Broken, Effect, Send
from .inquiry import Inquiry
from .jobs import Job
from .leaves import Leaves
from .states import State
from .timeouts import Clocks, Position


@dataclass
class PlayerChoice:
    """A player's choice, the node it was made on, and whether it has been shown since."""

    digest: bytes
    choice: Choice
    burnt: bool = False


@dataclass
class Ends:
    """End notices that one node stores, and what its own stay at the end depends on.

    Attributes:
        over: The notice of each seat whose end is final.
        setup: The first notice of each seat that ended the table in setup, in their order.
        received: When the notice in `setup` came, by seat, in seconds of the machine's clock.
        refuser: A seat that refuses this table, in setup.
        first_links: When the first new link with a seat came up after this node's own end.
    """

    over: dict[int, EndNotice] = field(default_factory=dict)
    setup: dict[int, EndNotice] = field(default_factory=dict)
    received: dict[int, float] = field(default_factory=dict)
    refuser: int | None = None
    first_links: dict[int, float] = field(default_factory=dict)


class Core:
    """All that one node holds, has promised and has to tell; the rules of a seat work on it."""

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
        self.who = who
        size = 1 if table.strict else table.quorum
        self.own_secrets = new_secrets(seed, size) if seed is not None else None
        self.store = MessageStore()
        self.votes = Votes(table, self.store)
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
        self.has_left = False
        self.leaves = Leaves()
        self.inquiry: Inquiry | None = None
        self.opened: dict[Ciphertext, int] = {}
        self.links: set[int] = set()
        self.spared: dict[bytes, frozenset[int]] = {}
        self.floor = 0
        self.replaying = False
        self.fresh: list[Message] = []
        self.ends = Ends()
        self.near, self.near_changed = set[int](), False
        self.deferred: set[bytes] = set()
        self.player_choices: dict[tuple[int, str], PlayerChoice] = {}
        self.asked: Position | None = None
        self.asked_last: tuple[tuple[bytes, ...], tuple[int, ...]] = ((), ())
        self.expired: dict[int, Expired] = {}
        self.told_waiting: set[tuple[int, bytes]] = set()
        self.granted_bytes: dict[tuple[int, int, int | None, bool], int] = {}
        self.hands_out = False
        self.job: Job | None = None
        self.weighed: Node | None = None
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
        if self.seat is None or self.who is None:
            return State.WATCHING
        if self.has_left:
            return State.LEFT
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
        return self.votes.start is not None

    @property
    def secrets(self) -> Secrets:
        """The seat's secrets; a watcher has none."""
        if self.own_secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self.own_secrets

    @property
    def lacks_messages(self) -> bool:
        """Whether it has asked the others for messages it does not hold."""
        return bool(self.store.wants or self.store.wanted_closes)

    @property
    def fruitless(self) -> int:
        """Epochs promised since the followed chain last became longer than ever before."""
        return self.promise - self._grown_promise

    def awaited(self) -> frozenset[int]:
        """The seats that still have to speak in the first incomplete step; while the rules rest,
        who has not been heard yet."""
        rests = self.job is not None
        return self.tip.want.speakers - set(follow.chosen_says(self.store, self.view, rests))

    def away(self) -> list[Leave]:
        """The leaves, by other seats that have left for now, that hold here and now ([E-25])."""
        return self.leaves.away(self.store, self.view)

    def all_left(self) -> bool:
        """Whether every seat awaited has left for now; not if the player waits for them longer.

        SPEC: [E-26].
        """
        granted = self.clocks.granted_at(self.tip)
        words = self.leaves.away(self.store, self.view, granted)
        epoch, step = self.view.epoch, self.tip.step
        away = {word.seat for word in words if word.epoch < epoch or word.step <= step}
        return bool(away) and self.awaited() <= away

    def ran_out(self) -> bool:
        """Whether patience ran out at this step after standing at it for a grace in this epoch."""
        is_out = self.clocks.is_out(self.tip) or self.all_left()
        return is_out and self.clocks.has_stood()

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

    def raise_promise(self, epoch: int) -> None:
        """Sign nothing of a lower epoch any more ([E-4])."""
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
        if self.ran_out() and transition.may_go_on(view.tip):
            self.expired[view.epoch] = Expired(view.epoch, view.tip.step, view.tip.digest)

    def forget_choices(self) -> None:
        """Whatever was chosen is asked again: it may have been shown ([D-5])."""
        for chosen in self.player_choices.values():
            chosen.burnt = True

    def note_growth(self) -> None:
        """Note when the followed chain is longer than ever before."""
        if self.tip.step > self._grown_step:
            self._grown_step, self._grown_promise = self.tip.step, self.promise

    def end(self, broken: Broken) -> None:
        """End the table here, without a result."""
        if self.broken is None:
            self.broken = broken
            self.emit(broken)
