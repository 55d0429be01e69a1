"""Every moment of the game as a scene: what the screen has to show, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cli.ui.full_screen.frame import Desk
from cli.ui.full_screen.menu import menu
from cli.ui.full_screen.scene import Scene
from cli.words import terms as terms_words
from cli.words.cards import Names
from cli.words.lesson import explained
from cli.words.presence import knock
from p2p_hoity import rules
from p2p_hoity.editions import load
from p2p_hoity.game_port import read_game
from p2p_hoity.lesson import MINE, OPPONENTS, SEATS, Lesson, Topic
from p2p_hoity.rules import Choose, Over, Seal, Show, expected
from p2p_hoity.session import updates
from p2p_hoity.session.updates import Clock, Muster, Presence
from support.rules_driver import Referee
from support.screened import NAMES, table

MUSTER = Muster(4, 3, 3)


@dataclass
class Shown:
    """A scene with its desk, and the game behind it."""

    scene: Scene
    desk: Desk
    driver: Referee
    mine: int | None = 0

    @property
    def view(self) -> rules.View:
        """What the seat at the screen may know."""
        own = {} if self.mine is None else self.driver.private(self.mine)
        return rules.view(self.driver.state, self.mine, own)

    def step(self) -> None:
        """One step of the game, told."""
        before = len(self.driver.record)
        self.driver.step()
        if items := tuple(self.driver.record[before:]):
            self.scene.hear(updates.Happened(items, self.view, True))

    def ask(self, kind: rules.Kind, again: bool = False) -> None:
        """The seat is asked."""
        assert self.scene.names is not None
        self.scene.hear(updates.Choosing(self.view, kind, again))
        self.desk.menu = menu(self.view, kind, self.scene.names, again)

    def wait(
        self, seats: set[int], waited: float = 12.0, left: float = 288.0, **muster: object
    ) -> None:
        """The clock as it stands."""
        count = replace(MUSTER, seats=self.driver.state.seats, **muster)  # type: ignore[arg-type]
        self.scene.hear(Clock(frozenset(seats), waited, left, 300.0, count))


def begun(
    seats: int = 4,
    seed: int = 1,
    variant: rules.Variant = None,
    edition: str = "uberplay-2004",
    mine: int | None = 0,
    staged: bool = False,
) -> Shown:
    """A table that is complete."""
    if seats == 2 and variant is None:
        variant = "surprise"
    shown = Shown(Scene(staged), Desk(), Referee.seat(load(edition), seats, seed, variant), mine)
    bound = table(seats, variant, NAMES, load(edition))
    shown.scene.hear(updates.Joined(NAMES[:seats], seats))
    shown.scene.hear(updates.Started(bound, mine))
    shown.scene.hear(updates.Attendance((Presence.LINKED,) * seats))
    return shown


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
    shown = Shown(Scene(), Desk(), Referee.seat(load(), 4))
    terms = table(4).header.terms
    told = terms_words.describe(terms, read_game(terms), NAMES[:2])
    bounds = terms_words.bounds(terms)
    shown.desk.papers = tuple(line for line in told if line not in bounds)
    shown.desk.answers = "Sit down? y or n"
    shown.scene.lobby, shown.scene.of_seats = NAMES[:2], 4
    return shown


def _knock() -> Shown:
    """The host's table fills: its ticket, its code after a wrong one, and a guest at the door."""
    shown = _terms()
    ticket = "hoity2" + "abcdefgh" * 30
    shown.desk.papers = ("Give this ticket to the others", ticket, "", *shown.desk.papers)
    shown.desk.answers = knock("Bruno", "MLIL-DCD5-6CF4-OPNQ-DKLO")
    shown.scene.hear(updates.Admitted("Zoe", False))
    after = updates.CodeEnd.WRONG
    shown.scene.hear(updates.Code("7-lantern-walrus", "relay.example:4646", 600.0, after))
    return shown


def _deal() -> Shown:
    from protocol import Kind

    shown = begun()
    shown.scene.steps, shown.scene.stage = 4, Kind.SHUFFLE
    shown.wait({2}, 0.4, 29.0, begun=False)
    return shown


def _reveal() -> Shown:
    shown = begun(staged=True)
    while not any(isinstance(it, rules.news.PlaceShown) for it in shown.driver.record):
        shown.step()
    shown.scene.hurry()
    shown.scene.hear(updates.Happened(tuple(shown.driver.record[-4:]), shown.view, True))
    shown.scene.advance()
    return shown


def _sealed() -> Shown:
    shown = asked_for(begun(), "action", 3)
    shown.scene.hear(updates.Chosen("action", shown.view.legal("action")[0]))
    shown.desk.menu = None
    shown.wait({1, 3}, 12.0, 288.0)
    return shown


def _halfway() -> Shown:
    shown = _sealed()
    shown.wait({1}, 150.0, 150.0)
    shown.scene.hear(updates.Halfway(frozenset({1}), 150.0, 150.0, MUSTER))
    return shown


