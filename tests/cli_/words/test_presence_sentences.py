"""Who is waited for, and what comes of an absence, in words."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.at_prompt import written_of
from support.line_screen import MUSTER, bound, said_of, view

from cli.ui.lines.line_screen import LineScreen
from cli.words.presence_sentences import PRESENCE_WORDS
from p2p_hoity.presentation import screen_updates as updates
from protocol import effects
from protocol.chain import transition


@pytest.mark.parametrize("presence", list(updates.Attending))
def test_every_presence_has_words_of_its_own(presence: updates.Attending) -> None:
    line, *more = said_of(
        updates.Attendance((presence,) * 3), updates.Awaited(frozenset({1}), 12.0)
    )
    assert bool(more) == (presence is updates.Attending.UNLINKED), "it may be elsewhere"
    assert line.startswith("  [waiting for 12 s: seat 1 (")
    assert [one for one, words in PRESENCE_WORDS.items() if words in line] == [presence]


WAIT = updates.Unconfirmed(frozenset({1}), 299.0)


@pytest.mark.parametrize(
    ("transcript", "wait", "sentence"),
    [
        (
            Path("1.hoity"),
            WAIT,
            "The result is final. Waiting for seat 1 (purple) to confirm it, for at most "
            "5 minutes. You may leave: your file is saved.",
        ),
        (
            None,
            replace(WAIT, seats=frozenset({1, 2}), left=119.2),
            "The result is final. Waiting for seat 1 (purple), seat 2 (green) to confirm it, "
            "for at most 2 minutes. You may leave.",
        ),
        (
            None,
            replace(WAIT, seats=frozenset(), left=0.3),
            "The result is final. Waiting for all to note who cheated, for at most 1 second. "
            "You may leave.",
        ),
    ],
)
def test_who_stays_after_the_result_reads_for_whom_and_for_how_long(
    transcript: Path | None, wait: updates.Unconfirmed, sentence: str
) -> None:
    at = bound()
    over = updates.GameOver(at, transition.begin(at), (), transcript)
    assert said_of(over, wait)[-1] == f"  [{sentence}]"


QUORUM, PAUSE = MUSTER, replace(MUSTER, there=1)
STRICT = updates.Muster(3, 3, 2, strict=True)
TWO = updates.Muster(2, 2, 1, strict=True)
SETUP = replace(MUSTER, begun=False)
BUSY = updates.Muster(4, 3, 2, gone=frozenset({2}), thinking=frozenset({1}))
CLAIM = "hoity resume --claim"


@pytest.mark.parametrize(
    ("muster", "words", "others"),
    [
        (QUORUM, ["in 150 s the game goes on without", "2 of the 3 seats agree", "wait"], [CLAIM]),
        (
            PAUSE,
            ["needs 2 seats", "1 can play on", "pauses", "wait longer"],
            ["goes on without", CLAIM],
        ),
        (
            STRICT,
            ["needs all 3 seats", "pauses", "for yourself alone", CLAIM],
            ["goes on", "wait "],
        ),
        (TWO, ["needs all 2 seats", "pauses", "end it here", CLAIM], ["goes on", "absence"]),
        (SETUP, ["the table ends", "wait"], ["goes on", CLAIM]),
        (BUSY, ["may be declared absent", "goes on once they have chosen"], ["pauses", CLAIM]),
    ],
)
def test_halfway_a_player_reads_what_comes_and_what_can_be_done(
    muster: updates.Muster, words: list[str], others: list[str]
) -> None:
    text = " ".join(said_of(updates.Halfway(frozenset({1}), 150.0, 150.0, muster)))
    assert "Nothing was received from seat 1" in text
    assert [word for word in words if word.lower() not in text.lower()] == []
    assert [word for word in others if word in text] == []


def test_who_came_back_reads_what_it_knows_of_the_time() -> None:
    back = updates.Resumed(view())
    slow = updates.Halfway(frozenset({1}), 150.0, 150.0, QUORUM)
    said = " ".join(said_of(back, slow, replace(slow, seats=frozenset({0}))))
    assert "Nothing was received from seat 1 (purple) for at least 150 s." in said
    assert "In at most 150 s the game goes on without seat 1" in said
    assert "in at most 150 s they may go on without you" in said
    (awaited,) = said_of(back, updates.Awaited(frozenset({1}), 12.0))[-1:]
    assert awaited.startswith("  [waiting for at least 12 s: seat 1")


def test_that_a_seat_has_left_is_said_once() -> None:
    gone = replace(TWO, gone=frozenset({1}))
    left, paused = effects.SeatLeft(1), updates.Paused(frozenset({1}), 12.0, gone)
    lines = said_of(left, paused)
    assert [line for line in lines if "Left for now" in line] == [
        "  [Left for now: seat 1 (purple).]"
    ]
    assert "This table needs all 2 seats" in lines[-1]
    told = said_of(left, updates.Linked("seat 2"), paused)
    assert sum("Left for now" in line for line in told) == 2


def test_seats_that_do_not_agree_and_an_own_seat_without_a_vote_are_explained() -> None:
    said = said_of(updates.SeatsTimedOut(frozenset({1}), 80.0, QUORUM, undecided=True))
    assert "Too few seats have agreed to go on without seat 1 (purple)" in said[0]
    assert any("resume --claim" in line for line in said)
    said = said_of(updates.Paused(frozenset({1}), 80.0, replace(PAUSE, is_mute=True)))
    assert any("Your own seat does not count yet" in line for line in said)
    said = said_of(updates.Paused(frozenset({1}), 80.0, PAUSE))
    assert not any("Your own seat" in line for line in said)


def test_a_table_that_may_begin_without_the_player_is_said_to_do_so() -> None:
    """It is never only said to have ended."""
    setup = replace(QUORUM, begun=False, has_confirmed=True)
    for update in (
        updates.Halfway(frozenset({1}), 15.0, 15.0, setup),
        updates.Paused(frozenset({1}), 30.0, setup),
    ):
        said = said_of(update)[-1]
        assert "The deck is not yet confirmed by seat 1 (purple)." in said
        assert "The game may begin without you if you leave." in said
        assert "hoity resume" in said
    said, then = said_of(effects.EndAnnounced(1, "bad-shuffle", 2))
    assert "seat 1 (purple) says that the table has ended" in said
    assert "Your own program has not seen that." in said
    assert "The game may begin without you" in then
    (said,) = said_of(updates.Ended("deck-unconfirmed", 1))
    assert said.startswith("Who was awaited: seat 1 (purple). Your seat has stopped waiting")
    assert "The game may begin without you." in said
    assert "hoity resume" in said
    (written,) = written_of(effects.EndAnnounced(1, "bad-shuffle", 2))
    assert written["event"] == "end-announced"
    assert written["fields"] == {"by": 1, "code": "bad-shuffle", "seat": 2}


def test_left_for_now_is_neither_silent_nor_cut_off() -> None:
    gone = replace(QUORUM, gone=frozenset({1}))
    assert said_of(effects.SeatLeft(1)) == ["  [Left for now: seat 1 (purple).]"]
    assert said_of(effects.SeatLeft(1, gave_up=True)) == [
        "  [No longer waiting for all to confirm the deck: seat 1 (purple).]"
    ]
    said = said_of(updates.SeatsTimedOut(frozenset({1}), 5.0, gone))
    assert "Left for now: seat 1 (purple). The game goes on without" in said[0]
    assert "patience" not in " ".join(said)
    assert "may come back later" in said[0]
    both = replace(gone, unlinked=frozenset({2}))
    said = said_of(updates.Halfway(frozenset({1, 2}), 150.0, 150.0, both))
    assert said[0] == "  [Nothing was received from seat 2 (green) for 150 s.]"
    assert said[1] == "  [Left for now: seat 1 (purple).]"
    assert said[2] == "  [There is no link to seat 2 (green) at the moment.]"
    assert "goes on without" in said[3]
    said = said_of(updates.SeatsTimedOut(frozenset({1, 2}), 300.0, both))
    assert said[0].startswith("  [The time for")
    assert "Left for now" in said[1]
    assert "no link" in said[2]
    said = said_of(updates.Paused(frozenset({1}), 5.0, replace(STRICT, gone=frozenset({1}))))
    assert said[0] == "  [Left for now: seat 1 (purple).]"
    assert "Still nothing" not in " ".join(said)
    said = said_of(updates.Halfway(frozenset({1}), 150.0, 150.0, gone))
    assert "Nothing was received" not in " ".join(said)


def test_a_game_that_goes_on_by_those_who_think_does_not_pause() -> None:
    said = " ".join(said_of(updates.Paused(frozenset({1, 2}), 300.0, BUSY)))
    assert "Left for now: seat 2 (green)." in said
    assert "seat 1 (purple). The game goes on once they have chosen." in said
    assert "pauses" not in said
    assert CLAIM not in said
    said = " ".join(said_of(updates.Paused(frozenset({1, 2}), 300.0, replace(BUSY, quorum=4))))
    assert "pauses until enough are back" in said
    assert CLAIM in said


def test_who_is_slow_itself_is_told_so_and_not_of_itself() -> None:
    said = said_of(updates.Halfway(frozenset({0, 1}), 150.0, 150.0, QUORUM))
    assert "seat 0" not in " ".join(said)
    assert "You are awaited too" in said[-1]
    mine = frozenset({0})
    assert said_of(updates.Halfway(mine, 150.0, 150.0, QUORUM)) == [
        "  [The others are waiting for you: in 150 s they may go on without you.]"
    ]
    assert said_of(updates.SeatsTimedOut(mine, 300.0, QUORUM)) == [
        "  [You have taken longer than this table allows: the others may go on without you."
        " You may come back later.]"
    ]
    assert said_of(updates.Paused(mine, 300.0, STRICT)) == [
        "  [The others are waiting for you: the game pauses until you choose.]"
    ]


def test_who_is_alone_may_be_back_too_late_and_an_onlooker_chooses_nothing() -> None:
    for there, hinted in ((1, True), (2, False)):
        alone = replace(QUORUM, there=there, quorum=3)
        lines = said_of(updates.Paused(frozenset({1}), 300.0, alone))
        assert any("ask one for its transcript" in line for line in lines) is hinted
    said: list[str] = []
    screen = LineScreen(said.append)
    screen(updates.Started(bound(), None))
    said.clear()
    screen(updates.Halfway(frozenset({1}), 150.0, 150.0, QUORUM))
    screen(updates.Paused(frozenset({1}), 300.0, STRICT))
    assert "goes on without" in " ".join(said)
    assert not any("wait " in line or "resume" in line for line in said)
