"""One seat or onlooker of a table, without input and output: frames and time in, effects out.

The rules of a seat are a table of all that it does of itself, in the order of their turns.

A node without a seat (a watcher) runs the same machine and never signs. Time is passed in,
in seconds of any monotonic clock; randomness is passed in; nothing here reads either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from ..chain import own_inputs, transition
from ..chain.cards import hand
from ..chain.chain_state import Kind, Node, Table
from ..consensus import new_epoch
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from ..game_interface import NOTHING_ASKED, Choice, IllegalMove
from ..transcript import transcript_writer
from ..wire import peer_frames, signed_messages
from ..wire.signed_messages import Message, Say
from ..wire.signed_notices import EndNotice, Leave
from . import (
    catch_up,
    crash_recovery,
    departure_notices,
    end_notices,
    epoch_change,
    fault_judge,
    memory_quotas,
    offload,
    restored_backup,
    step_progress,
)
from .effects import Broken, Effect, Job, Send
from .seat_state import Core, PlayerChoice, State
from .signer import hold, record
from .timeouts import RETRY, Wait

Rule = Callable[[Core], bool]
"""Says whether it changed anything."""
RULES: Final[tuple[Rule, ...]] = (
    fault_judge.judge_fresh,
    restored_backup.inquire,
    step_progress.begin_epochs,
    step_progress.check_forms,
    fault_judge.tell_guilty,
    step_progress.enter,
    step_progress.advance,
    step_progress.end_setup,
    departure_notices.come_back,
    departure_notices.tell_left,
    step_progress.speak,
    step_progress.prepare,
    step_progress.finish,
    end_notices.tell_end,
    epoch_change.late,
    epoch_change.halt,
    epoch_change.propose,
    epoch_change.accept,
    epoch_change.seal,
)
JUDGING: Final[tuple[Rule, ...]] = (fault_judge.judge_fresh,)
"""All that a say calls for while others have still to speak in its step, and nothing else is up."""


class Machine:
    """The machine of one node at one table: what a driver calls.

    Every call may leave effects: `take` them at once and carry them out in order. A `Record` must
    be on disk before a `Send` behind it leaves.
    """

    rules = RULES

    def __init__(
        self,
        table: Table,
        rng: Random,
        seat: int | None = None,
        who: Identity | None = None,
        seed: bytes | None = None,
    ) -> None:
        """`seed` (32 bytes) gives the seat's secrets; it must be on disk before `start`."""
        self.core = Core(table, rng, seat, who, seed)

    # What happens to it.

    def start(self, now: float) -> None:
        """Begin, or go on after `restore`."""
        core = self.core
        core.clocks.restart(now)
        core.view.entered = now
        if core.inquiry is not None:
            core.inquiry.began = now
        self._pump()
        catch_up.sync(core, None)

    def link_up(self, peer: bytes, now: float, again: bool = False) -> None:
        """A node is linked: tell it where we stand, and ask a seat what it holds of this one.
        `again`: another link with the same process was there until now."""
        self.core.clocks.now = now
        catch_up.link_up(self.core, peer)
        catch_up.sync(self.core, peer)
        restored_backup.link_up(self.core, peer, again)
        self._pump()

    def link_down(self, peer: bytes, now: float) -> None:
        """A node is linked no more."""
        self.core.clocks.now = now
        restored_backup.link_down(self.core, peer)
        catch_up.link_down(self.core, peer)
        self._pump()

    def receive(self, data: bytes, now: float, peer: bytes | None = None) -> None:
        """One frame of a linked node; Invalid if it is garbage (blame the link, no seat)."""
        self.core.clocks.now = now
        frame = peer_frames.parse_frame(data)
        catch_up.hear(self.core, peer)
        match frame:
            case peer_frames.Carry(raw):
                self._receive_message(raw, peer)
            case peer_frames.Told() as told:
                restored_backup.hear(self.core, told, peer)
                self._pump()
            case Leave() as word:
                if departure_notices.take(self.core, word):
                    self._pass_on(word, peer)
            case EndNotice() as notice:
                if end_notices.take(self.core, notice, peer):
                    self._pass_on(notice, peer)
            case request:
                if isinstance(request, peer_frames.Sync):
                    catch_up.note(self.core, request, peer)
                catch_up.answer(self.core, request, peer)

    def tick(self, now: float) -> None:
        """Time has passed."""
        core = self.core
        core.clocks.now = now
        if now - core.clocks.asked >= RETRY:
            core.clocks.asked = now
            epoch_change.sign_back(core)
            catch_up.ask_again(core)
        self._pump()

    def choose(self, choice: Choice, now: float) -> None:
        """The player's choice for what was asked last; IllegalMove if the rules forbid it."""
        core, node = self.core, self.core.tip
        core.clocks.now = now
        if core.seat is None or not self.must_choose:
            raise IllegalMove(NOTHING_ASKED)
        core.table.check_choice(node.state, node.want.name, core.seat, choice, self.hand())
        core.player_choices[node.step, node.want.name] = PlayerChoice(node.digest, choice)
        self._pump()

    def wait_longer(self, now: float) -> bool:
        """Give who is awaited another full patience from `now` on; False if nobody else is ([E-3]).

        False also where patience ends nothing: in the game of a strict table. Always safe: to the
        others this clock is merely slow. Nothing is signed, the journal does not know of it, and
        an epoch that t seats wish is joined all the same.
        """
        core = self.core
        core.clocks.now = now
        if core.finished or core.broken is not None or not core.awaited() - {core.seat}:
            return False
        if core.table.strict and core.has_begun:
            return False
        core.clocks.grant(core.tip)
        core.told_waiting.discard((core.tip.step, core.tip.digest))
        return True

    def hand_out(self) -> None:
        """Leave from now on as a `job` what takes long; until it is finished the rules rest."""
        self.core.hands_out = True

    @property
    def job(self) -> Job | None:
        """What is to be run, wherever the driver likes, before anything is decided."""
        return self.core.job

    def finish(self, job: Job, given: Any, now: float) -> None:
        """The job was run and gave this: go on."""
        self.core.clocks.now = now
        offload.finish(self.core, job, given)
        self._pump()

    def leave(self, now: float) -> bool:
        """Say to all that this seat leaves for now; whether it was said. Nothing is signed behind
        it: the seat is taken again by `restore`, in another machine.
        """
        self.core.clocks.now = now
        return departure_notices.leave(self.core)

    def refuse(self, seat: int, now: float) -> bool:
        """Learn that a seat refuses this table, by a signed word that its driver has checked.

        Args:
            seat: The seat that refuses.
            now: The machine's clock, in seconds.

        Returns:
            Whether it is news. In setup the table ends by it, and names the seat.
        """
        if self.core.has_begun or self.core.ends.refuser is not None:
            return False
        self.core.clocks.now, self.core.ends.refuser = now, seat
        self._pump()
        return True

    def ask_back(self, now: float) -> None:
        """Ask to be let in again after an absence."""
        self.core.clocks.now = now
        self.core.wants_back = True
        epoch_change.sign_back(self.core)
        self._pump()

    @property
    def may_return(self) -> bool:
        """Whether this seat is absent and may come back ([E-31])."""
        seat = self.core.seat
        return seat is not None and new_epoch.may_return(self.core.tip, seat)

    def sync(self, peer: bytes | None) -> None:
        """Tell a linked node (None: all) where we stand, so that it sends what we lack."""
        catch_up.sync(self.core, peer)

    def restore(self, records: Iterable[bytes]) -> None:
        """Replay a journal's records, in order, before `start`; nothing is signed meanwhile, nor
        after it until linked seats have told what they hold of this one.
        """
        core = self.core
        core.replaying = True
        for one in records:
            crash_recovery.replay(core, one)
            self._pump()
        core.replaying = False
        crash_recovery.end(core)

    def be_cautious(self, certain: bool = False) -> None:
        """The journal may be old (`certain`: it is): sign nothing until the others have told what
        they hold of this seat, then speak and vote in later epochs only, and commit nothing again
        without asking the player. Call it after `restore`, before `start`.
        """
        restored_backup.be_cautious(self.core, certain)

    def take(self) -> list[Effect]:
        """The effects since the last call, in order."""
        return self.core.take()

    # What it knows.

    @property
    def table(self) -> Table:
        """The table it plays at."""
        return self.core.table

    @property
    def seat(self) -> int | None:
        """Its seat; None for a watcher."""
        return self.core.seat

    @property
    def tip(self) -> Node:
        """The last point of the chain it follows."""
        return self.core.tip

    @property
    def has_begun(self) -> bool:
        """Whether the cards are dealt: from then on an absence ends no table."""
        return self.core.has_begun

    @property
    def is_bound(self) -> bool:
        """Whether the game has begun, or may have: its seat has confirmed the deck."""
        core, node = self.core, self.core.tip
        return core.has_begun or (node.want.kind is Kind.DECK_OK and core.has_said(node.step))

    @property
    def finished(self) -> bool:
        """Whether the game is over and its result final."""
        return self.core.finished

    @property
    def broken(self) -> Broken | None:
        """How the table ended without a result, if it did."""
        return self.core.broken

    @property
    def is_silent(self) -> bool:
        """Whether it takes its seat again and may not sign yet: the others have not told."""
        return self.core.state is State.SILENT

    @property
    def has_voice(self) -> bool:
        """Whether it can help to go on without others; after an old journal it cannot, until the
        others have come to an epoch in which nothing that it forgot can stand."""
        return not self.is_silent and self.core.floor <= self.core.view.epoch

    @property
    def must_choose(self) -> bool:
        """Whether the player is asked for a choice now."""
        core = self.core
        if core.seat is None or not own_inputs.needs_choice(core.tip, core.seat):
            return False
        return step_progress.may_speak(core)

    @property
    def lacks_messages(self) -> bool:
        """Whether it has asked the others for messages it does not hold."""
        return self.core.lacks_messages

    @property
    def stands_still(self) -> bool:
        """Whether too few are present for the chain to grow."""
        return transition.stands_still(self.core.tip)

    @property
    def is_unsure_of_deck(self) -> bool:
        """Whether it has confirmed the deck and has waited twice the patience for the others, or
        one of them has left before.

        It must still join if all of them turn out to have confirmed it, but need not wait for
        ever: it may leave, keep its journal, and join when it takes its seat anew.
        """
        return step_progress.is_unsure_of_deck(self.core)

    def give_up(self) -> None:
        """End a table whose deck is not confirmed; it names a proven fault, else who is gone."""
        step_progress.give_up(self.core)

    def awaited(self) -> frozenset[int]:
        """The seats that still have to speak in the first incomplete step."""
        return self.core.awaited()

    def wait(self, now: float) -> Wait:
        """How long the first incomplete step has been waited for, and may be yet; no longer if all
        who are awaited have left for now."""
        wait = self.core.clocks.wait(self.core.tip, now)
        return replace(wait, left=min(wait.left, 0.0)) if self.core.all_left() else wait

    def away(self) -> frozenset[int]:
        """The seats that have said that they leave for now, and nothing since."""
        return frozenset(word.seat for word in self.core.away())

    def final_step(self) -> int:
        """The last step that nothing can replace any more; it never falls."""
        return self.core.final_step()

    def hand(self) -> dict[int, int]:
        """Slot to card for the cards this seat alone may see."""
        core = self.core
        if core.seat is None or core.own_secrets is None:
            return {}
        return hand(core.tip, core.seat, core.own_secrets, core.opened)

    def transcript(self) -> bytes:
        """The `.hoity` file of all that it holds, whether the game is over or not.

        Raises ValueError if it lacks what its own chain rests on, and TooLarge if the file would be
        one that no verifier reads.
        """
        return transcript_writer.write(self.core)

    def may_leave(self) -> bool:
        """Return whether this node may leave: the others need nothing more of it ([E-19])."""
        return end_notices.may_leave(self.core)

    # Its rules.

    def _receive_message(self, raw: bytes, peer: bytes | None) -> None:
        """Keep what is worth keeping, and pass on what is new ([M-7])."""
        core = self.core
        message = signed_messages.parse(raw, core.table.id, core.table.ids)
        before, lacked = core.votes.common_wish(), self.lacks_messages
        forgotten = restored_backup.is_forgotten(core, message)
        if memory_quotas.is_worth_keeping(core, message) and hold(core, message):
            record(core, message)
            catch_up.pass_on(core, message, peer)
            if forgotten:
                self.be_cautious(certain=True)
            self._follow(message, lacked)
        elif core.votes.common_wish() > before:
            self._pump()

    def _pass_on(self, word: Leave | EndNotice, peer: bytes | None) -> None:
        """Pass on a seat's signed word that is new here ([L-23], [L-27])."""
        known = frozenset() if peer is None else frozenset((peer,))
        self.core.emit(Send(peer_frames.encode_frame(word), but=known))
        self._pump()

    def _follow(self, message: Message, lacked: bool) -> None:
        """What follows of a message: of a say in an undisturbed step that others have still to
        speak in, no more than its judgement; whatever waits for time waits for a `tick`."""
        core = self.core
        if isinstance(message.statement, Say) and not lacked and step_progress.is_undisturbed(core):
            self._turn(JUDGING)
            if core.job is not None or (core.awaited() and step_progress.is_undisturbed(core)):
                return
        self._pump()

    def _pump(self) -> None:
        """The rules to a fixpoint or a rest; once the table has ended, what comes is judged."""
        while self.core.broken is None and self._turn(self.rules):
            pass
        if self.core.broken is not None:
            self._turn(JUDGING)

    def _turn(self, rules: tuple[Rule, ...]) -> bool:
        """One round of these rules; whether anything changed. A rest breaks it off."""
        core = self.core
        return any([not offload.rests(core) and rule(core) for rule in rules])  # noqa: C419
