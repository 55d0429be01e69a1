"""What a program at a seat is written, and how it answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support import table_contract
from support.at_prompt import is_in_vain, program_window, written_of
from support.cli_stage import referee, until
from support.line_screen import MUSTER, bound, view
from support.rules_driver import Referee
from support.running import running
from support.sampling import seed
from support.screened import Company, short
from support.unruly_games import TABLES

from cli.exit_codes import Trouble
from cli.ui.json_window import JsonWindow
from cli.ui.lines.stdin_lines import STRAYS
from cli.ui.screen_options import ScreenOptions
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import View
from p2p_hoity.table.beside_game.chat import TalkCode
from p2p_hoity.table.playing.player_requests import LeaveForNow, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol import effects
from protocol.chain import transition

Written = list[dict[str, Any]]


# What is written.


def test_a_program_is_told_its_own_pieces_and_nobody_elses() -> None:
    driver = Referee.seat(load(), 3, 1)
    seen, edition = until(driver, "place", 0), driver.state.edition
    setup = updates.Happened(tuple(driver.record[:1]), seen)
    again = updates.Resumed(seen, tuple(driver.record[:2]))
    pieces = [
        [slot, edition.collectibles[card].letter, edition.collectibles[card].year, True]
        for slot, card in enumerate(driver.deck[:4])
    ]
    for update in (setup, again):
        *_, last = written_of(updates.Started(bound(), 0), update)
        seats = last["board"]["seats"]
        assert [seat["pieces"] for seat in seats] == [pieces, [], []]
        assert [seat["unknown"] for seat in seats] == [0, 4, 4]
        *_, last = written_of(
            updates.Started(bound(), None), replace(update, view=rules.view(seen.state, None))
        )
        assert [seat["pieces"] for seat in last["board"]["seats"]] == [[], [], []]


def test_talk_presence_and_the_clock_are_written_by_change() -> None:
    lines = written_of(
        updates.Started(bound(), 0),
        updates.Said(1, "Bob", "nice pipes"),
        updates.Said(None, "ABCD-EFGH", 1),
        updates.Unsaid(because(TalkCode.LONG, most=200)),
        updates.Again(frozenset({0, 2}), frozenset({1})),
        *[updates.Clock(frozenset({1}), s, 300.0 - s, 300.0, MUSTER) for s in (1.0, 2.0, 3.0)],
        updates.Clock(frozenset({1, 2}), 4.0, 296.0, 300.0, MUSTER),
        effects.SeatLeft(1),
        updates.SeatsTimedOut(frozenset({1}), 5.0, replace(MUSTER, gone=frozenset({1}))),
    )
    assert [line["type"] for line in lines] == [
        *("table", "said", "said", "log", "log", "clock", "clock", "log", "log")
    ]
    assert [(line["words"], line["phrase"]) for line in lines[1:3]] == [
        ("nice pipes", None),
        ("Well played.", 1),
    ]
    unsaid, again, *_, left, late = [line for line in lines if line["type"] == "log"]
    assert unsaid["fields"] == {
        "reason": {
            "code": "talk-too-long",
            "fields": {"most": 200},
            "words": "that is too long: 200 characters at most",
        }
    }
    assert (again["event"], again["fields"]) == ("again", {"willing": [0, 2], "unwilling": [1]})
    assert left["fields"] == {"seat": 1, "gave_up": False}
    assert (late["event"], late["fields"]["muster"]["gone"]) == ("timed-out", [1])
    assert "goes on" in " ".join(late["words"])


@pytest.mark.parametrize("listens", [False, True])
def test_a_program_is_told_each_end_at_once_and_more_only_if_it_may_play_again(
    listens: bool,
) -> None:
    written: Written = []
    screen = program_window(ScreenOptions([].append, again=listens), written.append)
    at = bound()
    node, nobody = transition.begin(at), frozenset[int]()
    two = Outcome(Path("2.hoity"))
    for update in (
        updates.Started(at, 0),
        updates.GameOver(at, node, (), Path("1.hoity")),
        updates.Again(frozenset({0, 1, 2}), nobody),
        updates.Started(at, 0),
        updates.GameOver(at, node, (), two.transcript),
        updates.Again(nobody, frozenset({1})),
    ):
        screen.tell(update)
    screen.end(two)
    each = ["table", "ending", *(["log"] if listens else [])]
    assert [line["type"] for line in written] == ["hello", *each * 2]


def test_a_program_reads_with_the_result_who_has_not_confirmed_it_and_then_only_of_faults() -> None:
    at, standings = bound(), (rules.Standing(1, 0, 47, (1, 2, 3)),)
    over = updates.GameOver(at, transition.begin(at), standings, None, frozenset({2, 1}), 29.96)
    done, *more = written_of(
        updates.Started(at, 0),
        over,
        updates.Unconfirmed(frozenset({1}), 28.0),
        updates.Unlinked("Bob", because(LinkCode.CLOSED)),
        updates.InPages({"Bob": "relay.example"}, 3, 2, "Ana"),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.UNLINKED)),
        updates.Accused(1, "bad-share"),
    )[1:]
    assert (done["type"], done["code"], done["awaited"]) == ("ending", None, [1, 2])
    assert done["left"] == 29.96
    assert done["standings"][0]["rank"] == 1
    assert [line["type"] for line in more] == ["alarm"]


def test_an_end_without_a_result_says_why_and_on_whose_word_alone() -> None:
    written: Written = []
    window = program_window(ScreenOptions([].append), written.append)
    window.tell(updates.Started(bound(), 0))
    window.tell(updates.Ended("bad-shuffle", 1, by=2))
    window.end(Outcome(None, (), "bad-shuffle", 1, by=2))
    last = written[-1]
    table_contract.check(last)
    assert (last["type"], last["code"], last["seat"], last["by"]) == ("ending", "bad-shuffle", 1, 2)
    assert "Your own program has not seen that" in last["words"]
    assert last["standings"] == []


# What is answered.


async def program(*lines: str, leave: Any = None) -> tuple[JsonWindow, Written]:
    """Return a program that has said these lines and no more, and what it is written."""
    written: Written = []
    player = program_window(ScreenOptions(leave or [].append), written.append)
    for line in lines:
        await player.typed.send(line)
    player.typed.close()
    await player.hear()
    return player, written


def codes(written: Written) -> list[str]:
    return [line["code"] for line in written if line["type"] == "refused"]


async def test_a_program_answers_or_is_told_what_is_wrong(autojump_clock: Any) -> None:
    player, written = await program("nonsense", "", "7", '"Hall"', "[1]", "true", '"Castle"')
    assert await player.choose(view(), "place", False) == rules.Place.CASTLE
    wrong = ["no-json", "no-place", "no-place", "no-place", "nothing-open"]
    assert codes(written) == wrong
    words = [line["words"] for line in written if line["type"] == "refused"]
    assert words[0] == "the line is no JSON"
    assert words[1] == 'a Place is "Castle" or "Auction Hall"'
    player, _ = await program()
    with pytest.raises(Trouble, match="--auto") as caught:
        await player.agree()
    assert caught.value.code == "input-ended"
    reasons: list[str] = []
    player, _ = await program(leave=reasons.append)
    assert await is_in_vain(player.choose, view(), "place", False)
    assert len(reasons) == 1
    assert "--auto" in reasons[0]


async def test_requests_are_carried_out_at_any_time(autojump_clock: Any) -> None:
    stray = '{"type": "talk", "words": true}'
    player, written = await program(
        *('{"type": "talk", "words": "nice pipes"}', '{"type":"talk","phrase":3}', stray),
        *('{"type": "wait"}', '{"type": "leave"}', '{"type": "bot", "plays": true}', '"Castle"'),
    )
    wishes = [await player.seat.next_request() for _ in range(4)]
    assert wishes == [Talk("nice pipes"), Talk(3), WaitLonger(), LeaveForNow()]
    assert await is_in_vain(player.seat.next_request)
    assert player.seat.by_bot
    assert await player.choose(view(), "place", False) == rules.Place.CASTLE
    assert codes(written) == ["bad-field"]


@pytest.mark.parametrize("line", ["nonsense", "[" * 100_000, '{"type": "nothing"}'])
async def test_a_program_that_never_chooses_is_not_asked_for_ever(line: str) -> None:
    player, written = await program(*[line] * 2 * STRAYS)
    with pytest.raises(Trouble, match="were no choice") as caught:
        await player.choose(view(), "place", False)
    assert caught.value.code == "too-many-refused"
    assert len(codes(written)) == STRAYS


@pytest.mark.parametrize(
    ("asked", "line", "wanted"),
    [
        ("agree", "true", True),
        ("agree", '{"type": "reply", "ask": 1, "yes": true}', True),
        ("agree", "false", False),
        ("again", "true", True),
        ("again", "false", False),
        ("again", None, False),
    ],
)
async def test_a_program_agrees_to_terms_and_games(
    asked: str, line: str | None, wanted: bool
) -> None:
    player, written = await program(*([] if line is None else [line]))
    assert await getattr(player.seat, asked)() is wanted
    assert (written[1]["type"], written[1]["form"], written[1]["id"]) == ("ask", asked, 1)
    table_contract.check(written[1])


async def test_a_guest_is_let_in_only_by_a_reply_that_names_the_question() -> None:
    written: Written = []
    seat = program_window(ScreenOptions([].append, auto=True), written.append)
    async with running(seat.hear):
        for number, (key, yes) in enumerate((("KEY", True), ("KEY", False), (None, True)), 1):
            lines = ("true", "1", "[1", f'{{"type": "reply", "ask": {number - 1}, "yes": true}}')
            for said in (*lines, json.dumps({"type": "reply", "ask": number, "yes": yes})):
                await seat.typed.send(said)
            assert await seat.admit("Bob", key) is yes
            ask = next(line for line in written if line.get("id") == number)
            assert ask["fields"] == {"nickname": "Bob", "fingerprint": key}
            table_contract.check(ask)
        await seat.typed.aclose()
        with pytest.raises(Trouble, match="input ended"):
            await seat.admit("Bob", "KEY")
    new = ["bad-field", "nothing-open", "no-json"]
    assert codes(written) == [*new, "no-such-question", *[*new, "old-question"] * 2]


# The ids of questions.


def place_question() -> View:
    """What seat 0 sees when it chooses a Place."""
    return until(referee(3, 1), "place", 0)


def program_writing(written: Written, **how: Any) -> JsonWindow:
    return program_window(ScreenOptions([].append, **how), written.append)


def answer(number: Any, choice: Any) -> str:
    return json.dumps({"type": "answer", "question": number, "choice": choice})


async def answered(*lines: str, questions: int = 2) -> tuple[Any, Written]:
    """The choice for the last of some questions, and the lines about what was refused."""
    written: Written = []
    player, seen = program_writing(written), place_question()
    for _question in range(questions):
        player.tell(updates.Choosing(seen, "place", False))
    asked = [line for line in written if line["type"] in ("question", "closed")]
    numbers = [line.get("id", line.get("question")) for line in asked]
    assert numbers == [1, 1, 2][: 2 * questions - 1]
    async with running(player.hear):
        for line in lines:
            await player.typed.send(line)
        with trio.move_on_after(1):
            found = await player.choose(seen, "place", False)
            return found, [line for line in written if line["type"] == "refused"]
    return None, [line for line in written if line["type"] == "refused"]


@pytest.mark.parametrize("line", ['"Auction Hall"', ' "Auction Hall" ', answer(2, "Auction Hall")])
async def test_an_answer_is_a_choice_alone_or_with_the_id(line: str) -> None:
    assert await answered(line) == (1, [])


async def test_a_late_answer_is_refused_and_answers_nothing(autojump_clock: Any) -> None:
    late = answer(1, "Castle")
    assert await answered(late) == (None, [REFUSED])
    assert await answered(late, '"Auction Hall"', late) == (1, [REFUSED])
    assert await answered(*[late] * 50, answer(2, "Auction Hall")) == (1, [REFUSED] * 50)
    assert await answered(answer(1, "nonsense"), '"Castle"') == (0, [REFUSED])


REFUSED = {
    "type": "refused",
    "question": 2,
    "code": "old-question",
    "fields": {"id": 1},
    "words": "the question with the id 1 is not open any more",
}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (answer(3, "Castle"), "no-such-question"),
        (answer(0, "Castle"), "no-such-question"),
        (answer(-1, "Castle"), "no-such-question"),
        (answer(int("1" + "0" * 4000), "Castle"), "no-such-question"),
        (answer(2, None), "no-place"),
        (answer(2, True), "no-place"),
        (answer(2, 0), "no-place"),
        (answer(2, ["Castle"]), "no-place"),
        (answer(2, {"type": "answer", "question": 2, "choice": 1}), "no-place"),
        ('["Castle"]', "no-place"),
        ("{}", "no-type"),
        ("true", "nothing-open"),
    ],
)
async def test_a_wrong_id_or_form_is_refused_and_the_question_stays_open(
    line: str, code: str
) -> None:
    choice, refused = await answered(line, answer(2, "Castle"))
    assert choice == 0
    assert [one["code"] for one in refused] == [code]
    assert json.dumps(refused, allow_nan=False)


async def test_wrong_ids_count_as_strays_and_late_answers_do_not() -> None:
    mixed = [answer(9, "Castle"), answer(1, "Castle")] * (STRAYS - 1)
    assert (await answered(*mixed, '"Auction Hall"'))[0] == 1


async def test_a_late_answer_does_not_say_that_there_is_no_other_game() -> None:
    written: Written = []
    player = program_writing(written, again=True)
    player.tell(updates.Choosing(place_question(), "place", False))
    async with running(player.hear):
        for line in (answer(1, "Castle"), "true", answer(5, "Castle"), "false"):
            await player.typed.send(line)
        assert await player.again(60.0) is True
        assert await player.again(60.0) is False
    assert codes(written) == ["old-question", "no-such-question"]


def test_ids_rise_in_each_process_and_are_never_used_again() -> None:
    """Also when the same question is asked again, and in the next game of the same people."""
    written: Written = []
    player, seen = program_writing(written, again=True), place_question()
    for _game in range(3):
        for again in (False, True, False):
            player.tell(updates.Choosing(seen, "place", again))
            player.tell(updates.ChoiceRefused("place", "not-a-place", {}))
        at = bound()
        player.tell(updates.GameOver(at, transition.begin(at), (), None))
    assert [line["id"] for line in written if line["type"] == "question"] == list(range(1, 10))


async def test_marked_pieces_are_judged_in_words_and_a_closed_question_is_not() -> None:
    written: Written = []
    player, seen = program_writing(written), until(referee(3, 1), "exhibit", 0)
    player.tell(updates.Started(bound(), 0))
    player.tell(updates.Choosing(seen, "exhibit", False))
    slots = next(line["slots"] for line in written if line["type"] == "question")
    best = list(rules.best_slots(seen.state, seen.mine()) or ())
    async with running(player.hear), trio.open_nursery() as nursery:
        nursery.start_soon(player.seat.choose, seen, "exhibit", False)
        await trio.testing.wait_all_tasks_blocked()
        for question, picked in ((1, best), (1, slots[:1]), (2, best)):
            line = {"type": "check", "question": question, "picked": picked}
            await player.typed.send(json.dumps(line))
        await player.typed.send(json.dumps(best))
    good, bad = [line for line in written if line["type"] == "checked"]
    for line in (good, bad):
        table_contract.check(line)
    assert (good["is_legal"], bad["is_legal"]) == (True, False)
    assert codes(written) == ["old-question"]


async def test_only_an_answer_of_pieces_can_be_checked() -> None:
    written: Written = []
    player = program_writing(written)
    player.tell(updates.Started(bound(), 0))
    player.tell(updates.Choosing(place_question(), "place", False))
    async with running(player.hear), trio.open_nursery() as nursery:
        nursery.start_soon(player.seat.choose, place_question(), "place", False)
        await trio.testing.wait_all_tasks_blocked()
        await player.typed.send('{"type": "check", "question": 1, "picked": []}')
        await player.typed.send('"Castle"')
    assert codes(written) == ["not-marked"]


# Whole games.


@pytest.mark.parametrize("with_ids", [False, True])
@pytest.mark.parametrize(
    ("seats", "variant"), sorted({one[1:] for one in TABLES}, key=str)[::2], ids=str
)
async def test_a_whole_game_is_told_by_messages_of_the_contract_alone(
    seats: int, variant: Any, with_ids: bool, autojump_clock: Any
) -> None:
    """Every happening in its order, and a board after each that has the same facts."""
    written: Written = []
    company = Company(seats, int(seed()), variant, edition=short())
    happened: Written = []

    def read(line: dict[str, Any]) -> None:
        table_contract.check(line)
        written.append(json.loads(json.dumps(line, allow_nan=False)))
        if line["type"] == "question":
            said = line["entries"][-1]["choice"]
            player.typed.send_nowait(answer(line["id"], said) if with_ids else json.dumps(said))

    player = program_window(ScreenOptions([].append), read)

    def tell(update: updates.Update) -> None:
        if isinstance(update, updates.Happened):
            happened.extend(item.as_json() for item in update.items)
        player.tell(update)

    async with running(player.hear):
        assert await company.play(player, tell) == "finished"
    beats = [line for line in written if line["type"] == "beat"]
    assert [one for beat in beats for one in beat["happenings"]] == happened
    assert [beat["index"] for beat in beats] == [
        sum(len(one["happenings"]) for one in beats[:n]) for n in range(len(beats))
    ]
    questions = [line for line in written if line["type"] == "question"]
    assert [line["id"] for line in questions] == list(range(1, len(company.asked) + 1))
    assert [line["type"] for line in written].count("taken") == len(questions)
    *_, ending = written
    assert ending["type"] == "ending"
    figures = [path[-1] for path in ending["paths"]]
    assert figures == list(company.referee.state.figures)
    assert [seat["field"] for seat in beats[-1]["board"]["seats"]] == figures
