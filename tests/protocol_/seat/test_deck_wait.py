"""The wait for all to confirm the deck: nobody is thrown out of a game that begins ([D-3], [D-9]).

All seats but a faulty one have confirmed. It tries to make one of them leave and to begin the game
with the others.
"""

import random
from collections.abc import Callable, Iterable
from typing import Final

import pytest
from support.inspection import has_input, has_left, leaving_since, secrets_of, words
from support.machine_table import MachineTable, carried, seeded, toy_table
from support.sampling import sample, seed
from support.sim.cheap import cheap_blocks

from protocol.chain import transition
from protocol.chain.chain_state import Kind
from protocol.seat.deck_wait import ALONE, LINGER, ROUND
from protocol.seat.effects import (
    SEAT_LEFT,
    SILENT_SEAT,
    UNCONFIRMED,
    Broken,
    EndAnnounced,
    Record,
    Send,
    StepTimedOut,
)
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.step_bodies import EMPTY
from protocol.wire.table_header import Timeouts

TIMEOUTS = Timeouts(8000, 4000, 1000, 8000)
LATE = 2 * TIMEOUTS.step / 1000
"""Seconds after which a confirmed seat gives up."""


class Scene:
    """A table whose last seat holds back its confirmation of the deck, until `confirm`."""

    def __init__(
        self,
        seats: int,
        quorum: int | None = None,
        delay: float = 0.05,
        timeouts: Timeouts = TIMEOUTS,
    ) -> None:
        self.room: MachineTable = toy_table(seats, quorum=quorum, timeouts=timeouts)
        self.room.delay = lambda a, b: delay
        self.liar, self.honest, self.step = seats - 1, range(seats - 1), seats + 4
        self.room.leaving = set(self.honest)
        self.held: list[tuple[int, bytes]] = []
        self.is_open = False
        self.room.hold_back = self._holds_back
        self.room.start()
        assert self.room.go(lambda: all(map(self._waits, self.honest)), 60)
        self.began, self.on = self.room.now, self.room.machine().tip.digest

    def _holds_back(self, seat: int, other: int, frame: bytes) -> bool:
        if seat != self.liar or self.is_open:
            return False
        parsed = peer_frames.parse_frame(frame)
        if isinstance(parsed, EndNotice | Departure) and parsed.seat == seat:
            return True
        message = self.room.message(frame)
        said = message is not None and message.seat == seat
        if not said or not isinstance(message.statement, StepInput):  # type: ignore[union-attr]
            return False
        if message.statement.step < self.step:  # type: ignore[union-attr]
            return False
        self.held.append((other, frame))
        return True

    def _waits(self, seat: int) -> bool:
        machine = self.room.machine(seat)
        return machine.tip.want.kind is Kind.DECK_OK and machine.awaited() == {self.liar}

    # What the faulty seat does

    def confirm(self, *to: int) -> None:
        """Show the confirmation and all that follows to these seats, or to all."""
        self.is_open = not to
        for other, frame in list(self.held):
            if not to or other in to:
                self.room.carry(self.liar, other, frame)

    def confirm_late(self, to: int) -> None:
        """Show the confirmation to one seat, just before its first round of leaving ends."""
        self.room.go(lambda: leaving_since(self.room.machine(to)) is not None, 60)
        since = leaving_since(self.room.machine(to))
        assert since is not None
        late = since + ROUND - self.room.delay(self.liar, to) - 0.02  # type: ignore[misc]
        self.room.at(late, lambda: self.confirm(to))

    def _send(self, bare: EndNotice | Departure, to: Iterable[int]) -> None:
        word = signed_notices.sign_notice(self.room.who[bare.seat], self.room.table.id, bare)
        for seat in to:
            self.room.carry(self.liar, seat, peer_frames.encode_frame(word))

    def notice(self, *to: int, reason: str = SEAT_LEFT, about: int | None = None) -> None:
        """Announce an end of the table to these seats."""
        self._send(EndNotice(self.liar, reason, about), to)

    def departure(self, *to: int, number: int = 1, behind: int = 0) -> None:
        """Show these seats a departure before its confirmation, or `behind` it, or a return."""
        self._send(Departure(self.liar, number, 0, self.step + behind, self.on), to)

    def proof(self, *to: int) -> None:
        """Show these seats two illegal confirmations."""
        for body in (b"one", b"two"):
            made = self.room.sign(self.liar, StepInput(0, self.step, self.on, body))
            for seat in to:
                self.room.carry(self.liar, seat, carried(made))

    def stray_deal(self, to: int, on: bytes) -> None:
        """Show one seat an input to the deal that names no node."""
        self.room.show(self.liar, to, StepInput(0, self.step + 1, on, b"stray"))

    # What follows

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.room.go(lambda: False, seconds)

    def outcome(self, most: float = 60.0) -> tuple[set[int], set[int]]:
        """Return who has left by itself and who plays, once all honest seats do either."""
        room = self.room

        def is_decided() -> bool:
            return all(
                seat in room.left_at or has_input(room.machine(seat), self.step + 1)
                for seat in self.honest
            )

        assert room.go(is_decided, most), "a seat waits for ever"
        left = {seat for seat in self.honest if seat in room.left_at}
        return left, set(self.honest) - left

    def ended(self, seat: int) -> Broken | None:
        """Return how the table has ended for a seat."""
        return self.room.machine(seat).broken


