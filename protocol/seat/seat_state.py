"""What one seat knows and has promised: its state, its inquiry, leaves of seats, and the core.

Its journal may be a copy that was restored, and nobody can tell by looking at it. So the seat
signs nothing until each other present seat has told which statements of this seat it stores, or
until one step timeout and one back-off are over and t - 1 other seats have told. The time counts
from the resume and not from the first link: a faulty seat can be linked first, and tell nothing.
A seat is *cautious* if its journal is known to be old, or it is told a statement of its own that it
does not know: then the wait begins anew, and the seat signs only above a floor.

A leave makes nobody absent. It lets a node count its own patience as out, and only where all who
are awaited have signed one: to everybody else that node's clock is merely fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from ..chain import transition
from ..chain.chain_state import SETUP, Node, Secrets, Table, new_secrets
from ..consensus import followed_chain as follow
from ..consensus.epoch_votes import Votes
from ..consensus.followed_chain import Proof, View
from ..consensus.message_store import MessageStore
from ..crypto.elgamal import Ciphertext
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from ..game_interface import Choice
from ..wire import peer_frames, signed_messages
from ..wire.signed_messages import Accept, Back, Close, Expired, Halt, Late, Message, Say, SealVote
from ..wire.signed_notices import EndNotice, Leave
from .effects import Broken, Effect, Job, Send
from .timeouts import Clocks, Position


class State(StrEnum):
    """Where a seat stands; `SIGNS` says what it may sign there."""

    STANDING = "standing"
    HALTED = "halted"
    FINISHED = "finished"
    SILENT = "silent"
    WATCHING = "watching"
    LEFT = "left"
    BROKEN = "broken"


_VOTES: Final = frozenset({Close, Accept, SealVote})
SIGNS: Final[Mapping[State, frozenset[type[Any]]]] = {
    State.STANDING: _VOTES | {Say, Late, Back},
    State.HALTED: _VOTES | {Halt, Late, Back},
    State.FINISHED: _VOTES | {Say, Halt, Late, Back},
    State.SILENT: frozenset(),
    State.WATCHING: frozenset(),
    State.LEFT: frozenset(),
    State.BROKEN: frozenset(),
}
"""The state table of a seat: which statements it may sign in which state.

standing: its promise is the epoch it stands in. halted: its promise is above every open epoch.
finished: its end is final; it stays to answer and to vote, and
wishes an epoch only when halted, or when it can prove a fault. silent: it takes its seat again,
and the others have not told yet what they hold of it. watching: it has no seat. left: it
has said that it leaves for now, and comes back by taking its seat again. broken: the
table ended before the game began, or is void.
"""


FIRST = bytes(32)
"""Where the telling of one's statements begins: before every hash."""


@dataclass
class Inquiry:
    """Which seats have told by now ([E-10], [E-22]).

    Attributes:
        began: When the wait began, in seconds of the machine's clock.
        cautious: Whether the journal may be older than what the seat has signed.
        certain: Whether it is so beyond doubt.
        silenced: Whether the driver was told that this seat can sign nothing any more.
        told: The seats that have told.
        cursors: The last hash told by each seat whose answer takes several parts.
    """

    began: float
    cautious: bool = False
    certain: bool = False
    silenced: bool = False
    told: set[int] = field(default_factory=set)
    cursors: dict[int, bytes] = field(default_factory=dict)

    def goes_on_after(self, seat: int, last: bytes) -> bool:
        """Whether a part that ends with this hash leads on; a liar's may lead nowhere ([L-30])."""
        before = self.cursors.get(seat, FIRST)
        self.cursors[seat] = max(last, before)
        return last > before

    def is_over(self, others: Set[int], enough: int, now: float, seconds: float) -> bool:
        """Return whether the seat may sign again.

        Args:
            others: The other present seats.
            enough: How many seats, absent ones too, must have told once the time is over: t - 1.
            now: The machine's clock, in seconds.
            seconds: How long the seat waits for all of them.

        SPEC: [E-10], [E-22].
        """
        has_waited = len(self.told) >= enough and now - self.began >= seconds
        return others <= self.told or has_waited


