"""Self-play on the simulator: what the learner was asked, what it chose, and how it turned out.

All tables move on together, each by the point that is due at it: the policy sees the rows of all
of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import torch

from .absences import Absences
from .acting import Answer, decide
from .critic import Critic
from .insight import insight
from .observe import Eyes
from .policy import Policy
from .rows import Numbers, Rows, rows_of
from .seating import LEARNER, Seating, company
from .sim import Closed, Ended, Floats, Ints, Point, Table
from .tables import Kind

T = TypeVar("T")


class Outcome(Protocol):
    """Games that ended, and the share of victory of each seat (E, S)."""

    @property
    def games(self) -> Ints:
        """Their numbers."""

    @property
    def shares(self) -> Floats:
        """In sum 1."""


@dataclass(frozen=True)
class Moment:
    """One point at one table.

    Of the learner: its `rows` with more than one candidate, the number of the candidate `picked` of
    each, the log `chance` it had, and of which `games` and `seats` they are. Of the games `judged`
    what who sees all saw (`insight`), and the shares of victory `expected` (G, S). Then what
    `ended`, and the round that `closed`.
    """

    rows: Rows
    picked: Ints
    chance: Numbers
    games: Ints
    seats: Ints
    judged: Ints
    insight: tuple[Numbers, Numbers]
    expected: Numbers
    ended: Outcome | None
    closed: Closed | None = None


@dataclass
class Post:
    """One kind of table, who sits at it, and its moments since they were taken last."""

    kind: Kind
    table: Table
    who: Ints
    moments: list[Moment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.eyes = Eyes(self.table.board)

    def see(self) -> Rows:
        """What is due, as its seats see it."""
        return rows_of(self.eyes, self.point)

    def known(self, games: Ints) -> tuple[Numbers, Numbers]:
        """What who sees all knows of these games: by seat, with who plays it, and by table."""
        seats, table = insight(self.table.board, games, self.point.kind)
        return np.concatenate([seats, company(self.who[games])], axis=2), table

    @property
    def point(self) -> Point:
        """What is due. RuntimeError if all games are over: they are dealt anew."""
        point = self.table.step()
        if point is None:
            raise RuntimeError("every game is over")
        return point


@dataclass
class Players:
    """The learner, its critic, and all others by number."""

    learner: Policy
    critic: Critic
    others: Mapping[int, Policy]


@dataclass
class Hall:
    """All tables."""

    posts: list[Post]
    seating: Seating
    rng: np.random.Generator
    absences: Absences = field(default_factory=Absences)

    @classmethod
    def opened(
        cls, kinds: Sequence[Kind], games: int, seating: Seating, rng: np.random.Generator
    ) -> Hall:
        """About so many games, by the share of each kind."""
        posts = []
        for kind, own in zip(kinds, rng.spawn(len(kinds)), strict=True):
            count = max(1, round(games * kind.share))
            table = Table(kind.edition, kind.seats, kind.variant, count, own, checked=False)
            posts.append(Post(kind, table, seating(count, kind.seats, rng)))
        return cls(posts, seating, rng)

    @torch.no_grad()
    def move(self, players: Players) -> None:
        """Every table moves on by one point."""
        for post in self.posts:
            self.absences.happen(post.table, self.rng)
        points = [post.point for post in self.posts]
        seen = [post.see() for post in self.posts]
        who = [post.who[due.games, due.seats] for post, due in self._each(points)]
        answers = decide({LEARNER: players.learner, **players.others}, who, seen, self.rng)
        judged = [np.unique(point.games) for point in points]
        known, expected = self._judge(players.critic, judged)
        for at, post in enumerate(self.posts):
            kept = _kept(post, points[at], seen[at])
            ended = self.go_on(post, points[at], answers[at])
            moment = Moment(
                seen[at].take(kept),
                answers[at].picked[kept],
                answers[at].chance[kept],
                points[at].games[kept],
                points[at].seats[kept],
                judged[at],
                known[at],
                expected[at],
                ended,
                post.table.closed,
            )
            post.moments.append(moment)

    @torch.no_grad()
    def expected(self, critic: Critic) -> list[Numbers]:
        """By post the shares (N, S) that all its games may expect now."""
        return self._judge(critic, [post.table.board.every for post in self.posts])[1]

    def _each(self, values: Sequence[T]) -> Iterable[tuple[Post, T]]:
        return zip(self.posts, values, strict=True)

    def _judge(
        self, critic: Critic, judged: Sequence[Ints]
    ) -> tuple[list[tuple[Numbers, Numbers]], list[Numbers]]:
        known = [post.known(games) for post, games in self._each(judged)]
        return known, judge(critic, known)

    def go_on(self, post: Post, point: Point, answer: Answer) -> Ended | None:
        """One post moves on by what was answered; what ended there, for which others sit down."""
        post.table.choose(point.pick(answer.picked))
        ended = post.table.ended
        if ended is not None:
            post.who[ended.games] = self.seating(len(ended), post.kind.seats, self.rng)
        return ended


def _kept(post: Post, point: Point, rows: Rows) -> Ints:
    """The rows that the learner is there to decide and that are a choice at all."""
    learner = post.who[point.games, point.seats] == LEARNER
    there = post.table.board.active[point.games, point.seats]
    return np.flatnonzero(learner & there & (rows.count > 1))


def judge(critic: Critic, known: Sequence[tuple[Numbers, Numbers]]) -> list[Numbers]:
    """The shares that each part may expect; parts of equally many seats are judged together."""
    found: list[Numbers] = [np.empty(0, np.float32)] * len(known)
    for seats in {part.shape[1] for part, _ in known}:
        at = [i for i, (part, _) in enumerate(known) if part.shape[1] == seats]
        together = [torch.from_numpy(np.concatenate([known[i][k] for i in at])) for k in (0, 1)]
        shares = critic(*together).exp().numpy()
        ends = np.cumsum([len(known[i][0]) for i in at])[:-1]
        for i, part in zip(at, np.split(shares, ends), strict=True):
            found[i] = part
    return found
