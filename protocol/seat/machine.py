"""One seat's machine: bytes in, effects out; it follows the chain, speaks and votes.

A node without a seat (a watcher) runs the same machine and never signs. Time is passed in,
in seconds of any monotonic clock; randomness is passed in; nothing here reads either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..chain import own_bodies
from ..chain.cards import hand
from ..game import NOTHING_ASKED, Choice, IllegalMove
from ..wire import encoding, frames, messages
from ..wire.messages import Say
from . import accusations, admission, epoch_change, progress, recovery, sync
from .core import Desk, Given
from .effects import Send
from .inquiry import Inquiry
from .timeouts import RETRY

RULES: Final[tuple[Callable[[Desk], bool], ...]] = (
    recovery.inquire,
    progress.begin_epochs,
    progress.check_forms,
    accusations.tell_guilty,
    progress.enter,
    progress.advance,
    progress.end_setup,
    progress.speak,
    progress.finish,
    epoch_change.late,
    epoch_change.halt,
    epoch_change.propose,
    epoch_change.accept,
    epoch_change.seal,
)
"""The rules of a seat in the order in which they have their turn; each says if it changed."""


class Machine(Desk):
    """The lockstep machine of one node at one table: what a driver calls."""

    rules = RULES

    def start(self, now: float) -> None:
        """Begin, or go on after `restore`."""
        self.clocks.restart(now)
        self.view.entered = now
        if self.inquiry is not None:
            self.inquiry.began = now
        self._pump()
        self.sync(None)

    def link_up(self, peer: bytes, now: float) -> None:
        """A node is linked: tell it where we stand, and ask a seat what it holds of this one."""
        self.clocks.now = now
        self.sync(peer)
        recovery.link_up(self, peer)
        self._pump()

    def link_down(self, peer: bytes, now: float) -> None:
        """A node is linked no more."""
        self.clocks.now = now
        recovery.link_down(self, peer)
        self._pump()

    def receive(self, data: bytes, now: float, peer: bytes | None = None) -> None:
        """One frame of a linked node; Invalid if it is garbage (blame the link, no seat)."""
        self.clocks.now = now
        frame = frames.parse_frame(data)
        match frame:
            case frames.Carry(raw):
                self._receive_message(raw, peer)
            case frames.Told():
                recovery.hear(self, frame, peer)
                self._pump()
            case _:
                sync.answer(self, frame, peer)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.clocks.now = now
        if now - self.clocks.asked >= RETRY:
            self.clocks.asked = now
            epoch_change.sign_back(self)
            sync.ask_again(self)
        self._pump()

    def choose(self, choice: Choice, now: float) -> None:
        """The player's choice for what was asked last; IllegalMove if the rules forbid it."""
        self.clocks.now = now
        node = self.tip
        if self.seat is None or not self.must_choose:
            raise IllegalMove(NOTHING_ASKED)
        self.table.check_choice(node.state, node.want.name, self.seat, choice, self.hand())
        self.given[node.step, node.want.name] = Given(node.digest, choice)
        self._pump()

    def wait_longer(self, now: float) -> bool:
        """Give who is awaited another full patience from `now` on; False if nobody else is.

        False also where patience ends nothing: in the game of a strict table. Always safe: to the
        others this clock is merely slow. Nothing is signed, the journal does not know of it, and
        an epoch that t seats wish is joined all the same.
        """
        self.clocks.now = now
        if self.finished or self.broken is not None or not self.awaited() - {self.seat}:
            return False
        if self.table.strict and self.has_begun:
            return False
        self.clocks.grant(self.tip)
        self.told_waiting.discard((self.tip.step, self.tip.digest))
        return True

    @property
    def must_choose(self) -> bool:
        """Whether the player is asked for a choice now."""
        if self.seat is None or not own_bodies.needs_choice(self.tip, self.seat):
            return False
        return progress.may_speak(self)

    def hand(self) -> dict[int, int]:
        """Slot to card for the cards this seat alone may see."""
        if self.seat is None or self._secrets is None:
            return {}
        return hand(self.tip, self.seat, self._secrets)

    def may_leave(self) -> bool:
        """Whether the others need nothing more: all confirmed the end and none wishes an epoch.

        If some do not, it is enough to have waited for them with patience.
        """
        if not self.finished:
            return self.broken is not None
        if self.clocks.waited_after_end():
            return True
        wishes = self.ballot.wishes()
        pending = any(wishes.get(seat, 0) > self.view.epoch for seat in self.tip.present)
        return not pending and not self.awaited()

    def ask_back(self, now: float) -> None:
        """Ask to be let in again after an absence."""
        self.clocks.now = now
        self.wants_back = True
        epoch_change.sign_back(self)
        self._pump()

    def sync(self, peer: bytes | None) -> None:
        """Tell a linked node (None: all) where we stand, so that it sends what we lack."""
        sync.sync(self, peer)

    # Journal.

    def restore(self, records: list[bytes]) -> None:
        """Replay a journal's records, in order, before `start`; nothing is signed meanwhile, nor
        after it until linked seats have told what they hold of this one.
        """
        self.replaying = True
        for record in records:
            self._restore(record)
        self.replaying = False
        self.asked = None
        self.take()
        if self.seat is not None and self.inquiry is None:
            self.inquiry = Inquiry(self.clocks.now)
        if self.broken is not None:
            self.emit(self.broken)

    def _restore(self, record: bytes) -> None:
        value = encoding.decode(record, frames.MAX_FRAME)
        if not value[0]:
            self._restore_floor(value[2])
            return
        message = messages.parse(value[0], self.table.id, self.table.ids)
        for commitment, choice, nonce in value[1]:
            self.secrets.openings[commitment] = (choice, nonce)
        if value[2] is not None and isinstance(message.statement, Say):
            digest, name, choice = value[2]
            self.given[message.statement.step, name] = Given(digest, choice)
        self.hold(message)
        self._pump()

    def _restore_floor(self, floor: int | None) -> None:
        if floor is not None:
            self.floor, self.inquiry = floor, None
        elif self.seat is not None:
            self.inquiry = Inquiry(self.clocks.now, cautious=True)
            self.forget_choices()

    def be_cautious(self, certain: bool = False) -> None:
        """The journal may be old (`certain`: it is): sign nothing until the others have told what
        they hold of this seat, then speak and vote in later epochs only, and commit nothing again
        without asking the player. Call it after `restore`, before `start`.
        """
        recovery.be_cautious(self, certain)

    # Receiving.

    def _receive_message(self, raw: bytes, peer: bytes | None) -> None:
        message = messages.parse(raw, self.table.id, self.table.ids)
        before = self.ballot.common_wish()
        forgotten = recovery.is_forgotten(self, message)
        if admission.is_worth_keeping(self, message) and self.hold(message):
            self.record(message)
            self.emit(Send(frames.encode_frame(frames.Carry(raw)), but=peer))
            if forgotten:
                self.be_cautious(certain=True)
            self._pump()
        elif self.ballot.common_wish() > before:
            self._pump()

    # The rules of a seat, to a fixpoint.

    def _pump(self) -> None:
        while self.broken is None and self._turn():
            pass

    def _turn(self) -> bool:
        """One round of the rules; whether anything changed."""
        return any([rule(self) for rule in self.rules])  # noqa: C419 - every rule has its turn
