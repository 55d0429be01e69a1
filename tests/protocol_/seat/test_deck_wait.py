"""How long a seat that has confirmed the deck waits, and when it leaves."""

from support.inspection import has_input, has_left, leaving_since
from support.unconfirmed_deck import LATE, UnconfirmedDeck

from protocol.seat.deck_wait import ALONE, LINGER, ROUND
from protocol.seat.effects import UNCONFIRMED, Broken


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
