"""The seats: their names, what each of them does now, and what is known of it, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from p2p_hoity.presentation.scene import Scene
from p2p_hoity.presentation.screen_updates import Attending, Said
from p2p_hoity.rules import ActionCard, ActionKind, Place, Seal, expected
from p2p_hoity.rules.happenings import CashStolen, Sale

from ..words import card_names
from ..words.error_sentences import meaning
from ..words.translation import FIRST_SECOND, _, clock
from .seat_looks import looks
from .stage import Stage

DONE: Final = "✓"
Tone = Literal["plain", "dim", "good", "warn", "bad", "turn"]
"""How words are meant, so that a screen can colour them. `turn`: it is this person's turn."""


@dataclass(frozen=True)
class Notice:
    """Words about the state of the table."""

    words: str
    tone: Tone


def letters(nicknames: Sequence[str], fits: Callable[[str], bool]) -> tuple[str, ...]:
    """Return for each seat the first letter of its nickname, in capitals, that no earlier seat has.

    `fits` tells whether there is room to draw a letter. A seat without a letter gets its number.
    """
    found: list[str] = []
    for seat, nickname in enumerate(nicknames):
        own = (one.upper() for one in nickname if one.isalnum() and fits(one.upper()))
        found.append(next((one for one in own if one not in found), str(seat + 1)))
    return tuple(found)


def name_of(stage: Stage, seat: int) -> str:
    """Return the nickname of a seat, or the word for `You` for this person's own seat."""
    if stage.names is None:
        return str(seat + 1)
    return _("You") if seat == stage.scene.seat else stage.names.nicknames[seat]


def names_of(stage: Stage, seats: Iterable[int]) -> str:
    """Return the names of seats in their order, separated by commas."""
    return ", ".join(name_of(stage, seat) for seat in sorted(seats))


def author_of(stage: Stage, said: Said) -> str:
    """Return the name of the author of a chat message."""
    return said.who if said.seat is None else name_of(stage, said.seat)


def presence(scene: Scene, seat: int) -> Attending:
    """Return whether a seat is present, as far as it matters to this person."""
    there = scene.attendance[seat] if seat < len(scene.attendance) else Attending.LINKED
    # An onlooker has few links, and hears of most seats through others.
    is_heard = scene.seat is None and there is Attending.UNLINKED
    return Attending.LINKED if is_heard else there


def status(stage: Stage, seat: int, timed: bool = True) -> Notice:
    """Return what a seat does now, or why it does nothing, "" if there is nothing to say.

    The seconds for which it is awaited are left out unless the words are `timed`.
    """
    scene, there = stage.scene, presence(stage.scene, seat)
    if there is Attending.BANNED or seat in scene.faults:
        code = scene.faults.get(seat)
        words = _("CHEATED: {why}").format(why=meaning(code)) if code else _("banned")
        return Notice(words, "bad")
    if there is Attending.ABSENT:
        return Notice(_("absent"), "warn")
    if seat == scene.seat and scene.question is not None:
        return _own(scene if timed else replace(scene, clock=None))
    if stage.is_revealing and there is Attending.LINKED:
        return Notice("", "dim")  # The scene is already at the step after the reveal.
    is_ready = there is Attending.LINKED and has_sealed(scene, seat)
    if scene.is_over or scene.clock is None or seat not in scene.clock.awaited or is_ready:
        return _resting(scene, seat, there)
    if seat == scene.seat:
        return Notice("…", "dim")
    return _awaited(there, scene.clock.waited if timed else 0.0, scene.is_late)


def _own(scene: Scene) -> Notice:
    """Return the status of this person's own seat while a choice is asked of it."""
    now = scene.clock
    left = clock(now.left) if now is not None and not now.muster.strict else ""
    left = f"≤ {left}" if left and scene.is_late else left
    return Notice(_("your choice {left}").format(left=left).rstrip(), "turn")


def _awaited(there: Attending, waited: float, is_late: bool) -> Notice:
    """Return the status of a seat that is awaited for `waited` seconds, or longer if `is_late`."""
    if there is Attending.LEFT:
        return Notice(_("left for now"), "warn")
    is_linked = there is Attending.LINKED
    if waited < FIRST_SECOND:
        words = _("thinking…") if is_linked else _("link lost")
    else:
        words = _("thinking… {waited}") if is_linked else _("link lost {waited}")
    told = words.format(waited=since(waited, is_late))
    return Notice(told, "plain" if is_linked else "warn")


