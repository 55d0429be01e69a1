"""What the full screen draws: the scene of the table, the sentences of its log, and the reveal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import MOST_TALK, Scene, fold
from p2p_hoity.presentation.staging import Heard, Remark, Staging, pause
from protocol.bounds import Quota

from ...words import happening_sentences
from ...words.card_names import Names
from ...words.key_names import player_key, table_key
from ...words.translation import _
from ...words.update_sentences import FollowedTable, Telling, sentences

LOG: Final[Quota] = 400
"""Lines that are kept of the log."""
WORDLESS: Final = frozenset(
    {
        updates.Reached,
        updates.ChainGrew,
        updates.Clock,
        updates.Attendance,
        updates.Awaited,
        updates.Halfway,
        updates.Said,
        updates.Again,
    }
)
"""Updates that are shown in a place of their own and leave no line in the log."""


class Stage(FollowedTable):
    """Hears updates in their order. Reveals come beat by beat, and questions wait for them.

    Attributes:
        log: What was told, in sentences.
        told: How many sentences were told.
        talk: The latest chat messages, and how many sentences were told before each.
        beat: The sentences of what is revealed now.
        alarm: The sentence about a seat that cheated.
        lobby_note: The last sentence about a guest or a relay.
    """

    def __init__(self, staged: bool = True) -> None:
        """Begin with an empty scene.

        Args:
            staged: Whether reveals wait for `advance`. If not, everything is shown at once.
        """
        super().__init__()
        self.log: deque[str] = deque(maxlen=LOG)
        self.told = 0
        self.talk: deque[tuple[updates.Said, int]] = deque(maxlen=MOST_TALK)
        self.beat: tuple[str, ...] = ()
        self.alarm: str | None = None
        self.lobby_note = ""
        self.staged, self._staging = staged, Staging()

    @property
    def is_revealing(self) -> bool:
        """Whether beats are shown or wait."""
        return self._staging.is_revealing

    @property
    def past(self) -> updates.Resumed | None:
        """How the game stands and what has happened, with what waits to be revealed."""
        waiting = self._staging.happened
        view = waiting[-1].view if waiting else self.scene.view
        items = (*self.scene.record, *(item for one in waiting for item in one.items))
        return None if view is None else updates.Resumed(view, items)

    def begin_lesson(self, names: Names) -> None:
        """Begin a game without a table, between these seats."""
        self.names, self.scene = names, replace(self.scene, seat=names.mine)

    def seat_guests(self, names: tuple[str, ...], seats: int) -> None:
        """Show who sits at a table that fills, without a line in the log."""
        self.scene = fold(self.scene, updates.Joined(names, seats))

    def hear(self, update: Heard) -> None:
        """Take in one update, or keep it until the reveal before it is over."""
        if isinstance(update, updates.Away):
            self.withdraw()
        self._staging, shown = self._staging.hear(update, self.staged, self.scene.is_away)
        self._show(shown)

    def withdraw(self, view: rules.View | None = None) -> None:
        """Drop the questions that wait behind a reveal, or only those on this view."""
        self._staging = self._staging.withdraw(view)

    def close_question(self) -> None:
        """Show no question any more."""
        self.scene = replace(self.scene, question=None)

    def advance(self) -> float:
        """Show the next beat. Return for how many seconds it stays, or 0 when nothing is left."""
        while True:
            self._staging, update = self._staging.next()
            if update is None:
                self.beat = ()
                return 0.0
            self._take(update)
            seconds = pause(update)
            if seconds and self.beat:
                return seconds

    def hurry(self) -> None:
        """Show everything that waits."""
        self._staging, shown = self._staging.hurry()
        self._show(shown)

    def _show(self, shown: Iterable[Heard]) -> None:
        for update in shown:
            self._take(update)
        if not self._staging.is_shown:
            self.beat = ()

    def _take(self, update: Heard) -> None:
        """Fold one update into the scene, and add what it says to the log."""
        if isinstance(update, Remark):
            self._say(update.words)
            return
        before = self.follow(update)
        lines = self._lines(update, before)
        for line in lines:
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
        """Return what the log says of an update."""
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
    """Return of every seat its nickname, and in words the key by which its player is known.

    In a replay only the key that was drawn for the table is known.
    """
    if scene.table is None:
        return []
    roster = scene.table.header.roster
    if not scene.players:
        return [(entry.nickname, table_key(entry.id)) for entry in roster]
    known = zip(roster, scene.players, strict=True)
    return [(entry.nickname, player_key(key)) for entry, key in known]
