"""Tests of the staging of reveals: what waits, what is shown at once, and what is taken back."""

from support.rules_driver import table as dealt
from support.screened import table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Beat
from p2p_hoity.presentation.staging import (
    LONG_PAUSE,
    MOST_BEATS,
    SHORT_PAUSE,
    Heard,
    Remark,
    Staging,
    beats,
    pause,
)
from p2p_hoity.rules import Place
from p2p_hoity.rules.choices import Why
from p2p_hoity.rules.happenings import (
    FigureMoved,
    Happening,
    NoSale,
    PlaceShown,
    RoundEnded,
)

VIEW = rules.view(dealt(load(), 3).state, 0)
OTHER_VIEW = rules.view(dealt(load(), 3).state, 0)
PLACES = (PlaceShown(0, Place.CASTLE), PlaceShown(1, Place.CASTLE))
MOVES = (FigureMoved(0, 0, 2, 2, Why.BEST), FigureMoved(1, 0, 1, 1, Why.SECOND_BEST))
QUESTION = updates.Choosing(VIEW, "place", False)


def happened(*items: Happening) -> updates.Happened:
    return updates.Happened(items, VIEW)


def heard(*told: Heard, is_away: bool = False) -> tuple[Staging, list[Heard]]:
    """What waits and what was shown, after all of these were told to a screen that stages."""
    staging, shown = Staging(), list[Heard]()
    for update in told:
        staging, now = staging.hear(update, True, is_away)
        shown += now
    return staging, shown


def test_events_of_one_kind_are_one_part_but_those_that_are_shown_one_by_one():
    parts = beats(happened(*PLACES, *MOVES, NoSale(1)))
    assert [part.items for part in parts] == [PLACES, MOVES[:1], MOVES[1:], (NoSale(1),)]
    assert [part.left for part in parts] == [3, 2, 1, 0]
    assert beats(happened()) == []


def test_a_pause_is_long_after_what_was_shown_and_none_after_what_goes_without_saying():
    ended = RoundEnded(1, (0, 0, 0))
    assert pause(happened(*PLACES)) == LONG_PAUSE
    assert pause(happened(MOVES[0])) == pause(happened(ended, MOVES[0])) == SHORT_PAUSE
    assert pause(happened(ended)) == pause(QUESTION) == pause(Remark("so")) == 0


def test_a_reveal_is_shown_part_by_part_and_a_question_waits_for_its_end():
    staging, shown = heard(happened(*PLACES, *MOVES), QUESTION)
    assert not shown
    assert staging.is_revealing
    assert len(staging.happened) == 3
    found = []
    while staging.is_revealing:
        staging, update = staging.next()
        found.append(update)
    assert [type(one) for one in found] == [Beat, Beat, Beat, updates.Choosing, type(None)]


def test_what_is_no_part_of_the_game_is_shown_at_once():
    talk = updates.Said(1, "Ada", "hello")
    staging, shown = heard(happened(*PLACES), talk)
    assert shown == [talk]
    assert len(staging.waiting) == 1
    assert heard(QUESTION) == (Staging(), [QUESTION])


def test_without_staging_or_while_the_player_is_away_nothing_waits():
    told = happened(*PLACES, *MOVES)
    assert Staging().hear(told, False, False) == (Staging(), (told,))
    waiting, _ = heard(told)
    after, now = waiting.hear(QUESTION, True, True)
    assert now == (*waiting.waiting, QUESTION)
    assert not after.is_revealing


def test_another_game_and_what_is_taken_back_end_a_reveal():
    begun = updates.Started(table(3), 0)
    for update in (begun, updates.Rewound(1, 0, VIEW)):
        staging, shown = heard(happened(*PLACES), update)
        assert [type(one) for one in shown] == [Beat, type(update)]
        assert not staging.is_revealing


def test_when_too_much_waits_all_of_it_is_shown():
    staging = Staging()
    for step in range(MOST_BEATS + 1):
        staging, now = staging.hear(happened(NoSale(step)), True, False)
        assert now == ()
    staging, now = staging.hear(happened(NoSale(99)), True, False)
    assert len(now) == MOST_BEATS + 2
    assert not staging.is_revealing


def test_only_questions_that_are_no_longer_asked_are_taken_out():
    other = updates.Choosing(OTHER_VIEW, "place", False)
    staging, _ = heard(happened(*PLACES), QUESTION, other)
    assert other == QUESTION
    assert staging.withdraw(VIEW).waiting == (staging.waiting[0], other)
    assert staging.withdraw(VIEW).waiting[1] is other
    assert staging.withdraw().waiting == staging.waiting[:1]
