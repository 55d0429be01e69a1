"""One seat or onlooker of a table, without input and output: frames and time in, effects out.

The rules of a seat are a table of all that it does of itself, in the order of their turns.

A node without a seat (a watcher) runs the same machine and never signs. Time is passed in,
in seconds of any monotonic clock; randomness is passed in; nothing here reads either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from ..chain import transition
from ..chain.chain_state import Kind
from ..consensus import absence
from ..game_interface import NOTHING_ASKED, Choice, IllegalMove
from ..transcript import transcript_writer
from ..wire import peer_frames, signed_messages
from ..wire.signed_messages import StepInput
from ..wire.signed_notices import Departure, EndNotice
from . import (
    catch_up,
    end_notices,
    epoch_change,
    memory_quotas,
    offload,
    restored_backup,
    setup_end,
    step_progress,
)
from .effects import Effect, Job
from .seat_state import SeatState
from .signer import PlayerChoice, SigningState
from .timeouts import Wait

Rule = Callable[[SeatState], bool]
"""A function that does something of itself, and returns whether it changed anything."""
RULES: Final[tuple[Rule, ...]] = (
    step_progress.judge_fresh,
    restored_backup.inquire,
    step_progress.begin_epochs,
    step_progress.check_forms,
    step_progress.tell_guilty,
    step_progress.enter,
    step_progress.advance,
    setup_end.end_setup,
    restored_backup.come_back,
    step_progress.tell_left,
    step_progress.speak,
    step_progress.prepare,
    step_progress.finish,
    end_notices.tell_end,
    epoch_change.request,
    epoch_change.promise,
    epoch_change.propose,
    epoch_change.prepare,
    epoch_change.commit,
)


class SeatMachine(SeatState):
    """The machine of one node at one table: what a driver calls.

    Every call may leave effects: `take` them at once and carry them out in order. A `Record` must
    be on disk before a `Send` behind it leaves.
    """

    rules = RULES

    # Events

    def start(self, now: float) -> None:
        """Begin, or go on after `restore`."""
        self.timers.restart(now)
        self.log.start(now)
        self.signer.restart_inquiry()
        self._run_rules()
        catch_up.sync(self, None)

    def link_up(self, peer: bytes, now: float, again: bool = False) -> None:
        """Tell a node that is linked where we stand, and ask a seat what it stores of this one.

        Args:
            peer: The id of the node, 32 bytes.
            now: The time.
            again: Whether another link with the same process was there until now.
        """
        self.timers.set(now)
        seat = self.peers.link_up(peer, again)
        catch_up.sync(self, peer)
        if seat is not None:
            if not again:
                self.judge.forget_end(seat)
            catch_up.ask_own(self, {seat})
        self._run_rules()

    def link_down(self, peer: bytes, now: float) -> None:
        """Note that a node is linked no more."""
        self.timers.set(now)
        self.peers.link_down(peer)
        self._run_rules()

    def receive(self, data: bytes, now: float, peer: bytes | None = None) -> None:
        """Take in one frame of a linked node.

        Raises:
            Invalid: If the frame is garbage. The link is to blame, and no seat.
        """
        self.timers.set(now)
        frame = peer_frames.parse_frame(data)
        self.peers.hear(peer)
        match frame:
            case peer_frames.Carry(raw):
                self._receive_message(raw, peer)
            case peer_frames.Told() as told:
                restored_backup.hear(self, told, peer)
                self._run_rules()
            case Departure() as word:
                if self.peers.keep_departure(word):
                    self._pass_on(word, peer)
            case EndNotice() as notice:
                if end_notices.take(self, notice, peer):
                    self._pass_on(notice, peer)
            case request:
                if isinstance(request, peer_frames.Sync):
                    self.peers.spare(request, peer)
                catch_up.answer(self, request, peer)

    def tick(self, now: float) -> None:
        """Let time pass."""
        self.timers.set(now)
        if self.timers.is_asking_due():
            epoch_change.sign_rejoin(self)
            catch_up.ask_again(self)
        self._run_rules()

    def choose(self, choice: Choice, now: float) -> None:
        """Take the player's choice for what was asked last.

        Raises:
            IllegalMove: If the rules forbid it, or nothing is asked.
        """
        node = self.tip
        self.timers.set(now)
        if self.seat is None or not self.must_choose:
            raise IllegalMove(NOTHING_ASKED)
        self.table.check_choice(node.state, node.want.name, self.seat, choice, self.hand())
        self.signer.choose(node.step, node.want.name, PlayerChoice(node.digest, choice))
        self._run_rules()

    def wait_longer(self, now: float) -> bool:
        """Begin the timeout of the step anew at `now`, at the player's wish ([E-3]).

        It is always safe: to the others this clock is merely slow. Nothing is signed, the journal
        does not know of it, and an epoch that t seats request is joined all the same.

        Returns:
            False if nobody else is awaited, and in the game of a strict table, where a timeout ends
            nothing.
        """
        self.timers.set(now)
        if self.finished or self.broken is not None or not self.awaited() - {self.seat}:
            return False
        if self.table.strict and self.has_begun:
            return False
        self.timers.grant(self.tip)
        return True

    def hand_out(self) -> None:
        """Leave long computations as a `job` from now on; until it is finished the rules rest."""
        self.outbox.hand_out()

    def finish(self, job: Job, given: Any, now: float) -> None:
        """Go on with what the job gave."""
        self.timers.set(now)
        self.outbox.finish(job, given)
        self._run_rules()

    def leave(self, now: float) -> bool:
        """Tell all that this seat leaves for now, and return whether it could.

        Nothing is signed behind it: the seat is taken again by `restore`, in another machine.
        """
        self.timers.set(now)
        return self.signer.leave()

    def refuse(self, seat: int, now: float) -> bool:
        """Learn that a seat refuses this table, by a signed word that its driver has checked.

        Args:
            seat: The seat that refuses.
            now: The machine's clock, in seconds.

        Returns:
            Whether it is news. In setup the table ends by it, and names the seat.
        """
        if self.has_begun or self.judge.refuser is not None:
            return False
        self.timers.set(now)
        self.judge.refuse(seat)
        self._run_rules()
        return True

    def ask_rejoin(self, now: float) -> None:
        """Ask to be let in again after an absence."""
        self.timers.set(now)
        self.signer.ask_rejoin(True)
        epoch_change.sign_rejoin(self)
        self._run_rules()

    def sync(self, peer: bytes | None) -> None:
        """Tell a linked node (None: all) where we stand, so that it sends what we lack."""
        catch_up.sync(self, peer)

    def restore(self, records: Iterable[bytes]) -> None:
        """Replay a journal's records, in order, before `start`.

        Nothing is signed meanwhile, nor after it until linked seats have told what they store of
        this one. What is to be asked is asked anew, and nothing is told twice.
        """
        self.outbox.begin_replay()
        for one in records:
            restored_backup.replay(self, one)
            self._run_rules()
        self.outbox.end_replay()
        self.signer.forget_asked()
        self.signer.begin_inquiry()
        if self.broken is not None:
            self.outbox.emit(self.broken)

    def be_cautious(self, certain: bool = False) -> None:
        """Treat the journal as one that may be old. Call it after `restore`, before `start`.

        Nothing is signed until the others have told what they store of this seat. Then it speaks
        and votes in later epochs only, and commits nothing again without asking the player.

        Args:
            certain: Whether the journal is old beyond doubt.

        SPEC: [E-22].
        """
        if self.signer.be_cautious(certain):
            catch_up.ask_own(self, self.peers.links)

    def give_up(self) -> None:
        """End a table whose deck is not confirmed; name a proven fault, else who is gone."""
        setup_end.give_up(self)

    def take(self) -> list[Effect]:
        """Return the effects since the last call, in order."""
        return self.outbox.take()

    # Queries

    @property
    def may_rejoin(self) -> bool:
        """Whether this seat is absent and may come back ([E-31])."""
        return self.seat is not None and absence.may_rejoin(self.tip, self.seat)

    @property
    def is_bound(self) -> bool:
        """Whether the game has begun, or may have: its seat has confirmed the deck."""
        is_last = self.tip.want.kind is Kind.DECK_OK
        return self.has_begun or (is_last and self.log.has_input(self.seat, self.tip.step))

    @property
    def is_silent(self) -> bool:
        """Whether it takes its seat again and may not sign yet: the others have not told."""
        return self.signer.state is SigningState.SILENT

    @property
    def has_voice(self) -> bool:
        """Whether it can help to go on without others.

        After an old journal it cannot, until the others have come to an epoch in which nothing that
        it forgot can stand.
        """
        return not self.is_silent and self.signer.floor <= self.log.view.epoch

    @property
    def must_choose(self) -> bool:
        """Whether the player is asked for a choice now."""
        if self.seat is None or not transition.needs_choice(self.tip, self.seat):
            return False
        return step_progress.may_speak(self)

    @property
    def stands_still(self) -> bool:
        """Whether too few are present for the chain to grow."""
        return transition.stands_still(self.tip)

    @property
    def is_unsure_of_deck(self) -> bool:
        """Whether it has confirmed the deck and has waited twice the timeout for the others.

        So it is earlier if one of them has left. It must still join if all of them turn out to have
        confirmed it, but need not wait for ever: it may leave, keep its journal, and join when it
        takes its seat anew.
        """
        return setup_end.is_unsure_of_deck(self)

    def wait(self, now: float) -> Wait:
        """Return how long the first incomplete step has been waited for, and may be yet.

        It may be no longer if all who are awaited have left for now.
        """
        wait = self.timers.wait(self.tip, now)
        return replace(wait, left=min(wait.left, 0.0)) if self.peers.all_left() else wait

    def away(self) -> frozenset[int]:
        """Return the seats that have said that they leave for now, and nothing since."""
        return frozenset(word.seat for word in self.peers.away())

    def hand(self) -> dict[int, int]:
        """Return slot to card for the cards that this seat alone may see."""
        return self.signer.hand()

    def transcript(self) -> bytes:
        """Return the `.hoity` file of all that it stores, whether the game is over or not.

        If a fault has ended the table, the file ends with the illegal body that proves it ([F-2]).

        Raises:
            ValueError: If it lacks what its own chain rests on.
            TooLarge: If the file would be one that no verifier reads.
        """
        illegal = None if self.judge.can_go_on() else self.judge.illegal_input()
        return transcript_writer.write(self.log.votes, self.log.view, illegal)

    def may_leave(self) -> bool:
        """Return whether this node may leave: the others need nothing more of it ([E-19])."""
        return end_notices.may_leave(self)

    # Rules

    def _receive_message(self, raw: bytes, peer: bytes | None) -> None:
        """Keep what is worth keeping ([M-11]), and pass on what is new ([M-7]).

        The signature of a stored message is not verified again.
        """
        message = signed_messages.read(raw, self.table.id, self.table.seats)
        if message.hash in self.log.store:
            return
        message.verify(self.table.ids)
        votes, lacked = self.log.votes, self.log.lacks_messages
        before, forgotten = votes.quorum_request(), self.signer.is_forgotten(message)
        is_kept = memory_quotas.is_worth_keeping(self, message)
        if is_kept and forgotten:
            # Once the statement is in the journal, nothing there shows that it was forgotten. So
            # the caution goes on disk before it.
            self.be_cautious(certain=True)
        if is_kept and self.signer.hold(message):
            catch_up.pass_on(self, message, peer)
            if lacked or not isinstance(message.statement, StepInput) or not self._judge_alone():
                self._run_rules()
        elif votes.quorum_request() > before:
            self._run_rules()

    def _judge_alone(self) -> bool:
        """Judge an input in an undisturbed step; return whether that is all that follows of it.

        It is while others have still to speak there. Whatever waits for time waits for a `tick`.
        """
        if not step_progress.is_undisturbed(self):
            return False
        if offload.rests(self):
            return True
        self.judge.judge_fresh()
        return bool(self.log.awaited()) and step_progress.is_undisturbed(self)

    def _pass_on(self, word: Departure | EndNotice, peer: bytes | None) -> None:
        """Pass on a seat's signed word that is new here ([L-23], [L-27])."""
        self.outbox.send(word, but=() if peer is None else (peer,))
        self._run_rules()

    def _run_rules(self) -> None:
        """Apply the rules until none changes anything, or a job is under way.

        Once the table has ended, what comes is judged.
        """
        changed = True
        while changed and self.broken is None:
            changed = any([not offload.rests(self) and rule(self) for rule in self.rules])  # noqa: C419
        if self.broken is not None and not offload.rests(self):
            self.judge.judge_fresh()
