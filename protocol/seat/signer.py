"""The signer of one seat: its keys and promise, what it may sign, and what its journal records."""

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
    """The state of a seat, which decides what it may sign.

    The table `SIGNS` lists the kinds of messages that a seat may sign in each state.
    """

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
"""The floor of a seat (`Signer.floor`) in its journal: the epoch, or None while it is not known.

True stands for None, and says too that the journal surely lacks messages that the seat has signed.
"""


@dataclass(frozen=True)
class PlayerChoice:
    """A choice that the player of this seat has made for one step.

    Attributes:
        digest: The digest of the chain node at which the choice was made.
        choice: The choice, in the form of the game.
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
        seat: The own seat, None for an onlooker.
        who: The signing key of the seat, None for an onlooker.
        own_secrets: The secrets of the seat, None for an onlooker.
        promise: The promised epoch: the seat signs nothing of a lower epoch any more ([E-4]).
        floor: The lowest epoch in which a seat that has resumed from an old journal signs inputs,
            votes and new-epoch messages ([E-22]). It is 0 if the journal was never an old one.
        timeout_claims: For each epoch that the seat left, its claim about which step timed out
            there.
        inquiry: After a resume, the record of which seats have answered what this seat signed
            earlier. This seat signs nothing until enough seats have answered. None if this seat
            waits for no answers.
        player_choices: What the player chose, by the number of the step and the kind of choice.
        wants_to_rejoin: Whether the player wants to take part again after an absence.
        has_left: Whether the seat has signed a departure.
    """

    def __init__(
        self,
        peers: Peers,
        judge: FaultJudge,
        rng: Random,
        who: Identity | None,
        seed: bytes | None,
    ) -> None:
        """Create the signer of a seat that has promised nothing.

        Args:
            peers: The links of this program, and the departures of all seats.
            judge: The faults that this program can prove, and the end of the table.
            rng: The source of randomness, which returns as many bytes as it is asked for.
            who: The signing key of the seat, None for an onlooker.
            seed: 32 bytes from which the secrets of the seat are derived, None for an onlooker.
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
        """The state of the seat, which decides what it may sign.

        If several states apply, the first in this list is returned:

        - broken: The table has ended without a result.
        - watching: The program has no seat.
        - left: The seat has signed a departure.
        - silent: The seat has resumed, and waits to be told which messages it has signed.
        - finished: The end of the game is final for the seat.
        - standing: The promised epoch is the current epoch of the seat.
        - promised: The promised epoch is above the current epoch.
        """
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
        """True if nothing may be signed now.

        That is so while the journal is replayed, and while the seat waits after a resume.
        """
        return self.outbox.is_replaying or self.inquiry is not None

    @property
    def secrets(self) -> Secrets:
        """The secret keys and openings of the seat. For an onlooker a RuntimeError is raised."""
        if self.own_secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self.own_secrets

    def hand(self) -> dict[int, int]:
        """Return the hidden cards that this seat alone can decrypt.

        Returns:
            The number of each card, by slot (position in the deck). An onlooker has none.
        """
        if self.seat is None or self.own_secrets is None:
            return {}
        return cards.hand(self.log.tip, self.seat, self.own_secrets, self._opened)

    def back_off(self) -> float:
        """Return the current back-off: how long the seat waits for a change of epoch to complete.

        It doubles with each epoch that was promised since the chain last grew.

        Returns:
            The time in seconds.
        """
        return self.timers.back_off(self.timers.failed_epochs(self.promise))

    def ran_out(self) -> bool:
        """Return whether this seat may give up waiting for the first incomplete step ([E-3]).

        There are two conditions. First, the step has timed out, or all awaited seats have left.
        Second, this seat has been at the step, in this epoch, for at least the time that
        `back_off` returns.

        Returns:
            Whether both conditions hold.
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
        """Return whether a message was signed by the own seat but is not stored here ([E-22]).

        The result is False for an epoch request that is not above the highest request of the seat,
        because the seat does not store such requests.

        Args:
            message: A received message, whose signature is valid.

        Returns:
            True if the journal, from which the seat has resumed, must be a copy that is older than
            the message. False while the journal is replayed.
        """
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
        """Raise the promised epoch: nothing of a lower epoch is signed any more ([E-4]).

        First, the seat notes whether the current step has timed out, for use in its promise. If
        `epoch` is not above the promised epoch, nothing changes.
        """
        if epoch > self.promise:
            self.log.final_step(self.is_standing)
            self._claim_timeout()
            self.promise = epoch
            self.timers.promise()

    def _claim_timeout(self) -> None:
        """Record, before leaving the current epoch, whether the first incomplete step timed out."""
        if not self.is_standing or not self.log.has_begun or self.outbox.is_replaying:
            return
        epoch, tip = self.log.followed.epoch, self.log.tip
        owes = self.seat in tip.want.speakers and not self.log.has_input(self.seat, tip.step)
        claim = absence.claim_of(epoch, tip, owes, self.ran_out())
        if claim is not None:
            self.timeout_claims[epoch] = claim

    # Signing

    def store(self, message: Message, note: Note | None = None) -> bool:
        """Store a message, queue it to be searched for faults, and record it in the journal.

        If this seat has signed the message, the openings of the seat's new commitments are recorded
        together with the message ([M-6]).

        Args:
            message: The message, whose signature is valid.
            note: The player's choice to which the message commits: the digest of the chain node
                before the step, the kind of choice, and the choice. None if the message commits to
                no choice of the player.

        Returns:
            False if the message was stored already, or is not to be stored.
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
        """Raise the promised epoch to the epoch of an own promise, vote or input.

        For an input, also mark the player's choices for earlier steps as shown to others.
        """
        if isinstance(statement, EpochPromise | PrepareVote | CommitVote | StepInput):
            self.raise_promise(statement.epoch)
        if isinstance(statement, StepInput):
            self.expose_choices(statement.step)

    def sign(self, statement: signed_messages.Statement, note: Note | None = None) -> bool:
        """Sign a message, record it in the journal and send it to all peers, if the seat may do so.

        Nothing is signed if the seat's state forbids the message. Nothing is signed either if the
        seat has already signed a message of the same kind for the same epoch and step ([M-5],
        [M-6]).

        Args:
            statement: The content of the message, such as an input or a vote.
            note: The player's choice to which the message commits: the digest of the chain node
                before the step, the kind of choice, and the choice. None if the message commits to
                no choice of the player.

        Returns:
            Whether it was signed.
        """
        if self.seat is None or self.who is None or not self._may_sign(self.seat, statement):
            return False
        message = signed_messages.sign(self.who, self.table.id, self.seat, statement)
        self.store(message, note)
        self.outbox.send(message)
        return True

    def _may_sign(self, seat: int, statement: signed_messages.Statement) -> bool:
        """Return whether the seat's state and its earlier messages allow it to sign a message.

        `statement` is the content of the message. An epoch request must be for a higher epoch than
        all earlier epoch requests of the seat.

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
        """Sign an end notice and send it to all peers.

        Nothing happens while the journal is replayed.

        Args:
            reason: `OVER`, or the code with which this seat ends the table in setup.
            about: The seat that the code is about, None if it is about none.
        """
        if self.seat is None or self.who is None or self.outbox.is_replaying:
            return
        notice = sign_notice(self.who, self.table.id, EndNotice(self.seat, reason, about))
        self.judge.keep_end(notice)
        if not notice.is_over:
            # A seat that has announced an end must not confirm the deck after a resume ([D-3]).
            frame = peer_frames.encode_frame(notice)
            self.outbox.emit(Record(codec.encode((b"", (), frame))))
        self.outbox.send(notice)

    # Departures

    def depart(self) -> bool:
        """Sign, record and send a notice that this seat leaves for now. Then sign nothing more.

        Returns:
            Whether the notice was signed. No notice is signed if the seat waits after a resume, if
            its game has ended, or if the number of the notice would exceed `MAX_NUMBER`.

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
        """Sign a notice that the seat is back, if its last notice says that it left ([E-28])."""
        last = None if self.seat is None else self.peers.departures.last(self.seat)
        if self.outbox.is_replaying or last is None or last.is_return:
            return
        if self.state in (SigningState.STANDING, SigningState.PROMISED, SigningState.FINISHED):
            self._sign_departure(last.seat, last.number + 1)

    def _sign_departure(self, seat: int, number: int) -> None:
        """Sign a notice that this seat leaves or is back, record the notice and send it.

        The number of the notice is odd if the seat leaves, and even if the seat is back.
        """
        if self.who is None:
            return
        node, epoch = self.log.tip, self.log.followed.epoch
        step = node.step + self.log.has_input(seat, node.step)
        bare = Departure(seat, number, epoch, step, node.digest)
        word = sign_notice(self.who, self.table.id, bare)
        self.peers.keep_own(word)
        frame = peer_frames.encode_frame(word)
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
        """Store the player's choice for a step. This method does not sign the seat's input yet.

        Args:
            name: The kind of choice, as the game calls it.
            chosen: The choice, with the digest of the chain node at which it was made.
        """
        self.player_choices[step, name] = chosen

    def expose_choices(self, step: int | None = None) -> None:
        """Mark the player's choices as possibly seen by others ([D-5]).

        The player is asked before the seat commits to a marked choice again.

        Args:
            step: Only the choices for steps before this step are marked. None to mark all choices.
        """
        for place, chosen in self.player_choices.items():
            if not chosen.exposed and (step is None or step > place[0]):
                self.player_choices[place] = replace(chosen, exposed=True)

    def ask_player(self, chosen: PlayerChoice | None) -> None:
        """Ask the player for the choice that the next step needs.

        Nothing happens if the player was asked already in this epoch, at this state of the chain.

        Args:
            chosen: The player's earlier choice for this step, which is no longer usable. None if
                the player has made no such choice.
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
        """Stop signing, because the journal may lack something that this seat has signed.

        The seat waits until the others have answered which of its messages they store. Then its
        floor is set: the lowest epoch in which it may sign again. The journal records that the seat
        waits for its floor.

        Args:
            certain: Whether the journal surely lacks something that this seat has signed.

        Returns:
            True if the seat did not doubt its journal before. False for an onlooker.

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
        """Stop signing until the others have answered which messages of this seat they store."""
        if self.seat is not None and self.inquiry is None:
            self.inquiry = Inquiry(self.timers.now)

    def restart_inquiry(self) -> None:
        """Restart the time for which a resumed seat waits before it may sign again.

        The seat waits until other seats have told which of its messages they store. Nothing changes
        if it does not wait.
        """
        if self.inquiry is not None:
            self.inquiry = replace(self.inquiry, began=self.timers.now)

    def say_silenced(self) -> None:
        """Tell the driver, once, that this seat cannot sign anything any more."""
        if self.inquiry is not None and self.inquiry.silence():
            self.outbox.emit(SigningEnded())

    def go_on(self, floor: int | None) -> None:
        """End the wait after a resume, so that the seat may sign again.

        Args:
            floor: The seat signs nothing of an epoch below this one from now on. The journal
                records this lowest epoch. None to leave the lowest epoch unchanged.
        """
        self.inquiry = None
        if floor is not None:
            self.floor = max(self.floor, floor)
            self._record_floor(self.floor)

    # The journal

    def _record_floor(self, floor: FloorNote) -> None:
        """Record in the journal the lowest epoch in which this seat may sign again ([E-22]).

        `floor` is this epoch, or None if the epoch is not known yet. True also means not known, and
        says that the journal surely lacks messages that this seat has signed.
        """
        if not self.outbox.is_replaying:
            self.outbox.emit(Record(codec.encode((b"", (), floor))))

    def restore_floor(self, floor: FloorNote) -> None:
        """Restore the floor, the lowest epoch in which this seat signs inputs and votes.

        If the floor is not known yet, the seat asks the other seats again which of its messages
        they store. It waits for their answers before it signs.

        Args:
            floor: The floor as recorded in the journal. None or True if it is not known yet. True
                also says that the journal surely lacks messages that the seat has signed.
        """
        if floor is not None and floor is not True:
            self.floor, self.inquiry = floor, None
        elif self.seat is not None:
            self.inquiry = Inquiry(self.timers.now, cautious=True, certain=floor is True)
            self.expose_choices()
