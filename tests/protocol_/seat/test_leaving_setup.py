"""The wait for all to confirm the deck: nobody is thrown out of a game that begins ([D-3], [D-9]).

All seats but a faulty one have confirmed. It tries to make one of them leave and to begin the game
with the others.
"""

import random
from collections.abc import Callable
from typing import Final

import pytest
from support.departing import depart, departure, hear_departure, setup_before
from support.inspection import (
    has_input,
    has_left,
    inspect,
    leaving_since,
    seats_given_up,
    secrets_of,
)
from support.machine_table import carried, seeded, toy_table
from support.sampling import sample, seed
from support.sim.cheap import cheap_blocks
from support.unconfirmed_deck import LATE, TIMEOUTS, UnconfirmedDeck

from protocol.chain import transition
from protocol.chain.chain_state import Kind
from protocol.seat.deck_wait import leaving_seconds
from protocol.seat.effects import (
    SILENT_SEAT,
    UNCONFIRMED,
    Broken,
    EndAnnounced,
    Record,
    Send,
    StepTimedOut,
)
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.step_bodies import EMPTY
from protocol.wire.table_header import Timeouts


def to_victim_alone(deck: UnconfirmedDeck) -> None:
    """The others get another notice first. The victim's copy is not ignored by them."""
    deck.notice(*deck.honest[1:])
    deck.table.at(deck.table.now + 0.3, lambda: deck.notice(0, reason=SILENT_SEAT, about=deck.liar))


def departure_and_return(deck: UnconfirmedDeck) -> None:
    deck.departure(*deck.honest[1:], number=2)
    deck.table.at(deck.table.now + 0.3, lambda: deck.departure(0))


CARRIERS: Final[dict[str, Callable[[UnconfirmedDeck], None]]] = {
    "end notice": to_victim_alone,
    "departure": lambda deck: deck.departure(0),
    "departure, and a return to the others": departure_and_return,
    "proof of its own fault": lambda deck: deck.proof(0),
    "silence": lambda deck: None,
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
                deck = UnconfirmedDeck(seats, quorum, delay)
                CARRIERS[carrier](deck)
                deck.table.at(deck.began + seconds, deck.confirm)
                left, plays = deck.outcome()
                assert not left or not plays or seats == quorum, (delay, seconds)
                codes = {deck.table.machine(seat).broken.code for seat in left}  # type: ignore[union-attr]
                assert codes <= {UNCONFIRMED} or seats == quorum
                assert all(deck.table.machine(seat).is_bound for seat in left) or seats == quorum


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seats", [3, 4, 6])
@pytest.mark.parametrize("delay", sample(LINKS, 2, "links that close"))
@pytest.mark.parametrize("alone", [True, False])
def test_a_faulty_seat_that_waits_until_links_close_gains_nothing(
    seats: int, delay: float, alone: bool
) -> None:
    """It confirms to one seat alone, or to all, as soon as the first has left."""
    with cheap_blocks():
        deck = UnconfirmedDeck(seats, delay=delay)
        deck.table.go(lambda: bool(deck.table.left_at), 60)
        deck.confirm(*([deck.honest[-1]] if alone else []))
        left, plays = deck.outcome()
        assert (left, plays) == (set(deck.honest), set())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("seats", "quorum"), TABLES)
def test_all_leave_soon_if_one_has_ended(seats: int, quorum: int) -> None:
    """One that says so is not waited for; one that is silent is, twice the step timeout long."""
    for says_so, due in ((True, 15.0), (False, LATE + 15)):
        deck = UnconfirmedDeck(seats, quorum)
        if says_so:
            deck.notice(*deck.honest, about=deck.liar)
        assert deck.outcome() == (set(deck.honest), set())
        assert max(deck.table.left_at.values()) - deck.began < due
        assert deck.table.machine().is_bound


def test_the_words_of_one_seat_make_nobody_leave() -> None:
    """The victim signs that it waits no longer. It plays all the same when all have confirmed."""
    deck = UnconfirmedDeck(4, timeouts=PATIENT)
    deck.departure(0)
    deck.table.drop = lambda seat, other, frame: (
        isinstance(peer_frames.parse_frame(frame), Departure) and other != 0
    )
    deck.go(3 * LATE)
    assert has_left(deck.table.machine())
    assert deck.ended(0) is None
    deck.confirm()
    assert deck.outcome() == (set(), {0, 1, 2})
    sent = [peer_frames.parse_frame(send.frame) for send in deck.table.places[0].of_kind(Send)]
    numbers = [one.number for one in sent if isinstance(one, Departure) and one.seat == 0]
    assert numbers[0] == 1
    assert numbers[-1] == 2


