"""The player's results in the finished games of this computer, and statistics about them.

Only games count whose transcripts are valid, and in which the player had a seat that is known. A
shared first rank counts as won by all who share it. The *company* in a game are the levels of the
other seats if all of them were the player's own bots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .known_progress import Progress, SeatCounts
from .saved_games import KeptGame

PEOPLE: Final = ("people",)
"""The company in a game in which another seat was none of the player's bots."""
UNKNOWN: Final = ("unknown",)
"""The company in a game of which it is not stored who sat there."""
Company = tuple[str, ...]
"""The levels of own bots without repetitions, sorted by their names, or PEOPLE or UNKNOWN."""


@dataclass(frozen=True)
class OwnResult:
    """The player's result in a finished game.

    Attributes:
        margin: By how many fields the player is ahead of the next rank, or behind the first one,
            which is negative.
        is_shared: Whether another seat has the same rank.
    """

    rank: int
    margin: int
    is_shared: bool = False


def own_result(game: KeptGame) -> OwnResult | None:
    """Return the player's result, None for a game that is not over, is invalid, or is of others."""
    progress, seat = game.progress, game.seat
    if not game.is_over or progress is None or not progress.whole or seat is None:
        return None
    ranks, fields = progress.ranks, progress.fields
    if not seat < len(ranks) == len(fields):
        return None
    rank, own = ranks[seat], fields[seat]
    # If all share the first rank, nobody is behind.
    behind = (one for at, one in enumerate(fields) if ranks[at] > 1)
    first = (one for at, one in enumerate(fields) if ranks[at] == 1)
    rival = max(behind, default=own) if rank == 1 else max(first, default=own)
    return OwnResult(rank, own - rival, ranks.count(rank) > 1)


def own_counts(game: KeptGame) -> SeatCounts | None:
    """Return what the player has done in a finished game, None if it is not known."""
    progress, seat = game.progress, game.seat
    if own_result(game) is None or progress is None or seat is None:
        return None
    return progress.counts[seat] if seat < len(progress.counts) else None


def company_of(game: KeptGame) -> Company:
    """Return the company in a finished game in which the player had a seat."""
    if game.levels is None:
        return UNKNOWN
    others = [level for seat, level in enumerate(game.levels) if seat != game.seat]
    return PEOPLE if None in others else tuple(sorted({level for level in others if level}))


@dataclass(frozen=True)
class Figures:
    """The figures of several finished games.

    Attributes:
        won: The number of games with the first rank, also those with `shared` first rank.
        ranks: The sum of the player's ranks.
        counts: What the player has done in all of them.
    """

    played: int = 0
    won: int = 0
    shared: int = 0
    ranks: int = 0
    counts: SeatCounts = field(default_factory=SeatCounts)

    def __add__(self, other: Figures) -> Figures:
        """Return the figures of the games of both."""
        return Figures(
            self.played + other.played,
            self.won + other.won,
            self.shared + other.shared,
            self.ranks + other.ranks,
            self.counts + other.counts,
        )


def figures_of(result: OwnResult, counts: SeatCounts) -> Figures:
    """Return the figures of one game."""
    is_won = result.rank == 1
    return Figures(1, int(is_won), int(is_won and result.is_shared), result.rank, counts)


@dataclass(frozen=True)
class Acquaintance:
    """Another player, who has shown the same long-lived key in one game or in several.

    Attributes:
        key: The key in hexadecimal digits.
        nickname: The nickname in the newest of these games.
        won: How many of them this player has won.
        own_won: How many of them the player of this computer has won.
    """

    key: str
    nickname: str
    played: int = 0
    won: int = 0
    own_won: int = 0


@dataclass(frozen=True)
class Statistics:
    """Statistics about the finished games of the player.

    Attributes:
        by_seats: The figures for each number of seats, rising.
        people: The other players by their keys, those with the most games first.
        left_out: The number of finished games that do not count, for each reason: `not-ok`,
            `not-mine` and `twice`, which also stands for two files with different results.
    """

    all: Figures
    by_seats: Mapping[int, Figures]
    by_company: Mapping[Company, Figures]
    people: tuple[Acquaintance, ...]
    left_out: Mapping[str, int]


def statistics(games: Sequence[KeptGame]) -> Statistics:
    """Return the statistics about games, of which the newest come first."""
    left_out = Counter(filter(None, map(_why_left_out, games)))
    counted, doubled = _once(games)
    left_out["twice"] += doubled
    whole, by_seats, by_company = Figures(), dict[int, Figures](), dict[Company, Figures]()
    people: dict[str, Acquaintance] = {}
    for game, result, progress in counted:
        own = figures_of(result, own_counts(game) or SeatCounts())
        seats, company = len(progress.ranks), company_of(game)
        whole += own
        by_seats[seats] = by_seats.get(seats, Figures()) + own
        by_company[company] = by_company.get(company, Figures()) + own
        _meet(people, game, result, progress)
    met = sorted(people.values(), key=lambda one: (-one.played, one.key))
    left = {why: number for why, number in left_out.items() if number}
    return Statistics(whole, dict(sorted(by_seats.items())), by_company, tuple(met), left)


def _why_left_out(game: KeptGame) -> str | None:
    """Return why a finished game does not count, None if it counts or is not finished."""
    progress = game.progress
    if not game.is_over or progress is None:
        return None
    if not progress.whole:
        return "not-ok"
    return "not-mine" if progress.ranks and game.seat is None else None


Counted = tuple[KeptGame, OwnResult, Progress]


def _once(games: Iterable[KeptGame]) -> tuple[list[Counted], int]:
    """Return the games that count, each once, and the number of files that are left out for it.

    If the files of a game have different results, the game is void, and all of them are left out.
    """
    found: dict[str, list[Counted]] = {}
    for game in games:
        result, progress = own_result(game), game.progress
        if result is not None and progress is not None:
            found.setdefault(game.name, []).append((game, result, progress))
    agreed = [
        same for same in found.values() if len({(p.ranks, p.fields) for _g, _r, p in same}) == 1
    ]
    files = sum(map(len, found.values()))
    return [same[0] for same in agreed], files - len(agreed)


def _meet(
    people: dict[str, Acquaintance], game: KeptGame, result: OwnResult, progress: Progress
) -> None:
    """Add a game to what is known of the other players in it. Own bots are no players."""
    levels = game.levels or (None,) * len(progress.players)
    for seat, (key, level) in enumerate(zip(progress.players, levels, strict=False)):
        if seat == game.seat or not key or level is not None:
            continue
        known = people.get(key) or Acquaintance(key, game.nicknames[seat])
        people[key] = replace(
            known,
            played=known.played + 1,
            won=known.won + (progress.ranks[seat] == 1),
            own_won=known.own_won + (result.rank == 1),
        )