def to_victim_alone(scene: Scene) -> None:
    """The others get another notice first. The victim's copy is not ignored by them."""
    scene.notice(*scene.honest[1:])
    scene.room.at(
        scene.room.now + 0.3, lambda: scene.notice(0, reason=SILENT_SEAT, about=scene.liar)
    )


def departure_and_return(scene: Scene) -> None:
    scene.departure(*scene.honest[1:], number=2)
    scene.room.at(scene.room.now + 0.3, lambda: scene.departure(0))


CARRIERS: Final[dict[str, Callable[[Scene], None]]] = {
    "end notice": to_victim_alone,
    "departure": lambda scene: scene.departure(0),
    "departure, and a return to the others": departure_and_return,
    "proof of its own fault": lambda scene: scene.proof(0),
    "silence": lambda scene: None,
}
PATIENT = Timeouts(8000, 20_000, 1000, 8000)
"""Times at which no seat gives up by itself for long."""
TABLES = [(3, 2), (4, 3), (5, 4), (6, 4), (3, 3), (4, 4)]
LINKS = [0.01, 0.25, 1.0, 2.0]
STEPS = round((LATE + 15) * 20)
"""How many moments in steps of 50 ms there are at which the faulty seat confirms after all."""


def swept(name: str) -> list[float]:
    """Return some of these moments, in seconds; every fifth one at night, from any of the first."""
    first = random.Random(f"{seed()} {name}").randrange(5)
    return sample([number / 20 for number in range(first, STEPS, 5)], 2, name)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(("seats", "quorum"), TABLES)
def test_all_honest_seats_play_or_all_leave(carrier: str, seats: int, quorum: int) -> None:
    """On a strict table nobody can play on without a seat, so there one may leave alone.

    There a proof ends the game that has begun.
    """
    with cheap_blocks():
        for delay in sample(LINKS, 1, f"links: {carrier} {seats}"):
            for seconds in swept(f"confirms: {carrier} {seats} {quorum} {delay}"):
                scene = Scene(seats, quorum, delay)
                CARRIERS[carrier](scene)
                scene.room.at(scene.began + seconds, scene.confirm)
                left, plays = scene.outcome()
                assert not left or not plays or seats == quorum, (delay, seconds)
                codes = {scene.room.machine(seat).broken.code for seat in left}  # type: ignore[union-attr]
                assert codes <= {UNCONFIRMED} or seats == quorum


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seats", [3, 4, 6])
@pytest.mark.parametrize("delay", sample(LINKS, 2, "links that close"))
@pytest.mark.parametrize("alone", [True, False])
def test_a_faulty_seat_that_waits_until_links_close_gains_nothing(
    seats: int, delay: float, alone: bool
) -> None:
    """It confirms to one seat alone, or to all, as soon as the first has left."""
    with cheap_blocks():
        scene = Scene(seats, delay=delay)
        scene.room.go(lambda: bool(scene.room.left_at), 60)
        scene.confirm(*([scene.honest[-1]] if alone else []))
        left, plays = scene.outcome()
        assert (left, plays) == (set(scene.honest), set())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("seats", "quorum"), TABLES)
