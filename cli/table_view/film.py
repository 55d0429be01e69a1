"""The recorded game of a replay: its steps, the one that is shown, and whose knowledge is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from p2p_hoity import rules
from p2p_hoity.game_adapter import Play, happenings_since
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.table_messages import Beat, Message, State
from p2p_hoity.rules import happenings
from protocol import Node, Table, transcript

from ..words.translation import _
from ..words.verdicts import in_words
from .messages import TableMessages
from .seats import Notice
from .stage import Stage


@dataclass(frozen=True)
class Moment:
    """A step of a game: what happened in it, and the state after it."""

    items: tuple[rules.Happening, ...]
    state: rules.State


@dataclass(frozen=True)
class Verdict:
    """What was found when the file of a recorded game was verified.

    Attributes:
        mark: The verdict in few words, such as `proofs ✓` at a table.
        lines: The whole verdict, a sentence or a count each.
    """

    mark: Notice
    lines: tuple[str, ...]


class Film:
    """A recorded game in a replay, as everyone could see it or as one seat saw it.

    Attributes:
        verdict: None if the file was not verified.
        at: The index of the moment that is shown.
        eyes: The seat whose knowledge is shown. None for what everyone knew.
    """

    def __init__(
        self, table: Table, moments: Sequence[Moment], verdict: Verdict | None = None
    ) -> None:
        """Begin at the first moment. There is at least one."""
        self.table, self.moments, self.verdict = table, tuple(moments), verdict
        known = self.moments[-1].state.known
        self._cards = {slot: card for slot, card in enumerate(known) if card is not None}
        self.at = 0
        self.eyes: int | None = None

    @property
    def rounds(self) -> list[int]:
        """The indices of the moments in which a round begins."""
        return [
            number
            for number, moment in enumerate(self.moments)
            if any(isinstance(item, happenings.RoundBegan) for item in moment.items)
        ]

    def step(self, number: int) -> None:
        """Go forward by some moments, or back by a negative number."""
        self.at = min(max(0, self.at + number), len(self.moments) - 1)

    def jump(self, forward: bool) -> None:
        """Go to where the next or the previous round begins, else to the last or first moment."""
        if forward:
            self.at = min((n for n in self.rounds if n > self.at), default=len(self.moments) - 1)
        else:
            self.at = max((n for n in self.rounds if n < self.at), default=0)

    def look(self) -> None:
        """Switch to what the next seat knew, and after the last seat to what everyone knew."""
        eyes = 0 if self.eyes is None else self.eyes + 1
        self.eyes = eyes if eyes < self.table.seats else None

    def stage(self) -> Stage:
        """Return the full screen at this moment. Its `beat` tells what happened in it."""
        stage = Stage(staged=False)
        stage.hear(updates.Started(self.table, None))
        stage.hear(updates.Attendance(()))
        told = 0
        for moment in self.moments[: self.at + 1]:
            told = stage.told  # The log forgets its oldest lines, so its length does not count.
            view = rules.view(moment.state, self.eyes, self._cards)
            stage.hear(updates.Happened(moment.items, view))
        stage.beat = tuple(stage.log)[len(stage.log) - (stage.told - told) :]
        standings = self.moments[self.at].state.standings
        if standings and self.at == len(self.moments) - 1:
            stage.scene, stage.beat = replace(stage.scene, standings=standings), ()
        return stage


def film_of(path: Path, report: transcript.Report) -> Film | None:
    """Return the game of a transcript as far as it is valid, None if nothing happened in it.

    Args:
        path: The name of the file, for the verdict.
    """
    moments = [] if report.node is None else _moments(report.node)
    if report.node is None or not moments:
        return None
    mark = Notice(_("not ok ✗"), "bad")
    if report.ok:
        mark = Notice(_("proofs ✓"), "good")
    elif report.unfinished:
        mark = Notice(_("not over · proofs ✓"), "warn")
    return Film(report.node.table, moments, Verdict(mark, tuple(in_words(path, report))))


def _moments(node: Node) -> list[Moment]:
    """Return the events of every step up to `node` that has any, and the state after it."""
    found: list[Moment] = []
    told = 0
    for _before, _slots, after in transcript.steps_to(node):
        play = after.state
        if isinstance(play, Play) and play.length > told:
            found.append(Moment(tuple(happenings_since(play, told)), play.state))
            told = play.length
    return found


def film_messages(film: Film, end: Node) -> Iterator[Message]:
    """Yield the messages of a film, as everyone could see the game.

    `end` is the last node of the chain. A game without a result has no `ending`.
    """
    told, begun = TableMessages(), False
    yield from told.hear(updates.Started(film.table, None))
    for moment in film.moments:
        view = rules.view(moment.state, None)
        for message in told.hear(updates.Happened(moment.items, view)):
            if isinstance(message, Beat) and not begun:
                begun = True
                yield State(message.round, message.index, message.board)
            yield message
    if standings := film.moments[-1].state.standings:
        yield told.over(updates.GameOver(film.table, end, standings, None))
