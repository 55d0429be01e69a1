"""What a stretch of play teaches: by row its advantage, by judged game the shares to expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from .rollout import Moment
from .rows import Numbers, Rows, joined
from .sim import Bools, Ints
from .tables import Kind


@dataclass(frozen=True)
class Lessons:
    """Of tables with equally many seats: R rows with the candidate `picked`, its log `chance` when
    it was, and the `advantage` it turned out to have; G judged games, by seat and by table, with
    the shares that were `expected` and those to expect, `target` (G, S)."""

    rows: Rows
    picked: Ints
    chance: Numbers
    advantage: Numbers
    by_seat: Numbers
    by_table: Numbers
    expected: Numbers
    target: Numbers


@dataclass(frozen=True)
class Prices:
    """What every seat pays, in shares of victory, for each `round`, and more for an `idle` one."""

    round: float = 0.0
    idle: float = 0.0

    def of(self, idle: Bools) -> Numbers:
        """By game what its round costs."""
        return (self.round + self.idle * idle).astype(np.float32)


FREE = Prices()


class Played(Protocol):
    """Games of one kind, and their moments since they were taken last."""

    @property
    def kind(self) -> Kind:
        """Of which kind they are."""

    moments: list[Moment]


def harvest(
    posts: Sequence[Played], last: Sequence[Numbers], trace: float, prices: Prices = FREE
) -> list[Lessons]:
    """The lessons of all moments, by number of seats; the moments are taken from the posts.

    `last` are the shares (N, S) that the games of each post expect now; `trace` is the lambda of
    the generalised advantage, for each point at which the game was judged. The critic is not taught
    the `prices`: what it says stays a share of victory.
    """
    parts: dict[int, list[Lessons]] = {}
    for post, now in zip(posts, last, strict=True):
        parts.setdefault(post.kind.seats, []).extend(_of_post(post, now, trace, prices))
        post.moments = []
    return [_together(parts[seats]) for seats in sorted(parts)]


def _of_post(post: Played, now: Numbers, trace: float, prices: Prices) -> Iterable[Lessons]:
    later, ahead, owed = now.copy(), np.zeros_like(now), np.zeros(len(now), np.float32)
    for moment in reversed(post.moments):
        if moment.ended is not None:
            later[moment.ended.games] = moment.ended.shares
            ahead[moment.ended.games] = owed[moment.ended.games] = 0
        games = moment.judged
        owed[games] *= trace
        if moment.closed is not None:
            owed[moment.closed.games] += prices.of(moment.closed.idle)
        ahead[games] = later[games] - moment.expected + trace * ahead[games]
        later[games] = moment.expected
        yield _of_moment(moment, ahead, owed)


def _of_moment(moment: Moment, ahead: Numbers, owed: Numbers) -> Lessons:
    return Lessons(
        moment.rows,
        moment.picked,
        moment.chance,
        ahead[moment.games, moment.seats] - owed[moment.games],
        *moment.insight,
        moment.expected,
        moment.expected + ahead[moment.judged],
    )


def _together(parts: Sequence[Lessons]) -> Lessons:
    arrays = [
        np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Lessons)[1:]
    ]
    return Lessons(joined([part.rows for part in parts]), *arrays)