def test_all_leave_soon_if_one_has_ended(seats: int, quorum: int) -> None:
    """One that says so is not waited for; one that is silent is, twice the step timeout long."""
    for says_so, due in ((True, 15.0), (False, LATE + 15)):
        scene = Scene(seats, quorum)
        if says_so:
            scene.notice(*scene.honest, about=scene.liar)
        assert scene.outcome() == (set(scene.honest), set())
        assert max(scene.room.left_at.values()) - scene.began < due
        assert scene.room.machine().is_bound


def test_a_strict_table_is_left_at_once() -> None:
    scene = Scene(3, 3)
    scene.notice(0)
    scene.go(LINGER + 1)
    assert scene.ended(0) == Broken(UNCONFIRMED)


def test_the_words_of_one_seat_make_nobody_leave() -> None:
    """The victim signs that it waits no longer. It plays all the same when all have confirmed."""
    scene = Scene(4, timeouts=PATIENT)
    scene.departure(0)
    scene.room.drop = lambda seat, other, frame: (
        isinstance(peer_frames.parse_frame(frame), Departure) and other != 0
    )
    scene.go(3 * LATE)
    assert has_left(scene.room.machine())
    assert scene.ended(0) is None
    scene.confirm()
    assert scene.outcome() == (set(), {0, 1, 2})
    words = [peer_frames.parse_frame(send.frame) for send in scene.room.places[0].of_kind(Send)]
    numbers = [word.number for word in words if isinstance(word, Departure) and word.seat == 0]
    assert numbers[0] == 1
    assert numbers[-1] == 2


def test_in_round_k_the_deals_of_k_others_are_needed() -> None:
    for seconds, plays in ((ROUND - 1, True), (ROUND + 1, False)):
        scene = Scene(4)
        scene.room.drop = lambda seat, other, frame: seat not in (3, other) and other == 0
        scene.go(LATE + 1)
        since = leaving_since(scene.room.machine())
        assert since is not None
        scene.go(since + seconds - scene.room.now)
        scene.confirm(0)  # Its confirmation and its input to the deal: one deal of another.
        scene.go(0.5)
        assert has_input(scene.room.machine(), scene.step + 1) is plays


def test_a_seat_without_links_leaves_only_after_it_has_given_up() -> None:
    scene = Scene(4)
    scene.room.cut = lambda seat, other: 0 in (seat, other)
    for other in range(1, 4):
        scene.room.down(0, other)
    scene.go(LATE + ALONE - 1)
    assert has_left(scene.room.machine())
    assert scene.ended(0) is None
    scene.go(2)
    assert scene.ended(0) == Broken(UNCONFIRMED, 3)


def test_a_seat_gives_up_with_the_others_whatever_its_own_clock_says() -> None:
    """The word of the faulty seat counts at each seat, also where its return came first."""
    scene = Scene(4)
    scene.departure(1, 2, number=2, behind=1)
    scene.go(LATE - 1)
    assert scene.room.machine(2).wait_longer(scene.room.now)
    scene.go(2)
    assert [has_left(scene.room.machine(seat)) for seat in scene.honest] == [True, True, False]
    scene.departure(0, behind=1)
    scene.go(1)
    assert all(has_left(scene.room.machine(seat)) for seat in scene.honest)
    began = [leaving_since(scene.room.machine(seat)) for seat in scene.honest]
    assert max(began) - min(began) < 0.5  # type: ignore[type-var, operator]


