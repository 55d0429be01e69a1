"""What a program at a seat is written, and how it answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.at_prompt import is_in_vain, program_window, written_of
from support.cli_stage import referee, until
from support.line_screen import MUSTER, bound, view
from support.rules_driver import Referee
from support.running import running
from support.sampling import seed
from support.screened import Company, short
from support.unruly_games import TABLES

from cli.exit_codes import Trouble
from cli.printing import write_line
from cli.ui.json_window import JsonWindow, last_line
from cli.ui.lines.stdin_lines import STRAYS
from cli.ui.screen_options import ScreenOptions
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene_json import update_json
from p2p_hoity.rules import Standing, View
from p2p_hoity.table.beside_game.chat import TalkCode
from p2p_hoity.table.playing.player_interface import LeaveForNow, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol import effects
from protocol.chain import transition

# The last line.


def test_the_last_line() -> None:
    done = Outcome(Path("g.hoity"), (Standing(1, 1, 47, (4, 5, 6)),))
    assert last_line(done, ("Ana", "Bob")) == {
        "type": "finished",
        "transcript": "g.hoity",
        "standings": [{"rank": 1, "seat": 1, "nickname": "Bob", "field": 47, "exhibit": [4, 5, 6]}],
        "broken": None,
        "seat": None,
        "by": None,
        "code": None,
    }
    assert last_line(Outcome(None, (), "stopped"), ())["type"] == "ended"


def test_the_last_line_says_on_whose_word_alone_a_seat_is_named() -> None:
    line = last_line(Outcome(None, (), "bad-shuffle", 1, by=2), ())
    assert (line["code"], line["seat"], line["by"]) == ("bad-shuffle", 1, 2)


# Answers, talk and updates.


async def program(*lines: str, leave: Any = None) -> tuple[JsonWindow, list[dict[str, Any]]]:
    """Return a program that has said these lines and no more, and what it is written."""
    written: list[dict[str, Any]] = []
    player = program_window(ScreenOptions(leave or [].append), written.append)
    for line in lines:
        await player.typed.send(line)
    player.typed.close()
    await player.hear()
    return player, written


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


# The ids of questions.

Written = list[dict[str, Any]]


def place_question() -> View:
    """What seat 0 sees when it chooses a Place."""
    return until(referee(3, 1), "place", 0)


def program_writing(written: Written, **how: Any) -> JsonWindow:
    return program_window(ScreenOptions([].append, **how), written.append)


async def answered(*lines: str, questions: int = 2) -> tuple[Any, Written]:
    """The choice for the last of some questions, and the lines about what was refused."""
    written: Written = []
    player, seen = program_writing(written), place_question()
    for _question in range(questions):
        player.tell(updates.Choosing(seen, "place", False))
    assert [line["id"] for line in written] == list(range(1, questions + 1))
    async with running(player.hear):
        for line in lines:
            await player.typed.send(line)
        with trio.move_on_after(1):
            return await player.choose(seen, "place", False), written[questions:]
    return None, written[questions:]


@pytest.mark.parametrize(
    "line",
    ["1", " 1 ", '{"id": 2, "choice": 1}', '{"choice":1,"id":2}', ' {"id" : 2 , "choice" : 1} '],
)
async def test_an_answer_is_a_choice_alone_or_with_the_id(line: str) -> None:
    assert await answered(line) == (1, [])


async def test_a_late_answer_is_refused_and_answers_nothing(autojump_clock: Any) -> None:
    late = '{"id": 1, "choice": 0}'
    assert await answered(late) == (None, [REFUSED])
    choice, refused = await answered(late, "1", late)
    assert (choice, refused) == (1, [REFUSED])
    choice, refused = await answered(*[late] * 50, '{"id": 2, "choice": 1}')
    assert (choice, refused) == (1, [REFUSED] * 50)
    choice, refused = await answered('{"id": 1, "choice": "nonsense"}', "0")
    assert (choice, refused) == (0, [REFUSED])


REFUSED = {
    "type": "refused",
    "kind": "place",
    "code": "old-question",
    "fields": {"id": 1},
    "reason": "the question with the id 1 is not open any more",
}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"id": 3, "choice": 1}', "no-such-question"),
        ('{"id": 0, "choice": 1}', "no-such-question"),
        ('{"id": -1, "choice": 1}', "no-such-question"),
        ('{"id": 1' + "0" * 4000 + ', "choice": 1}', "no-such-question"),
        ('{"id": 1e400, "choice": 1}', "no-such-question"),
        ('{"id": NaN, "choice": 1}', "no-such-question"),
        ('{"id": 2.0, "choice": 1}', "no-such-question"),
        ('{"id": true, "choice": 1}', "no-such-question"),
        ('{"id": false, "choice": 1}', "no-such-question"),
        ('{"id": null, "choice": 1}', "no-such-question"),
        ('{"id": "2", "choice": 1}', "no-such-question"),
        ('{"id": [2], "choice": 1}', "no-such-question"),
        ('{"id": {"id": 2}, "choice": 1}', "no-such-question"),
        ('{"id": 1' + "0" * 5000 + ', "choice": 1}', "not-a-place"),
        ('{"id": 2}', "not-a-place"),
        ('{"id": 1}', "not-a-place"),
        ('{"choice": 1}', "not-a-place"),
        ('{"id": 2, "choice": 1, "more": 1}', "not-a-place"),
        ('{"Id": 2, "choice": 1}', "not-a-place"),
        ('{"id": 2, "choice": null}', "not-a-place"),
        ('{"id": 2, "choice": true}', "not-a-place"),
        ('{"id": 2, "choice": {"id": 2, "choice": 1}}', "not-a-place"),
        ('{"id": 2, "choice": 7}', "not-a-place"),
        ('[{"id": 2, "choice": 1}]', "not-a-place"),
        ("{}", "not-a-place"),
    ],
)
async def test_a_wrong_id_or_form_is_refused_and_the_question_stays_open(
    line: str, code: str
) -> None:
    choice, refused = await answered(line, '{"id": 2, "choice": 0}')
    assert choice == 0
    assert [(one["type"], one["code"]) for one in refused] == [("refused", code)]
    assert json.dumps(refused, allow_nan=False)


async def test_wrong_ids_count_as_strays_and_late_answers_do_not() -> None:
    written: Written = []
    player = program_writing(written)
    for line in ['{"id": 9, "choice": 1}'] * STRAYS + ["1"]:
        await player.typed.send(line)
    player.typed.close()
    await player.hear()
    with pytest.raises(Trouble, match="were no choice"):
        await player.choose(place_question(), "place", False)
    assert [line["code"] for line in written] == ["no-such-question"] * STRAYS
    mixed = ['{"id": 9, "choice": 1}', '{"id": 1, "choice": 1}'] * (STRAYS - 1)
    assert (await answered(*mixed, "1"))[0] == 1


async def test_a_late_answer_does_not_say_that_there_is_no_other_game() -> None:
    written: Written = []
    player = program_writing(written, again=True)
    player.tell(updates.Choosing(place_question(), "place", False))
    async with running(player.hear):
        for line in ('{"id": 1, "choice": 0}', "true", '{"id": 5, "choice": 0}'):
            await player.typed.send(line)
        assert await player.again(60.0) is True
        assert await player.again(60.0) is False
    assert written[1:] == [REFUSED]


def test_ids_rise_in_each_process_and_are_never_used_again() -> None:
    """Also when the same question is asked again, and in the next game of the same people."""
    written: Written = []
    player, seen = program_writing(written, again=True), place_question()
    for _game in range(3):
        for again in (False, True, False):
            player.tell(updates.Choosing(seen, "place", again))
            player.tell(updates.ChoiceRefused("place", "not-a-place", {}))
        player.tell(updates.GameOver(None, None, (), None))  # type: ignore[arg-type]
    ids = [line["id"] for line in written if line["type"] == "choosing"]
    assert ids == list(range(1, 10))
    assert all("id" not in line for line in written if line["type"] != "choosing")


@pytest.mark.parametrize("with_ids", [False, True])
@pytest.mark.parametrize(
    ("seats", "variant"), sorted({one[1:] for one in TABLES}, key=str)[::2], ids=str
)
async def test_a_whole_game_is_written_as_before_but_for_the_ids(
    seats: int, variant: Any, with_ids: bool, autojump_clock: Any
) -> None:
    """Every other line and key is as `update_json` and `as_json` have it, in the same order."""
    written: list[str] = []
    heard: Written = []
    company = Company(seats, int(seed()), variant, edition=short())

    def read(line: dict[str, Any]) -> None:
        written.append(json.dumps(line))
        if line["type"] == "choosing":
            said = line["choices"][-1]
            answer = {"id": line["id"], "choice": said} if with_ids else said
            player.typed.send_nowait(json.dumps(answer))

    player = program_window(ScreenOptions([].append), read)

    def tell(update: updates.Update) -> None:
        if isinstance(update, updates.Happened):
            heard.extend(item.as_json() for item in update.items)
        elif not isinstance(update, updates.Clock | updates.GameOver):
            heard.append(update_json(update, dict))
        player.tell(update)

    async with running(player.hear):
        assert await company.play(player, tell) == "finished"
    lines = [json.loads(line) for line in written if '"type": "hand"' not in line][:-1]
    ids = [line.pop("id") for line in lines if line["type"] == "choosing"]
    assert ids == list(range(1, len(company.asked) + 1))
    assert [json.dumps(line) for line in lines] == [json.dumps(line) for line in heard]


Shown = pytest.CaptureFixture[str]


# Guests that ask for a seat.


async def test_a_program_answers_by_the_key_until_it_is_gone_and_strays_say_nothing(
    capsys: Shown,
) -> None:
    seat = program_window(ScreenOptions(lambda reason: None, auto=True), write_line)
    send = seat.typed
    async with running(seat.hear):
        for said in ("y", '{"admit":"OTHER"}', "[1", '{"admit":"KEY","x":1}', '{"admit": "KEY"}'):
            await send.send(said)
        assert await seat.admit("Bob", "KEY") is True
        await send.send('{"refuse":"KEY"}')
        assert await seat.admit("Bob", "KEY") is False
        for said in ('{"admit":null}', '{"refuse":null,"request":2}', '{"admit":null,"request":3}'):
            await send.send(said)
        assert await seat.admit("Bob", None) is True
        await send.send('{"admit":null,"request":3}')  # of the guest of this nickname before
        await send.send('{"refuse":null,"request":4}')
        assert await seat.admit("Bob", None) is False
        await send.aclose()
        with pytest.raises(Trouble, match="input ended"):
            await seat.admit("Bob", "KEY")
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    first_request = {"nickname": "Bob", "fingerprint": "KEY", "request": 1}
    assert first == {"type": "seat-request", **first_request}
