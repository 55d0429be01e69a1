"""Every moment of a game on the screen of one seat, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cli.local.lesson_screen import EXPLANATIONS
from cli.table_view.desk import Desk
from cli.table_view.question_menu import menu
from cli.table_view.stage import Stage
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.styled_lines import cells
from cli.words import table_terms
from cli.words.card_names import Names
from cli.words.presence_sentences import seat_request
from cli.words.table_terms import TableOffer
from cli.words.translation import _
from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import read_game
from p2p_hoity.lesson_script import MINE, OPPONENTS, SEATS, Lesson, Topic
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending, Clock, Muster
from p2p_hoity.rules import Choose, Seal, Show, expected
from protocol import Kind, effects
from protocol.game_interface import Over
from support.rules_driver import Referee
from support.screened import NAMES, table

MUSTER = Muster(4, 3, 3)
SIZES = ((80, 24), (100, 30), (120, 40))
"""The sizes of the kept moments, the smallest window first."""


@dataclass
class Shown:
    """A stage with its desk, and the game behind it."""

    stage: Stage
    desk: Desk
    driver: Referee
    mine: int | None = 0

    @property
    def view(self) -> rules.View:
        """What the seat at the screen may know."""
        own = {} if self.mine is None else self.driver.private(self.mine)
        return rules.view(self.driver.state, self.mine, own)

    def step(self, times: int = 1) -> Shown:
        """So many steps of the game, each told."""
        for _step in range(times):
            before = len(self.driver.record)
            self.driver.step()
            if items := tuple(self.driver.record[before:]):
                self.stage.hear(updates.Happened(items, self.view))
        return self

    def until(self, kind: type[rules.Happening]) -> Shown:
        """Play until something of this kind has happened."""
        while not any(isinstance(item, kind) for item in self.driver.record):
            self.step()
        return self

    def revealing(self) -> Shown:
        """Play until something is revealed beat by beat."""
        while not self.stage.is_revealing:
            self.step()
        return self

    def hear(self, *told: updates.Update) -> Shown:
        """Let the stage hear this."""
        for update in told:
            self.stage.hear(update)
        return self

    def there(self, *seats: Attending) -> Shown:
        """Say how each seat is there; all others are linked."""
        rest = (Attending.LINKED,) * (self.driver.state.seats - len(seats))
        return self.hear(updates.Attendance((*seats, *rest)))

    def lines(self, width: int = 80, height: int = 24) -> list[str]:
        """Return the plain lines of the screen."""
        return [line.plain for line in frame(self.stage, self.desk, width, height)]

    def text(self, width: int = 80, height: int = 24) -> str:
        """Return all that stands on the screen."""
        return "\n".join(self.lines(width, height))

    def ask(self, kind: rules.Kind, again: bool = False) -> None:
        """The seat is asked."""
        assert self.stage.names is not None
        self.stage.hear(updates.Choosing(self.view, kind, again))
        self.desk.menu = menu(self.view, kind, self.stage.names, again)

    def wait(
        self,
        seats: set[int],
        waited: float = 12.0,
        left: float = 288.0,
        kind: Kind | None = None,
        **muster: object,
    ) -> None:
        """The clock as it stands."""
        count = replace(MUSTER, seats=self.driver.state.seats, **muster)  # type: ignore[arg-type]
        self.stage.hear(Clock(frozenset(seats), waited, left, 300.0, count, kind))


def assert_fits(shown: Shown, width: int, height: int) -> None:
    """Assert that a screen has these rows and columns, and nothing that moves the cursor."""
    lines = shown.lines(width, height)
    assert len(lines) == height
    assert {cells(line) for line in lines} == {width}
    assert not {"\x1b", "\u202e"} & set("".join(lines))


def begun(
    seats: int = 4,
    seed: int = 1,
    variant: rules.Variant = None,
    edition: str | rules.Edition = "uberplay-2004",
    mine: int | None = 0,
    staged: bool = False,
) -> Shown:
    """A table that is complete."""
    if seats == 2 and variant is None:
        variant = "surprise"
    cards = load(edition) if isinstance(edition, str) else edition
    shown = Shown(Stage(staged), Desk(), Referee.seat(cards, seats, seed, variant), mine)
    bound = table(seats, variant, NAMES, cards)
    return shown.hear(updates.Joined(NAMES[:seats], seats), updates.Started(bound, mine)).there()


def asked_for(shown: Shown, kind: str, round: int = 1, least: int = 2) -> Shown:
    """Play until the seat at the screen owes this kind of choice, with so many answers."""
    for _turn in range(5000):
        due = expected(shown.driver.state)
        seats = getattr(due, "seats", {getattr(due, "seat", None)})
        asks = isinstance(due, Seal | Choose | Show) and shown.mine in seats
        named = getattr(due, "kind", "") if not isinstance(due, Show) else "exhibit"
        late = shown.driver.state.round >= round
        if asks and named == kind and late and len(shown.view.legal(named)) >= least:
            shown.ask(named)  # type: ignore[arg-type]
            everyone = set(seats) | {shown.mine or 0}
            shown.wait({seat for seat in everyone if seat != 2 and seat is not None})
            return shown
        shown.step()
    raise AssertionError(f"{kind} is never asked")


def _at(place: rules.Place) -> Shown:
    """Asked for an Action in this Place."""
    for seed in range(1, 40):
        shown = asked_for(begun(seed=seed), "action", 4)
        if shown.driver.state.places[0] == place:
            return shown
    raise AssertionError("never there")


def _terms() -> Shown:
    shown = Shown(Stage(), Desk(), Referee.seat(load(), 4))
    terms = table(4).header.terms
    told = table_terms.describe(TableOffer(terms, read_game(terms), NAMES[:2]))
    bounds = table_terms.bounds(terms)
    shown.desk.papers = tuple(line for line in told if line not in bounds)
    shown.desk.answers = "Sit down? Y/n"
    shown.stage.seat_guests(NAMES[:2], 4)
    return shown


def _seat_request() -> Shown:
    """The host's table fills: its ticket, its code after a wrong one, and a guest at the door."""
    shown = _terms()
    ticket = "hoity3" + "abcdefgh" * 30
    shown.desk.papers = ("Give this ticket to the others", ticket, "", *shown.desk.papers)
    shown.desk.answers = seat_request("Bruno", "MLIL-DCD5-6CF4-OPNQ-DKLO")
    after = updates.CodeEnd.WRONG
    code = updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, after)
    return shown.hear(updates.Admitted("Zoe", False), code)


