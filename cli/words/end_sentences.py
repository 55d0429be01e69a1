"""The sentences about the end of a table: why it ended, who has won, and where the transcript is.

`game` is the id of the game as it is typed after `hoity resume`. Standings begin with the best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Final

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.rules import Standing
from p2p_hoity.storage.home import home
from p2p_hoity.table.playing.end_codes import LEFT, STOPPED, TWO_ROSTERS
from protocol import FAULTS, effects

from .card_names import Names
from .error_sentences import meaning
from .presence_sentences import OUT
from .translation import N_, _, command_line, count, listed

GAME: Final = re.compile(r"([0-9a-f]{16})\.hoity")
"""The pattern of the name of a transcript's file in the player's own folder: the id of the game."""
OURS: Final = {
    TWO_ROSTERS: N_("the host has given two rosters"),
    STOPPED: N_("stopped"),
    LEFT: N_("left for now"),
}
"""The words for ends without a result whose codes are not codes of the protocol."""


BLAME: Final = {
    effects.SILENT_SEAT: N_("Who was awaited: {who}."),
    effects.SEAT_LEFT: N_("Who has left: {who}."),
}
"""For the code of an end in which nobody cheated, the words about the seat that caused it."""


def why_ended(code: str) -> str:
    """Return why a table has ended without a result, as the second half of a sentence."""
    return _(OURS[code]) if code in OURS else meaning(code)


def announced(update: effects.EndAnnounced, names: Names) -> str:
    """Return what another seat says of the end of the table, which may yet begin here."""
    text = _(
        "{by} says that the table has ended: {reason} ({code}). Your own program has not seen that."
    )
    return text.format(by=names.seat(update.by), reason=why_ended(update.code), code=update.code)


def ended(update: updates.Ended, names: Names | None, game: str) -> str:
    """Return why a table has ended without a result, and who caused it if that is known."""
    if update.code == effects.UNCONFIRMED:
        text = _(
            "Your seat has stopped waiting for all seats to confirm the deck. The game may begin"
            " without you. To take your seat again: hoity resume {game}"
        )
        told = text.format(game=game)
        if update.seat is None or names is None:
            return told
        return f"{_(BLAME[effects.SILENT_SEAT]).format(who=names.seat(update.seat))} {told}"
    if update.by is not None and names is not None:
        text = _(
            "The table has ended without a result. {by} announced it: {reason} ({code}). Your own"
            " program has not seen that."
        )
        by = names.seat(update.by)
        told = text.format(by=by, reason=why_ended(update.code), code=update.code)
        if update.seat is None:
            return told
        return (
            told
            + " "
            + _("{by} says that it was {who}.").format(by=by, who=names.seat(update.seat))
        )
    if update.code in FAULTS and update.seat is not None and names is not None:
        text = _("The table has ended without a result because {who} cheated: {reason} ({code}).")
        who = names.seat(update.seat)
        return text.format(who=who, reason=why_ended(update.code), code=update.code)
    text = _("The table has ended without a result: {reason}.")
    if update.code not in effects.ENDS:
        text = _("The table has ended without a result: {reason} ({code}).")
    told = text.format(reason=why_ended(update.code), code=update.code)
    if update.seat is None or names is None:
        return told
    blame = BLAME.get(update.code, N_("Caused by: {who}."))
    return told + " " + _(blame).format(who=names.seat(update.seat))


def victory(standings: Sequence[Standing], names: Names) -> str:
    """Return in a few words who has won."""
    first = [line.seat for line in standings if line.rank == 1]
    if first == [names.mine]:
        return _("You win")
    if len(first) == 1:
        return _("{who} wins").format(who=names.short(first[0]))
    return _("Shared first rank: {who}").format(who=names.shorts(first))


def won(standings: Sequence[Standing], names: Names) -> str:
    """Return who has won, on which field, and how far ahead of the next rank."""
    rest = [line for line in standings if line.rank > 1]
    field = standings[0].field
    if not rest or standings[1].rank == 1:
        text = _("{victory}, with field {field}.")
        return text.format(victory=victory(standings, names), field=field)
    lead = field - rest[0].field
    text = _("{victory} with field {field}, level with {others}, by the better final exhibit.")
    if lead:
        text = count(
            "{victory} with field {field}, {lead} field ahead of {others}.",
            "{victory} with field {field}, {lead} fields ahead of {others}.",
            lead,
        )
    others = listed(names.nicknames[line.seat] for line in rest if line.rank == rest[0].rank)
    return text.format(victory=victory(standings, names), field=field, lead=lead, others=others)


def cheats(faults: Iterable[int], names: Names) -> str:
    """Return who is proven to have cheated, "" if nobody is."""
    seats = sorted(faults)
    who = names.shorts(seats)
    return _("Proven to have cheated: {who}.").format(who=who) if seats else ""


def tally(scene: Scene) -> str:
    """Return who has won how many games since this program sat down, "" after the first one."""
    if scene.games < 2:
        return ""
    won_most = sorted(scene.wins.items(), key=lambda one: -one[1])
    who = ", ".join(f"{name} {number}" for name, number in won_most)
    return _("Of {games} games: {who}.").format(games=scene.games, who=who)


def no_other_game(
    unwilling: Set[int],
    mine: int | None,
    by_bot: bool,
    found: Sequence[Attending],
    named: Callable[[Sequence[int]], str],
) -> str:
    """Return why the same people do not play again.

    Args:
        unwilling: The seats that have not agreed.
        found: The presence of each seat, as far as it is known. Seats that are `OUT` are not asked.
    """
    others = sorted(seat for seat in unwilling if seat != mine)
    why = [_("not agreed: {who}").format(who=named(others))] if others else []
    if mine is not None and mine in unwilling:
        words = (
            N_("a bot was playing your seat, so you did not agree")
            if by_bot
            else N_("you did not agree")
        )
        if mine < len(found) and found[mine] in OUT:
            words = N_("you were not at the table at the end, and were not asked")
        why.append(_(words))
    return _("No other game with the same people: {why}.").format(why="; ".join(why))


def kept_as(
    transcript: Path, is_result: bool = False, picture: str = "--picture FILE.svg"
) -> list[str]:
    """Return where a transcript is, and the commands for it, last the one that checks it.

    Args:
        is_result: Whether it is the transcript of a game that is over.
        picture: The option of `replay`, or the key, that saves a picture of the game.
    """
    name = GAME.fullmatch(transcript.name)
    shown = name[1] if name and transcript.parent == home().transcripts else transcript
    told = [_("Transcript: {path}").format(path=transcript)]
    if is_result:
        text = _("See it again: {command} · as a picture: {option}")
        replay = command_line("replay", shown)
        told.append(text.format(command=replay, option=picture))
    check = command_line("verify", shown)
    return [*told, _("Check it with: {command}").format(command=check)]
