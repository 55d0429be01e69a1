"""A seat at the full screen: how it is answered, left and kept, and what replaces a failure."""

import asyncio
import io
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.at_screen import Sitting, screen_window, seated, sit
from support.moments import begun, over
from support.running import running
from support.screened import Company, short, table

from cli.commands.options import TableOptions
from cli.commands.play import checked_terms
from cli.exit_codes import INTERRUPTED, Trouble
from cli.local import settings
from cli.table_view.desk import ONLOOKERS
from cli.ui import person_seat
from cli.ui.full_screen import full_window, info_pages
from cli.ui.full_screen.full_window import FullWindow
from cli.ui.full_screen.info_pages import Choices
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.styled_lines import Line
from cli.ui.lines import line_window
from cli.ui.lines.line_window import LineWindow
from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from cli.words.error_sentences import sentence
from cli.words.table_terms import TableOffer
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Found, Wanted, judge
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.table.playing.player_interface import Player
from p2p_hoity.table.playing.session import Outcome

pytestmark = pytest.mark.sampled(14)

# Before and behind the game.


def test_a_seat_at_the_screen_that_never_played_ends_without_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen_window(ScreenOptions(lambda reason: None)).end(Outcome(None, ()))
    assert capsys.readouterr().out == ""


@seated()
async def test_a_key_struck_for_a_replaced_question_does_not_answer_the_next(at: Sitting) -> None:
    """The answer to the first is put into trio when the second has begun to wait already."""
    found = list[rules.Choice]()
    old = at.company.view()
    choice = old.legal("place")[0]

    async def asks() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answers)
            found.append(await at.seat.choose(at.company.view(), "place", True))

    async def answers() -> None:
        await trio.testing.wait_all_tasks_blocked()
        at.window.answer(choice, old)
        at.app.call_later(sealed)

    def sealed() -> None:
        assert not found
        menu = at.app.desk.menu
        assert menu is not None
        at.window.answer(choice, menu.view)

    at.window._do(lambda: trio.lowlevel.spawn_system_task(asks))
    await at.until(lambda: found)
    assert len(found) == 1


def test_a_screen_that_fails_at_the_end_costs_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    window = screen_window(ScreenOptions(lambda reason: None, looks_on=True))

    def broken(width: int, height: int) -> list[Line]:
        if window.app.desk.hint:
            raise RuntimeError("drawn badly")
        return []

    async def over() -> str:
        window.app._board.draw = broken
        return "over"

    assert asyncio.run(window.host(over, headless=True)).unwrap() == "over"
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err


# The bot, leaving and onlookers.

WAYS_OUT = pytest.mark.sampled(2)
Shown = pytest.CaptureFixture[str]


def broken(*_: object) -> None:
    """Draw nothing and fail."""
    raise RuntimeError("drawn badly")


@WAYS_OUT
@seated(lambda: Company(3, pace=0.02))
async def test_a_bot_plays_on_and_the_seat_is_taken_back_even_before_it_plays(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_seat, "PAUSE", 50.0)
    at.app._hand_over(True)
    await at.until(lambda: at.app.desk.menu is None)
    await at.press("a")
    await at.asked()
    assert at.company.asked == ["place"]
    monkeypatch.setattr(person_seat, "PAUSE", 0.05)
    await at.press("a")
    assert isinstance(at.app.screen, Choices)
    await at.press("enter")
    await at.until(lambda: len(at.company.asked) > 6)
    await at.press("a")
    await at.asked()
    await at.until(lambda: at.app.desk.menu is not None)


@seated(lambda: Company(3, pace=0.02))
async def test_a_bot_that_stands_in_does_not_wait_where_time_runs_out(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at.app.stage.scene.clock is not None
    monkeypatch.setattr(person_seat, "PAUSE", at.app.stage.scene.clock.left / 4)
    at.app._hand_over(True)
    await at.until(lambda: len(at.company.asked) > 1)
    at.seat.tell(updates.Started(table(3), 0))
    await at.until(lambda: not at.app.desk.autopilot)


class Wishing(Company):
    """A company whose people wait for each other behind the end, before the next game begins."""

    said: bool | None = None

    async def _play(self, player: Player, tell: Callable[[updates.Update], None]) -> str:
        found = await super()._play(player, tell)
        self.said = await player.again()
        tell(updates.Again(frozenset({self.mine}), frozenset()))
        await trio.sleep_forever()
        return found


@WAYS_OUT
@seated(lambda: Wishing(3, edition=short()), asked=False)
async def test_who_has_said_yes_to_another_game_can_still_leave(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_seat, "PAUSE", 0.0)
    await at.asked()
    at.app._hand_over(True)
    await at.until(lambda: at.app.desk.answers)
    await at.press("y")
    await at.until(lambda: at.company.said)  # type: ignore[attr-defined]
    await at.press("q", "down", "enter")
    await at.until(lambda: at.left)
    bound = table(3, names=at.company.names[:3])
    at.seat.tell(updates.Started(bound, 0))
    assert not at.window.is_left


def test_an_onlooker_can_leave_behind_the_end() -> None:
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append, looks_on=True))

    async def watch() -> None:
        window._token = trio.lowlevel.current_trio_token()
        for update in (updates.Started(table(3), None), ENDS["with a result"]):
            window.app.stage.hear(update)
        window.leave()
        await trio.testing.wait_all_tasks_blocked()

    trio.run(watch)
    assert len(left) == 1