def _deal() -> Shown:
    shown = begun()
    shown.stage.scene = replace(shown.stage.scene, steps=4, stage=Kind.SHUFFLE)
    shown.wait({2}, 0.4, 29.0, begun=False)
    return shown


def _reveal() -> Shown:
    shown = begun(staged=True).until(rules.happenings.PlaceShown)
    shown.stage.hurry()
    shown.hear(updates.Happened(tuple(shown.driver.record[-4:]), shown.view))
    shown.stage.advance()
    return shown


def _sealed() -> Shown:
    shown = asked_for(begun(), "action", 3)
    shown.hear(updates.ChoiceTaken("action", shown.view.legal("action")[0]))
    shown.desk.menu = None
    shown.wait({1, 3}, 12.0, 288.0)
    return shown


def _halfway() -> Shown:
    shown = _sealed()
    shown.wait({1}, 150.0, 150.0)
    return shown.hear(updates.Halfway(frozenset({1}), 150.0, 150.0, MUSTER))


def _left() -> Shown:
    shown = _sealed().there(Attending.LINKED, Attending.LEFT).hear(effects.SeatLeft(1))
    shown.wait({1, 3}, there=2, gone=frozenset({1}), thinking=frozenset({3}))
    return shown


def _absence(shown: Shown) -> Shown:
    """The second seat is away for good."""
    shown.driver.away(1)
    shown.hear(updates.Happened(tuple(shown.driver.record[-1:]), shown.view))
    return shown.there(Attending.LINKED, Attending.ABSENT)


