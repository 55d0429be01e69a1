"""What the picture of a game is about, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from p2p_hoity.game_adapter import Play, happenings_since
from p2p_hoity.presentation.deciding_moments import DecidingMoment, deciding_moments
from p2p_hoity.presentation.figure_paths import FigurePath, figure_paths
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.rules import Edition, Happening, Standing, happenings
from protocol import transcript

from ..words import end_sentences
from ..words.card_names import Names
from ..words.translation import _
from ..words.verdicts import of_problem
from .colours import SeatLook, seat_looks


@dataclass(frozen=True)
class PictureFacts:
    """What a picture is about.

    Attributes:
        record: All events of the game. It has been set up.
        standings: The final standings. Empty if the game is not over.
        game: The id of the game.
        date: The day of the game.
        is_valid: Whether everything in the file of the game is valid.
        verdict: A sentence about that.
    """

    edition: Edition
    nicknames: tuple[str, ...]
    record: tuple[Happening, ...]
    standings: tuple[Standing, ...]
    game: str
    date: str
    is_valid: bool
    verdict: str

    @classmethod
    def of_scene(cls, scene: Scene, names: Names, day: str) -> PictureFacts:
        """Return the facts of a game whose every step this program has verified as it came."""
        return cls(
            edition=names.edition,
            nicknames=tuple(names.nicknames),
            record=scene.record,
            standings=scene.standings or (),
            game=scene.game,
            date=day,
            is_valid=True,
            verdict=_("Verified: every signature, proof, commitment and rule."),
        )

    @classmethod
    def of_report(cls, report: transcript.Report, day: str) -> PictureFacts | None:
        """Return the facts of a game as far as its file is valid, None if it was not set up."""
        play = report.node.state if report.node is not None else None
        record = happenings_since(play) if isinstance(play, Play) else []
        if not isinstance(play, Play) or not figure_paths(record):
            return None
        return cls(
            edition=play.state.edition,
            nicknames=tuple(entry.nickname for entry in report.seats),
            record=tuple(record),
            standings=play.state.standings,
            game=report.table[:16],
            date=day,
            is_valid=report.ok or report.unfinished,
            verdict=_verdict(report),
        )

    @cached_property
    def names(self) -> Names:
        """The names of the seats."""
        names = Names(self.edition, self.nicknames)
        names.colours = self.setup.colours
        return names

    @cached_property
    def setup(self) -> happenings.Setup:
        """How the game was set up."""
        return next(item for item in self.record if isinstance(item, happenings.Setup))

    @cached_property
    def paths(self) -> tuple[FigurePath, ...]:
        """The path of each seat's figure."""
        return figure_paths(self.record)

    @cached_property
    def moments(self) -> tuple[DecidingMoment, ...]:
        """What decided the game."""
        return deciding_moments(self.edition, self.record, self.standings)

    @cached_property
    def looks(self) -> tuple[SeatLook, ...]:
        """The look of each seat."""
        of_edition = [one.name for one in self.edition.colours]
        return seat_looks(self.nicknames, self.setup.colours, of_edition)

    @property
    def headline(self) -> str:
        """The sentence that says who has won, or how far the game came."""
        if self.standings:
            return end_sentences.won(self.standings, self.names)
        words = _("The game is not over. It came to round {round}.")
        if not self.is_valid:
            words = _("The file of this game is valid as far as round {round}.")
        return words.format(round=max(path.rounds for path in self.paths))

    @property
    def order(self) -> list[int]:
        """The seats in the order of the standings, or else of their fields."""
        if self.standings:
            return [line.seat for line in self.standings]
        return sorted(range(len(self.paths)), key=lambda seat: (-self.paths[seat].end, seat))


def _verdict(report: transcript.Report) -> str:
    """Return the sentence of a picture about its file."""
    if report.unfinished:
        return _("Verified as far as it was played: every signature, proof, commitment and rule.")
    if report.problem is None:
        return _("Verified: every signature, proof, commitment and rule.")
    words = _("Not valid. The picture ends before the first thing that is invalid: {words}.")
    return words.format(words=of_problem(report.problem))
