"""The log of a game in full sentences, by rounds: the latest two are shown when asked for."""

from __future__ import annotations

from collections.abc import Iterable

from p2p_hoity.rules import Happening, happenings

from ..words import happening_sentences
from ..words.card_names import Names


class Log:
    """What has happened, a list of lines for each round."""

    def __init__(self) -> None:
        self._rounds: list[list[str]] = []

    def __bool__(self) -> bool:
        return bool(self._rounds)

    def add(self, names: Names, items: Iterable[Happening]) -> None:
        """Tell some happenings, with the names as they are: what they hear of does not stay."""
        before = names.before
        for item in items:
            if not self._rounds or isinstance(item, happenings.RoundBegan):
                self._rounds.append([])
            self._rounds[-1] += happening_sentences.story(names, [item])
        names.before = before

    def recent(self) -> list[str]:
        """The lines of this round and of the one before it."""
        return [line for lines in self._rounds[-2:] for line in lines]
