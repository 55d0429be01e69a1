"""What is read while nothing is asked: who is awaited or lost, and what to do."""

from dataclasses import replace

import pytest
from support.moments import MOMENTS, Shown, begun

from cli.table_view.desk import Desk
from cli.table_view.waiting import at_timeout, awaited_others
from cli.ui.full_screen.info_pages import page
from cli.ui.full_screen.question_panel import waiting
from cli.ui.lines.line_screen import LineScreen
from cli.words import translation
from p2p_hoity.coded_errors import because
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import ReachCode, Scope


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("eyes", [0, None])
def test_no_step_of_a_game_shows_a_zero_in_its_first_second(
    language: str, eyes: int | None
) -> None:
    """Also before the deal, after a choice was sealed, and while others are asked."""
    translation.speak(language)
    shown = begun(3, mine=eyes)
    for _step in range(40):
        shown.wait({0, 1, 2}, 0.3, 299.7)
        assert "0:00" not in shown.text()
        assert "0:00" not in shown.text(120, 40)
        shown.step()


@pytest.mark.parametrize("may_rejoin", [True, False])
def test_a_way_back_is_offered_only_where_there_is_one(may_rejoin: bool) -> None:
    shown = MOMENTS["sealed"]()
    shown.hear(updates.Away(may_rejoin))
    assert ("Enter takes your seat again" in shown.text()) is may_rejoin
    assert ("By the terms you cannot come back any more" in shown.text()) is not may_rejoin
    lines = list[str]()
    LineScreen(lines.append)(updates.Away(may_rejoin))
    assert any("cannot come back any more" in line for line in lines) is not may_rejoin


def test_who_resumed_and_finds_nobody_reads_what_to_do() -> None:
    shown = begun(3)
    view = shown.driver.view(0)
    awaited = frozenset({1, 2})
    count = updates.Muster(3, 2, 1, unlinked=awaited)
    for is_resumed, found, is_told in (
        (False, LOST, False),
        (True, LINKED, False),
        (True, LOST, True),
    ):
        if is_resumed:
            shown.hear(updates.Resumed(view, ()))
        shown.there(LINKED, found, LOST)
        shown.hear(updates.Clock(awaited, 15.0, 285.0, 300.0, count))
        assert ("finished without you" in page_of(shown)) is is_told
        assert ("finished without you" in told_in_wait(shown)) is is_told
    shown.hear(updates.Linked("Bruno"))
    assert "finished" not in page_of(shown)


LINKED, LOST = updates.Attending.LINKED, updates.Attending.UNLINKED


def page_of(shown: Shown) -> str:
    return " ".join(line.plain for line in page("links", shown.stage, Desk(), 100)[1])


@pytest.mark.parametrize(
    ("seats", "is_lost"),
    [
        ((LINKED, LINKED, LOST), False),
        ((LINKED, LINKED, LINKED), False),
        ((LOST, LINKED, LINKED), True),
        ((LOST, LINKED, LOST), True),
    ],
)
def test_a_host_is_looked_for_elsewhere_once_it_is_lost(
    seats: tuple[updates.Attending, ...], is_lost: bool
) -> None:
    """A guest behind a NAT has no link to another one, and is heard through the host."""
    shown = begun(3)
    shown.stage.scene = replace(shown.stage.scene, seat=1)
    shown.there(*seats)
    assert ("hoity join TICKET" in page_of(shown)) is is_lost
    assert ("hoity join" in page_of(shown)) is is_lost
    if is_lost:
        awaited = frozenset({0})
        count = updates.Muster(3, 2, 1, unlinked=awaited)
        shown.hear(updates.Clock(awaited, 5.0, 295.0, 300.0, count))
        assert "p says what" not in told_in_wait(shown)
        shown.hear(updates.Clock(awaited, 15.0, 285.0, 300.0, count))
        assert "p says what to do if" in told_in_wait(shown)


def told_in_wait(shown: Shown) -> str:
    return " ".join(line.plain for line in waiting(shown.stage, 100))


def test_who_came_back_elsewhere_finds_the_ticket_on_the_page_and_in_the_log() -> None:
    shown, ticket = begun(3), "hoity3" + "a" * 60
    reasons = (because(ReachCode.ANYWHERE),)
    shown.there(LINKED, LOST, LOST).hear(updates.Moved(Scope.ANYWHERE, reasons, ticket))
    assert list(shown.stage.log)[-1] == ticket
    assert ticket in page_of(shown)
    assert "works from anywhere" in page_of(shown)
    assert "come back at another address" not in page_of(shown)
    shown.hear(updates.Clock(frozenset({1}), 15.0, 1.0, 3.0, updates.Muster(3, 2, 1)))
    assert "p shows a ticket" in told_in_wait(shown)
    shown.hear(updates.TicketTaken("Bob"))
    assert "tries to reach Bob" in shown.stage.log[-1]


@pytest.mark.parametrize(
    ("waited", "left", "muster", "words"),
    [
        (19.9, 280.0, {}, ""),
        (
            20.0,
            280.0,
            {},
            "In 4:40 the game goes on without them, if enough agree. w waits longer.",
        ),
        (20.0, 280.0, {"begun": False}, "In 4:40 the table ends: the game has not begun."),
        (
            20.0,
            280.0,
            {"strict": True},
            "The game waits for them: it cannot go on",
        ),
        (20.0, 280.0, {"there": 1}, "The game waits for them: it cannot go on"),
        (300.0, 0.0, {}, "Their time is over. The game goes on without them as soon as"),
        (20.0, 280.0, {"there": 2, "thinking": frozenset({2})}, "Bruno"),
    ],
)
def test_what_a_timeout_brings_is_told_once_the_wait_is_no_longer_calm(
    waited: float, left: float, muster: dict[str, object], words: str
) -> None:
    shown = begun(4)
    shown.wait({1}, waited, left, **muster)  # type: ignore[arg-type]
    told = at_timeout(shown.stage)
    assert words in told
    assert bool(words) is bool(told)


def test_of_a_lost_seat_it_is_told_at_once_and_an_onlooker_is_offered_no_key() -> None:
    shown = begun(4)
    assert at_timeout(shown.stage) == ""
    shown.wait({1}, 0.0, 300.0)
    assert at_timeout(shown.stage) == ""
    shown.there(LINKED, LOST)
    assert "w waits longer" in at_timeout(shown.stage)
    shown.stage.scene = replace(shown.stage.scene, seat=None)
    assert at_timeout(shown.stage).endswith("if enough agree.")


def test_who_else_is_awaited_is_named_and_oneself_not() -> None:
    shown = begun(4)
    assert awaited_others(shown.stage) == ""
    shown.wait({0}, 5.0, 295.0)
    assert awaited_others(shown.stage) == ""
    shown.wait({0, 2, 1}, 5.0, 295.0)
    assert awaited_others(shown.stage) == "waiting for Ada, Bruno · 0:05"
    shown.wait({2}, 0.9, 299.1)
    assert awaited_others(shown.stage) == "waiting for Bruno"


def test_who_came_back_reads_how_long_it_is_at_least_and_at_most() -> None:
    shown = begun(4)
    shown.hear(updates.Resumed(shown.view))
    shown.wait({0, 2}, 25.0, 275.0)
    assert awaited_others(shown.stage) == "waiting for Bruno · ≥ 0:25"
    assert at_timeout(shown.stage).startswith("In ≤ 4:35 the game goes on")
