"""The signer of one seat: its keys and promise, what it may sign, and what its journal records.

After a resume the seat is silent until enough others have answered which of its messages they store
(`resume_inquiry`). If its journal is an old copy, it then signs only from an epoch on, its *floor*
([E-22]).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Literal

from ..chain import cards
from ..chain.chain_state import Kind, Secrets, new_secrets
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
from .deck_wait import leaving_seconds
from .effects import ChoiceAsked, JournalDoubted, Record, SigningEnded
from .fault_judge import FaultJudge
from .peers import Peers
from .resume_inquiry import Inquiry
from .timeouts import Position


class SigningState(StrEnum):
    """The state of a seat, which decides what it may sign by the table `SIGNS`."""

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
"""The kinds of statements that a seat may sign in each state.

- standing: The seat's promised epoch is the epoch in which it stands.
- promised: Its promised epoch is above every epoch that it has entered.
- finished: Its end of the game is final. It stays to answer and to vote. It requests an epoch only
  if its promise is above the one in which it stands, or if it can prove a fault.
- silent: It has resumed, and the others have not told yet which of its messages they store.
- watching: The program has no seat.
- left: It has signed a departure, and comes back only by a resume.
- broken: The table has ended without a result.
"""

Note = tuple[bytes, str, Choice]
"""The note of a player's choice in the journal: digest of its node, kind of choice, choice."""
FloorNote = int | Literal[True] | None
"""The floor of a seat in its journal, None while it is not known.

True stands for None, and says too that the journal surely lacks messages that the seat has signed.
"""


@dataclass(frozen=True)
class PlayerChoice:
    """A choice that the player of this seat has made for one step.

    Attributes:
        digest: The digest of the node at which the choice was made.
        exposed: Whether others may have seen the choice. The seat then must not commit to it again
            without asking the player ([D-5]).
    """

    digest: bytes
    choice: Choice
    exposed: bool = False


