"""Durations in words: as people say them, from seconds to days."""

from __future__ import annotations

from .lingo import count

UNITS = (86_400, 3_600, 60, 1)


def _unit(size: int, number: int) -> str:
    if size == 86_400:
        return count("{number} day", "{number} days", number).format(number=number)
    if size == 3_600:
        return count("{number} hour", "{number} hours", number).format(number=number)
    if size == 60:
        return count("{number} minute", "{number} minutes", number).format(number=number)
    return count("{number} second", "{number} seconds", number).format(number=number)


def span(milliseconds: int) -> str:
    """At most two units, as in 2 hours 30 minutes; rather too short than too long."""
    rest, words = milliseconds // 1000, []
    for size in UNITS:
        number, rest = divmod(rest, size)
        if number:
            words.append(_unit(size, number))
    return " ".join(words[:2]) or _unit(1, 0)


def clock(seconds: float) -> str:
    """Seconds as a clock shows them, as in 4:31; never less than 0:00."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02}"
