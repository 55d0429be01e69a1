"""The course of a round for many games at once: who is asked when, and what the answers do."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import numpy as np

from p2p_hoity.rules import Edition, Variant

from . import castle, hall, points
from .banquet import Ended, finish
from .board import Board
from .kinds import CARD_IDS, CASTLE, HALL, NONE, Bools, Ints
from .legality import check
from .pieces import ONE
from .points import Point
from .presence import Presence, change

Course = Generator[Point, Ints, None]
Asked = Generator[Point, Ints, Ints]


@dataclass(frozen=True)
class Closed:
    """A round that was closed at once in the games `games` (E,); in those that are `idle` (E,)
    nothing happened in it: no figure moved, and nothing was sold, stolen or imprisoned."""

    games: Ints
    idle: Bools


@dataclass
class Table:
    """N games of one edition (with its switches), seats and variant, played in lockstep.

    `board` holds their state, `point` the decision that is due, `ended` the games that the last
    `choose` ended (None if it ended none), `closed` the round that it closed (None if it closed
    none). With `replace` a game that is over is dealt anew at
    once. `checked` choices are refused where the rules forbid them.
    """

    edition: Edition
    seats: int
    variant: Variant
    games: int
    rng: np.random.Generator
    replace: bool = True
    checked: bool = True
    ended: Ended | None = None
    closed: Closed | None = None
    point: Point | None = field(init=False, default=None)
    _after: Presence | None = None

    def __post_init__(self) -> None:
        self.board = Board(self.edition, self.seats, self.variant, self.games, self.rng)
        self._course = self._rounds()
        self._begun = False
        self._opening = self._goods()

    def step(self) -> Point | None:
        """The decision that is due; None when every game is over. It has no rows while nobody is
        present in any game."""
        if not self._begun:
            self._begun = True
            self.point = next(self._course, None)
        return self.point

    def choose(self, choices: Ints, after: Presence | None = None) -> Point | None:
        """Give a choice for each row of the point (as `Point.option` writes it; NONE or VOID: none)
        and go on to the next point, which is returned. `after` is who is present once the choices
        are sealed and before they are shown.

        ValueError if the rules forbid a choice (and `checked`).
        """
        if self.step() is None:
            raise ValueError("nothing is to be chosen")
        if self.checked and self.point is not None:
            check(self.board, self.point, choices)
        self.ended, self.closed, self._after = None, None, after
        try:
            self.point = self._course.send(choices)
        except StopIteration:
            self.point = None
        return self.point

    def change(self, presence: Presence) -> None:
        """Who is present from now on, in games that have rows in the point that is due; choices
        given for the rows of who is not are passed over."""
        change(self.board, presence)

    # The course.

    def _rounds(self) -> Course:
        board = self.board
        while not board.over.all():
            self._begin()
            if not board.running.any():
                yield points.place_point(board, board.joined & False)
                continue
            yield from self._places()
            if self.variant is None and self.edition.switches.action_choice == "together":
                yield from self._all_actions()
            else:
                yield from self._actions(hall.owing(board) & (board.actions < 0))
                self._play(HALL)
            yield from self._sale()
            yield from self._castle()
            yield from self._thefts()
            self._end()

    def _begin(self) -> None:
        """Everyone present takes part; with no Place to choose all are sent to one."""
        board = self.board
        self._opening = self._goods()
        board.running = board.present.any(axis=1) & ~board.over
        going = board.running
        board.round[going] += 1
        board.resting[going] = False
        board.joined[going] = board.present[going]
        board.before[going] = board.figures[going]
        fixed = self._fixed_place()
        board.places = np.where(going[:, None] & board.present, fixed[:, None], NONE)

    def _fixed_place(self) -> Ints:
        board = self.board
        fixed = np.full(self.games, NONE, np.int64)
        if self.variant == "confrontation":
            fixed = np.where(board.round % 2 == 1, HALL, CASTLE)
        fixed[~board.left.any(axis=1)] = CASTLE
        return fixed

    def _places(self) -> Course:
        board = self.board
        if self.variant == "confrontation":
            return
        free = board.running & board.left.any(axis=1)
        asked = board.active & free[:, None]
        if self.variant == "surprise":
            turns = yield from self._ask(points.turn_point, asked)
            chosen = turns >= 0
            board.places[chosen], board.sealed[chosen] = np.divmod(turns[chosen], CARD_IDS)
            self._play(HALL)
            self._play(CASTLE)
        else:
            places = yield from self._ask(points.place_point, asked)
            board.places = np.where(places >= 0, places, board.places)

    def _all_actions(self) -> Course:
        board = self.board
        yield from self._actions(hall.owing(board) | (board.places == CASTLE))
        self._play(HALL)

    def _actions(self, owing: Bools) -> Course:
        actions = yield from self._ask(points.action_point, owing & self.board.active)
        chosen = actions != NONE
        self.board.sealed[chosen] = actions[chosen]

    def _play(self, place: int) -> None:
        """The Actions sealed in this Place are shown."""
        board = self.board
        there = board.places == place
        shown = there & (board.sealed >= 0)
        board.hands ^= np.where(shown, ONE << np.maximum(board.sealed, 0), 0)
        board.actions[shown] = board.sealed[shown]
        board.sealed[there] = NONE

    def _sale(self) -> Course:
        board = self.board
        games = hall.bid(board)
        buyers = board.buyer[games]
        asked = board.active[games, buyers]
        due = points.window_point(board, games[asked], buyers[asked])
        windows = yield from self._ask_rows(due)
        chosen = np.full(self.games, NONE, np.int64)
        chosen[due.games] = windows
        taken = np.where(chosen[games] < 0, hall.first_window(board, games), chosen[games])
        hall.sell(board, games, taken)
        hall.clear(board)

    def _castle(self) -> Course:
        board = self.board
        board.before[board.running] = board.figures[board.running]
        if self.variant is not None or self.edition.switches.action_choice == "staged":
            yield from self._actions((board.places == CASTLE) & (board.actions < 0))
        self._play(CASTLE)
        board.exhibiting = castle.exhibitors(board)
        asked = board.exhibiting & board.active
        exhibits = yield from self._ask(points.exhibit_point, asked)
        castle.show(board, exhibits)

    def _thefts(self) -> Course:
        board = self.board
        castle.begin_thefts(board)
        while True:
            games, thieves = castle.next_thieves(board)
            if not len(games):
                return
            asked = board.active[games, thieves]
            due = points.theft_point(board, games[asked], thieves[asked])
            chosen = np.full((self.games, self.seats), NONE, np.int64)
            chosen[due.games, due.owners] = yield from self._ask_rows(due)
            castle.steal(board, games, thieves, chosen[games])

    def _end(self) -> None:
        board = self.board
        castle.end_castle(board)
        board.places[:], board.exhibits[:], board.shown[:] = NONE, 0, 0
        board.exhibiting[:] = False
        games = np.flatnonzero(board.running)
        same = (self._opening[games] == self._goods()[games]).all(axis=(1, 2))
        self.closed = Closed(games, same)
        at_banquet = (board.figures.max(axis=1) >= board.banquet) & board.running
        games = np.flatnonzero(at_banquet)
        if len(games):
            self.ended = finish(board, games)
            if self.replace:
                board.deal(games)
            else:
                board.over[games] = True

    def _goods(self) -> Ints:
        """(N, 4, S) figures, pieces, Action cards and prison: an idle round leaves them all."""
        board = self.board
        return np.stack([board.figures, board.held, board.hands, board.prison], axis=1)

    # Asking.

    def _ask(self, make: Callable[[Board, Bools], Point], asked: Bools) -> Asked:
        """The choices of those asked by game and seat (N, S); NONE where there is none."""
        chosen = np.full((self.games, self.seats), NONE, np.int64)
        if asked.any():
            due = make(self.board, asked)
            chosen[due.games, due.seats] = yield from self._ask_rows(due)
        return chosen

    def _ask_rows(self, due: Point) -> Asked:
        """The choice of each row; NONE for who is not there to choose."""
        if not len(due):
            return due.option
        choices = yield due
        answered = np.where(self.board.active[due.games, due.seats], choices, NONE)
        if self._after is not None:
            change(self.board, self._after)
            self._after = None
        return answered
