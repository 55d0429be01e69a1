"""Tests of the two plain screens: every update has words, and an object for programs."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from support.at_prompt import is_in_vain, program_window, written_of
from support.cli_stage import UPDATES, until
from support.machine_table import identity, seat_at
from support.rules_driver import Referee

from cli.exit_codes import Trouble
from cli.printing import write_line
from cli.ui.json_window import JsonWindow, last_line
from cli.ui.lines.line_screen import LineScreen
from cli.ui.lines.stdin_lines import STRAYS
from cli.ui.screen_options import ScreenOptions
from cli.words.card_names import run_letters
from cli.words.presence_sentences import PRESENCE_WORDS, won
from cli.words.update_sentences import GAME, TABLE
from p2p_hoity import game_adapter, rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.network_errors import LinkCode, NetCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Beat
from p2p_hoity.reachability.advertised_addresses import ReachCode, Scope
from p2p_hoity.rules import happenings
from p2p_hoity.table.beside_game.chat import TalkCode
from p2p_hoity.table.gathering.invite_by_code import CodesCode
from p2p_hoity.table.playing.player_interface import LeaveForNow, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol import effects, game_interface
from protocol.chain import transition
from protocol.chain.chain_state import Kind, Table, Want
from protocol.crypto.identities import fingerprint
from protocol.wire import table_header
from protocol.wire.table_header import Terms

MUSTER = updates.Muster(3, 2, 2)


def bound(seats: int = 3) -> Table:
    game = game_adapter.game_value(load(), None)
    terms = Terms(identity(0).public, b"n" * 32, game, seats, table_header.default_quorum(seats))
    return seat_at(terms, game_adapter.read_game)[0]


def view() -> rules.View:
    return until(Referee.seat(load(), 3, 1), "place", 0)


def each() -> list[updates.Update]:
    """One of every kind."""
    at, seen = bound(), view()
    node = transition.begin(at)
    standing = rules.Standing(1, 0, 47, (1, 2, 3))
    return [
        updates.Joined(("Ana",), 3),
        updates.HostAsked(),
        updates.Crowded(),
        updates.Admitted("Bob", True),
        updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None),
        updates.NoCode(because(CodesCode.GUESSED_AT, relay="r:1", words=3)),
        updates.Reached(Scope.LAN, (because(ReachCode.LAN),)),
        updates.Moved(Scope.LAN, (because(ReachCode.LAN),), "hoity3fresh"),
        updates.TicketTaken("Bob"),
        updates.RelayState("relay.example:4646", because(NetCode.CUT)),
        updates.Started(at, 0),
        updates.Linked("Bob"),
        updates.Unlinked("Bob", because(LinkCode.CLOSED)),
        updates.ChainGrew(node, node, 0.055),
        updates.Happened((happenings.RoundBegan(1, (0, 1, 2), (), None),), seen),
        updates.Rewound(2, 5, seen),
        updates.Choosing(seen, "place", False),
        updates.ChoiceTaken("place", 1),
        updates.ChoiceRefused("window", "window-empty", {"window": 1}),
        updates.Awaited(frozenset({1}), 5.4),
        updates.Halfway(frozenset({1}), 150.0, 150.0, MUSTER),
        updates.SeatsTimedOut(frozenset({1}), 300.0, MUSTER),
        updates.Paused(frozenset({1}), 300.0, replace(MUSTER, there=1)),
        updates.Extended(frozenset({1}), 300.0),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.LEFT)),
        updates.Clock(frozenset({1}), 1.0, 299.0, 300.0, MUSTER),
        effects.SeatLeft(1),
        effects.EndAnnounced(1, "silent-seat", 2),
        effects.JournalDoubted(),
        effects.SigningEnded(),
        updates.Resumed(seen),
        updates.Away(),
        updates.Rejoined(),
        updates.Accused(1, "bad-share"),
        updates.Said(1, "Bob", "nice pipes"),
        updates.Said(None, "ABCD-EFGH", 2),
        updates.Unsaid(because(TalkCode.FAST)),
        updates.Again(frozenset({1}), frozenset()),
        updates.GameOver(at, node, (standing,), Path("game.hoity")),
        updates.Unconfirmed(frozenset({1}), 299.0),
        updates.Ended("two-chains", 1),
        updates.ProofSaved(Path("proof.hoity")),
    ]


def test_every_seats_key_is_shown_when_the_table_begins() -> None:
    table = bound()
    roster = table.header.roster
    players = (*(identity(9 + seat).public for seat in range(1, table.seats)), None)
    begun = updates.Started(table, 0, players)
    said, (written,) = said_of(begun), written_of(begun)
    for entry, key, one in zip(roster, players, written["seats"], strict=True):
        told = "shows no key" if key is None else fingerprint(key)
        assert any(told in line and entry.nickname in line for line in said)
        assert one["fingerprint"] == (key and fingerprint(key))
        assert one["table_key"] == fingerprint(entry.id)


def test_every_update_has_a_teller_and_a_name_of_its_own_and_may_come_before_the_table() -> None:
    assert set(UPDATES) == {type(one) for one in each()} >= set(TABLE) | set(GAME) - {Beat}
    written = written_of(*(one for one in each() if not isinstance(one, updates.Happened)))
    items = {
        one(*([0] * len(fields(one)))).as_json()["type"]
        for one in vars(happenings).values()
        if isinstance(one, type)
        and issubclass(one, happenings.Happening)
        and one is not happenings.Happening
    }
    assert not {line["type"] for line in written} & items
    said: list[str] = []
    screen = LineScreen(said.append)
    for update in each():
        if not isinstance(update, updates.Started):
            screen(update)
    assert any("Seated 1 of 3: Ana" in line for line in said)


def told(options: str = "") -> tuple[LineScreen, list[str]]:
    """Return the screen of seat 0, and what it says from now on."""
    said: list[str] = []
    screen = LineScreen(said.append, options)
    screen(updates.Started(bound(), 0))
    screen.follow(updates.Happened((), view()))
    said.clear()
    return screen, said


def said_of(*heard: updates.Update) -> list[str]:
    """Return what the screen of seat 0 says when it hears this."""
    screen, said = told()
    for update in heard:
        screen(update)
    return said


async def program(*lines: str, leave: Any = None) -> tuple[JsonWindow, list[dict[str, Any]]]:
    """Return a program that has said these lines and no more, and what it is written."""
    written: list[dict[str, Any]] = []
    player = program_window(ScreenOptions(leave or [].append), written.append)
    for line in lines:
        await player.typed.send(line)
    player.typed.close()
    await player.hear()
    return player, written


SILENT = (updates.Attendance, updates.Clock)
"""Kept for whoever asks, or until it matters."""


@pytest.mark.parametrize("update", each(), ids=lambda one: type(one).__name__)
def test_every_update_is_told_and_is_an_object(update: updates.Update) -> None:
    screen, said = told()
    screen(update)
    if isinstance(update, updates.Choosing | updates.Resumed):
        assert screen.view is update.view
    elif isinstance(update, SILENT):
        assert said == []
    else:
        assert said
        assert "{" not in "".join(said)
    written = written_of(update)
    left_to_the_host = isinstance(update, updates.Unconfirmed | updates.Ended | updates.Clock)
    with_hand = isinstance(update, updates.Resumed)
    assert len(written) == (0 if left_to_the_host else 1 + with_hand)
    for line in written:
        assert json.loads(json.dumps(line))["type"]


def test_a_program_is_told_its_own_pieces_at_the_deal_and_when_it_sits_down_again() -> None:
    driver = Referee.seat(load(), 3, 1)
    seen, edition = until(driver, "place", 0), driver.state.edition
    setup = updates.Happened(tuple(driver.record[:1]), seen)
    held = [(slot, card, edition.collectibles[card]) for slot, card in enumerate(driver.deck[:4])]
    pieces = [{"slot": s, "card": i, "letter": c.letter, "year": c.year} for s, i, c in held]
    hand = {"type": "hand", "collectibles": pieces}
    again = updates.Resumed(seen, tuple(driver.record[:2]))
    assert written_of(setup)[1:] == [hand]
    assert written_of(again) == [{"type": "resumed", "round": 1, "happenings": 2}, hand]
    for kind in (setup, again):
        assert len(written_of(replace(kind, view=rules.view(seen.state, None)))) == 1


def test_what_a_shuffle_proved_is_kept_with_its_time_and_not_said() -> None:
    screen, said = told()
    node = replace(transition.begin(bound()), want=Want(Kind.SHUFFLE, frozenset({1})))
    screen(updates.ChainGrew(node, node, 0.055))
    assert said == []
    (proof,) = screen.proofs
    assert proof.startswith("deck shuffled by seat 1")
    assert proof.endswith("proof checked, 55 ms")


def test_after_a_choice_it_is_said_once_who_is_awaited() -> None:
    screen, said = told()
    seats = (
        updates.Attending.LINKED,
        updates.Attending.LINKED,
        updates.Attending.UNLINKED,
    )
    waiting = updates.Clock(frozenset({1, 2}), 1.0, 299.0, 300.0, MUSTER)
    screen(updates.Attendance(seats))
    screen(waiting)
    assert said == []
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    screen(replace(waiting, awaited=frozenset({0, 1})))
    assert said == []
    screen(waiting)
    screen(waiting)
    assert said == ["  [sealed; awaited: seat 1 (thinking), seat 2 (no link)]"]
    screen, said = told()
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    assert said == []
    screen(updates.Happened((happenings.RoundBegan(1, (0, 1, 2), (), None),), view()))
    said.clear()
    screen(updates.Clock(frozenset({1}), 1.0, 299.0, 300.0, MUSTER))
    assert said == []
    assert said_of(updates.ChoiceTaken("place", 1)) == ["  [chosen: Auction Hall]"]


def test_the_end_names_the_winner_and_every_last_exhibit() -> None:
    screen, said = told()
    referee = Referee.seat(load(), 3, 1)
    while not isinstance(rules.expected(referee.state), game_interface.Over):
        referee.step()
    standings = referee.state.standings
    at = bound()
    screen(updates.Happened(tuple(referee.record), rules.view(referee.state, 0, {})))
    screen(updates.GameOver(at, transition.begin(at), standings, None))
    assert screen.names is not None
    assert said[-1] == f"The game is over. {won(standings, screen.names)}"
    for one in standings:
        letters = run_letters(referee.state.piece(slot).letter for slot in one.exhibit)
        assert any(f"final exhibit {letters or '–'}." in line for line in said)


@pytest.mark.parametrize("by_bot", [False, True])
def test_why_there_is_no_other_game_is_true_of_oneself(by_bot: bool) -> None:
    screen, said = told()
    screen.by_bot = by_bot
    screen(updates.Again(frozenset({0}), frozenset()))  # one's own wish is no news
    screen(updates.Again(frozenset({1}), frozenset({0, 2})))
    why = "a bot was playing your seat, so you did not agree" if by_bot else "you did not agree"
    assert said[0].endswith(f"people: not agreed: seat 2 (green); {why}.]")


def test_whose_choice_is_sealed_is_not_called_thinking_while_it_is_confirmed() -> None:
    screen, said = told()
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    screen(updates.Attendance((updates.Attending.LINKED,) * 2 + (updates.Attending.UNLINKED,)))
    others = frozenset({1, 2})
    screen(updates.Clock(others, 1.0, 29.0, 30.0, MUSTER, Kind.BARRIER))
    assert said == []
    screen(updates.Awaited(others, 10.0))
    assert said[0] == "  [waiting for 10 s: seat 1 (sealed), seat 2 (no link)]"


@pytest.mark.parametrize("presence", list(updates.Attending))
def test_every_presence_has_words_of_its_own(presence: updates.Attending) -> None:
    line, *more = said_of(
        updates.Attendance((presence,) * 3), updates.Awaited(frozenset({1}), 12.0)
    )
    assert bool(more) == (presence is updates.Attending.UNLINKED), "it may be elsewhere"
    assert line.startswith("  [waiting for 12 s: seat 1 (")
    assert [one for one, words in PRESENCE_WORDS.items() if words in line] == [presence]


async def test_a_program_answers_with_json_or_talks_or_is_told_what_to_do(
    autojump_clock: Any,
) -> None:
    player, written = await program("nonsense", "7", '"1"', "[1]", "true", "1")
    assert await player.choose(view(), "place", False) == 1
    assert [line["type"] for line in written] == ["refused"] * 5
    assert {line["code"] for line in written} == {"not-a-place"}
    assert {line["reason"] for line in written} == {"a Place is a number from 0 to 1"}
    stray = ('{"talk": true}', '{"talk": null}', '{"talk": "a", "b": 1}')
    player, _ = await program('{"talk": "nice pipes"}', '{"talk":3}', *stray, "1")
    assert await player.seat.next_request() == Talk("nice pipes")
    assert await player.seat.next_request() == Talk(3)
    assert [await player._line() for _ in stray] == [*stray]
    assert await player._line() == "1"
    player, _ = await program()
    with pytest.raises(Trouble, match="--auto"):
        await player.agree()
    reasons: list[str] = []
    player, _ = await program(leave=reasons.append)
    assert await is_in_vain(player.choose, view(), "place", False)
    assert len(reasons) == 1
    assert "--auto" in reasons[0]


@pytest.mark.parametrize("line", ["nonsense", "", "[" * 100_000])
async def test_a_program_that_never_chooses_is_not_asked_for_ever(line: str) -> None:
    player, written = await program(*[line] * 2 * STRAYS)
    with pytest.raises(Trouble, match="were no choice"):
        await player.choose(view(), "place", False)
    assert [line["type"] for line in written] == ["refused"] * STRAYS


@pytest.mark.parametrize(
    ("asked", "line", "wanted"),
    [
        ("agree", "true", True),
        ("agree", "YES", True),
        ("agree", "no", False),
        ("again", "true", True),
        ("again", "false", False),
        ("again", None, False),
    ],
)
async def test_a_program_agrees_to_terms_and_games(
    asked: str, line: str | None, wanted: bool
) -> None:
    player, _ = await program(*([] if line is None else [line]))
    assert await getattr(player.seat, asked)() is wanted


@pytest.mark.parametrize(("word", "wish"), [("wait", WaitLonger()), ("leave", LeaveForNow())])
async def test_a_program_waits_or_leaves(word: str, wish: object, autojump_clock: Any) -> None:
    stray = f'{{"{word}": false}}'
    player, _ = await program(stray, f' {{"{word}" : true}} ', "1")
    assert await player.seat.next_request() == wish
    assert await is_in_vain(player.seat.next_request)
    assert await player._line() == stray
    assert await player._line() == "1"


def test_talk_and_presence_are_written_for_programs_by_change_and_no_clock() -> None:
    assert written_of(
        updates.Said(1, "Bob", "nice pipes"),
        updates.Said(None, "ABCD-EFGH", 1),
        updates.Unsaid(because(TalkCode.LONG, most=200)),
        updates.Again(frozenset({0, 2}), frozenset({1})),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.UNLINKED)),
        updates.Clock(frozenset({1}), 1.0, 299.0, 300.0, MUSTER),
        effects.SeatLeft(1),
    ) == [
        {"type": "said", "seat": 1, "who": "Bob", "words": "nice pipes", "phrase": None},
        {"type": "said", "seat": None, "who": "ABCD-EFGH", "words": "Well played.", "phrase": 1},
        {
            "type": "unsaid",
            "code": "talk-too-long",
            "fields": {"most": 200},
            "words": "that is too long: 200 characters at most",
        },
        {"type": "again", "willing": [0, 2], "unwilling": [1]},
        {"type": "attendance", "seats": ["linked", "unlinked"]},
        {"type": "left", "seat": 1, "gave_up": False},
    ]
    (late,) = written_of(
        updates.SeatsTimedOut(frozenset({1}), 5.0, replace(MUSTER, gone=frozenset({1})))
    )
    assert (late["gone"], late["unlinked"]) == ([1], [])


@pytest.mark.parametrize("listens", [False, True])
def test_a_program_is_told_each_end_at_once_and_more_only_if_it_may_play_again(
    listens: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = program_window(ScreenOptions([].append, again=listens), write_line)
    at = bound()
    node, nobody = transition.begin(at), frozenset[int]()
    one, two = Outcome(Path("1.hoity")), Outcome(Path("2.hoity"))
    for update in (
        updates.Started(at, 0),
        updates.GameOver(at, node, (), one.transcript),
        updates.Again(frozenset({0, 1, 2}), nobody),
        updates.Started(at, 0),
        updates.GameOver(at, node, (), two.transcript),
        updates.Again(nobody, frozenset({1})),
    ):
        screen.tell(update)
    screen.end(two)
    types = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
    if listens:
        assert types == ["started", "finished", "again"] * 2
    else:
        assert types == ["started", "finished"] * 2


def test_a_program_reads_with_the_result_who_has_not_confirmed_it_and_then_only_of_faults() -> None:
    at, standings = bound(), (rules.Standing(1, 0, 47, (1, 2, 3)),)
    over = updates.GameOver(at, transition.begin(at), standings, None, frozenset({2, 1}), 29.96)
    done, *more = written_of(
        updates.Started(at, 0),
        over,
        updates.Unconfirmed(frozenset({1}), 28.0),
        updates.Unlinked("Bob", because(LinkCode.CLOSED)),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.UNLINKED)),
        updates.Accused(1, "bad-share"),
    )[1:]
    assert (done["type"], done["awaited"], done["left"]) == ("finished", [1, 2], 30.0)
    assert done["standings"][0]["rank"] == 1
    assert [line["type"] for line in more] == ["accused"]


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


def test_who_reads_lines_by_choice_is_shown_commands_that_keep_them() -> None:
    screen, said = told("--plain ")
    screen(updates.Halfway(frozenset({1}), 150.0, 150.0, STRICT))
    assert f"hoity resume --plain {screen.scene.game}" in " ".join(said)


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
    assert written_of(effects.EndAnnounced(1, "bad-shuffle", 2)) == [
        {"type": "end-announced", "by": 1, "code": "bad-shuffle", "seat": 2}
    ]


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


def test_what_came_of_the_wish_to_wait_is_said_and_a_replaced_link_is_no_news() -> None:
    one, nobody = frozenset({1}), frozenset[int]()
    said = said_of(*(updates.Extended(*what) for what in ((one, 300.0), (one, 0.0), (nobody, 0.0))))
    assert "up to 300 s more for seat 1" in said[0]
    assert "has to wait" in said[1]
    assert "Nobody else" in said[2]
    assert said_of(updates.Unlinked("Bob", because(LinkCode.REPLACED))) == []


def test_a_fault_and_an_end_name_whose_doing_it_was_or_who_was_awaited() -> None:
    for code, seat, words in (
        ("silent-seat", 1, "a seat fell silent before the game began. Who was awaited: "),
        ("silent-seat", None, "a seat fell silent before the game began."),
        ("seat-left", 1, "a seat left before the game began. Who has left: "),
    ):
        who = "" if seat is None else "seat 1 (purple)."
        (said,) = said_of(updates.Ended(code, seat))
        assert said == f"The table has ended without a result: {words}{who}"
    assert said_of(updates.Ended("bad-shuffle", 1)) == [
        "The table has ended without a result because seat 1 (purple) cheated:"
        " the proof of its shuffle is invalid (bad-shuffle)."
    ]
    (said,) = said_of(updates.Ended("silent-seat", 1, 2))
    assert said == (
        "The table has ended without a result. seat 2 (green) announced it: a seat fell silent"
        " before the game began (silent-seat). Your own program has not seen that. seat 2 (green)"
        " says that it was seat 1 (purple)."
    )
    for code, at_fault in (("bad-shuffle", 2), ("stopped", None)):
        line = last_line(Outcome(None, (), code, at_fault), ())
        assert (line["type"], line["seat"], line["code"]) == ("ended", at_fault, code)
    own, other = (" ".join(said_of(updates.Accused(n, "equivocation"))) for n in (0, 1))
    assert "a proof against your own seat (equivocation)" in own
    assert "two places" in own
    assert " cheated: it signed two" in other
    assert "your own" not in other