class Signer:
    """The keys, the promise and the player's choices of one seat, and the only code that signs.

    Every signed message is put into the journal before it is sent ([M-6]).

    Attributes:
        promise: The promised epoch: the seat signs nothing of a lower epoch any more ([E-4]).
        floor: The lowest epoch in which the seat signs inputs, votes and new-epoch messages
            ([E-22]). It is 0 if the journal was never an old one.
        timeout_claims: For each epoch that the seat left, its claim which step timed out there.
        inquiry: The wait for the answers of others after a resume, None if the seat does not wait.
        player_choices: By the number of the step and the kind of choice.
        has_left: Whether the seat has signed a departure.
    """

    def __init__(
        self, peers: Peers, judge: FaultJudge, rng: Random, who: Identity | None, seed: bytes | None
    ) -> None:
        """Create the signer of a seat that has promised nothing.

        An onlooker has no key and seed.
        """
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
        """The first that applies: broken, watching, left, silent, finished, then the other two."""
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
        """True if the seat's promised epoch is the current epoch of the chain that it follows."""
        return self.log.followed.epoch == self.promise

    @property
    def is_quiet(self) -> bool:
        """True if nothing may be signed: while the journal is replayed, or after a resume."""
        return self.outbox.is_replaying or self.inquiry is not None

    @property
    def secrets(self) -> Secrets:
        """The secret keys and openings of the seat. For an onlooker a RuntimeError is raised."""
        if self.own_secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self.own_secrets

    def hand(self) -> dict[int, int]:
        """Return the hidden cards that this seat alone can decrypt, by slot.

        An onlooker has none.
        """
        if self.seat is None or self.own_secrets is None:
            return {}
        return cards.hand(self.log.tip, self.seat, self.own_secrets, self._opened)

    def back_off(self) -> float:
        """Return how many seconds the seat waits for a change of epoch to complete.

        It doubles with each epoch that was promised since the chain last grew.
        """
        return self.timers.back_off(self.timers.failed_epochs(self.promise))

    def ran_out(self) -> bool:
        """Return whether this seat may give up waiting for the first incomplete step ([E-3]).

        The step must have lasted for a back-off in this epoch.
        """
        is_out = self.timers.is_out(self.log.tip) or self.peers.all_left()
        return is_out and self.timers.has_stood() and not self._awaits_return()

    def _awaits_return(self) -> bool:
        """Return whether a seat that gave up at `deck.ok` may still return to `deal` ([E-26])."""
        tip, given_up = self.log.tip, self.peers.departures.given_up
        is_awaited = tip.want.kind is Kind.DEAL and bool(self.log.awaited() & given_up.keys())
        waited = self.timers.now - self.timers.counts_from(tip)
        return is_awaited and waited < leaving_seconds(self.table)

    def is_forgotten(self, message: Message) -> bool:
        """Return whether a received message is of the own seat but not stored here ([E-22]).

        The journal from which the seat has resumed must then be an older copy.
        """
        if message.seat != self.seat or self.outbox.is_replaying:
            return False
        if message.hash in self.log.store:
            return False
        # Only the highest epoch request of a seat is stored, so that a lower one shows nothing.
        request = message.statement
        return not isinstance(
            request, EpochRequest
        ) or request.epoch > self.log.store.highest_request(self.seat)

    # Promise

    def raise_promise(self, epoch: int) -> None:
        """Raise the promised epoch: nothing of a lower epoch is signed any more ([E-4])."""
        if epoch > self.promise:
            # Final steps and the timeout claim are noted first, because they count only while it is
            # standing.
            self.log.final_step(self.is_standing)
            self._claim_timeout()
            self.promise = epoch
            self.timers.promise()

    def _claim_timeout(self) -> None:
        """Record, before leaving the current epoch, whether the first incomplete step timed out."""
        # The times of a replay say nothing of how long the step has lasted.
        if not self.is_standing or not self.log.has_begun or self.outbox.is_replaying:
            return
        epoch, tip = self.log.followed.epoch, self.log.tip
        owes = self.seat in tip.want.speakers and not self.log.has_input(self.seat, tip.step)
        claim = absence.claim_of(epoch, tip, owes, self.ran_out())
        if claim is not None:
            self.timeout_claims[epoch] = claim

    # Signing

    def store(self, message: Message, note: Note | None = None) -> bool:
        """Store a message with a valid signature, and record it in the journal ([M-6]).

        Return False if it was stored already, or is not to be stored.

        Args:
            note: The player's choice to which the message commits, if any.
        """
        if not self.log.keep(message):
            return False
        if message.seat == self.seat:
            self._bind(message.statement)
        if not self.outbox.is_replaying:
            fresh: tuple[tuple[bytes, bytes, bytes], ...] = ()
            if message.seat == self.seat and self.own_secrets is not None:
                # With the message: without these openings the seat could not open its choice.
                fresh = tuple((c, *o) for c, o in self.own_secrets.unrecorded())
            self.outbox.emit(Record(codec.encode((message.encode(), fresh, note))))
        return True

    def _bind(self, statement: signed_messages.Statement) -> None:
        """Raise the promise to the epoch of an own message, and keep the claim that it makes.

        An input shows the choices before it to others.
        """
        # Not an epoch request, which binds nobody: its seat plays on until a quorum requests.
        if isinstance(statement, EpochPromise | PrepareVote | CommitVote | StepInput):
            self.raise_promise(statement.epoch)
        if isinstance(statement, EpochPromise) and statement.timeout is not None:
            # After a resume, too, a later promise must make the same claim ([E-4]).
            under = 0 if statement.certificate is None else statement.certificate.epoch
            self.timeout_claims.setdefault(under, statement.timeout)
        if isinstance(statement, StepInput):
            self.expose_choices(statement.step)

    def sign(self, statement: signed_messages.Statement, note: Note | None = None) -> bool:
        """Sign, record and send a message, if the seat may do so. Return whether it did ([M-5]).

        Args:
            note: The player's choice to which the message commits, if any.
        """
        if self.seat is None or self.who is None or not self._may_sign(self.seat, statement):
            return False
        message = signed_messages.sign(self.who, self.table.id, self.seat, statement)
        # On disk before it is sent: after a crash the seat could else sign another one ([M-6]).
        self.store(message, note)
        self.outbox.send(message)
        return True

    def _may_sign(self, seat: int, statement: signed_messages.Statement) -> bool:
        """Return whether the seat's state and earlier messages let it sign ([M-5], [E-22])."""
        if self.outbox.is_replaying or type(statement) not in SIGNS[self.state]:
            return False
        if isinstance(statement, EpochRequest):
            # Rising, because others store only the highest of a seat and ignore a lower one.
            lowest = self.log.store.highest_request(seat)
            if not lowest < statement.epoch <= signed_messages.MAX_EPOCH:
                return False
        # A second message of one identity would prove this seat at fault.
        if self.log.store.versions(signed_messages.identity_of(seat, statement)):
            return False
        # After an old journal was restored, a faulty seat may be the only one that stores a later
        # statement of this seat, and hide it. It is of an epoch that some honest seat has
        # requested, so it is below the floor. Nothing is signed there, and no epoch promise that
        # would have to list it.
        if isinstance(statement, EpochPromise):
            return (statement.certificate.epoch if statement.certificate else 0) >= self.floor
        if isinstance(statement, StepInput | NewEpoch | PrepareVote | CommitVote):
            return statement.epoch >= self.floor
        return True

    def announce_end(self, reason: str, about: int | None = None) -> None:
        """Sign an end notice and send it to all peers, unless the journal is replayed.

        Args:
            reason: `OVER`, or the code with which this seat ends the table in setup.
            about: The seat that the code is about, None if it is about none.
        """
        if self.seat is None or self.who is None or self.outbox.is_replaying:
            return
        notice = sign_notice(self.who, self.table.id, EndNotice(self.seat, reason, about))
        self.judge.keep_end(notice)
        # `over` binds to nothing, and is signed again after a resume.
        if not notice.is_over:
            # A seat that has announced an end must not confirm the deck after a resume ([D-3]).
            frame = peer_frames.encode_frame(notice)
            self.outbox.emit(Record(codec.encode((b"", (), frame))))
        self.outbox.send(notice)

    # Departures

    def depart(self) -> bool:
        """Sign, record and send a notice that this seat leaves, and sign nothing more ([E-24]).

        Return False if no notice may be signed, or no number up to `MAX_NUMBER` is left for it and
        the return after it.
        """
        if self.seat is None or self.state not in (SigningState.STANDING, SigningState.PROMISED):
            return False
        last = self.peers.departures.last(self.seat)
        number = 0 if last is None else last.number
        # Departures have odd numbers and returns even ones. It is above all numbers of this seat,
        # since others ignore a lower one.
        number += 2 if number % 2 else 1
        if number >= MAX_NUMBER:
            return False
        self._sign_departure(self.seat, number)
        self.has_left = True
        return True

    def come_back(self) -> None:
        """Sign a notice that the seat is back, if its last notice says that it left ([E-28])."""
        last = None if self.seat is None else self.peers.departures.last(self.seat)
        if self.outbox.is_replaying or last is None or last.is_return:
            return
        if self.state in (SigningState.STANDING, SigningState.PROMISED, SigningState.FINISHED):
            self._sign_departure(last.seat, last.number + 1)

    def _sign_departure(self, seat: int, number: int) -> None:
        """Sign, record and send a notice that this seat leaves or is back, by an even number."""
        if self.who is None:
            return
        node, epoch = self.log.tip, self.log.followed.epoch
        # After its own input to this step, the seat is missing only from the next one on.
        step = node.step + self.log.has_input(seat, node.step)
        bare = Departure(seat, number, epoch, step, node.digest)
        word = sign_notice(self.who, self.table.id, bare)
        self.peers.keep_own(word)
        frame = peer_frames.encode_frame(word)
        # On disk before it is sent: the number could else be used twice, and others ignore that.
        self.outbox.emit(Record(codec.encode((b"", (), frame))))
        self.outbox.send(word)

    def go_back(self) -> None:
        """Let this seat sign again after its departure, without a resume ([D-10])."""
        self.has_left = False

    def ask_rejoin(self, wants: bool) -> None:
        """Store whether the player wants to take part again after an absence."""
        self.wants_to_rejoin = wants

    # The player's choices

    def choose(self, step: int, name: str, chosen: PlayerChoice) -> None:
        """Store the player's choice for a step, without signing the seat's input yet."""
        self.player_choices[step, name] = chosen

    def expose_choices(self, step: int | None = None) -> None:
        """Mark the player's choices as possibly seen by others ([D-5]).

        Args:
            step: Only the choices for steps before this step are marked. None marks all.
        """
        for place, chosen in self.player_choices.items():
            if not chosen.exposed and (step is None or step > place[0]):
                self.player_choices[place] = replace(chosen, exposed=True)

    def ask_player(self, chosen: PlayerChoice | None) -> None:
        """Ask the player once for the choice that the next step needs.

        Args:
            chosen: The player's earlier choice for this step, which is no longer usable, or None.
        """
        node = self.log.tip
        position = (self.log.followed.epoch, node.step, node.digest)
        if self._asked != position:
            self._asked = position
            again = chosen is not None and chosen.exposed
            self.outbox.emit(ChoiceAsked(node, node.want.name, again))

    def forget_asked(self) -> None:
        """Have the player asked again for the choice of the current step."""
        self._asked = None

    # Doubt of the journal

    def be_cautious(self, certain: bool) -> bool:
        """Doubt the journal, and sign nothing until the floor of the seat is set ([E-22]).

        Return whether this is the first doubt, False for an onlooker.

        Args:
            certain: Whether the journal surely lacks something that this seat has signed.
        """
        if self.seat is None:
            return False
        if self.inquiry is None:
            self.inquiry = Inquiry(self.timers.now)
        was_certain = self.inquiry.certain
        is_new = self.inquiry.doubt(self.timers.now, certain)
        # An input that the journal lacks may have shown the choices before it to others ([D-5]).
        if is_new:
            self.expose_choices()
            self.outbox.emit(JournalDoubted())
        if is_new or self.inquiry.certain != was_certain:
            self._record_floor(True if self.inquiry.certain else None)
        return is_new

    def begin_inquiry(self) -> None:
        """Stop signing until the others have answered which messages of this seat they store."""
        if self.seat is not None and self.inquiry is None:
            self.inquiry = Inquiry(self.timers.now)

    def restart_inquiry(self) -> None:
        """Restart the time for which a resumed seat waits before it may sign again."""
        if self.inquiry is not None:
            # A replay knows no time, so this time would seem to be over at the first event.
            self.inquiry = replace(self.inquiry, began=self.timers.now)

    def say_silenced(self) -> None:
        """Tell the driver, once, that this seat cannot sign anything any more."""
        if self.inquiry is not None and self.inquiry.silence():
            self.outbox.emit(SigningEnded())

    def go_on(self, floor: int | None) -> None:
        """End the wait after a resume, so that the seat may sign again from an epoch on.

        Args:
            floor: None to leave the floor unchanged.
        """
        self.inquiry = None
        if floor is not None:
            # A second doubt must not lower the floor of the first.
            self.floor = max(self.floor, floor)
            self._record_floor(self.floor)

    # The journal

    def _record_floor(self, floor: FloorNote) -> None:
        if not self.outbox.is_replaying:
            self.outbox.emit(Record(codec.encode((b"", (), floor))))

    def restore_floor(self, floor: FloorNote) -> None:
        """Restore the floor from the journal. If it is not known yet, ask the others again."""
        # True is an int as well, and must not become the floor 1.
        if floor is not None and floor is not True:
            self.floor, self.inquiry = floor, None
        elif self.seat is not None:
            self.inquiry = Inquiry(self.timers.now, cautious=True, certain=floor is True)
            self.expose_choices()
