"""The state of the screen: reveals come beat by beat, and end as everything at once would."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each
from support.cli_stage import UPDATES
from support.moments import asked_for, begun
from support.sampling import times

from cli.table_view.stage import WORDLESS, Stage
from cli.words.update_sentences import GAME, PLAIN, TABLE
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.net.network_errors import NetCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import CHANGES
from p2p_hoity.presentation.staging import MOST_BEATS, Remark, beats
from protocol import Kind


@given(st.integers(0, 20), st.integers(1, 200))
@settings(max_examples=times(10, 25))
def test_staged_and_at_once_end_alike_and_beats_are_the_whole(seed: int, steps: int) -> None:
    slow, fast = begun(4, seed, staged=True).step(steps), begun(4, seed)
    for _step in range(steps):
        before = len(fast.driver.record)
        fast.step()
        items = tuple(fast.driver.record[before:])
        parts = beats(updates.Happened(items, fast.view)) if items else []
        assert tuple(item for part in parts for item in part.items) == items
    while slow.stage.advance():
        pass
    assert bool(slow.stage.log) == bool(fast.stage.log)
    assert slow.stage.scene.record == fast.stage.scene.record
    assert slow.stage.scene.view == fast.stage.scene.view
    assert slow.stage.scene.doings == fast.stage.scene.doings
    assert not slow.stage.is_revealing


def test_a_question_waits_for_the_reveal_before_it() -> None:
    shown = begun(staged=True).until(rules.happenings.PlaceShown)
    shown.hear(updates.Choosing(shown.view, "action", False))
    assert shown.stage.scene.question is None
    assert shown.stage.is_revealing
    shown.stage.hurry()
    assert shown.stage.scene.question is not None
    assert not shown.stage.is_revealing


@pytest.mark.parametrize("void", ["answered", "away", "rewound"])
def test_a_question_that_waits_for_a_reveal_goes_with_what_it_was_about(void: str) -> None:
    shown = begun(staged=True).until(rules.happenings.PlaceShown)
    shown.hear(updates.Choosing(shown.view, "action", False))
    rewound = updates.Rewound(1, len(shown.driver.record), shown.view)
    how = {
        "answered": updates.ChoiceTaken("action", 1),
        "away": updates.Away(),
        "rewound": rewound,
    }
    shown.hear(how[void])
    shown.stage.hurry()
    assert shown.stage.scene.question is None


def test_who_comes_back_sees_at_once_how_it_stands_and_long_queues_are_hurried() -> None:
    shown = begun(staged=True).hear(updates.Away()).step(60)
    assert not shown.stage.is_revealing
    assert shown.stage.scene.view is not None
    assert shown.stage.scene.view.state.round == shown.view.state.round
    shown = begun(staged=True)
    for _step in range(200):
        shown.step()
        assert len(shown.stage._staging.waiting) <= MOST_BEATS + 20


def test_what_is_chosen_in_a_reveal_is_said_behind_it() -> None:
    shown = begun(staged=True).until(rules.happenings.PlaceShown)
    assert shown.stage.is_revealing
    shown.hear(Remark("Nothing else"), updates.ChoiceTaken("place", 0))
    assert "Nothing else" not in shown.stage.log
    past = shown.stage.past
    shown.stage.hurry()
    assert list(shown.stage.log)[-1] == "Nothing else"
    assert past == shown.stage.past
    assert past is not None
    assert list(past.items) == shown.driver.record


def test_what_this_seat_has_chosen_is_no_line_of_the_log() -> None:
    shown = begun()
    before = list(shown.stage.log)
    shown.hear(updates.ChoiceTaken("place", 0))
    assert list(shown.stage.log) == before


def test_the_last_beat_stays_for_its_time_whatever_comes() -> None:
    shown, seen = begun(staged=True), 0
    for _step in range(30):
        shown.step()
        asked = updates.Choosing(shown.view, "place", False)
        while shown.stage.advance():
            beat = shown.stage.beat
            shown.wait({1}, 1.0)
            assert shown.stage.beat == beat
            if beat and not shown.stage._staging.waiting:
                shown.hear(asked)
                assert shown.stage.scene.question is not asked
                assert shown.stage.advance() == 0
                assert shown.stage.scene.question is asked
                assert not shown.stage.is_revealing
                seen += 1
    assert seen > 3


def test_what_was_sealed_in_a_reveal_is_sealed_behind_it_until_it_is_shown() -> None:
    shown = begun(staged=True).until(rules.happenings.PlaceShown)
    shown.hear(updates.Choosing(shown.view, "action", False), updates.ChoiceTaken("action", 1))
    shown.stage.hurry()
    assert shown.stage.scene.sealed == "action"
    shown.until(rules.happenings.ActionShown).stage.hurry()
    assert shown.stage.scene.sealed is None or 0 in shown.view.state.sealed


def test_what_was_taken_back_is_forgotten_and_stands_beside_no_seat() -> None:
    shown = begun()
    while not any(isinstance(it, rules.happenings.Sale) for it in shown.driver.record):
        kept, view = len(shown.driver.record), shown.view
        before = dict(shown.stage.scene.doings)
        shown.step()
    assert shown.stage.scene.doings != before
    shown.hear(updates.Rewound(2, kept, view))
    assert shown.stage.scene.doings == before
    assert shown.stage.scene.view is view
    shown = begun().step(30)
    kept = len(shown.stage.scene.record) - 3
    shown.hear(updates.Rewound(1, kept, shown.view))
    assert len(shown.stage.scene.record) == kept
    assert shown.stage.scene.question is None


def test_a_new_table_begins_with_no_clock_reveal_or_fault_of_the_one_before() -> None:
    shown = begun(mine=None, staged=True).revealing()
    table = shown.stage.scene.table
    assert table is not None
    shown.hear(updates.GameOver(table, None, (), None))  # type: ignore[arg-type]
    shown.hear(updates.Started(table, None))
    assert not shown.stage.is_revealing
    assert not shown.stage.scene.is_over
    shown = asked_for(begun(), "place", 3)
    shown.hear(updates.Accused(2, "two-chains"))
    assert shown.stage.alarm is not None
    assert "Bruno" in shown.stage.alarm
    assert shown.stage.scene.table is not None
    shown.hear(updates.Started(shown.stage.scene.table, 0))
    assert shown.stage.scene.record == ()
    assert shown.stage.scene.question is None
    assert shown.stage.scene.faults == {}
    assert not shown.stage.scene.is_over
    shown = begun()
    shown.wait({1})
    assert shown.stage.scene.is_clock_of_step
    before, after = (
        SimpleNamespace(step=50, want=SimpleNamespace(kind=kind)) for kind in (Kind.OPEN, Kind.SEAL)
    )
    shown.hear(updates.ChainGrew(before, after, 0.0))  # type: ignore[arg-type]
    assert not shown.stage.scene.is_clock_of_step
    shown.wait({1})
    assert shown.stage.scene.is_clock_of_step


@each(UPDATES)
def test_every_update_is_heard_or_told(update: type[updates.Update]) -> None:
    assert update in set(CHANGES) | set(PLAIN) | set(TABLE) | set(GAME) | WORDLESS
    stage = Stage()
    assert not stage.scene.is_dealt
    assert stage.advance() == 0.0


def test_a_relay_that_is_lost_stands_in_the_log_and_beside_the_lobby() -> None:
    shown = begun(3)
    shown.hear(updates.RelayState("r.example:1", because(NetCode.CUT)))
    assert "r.example:1 does not work at the moment" in shown.stage.log[-1]
    assert shown.stage.lobby_note == shown.stage.log[-1]


@pytest.mark.parametrize("steps", [40, 200])
def test_who_takes_a_seat_again_sees_what_happened_before(steps: int) -> None:
    one, again = begun().step(steps), begun()
    again.stage.hear(updates.Resumed(one.view, tuple(one.driver.record)))
    assert again.stage.scene.record == one.stage.scene.record
    assert again.stage.scene.view == one.stage.scene.view
    assert again.stage.scene.doings == one.stage.scene.doings
    lines = list(one.stage.log)
    assert list(again.stage.log)[-len(lines) :] == lines
    again.stage.hear(updates.Rewound(1, 30, one.view))
    assert again.stage.scene.record == one.stage.scene.record[:30]


def test_whom_the_program_stays_for_is_told_behind_the_last_reveal() -> None:
    shown = begun()
    shown.stage.staged = True
    shown.revealing()
    assert shown.stage.scene.table is not None
    over = updates.GameOver(shown.stage.scene.table, None, (), None)  # type: ignore[arg-type]
    shown.hear(over, updates.Unconfirmed(frozenset({1}), 299.0))
    assert shown.stage.scene.unconfirmed is None
    shown.stage.hurry()
    assert shown.stage.scene.unconfirmed is not None
