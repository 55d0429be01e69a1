"""Waiting for others in plain words: who is awaited, what comes of it, and what one can do."""

from __future__ import annotations

from typing import Final

from p2p_hoity.presentation.screen_updates import Extended, Halfway, Late, Muster, Paused

from .card_names import Names
from .translation import N_, _

FOR_GOOD: Final = N_("The terms allow no return.")
THINKING: Final = N_("Linked, and awaited: {who}. The game goes on once they have chosen.")


def halfway(update: Halfway, names: Names, game: str) -> list[str]:
    """Half of the patience is over."""
    if update.seats == {names.mine}:
        text = _("The others are waiting for you: in {left} s they may go on without you.")
        return [text.format(left=round(update.left))]
    who = _others(update.seats, names)
    count = update.muster
    text = _("Nothing has come from {who} for {seconds} s.")
    silent = update.seats - count.gone
    lines = []
    if silent - {names.mine}:
        lines.append(text.format(who=_others(silent, names), seconds=round(update.seconds)))
    lines += _whereabouts(count, names)
    if not count.begun:
        text = _("In {left} s the table ends, before the game has begun.")
        lines.append(text.format(left=round(update.left)) + _longer(names))
    elif count.goes_on:
        text = _(
            "In {left} s the game goes on without {who}, if {quorum} of the {seats} seats agree."
        )
        told = text.format(left=round(update.left), who=who, quorum=count.quorum, seats=count.seats)
        lines.append(told + _longer(names))
    elif count.strict:
        lines += _pauses(count, names, game)
    else:
        text = _("In {left} s whoever is awaited may be declared absent.")
        lines.append(text.format(left=round(update.left)) + _longer(names))
        lines += _pauses(count, names, game)[:1] if count.is_short else _thinking(count, names)
    return lines + _oneself(update.seats, count, names)


def late(update: Late, names: Names, game: str) -> list[str]:
    """Patience has run out, and enough seats are there to go on."""
    if update.undecided:
        return _undecided(update, names, game)
    if update.seats == {names.mine}:
        text = _("You have taken longer than this table waits: the others may go on without you.")
        back = _("You may come back later.")
        return [f"{text} {back if update.muster.may_return else _(FOR_GOOD)}"]
    who, count = _others(update.seats, names), update.muster
    text = _(
        "The patience for {who} has run out. The game goes on without {who} as soon as {quorum} of"
        " the {seats} seats agree."
    )
    if update.seats <= count.gone:
        text = _(
            "Left for now: {who}. The game goes on without {who} as soon as {quorum} of the {seats}"
            " seats agree."
        )
    told = text.format(who=who, quorum=count.quorum, seats=count.seats)
    back = _("{who} may come back later.").format(who=who)
    told += f" {back if count.may_return else _(FOR_GOOD)}"
    where = [] if update.seats <= count.gone else _whereabouts(count, names)
    return [told, *where, *_oneself(update.seats, count, names)]


def _undecided(update: Late, names: Names, game: str) -> list[str]:
    """Tell that too few seats vote, why that may be, and what one can do."""
    text = _(
        "Too few seats have agreed to go on without {who}. Perhaps one of them cannot vote, because"
        " it took its seat again from an old copy of its journal: ask in the talk."
    )
    lines = [text.format(who=_others(update.seats, names))]
    return lines if names.mine is None else lines + _leaving(update.muster, game)


def paused(update: Paused, names: Names, game: str) -> list[str]:
    """The game cannot go on without them; a strict table has said halfway what one can do."""
    if update.seats == {names.mine}:
        return [_("The others are waiting for you: the game pauses until you choose.")]
    who = _others(update.seats, names)
    if not update.muster.begun:
        return [_("The game has not begun: the table waits for {who}.").format(who=who)]
    silent = update.seats - {names.mine} - update.muster.gone
    text = _("Still nothing from {who}.").format(who=_others(silent, names))
    lines = [*([text] if silent else []), *_whereabouts(update.muster, names)]
    if not update.muster.is_short:
        return lines + _thinking(update.muster, names)
    pauses = _pauses(update.muster, names, game)
    return [*lines, *(pauses[:1] if update.muster.strict else pauses)]


def extended(update: Extended, names: Names) -> str:
    """What came of the wish to wait longer."""
    who = _others(update.seats, names)
    if not update.seats:
        return _("Nobody else is awaited now.")
    if not update.left:
        return _("This table waits in any case: the game cannot go on without {who}.").format(
            who=who
        )
    text = _("You wait up to {left} s more for {who}. Each seat decides this for itself.")
    return text.format(left=round(update.left), who=who)


def left(seat: int, names: Names) -> str:
    """Someone has said so on leaving."""
    return _("Left for now: {who}.").format(who=names.seat(seat))


def _whereabouts(count: Muster, names: Names) -> list[str]:
    """Whom to expect in vain, and who may be cut off: silence alone says neither."""
    said = [
        (count.gone, _("Left for now: {who}.")),
        (count.unlinked, _("There is no link from here just now to {who}.")),
    ]
    return [text.format(who=names.seats(sorted(seats))) for seats, text in said if seats]


def _thinking(count: Muster, names: Names) -> list[str]:
    """Whose choices the game goes on with, without any other seat awaited."""
    return [_(THINKING).format(who=names.seats(sorted(count.thinking)))]


def _others(seats: frozenset[int], names: Names) -> str:
    return names.seats(sorted(seats - {names.mine}))


def _oneself(seats: frozenset[int], count: Muster, names: Names) -> list[str]:
    if names.mine not in seats or count.strict or not count.begun:
        return []
    return [_("You are awaited too: without your choice the others may go on without you.")]


def _longer(names: Names) -> str:
    """An onlooker has no say."""
    return "" if names.mine is None else " " + _("Type wait to wait longer.")


def _pauses(count: Muster, names: Names, game: str) -> list[str]:
    if count.strict:
        text = _("This table needs all {seats} seats: the game pauses until all are back.")
        lines = [text.format(seats=count.seats)]
    else:
        text = _(
            "Without them, as far as can be seen from here, only {there} of the {quorum} seats it"
            " takes are left: the game pauses until enough are back."
        )
        lines = [text.format(there=count.there, quorum=count.quorum)]
    if count.is_mute:
        text = _(
            "Your own seat does not count yet: its journal may lack something that you signed. It"
            " votes again once the others have gone on without you, or if you leave and take it"
            " again with the newest journal of this game."
        )
        lines.append(text)
    if names.mine is not None:
        lines += _leaving(count, game)
    return lines


def _leaving(count: Muster, game: str) -> list[str]:
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