def test_a_seat_gives_up_with_the_others_whatever_its_own_clock_says() -> None:
    """The word of the faulty seat counts at each seat, also where its return came first."""
    deck = UnconfirmedDeck(4)
    deck.departure(1, 2, number=2, behind=1)
    deck.go(LATE - 1)
    assert deck.table.machine(2).wait_longer(deck.table.now)
    deck.go(2)
    assert [has_left(deck.table.machine(seat)) for seat in deck.honest] == [True, True, False]
    deck.departure(0, behind=1)
    deck.go(1)
    assert all(has_left(deck.table.machine(seat)) for seat in deck.honest)
    began = [leaving_since(deck.table.machine(seat)) for seat in deck.honest]
    assert max(began) - min(began) < 0.5  # type: ignore[type-var, operator]


def test_a_word_that_came_before_the_last_step_of_setup_counts() -> None:
    table = toy_table(4, timeouts=TIMEOUTS)
    table.start()
    while table.machine().tip.step < 7:
        assert table.deliver()
    bare = Departure(2, 1, 0, 7, table.machine().tip.digest)
    notice = signed_notices.sign_notice(table.who[2], table.table.id, bare)
    table.hear(0, peer_frames.encode_frame(notice), 2)
    assert seats_given_up(table.machine()) == set()
    while not has_input(table.machine(), 8):
        assert table.deliver()
    table.machine().tick(table.now)
    assert seats_given_up(table.machine()) == {2}


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.6, 0.9])
def test_the_last_confirmation_reaches_all_at_once(phase: float) -> None:
    """Also those who hear its signer over a link of their own, and would ask a second later."""
    deck = UnconfirmedDeck(4)
    deck.go(2 + phase)
    deck.confirm(0)
    deck.go(0.3)
    assert all(deck.table.machine(seat).has_begun for seat in deck.honest)


def test_a_seat_that_gave_up_is_waited_for_in_the_deal() -> None:
    """The others deal, and it hears of that only after a while. It is not made absent."""
    deck = UnconfirmedDeck(4, timeouts=PATIENT)
    deck.departure(0)
    deck.go(2)
    assert has_left(deck.table.machine())
    deck.table.drop = lambda seat, other, frame: other == 0
    deck.confirm(1, 2)
    deck.go(4)
    deck.table.drop = lambda seat, other, frame: False
    deck.confirm()
    assert deck.table.go(lambda: all(deck.table.machine(s).finished for s in deck.honest), 90)
    assert deck.table.machine(1).tip.absences == (0, 0, 0, 0)


def test_a_confirmed_seat_signs_no_end_notice_and_tells_who_announced_what() -> None:
    deck = UnconfirmedDeck(4)
    deck.notice(0, reason=SILENT_SEAT, about=1)
    assert deck.outcome() == ({0, 1, 2}, set())
    place = deck.table.places[0]
    assert place.of_kind(EndAnnounced) == [EndAnnounced(3, SILENT_SEAT, 1)]
    sent = [peer_frames.parse_frame(send.frame) for send in place.of_kind(Send)]
    assert {one.seat for one in sent if isinstance(one, EndNotice)} == {3}
    assert deck.ended(0) == Broken(UNCONFIRMED)


def test_who_is_awaited_is_told_before_the_seat_gives_up() -> None:
    deck = UnconfirmedDeck(4)
    deck.go(LATE - 1)
    assert deck.table.places[0].of_kind(StepTimedOut)[-1].seats == {3}
    assert not has_left(deck.table.machine())


def test_more_time_for_the_others_puts_off_the_departure() -> None:
    deck = UnconfirmedDeck(4)
    deck.go(LATE - 1)
    for seat in deck.honest:
        assert deck.table.machine(seat).wait_longer(deck.table.now)
    deck.go(LATE - 1)
    assert not has_left(deck.table.machine())
    deck.go(2)
    assert has_left(deck.table.machine())