def _absent() -> Shown:
    shown = _absence(asked_for(begun(), "place", 3))
    shown.ask("place")
    return shown


def _away() -> Shown:
    return _sealed().there(Attending.ABSENT).hear(updates.Away())


def _paused() -> Shown:
    shown = _sealed()
    shown.wait({1}, 400.0, -100.0, strict=True)
    return shown.hear(updates.Paused(frozenset({1}), 400.0, replace(MUSTER, strict=True)))


def over(seats: int = 4, variant: rules.Variant = None, seed: int = 1) -> Shown:
    """A game behind its end."""
    shown = begun(seats, seed, variant)
    while not isinstance(expected(shown.driver.state), Over):
        shown.step()
    assert shown.stage.scene.table is not None
    standings = shown.driver.state.standings
    path = Path("hoity-7d42.hoity")
    return shown.hear(updates.GameOver(shown.stage.scene.table, None, standings, path))  # type: ignore[arg-type]


def _pass() -> Shown:
    shown = _absence(asked_for(begun(seed=8), "action", 3))
    shown.desk.menu = None
    return shown.until(rules.happenings.Passed)


def _lesson() -> Shown:
    """The longest explanation, over the table that the lesson deals."""
    shown = Shown(Stage(False), Desk(), Referee.seat(load(), SEATS))
    lesson = Lesson()
    shown.stage.begin_lesson(Names(lesson.edition, ("Iris", *OPPONENTS), MINE))
    while lesson.question is None:
        for part in lesson.step():
            shown.hear(updates.Happened(part.items, lesson.view))
    shown.desk.lesson = max((_(EXPLANATIONS[topic]) for topic in Topic), key=len)
    return shown


def _watched() -> Shown:
    shown = begun(mine=None)
    while shown.driver.state.round < 4:
        shown.step()
    return shown


MOMENTS: dict[str, Callable[[], Shown]] = {
    "terms": _terms,
    "seat-request": _seat_request,
    "deal": _deal,
    "place": lambda: asked_for(begun(), "place", 3),
    "action-hall": lambda: _at(rules.Place.AUCTION_HALL),
    "action-castle": lambda: _at(rules.Place.CASTLE),
    "window": lambda: asked_for(begun(), "window"),
    "exhibit": lambda: asked_for(begun(), "exhibit", 5),
    "theft": lambda: asked_for(begun(seed=2), "theft", 4),
    "reveal": _reveal,
    "pass": _pass,
    "surprise": lambda: asked_for(begun(2), "turn", 3),
    "confrontation": lambda: asked_for(begun(2, variant="confrontation"), "action", 3),
    "reference-manual": lambda: asked_for(begun(edition="reference-manual"), "action", 4),
    "six-seats": lambda: asked_for(begun(6), "action", 9),
    "sealed": _sealed,
    "halfway": _halfway,
    "link-lost": lambda: _sealed().there(Attending.LINKED, Attending.UNLINKED),
    "left": _left,
    "absent": _absent,
    "away": _away,
    "returned": lambda: _away().there().hear(updates.Rejoined()),
    "paused": _paused,
    "cheat": lambda: (
        asked_for(begun(), "place", 3)
        .hear(updates.Accused(2, "two-chains"))
        .there(Attending.LINKED, Attending.LINKED, Attending.BANNED)
    ),
    "talk": lambda: asked_for(begun(), "place", 3).hear(
        updates.Said(1, "Ada", "nice pipes you have there…"),
        updates.Said(2, "Bruno", 1),
    ),
    "watched": _watched,
    "last-exhibits": lambda: begun().until(rules.happenings.FinalExhibit),
    "over": over,
    "again": lambda: over().hear(updates.Again(frozenset({0, 2}), frozenset())),
    "not-again": lambda: over().hear(updates.Again(frozenset({0}), frozenset({3}))),
    "ended": lambda: _sealed().hear(updates.Ended("silent-seat", 1)),
    "lesson": _lesson,
}
"""Every moment by name."""
