"""The content of the full screen: the state of the table, the log, and what is being revealed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import MOST_TALK, Scene, fold
from p2p_hoity.presentation.staging import Heard, Remark, Staging, pause
from protocol.units import Quota

from ..words import happening_sentences
from ..words.card_names import Names
from ..words.key_names import player_key, table_key
from ..words.translation import _
from ..words.update_sentences import REMARKS, FollowedTable, Telling, sentences

LOG: Final[Quota] = 400
"""The number of lines of the log that are stored."""
WORDLESS: Final = frozenset(
    {
        updates.Reached,
        updates.ChainGrew,
        updates.ChoiceTaken,
        updates.Clock,
        updates.Attendance,
        updates.Awaited,
        updates.Halfway,
        updates.Said,
        updates.Again,
    }
)
"""The updates that are shown in their own place and leave no line in the log."""


class Stage(FollowedTable):
    """The state of the full screen, made from updates in their order.

    What a step reveals is shown in parts, called beats. A question waits until the last beat.

    Attributes:
        log: The latest sentences.
        told: The number of all sentences so far.
        talk: The latest chat messages, and the number of sentences before each.
        beat: The sentences of the part that is revealed now.
        alarm: The sentence about a seat that cheated. None once it was shown.
        lobby_note: The last sentence about a guest or a relay.
        staged: Whether reveals are shown in parts, by calls of `advance`, instead of all at once.
        is_within: Whether a part of a reveal is shown whose parts somebody else brings one by one.
    """

    def __init__(self, staged: bool = True) -> None:
        super().__init__()
        self.log: deque[str] = deque(maxlen=LOG)
        self.told = 0
        self.talk: deque[tuple[updates.Said, int]] = deque(maxlen=MOST_TALK)
        self.beat: tuple[str, ...] = ()
        self.alarm: str | None = None
        self.lobby_note = ""
        self.staged, self._staging = staged, Staging()
        self.is_within = False

    @property
    def is_revealing(self) -> bool:
        """True if a part of a reveal is shown now or waits to be shown."""
        return self._staging.is_revealing or self.is_within

    @property
    def past(self) -> updates.Resumed | None:
        """The game with all of its events, also those that wait to be revealed, None before it."""
        return self._staging.past(self.scene)

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which is a game without a table."""
        self.names, self.scene = names, replace(self.scene, seat=names.mine)

    def seat_guests(self, names: tuple[str, ...], seats: int) -> None:
        """Show who sits at a table that fills. This adds no line to the log."""
        self.scene = fold(self.scene, updates.Joined(names, seats))

    def hear(self, update: Heard) -> None:
        """Show an update, or queue it while the events of an earlier step are being shown."""
        # The others go on without this seat, so nothing is asked of it any more.
        if isinstance(update, updates.Away):
            self.withdraw()
        self._staging, shown = self._staging.hear(update, self.staged, self.scene.is_away)
        self._show(shown)

    def withdraw(self, view: rules.View | None = None) -> None:
        """Drop the questions about a view, or all, that wait for the end of a reveal."""
        self._staging = self._staging.withdraw(view)

    def close_question(self) -> None:
        """Stop showing the open question."""
        self.scene = replace(self.scene, question=None)

    def advance(self) -> float:
        """Show the next beat. Return for how many seconds it stays, 0 if no beat is left."""
        while (update := self.show_next()) is not None:
            seconds = pause(update)
            if seconds and self.beat:
                return seconds
        return 0.0

    def show_next(self) -> Heard | None:
        """Show what waits next, and return it, None if nothing waits."""
        self._staging, update = self._staging.next()
        if update is None:
            self.beat = ()
        else:
            self._take(update)
        return update

    def hurry(self) -> None:
        """Show everything that waits to be revealed, all at once."""
        self._staging, shown = self._staging.hurry()
        self._show(shown)

    def _show(self, shown: Iterable[Heard]) -> None:
        """Show updates. Then, if no reveal is on the screen, clear the last reveal's sentences."""
        for update in shown:
            self._take(update)
        if not self._staging.is_shown:
            self.beat = ()

    def _take(self, update: Heard) -> None:
        """Change the state of the table by an update, and add its sentences to the log."""
        if isinstance(update, Remark):
            self._say(update.words)
            return
        before = self.follow(update)
        lines = self._lines(update, before)
        for line in lines:
            # Mostly that a seat has left, and then why the game waits.
            if not (type(update) in REMARKS and self.log and line == self.log[-1]):
                self._say(line)
        match update:
            case updates.Happened():
                self.beat = tuple(lines) if self.staged else ()
            case updates.HostAsked() | updates.Admitted() | updates.RelayState():
                self.lobby_note = lines[-1]
            case updates.Accused():
                self.alarm = lines[-1]
            case updates.Said():
                self.talk.append((update, self.told))

    def _lines(self, update: updates.Update, before: Scene) -> list[str]:
        """Return the log's sentences about an update. `before` is the state before the update."""
        if isinstance(update, updates.Moved):
            # The ticket has no frame around it, so that it can be marked and copied.
            words = _("Not everybody can reach you at your new address: p shows a ticket for them.")
            return [words, update.ticket]
        if isinstance(update, updates.Resumed) and self.names is not None:
            return happening_sentences.brief_story(self.names, update.items)
        return [] if type(update) in WORDLESS else sentences(update, Telling(self.names, before))

    def _say(self, words: str) -> None:
        self.told += 1
        self.log.append(words)


def keys_of(scene: Scene) -> list[tuple[str, str]]:
    """Return the nickname of every seat, and words with the fingerprint of its player's key.

    There are none before the game has begun.
    """
    if scene.table is None:
        return []
    roster = scene.table.header.roster
    # A replay knows only the keys that were made for this table.
    if not scene.players:
        return [(entry.nickname, table_key(entry.id)) for entry in roster]
    known = zip(roster, scene.players, strict=True)
    return [(entry.nickname, player_key(key)) for entry, key in known]