def test_a_word_that_came_before_the_last_step_of_setup_counts() -> None:
    room = toy_table(4, timeouts=TIMEOUTS)
    room.start()
    while room.machine().tip.step < 7:
        assert room.deliver()
    bare = Departure(2, 1, 0, 7, room.machine().tip.digest)
    word = signed_notices.sign_notice(room.who[2], room.table.id, bare)
    room.hear(0, peer_frames.encode_frame(word), 2)
    assert words(room.machine()) == set()
    while not has_input(room.machine(), 8):
        assert room.deliver()
    room.machine().tick(room.now)
    assert words(room.machine()) == {2}


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.6, 0.9])
def test_the_last_confirmation_reaches_all_at_once(phase: float) -> None:
    """Also those who hear its signer over a link of their own, and would ask a second later."""
    scene = Scene(4)
    scene.go(2 + phase)
    scene.confirm(0)
    scene.go(0.3)
    assert all(scene.room.machine(seat).has_begun for seat in scene.honest)


def test_a_seat_that_gave_up_is_waited_for_in_the_deal() -> None:
    """The others deal, and it hears of that only after a while. It is not made absent."""
    scene = Scene(4, timeouts=PATIENT)
    scene.departure(0)
    scene.go(2)
    assert has_left(scene.room.machine())
    scene.room.drop = lambda seat, other, frame: other == 0
    scene.confirm(1, 2)
    scene.go(4)
    scene.room.drop = lambda seat, other, frame: False
    scene.confirm()
    assert scene.room.go(lambda: all(scene.room.machine(s).finished for s in scene.honest), 90)
    assert scene.room.machine(1).tip.absences == (0, 0, 0, 0)


def test_a_confirmed_seat_signs_no_end_notice_and_tells_who_announced_what() -> None:
    scene = Scene(4)
    scene.notice(0, reason=SILENT_SEAT, about=1)
    assert scene.outcome() == ({0, 1, 2}, set())
    place = scene.room.places[0]
    assert place.of_kind(EndAnnounced) == [EndAnnounced(3, SILENT_SEAT, 1)]
    sent = [peer_frames.parse_frame(send.frame) for send in place.of_kind(Send)]
    assert {one.seat for one in sent if isinstance(one, EndNotice)} == {3}
    assert scene.ended(0) == Broken(UNCONFIRMED)


def test_who_is_awaited_is_told_before_the_seat_gives_up() -> None:
    scene = Scene(4)
    scene.go(LATE - 1)
    assert scene.room.places[0].of_kind(StepTimedOut)[-1].seats == {3}
    assert not has_left(scene.room.machine())


def test_more_time_for_the_others_puts_off_the_departure() -> None:
    scene = Scene(4)
    scene.go(LATE - 1)
    for seat in scene.honest:
        assert scene.room.machine(seat).wait_longer(scene.room.now)
    scene.go(LATE - 1)
    assert not has_left(scene.room.machine())
    scene.go(2)
    assert has_left(scene.room.machine())


@pytest.mark.parametrize("first", [True, False])
def test_a_legal_confirmation_is_stored_after_two_illegal_ones(first: bool) -> None:
    """Otherwise the seat to which those were shown could not play with the others."""
    scene = Scene(4)
    scene.proof(0)
    scene.go(0.2)
    scene.confirm(0 if first else 1)
    assert scene.outcome() == (set(), {0, 1, 2})


def test_no_confirmation_after_an_end_notice_even_after_a_resume() -> None:
    """Seat 0 has ended the table without the last shuffle, and sees it only after its resume."""
    room = toy_table(4, timeouts=TIMEOUTS)

    def is_last_shuffle(frame: bytes) -> bool:
        message = room.message(frame)
        step_input = None if message is None else message.statement
        return isinstance(step_input, StepInput) and step_input.step == 7

    room.drop = lambda seat, other, frame: other == 0 and is_last_shuffle(frame)
    room.start()
    room.run(until=TIMEOUTS.step / 1000 + 0.5)
    assert room.machine().broken == Broken(SILENT_SEAT, 3)
    assert has_input(room.machine(1), 8)
    room.drop = lambda seat, other, frame: False
    room.crash_and_resume(0)
    room.run(until=10)
    assert room.machine().broken == Broken(SILENT_SEAT, 3)
    assert not has_input(room.machine(), 8)


