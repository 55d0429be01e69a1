"""The seats: field, rank, Place and Action, the Action cards in hand, and what each one does."""

from __future__ import annotations

from collections.abc import Callable

from p2p_hoity.rules import ActionCard, ActionKind, Place, View

from ...words.cards import KIND_WORDS, colour
from ...words.lingo import _
from .ink import Line, cells, fit, text
from .marks import letters, name_of, seat_style, status
from .scene import Scene

SHORTEST_NAME, LONG_NAME, LONGEST_NAME = 5, 10, 14


def seats(scene: Scene, width: int) -> list[Line]:
    """A heading, a line a seat with one's own first, and prison and register below."""
    view = scene.view
    if view is None or scene.names is None:
        return []
    order = sorted(range(view.state.seats), key=lambda seat: (seat != view.seat, seat))
    columns = _columns(scene, view, width)
    head = Line().add(" ")
    for title, size, _cell in columns:
        head.add(fit(title, size), "dim").add(" ")
    head.add(_("STATUS"), "dim")
    lines = [head.within(width)]
    for seat in order:
        line = Line().add(" ")
        for _title, size, cell in columns:
            line.join(cell(seat).within(size)).add(" ")
        lines.append(line.join(status(scene, seat)).within(width))
    return [*lines, prison(scene, view, width)]


Column = tuple[str, int, Callable[[int], Line]]


def _columns(scene: Scene, view: View, width: int) -> list[Column]:
    state, wide = view.state, width >= 100
    ranks, figures = state.ranks(state.figures), state.figures
    names = [name_of(scene, seat) for seat in range(state.seats)]
    longest = min(LONGEST_NAME if wide else LONG_NAME, max(cells(name) for name in names) + 2)

    def who(seat: int) -> Line:
        mark = letters(scene.names.nicknames)[seat] if scene.names else ""
        return text(mark + " ", seat_style(scene, seat)).add(names[seat], seat_style(scene, seat))

    def held(kind: ActionKind) -> Callable[[int], Line]:
        return lambda seat: text(_numbers(view, seat, kind))

    found: list[Column] = [(_("SEAT"), max(SHORTEST_NAME, longest), who)]
    if wide:
        found.append((_("COLOUR"), 7, lambda seat: text(_colour(scene, seat), "dim")))
    cash = min(
        24 if wide else 14,
        max(
            5,
            cells(_("CASH")),
            *(cells(_numbers(view, s, ActionKind.CASH)) for s in range(state.seats)),
        ),
    )
    return [
        *found,
        (_("FLD"), 3, lambda seat: text(fit(str(figures[seat]), 3, right=True), "bright")),
        (_("RK"), 2, lambda seat: text(fit(str(ranks[seat]), 2, right=True))),
        (
            _("THIS ROUND") if wide else _("WHERE"),
            20 if wide else 13,
            lambda s: where(scene, view, s, wide),
        ),
        (_("CASH"), cash, held(ActionKind.CASH)),
        (_("THIEF"), 5, held(ActionKind.THIEF)),
        (" ".join(_mark(kind) for kind in SINGLE), 3, lambda seat: text(_flags(view, seat))),
    ]


def _colour(scene: Scene, seat: int) -> str:
    colours = scene.names.colours if scene.names else ()
    return colour(colours[seat]) if seat < len(colours) else ""


def _held(view: View, seat: int) -> list[ActionCard]:
    return [view.state.action_card(card) for card in view.state.hands[seat]]


def _numbers(view: View, seat: int, kind: ActionKind) -> str:
    found = sorted(card.number or 0 for card in _held(view, seat) if card.kind == kind)
    return " ".join(map(str, found)) or "—"


SINGLE = (ActionKind.DETECTIVE, ActionKind.EXHIBIT)
"""The kinds of Action card that a seat has one of."""


def _flags(view: View, seat: int) -> str:
    kinds = {card.kind for card in _held(view, seat)}
    return " ".join(_mark(kind) if kind in kinds else "·" for kind in SINGLE)


def _mark(kind: ActionKind) -> str:
    return _(KIND_WORDS[kind])[0]


def where(scene: Scene, view: View, seat: int, wide: bool) -> Line:
    """The Place and Action a seat has shown this round, and what came of it."""
    place, action = view.state.places[seat], view.state.actions[seat]
    done = scene.doings.get(seat, "")
    if place is None:
        return text(done, "dim")
    line = text(_("Castle") if place == Place.CASTLE else _("Hall"))
    if action is not None:
        line.add(" " + played(view.state.action_card(action), wide), "bright")
    elif done:
        line.add(" " + done, "title")
    return line


def played(card: ActionCard, wide: bool) -> str:
    """An Action card in few cells: its whole name where there is room, else its first letter."""
    kind = _(KIND_WORDS[card.kind])
    if wide:
        return kind if card.number is None else f"{kind} {card.number}"
    return f"{kind[0]}{card.number or ''}"


def prison(scene: Scene, view: View, width: int) -> Line:
    """The cells, cell 1 first, and the Cash in the register."""
    state = view.state
    marks = letters(scene.names.nicknames) if scene.names else ()
    line = Line().add(" " + _("Prison"), "dim").add(" ")
    for number in range(state.seats):
        line.add(f"[{number + 1} ", "dim")
        if number < len(state.prison):
            card = state.prison[number]
            owner = state.owner(card)
            thief = state.action_card(card)
            line.add(f"{marks[owner]} {played(thief, wide=False)}", seat_style(scene, owner))
        else:
            line.add("—", "dim")
        line.add("]", "dim")
    line.add("  " + _("Register"), "dim").add(" ")
    paid = " ".join(str(state.action_card(card).number) for card in state.register)
    return line.add(paid or "—").within(width)
