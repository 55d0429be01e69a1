"""The table in words: track, windows, register, prison, hands and Collectibles as plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from p2p_hoity.rules import Choice, Phase, Place, View

from .cards import Names, card, coloured_card, listed, place, run_letters
from .lingo import _, count

EXHIBITS_LISTED = 6


def board(view: View, names: Names) -> list[str]:
    """Everything on the table that this view may know, a line for each thing."""
    if view.state.phase is Phase.DEAL:
        return [_("The cards are not dealt yet.")]
    names.look(view)
    return [
        _("Round {round}").format(round=view.state.round),
        *track(view, names),
        *windows(view, names),
        register(view),
        prison(view),
        *whereabouts(view, names),
        *hands(view, names),
        *collectibles(view, names),
    ]


def track(view: View, names: Names) -> list[str]:
    """The figures, the first first, then every Castle's fields and octagon."""
    state = view.state
    order = sorted(range(state.seats), key=lambda seat: (-state.figures[seat], seat))
    lines = [_("Score track:")]
    lines += [f"  {names.seat(seat)}: {names.field(state.figures[seat])}" for seat in order]
    castles = "  ".join(_castles(view))
    lines.append(
        "  "
        + _("Fields and octagons (best/second-best exhibit): {castles}").format(castles=castles)
    )
    return lines


def _castles(view: View) -> Iterator[str]:
    edition = view.state.edition
    yield _octagon("0", edition.club_room)
    first = 1
    for castle in edition.castles:
        last = first + castle.fields - 1
        yield _octagon(f"{first}-{last}", (castle.larger, castle.smaller))
        first = last + 1
    yield _("{first}-{last} Banquet").format(first=first, last=edition.last_field)


def _octagon(fields: str, octagon: tuple[int, int]) -> str:
    return f"{fields}:{octagon[0]}/{octagon[1]}"


def windows(view: View, names: Names) -> list[str]:
    """The open top of each window and how many Collectibles it holds."""
    lines = []
    for number, window in enumerate(view.state.windows, 1):
        if not window:
            lines.append(_("Window {number} is empty.").format(number=number))
            continue
        text = count(
            "Window {number} ({size} Collectible): {piece}",
            "Window {number} ({size} Collectibles): {piece}",
            len(window),
        )
        piece = names.piece(view.state.piece(window[0]))
        lines.append(text.format(number=number, size=len(window), piece=piece))
    return lines


def register(view: View) -> str:
    """The Cash that lies in the register."""
    cash = listed(coloured_card(view.state.action_card(card)) for card in view.state.register)
    return _("Cash register: {cash}").format(cash=cash)


def prison(view: View) -> str:
    """The cells, cell 1 first."""
    state = view.state
    thieves = [coloured_card(state.action_card(thief)) for thief in state.prison]
    cells = thieves + [_("empty")] * (state.seats - len(thieves))
    shown = listed(f"{number} {cell}" for number, cell in enumerate(cells, 1))
    return _("Prison cells: {cells}").format(cells=shown)


def whereabouts(view: View, names: Names) -> list[str]:
    """Who shows which Place and Action this round, and who is absent."""
    state = view.state
    lines = []
    for where in (Place.AUCTION_HALL, Place.CASTLE):
        seats = state.at(where)
        if seats:
            shown = listed(_played(view, names, seat) for seat in seats)
            lines.append(f"{place(where)}: {shown}")
    absent = sorted(set(range(state.seats)) - state.present)
    if absent:
        lines.append(_("Absent: {who}").format(who=names.seats(absent)))
    return lines


def _played(view: View, names: Names, seat: int) -> str:
    action = view.state.actions[seat]
    name = names.seat(seat)
    return name if action is None else f"{name}: {card(view.state.action_card(action))}"


def hands(view: View, names: Names) -> list[str]:
    """Every hand of Action cards; they are public."""
    lines = [_("Action cards in hand:")]
    for seat, hand in enumerate(view.state.hands):
        cards = listed(_held_card(view, names, seat, one) for one in hand)
        lines.append(f"  {names.seat(seat)}: {cards}")
    return lines


def _held_card(view: View, names: Names, seat: int, one: int) -> str:
    action = view.state.action_card(one)
    return card(action) if action.colour == names.colours[seat] else coloured_card(action)


def collectibles(view: View, names: Names) -> list[str]:
    """One's own Collectibles with the exhibits they allow, and what is known of the others'."""
    lines = [_("Collectibles:")]
    for seat in _mine_first(view):
        lines.append(f"  {names.seat(seat)}: {_holding(view, names, seat)}")
        if seat == view.seat:
            lines += [f"    {line}" for line in exhibits(view, names)]
    return lines


def own(view: View, names: Names) -> list[str]:
    """One's own Collectibles and the exhibits they allow; nothing for an onlooker."""
    if view.seat is None:
        return []
    names.look(view)
    held = f"{names.seat(view.seat)}: {_holding(view, names, view.seat)}"
    return [held, *(f"  {line}" for line in exhibits(view, names))]


def _mine_first(view: View) -> list[int]:
    return sorted(range(view.state.seats), key=lambda seat: (seat != view.seat, seat))


def _holding(view: View, names: Names, seat: int) -> str:
    slots = view.state.collectibles[seat]
    known = view.held(seat)
    secret = dict(view.private)
    words = [
        names.collectible(index) + (" " + _("[secret]") if slot in secret else "")
        for slot, index in sorted(known.items(), key=lambda item: item[1])
    ]
    hidden = len(slots) - len(known)
    if hidden:
        words.append(count("{number} unknown", "{number} unknown", hidden).format(number=hidden))
    return listed(words)


def exhibits(view: View, names: Names) -> list[str]:
    """The exhibits that one's own Collectibles allow, best first."""
    found = view.legal("exhibit")
    if not found:
        return [_("They allow no exhibit.")]
    words = [_letters(view, slots) for slots in found[:EXHIBITS_LISTED]]
    return [_("Exhibits they allow, best first: {exhibits}").format(exhibits=listed(words))]


def _letters(view: View, choice: Choice) -> str:
    slots = choice if isinstance(choice, tuple) else ()
    return run_letters(view.piece(slot).letter for slot in slots)
