"""A file that a person has chosen on a page: what it is, its verdict, and its game. No I/O."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.table_messages import Message
from protocol import Invalid, transcript

from ...local.mistaken_files import Kind, explained, explanation, indented, kind_of
from ...pictures.game_picture import game_picture
from ...pictures.picture_facts import PictureFacts
from ...printing import shown
from ...table_view.film import film_of
from ...words import certificates, verdicts
from ..json_answers import NotUnderstood
from ..web.replay_window import ReplayWindow
from ..web.window_requests import read_request

SETTINGS: Final = windows.WindowSettings(light=None, sound=False, staged=True)


@dataclass(frozen=True)
class ShownVerdict:
    """The verdict on a file.

    Attributes:
        lines: The lines that `hoity verify` prints. The first one is the verdict itself.
        tone: `good`, `bad`, or `warn` for a game that is not over.
        has_film: Whether its game can be replayed.
    """

    lines: tuple[str, ...]
    tone: str
    has_film: bool

    def as_json(self) -> str:
        """Return the verdict as JSON."""
        return json.dumps(self.__dict__)


class FileWindow:
    """What a page knows of the last file that was chosen."""

    def __init__(self) -> None:
        self._told: Callable[[], ShownVerdict] | None = None
        self._report: transcript.Report | None = None
        self._replay: ReplayWindow | None = None

    def judge(self, name: str, data: bytes, progress: Callable[[int, int], None]) -> None:
        """Check a file. It may be a transcript or a certificate."""
        self._told = self._report = self._replay = None
        path = Path(name or "-")
        if kind_of(data) is Kind.CERTIFICATE:
            self._told = partial(_certificate, path, data)
            return
        report, reached = _judged(data, progress)
        film = film_of(path, reached)
        if film is not None and reached.node is not None:
            self._report = reached
            self._replay = ReplayWindow(film, reached.node, "replay", SETTINGS)
        self._told = partial(_transcript, path, data, report, film is not None)

    def verdict(self) -> ShownVerdict | None:
        """Return the verdict on the last file in the current language, None for no file."""
        return self._told() if self._told is not None else None

    def whole(self) -> Iterator[Message]:
        """Yield all that the replay of the last file has to know."""
        if self._replay is not None:
            yield from self._replay.whole()

    def answers(self, text: str) -> Iterator[Message]:
        """Carry out what the replay has sent, and yield what it is told then."""
        try:
            said = read_request(text)
        except NotUnderstood:
            return
        if self._replay is not None:
            yield from self._replay.answers(said)

    def picture(self) -> tuple[str, str] | None:
        """Return a name for the picture of the last game and its SVG text, None for no game."""
        if self._report is None:
            return None
        facts = PictureFacts.of_report(self._report, date.today().isoformat())
        return (f"hoity-{facts.game}.svg", game_picture(facts)) if facts is not None else None


def _judged(
    data: bytes, progress: Callable[[int, int], None]
) -> tuple[transcript.Report, transcript.Report]:
    """Return the report on a file, and the same with the last node of its valid part."""
    try:
        whole = transcript.opened(data, time.perf_counter)
        report = transcript.verify(whole, read_game, time.perf_counter, progress=progress)
        return report, replace(report, node=transcript.reached(whole, read_game, report))
    except Exception as error:  # noqa: BLE001 - whatever a file causes, another can be chosen
        report = verdicts.failed(error)
        return report, report


def _transcript(path: Path, data: bytes, report: transcript.Report, has_film: bool) -> ShownVerdict:
    """Return the verdict on the transcript of a game."""
    lines = [*verdicts.in_words(path, report), *explanation(path, report, data)]
    tone = "good" if report.ok else "warn" if report.unfinished else "bad"
    return ShownVerdict(_harmless(lines), tone, has_film)


def _certificate(path: Path, data: bytes) -> ShownVerdict:
    """Return the verdict on a result certificate."""
    try:
        found, header = transcript.check_certificate(data)
    except Invalid as error:
        lines = [
            certificates.refused(path, error.code, is_one=True),
            *indented(explained(path, Kind.CERTIFICATE, data, error.code)),
        ]
        return ShownVerdict(_harmless(lines), "bad", has_film=False)
    lines = certificates.in_words(path, found, header)
    return ShownVerdict(_harmless(lines), "good", has_film=False)


def _harmless(lines: list[str]) -> tuple[str, ...]:
    """Return lines in which no name from a file can hide or turn other words."""
    return tuple(shown(line) for line in lines)