def test_an_end_notice_is_on_disk_before_it_is_sent() -> None:
    room = toy_table(3, timeouts=TIMEOUTS)
    room.hold_back = lambda seat, other, frame: seat == 2
    room.start()
    room.run(until=TIMEOUTS.step / 1000 + 1)
    heard = room.places[0].heard
    sent = next(
        i
        for i, one in enumerate(heard)
        if isinstance(one, Send) and isinstance(peer_frames.parse_frame(one.frame), EndNotice)
    )
    assert isinstance(heard[sent], Send)
    assert isinstance(heard[sent - 1], Record)
    assert heard[sent].frame in heard[sent - 1].data


def test_a_seat_that_has_left_takes_its_seat_again_and_plays() -> None:
    scene = Scene(4)
    assert scene.outcome() == ({0, 1, 2}, set())
    scene.is_open = True
    scene.room.leaving = set()
    for seat in scene.honest:
        scene.room.crash_and_resume(seat)
    for seat in scene.honest:
        for other in scene.room.linked(seat):
            scene.room.up(other, seat)
    scene.confirm()
    assert scene.room.go(lambda: all(scene.room.machine(s).finished for s in scene.honest), 60)
    assert scene.room.machine().tip.absences == (0, 0, 0, 0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("delay", [0.05, 0.5])
def test_two_inputs_to_the_deal_that_name_no_node_do_not_hide_a_third(
    seats: int, delay: float
) -> None:
    """They are shown to all but one. This one returns at the end of round 1, with the third."""
    scene = Scene(seats, delay=delay)
    scene.go(LATE - 1.5 * delay - 0.3)
    for seat in scene.honest[1:]:
        scene.stray_deal(seat, b"x" * 32)
        scene.stray_deal(seat, b"y" * 32)
    scene.departure(*scene.honest)
    scene.confirm_late(0)
    assert scene.outcome() == (set(), set(scene.honest))


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("delay", [0.05, 0.5])
def test_an_input_to_the_deal_is_passed_on_whatever_its_seat_has_signed_before(
    seats: int, delay: float
) -> None:
    """The proof that seat 1 keeps does not name it, and another one of its identity came before."""
    scene = Scene(seats, delay=delay)
    scene.proof(1)
    scene.stray_deal(1, b"x" * 32)
    scene.confirm_late(1)
    assert scene.outcome() == (set(), set(scene.honest))


SPLITS = [(3, {0}), (4, {0}), (4, {0, 1}), (5, {0, 1}), (6, {0}), (6, {0, 1, 2})]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("seats", "first"), SPLITS)
@pytest.mark.parametrize("confirms", [True, False])
def test_all_leave_if_the_last_shuffle_was_shown_in_two_forms(
    seats: int, first: set[int], confirms: bool
) -> None:
    """Each seat has confirmed one of two decks. No honest one is waited for, or named."""
    room, liar, other = toy_table(seats, timeouts=PATIENT), seats - 1, list[bytes]()
    room.delay = lambda a, b: 0.05
    room.leaving = set(range(liar))

    def second() -> bytes:
        if not other:
            machine = room.machine(liar)
            node = machine.tip if machine.tip.step == seats + 3 else machine.tip.parent
            assert node is not None
            body = transition.body_of(node, liar, secrets_of(machine), seeded("second shuffle"))
            other.append(carried(room.sign(liar, StepInput(0, seats + 3, node.digest, body))))
        return other[0]

    def hold_back(seat: int, to: int, frame: bytes) -> bool:
        message = room.message(frame) if seat == liar else None
        said = None if message is None or message.seat != liar else message.statement
        if not isinstance(said, StepInput) or said.step < seats + 3:
            return False
        if said.step == seats + 3 and to in first:
            return False
        if said.step == seats + 3:
            room.carry(liar, to, second())
        return True

    room.hold_back = hold_back
    room.start()
    honest = room.machines(range(liar))
    assert room.go(lambda: all(m.tip.want.kind is Kind.DECK_OK for m in honest), 60)
    assert len({machine.tip.digest for machine in honest}) == 2
    for seat in range(liar) if confirms else ():
        room.show(liar, seat, StepInput(0, seats + 4, honest[seat].tip.digest, EMPTY))
    assert room.go(lambda: all(machine.broken for machine in honest), 20)
    assert {m.broken.code for m in honest if m.broken} == {UNCONFIRMED}
    assert {m.broken.seat for m in honest if m.broken} <= {None, liar}