def _presence(there: Presence) -> Callable[[], Shown]:
    def build() -> Shown:
        shown = _sealed()
        seats = [Presence.LINKED] * 4
        seats[1] = there
        shown.scene.hear(updates.Attendance(tuple(seats)))
        return shown

    return build


def _left() -> Shown:
    shown = _presence(Presence.LEFT)()
    shown.scene.hear(updates.LeftForNow(1))
    return shown


def _absent() -> Shown:
    shown = asked_for(begun(), "place", 3)
    shown.driver.away(1)
    shown.scene.hear(updates.Happened(tuple(shown.driver.record[-1:]), shown.view, True))
    seats = (Presence.LINKED, Presence.ABSENT, Presence.LINKED, Presence.LINKED)
    shown.scene.hear(updates.Attendance(seats))
    shown.ask("place")
    return shown


def _away() -> Shown:
    shown = _sealed()
    seats = (Presence.ABSENT, Presence.LINKED, Presence.LINKED, Presence.LINKED)
    shown.scene.hear(updates.Attendance(seats))
    shown.scene.hear(updates.Away())
    return shown


def _returned() -> Shown:
    shown = _away()
    shown.scene.hear(updates.Attendance((Presence.LINKED,) * 4))
    shown.scene.hear(updates.Returned())
    return shown


def _paused() -> Shown:
    shown = _sealed()
    shown.wait({1}, 400.0, -100.0, strict=True)
    count = replace(MUSTER, strict=True)
    shown.scene.hear(updates.Paused(frozenset({1}), 400.0, count))
    return shown


def _cheat() -> Shown:
    shown = asked_for(begun(), "place", 3)
    shown.scene.hear(updates.Accused(2, "two-chains"))
    seats = (Presence.LINKED, Presence.LINKED, Presence.BANNED, Presence.LINKED)
    shown.scene.hear(updates.Attendance(seats))
    return shown


def _talk() -> Shown:
    shown = asked_for(begun(), "place", 3)
    shown.scene.hear(updates.Said(1, "Ada", "nice pipes you have there…"))
    shown.scene.hear(updates.Said(2, "Bruno", 1))
    return shown


def over(seats: int = 4, variant: rules.Variant = None, seed: int = 1) -> Shown:
    """A game behind its end."""
    shown = begun(seats, seed, variant)
    while not isinstance(expected(shown.driver.state), Over):
        shown.step()
    assert shown.scene.table is not None
    standings = shown.driver.state.standings
    told = updates.Finished(shown.scene.table, None, standings, None)  # type: ignore[arg-type]
    shown.scene.hear(told)
    return shown


def _pass() -> Shown:
    shown = asked_for(begun(seed=8), "action", 3)
    shown.driver.away(1)
    shown.scene.hear(updates.Happened(tuple(shown.driver.record[-1:]), shown.view, True))
    seats = (Presence.LINKED, Presence.ABSENT, Presence.LINKED, Presence.LINKED)
    shown.scene.hear(updates.Attendance(seats))
    shown.desk.menu = None
    while not any(isinstance(it, rules.news.Passed) for it in shown.driver.record):
        shown.step()
    return shown


def _again() -> Shown:
    shown = over()
    shown.scene.hear(updates.Again(frozenset({0, 2}), frozenset()))
    return shown


def _not_again() -> Shown:
    shown = over()
    shown.scene.hear(updates.Again(frozenset({0}), frozenset({3})))
    return shown


def _last_exhibits() -> Shown:
    shown = begun()
    while not any(isinstance(it, rules.news.FinalExhibit) for it in shown.driver.record):
        shown.step()
    return shown


def _ended() -> Shown:
    shown = _sealed()
    shown.scene.hear(updates.Ended("silent-seat", 1))
    return shown


def _lesson() -> Shown:
    """The longest explanation, over the table that the lesson deals."""
    shown = Shown(Scene(False), Desk(), Referee.seat(load(), SEATS))
    lesson = Lesson()
    shown.scene.begin_lesson(Names(lesson.edition, ("Iris", *OPPONENTS), MINE))
    while lesson.question is None:
        for part in lesson.step():
            shown.scene.hear(updates.Happened(part.items, lesson.view, True))
    shown.desk.lesson = max(map(explained, Topic), key=len)
    return shown


MOMENTS: dict[str, Callable[[], Shown]] = {
    "terms": _terms,
    "knock": _knock,
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
    "link-lost": _presence(Presence.UNLINKED),
    "left": _left,
    "absent": _absent,
    "away": _away,
    "returned": _returned,
    "paused": _paused,
    "cheat": _cheat,
    "talk": _talk,
    "watched": lambda: _watched(),
    "last-exhibits": _last_exhibits,
    "over": over,
    "again": _again,
    "not-again": _not_again,
    "ended": _ended,
    "lesson": _lesson,
}
"""Every moment by name."""


def _watched() -> Shown:
    shown = begun(mine=None)
    while shown.driver.state.round < 4:
        shown.step()
    return shown
