"""The signer of one seat: its keys and promise, what it may sign, and what its journal records.

The journal may be a copy that was restored, and nobody can tell by looking at it. So a resumed seat
signs nothing until each other present seat has told which statements of this seat it stores, or
until one step timeout and one back-off are over and t - 1 other seats have told. The time counts
from the resume and not from the first link: a faulty seat can be linked first, and tell nothing.
A seat is *cautious* if its journal is known to be old, or it is told a statement of its own that it
does not know: then the wait begins anew, and the seat signs only above a floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from ..chain import cards
from ..chain.chain_state import Secrets, new_secrets
from ..consensus import absence
from ..crypto.elgamal import Ciphertext
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from ..game_interface import Choice
from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Rejoin,
    StepInput,
)
from ..wire.signed_notices import MAX_NUMBER, Departure, EndNotice, sign_notice
from .effects import ChoiceAsked, JournalDoubted, Record, SigningEnded
from .fault_judge import FaultJudge
from .peers import Peers
from .timeouts import Position


class SigningState(StrEnum):
    """Where a seat stands; `SIGNS` says what it may sign there."""

    STANDING = "standing"
    PROMISED = "promised"
    FINISHED = "finished"
    SILENT = "silent"
    WATCHING = "watching"
    LEFT = "left"
    BROKEN = "broken"


_VOTES: Final = frozenset({NewEpoch, PrepareVote, CommitVote})
SIGNS: Final[Mapping[SigningState, frozenset[type[Any]]]] = {
    SigningState.STANDING: _VOTES | {StepInput, EpochRequest, Rejoin},
    SigningState.PROMISED: _VOTES | {EpochPromise, EpochRequest, Rejoin},
    SigningState.FINISHED: _VOTES | {StepInput, EpochPromise, EpochRequest, Rejoin},
    SigningState.SILENT: frozenset(),
    SigningState.WATCHING: frozenset(),
    SigningState.LEFT: frozenset(),
    SigningState.BROKEN: frozenset(),
}
"""The state table of a seat: which statements it may sign in which state.

standing: its promise is the epoch it stands in. promised: its promise is above every committed
epoch. finished: its end is final; it stays to answer and to vote, and requests an epoch only when
its promise is above, or when it can prove a fault. silent: it takes its seat again,
and the others have not told yet what they hold of it. watching: it has no seat. left: it
has said that it leaves for now, and comes back by taking its seat again. broken: the
table ended before the game began, or is void.
"""

FIRST = bytes(32)
"""Where the telling of one's statements begins: before every hash."""
Note = tuple[bytes, str, Choice]
"""What the journal keeps of a choice: digest of the node, kind, choice."""