@pytest.mark.parametrize("first", [True, False])
def test_a_legal_confirmation_is_stored_after_two_illegal_ones(first: bool) -> None:
    """Otherwise the seat to which those were shown could not play with the others."""
    deck = UnconfirmedDeck(4)
    deck.proof(0)
    deck.go(0.2)
    deck.confirm(0 if first else 1)
    assert deck.outcome() == (set(), {0, 1, 2})


def test_no_confirmation_after_an_end_notice_even_after_a_resume() -> None:
    """Seat 0 has ended the table without the last shuffle, and sees it only after its resume."""
    table = toy_table(4, timeouts=TIMEOUTS)

    def is_last_shuffle(frame: bytes) -> bool:
        message = table.message(frame)
        step_input = None if message is None else message.statement
        return isinstance(step_input, StepInput) and step_input.step == 7

    table.drop = lambda seat, other, frame: other == 0 and is_last_shuffle(frame)
    table.start()
    table.run(until=TIMEOUTS.step / 1000 + 0.5)
    assert table.machine().broken == Broken(SILENT_SEAT, 3)
    assert has_input(table.machine(1), 8)
    table.drop = lambda seat, other, frame: False
    table.crash_and_resume(0)
    table.run(until=10)
    assert table.machine().broken == Broken(SILENT_SEAT, 3)
    assert not has_input(table.machine(), 8)


def test_an_end_notice_is_on_disk_before_it_is_sent() -> None:
    table = toy_table(3, timeouts=TIMEOUTS)
    table.hold_back = lambda seat, other, frame: seat == 2
    table.start()
    table.run(until=TIMEOUTS.step / 1000 + 1)
    heard = table.places[0].heard
    sent = next(
        i
        for i, one in enumerate(heard)
        if isinstance(one, Send) and isinstance(peer_frames.parse_frame(one.frame), EndNotice)
    )
    assert isinstance(heard[sent], Send)
    assert isinstance(heard[sent - 1], Record)
    assert heard[sent].frame in heard[sent - 1].data


def test_a_seat_that_has_left_takes_its_seat_again_and_plays() -> None:
    deck = UnconfirmedDeck(4)
    assert deck.outcome() == ({0, 1, 2}, set())
    deck.is_open = True
    deck.table.leaving = set()
    for seat in deck.honest:
        deck.table.crash_and_resume(seat)
    for seat in deck.honest:
        for other in deck.table.linked(seat):
            deck.table.up(other, seat)
    deck.confirm()
    assert deck.table.go(lambda: all(deck.table.machine(s).finished for s in deck.honest), 60)
    assert deck.table.machine().tip.absences == (0, 0, 0, 0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("delay", [0.05, 0.5])
def test_two_inputs_to_the_deal_that_name_no_node_do_not_hide_a_third(
    seats: int, delay: float
) -> None:
    """They are shown to all but one. This one returns at the end of round 1, with the third."""
    deck = UnconfirmedDeck(seats, delay=delay)
    deck.go(LATE - 1.5 * delay - 0.3)
    for seat in deck.honest[1:]:
        deck.stray_deal(seat, b"x" * 32)
        deck.stray_deal(seat, b"y" * 32)
    deck.departure(*deck.honest)
    deck.confirm_late(0)
    assert deck.outcome() == (set(), set(deck.honest))


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("delay", [0.05, 0.5])
def test_an_input_to_the_deal_is_passed_on_whatever_its_seat_has_signed_before(
    seats: int, delay: float
) -> None:
    """The proof that seat 1 keeps does not name it, and another one of its identity came before."""
    deck = UnconfirmedDeck(seats, delay=delay)
    deck.proof(1)
    deck.stray_deal(1, b"x" * 32)
    deck.confirm_late(1)
    assert deck.outcome() == (set(), set(deck.honest))


SPLITS = [(3, {0}), (4, {0}), (4, {0, 1}), (5, {0, 1}), (6, {0}), (6, {0, 1, 2})]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("seats", "first"), SPLITS)
@pytest.mark.parametrize("confirms", [True, False])
def test_all_leave_if_the_last_shuffle_was_shown_in_two_forms(
    seats: int, first: set[int], confirms: bool
) -> None:
    """Each seat has confirmed one of two decks. No honest one is waited for, or named."""
    table, liar, other = toy_table(seats, timeouts=PATIENT), seats - 1, list[bytes]()
    table.delay = lambda a, b: 0.05
    table.leaving = set(range(liar))

    def second() -> bytes:
        if not other:
            machine = table.machine(liar)
            node = machine.tip if machine.tip.step == seats + 3 else machine.tip.parent
            assert node is not None
            body = transition.body_of(node, liar, secrets_of(machine), seeded("second shuffle"))
            other.append(carried(table.sign(liar, StepInput(0, seats + 3, node.digest, body))))
        return other[0]

    def hold_back(seat: int, to: int, frame: bytes) -> bool:
        message = table.message(frame) if seat == liar else None
        said = None if message is None or message.seat != liar else message.statement
        if not isinstance(said, StepInput) or said.step < seats + 3:
            return False
        if said.step == seats + 3 and to in first:
            return False
        if said.step == seats + 3:
            table.carry(liar, to, second())
        return True

    table.hold_back = hold_back
    table.start()
    honest = table.machines(range(liar))
    assert table.go(lambda: all(m.tip.want.kind is Kind.DECK_OK for m in honest), 60)
    assert len({machine.tip.digest for machine in honest}) == 2
    for seat in range(liar) if confirms else ():
        table.show(liar, seat, StepInput(0, seats + 4, honest[seat].tip.digest, EMPTY))
    assert table.go(lambda: all(machine.broken for machine in honest), 20)
    assert {m.broken.code for m in honest if m.broken} == {UNCONFIRMED}
    assert {m.broken.seat for m in honest if m.broken} <= {None, liar}


