"""A seat at a page is told what a seat may know, at a person's pace; no window harms a game."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from support import table_contract
from support.page_table import Closed, PageClient, page_table, playing
from support.sampling import seed
from support.screened import Company, short
from wsproto.events import TextMessage

from cli.table_view import paced_messages
from cli.ui.web import outbox, page_window
from cli.ui.web.page_server import REPLACED
from cli.ui.web.window_requests import BAD_MESSAGE
from cli.words import translation
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.staging import Remark
from p2p_hoity.rules import State
from p2p_hoity.table.playing.player_requests import Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome

pytestmark = pytest.mark.sampled(18)

Message = dict[str, Any]


def pieces_in(value: Any) -> Iterator[tuple[int, str, int]]:
    """Every piece that a message shows: an array of a slot, a letter, a year and a switch."""
    match value:
        case [int(slot), str(letter), int(year), bool()]:
            yield slot, letter, year
        case list():
            for one in value:
                yield from pieces_in(one)
        case dict():
            for one in value.values():
                yield from pieces_in(one)


def known_to(company: Company) -> set[tuple[int, str, int]]:
    """Every piece that the seat at the page may know."""
    state: State = company.referee.state
    cards = company.view().cards
    pieces = state.edition.collectibles
    return {(slot, pieces[card].letter, pieces[card].year) for slot, card in cards.items()}


GAMES = [
    (2, "surprise"),
    (2, "confrontation"),
    (3, None),
    (6, None),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("seats", "variant"), GAMES)
async def test_a_whole_game_is_played_and_nothing_secret_is_told(
    seats: int, variant: Any, tmp_path: Path
) -> None:
    table, company = page_table(tmp_path), Company(seats, seed(), variant, edition=short())
    shown: set[tuple[int, str, int]] = set()

    def look(message: Message) -> None:
        found = set(pieces_in(message))
        assert found <= known_to(company)
        shown.update(found)

    async with playing(table, company):
        client = await table.enter()
        ending = await client.play(look)
        assert [line["rank"] for line in ending["standings"]] == sorted(
            standing.rank for standing in company.referee.state.standings
        )
        kinds = {one["type"] for one in client.heard}
        assert {"hello", "page", "table", "state", "beat", "question", "taken"} <= kinds
        assert shown


async def test_nothing_tells_the_result_before_its_part_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paced_messages, "pause", lambda update: 0.02)
    table, company = page_table(tmp_path), Company(3, 3, edition=short())
    beats: list[Message] = []
    async with playing(table, company):
        client = await table.enter()
        while True:
            message = await client.receive()
            if message["type"] == "question":
                await client.answer(message)
            beats += [message] if message["type"] == "beat" else []
            if message["type"] == "beat" and "final-exhibit" in json.dumps(message):
                await client.send({"type": "open", "sheet": "log"})
            if message["type"] == "sheet" and not has_result(beats):
                words = " ".join(text for line in message["lines"] for text, _style in line)
                assert "wins with field" not in words
            if message["type"] == "ending":
                break
        assert has_result(beats)
        left = [one["left"] for one in beats if "final-exhibit" in json.dumps(one)]
        assert left == sorted(left, reverse=True)
        assert left


async def test_a_window_that_enters_during_a_reveal_is_told_the_part_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paced_messages, "pause", lambda update: 600.0)
    table, company = page_table(tmp_path), Company(3, 3, edition=short())
    async with playing(table, company):
        client = await table.enter()
        while True:
            message = await client.receive()
            if message["type"] == "beat" and message["words"]:
                break
            if message["type"] == "question":
                await client.answer(message)
        table.window.tell(updates.Said(1, "Bob", "hi", False))  # It comes beside the reveal.
        await client.until("said")
        again = await PageClient.enter(table.port, token=client.token, take=True)
        assert (await again.until("beat"))["words"] == message["words"]


def has_result(beats: list[Message]) -> bool:
    """Whether the result was seen."""
    return any(one["type"] == "standing-made" for beat in beats for one in beat["happenings"])


async def test_a_window_that_comes_back_is_asked_the_same_question(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 1, edition=short())
    async with playing(table, company):
        client = await table.enter()
        before = await client.play(until=lambda one: one["type"] == "question")
        await client.close()
        again = await PageClient.enter(table.port, token=client.token)
        after = await again.until("question")
        assert after == before
        story = next(one for one in again.heard if one["type"] == "story")
        assert len(story["words"]) > 1
        await again.answer(after)
        assert (await again.until("taken"))["question"] == before["id"]


async def test_a_window_that_is_killed_at_every_message_harms_no_game(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company) as is_done:
        client = await table.enter()
        token, is_over = client.token, False
        for number in range(10_000):
            heard = 0
            while heard <= number % 23 and not is_over:
                message = await client.receive()
                heard += 1
                is_over = message["type"] == "ending"
                await client.answer(message)
            await client.close()
            if is_over:
                break
            client = await PageClient.enter(table.port, token=token)
        assert is_over
        assert not is_done()  # The page shows the end until its window is done.


async def test_a_second_window_takes_over_and_the_game_goes_on(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        first = await table.enter()
        await first.play(until=lambda one: one["type"] == "question")
        with pytest.raises(Closed, match=str(REPLACED)):
            await PageClient.enter(table.port, token=first.token)
        second = await PageClient.enter(table.port, token=first.token, take=True)
        assert await first.code() == REPLACED
        assert await second.play()


async def test_a_game_without_a_window_waits_and_a_late_one_sees_it_whole(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        while table.seat.open is None:
            await trio.sleep(0.01)
        client = await table.enter()
        assert await client.play()


async def test_a_window_that_reads_nothing_gets_the_whole_truth_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.ui.web.outbox.MOST", 5)
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        assert await client.play()


# What is refused.


NO_MESSAGES: list[object] = [
    "no JSON",
    [],
    {"type": "unknown"},
    {"no": "type"},
    {"type": "answer"},
    {"type": "answer", "question": 1, "choice": 0, "more": 1},
    {"type": "answer", "question": True, "choice": 0},
    {"type": "check", "question": 1, "picked": ["a"]},
    {"type": "open", "sheet": "secrets"},
    {"type": "set", "sound": "loud"},
    {"type": "set", "language": "x" * 300},
    {"type": "seek", "at": 1.5},
    {"type": "setup", "ask": 1},
    {"type": "talk"},
    {"type": "hurry", "now": 1},
    {"type": "enter", "token": "again"},
    "[" * 30_000,
]


async def test_what_the_contract_does_not_know_closes_the_window_alone(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        for line in NO_MESSAGES:
            await client.send(line)
            assert await client.code() == BAD_MESSAGE, line
            client = await PageClient.enter(table.port, token=client.token)
        assert await client.play(until=lambda one: one["type"] == "taken")


async def test_an_answer_counts_for_its_own_open_question_and_once(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        asked = await client.play(until=lambda one: one["type"] == "question")
        number, choice = asked["id"], asked["entries"][0]["choice"]
        for question, given, code in (
            (number + 1, choice, "old-question"),
            (0, choice, "old-question"),
            (number, "Kitchen", "no-place"),
            (number, {"a": 1}, "no-place"),
        ):
            await client.send({"type": "answer", "question": question, "choice": given})
            refused = await client.until("refused")
            assert (refused["code"], refused["question"]) == (code, number)
        for _time in range(2):
            await client.send({"type": "answer", "question": number, "choice": choice})
        missing = {"taken", "refused"}
        while missing:
            missing.discard((await client.receive())["type"])
        assert await client.play()


def asks_for_pieces(message: Message) -> bool:
    """Whether a message is a question that is answered by marking pieces."""
    return message["type"] == "question" and message["kind"] in ("exhibit", "theft")


async def test_marked_pieces_are_judged_in_words(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 1, edition=short())
    async with playing(table, company):
        client = await table.enter()
        while not asks_for_pieces(asked := await client.receive()):
            entries = asked.get("entries", ())
            shows = [one for one in entries if one["words"] == "Exhibit"]
            await client.answer({**asked, "entries": shows or entries})
        for picked, is_legal in ((asked["entries"][0]["choice"], True), ([], False)):
            picked = picked if isinstance(picked, list) else [picked]
            await client.send({"type": "check", "question": asked["id"], "picked": picked})
            checked = await client.until("checked")
            assert (checked["question"], checked["is_legal"]) == (asked["id"], is_legal)
        await client.answer(asked)
        await client.until("taken")
        await client.send({"type": "check", "question": asked["id"], "picked": []})
        assert (await client.until("refused"))["code"] == "old-question"


# What else a person does.


async def test_every_page_of_text_can_be_read(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        names = (
            "proofs",
            "links",
            "pieces",
            "rules",
            "numbers",
            "log",
            "recap",
            "advice",
            "ticket",
        )
        for name in names:
            await client.send({"type": "open", "sheet": name})
            sheet = await client.until("sheet")
            assert (sheet["name"], bool(sheet["title"])) == (name, True)
            assert sheet["lines"]


async def test_leaving_needs_a_second_step(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        await client.send({"type": "leave"})
        await client.send({"type": "leave"})
        asked = await client.until("ask")
        assert asked["form"] == "leave"
        await client.send({"type": "reply", "ask": asked["id"], "yes": False})
        assert (await client.until("settled"))["ask"] == asked["id"]
        assert table.left == []
        await client.send({"type": "leave"})
        asked = await client.until("ask")
        await client.send({"type": "reply", "ask": asked["id"], "yes": True})
        await client.until("settled")
        assert table.left == ["you left"]


async def test_a_bot_plays_on_after_a_second_step_until_the_person_is_back(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        await client.send({"type": "bot", "plays": True})
        asked = await client.until("ask")
        await client.send({"type": "reply", "ask": asked["id"], "yes": True})
        assert (await client.until("page"))["by_bot"]
        await client.until("closed")
        await client.send({"type": "bot", "plays": False})
        assert not (await client.until("page"))["by_bot"]
        assert await client.until("question")


async def test_a_person_who_was_away_takes_the_seat_again_by_a_click(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    back: list[None] = []

    async def return_at_last() -> None:
        await table.seat.returning()
        back.append(None)

    async with playing(table, company), trio.open_nursery() as nursery:
        client = await table.enter()
        question = await client.play(until=lambda one: one["type"] == "question")
        table.seat.tell(updates.Away(may_rejoin=True))
        nursery.start_soon(return_at_last)
        assert (await client.until("closed"))["question"] == question["id"]
        asked = await client.until("ask")
        assert asked["form"] == "return"
        await client.send({"type": "reply", "ask": asked["id"], "yes": False})
        asked = await client.until("ask")
        assert not back
        await client.send({"type": "reply", "ask": asked["id"], "yes": True})
        await client.until("settled")
        while not back:
            await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


async def test_a_cheater_is_named_at_once(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        table.seat.tell(updates.Accused(1, "bad-opening"))
        alarm = await client.until("alarm")
        assert (alarm["seat"], alarm["code"]) == (1, "bad-opening")
        assert "cheated" in alarm["words"]


async def test_talk_and_more_time_are_requests_of_the_seat(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        for line, request in (
            ({"type": "talk", "words": "<b>hi</b>"}, Talk("<b>hi</b>")),
            ({"type": "talk", "phrase": 2}, Talk(2)),
            ({"type": "wait"}, WaitLonger()),
        ):
            await client.send(line)
            assert await table.seat.next_request() == request


async def test_a_change_of_language_tells_everything_anew(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    try:
        async with playing(table, company):
            client = await table.enter()
            asked = await client.play(until=lambda one: one["type"] == "question")
            await client.send({"type": "set", "language": "de"})
            hello = await client.until("hello")
            assert hello["language"] == "de"
            again = await client.until("question")
            assert again["id"] == asked["id"]
            assert again["title"] != asked["title"]
    finally:
        translation.speak("en")


async def test_settings_are_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.until("page")
        await client.send({"type": "set", "light": True, "sound": False, "staged": False})
        told = await client.until("page")
        assert told["settings"] == {"light": True, "sound": False, "staged": False}
    kept = json.loads((tmp_path / "settings.json").read_text())
    assert (kept["light"], kept["bell"], kept["staged"]) == (True, False, False)


async def test_where_reveals_are_not_staged_each_step_is_one_part(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.send({"type": "set", "staged": False})
        await client.play()
        beats = [one for one in client.heard if one["type"] == "beat"]
        assert {one["left"] for one in beats[2:]} == {0}


async def test_another_game_is_asked_for_after_the_end_with_the_time_that_is_left(
    tmp_path: Path,
) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    said: list[bool] = []

    async def and_again(player: Any, tell: Any) -> str:
        found = await company.play(player, tell)
        said.append(await table.window.again(15.0))
        return found

    company_and_more = Company(3, 2, edition=short())
    company_and_more.play = and_again  # type: ignore[method-assign]
    async with playing(table, company_and_more):
        client = await table.enter()
        await client.play()
        asked = await client.until("ask")
        assert (asked["form"], 0 < asked["seconds"] <= 15) == ("again", True)
        await client.close()
        client = await PageClient.enter(table.port, token=client.token)
        again = await client.until("ask")
        assert (again["id"], again["seconds"] < asked["seconds"]) == (asked["id"], True)
        await client.send({"type": "reply", "ask": asked["id"], "yes": True})
        await client.until("settled")
    assert said == [True]


async def test_an_end_without_a_result_is_shown_until_the_window_is_done(tmp_path: Path) -> None:
    table = page_table(tmp_path)

    async def end() -> Outcome:
        table.seat.tell(updates.Started(bound_table(), 0))
        return Outcome(None, (), "bad-shuffle", 1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.window.serve_beside, end)
        with trio.fail_after(20):
            client = await table.enter()
            ending = await client.until("ending")
            assert (ending["code"], ending["seat"]) == ("bad-shuffle", 1)
            await client.send({"type": "bye"})
            assert await client.until("bye") == {"type": "bye", "words": ""}
    table.page.close()


def bound_table() -> Any:
    """A table of three."""
    from support.screened import table

    return table(3)


@pytest.mark.parametrize("failing", [updates.Attendance, updates.Choosing, Remark])
async def test_a_mistake_in_the_page_lets_the_game_go_on_at_the_line_prompt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: type,
) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    hear, broken = table.window._messages.hear, list[None]()

    def fail(update: Any, by_bot: bool) -> Any:
        if isinstance(update, failing):
            broken.append(None)
            raise ZeroDivisionError
        return hear(update, by_bot)

    async with trio.open_nursery() as nursery:
        window = table.window
        nursery.start_soon(window.serve_beside, company.play, table.seat, table.seat.tell)
        with trio.fail_after(20):
            client = await table.enter()
            asked = await client.play(until=lambda one: one["type"] == "question")
            monkeypatch.setattr(window._messages, "hear", fail)
            if failing is updates.Attendance:
                table.seat.tell(updates.Attendance(()))
            elif failing is Remark:
                window.say("Words.")
            else:
                await client.answer(asked)
            while type(table.seat.window).__name__ != "LineWindow":
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    table.page.close()
    assert broken
    assert "line prompt" in capsys.readouterr().err


def test_every_message_of_a_window_is_in_the_schema() -> None:
    kinds = {"entered", "page", "story", "settled", "deal", "explain", "sheet", "saved", "bye"}
    assert all(table_contract.is_message({"type": kind}) for kind in kinds)
    assert page_window.VACANT > 1


async def test_a_path_that_is_no_text_closes_no_window(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        table.window.say("Kept in /home/\udcff/identity.")
        told = await client.until("log")
        assert told["words"] == ["Kept in /home/?/identity."]
        await client.close()
        client = await PageClient.enter(table.port, token=client.token)
        await client.until("question")


async def test_taking_a_seat_that_one_has_asks_nothing_anew(tmp_path: Path) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        asked = await client.play(until=lambda one: one["type"] == "question")
        await client.send({"type": "bot", "plays": False})
        await client.send({"type": "open", "sheet": "numbers"})
        while (message := await client.receive())["type"] != "sheet":
            assert message["type"] not in ("closed", "question")
        await client.answer(asked)
        await client.until("taken")


FLOODS = [
    {"type": "open", "sheet": "advice"},
    {"type": "open", "sheet": "log"},
    {"type": "check", "question": 1, "picked": list(range(40))},
    {"type": "set", "language": "en"},
    {"type": "talk", "words": "x" * 1000},
    {"type": "reply", "ask": 1, "yes": True},
    {"type": "wait"},
    {"type": "leave"},
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("message", FLOODS, ids=lambda one: one.get("sheet", one["type"]))
async def test_a_flood_from_a_window_that_reads_nothing_is_bounded_and_holds_up_nobody(
    tmp_path: Path, message: Message
) -> None:
    table, company = page_table(tmp_path), Company(3, 2, edition=short())
    async with playing(table, company):
        client = await table.enter()
        await client.play(until=lambda one: one["type"] == "question")
        many = b"".join(client._socket.send(TextMessage(json.dumps(message))) for _ in range(1000))
        gaps, most = [0.0], 0
        with trio.move_on_after(1.5) as limit:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(client.stream.send_all, many)
                while not limit.cancel_called:
                    before = trio.current_time()
                    await trio.sleep(0.005)
                    gaps.append(trio.current_time() - before)
                    if table.window._outbox is not None:
                        most = max(most, len(table.window._outbox._waiting))
        assert max(gaps) < 1
        assert most <= outbox.MOST
        await client.close()
        client = await PageClient.enter(table.port, token=client.token, take=True)
        await client.until("question")