@dataclass
class Held:
    """A leave, since when it is held, and whether a link with its seat has come up since."""

    leave: Leave
    since: float
    is_back: bool = False


class Leaves:
    """The last word of each seat: one each, whatever a liar signs ([L-23])."""

    def __init__(self) -> None:
        """Nobody has left."""
        self._held: dict[int, Held] = {}
        self._told: dict[int, int] = {}

    def last(self, seat: int) -> Leave | None:
        """The word of this seat with the highest number, if any."""
        held = self._held.get(seat)
        return None if held is None else held.leave

    def number(self, seat: int) -> int:
        """The highest number of a word of this seat; 0 for none."""
        last = self.last(seat)
        return 0 if last is None else last.number

    def keep(self, leave: Leave, now: float) -> None:
        """Put a word, whose signature holds, in the place of the seat's one before."""
        self._held[leave.seat] = Held(leave, now)

    def since(self, seat: int) -> float:
        """Since when the seat's last word is held."""
        return self._held[seat].since

    def note_link(self, seat: int) -> None:
        """A link with this seat is up: whoever left before is there again."""
        if seat in self._held:
            self._held[seat].is_back = True

    def returns(self) -> list[Leave]:
        """The words of those, by seat, who have left and are back ([E-28])."""
        return [held.leave for _, held in sorted(self._held.items()) if held.leave.says_back]

    def away(self, store: MessageStore, view: View, granted: float | None = None) -> list[Leave]:
        """The leaves that hold where this node stands, by seat ([E-25]).

        `granted`: only those that came after this moment, at which a player wished to wait longer.
        """
        return [
            held.leave
            for _, held in sorted(self._held.items())
            if _holds(held, store, view) and (granted is None or held.since > granted)
        ]

    def news(self, away: list[Leave]) -> list[Leave]:
        """Of these leaves those not given here before."""
        fresh = [leave for leave in away if self._told.get(leave.seat, 0) < leave.number]
        self._told.update((leave.seat, leave.number) for leave in fresh)
        return fresh


def _holds(held: Held, store: MessageStore, view: View) -> bool:
    leave = held.leave
    if held.is_back or leave.says_back or leave.epoch > view.epoch:
        return False
    if leave.seat not in view.tip.present:
        return False
    if view.tip.want.kind not in SETUP and _has_said_since(leave, store):
        return False
    node = _left_at(leave, view)
    return node is not None and _absences(node, leave.seat) == _absences(view.tip, leave.seat)


def _left_at(leave: Leave, view: View) -> Node | None:
    """The node of the followed chain at which the seat has left, if there is one.

    In the leave's own epoch it lies on what was followed there, no further back than its base.
    """
    node: Node | None = view.tip
    while node is not None and node.step >= leave.step - 1:
        if node.digest == leave.on:
            is_here = node.step in (leave.step, leave.step - 1)
            return node if is_here and (leave.epoch < view.epoch or leave.on in view.path) else None
        node = node.parent
    return None


def _absences(node: Node, seat: int) -> int:
    """How often the seat has been absent; in setup nobody is counted."""
    return node.absences[seat] if node.absences else 0


def _has_said_since(leave: Leave, store: MessageStore) -> bool:
    """Whether a say of the seat in that step or a later one, or a later epoch, came in."""
    place = (leave.epoch, leave.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == leave.seat)


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
        identity = (signed_messages.NUMBER[Say], self.seat or 0, self.view.epoch, step)
        return bool(self.store.versions(identity))

    def has_signed(self, kind: type[Any], epoch: int) -> bool:
        """Whether this seat has signed a late, halt, close, accept or seal of the epoch."""
        return bool(self.store.versions((signed_messages.NUMBER[kind], self.seat or 0, epoch)))

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

    def send(self, frame: peer_frames.FrameBody, peer: bytes | None) -> None:
        """Send a frame to one linked node, or to all."""
        self.emit(Send(peer_frames.encode_frame(frame), peer))

    def carry(self, message: Message, peer: bytes | None) -> None:
        """Send a message to one linked node, or to all."""
        self.send(peer_frames.Carry(message.encode()), peer)

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
