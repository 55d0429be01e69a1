"""How long a seat that has confirmed the deck waits, and when it leaves."""

from support.inspection import has_input, has_left, leaving_since
from support.machine_table import toy_table
from support.unconfirmed_deck import LATE, UnconfirmedDeck

from protocol.seat.deck_wait import ALONE, LINGER, ROUND, DeckWait, leaving_seconds
from protocol.seat.effects import UNCONFIRMED, Broken
from protocol.wire.signed_notices import EndNotice


def test_a_strict_table_is_left_at_once() -> None:
    deck = UnconfirmedDeck(3, 3)
    deck.notice(0)
    deck.go(LINGER + 1)
    assert deck.ended(0) == Broken(UNCONFIRMED)


def test_in_round_k_the_deals_of_k_others_are_needed() -> None:
    for seconds, plays in ((ROUND - 1, True), (ROUND + 1, False)):
        deck = UnconfirmedDeck(4)
        deck.table.drop = lambda seat, other, frame: seat not in (3, other) and other == 0
        deck.go(LATE + 1)
        since = leaving_since(deck.table.machine())
        assert since is not None
        deck.go(since + seconds - deck.table.now)
        deck.confirm(0)  # Its confirmation and its input to the deal: one deal of another.
        deck.go(0.5)
        assert has_input(deck.table.machine(), deck.step + 1) is plays


def test_a_seat_without_links_leaves_only_after_it_has_given_up() -> None:
    deck = UnconfirmedDeck(4)
    deck.table.cut = lambda seat, other: 0 in (seat, other)
    for other in range(1, 4):
        deck.table.down(0, other)
    deck.go(LATE + ALONE - 1)
    assert has_left(deck.table.machine())
    assert deck.ended(0) is None
    deck.go(2)
    assert deck.ended(0) == Broken(UNCONFIRMED, 3)


# By itself, without a machine


def wait_of(seats: int, quorum: int | None = None) -> DeckWait:
    """Return the wait of a seat that has given up, and whose leaving began at 100 seconds."""
    wait = DeckWait(toy_table(seats, quorum=quorum).table)
    wait.give_up()
    wait.begin_leaving(100.0)
    return wait


def test_the_leaving_takes_one_round_more_than_seats_may_be_faulty() -> None:
    for seats, quorum, rounds in ((4, 3, 2), (6, 4, 3), (3, 2, 2)):
        table = toy_table(seats, quorum=quorum).table
        assert leaving_seconds(table) == rounds * ROUND
    assert leaving_seconds(toy_table(3, quorum=3).table) == LINGER


def test_each_round_needs_one_deal_more_and_after_the_last_none_helps() -> None:
    wait = wait_of(6)
    assert [wait.deals_needed(100 + r * ROUND) for r in range(5)] == [1, 2, 3, None, None]
    assert wait.deals_needed(100 + ROUND - 0.01) == 1
    wait.begin_leaving(200.0)
    assert wait.leaving_since == 100, "it begins once"
    assert DeckWait(wait.table).deals_needed(999.0) == 0, "its leaving has not begun"
    assert wait_of(3, 3).deals_needed(999.0) == 0, "a strict table has no rounds"


def test_a_seat_leaves_when_its_leaving_is_over_or_it_has_long_been_alone() -> None:
    end = 100 + 2 * ROUND
    wait = wait_of(4)
    assert not wait.is_over(is_linked=True, now=end - 0.1)
    assert wait.is_over(is_linked=True, now=end)
    alone = DeckWait(wait.table)
    assert not alone.is_over(is_linked=False, now=50.0)
    assert not alone.is_over(is_linked=False, now=50 + ALONE - 0.1)
    assert alone.is_over(is_linked=False, now=50 + ALONE)
    assert not alone.is_over(is_linked=True, now=70.0)
    assert not alone.is_over(is_linked=False, now=80.0), "a link begins the time anew"


def test_who_returns_has_not_given_up_and_each_notice_is_told_once() -> None:
    wait = wait_of(4)
    assert wait.gave_up
    wait.go_back()
    assert not wait.gave_up
    notices = [EndNotice(3, "seat-left", None), EndNotice(3, "seat-left", 1)]
    assert [wait.is_news(one) for one in (*notices, *notices)] == [True, True, False, False]
