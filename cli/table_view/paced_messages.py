"""The messages of a table at the pace of a person, for a window of the program.

A `TableMessages` tells a reveal whole, as programs want it. Here its parts come one by one, and
what must not be seen before them waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import table_messages as messages
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.scene import Beat
from p2p_hoity.presentation.staging import Heard, Remark, Staging, pause
from p2p_hoity.presentation.table_messages import Message
from protocol.units import Seconds

from ..words import chat_phrases
from ..words.card_names import Names
from ..words.translation import _
from .deal import PROMISES, progress, step_words, warnings
from .message_parts import lesson_table, table_of
from .messages import TableMessages
from .stage import Stage

TOLD_OTHERWISE = (messages.Beat, messages.Log, messages.Alarm, messages.Ending)
"""The messages whose sentences are lines of the log."""


HURRIED: Final[Seconds] = 30.0
"""The time, in seconds, before a step's timeout at which reveals stop being shown in parts."""


def is_late(now: updates.Clock) -> bool:
    """Return whether so little time is left that nothing may keep a question from being seen."""
    return bool(now.timeout) and now.left < min(HURRIED, now.timeout / 4)


class PacedMessages:
    """The messages about one table and those that follow it, in the order in which they are seen.

    Attributes:
        table: The messages and the state of the table, as far as they were seen.
        staged: Whether reveals are shown in parts.
    """

    def __init__(self) -> None:
        self.table = TableMessages()
        # The parts are made here. The stage shows each of them at once.
        self.table.stage.staged = False
        self.table.retells_clocks = True
        self.staged = True
        self._staging = Staging()
        self._started: updates.Started | None = None
        self._lesson: Names | None = None
        self._over: updates.GameOver | None = None
        self._beat: messages.Beat | None = None
        self._deal: windows.Deal | None = None

    @property
    def stage(self) -> Stage:
        """The state of the table, as far as it was seen."""
        return self.table.stage

    @property
    def is_revealing(self) -> bool:
        """True if a part of a reveal is shown now or waits to be shown."""
        return self._staging.is_revealing

    @property
    def past(self) -> updates.Resumed | None:
        """The game with all of its events, also those that wait to be seen, None before it."""
        return self._staging.past(self.stage.scene)

    @property
    def is_over(self) -> bool:
        """True if the result was seen."""
        return self._over is not None

    def begin_lesson(self, names: Names) -> Iterator[Message]:
        """Begin a lesson, and yield its table."""
        self._lesson = names
        self.stage.begin_lesson(names)
        yield lesson_table(names)

    # What happens

    def hear(self, update: Heard, by_bot: bool) -> Iterator[Message]:
        """Yield the messages that are to be seen now, as an update has come."""
        if isinstance(update, updates.Away):
            self._staging = self._staging.withdraw()
        is_away = self.stage.scene.is_away
        self._staging, shown = self._staging.hear(update, self.staged, is_away)
        yield from self._shown(shown, by_bot)
        if not self.is_revealing and any(isinstance(one, updates.Happened) for one in shown):
            yield from self._end_reveal(by_bot)

    def advance(self, by_bot: bool) -> tuple[list[Message], float]:
        """Show the next part of a reveal, or what waits behind it.

        Returns:
            The messages, and for how many seconds they stay alone on the screen. 0 seconds if
            nothing waits.
        """
        found: list[Message] = []
        while True:
            self._staging, update = self._staging.next()
            if update is None:
                return [*found, *self._end_reveal(by_bot)], 0.0
            told = list(self._shown([update], by_bot))
            found += told
            if any(isinstance(one, messages.Beat) and one.words for one in told):
                return found, pause(update)

    def hurry(self, by_bot: bool) -> Iterator[Message]:
        """Yield all that waits to be seen."""
        self._staging, shown = self._staging.hurry()
        yield from self._shown(shown, by_bot)
        yield from self._end_reveal(by_bot)

    def _end_reveal(self, by_bot: bool) -> Iterator[Message]:
        self.stage.is_within, self._beat = False, None
        yield from self.table.state(by_bot)

    def withdraw(self, view: rules.View) -> Iterator[Message]:
        """Close the question about a view, also if it waits to be seen."""
        self._staging = self._staging.withdraw(view)
        asked = self.stage.scene.question
        if asked is not None and asked.view is view:
            self.stage.close_question()
            yield from self.table.close()

    def _shown(self, shown: Iterable[Heard], by_bot: bool) -> Iterator[Message]:
        """Yield the messages about updates that are shown now."""
        for update in shown:
            # Other updates come during a reveal as well, when the state is between two steps.
            self.stage.is_within = isinstance(update, Beat) or self._staging.is_shown
            before = self.stage.told
            told = list(self._messages(update, by_bot))
            yield from told
            if not any(isinstance(one, TOLD_OTHERWISE) for one in told):
                yield from self._remarks(before)

    def _messages(self, update: Heard, by_bot: bool) -> Iterator[Message]:
        """Yield the messages about one update, but for remarks in the log."""
        match update:
            case Remark():
                self.stage.hear(update)
            case updates.GameOver():
                self._over = update
                yield from self.table.close()
                yield self.table.over(update)
            case updates.Started():
                self._started, self._over, self._deal = update, None, None
                yield from self.table.hear(update, by_bot)
            case _:
                for message in self.table.hear(update, by_bot):
                    if isinstance(message, messages.Beat):
                        self._beat = message
                    yield message
        yield from self._deal_now()

    def _story(self) -> Iterator[Message]:
        """Yield the log so far, with what was said between its sentences."""
        lines, first = tuple(self.stage.log), self.stage.told - len(self.stage.log)
        talk = [(said, max(0, told - first)) for said, told in self.stage.talk]
        ends = [*(told for _said, told in talk), len(lines)]
        yield windows.Story(lines[: ends[0]])
        for (said, at), end in zip(talk, ends[1:], strict=True):
            phrase = said.words if isinstance(said.words, int) else None
            words = chat_phrases.spoken(said.words)
            yield messages.Said(said.seat, said.who, words, phrase, said.is_own)
            if end > at:
                yield messages.Log(self.table.round, "remark", {}, lines[at:end])

    def _remarks(self, before: int) -> Iterator[Message]:
        """Yield the lines that were added to the log since it had `before`, if there are any."""
        new = self.stage.told - before
        if new > 0:
            lines = tuple(self.stage.log)[-new:]
            yield messages.Log(self.table.round, "remark", {}, lines)

    def _deal_now(self) -> Iterator[Message]:
        """Yield how far the deal has come, if this has changed."""
        scene = self.stage.scene
        if scene.table is None or scene.is_dealt:
            return
        done, total = progress(scene, scene.table.seats)
        words = " ".join((step_words(self.stage), *warnings(self.stage)))
        found = windows.Deal(done, total, words, tuple(map(_, PROMISES)))
        if found != self._deal:
            self._deal = found
            yield found

    # The whole truth, for a window that enters

    def whole(self, by_bot: bool) -> Iterator[Message]:
        """Yield all that a window has to know of the table now."""
        scene = self.stage.scene
        if self._lesson is not None:
            yield lesson_table(self._lesson)
        elif self._started is not None:
            yield table_of(self._started.table, self._started.seat, self._started.players)
        else:
            yield self.table.lobby()
        if self._deal is not None and not scene.is_dealt:
            self._deal = None
            yield from self._deal_now()
        yield from self._story()
        yield from self.table.state(by_bot)
        if self._beat is not None:
            yield self._beat
        yield from self.table.clock()
        yield from self.table.question()
        if self._over is not None:
            yield self.table.ending(self._over)
