"""The sentences about the presence of seats, and about waiting for them.

`game` is the id of the game as it is typed after `hoity resume`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending

from .card_names import Names
from .translation import N_, _, listed, span, yes_no

GONE_FOR_GOOD: Final = N_(
    "By the terms you cannot come back any more, unless too few others are left to go on."
)
ROUND_LOST: Final = N_(
    "If the others play on without you, you are back in the next round at the earliest."
)
"""The sentence about what a player loses by leaving for now, unless the game pauses meanwhile."""
PRESENCE_WORDS: Final = {
    Attending.LINKED: N_("thinking"),
    Attending.UNLINKED: N_("no link"),
    Attending.LEFT: N_("left for now"),
    Attending.ABSENT: N_("absent"),
    Attending.BANNED: N_("banned"),
}
OUT: Final = (Attending.ABSENT, Attending.BANNED)
"""The states of seats that take no part any more: absent and banned."""
SEALED: Final = N_("sealed")


def seat_request(nickname: str, key: str | None) -> str:
    """Return the question to the host about a guest with the fingerprint `key`, None for no key."""
    words = _("{name}, key {key}, asks for a seat. Let {name} in?")
    if key is None:
        words = _("{name} asks for a seat and shows no key. Let {name} in?")
    # Whoever was let in keeps the seat, so that Enter is no answer.
    return yes_no(words.format(name=nickname, key=key), None)


def awaited(
    seats: Iterable[int], found: Sequence[Attending], names: Names, have_sealed: bool = False
) -> str:
    """Return the seats that are awaited, each with its presence as far as `found` tells it.

    Args:
        have_sealed: Whether all seats have chosen, so that only their programs are awaited.
    """
    return listed(_seat(seat, found, names, have_sealed) for seat in sorted(seats))


def _seat(seat: int, found: Sequence[Attending], names: Names, has_sealed: bool) -> str:
    """Return the name of a seat, and in brackets its presence, or that it has sealed its choice."""
    if seat >= len(found):
        return names.seat(seat)
    is_sealed = has_sealed and found[seat] is Attending.LINKED
    words = SEALED if is_sealed else PRESENCE_WORDS[found[seat]]
    return f"{names.short(seat)} ({_(words)})"


NO_RETURN: Final = N_("The terms do not allow a seat to come back.")
LEFT_FOR_NOW: Final = N_("Left for now: {who}.")
GAVE_UP: Final = N_("No longer waiting for all to confirm the deck: {who}.")
THINKING: Final = N_("Linked, and still to choose: {who}. The game goes on once they have chosen.")


def at_least(seconds: float, is_late: bool) -> str:
    """Return seconds that others have waited, as a number, of which a late seat knows a part."""
    number = str(round(seconds))
    return _("at least {number}").format(number=number) if is_late else number


def halfway(update: updates.Halfway, names: Names, game: str, is_late: bool = False) -> list[str]:
    """Return the lines that are shown when half of a step's timeout is over.

    Args:
        is_late: Whether the others may have waited longer than this seat knows, as in `Scene`.
    """
    left = str(round(update.left))
    left = _("at most {number}").format(number=left) if is_late else left
    if update.seats == {names.mine}:
        text = _("The others are waiting for you: in {left} s they may go on without you.")
        return [text.format(left=left)]
    who = _others(update.seats, names)
    count = update.muster
    text = _("Nothing was received from {who} for {seconds} s.")
    silent = update.seats - count.gone
    lines = []
    if silent - {names.mine}:
        seconds = at_least(update.seconds, is_late)
        lines.append(text.format(who=_others(silent, names), seconds=seconds))
    lines += _whereabouts(count, names)
    if count.has_confirmed:
        lines.append(unconfirmed(update.seats, names, game))
    elif not count.begun:
        text = _("In {left} s the table ends, since the game has not begun.")
        lines.append(text.format(left=left) + _longer(names))
    elif count.goes_on:
        text = _(
            "In {left} s the game goes on without {who}, if {quorum} of the {seats} seats agree."
        )
        told = text.format(left=left, who=who, quorum=count.quorum, seats=count.seats)
        lines.append(told + _longer(names))
    elif count.strict:
        lines += _pauses(count, names, game)
    else:
        text = _("In {left} s the awaited seats may be declared absent.")
        lines.append(text.format(left=left) + _longer(names))
        lines += _pauses(count, names, game)[:1] if count.is_short else _thinking(count, names)
    return lines + _oneself(update.seats, count, names)


def late(update: updates.SeatsTimedOut, names: Names, game: str) -> list[str]:
    """Return the lines that are shown when a step has timed out and a quorum may go on."""
    if update.undecided:
        return _undecided(update, names, game)
    if update.seats == {names.mine}:
        text = _("You have taken longer than this table allows: the others may go on without you.")
        back = _("You may come back later.")
        return [f"{text} {back if update.muster.may_rejoin else _(NO_RETURN)}"]
    who, count = _others(update.seats, names), update.muster
    text = _(
        "The time for {who} is over. The game goes on without {who} as soon as {quorum} of the "
        "{seats} seats agree."
    )
    if update.seats <= count.gone:
        text = _(
            "Left for now: {who}. The game goes on without {who} as soon as {quorum} of the {seats}"
            " seats agree."
        )
    told = text.format(who=who, quorum=count.quorum, seats=count.seats)
    back = _("{who} may come back later.").format(who=who)
    told += f" {back if count.may_rejoin else _(NO_RETURN)}"
    where = [] if update.seats <= count.gone else _whereabouts(count, names)
    return [told, *where, *_oneself(update.seats, count, names)]


def _undecided(update: updates.SeatsTimedOut, names: Names, game: str) -> list[str]:
    """Return lines that say that too few seats vote, why that may be, and what one can do."""
    text = _(
        "Too few seats have agreed to go on without {who}. Perhaps one of them cannot vote, because"
        " it took its seat again from an old copy of its journal: ask in the talk."
    )
    lines = [text.format(who=_others(update.seats, names))]
    return lines if names.mine is None else lines + _leaving(update.muster, game)


def paused(update: updates.Paused, names: Names, game: str) -> list[str]:
    """Return the lines that are shown while the game cannot go on without some seats."""
    if update.seats == {names.mine}:
        return [_("The others are waiting for you: the game pauses until you choose.")]
    who = _others(update.seats, names)
    if update.muster.has_confirmed:
        return [unconfirmed(update.seats, names, game)]
    if not update.muster.begun:
        return [_("The game has not begun: the table waits for {who}.").format(who=who)]
    silent = update.seats - {names.mine} - update.muster.gone
    text = _("Still nothing from {who}.").format(who=_others(silent, names))
    lines = [*([text] if silent else []), *_whereabouts(update.muster, names)]
    if not update.muster.is_short:
        return lines + _thinking(update.muster, names)
    pauses = _pauses(update.muster, names, game)
    # At a table that needs all of its seats, `halfway` has shown what one can do.
    return [*lines, *(pauses[:1] if update.muster.strict else pauses)]


def extended(update: updates.Extended, names: Names) -> str:
    """Return the answer to a player's request to wait longer."""
    who = _others(update.seats, names)
    if not update.seats:
        return _("Nobody else is awaited now.")
    if not update.left:
        return _("This table has to wait: the game cannot go on without {who}.").format(who=who)
    text = _("You wait up to {left} s more for {who}. Each seat decides this for itself.")
    return text.format(left=round(update.left), who=who)


