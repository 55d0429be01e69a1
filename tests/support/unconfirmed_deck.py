"""A table whose last seat holds back its confirmation of the deck."""

from collections.abc import Iterable

from protocol.chain.chain_state import Kind
from protocol.seat.deck_wait import ROUND
from protocol.seat.effects import SEAT_LEFT, Broken
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.table_header import Timeouts
from support.inspection import has_input, leaving_since
from support.machine_table import MachineTable, carried, toy_table

TIMEOUTS = Timeouts(8000, 4000, 1000, 8000)
LATE = 2 * TIMEOUTS.step / 1000
"""Seconds after which a confirmed seat gives up."""


class UnconfirmedDeck:
    """A table whose last seat holds back its confirmation of the deck, until `confirm`."""

    def __init__(
        self,
        seats: int,
        quorum: int | None = None,
        delay: float = 0.05,
        timeouts: Timeouts = TIMEOUTS,
    ) -> None:
        self.table: MachineTable = toy_table(seats, quorum=quorum, timeouts=timeouts)
        self.table.delay = lambda a, b: delay
        self.liar, self.honest, self.step = seats - 1, range(seats - 1), seats + 4
        self.table.leaving = set(self.honest)
        self.held: list[tuple[int, bytes]] = []
        self.is_open = False
        self.table.hold_back = self._holds_back
        self.table.start()
        assert self.table.go(lambda: all(map(self._waits, self.honest)), 60)
        self.began, self.on = self.table.now, self.table.machine().tip.digest

    def _holds_back(self, seat: int, other: int, frame: bytes) -> bool:
        if seat != self.liar or self.is_open:
            return False
        parsed = peer_frames.parse_frame(frame)
        if isinstance(parsed, EndNotice | Departure) and parsed.seat == seat:
            return True
        message = self.table.message(frame)
        said = message is not None and message.seat == seat
        if not said or not isinstance(message.statement, StepInput):  # type: ignore[union-attr]
            return False
        if message.statement.step < self.step:  # type: ignore[union-attr]
            return False
        self.held.append((other, frame))
        return True

    def _waits(self, seat: int) -> bool:
        machine = self.table.machine(seat)
        return machine.tip.want.kind is Kind.DECK_OK and machine.awaited() == {self.liar}

    # What the faulty seat does

    def confirm(self, *to: int) -> None:
        """Show the confirmation and all that follows to these seats, or to all."""
        self.is_open = not to
        for other, frame in list(self.held):
            if not to or other in to:
                self.table.carry(self.liar, other, frame)

    def confirm_late(self, to: int) -> None:
        """Show the confirmation to one seat, just before its first round of leaving ends."""
        self.table.go(lambda: leaving_since(self.table.machine(to)) is not None, 60)
        since = leaving_since(self.table.machine(to))
        assert since is not None
        late = since + ROUND - self.table.delay(self.liar, to) - 0.02  # type: ignore[misc]
        self.table.at(late, lambda: self.confirm(to))

    def _send(self, bare: EndNotice | Departure, to: Iterable[int]) -> None:
        word = signed_notices.sign_notice(self.table.who[bare.seat], self.table.table.id, bare)
        for seat in to:
            self.table.carry(self.liar, seat, peer_frames.encode_frame(word))

    def notice(self, *to: int, reason: str = SEAT_LEFT, about: int | None = None) -> None:
        """Announce an end of the table to these seats."""
        self._send(EndNotice(self.liar, reason, about), to)

    def departure(self, *to: int, number: int = 1, behind: int = 0) -> None:
        """Show these seats a departure before its confirmation, or `behind` it, or a return."""
        self._send(Departure(self.liar, number, 0, self.step + behind, self.on), to)

    def proof(self, *to: int) -> None:
        """Show these seats two illegal confirmations."""
        for body in (b"one", b"two"):
            made = self.table.sign(self.liar, StepInput(0, self.step, self.on, body))
            for seat in to:
                self.table.carry(self.liar, seat, carried(made))

    def stray_deal(self, to: int, on: bytes) -> None:
        """Show one seat an input to the deal that names no node."""
        self.table.show(self.liar, to, StepInput(0, self.step + 1, on, b"stray"))

    # What follows

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.table.go(lambda: False, seconds)

    def outcome(self, most: float = 60.0) -> tuple[set[int], set[int]]:
        """Return who has left by itself and who plays, once all honest seats do either."""
        table = self.table

        def is_decided() -> bool:
            return all(
                seat in table.left_at or has_input(table.machine(seat), self.step + 1)
                for seat in self.honest
            )

        assert table.go(is_decided, most), "a seat waits for ever"
        left = {seat for seat in self.honest if seat in table.left_at}
        return left, set(self.honest) - left

    def ended(self, seat: int) -> Broken | None:
        """Return how the table has ended for a seat."""
        return self.table.machine(seat).broken
