"""The state machine of one seat or onlooker: frames and time go in, and effects come out.

It does no input or output. Time is passed in, in seconds of any monotonic clock, and so is
randomness. An onlooker has no seat. It runs the same state machine and never signs. The *driver* is
the program around it, which carries out its effects.

`RULES` lists, in their order, all that a seat does by itself after an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from ..chain import transition
from ..chain.chain_state import SETUP, Kind
from ..consensus import absence
from ..game_interface import NOTHING_ASKED, Choice, IllegalMove
from ..transcript import transcript_writer
from ..units import DriverTime, PeerId
from ..wire import peer_frames, signed_messages
from ..wire.signed_messages import Message, StepInput
from ..wire.signed_notices import Departure, EndNotice
from . import (
    catch_up,
    end_notices,
    epoch_change,
    leaving_setup,
    memory_quotas,
    offload,
    resumed_seat,
    setup_end,
    stay_after_end,
    step_progress,
)
from .effects import Effect, Job
from .seat_state import SeatState
from .signer import PlayerChoice, SigningState
from .stay_after_end import LastWait
from .timeouts import Wait

Rule = Callable[[SeatState], bool]
"""A function that acts on a seat after each event. If it returns True, all rules run again."""
RULES: Final[tuple[Rule, ...]] = (
    step_progress.judge_fresh,
    # Before all that signs: the answers decide whether this seat may sign, and in which epochs.
    resumed_seat.inquire,
    step_progress.begin_epochs,
    step_progress.check_forms,
    step_progress.tell_guilty,
    step_progress.enter,
    step_progress.advance,
    setup_end.end_setup,
    leaving_setup.wait_for_deck,
    resumed_seat.come_back,
    step_progress.tell_left,
    step_progress.speak,
    step_progress.prepare,
    # Before the requests: after the end an epoch is requested only to ban a faulty seat ([E-23]).
    step_progress.finish,
    end_notices.tell_end,
    epoch_change.request,
    epoch_change.promise,
    epoch_change.propose,
    epoch_change.prepare,
    epoch_change.commit,
)
"""The rules of a seat, in the order in which they are applied after each event."""


class SeatMachine(SeatState):
    """The state machine of one seat at one table, with the methods that a driver calls.

    Every call may queue effects. The driver then calls `take` and carries out the effects in order.
    It must have written a `Record` to disk before it sends the frame of any later `Send`.
    """

    rules = RULES

    # Events

    def start(self, now: DriverTime) -> None:
        """Start the state machine. Call it once; if there is a journal, call `restore` before.

        Args:
            now: The driver's clock.
        """
        self.timers.restart(now)
        self.log.start(now)
        self.signer.restart_inquiry()
        self._run_rules()
        catch_up.sync(self, None)

    def link_up(self, peer: PeerId, now: DriverTime, again: bool = False) -> None:
        """Note that a peer is linked, and ask it for the messages that this seat lacks.

        While this seat may not sign yet after a resume, it also asks for all messages that it has
        signed. A peer without a seat is not asked.

        Args:
            peer: The key that the link has proven.
            now: The driver's clock.
            again: Whether the new link replaces a live link with the same process of the peer.
        """
        self.timers.set(now)
        seat = self.peers.link_up(peer, again)
        catch_up.sync(self, peer)
        if seat is not None:
            # The program at the new link may have restored an older journal, in which the game goes
            # on.
            if not again:
                self.judge.forget_end(seat)
            catch_up.ask_own(self, {seat})
        self._run_rules()

    def link_down(self, peer: PeerId, now: DriverTime) -> None:
        """Note that the link with a peer has ended.

        Args:
            peer: The key that the link has proven.
            now: The driver's clock.
        """
        self.timers.set(now)
        self.peers.link_down(peer)
        self._run_rules()

    def receive(self, data: bytes, now: DriverTime, peer: PeerId | None = None) -> None:
        """Handle one frame that a peer has sent.

        Args:
            data: The bytes of the frame.
            now: The driver's clock.
            peer: The id of the peer, None if the sender is not known.

        Raises:
            Invalid: If the frame, or the message or notice in it, is malformed. Only the link is to
                blame, and no seat.
        """
        self.timers.set(now)
        frame = peer_frames.parse_frame(data)
        # After the parsing: bytes that are no frame do not show that the seat is heard directly.
        self.peers.hear(peer)
        match frame:
            case peer_frames.Carry(raw):
                self._receive_message(raw, peer)
            case peer_frames.Told() as told:
                resumed_seat.hear(self, told, peer)
                self._run_rules()
            case Departure() as word:
                if self.peers.keep_departure(word):
                    self._pass_on(word, peer)
            case EndNotice() as notice:
                if end_notices.take(self, notice, peer):
                    self._pass_on(notice, peer)
            case request:
                if isinstance(request, peer_frames.Sync):
                    self.peers.note_direct(request, peer)
                catch_up.answer(self, request, peer)

    def tick(self, now: DriverTime) -> None:
        """Let time pass: ask again for what is missing, and apply the rules that depend on time.

        Args:
            now: The driver's clock.
        """
        self.timers.set(now)
        if self.timers.is_asking_due():
            epoch_change.sign_rejoin(self)
            catch_up.ask_again(self)
        self._run_rules()

    def choose(self, choice: Choice, now: DriverTime) -> None:
        """Store the player's choice for the current step and sign it as soon as the rules allow.

        Args:
            choice: The choice, in the form of the game.
            now: The driver's clock.

        Raises:
            IllegalMove: If the rules of the game forbid it, or no choice is asked.
        """
        node = self.tip
        self.timers.set(now)
        if self.seat is None or not self.must_choose:
            raise IllegalMove(NOTHING_ASKED)
        # Before it is stored: a signed illegal choice would prove this seat at fault.
        self.table.check_choice(node.state, node.want.name, self.seat, choice, self.hand())
        self.signer.choose(node.step, node.want.name, PlayerChoice(node.digest, choice))
        self._run_rules()

    def wait_longer(self, now: DriverTime) -> bool:
        """Start the timeout of the current step anew, because the player asked for it ([E-3]).

        Nothing is signed or recorded: to the other seats it looks like a slow clock. The seat still
        joins an epoch that a quorum of seats requests.

        Args:
            now: The driver's clock, from which the timeout counts.

        Returns:
            False if no other seat is awaited, or if the table has ended. Also False during the game
            on a strict table (whose quorum is all seats), where a timeout has no effect.
        """
        self.timers.set(now)
        if self.finished or self.broken is not None or not self.awaited() - {self.seat}:
            return False
        if self.table.strict and self.has_begun:
            return False
        self.timers.grant(self.tip)
        return True

    def hand_out(self) -> None:
        """Leave long computations to the driver from now on.

        The driver finds a computation in `job`, runs it, and passes the result to `finish`. Until
        then the state machine applies no rule of the protocol.
        """
        self.outbox.hand_out()

    def finish(self, job: Job, given: Any, now: DriverTime) -> None:
        """Apply the result of a job that the driver has run, and go on.

        Args:
            job: The job. If it is not the current job, its result is dropped.
            given: What `job.run` returned.
            now: The driver's clock.
        """
        self.timers.set(now)
        self.outbox.finish(job, given)
        self._run_rules()

    def depart(self, now: DriverTime) -> bool:
        """Sign a notice that this seat leaves for now, and send it to all peers.

        This object signs nothing afterwards. To come back, the seat needs a new `SeatMachine` that
        replays the journal by `restore`.

        Args:
            now: The driver's clock.

        Returns:
            Whether the departure was signed.
        """
        self.timers.set(now)
        return self.signer.depart()

    def refuse(self, seat: int, now: DriverTime) -> bool:
        """Note that a seat refuses this table, by a signed notice that the driver has checked.

        A refusal during setup ends the table.

        Args:
            seat: The seat that refuses.
            now: The driver's clock.

        Returns:
            False once the game has begun, or if an earlier refusal is stored: it is not used then.
        """
        if self.has_begun or self.judge.refuser is not None:
            return False
        self.timers.set(now)
        self.judge.refuse(seat)
        self._run_rules()
        return True

    def ask_rejoin(self, now: DriverTime) -> None:
        """Ask the others to let this seat take part again after an absence.

        Args:
            now: The driver's clock.
        """
        self.timers.set(now)
        self.signer.ask_rejoin(True)
        epoch_change.sign_rejoin(self)
        self._run_rules()

    def sync(self, peer: PeerId | None) -> None:
        """Ask for the messages that this seat lacks, by telling which ones it stores.

        Args:
            peer: The id of the peer to ask. None asks all peers.
        """
        catch_up.sync(self, peer)

    def restore(self, records: Iterable[bytes]) -> None:
        """Replay the records of a journal, in order. Call it before `start`.

        Nothing is signed during the replay, or until enough other seats have answered which
        messages of this seat they store. The effects of the replayed events are dropped, except
        that the player is asked again for a choice that is due.

        Args:
            records: The records, as they were put on disk.

        Raises:
            Invalid: If a record is malformed.
        """
        self.outbox.begin_replay()
        # The rules run after each record, so that the seat follows the same versions as before.
        for one in records:
            resumed_seat.replay(self, one)
            self._run_rules()
        self.outbox.end_replay()
        self.signer.forget_asked()
        self.signer.begin_inquiry()
        # The replay has dropped this news with its other effects, but the player needs it.
        if self.broken is not None:
            self.outbox.emit(self.broken)

    def be_cautious(self, certain: bool = False) -> None:
        """Treat the journal as one that may lack messages that this seat has signed ([E-22]).

        Call it after `restore` and before `start`. Nothing is signed until the other seats have
        told which messages of this seat they store. From then on the seat signs inputs and votes
        only in epochs above every epoch in which it can have signed before. It asks the player
        before it commits again to a choice that was made earlier.

        Args:
            certain: Whether the journal surely lacks such messages. On a table whose decisions need
                all seats, such a seat never signs again.
        """
        if self.signer.be_cautious(certain):
            catch_up.ask_own(self, self.peers.links)

    def take(self) -> list[Effect]:
        """Return the effects since the last call.

        Returns:
            The effects, in the order in which to carry them out.
        """
        return self.outbox.take()

    # Queries

    @property
    def may_rejoin(self) -> bool:
        """True if this seat is absent and may ask to be present again ([E-31])."""
        return self.seat is not None and absence.may_rejoin(self.tip, self.seat)

    @property
    def is_bound(self) -> bool:
        """True if the game has begun, or may begin because this seat has confirmed the deck.

        For an onlooker, any seat's confirmation counts. A resumed seat that does not know yet what
        it has signed may have confirmed it, unless it has announced the end of the table.
        """
        is_unsure = self.signer.inquiry is not None and self.seat not in self.judge.setup_ends
        # A seat that leaves as the last confirmation comes has not begun, but the others may.
        may_begin = self.tip.want.kind not in SETUP | {Kind.ENDED}
        return may_begin or is_unsure or leaving_setup.is_confirmed(self)

    @property
    def shows_fault(self) -> bool:
        """True if the transcript shows the fault that has ended the table ([F-2])."""
        return self._last_illegal_input() is not None or bool(self.tip.convictions)

    @property
    def is_silent(self) -> bool:
        """True if this seat has resumed from its journal and may not sign yet."""
        return self.signer.state is SigningState.SILENT

    @property
    def has_voice(self) -> bool:
        """True if this seat may sign messages of the current epoch.

        A seat whose journal was old waits until an epoch that is not below its floor.
        """
        return not self.is_silent and self.signer.floor <= self.log.followed.epoch

    @property
    def must_choose(self) -> bool:
        """True if the player must make a choice now."""
        if self.seat is None or not transition.needs_choice(self.tip, self.seat):
            return False
        return step_progress.may_speak(self)

    @property
    def stands_still(self) -> bool:
        """True if the chain cannot grow, for example because no quorum of seats is present."""
        return transition.stands_still(self.tip)

    def wait(self, now: DriverTime) -> Wait:
        """Return how long the current step has lasted, and how much time remains until its timeout.

        Args:
            now: The driver's clock.

        Returns:
            The wait. No time remains if all awaited seats have departed for now.
        """
        wait = self.timers.wait(self.tip, now)
        return replace(wait, left=min(wait.left, 0.0)) if self.peers.all_left() else wait

    def away(self) -> frozenset[int]:
        """Return the seats whose departure counts now: they have left and not come back.

        Returns:
            The seats.
        """
        return frozenset(word.seat for word in self.peers.away())

    def hand(self) -> dict[int, int]:
        """Return the hidden cards that this seat alone can decrypt.

        Returns:
            The number of each such card, by slot of the deck.
        """
        return self.signer.hand()

    def transcript(self) -> bytes:
        """Return the `.hoity` file of the game as far as this seat knows it, finished or not.

        Returns:
            The bytes of the file. If an illegal input has ended the table, it is the last entry, as
            the proof ([F-2]).

        Raises:
            ValueError: If this seat lacks messages that the file needs to prove the chain.
            TooLarge: If the file would exceed the limits up to which a verifier reads a file.
        """
        illegal = self._last_illegal_input()
        return transcript_writer.write(self.log.votes, self.log.followed, illegal)

    def _last_illegal_input(self) -> Message | None:
        """Return the illegal input that has ended the table, None if none has."""
        return None if self.judge.can_go_on() else self.judge.illegal_input()

    def may_leave(self) -> bool:
        """Return whether this seat may disconnect at the end ([E-19]).

        Returns:
            True if the table has ended without a result, or if the end is final and the other seats
            need nothing more of this one.
        """
        return stay_after_end.may_leave(self)

    def last_wait(self) -> LastWait | None:
        """Return for whom and for how long this seat stays after its end is final ([E-19]).

        Returns:
            The wait. None if the seat may leave, or if its end is not final.
        """
        return stay_after_end.last_wait(self)

    # Rules

    def _receive_message(self, raw: bytes, peer: PeerId | None) -> None:
        """Store a message if the quotas allow it ([M-11]), and pass it on if it is new ([M-7])."""
        message = signed_messages.read(raw, self.table.id, self.table.seats)
        # Before the signature, which need not be verified again. Most messages come several times.
        if message.hash in self.log.store:
            return
        message.verify(self.table.ids)
        votes, lacked = self.log.votes, self.log.lacks_messages
        # Both are asked before the message is stored, which changes the answers.
        before, forgotten = votes.quorum_request(), self.signer.is_forgotten(message)
        is_kept = memory_quotas.is_worth_keeping(self, message)
        if is_kept and forgotten:
            # Once the statement is in the journal, nothing there shows that it was forgotten. So
            # the caution is recorded before it.
            self.be_cautious(certain=True)
        if is_kept and self.signer.store(message):
            catch_up.pass_on(self, message, peer)
            # The rules are costly, and most inputs change nothing but who is awaited.
            if lacked or not isinstance(message.statement, StepInput) or not self._judge_alone():
                self._run_rules()
        # A vote or request that is too far ahead to be stored counts as a request all the same
        # ([M-14]).
        elif votes.quorum_request() > before:
            self._run_rules()

    def _judge_alone(self) -> bool:
        """Search new messages for faults, and return whether this seat has nothing else to do now.

        That is so if it only waits for an input to the current step, or for a job that checks an
        input. The search is left out during such a job.
        """
        if not step_progress.is_undisturbed(self):
            return False
        if offload.waits_for_job(self):
            return True
        self.judge.judge_fresh()
        return bool(self.log.awaited()) and step_progress.is_undisturbed(self)

    def _pass_on(self, word: Departure | EndNotice, peer: PeerId | None) -> None:
        """Send a new notice to all peers except the peer that sent it ([L-23], [L-27])."""
        self.outbox.send(word, but=() if peer is None else (peer,))
        self._run_rules()

    def _run_rules(self) -> None:
        """Apply the rules of this seat again and again, until no rule changes anything.

        No rule runs during a job. If the table has ended without a result, only search for faults.
        """
        changed = True
        while changed and self.broken is None:
            # A list, not a generator: every rule runs, in this order, and `any` would stop at the
            # first.
            changed = any([not offload.waits_for_job(self) and rule(self) for rule in self.rules])  # noqa: C419
        if self.broken is not None and not offload.waits_for_job(self):
            self.judge.judge_fresh()