@dataclass
class Inquiry:
    """Which seats have told by now what they store of this one ([E-10], [E-22]).

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

    def hear(self, seat: int, told: peer_frames.Told) -> bool:
        """Take in what a seat has told; return whether to ask it for more.

        The parts of a faulty seat may lead nowhere ([L-30]).
        """
        if not told.more:
            self.told.add(seat)
            return False
        before = self.cursors.get(seat, FIRST)
        self.cursors[seat] = max(told.last, before)
        return told.last > before

    def doubt(self, now: float, certain: bool) -> bool:
        """Be cautious from now on; return whether that is new."""
        self.certain = self.certain or certain
        if self.cautious:
            return False
        self.cautious, self.began = True, now
        return True

    def silence(self) -> bool:
        """Note that the driver is told; return whether it was not before."""
        was, self.silenced = self.silenced, True
        return not was

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


@dataclass(frozen=True)
class PlayerChoice:
    """A player's choice.

    Attributes:
        digest: The digest of the node that it was made on.
        choice: The choice.
        exposed: Whether it has been shown since.
    """

    digest: bytes
    choice: Choice
    exposed: bool = False


class Signer:
    """All that a seat keeps to itself, and the only code that signs.

    A statement is put into the journal before it is sent ([M-6]).

    Attributes:
        seat: The own seat, None for a watcher.
        who: The key of the seat, None for a watcher.
        own_secrets: The secrets of the seat, None for a watcher.
        promise: Nothing of a lower epoch is signed any more ([E-4]).
        floor: Nothing of a lower epoch is signed after an old journal was restored ([E-22]).
        timeout_claims: By epoch the step that had timed out when the node promised to leave it.
        inquiry: What the others have told by now, None once the seat may sign.
        player_choices: What the player chose, by step and kind.
        wants_to_rejoin: Whether the player wants to rejoin after an absence.
        has_left: Whether the seat has signed that it leaves for now.
    """

    def __init__(
        self,
        peers: Peers,
        judge: FaultJudge,
        rng: Random,
        who: Identity | None,
        seed: bytes | None,
    ) -> None:
        """Begin without a promise. `seed` (32 bytes) gives the seat's secrets."""
        self.peers, self.judge, self.rng, self.who = peers, judge, rng, who
        self.log, self.timers, self.outbox = peers.log, peers.timers, judge.outbox
        self.table, self.seat = peers.log.table, peers.seat
        size = 1 if self.table.strict else self.table.quorum
        self.own_secrets = None if seed is None else new_secrets(seed, size)
        self.promise = 0
        self.floor = 0
        self.timeout_claims: dict[int, signed_messages.StepTimeout] = {}
        self.inquiry: Inquiry | None = None
        self.player_choices: dict[tuple[int, str], PlayerChoice] = {}
        self.wants_to_rejoin = False
        self.has_left = False
        self._asked: Position | None = None
        self._opened: dict[Ciphertext, int] = {}

    # Queries

    @property
    def state(self) -> SigningState:
        """Which row of the state table holds now."""
        if self.judge.broken is not None:
            return SigningState.BROKEN
        if self.seat is None or self.who is None:
            return SigningState.WATCHING
        if self.has_left:
            return SigningState.LEFT
        if self.inquiry is not None:
            return SigningState.SILENT
        if self.judge.finished:
            return SigningState.FINISHED
        return SigningState.STANDING if self.is_standing else SigningState.PROMISED

    @property
    def is_standing(self) -> bool:
        """Whether the promise is the epoch stood in."""
        return self.log.view.epoch == self.promise

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is signed now: the journal is read, or the others have not told yet."""
        return self.outbox.is_replaying or self.inquiry is not None

    @property
    def secrets(self) -> Secrets:
        """The seat's secrets; a watcher has none."""
        if self.own_secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self.own_secrets

    def hand(self) -> dict[int, int]:
        """Return slot to card for the cards that this seat alone may see."""
        if self.seat is None or self.own_secrets is None:
            return {}
        return cards.hand(self.log.tip, self.seat, self.own_secrets, self._opened)

    def back_off(self) -> float:
        """Return the back-off after the promises that brought nothing."""
        return self.timers.back_off(self.timers.failed_epochs(self.promise))

    def ran_out(self) -> bool:
        """Return whether the step timed out after this node stood at it for g in this epoch."""
        is_out = self.timers.is_out(self.log.tip) or self.peers.all_left()
        return is_out and self.timers.has_stood()

    def is_forgotten(self, message: Message) -> bool:
        """Return whether this is a statement of the own seat that it does not know of ([E-22])."""
        if message.seat != self.seat or self.outbox.is_replaying:
            return False
        if message.hash in self.log.store:
            return False
        request = message.statement
        return not isinstance(
            request, EpochRequest
        ) or request.epoch > self.log.store.highest_request(self.seat)

    # Promise

    def raise_promise(self, epoch: int) -> None:
        """Sign nothing of a lower epoch any more ([E-4])."""
        if epoch > self.promise:
            self.log.final_step(self.is_standing)
            self._claim_timeout()
            self.promise = epoch
            self.timers.promise()

    def _claim_timeout(self) -> None:
        """Record, before leaving this epoch, whether its current step timed out."""
        if not self.is_standing or not self.log.has_begun or self.outbox.is_replaying:
            return
        epoch, tip = self.log.view.epoch, self.log.tip
        owes = self.seat in tip.want.speakers and not self.log.has_input(self.seat, tip.step)
        claim = absence.claim_of(epoch, tip, owes, self.ran_out())
        if claim is not None:
            self.timeout_claims[epoch] = claim

    # Signing

    def hold(self, message: Message, note: Note | None = None) -> bool:
        """Store a message, have it judged, and put it on disk with the secrets behind it ([M-6]).

        Args:
            message: The message. Its signature holds.
            note: The player's choice that it commits to, if it does.

        Returns:
            False if it was known.
        """
        if not self.log.keep(message):
            return False
        if message.seat == self.seat:
            self._bind(message.statement)
        if not self.outbox.is_replaying:
            fresh: tuple[tuple[bytes, bytes, bytes], ...] = ()
            if message.seat == self.seat and self.own_secrets is not None:
                fresh = tuple((c, *o) for c, o in self.own_secrets.unrecorded())
            self.outbox.emit(Record(codec.encode((message.encode(), fresh, note))))
        return True

    def _bind(self, statement: signed_messages.Statement) -> None:
        """Note what an own statement binds this seat to."""
        if isinstance(statement, EpochPromise | PrepareVote | CommitVote | StepInput):
            self.raise_promise(statement.epoch)
        if isinstance(statement, StepInput):
            self.expose_choices(statement.step)

    def sign(self, statement: signed_messages.Statement, note: Note | None = None) -> bool:
        """Sign, record, send; never a second statement of one identity ([M-5], [M-6])."""
        if self.seat is None or self.who is None or not self._may_sign(self.seat, statement):
            return False
        message = signed_messages.sign(self.who, self.table.id, self.seat, statement)
        self.hold(message, note)
        self.outbox.send(message)
        return True

    def _may_sign(self, seat: int, statement: signed_messages.Statement) -> bool:
        """Return whether the seat's state allows this statement, and nothing signed forbids it.

        A lower epoch request than one already signed says nothing, and is not kept; after the last
        epoch there is none to request.

        SPEC: [M-5], [E-22].
        """
        if self.outbox.is_replaying or type(statement) not in SIGNS[self.state]:
            return False
        if isinstance(statement, EpochRequest):
            lowest = self.log.store.highest_request(seat)
            if not lowest < statement.epoch <= signed_messages.MAX_EPOCH:
                return False
        if self.log.store.versions(signed_messages.identity_of(seat, statement)):
            return False
        # After an old journal was restored, a faulty seat may be the only one that stores what was
        # signed since, and hide it. That was signed in an epoch that some honest seat has
        # requested, so below `floor`: nothing is signed there, nor an epoch promise that would have
        # to report it.
        if isinstance(statement, EpochPromise):
            return (statement.certificate.epoch if statement.certificate else 0) >= self.floor
        if isinstance(statement, StepInput | NewEpoch | PrepareVote | CommitVote):
            return statement.epoch >= self.floor
        return True

    def announce_end(self, reason: str, about: int | None = None) -> None:
        """Sign an end notice and send it to all; nothing, while the journal is replayed.

        Args:
            reason: OVER, or the code by which this seat ends the table in setup.
            about: The seat that the code is about, if any.
        """
        if self.seat is None or self.who is None or self.outbox.is_replaying:
            return
        notice = sign_notice(self.who, self.table.id, EndNotice(self.seat, reason, about))
        self.judge.keep_end(notice)
        self.outbox.send(notice)

    # Departures

    def leave(self) -> bool:
        """Sign that this seat leaves, record it, send it, and sign nothing more.

        Returns:
            Whether it was said. A seat that is silent or at its end has nothing to say; nor has one
            that has left too often.

        SPEC: [E-24].
        """
        if self.seat is None or self.state not in (SigningState.STANDING, SigningState.PROMISED):
            return False
        last = self.peers.departures.last(self.seat)
        number = 0 if last is None else last.number
        number += 2 if number % 2 else 1
        if number >= MAX_NUMBER:
            return False
        self._sign_departure(self.seat, number)
        self.has_left = True
        return True

    def come_back(self) -> None:
        """Sign that this seat is here again, if its last notice says that it leaves ([E-28])."""
        last = None if self.seat is None else self.peers.departures.last(self.seat)
        if self.outbox.is_replaying or last is None or last.is_return:
            return
        if self.state in (SigningState.STANDING, SigningState.PROMISED, SigningState.FINISHED):
            self._sign_departure(last.seat, last.number + 1)

    def _sign_departure(self, seat: int, number: int) -> None:
        """Sign such a notice for where this seat stands, record it and send it."""
        if self.who is None:
            return
        node, epoch = self.log.tip, self.log.view.epoch
        step = node.step + self.log.has_input(seat, node.step)
        bare = Departure(seat, number, epoch, step, node.digest)
        word = sign_notice(self.who, self.table.id, bare)
        self.peers.keep_own(word)
        frame = peer_frames.encode_frame(word)
        self.outbox.emit(Record(codec.encode((b"", (), frame))))
        self.outbox.send(word)

    def ask_rejoin(self, wants: bool) -> None:
        """Note whether the player wants to come back after an absence."""
        self.wants_to_rejoin = wants

    # The player's choices

    def choose(self, step: int, name: str, chosen: PlayerChoice) -> None:
        """Take the player's choice for a step, to be signed by the rules."""
        self.player_choices[step, name] = chosen

    def expose_choices(self, step: int | None = None) -> None:
        """Ask again for what was chosen, before a step or at all: it may be shown ([D-5])."""
        for place, chosen in self.player_choices.items():
            if not chosen.exposed and (step is None or step > place[0]):
                self.player_choices[place] = replace(chosen, exposed=True)

    def ask_player(self, chosen: PlayerChoice | None) -> None:
        """Ask the player, once, to choose where the chain stands."""
        node = self.log.tip
        position = (self.log.view.epoch, node.step, node.digest)
        if self._asked != position:
            self._asked = position
            again = chosen is not None and chosen.exposed
            self.outbox.emit(ChoiceAsked(node, node.want.name, again))

    def forget_asked(self) -> None:
        """Ask anew for what the player was asked."""
        self._asked = None

    # Doubt of the journal

    def be_cautious(self, certain: bool) -> bool:
        """Sign nothing until the others have told, then above a floor.

        Args:
            certain: Whether the journal surely lacks something that this seat has signed.

        Returns:
            Whether that is new. The journal remembers it then.

        SPEC: [E-22].
        """
        if self.seat is None:
            return False
        if self.inquiry is None:
            self.inquiry = Inquiry(self.timers.now)
        was_certain = self.inquiry.certain
        is_new = self.inquiry.doubt(self.timers.now, certain)
        if is_new:
            self.expose_choices()
            self.outbox.emit(JournalDoubted())
        if is_new or self.inquiry.certain != was_certain:
            self._record_floor(True if self.inquiry.certain else None)
        return is_new

    def begin_inquiry(self) -> None:
        """Sign nothing from now on until the others have told what they store of this seat."""
        if self.seat is not None and self.inquiry is None:
            self.inquiry = Inquiry(self.timers.now)

    def restart_inquiry(self) -> None:
        """Count the time of the wait from now on."""
        if self.inquiry is not None:
            self.inquiry = replace(self.inquiry, began=self.timers.now)

    def say_silenced(self) -> None:
        """Tell the driver, once, that this seat can sign nothing any more."""
        if self.inquiry is not None and self.inquiry.silence():
            self.outbox.emit(SigningEnded())

    def go_on(self, floor: int | None) -> None:
        """Sign again, above a floor if the journal was old; it is put into the journal."""
        self.inquiry = None
        if floor is not None:
            self.floor = max(self.floor, floor)
            self._record_floor(self.floor)

    # The journal

    def _record_floor(self, floor: int | None) -> None:
        """Have the floor put on disk.

        While it is not known yet this is None, or True if the journal is older beyond doubt. The
        next process must know that too: at a strict table it may sign nothing then ([E-22]).
        """
        if not self.outbox.is_replaying:
            self.outbox.emit(Record(codec.encode((b"", (), floor))))

    def restore_floor(self, floor: int | None) -> None:
        """Take the floor from the journal.

        Args:
            floor: The floor. None if the seat had become cautious, and True if its journal was
                older beyond doubt.
        """
        if floor is not None and floor is not True:
            self.floor, self.inquiry = floor, None
        elif self.seat is not None:
            self.inquiry = Inquiry(self.timers.now, cautious=True, certain=floor is True)
            self.expose_choices()
