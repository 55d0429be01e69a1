"""The words for a player's statistics: one line, or a table with a legend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from p2p_hoity.table.beside_game.own_results import (
    PEOPLE,
    UNKNOWN,
    Acquaintance,
    Company,
    Figures,
    Statistics,
)

from ..printing import cells
from .key_names import player_key
from .translation import WORDS, _, count, level_word

GAP: Final = "  "
MOST_PEOPLE: Final = 12
"""The number of other players that are told."""
LEAST_GAMES: Final = 2
"""The number of games from which another player is told. A friend's bot is met only once."""


def summary(found: Statistics) -> str:
    """Return the line about all games of the player, "" without a game."""
    if not found.all.played:
        return ""
    text = _("{company} {won} of {played}")
    companies = ", ".join(
        text.format(company=word, won=one.won, played=one.played)
        for word, one in by_word(found.by_company).items()
    )
    words = _("played {played}, won {won}: {companies}")
    return words.format(played=found.all.played, won=found.all.won, companies=companies)


def by_word(by_company: Mapping[Company, Figures]) -> dict[str, Figures]:
    """Return the figures by the word for the company, all mixed companies of bots together.

    First come the levels of bots, then mixed ones, people, and what is not known.
    """
    found: dict[str, Figures] = {}
    for company in sorted(by_company, key=_place):
        word = company_word(company)
        found[word] = found.get(word, Figures()) + by_company[company]
    return found


def _place(company: Company) -> tuple[bool, bool, int, int]:
    """Return the key by which companies are sorted."""
    levels = list(WORDS)
    level = levels.index(company[0]) if company[0] in levels else len(levels)
    return company == UNKNOWN, company == PEOPLE, len(company), level


def company_word(company: Company) -> str:
    """Return a company in a word: a level of bots, several levels, or people."""
    if company == PEOPLE:
        return _("people")
    if company == UNKNOWN:
        return _("unknown")
    if len(company) > 1:
        return _("mixed")
    level = company[0]
    # A level of another version of this program has no word.
    return level_word(level) if level in WORDS else level


# The table

Cell = Callable[[Figures], str]


def _mean(total: int, number: int) -> str:
    return f"{total / number:.1f}" if number else "–"


CELLS: Final[tuple[Cell, ...]] = (
    lambda one: str(one.played),
    lambda one: str(one.won),
    lambda one: _mean(one.ranks, one.played),
    lambda one: _mean(one.counts.pieces_stolen + one.counts.cash_stolen, one.played),
    lambda one: _mean(one.counts.pieces_lost + one.counts.cash_lost, one.played),
    lambda one: _mean(one.counts.arrests, one.played),
    lambda one: _mean(one.counts.jailed, one.played),
    lambda one: _mean(one.counts.exhibited, one.counts.exhibits),
)
"""The functions that fill the columns of a row."""


def statistics_lines(found: Statistics) -> list[str]:
    """Return the lines of the statistics: a table, what its columns mean, and the other players."""
    if not found.all.played:
        return [_("None of your own games is finished yet."), *_left_out(found.left_out)]
    lines = table_lines(found)
    lines += ["", *legend(found), *_left_out(found.left_out)]
    met = [one for one in found.people if one.played >= LEAST_GAMES][:MOST_PEOPLE]
    if met:
        lines += ["", _("Players who have shown you the same key in several games:")]
        lines += map(_met, met)
    return lines


def table_lines(found: Statistics) -> list[str]:
    """Return the table: a row for all games, for each number of seats and for each company."""
    heads = [
        *(_("games"), _("won"), _("rank"), _("stolen")),
        *(_("lost"), _("caught"), _("jailed"), _("size")),
    ]
    seats = [
        (_("{number} seats").format(number=number), one) for number, one in found.by_seats.items()
    ]
    companies = list(by_word(found.by_company).items())
    groups = [[(_("all"), found.all)], seats, companies]
    rows = [[name, *(cell(one) for cell in CELLS)] for group in groups for name, one in group]
    widths = [max(map(cells, column)) for column in zip(["", *heads], *rows, strict=True)]
    lines = [_line(["", *heads], widths)]
    for group in groups:
        lines += [_line(rows.pop(0), widths) for _row in group]
        lines.append("")
    return lines[:-1]


def _line(row: Iterable[str], widths: Iterable[int]) -> str:
    """Return a row of the table: its name at the left, and its numbers below each other."""
    name, *numbers = ((one, width - cells(one)) for one, width in zip(row, widths, strict=True))
    cells_ = [name[0] + " " * name[1], *(" " * room + one for one, room in numbers)]
    return GAP.join(cells_).rstrip()


def legend(found: Statistics) -> list[str]:
    """Return what the columns and some rows of the table mean."""
    lines = [
        _("rank: your rank on the average. won: games with the first rank."),
        _("stolen, lost: pieces and Cash that Thieves have taken, per game."),
        _(
            "caught, jailed: rounds in which your Detective caught Thieves, and your own Thieves "
            "that went to prison, per game."
        ),
        _("size: how many pieces an exhibit of yours has on the average."),
    ]
    if UNKNOWN in found.by_company:
        words = _("{unknown}: it is not stored who sat there. This is so for older games.")
        lines.append(words.format(unknown=company_word(UNKNOWN)))
    if shared := found.all.shared:
        text = count(
            "A first rank that is shared counts as won by all who share it: {number} game.",
            "A first rank that is shared counts as won by all who share it: {number} games.",
            shared,
        )
        lines.append(text.format(number=shared))
    return lines


def _left_out(left_out: Mapping[str, int]) -> list[str]:
    """Return sentences about finished games that do not count."""
    texts = {
        "not-ok": lambda number: count(
            "{number} game does not count, because its file is not valid.",
            "{number} games do not count, because their files are not valid.",
            number,
        ),
        "not-mine": lambda number: count(
            "{number} game does not count, because no seat in it is known as yours.",
            "{number} games do not count, because no seat in them is known as yours.",
            number,
        ),
        "twice": lambda number: count(
            "{number} file does not count, because its game is here twice.",
            "{number} files do not count, because their games are here twice.",
            number,
        ),
    }
    return [
        texts[why](number).format(number=number) for why, number in left_out.items() if why in texts
    ]


def _met(one: Acquaintance) -> str:
    """Return the line about another player."""
    text = _("  {nickname}, {key}: {played} games, won {won}; you won {own}")
    return text.format(
        nickname=one.nickname,
        key=player_key(bytes.fromhex(one.key)),
        played=one.played,
        won=one.won,
        own=one.own_won,
    )