def test_what_is_said_is_in_the_log_and_behind_the_game_in_the_terminal(capsys: Shown) -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        at.seat.say("The bot Ada has stopped")
        await at.until(lambda: "The bot Ada has stopped" in at.app.stage.log)
        assert not any("stopped" in words for words in at.app.desk.papers)

    sat = sit(script, Company(3))
    assert "saved" not in capsys.readouterr().out
    sat.window._is_done = True
    sat.seat.say("claimed")
    assert "claimed" in capsys.readouterr().out


def test_who_is_muted_on_the_screen_is_muted_in_the_lines_that_replace_it(
    window: FullWindow, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    window.app.stage.hear(updates.Started(table(3), 0))
    for number, name in enumerate(("Iris", "Ada", "Bruno")):
        window.app.stage.hear(updates.Said(number, name, "psst"))
    window.app.stage.hear(updates.Said(None, "Oskar", "psst"))
    window.app.desk.muted = {1, ONLOOKERS}
    assert window._muted == {"Ada", "Oskar"}
    monkeypatch.setattr(line_window, "LineWindow", Lines)
    monkeypatch.setattr("sys.stdin", io.StringIO())

    async def fail() -> None:
        window._failed = trio.Event()
        window._failed.set()
        await window._take_over(window._failed)
        capsys.readouterr()
        for name in ("Ada", "Bruno"):
            window.seat.tell(updates.Said(1, name, "again"))

    trio.run(fail)
    told = capsys.readouterr().out
    assert "Bruno: again" in told
    assert "Ada" not in told


# Plain questions.


@seated()
async def test_a_yes_or_no_is_asked_and_answered_in_any_language(at: Sitting) -> None:
    found: list[bool] = []

    async def ask() -> None:
        found.append(await at.seat.again())

    for number, key in enumerate("yjsn", 1):
        at.window._do(lambda: trio.lowlevel.spawn_system_task(ask))
        await at.until(lambda: at.app.desk.answers)
        assert "same people" in at.text
        await at.press(key)
        await at.until(lambda number=number: len(found) == number)
    assert found == [True, True, True, False]


@seated()
async def test_enter_gives_the_usual_answer_once_it_is_seen_and_none_where_there_is_no_undo(
    at: Sitting,
) -> None:
    found: list[bool] = []

    async def ask() -> None:
        found.append(await at.seat.again())

    async def admit() -> None:
        found.append(await at.seat.admit("Bob", None))

    at.window._do(lambda: trio.lowlevel.spawn_system_task(ask))
    await at.until(lambda: at.app._usual)
    assert at.text.rstrip().endswith("Y/n")
    await at.press("enter")
    await at.until(lambda: found == [True])
    at.window._do(lambda: trio.lowlevel.spawn_system_task(admit))
    await at.until(lambda: at.app.desk.answers)
    assert at.text.rstrip().endswith("Let Bob in? y/n")
    await at.press("enter", "enter", "n")
    await at.until(lambda: found == [True, False])


@seated()
async def test_a_yes_or_no_is_answered_whatever_page_is_open(at: Sitting) -> None:
    found: list[bool] = []

    async def ask() -> None:
        found.append(await at.seat.again())

    for number, (page, key) in enumerate([("b", "y"), ("i", "n"), ("question_mark", "j")], 1):
        at.window._do(lambda: trio.lowlevel.spawn_system_task(ask))
        await at.until(lambda: at.app.desk.answers)
        await at.press(page)
        await at.until(lambda: len(at.app.screen_stack) == 2)
        await at.press(key)
        await at.until(lambda number=number: len(found) == number)
        assert len(at.app.screen_stack) == 1
    assert found == [True, False, True]


@seated()
async def test_s_saves_a_picture_of_the_game_that_is_over(
    at: Sitting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    at.app.stage = begun().stage
    await at.press("s")
    assert list(tmp_path.iterdir()) == []
    at.app.stage = over().stage
    await at.press("s")
    (path,) = tmp_path.iterdir()
    assert path.name == f"hoity-{at.app.stage.scene.game}.svg"
    assert "Bruno wins" in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    await at.press("s")
    await at.until(lambda: len(at.app._notifications) == 2)
    assert path.read_bytes() == before


@seated()
async def test_among_ones_own_bots_no_time_runs_for_another_game(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_seat, "ANSWER", 1.05)
    at.seat.is_among_own_bots = True
    at.window._do(lambda: trio.lowlevel.spawn_system_task(at.seat.again))
    await at.until(lambda: at.app.desk.answers)
    assert "same people? Y/n" in at.text
    await at.press("n")


@seated()
async def test_how_long_an_answer_may_take_is_counted_down(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_seat, "ANSWER", 1.05)
    monkeypatch.setattr(full_window, "COUNTED", 0.01)
    at.window._do(lambda: trio.lowlevel.spawn_system_task(at.seat.again))
    await at.until(lambda: "within 2 s" in at.text)
    await at.until(lambda: "within 1 s" in at.text)
    assert not at.app.desk.has_replied
    await at.press("n")
    await at.until(lambda: "same people" not in at.text)
    assert at.app.desk.has_replied


# Failures and ends.


class Lines(LineWindow):
    """A line prompt in whose seat a bot sits, and at which nobody types."""

    def __init__(self, seat: PersonSeat) -> None:
        super().__init__(seat)
        seat.hand_over(True)
        self.told: list[updates.Update] = []
        self.said: list[str] = []

    def say(self, words: str) -> None:
        self.said.append(words)

    async def agree(self) -> bool:
        return True

    async def again(self, seconds: float) -> bool:
        return True

    def tell(self, update: updates.Update) -> None:
        self.told.append(update)
        super().tell(update)

    async def listen(self) -> None:
        return


@WAYS_OUT
def test_a_screen_that_fails_yields_to_lines(
    window: FullWindow, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setattr(line_window, "LineWindow", Lines)
    company = Company(3, edition=short())

    async def game() -> str:
        async def fail() -> None:
            while len(company.asked) < 2:
                await trio.sleep(0.01)
                if window.app.is_asking:
                    window.app.simulate_key("1")
                    window.app.simulate_key("enter")
            monkeypatch.setattr(window.app, "_frame", broken)
            window.app._board.draw = broken  # type: ignore[assignment]

        async with running(fail):
            return await company.play(window.seat, window.seat.tell)

    found = asyncio.run(window.host(game, headless=True))
    assert found.unwrap() == "finished"
    assert isinstance(window.seat.window, Lines)
    assert isinstance(window.seat.window.told[0], updates.Started)
    assert isinstance(window.seat.window.told[1], updates.Resumed)
    captured = capsys.readouterr()
    assert "goes on at the line prompt" in captured.err
    assert "Traceback" not in captured.out + captured.err


def test_an_error_of_the_peer_comes_out_of_the_application(window: FullWindow) -> None:
    async def fails() -> None:
        raise ValueError("no table")

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(window.host(fails, headless=True)).unwrap()
    assert caught.group_contains(ValueError, match="no table")


ENDS: Any = {
    "with a result": updates.GameOver(table(3), None, (), None),  # type: ignore[arg-type]
    "without": updates.Ended("too-many-faults", None),
}


@pytest.mark.parametrize("end", ENDS)
def test_how_a_table_ended_stays_until_it_is_read(window: FullWindow, end: str) -> None:
    async def over() -> str:
        window.seat.tell(updates.Started(table(3), 0))
        window.seat.tell(ENDS[end])
        return "over"

    async def read() -> str:
        running = asyncio.create_task(window.host(over, headless=True))
        while not window.is_over:
            await asyncio.sleep(0.005)
        assert not running.done()
        window.app.simulate_key("enter")
        return (await asyncio.wait_for(running, 20)).unwrap()

    assert asyncio.run(read()) == "over"


@pytest.mark.parametrize("is_over", [True, False])
def test_a_signal_closes_a_screen_whose_peer_does_not_hear_it(
    is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the end the peer has ended, and the peer of an onlooker heeds no signals."""
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append))
    monkeypatch.setattr(window, "host", partial(window.host, headless=True))

    async def main() -> str:
        if not is_over:
            signal.raise_signal(signal.SIGTERM)
        while not (is_over or left):
            await trio.sleep(0.005)
        return "over"

    def show_hint() -> None:
        signal.raise_signal(signal.SIGTERM)

    if is_over:
        monkeypatch.setattr(window.app, "redraw", show_hint)
    assert window.run(main) == "over"
    assert left == ([] if is_over else ["you left"])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_seat_is_left_before_there_is_a_game() -> None:
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append))

    async def fills() -> None:
        while not left:
            await trio.sleep(0.005)
        raise Trouble(left[0], INTERRUPTED)

    async def leave() -> None:
        running = asyncio.create_task(window.host(fills, headless=True))
        while not window.app.is_running:
            await asyncio.sleep(0.005)
        window.app.simulate_key("q")
        while not isinstance(window.app.screen, info_pages.Choices):
            await asyncio.sleep(0.005)
        window.app.simulate_key("down")
        window.app.simulate_key("enter")
        while not left:
            await asyncio.sleep(0.005)
        found = await asyncio.wait_for(running, 20)
        with pytest.raises(ExceptionGroup) as caught:
            found.unwrap()
        assert caught.group_contains(Trouble, match="you left")

    asyncio.run(leave())
    assert left == ["you left"]


def test_how_the_screen_is_wanted_is_kept_in_the_home(window: FullWindow) -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        settings.keep(own_home(), settings.Settings(bots="easy"))  # chosen with the screen up
        for word in ("theme", "bell", "pace"):
            at.app._chosen(word)

    assert window.app.rings
    assert not screen_window(ScreenOptions(lambda reason: None, bell=False)).app.rings
    private_folder(own_home().path)
    sit(script, Company(3))
    kept = settings.load()
    assert kept.bots == "easy"
    assert (kept.light, kept.bell, kept.staged) == (True, False, True)
    later = screen_window(ScreenOptions(lambda reason: None))
    assert later.app.theme == "textual-light"
    assert not later.app.rings


def test_behind_the_screen_stands_how_it_ended(window: FullWindow, capsys: Shown) -> None:
    standings = tuple(rules.Standing(rank, rank % 3, 40 - rank, ()) for rank in (1, 2, 3))
    path, hear = Path("game.hoity"), window.app.stage.hear
    hear(updates.Started(table(3), 0))
    hear(updates.Ended("silent-seat", 1))
    window.seat.end(Outcome(None, code="silent-seat", seat=1))
    assert "Ada" in capsys.readouterr().out
    hear(updates.GameOver(table(3), None, standings, path))  # type: ignore[arg-type]
    window.seat.end(Outcome(path, standings))
    told = capsys.readouterr().out
    assert "1 Ada 39 · 2 Bruno 38 · 3 Iris 37" in told
    assert "Ada wins with field 39, 1 field ahead of Bruno." in told
    assert "hoity verify game.hoity" in told


@pytest.mark.parametrize("asked", ["agree", "again"])
def test_a_plain_question_goes_on_in_lines(
    window: FullWindow, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_window, "LineWindow", Lines)

    async def ask() -> bool:
        async def fail() -> None:
            while not window.app.desk.answers:
                await trio.sleep(0.01)
            window.app._board.draw = broken  # type: ignore[assignment]
            window.app.call_later(window.app.redraw)

        async with running(fail):
            window.seat.say("the ticket")
            return await (window.seat.agree() if asked == "agree" else window.seat.again())

    assert asyncio.run(window.host(ask, headless=True)).unwrap() is True
    assert isinstance(window.seat.window, Lines)
    assert window.seat.window.said == ["the ticket"]


def test_a_host_sees_on_the_least_screen_how_far_its_ticket_leads(window: FullWindow) -> None:
    terms = checked_terms(TableOptions(6), b"h" * 32)
    found = Found(("192.168.1.5:4646",), trouble=(because(RouterCode.SILENT),))
    for ticket, what in (("", found), ("hoity3better", replace(found, mapped="81.2.69.142:4646"))):
        word = "hoity3" + "a" * 190
        window.app.desk.papers = ()
        window.show_ticket(word, TableOffer(terms, read_game(terms), ("Ana",)))
        judged = judge(what, Wanted(lan=True))
        window.seat.tell(updates.Reached(judged.scope, judged.reasons, ticket))
        shown = [str(line.plain) for line in frame(window.app.stage, window.app.desk, 80, 24)]
        joined = " ".join(" ".join(shown).split())
        assert (ticket or word)[:70] in joined
        assert all(sentence(reason) in joined for reason in judged.reasons), shown
        assert window.app.ticket == (ticket or word)
        assert joined.count("Give this ticket") == 1