def test_who_has_confirmed_the_deck_is_not_missed_before_the_game() -> None:
    table = setup_before(Kind.KEY_COMMIT)
    while not has_input(table.machine(2), 7) or table.machine(2).has_begun:
        assert table.deliver()
    machine = table.machine(2)
    assert machine.tip.want.kind is Kind.DECK_OK or machine.tip.step == 7
    assert machine.is_bound
    notice = depart(table, 2)
    assert notice.step == 8
    for seat in (0, 1):
        assert table.machine(seat).broken is None
    table.run(until=20)
    assert table.machine().has_begun
    assert table.machine().tip.absences == (0, 0, 1)


def test_who_has_confirmed_the_deck_waits_no_longer_for_a_seat_that_has_left() -> None:
    """It signs so itself. The table is not ended by the departure of another one alone."""
    table = setup_before(Kind.DECK_OK)
    table.places[2].alive = False
    table.settle()
    machine = table.machine()
    assert has_input(machine, machine.tip.step)
    assert machine.awaited() == {2}
    hear_departure(table, 0, departure(table, 2))
    table.run(until=1)
    assert machine.broken is None
    assert has_left(machine)
    assert machine.is_bound


@pytest.mark.parametrize("before", [1.0, 0.0])
def test_who_leaves_as_the_last_confirmation_comes_is_still_bound(before: float) -> None:
    """The others may begin the game, so it keeps its journal ([D-11])."""
    deck = UnconfirmedDeck(4, 3)
    machine, table = deck.table.machine(), deck.table
    assert table.go(lambda: leaving_since(machine) is not None, 60)
    since = leaving_since(machine)
    assert since is not None
    over = since + leaving_seconds(machine.table)
    for frame in [frame for other, frame in deck.held if other == 0]:
        machine.receive(frame, over - before, table.table.ids[deck.liar])
    machine.tick(over)
    assert deck.ended(0) == Broken(UNCONFIRMED)
    assert machine.tip.want.kind is Kind.DEAL
    assert machine.is_bound


def test_an_onlooker_waits_for_the_deck_as_long_as_any_seat_has_confirmed_it() -> None:
    """The game can begin without it, so it must not end the table before the seats do."""
    table = setup_before(Kind.DECK_OK)
    table.places[2].alive = False
    table.settle()
    step = table.machine().tip.step
    messages = list(inspect(table.machine()).store)
    confirmed = {m.seat: m for m in messages if getattr(m.statement, "step", 0) == step}
    assert confirmed.keys() == {0, 1}
    before_them = [m for m in messages if m not in confirmed.values()]
    for known, is_bound in ((before_them, False), ([*before_them, confirmed[1]], True)):
        onlooker = SeatMachine(table.table, bytes)
        onlooker.start(table.now)
        for message in known:
            onlooker.receive(carried(message), table.now, table.table.ids[1])
        assert onlooker.tip.want.kind is Kind.DECK_OK
        assert onlooker.is_bound is is_bound