def since(waited: float, is_late: bool) -> str:
    """Return how long the seats have waited, for a late seat how long they have done at least."""
    return f"≥ {clock(waited)}" if is_late else clock(waited)


def _resting(scene: Scene, seat: int, there: Attending) -> Notice:
    """Return the status of a seat that is not awaited."""
    if there is Attending.LEFT:
        return Notice(_("left for now"), "warn")
    if there is Attending.UNLINKED and seat != scene.seat:
        return Notice(_("link lost"), "warn")
    if has_sealed(scene, seat):
        return Notice(_("sealed") + f" {DONE}", "good")
    is_out = scene.view is not None and seat in scene.view.state.resting
    return Notice(_("sits this round out") if is_out else "", "dim")


def has_sealed(scene: Scene, seat: int) -> bool:
    """Return whether a seat has sealed a choice that is not shown yet."""
    if seat == scene.seat and scene.sealed is not None:
        return True
    if scene.view is None or not scene.is_dealt or scene.clock is None:
        return False
    due, now = expected(scene.view.state), scene.clock
    if isinstance(due, Seal) and seat in due.seats:
        return now.is_opening or seat not in now.awaited
    return seat in scene.view.state.sealed


@dataclass(frozen=True)
class SeatRow:
    """What is shown of a seat.

    Attributes:
        colour: The name of its colour. "" if no colours are known yet.
        place: The Place in which it is this round, in one word. "" if it is not shown yet.
        action: The Action card that it has shown. None if it has shown none yet.
        gained: What it got in the Auction Hall this round, in few letters. "" if it got nothing.
        hand: By kind the numbers of the Action cards in its hand. A card without one counts as 0.
    """

    seat: int
    name: str
    colour: str
    field: int
    rank: int
    place: str
    action: ActionCard | None
    gained: str
    hand: Mapping[ActionKind, list[int]]
    status: Notice


def seat_style(stage: Stage, seat: int) -> str:
    """Return the bold style of a seat's colour, `*bright` if no colours are known yet."""
    if stage.names is None or seat >= len(stage.names.colours):
        return "*bright"
    found = looks(tuple(colour.name for colour in stage.names.edition.colours))
    return f"*seat.{found[stage.names.colours[seat]]}"


def seat_rows(stage: Stage) -> list[SeatRow]:
    """Return a row for each seat, this person's first, none before the game has begun."""
    view, names = stage.scene.view, stage.names
    if view is None or names is None:
        return []
    state, ranks = view.state, view.state.ranks(view.state.figures)
    words = {None: "", Place.CASTLE: _("Castle"), Place.AUCTION_HALL: _("Hall")}
    rows = []
    for seat in card_names.own_first(view):
        shown = state.actions[seat]
        row = SeatRow(
            seat,
            name_of(stage, seat),
            card_names.colour(names.colours[seat]) if seat < len(names.colours) else "",
            state.figures[seat],
            ranks[seat],
            words[state.places[seat]],
            None if shown is None else state.action_card(shown),
            gained(stage.scene.doings.get(seat)),
            {kind: card_names.held_numbers(view, seat, kind) for kind in ActionKind},
            status(stage, seat),
        )
        rows.append(row)
    return rows


def gained(doing: Sale | CashStolen | None) -> str:
    """Return what a seat got: `10→B1926` if Cash 10 has bought B1926, `+10` if it was stolen."""
    match doing:
        case Sale(_, paid, _, took):
            return f"{paid.number}→{took.letter}{took.year}"
        case CashStolen(cash=cash):
            return f"+{cash.number}"
    return ""


def short_card(card: ActionCard, wide: bool = False) -> str:
    """Return an Action card in few letters, or if there is room with its whole name."""
    kind = _(card_names.KIND_WORDS[card.kind])
    if wide:
        return kind if card.number is None else f"{kind} {card.number}"
    return f"{kind[0]}{card.number or ''}"
