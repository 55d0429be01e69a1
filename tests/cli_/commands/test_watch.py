"""Looking on: what is told of a table that is left behind its end, or before."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from support.screened import table

from cli.commands import watch as watching
from cli.commands.options import OutputOptions, SeatOptions, WatchOptions
from cli.exit_codes import INTERRUPTED, OK, Trouble
from cli.ui.screen_options import ScreenOptions
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing.session import Outcome

RESULT = (rules.Standing(1, 0, 40, ()),)
WATCH = ("ticket", WatchOptions(), SeatOptions())


class Screen:
    """A screen that is left when another game is talked of."""

    def __init__(self, leave: Callable[[str], None]) -> None:
        self._leave, self.ended = leave, list[Outcome]()

    def tell(self, update: updates.Update) -> None:
        if isinstance(update, updates.Again):
            self._leave("you left")

    def say(self, words: str) -> None:
        """Nothing."""

    @property
    def window(self) -> "Screen":
        return self

    def listener(self, is_asked: bool) -> Callable[[], Awaitable[None]]:
        return trio.sleep_forever

    def run(self, main: Callable[[], Awaitable[Any]]) -> Any:
        return trio.run(main)

    def end(self, outcome: Outcome) -> None:
        self.ended.append(outcome)


@pytest.mark.parametrize("is_over", [True, False])
def test_who_stops_watching_behind_the_end_has_the_result(
    is_over: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screens: list[Screen] = []
    path = tmp_path / "game.hoity"

    def seat_of(how: ScreenOptions) -> Screen:
        screens.append(Screen(how.leave))
        return screens[0]

    async def watch_table(read: Any, onlooker: Any, reach: Any) -> Outcome:
        if is_over:
            finished: Any = updates.GameOver(table(3), None, RESULT, path)  # type: ignore[arg-type]
            onlooker.screen(finished)
        onlooker.screen(updates.Again(frozenset(), frozenset()))
        await trio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(watching, "seat_of", seat_of)
    monkeypatch.setattr(watching, "ticket_of", lambda *given: (None, None))
    monkeypatch.setattr(watching, "watch_table", watch_table)
    if is_over:
        assert watching.watch(*WATCH, OutputOptions(transcript=path)) == OK
        assert screens[0].ended == [Outcome(path, RESULT)]
        return
    with pytest.raises(Trouble, match="stopped watching") as caught:
        watching.watch(*WATCH, OutputOptions(transcript=path))
    assert caught.value.exit_code == INTERRUPTED
    assert screens[0].ended == []