def _whereabouts(count: updates.Muster, names: Names) -> list[str]:
    """Return lines that say which awaited seats have left and which have no link."""
    said = [
        (count.gone, _(LEFT_FOR_NOW)),
        (count.unlinked, _("There is no link to {who} at the moment.")),
    ]
    return [text.format(who=names.seats(sorted(seats))) for seats, text in said if seats]


def _thinking(count: updates.Muster, names: Names) -> list[str]:
    """Return one line that says which linked seats the game still awaits, in a list."""
    return [_(THINKING).format(who=names.seats(sorted(count.thinking)))]


def _others(seats: frozenset[int], names: Names) -> str:
    return names.seats(sorted(seats - {names.mine}))


def _oneself(seats: frozenset[int], count: updates.Muster, names: Names) -> list[str]:
    """Return a warning to a player who is awaited too, unless nobody may go on without the seat."""
    if names.mine not in seats or count.strict or not count.begun:
        return []
    return [_("You are awaited too: without your choice the others may go on without you.")]


def _longer(names: Names) -> str:
    """Return the sentence about how to wait longer, or "" for an onlooker, who has no vote."""
    return "" if names.mine is None else " " + _("Type wait to wait longer.")


def _pauses(count: updates.Muster, names: Names, game: str) -> list[str]:
    """Return lines that say why the game pauses, and what one can do."""
    if count.strict:
        text = _("This table needs all {seats} seats: the game pauses until all are back.")
        lines = [text.format(seats=count.seats)]
    else:
        text = _(
            "The game needs {quorum} seats. As far as your program knows, {there} can play on "
            "without them, so the game pauses until enough are back."
        )
        lines = [text.format(there=count.there, quorum=count.quorum)]
    if count.is_mute:
        text = _(
            "Your own seat does not count yet, since its journal may lack something that you "
            "signed. It votes again once the others have gone on without you, or if you leave "
            "and resume with the newest journal of this game."
        )
        lines.append(text)
    if names.mine is not None:
        lines += _leaving(count, game)
    return lines


def _leaving(count: updates.Muster, game: str) -> list[str]:
    """Return lines that say how to leave and resume the game, or how to end it."""
    text = _("Just wait, or leave with Ctrl-C and take your seat again: hoity resume {game}")
    if count.seats == 2:
        end = _("Or leave and end it here, saved as far as it came: hoity resume --claim {game}")
    else:
        end = _(
            "Or leave and save what was played, without a result and for yourself alone:"
            " hoity resume --claim {game}"
        )
    lines = [text.format(game=game), end.format(game=game)]
    if count.there <= 1 and not count.strict:
        lines.append(_("If the others have ended it without you, ask one for its transcript."))
    return lines


def unconfirmed(seats: frozenset[int], names: Names, game: str) -> str:
    """Return who has not confirmed the deck, and what follows if this player leaves."""
    who = _("The deck is not yet confirmed by {who}.").format(who=_others(seats, names))
    return f"{who} {may_begin(game)}"


def may_begin(game: str) -> str:
    """Return what follows if a player leaves who has confirmed the deck."""
    text = _(
        "The game may begin without you if you leave. To take your seat again: hoity resume {game}"
    )
    return text.format(game=game)


def stays(update: updates.Unconfirmed, names: Names, is_saved: bool) -> str:
    """Return for whom this seat stays although the result is final, and that one may leave."""
    if update.seats:
        text = _("The result is final. Waiting for {who} to confirm it, for at most {time}.")
    else:
        text = _("The result is final. Waiting for all to note who cheated, for at most {time}.")
    may = _("You may leave: your file is saved.") if is_saved else _("You may leave.")
    told = text.format(who=_others(update.seats, names), time=at_most(update.left))
    return f"{told} {may}"


def at_most(seconds: float) -> str:
    """Return a duration in words, rounded up: to minutes from two minutes on, else to seconds."""
    unit = 60 if seconds > 120 else 1
    return span(math.ceil(seconds / unit) * unit * 1000)
