"""The sentences for the events of a game (happenings): a full log, or a brief one for players.

The brief log has one line for all events of a kind, such as all Places or all figures that moved.
In it a Collectible is given by letter and year, because its name can be looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from p2p_hoity.rules import Happening, Piece, Place, Why, happenings
from protocol import Kind, Node

from .card_names import Names, card, code, colour, coloured_card, place, run_letters
from .edition_text import VARIANTS, title
from .translation import N_, _, count, listed

KINDS: Final = {
    "place": N_("Place"),
    "action": N_("Action"),
    "turn": N_("Place and Action"),
    "exhibit": N_("exhibit"),
    "window": N_("window"),
    "theft": N_("theft"),
}

ROUTINE: Final = frozenset({Why.SALE_OVER, Why.CASTLE_OVER})
"""The reasons of the events in which cards go back to hands as they do at the end of each phase."""


def noteworthy(happening: Happening) -> bool:
    """Return whether people's logs have an event: not for a card that goes home after a phase."""
    return not (isinstance(happening, happenings.Returned) and happening.why in ROUTINE)


def tell(names: Names, happening: Happening) -> str:
    """Return the sentences for an event of the game, with line breaks between them."""
    return TELLERS[type(happening)](names, happening)


def story(names: Names, items: Iterable[Happening]) -> list[str]:
    """Return the lines of a full log of a game, without events that happen in every round."""
    told = (tell(names, item) for item in items if noteworthy(item))
    return [line for text in told for line in text.splitlines()]


def rounds_of(names: Names, items: Iterable[Happening]) -> list[list[str]]:
    """Return the lines of a full log of a game, split into rounds."""
    before, found = names.before, list[list[str]]()
    for item in items:
        if not found or isinstance(item, happenings.RoundBegan):
            found.append([])
        found[-1] += story(names, [item])
    # The events that were told have moved the figures in `names`.
    names.before = before
    return found


def _setup(names: Names, it: happenings.Setup) -> str:
    """Return the sentences for the beginning of a game."""
    names.colours, names.before = it.colours, (0,) * len(it.colours)
    lines = [_("The game is set up: edition {edition}.").format(edition=title(names.edition))]
    if it.variant:
        lines.append(_("Variant for two seats: {variant}.").format(variant=_(it.variant)))
    for seat, hand in enumerate(it.hands):
        cards = listed(card(action) for action in hand)
        lines.append(_("{who} holds {cards}.").format(who=names.seat(seat), cards=cards))
    for number, window in enumerate(it.windows, 1):
        lines.append(window_line(names, number, window))
    return "\n".join(lines)


def window_line(names: Names, number: int, window: tuple[Piece, ...]) -> str:
    """Return the sentence for window `number`, a pile of Collectibles in the Auction Hall."""
    if not window:
        return _("Window {number} is empty.").format(number=number)
    text = count(
        "Window {number} holds {size} Collectible, face up: {piece}.",
        "Window {number} holds {size} Collectibles, the first face up: {piece}.",
        len(window),
    )
    return text.format(number=number, size=len(window), piece=names.piece(window[0]))


def _presence(names: Names, it: happenings.PresenceChanged) -> str:
    """Return the sentences for seats that have become absent, come back, or are banned."""
    said = [
        (it.absent, _("Absent from now on: {who}.")),
        (it.returned, _("Back at the table: {who}.")),
        (it.banned, _("Banned for cheating: {who}.")),
    ]
    return "\n".join(text.format(who=names.seats(seats)) for seats, text in said if seats)


def _round(names: Names, it: happenings.RoundBegan) -> str:
    """Return the sentences for the beginning of a round."""
    lines = [_("Round {round}").format(round=it.round)]
    if it.place == Place.CASTLE:
        lines.append(_("Everyone is in the Castle."))
    if it.place == Place.AUCTION_HALL:
        lines.append(_("Everyone is in the Auction Hall."))
    if it.sitting_out:
        lines.append(_("Sitting this round out: {who}.").format(who=names.seats(it.sitting_out)))
    return "\n".join(lines)


def _place_shown(names: Names, it: happenings.PlaceShown) -> str:
    """Return the sentence for a Place that a seat shows."""
    castle = it.place == Place.CASTLE
    text = _("{who} goes to the Castle.") if castle else _("{who} goes to the Auction Hall.")
    return text.format(who=names.seat(it.seat))


def _action(names: Names, it: happenings.ActionShown) -> str:
    """Return the sentence for an Action that a seat shows."""
    castle = it.place == Place.CASTLE
    inside = _("In the Castle {who} plays {card}.")
    text = inside if castle else _("In the Auction Hall {who} plays {card}.")
    is_own = it.card.colour in names.colours[it.seat : it.seat + 1]
    played = card(it.card) if is_own else coloured_card(it.card)
    return text.format(who=names.seat(it.seat), card=played)


def _moved(names: Names, it: happenings.FigureMoved) -> str:
    """Return the sentence for a figure that moves."""
    text = count(
        "{who} moves {fields} field on, to {where}: {why}.",
        "{who} moves {fields} fields on, to {where}: {why}.",
        it.fields,
    )
    return text.format(
        who=names.seat(it.seat), fields=it.fields, where=where(names, it.end), why=paid(names, it)
    )


def where(names: Names, field: int) -> str:
    """Return a field of the score track in words, such as `field 12`, without its octagon."""
    if field and not names.edition.in_banquet(field):
        return _("field {field}").format(field=field)
    return names.field(field)


def paid(names: Names, it: happenings.FigureMoved) -> str:
    """Return in words why a figure moves, with the octagon, such as 7/3, if an exhibit is why."""
    octagon = names.paying()
    if it.why not in BY_OCTAGON or octagon is None:
        return _(it.why)
    text = _("{why} at octagon {larger}/{smaller}")
    return text.format(why=_(it.why), larger=octagon[0], smaller=octagon[1])


BY_OCTAGON: Final = frozenset({Why.BEST, Why.SECOND_BEST})


def _round_ended(names: Names, it: happenings.RoundEnded) -> str:
    """Return the sentence for the end of a round."""
    names.before = it.figures
    fields = listed(f"{names.seat(seat)} {field}" for seat, field in enumerate(it.figures))
    return _("Round {round} is over. Fields: {fields}.").format(round=it.round, fields=fields)


Gap = Callable[[Names, Any], object]
GAPS: Final[Mapping[str, Gap]] = {
    "who": lambda names, it: names.seat(it.seat),
    "owner": lambda names, it: names.seat(it.owner),
    "place": lambda names, it: place(it.place),
    "kind": lambda names, it: _(KINDS.get(it.kind, it.kind)),
    "why": lambda names, it: _(it.why),
    "piece": lambda names, it: names.piece(it.piece),
    "pieces": lambda names, it: names.pieces(it.pieces),
    "letters": lambda names, it: run_letters(piece.letter for piece in it.pieces),
    "placing": lambda names, it: it.placing,
    "rank": lambda names, it: it.rank,
    "round": lambda names, it: it.round,
}
"""The functions that fill the gaps of a template, by the names of the gaps."""


def _says(template: str, **own: Gap) -> Callable[[Names, Any], str]:
    """Return a function that makes the sentence for an event from a template.

    Its gaps, such as `{who}`, are filled by functions in `own`, or else in `GAPS`.
    """
    gaps = {gap: own.get(gap) or GAPS[gap] for gap in re.findall(r"\{(\w+)\}", template)}
    return lambda names, it: _(template).format(**{gap: of(names, it) for gap, of in gaps.items()})


TELLERS: Final[Mapping[type[Happening], Callable[[Names, Any], str]]] = {
    happenings.Setup: _setup,
    happenings.PresenceChanged: _presence,
    happenings.RoundBegan: _round,
    happenings.PlaceShown: _place_shown,
    happenings.ActionShown: _action,
    happenings.SatOut: _says(N_("{who} sits the round out: {why}.")),
    happenings.Passed: _says(N_("{who} passes ({place}): {why}.")),
    happenings.Voided: _says(N_("The choice of {who} is void and counts for nothing ({kind}).")),
    happenings.DefaultTaken: _says(N_("The rules choose for {who} ({kind}): {why}.")),
    happenings.Sale: _says(
        N_("{who} buys with {card} from window {window}: {piece}."),
        card=lambda names, it: card(it.paid),
        window=lambda names, it: it.window + 1,
        piece=lambda names, it: names.piece(it.took),
    ),
    happenings.NoSale: _says(N_("Nobody plays Cash: no sale.")),
    happenings.CashStolen: _says(
        N_("The Thief of {who} takes the paid {card} of {owner} out of the cash register."),
        card=lambda names, it: card(it.cash),
    ),
    happenings.CashPaid: _says(
        N_("{card} lies in the cash register."), card=lambda names, it: coloured_card(it.cash)
    ),
    happenings.Returned: _says(
        N_("{card} goes back to the hand of {who}: {why}."),
        card=lambda names, it: coloured_card(it.card),
    ),
    happenings.TurnedUp: _says(
        N_("Window {number} turns up {piece}."), number=lambda names, it: it.window + 1
    ),
    happenings.ExhibitShown: _says(
        N_("{who} shows exhibit {letters}, number {placing} of the round: {pieces}.")
    ),
    happenings.NothingShown: _says(N_("{who} shows nothing: {why}.")),
    happenings.FigureMoved: _moved,
    happenings.Stolen: _says(
        N_("{card} of {who} takes from the exhibit of {owner}: {piece}."),
        card=lambda names, it: card(it.thief),
    ),
    happenings.DetectiveRanked: _says(
        N_("The Detective of {who} catches a Thief; rank on the track: {rank}.")
    ),
    happenings.Imprisoned: _says(
        N_("{card} of {who} goes to prison. Cells from 1: {cells}."),
        card=lambda names, it: card(it.thief),
        cells=lambda names, it: listed(coloured_card(thief) for thief in it.cells),
    ),
    happenings.RoundEnded: _round_ended,
    happenings.BanquetReached: _says(
        N_("The Dinner Banquet is reached by {who}: the last exhibits are opened."),
        who=lambda names, it: names.seats(it.seats),
    ),
    happenings.GameStopped: _says(
        N_("The game is stopped in round {round}, since a table can have no more steps.")
    ),
    happenings.HandOpened: _says(N_("{who} held {pieces}.")),
    happenings.FinalExhibit: _says(N_("Final exhibit {placing}: {who}, {letters}: {pieces}.")),
    happenings.FaultFound: _says(
        N_("Fault: {who} broke a rule in round {round}: {rule}."), rule=lambda names, it: _(it.rule)
    ),
    happenings.StandingMade: _says(
        N_("Rank {rank}: {who}, {where}; final exhibit {letters}."),
        where=lambda names, it: names.field(it.field),
        letters=lambda names, it: run_letters(piece.letter for piece in it.exhibit) or "–",
    ),
}
"""For each class of event (happening) the function that returns its sentences."""


CHECKED: Final[Mapping[Kind, str]] = {
    Kind.KEY_COMMIT: N_("every seat has committed to its key; the shuffles follow"),
    Kind.KEY_REVEAL: N_("keys opened, proofs of knowledge checked"),
    Kind.KEY_OK: N_("key shares confirmed by every seat, coin sealed"),
    Kind.DECK_OK: N_("every seat confirms the deck"),
    Kind.DEAL: N_("cards dealt, proofs of all shares checked"),
    Kind.SEAL: N_("choices sealed, commitments and escrows checked"),
    Kind.REVEAL: N_("sealed choices opened, each equal to its commitment"),
    Kind.SHOW: N_("exhibit shown, proofs of its shares checked"),
    Kind.OPEN: N_("Collectible turned up, proofs of its shares checked"),
    Kind.OVER: N_("every seat confirms that the game is over"),
    Kind.FINAL: N_("all hands opened, proofs of their shares checked"),
    Kind.RESULT: N_("standings confirmed by every seat"),
}

Nickname = Callable[[int], str]


def proved(before: Node, seconds: float, names: Names) -> str | None:
    """Return what the step after `before` has proved, in how many seconds, None for nothing new."""
    kind = before.want.kind
    if kind == Kind.SHUFFLE:
        who = min(before.want.speakers, default=0)
        if who == names.mine:
            return _("deck shuffled by you, proof sent")
        text = _("deck shuffled by {who}, proof checked")
        return text.format(who=names.seat(who)) + _took(seconds)
    if kind not in CHECKED:
        return None
    return _(CHECKED[kind]) + _took(seconds)


def _took(seconds: float) -> str:
    return _(", {ms} ms").format(ms=round(seconds * 1000)) if seconds > 0 else ""


Many = Sequence[Any]
BETWEEN: Final = " · "
UNSAID: Final = (happenings.DetectiveRanked, happenings.CashPaid)
"""The classes of events that the brief log leaves out, because its next line tells them too."""


def brief_story(names: Names, items: Iterable[Happening]) -> list[str]:
    """Return the brief log of some events. Adjacent ones of one class mostly share a line."""
    worth = [one for one in items if noteworthy(one) and not isinstance(one, UNSAID)]
    around = zip([None, *worth], worth, [*worth[1:], None], strict=False)
    told = (one for before, one, after in around if not _repeats(before, one, after))
    lines: list[str] = []
    for kind, group in groupby(told, type):
        items = list(group)
        if kind in TOGETHER:
            lines += TOGETHER[kind](names, items)
        else:
            lines += [line for one in items for line in tell(names, one).splitlines()]
    return lines


def _repeats(before: Happening | None, it: Happening, after: Happening | None) -> bool:
    """Return whether a Place is shown that the line of the seat's Action tells as well.

    Where the Places of several seats are shown together, they have a line of their own.
    """
    return (
        isinstance(it, happenings.PlaceShown)
        and isinstance(after, happenings.ActionShown)
        and it.seat == after.seat
        and not isinstance(before, happenings.PlaceShown)
    )


def _brief_setup(names: Names, items: Many) -> list[str]:
    """Return the edition, the colours of the seats, and the tops of the windows."""
    for it in items:
        tell(names, it)  # The names take the colours from it.
    seats = (f"{names.short(seat)} {colour(name)}" for seat, name in enumerate(names.colours))
    tops = [(n, w) for it in items for n, w in enumerate(it.windows, 1) if w]
    text = _("window {number}: {piece} of {size}")
    windows = (text.format(number=n, piece=code(w[0]), size=len(w)) for n, w in tops)
    variants = (_(VARIANTS[it.variant]) for it in items if it.variant is not None)
    return [
        _("Edition {edition}. {seats}").format(edition=title(names.edition), seats=listed(seats)),
        *variants,
        _capital(BETWEEN.join(windows)),
    ]


def _brief_round(names: Names, items: Many) -> list[str]:
    """Return the lines for the beginning of a round."""
    lines = []
    for it in items:
        head = _("Round {round}").format(round=it.round)
        lines.append(BETWEEN.join([head, *_fields(names)]))
        lines += tell(names, it).splitlines()[1:]
    return lines


def _fields(names: Names) -> list[str]:
    """Return the fields of the figures, the leader first, and the octagon of the leader's field."""
    order = sorted(range(len(names.before)), key=lambda seat: (-names.before[seat], seat))
    fields = [f"{names.short(seat)} {names.before[seat]}" for seat in order]
    octagon = names.paying()
    if octagon is not None:
        fields.append(_("octagon {larger}/{smaller}").format(larger=octagon[0], smaller=octagon[1]))
    return fields


def _brief_round_ended(names: Names, items: Many) -> list[str]:
    """Store the fields of all figures in `names`, and return no lines."""
    for it in items:
        tell(names, it)
    return []


def _places(names: Names, items: Many) -> list[str]:
    """Return one line for all Places that are shown."""
    found = []
    for where in (Place.CASTLE, Place.AUCTION_HALL):
        seats = [it.seat for it in items if it.place == where]
        if seats:
            found.append(f"{place(where)}: {names.shorts(seats)}")
    return [BETWEEN.join(found)]


def _actions(names: Names, items: Many) -> list[str]:
    """Return one line for all Actions that are shown."""
    found = []
    for where in (Place.AUCTION_HALL, Place.CASTLE):
        played = [f"{names.short(it.seat)} {card(it.card)}" for it in items if it.place == where]
        if played:
            found.append(f"{place(where)}: {listed(played)}")
    return [BETWEEN.join(found)]


def _each(template: str, **own: Gap) -> Callable[[Names, Many], list[str]]:
    """Return a function that tells a brief sentence of each event, as `_says` does of one.

    `BRIEF` fills its gaps before `GAPS`.
    """
    tell_one = _says(template, **{**BRIEF, **own})
    return lambda names, items: [tell_one(names, it) for it in items]


def _all(
    template: str, tell_one: Callable[[Names, Any], str]
) -> Callable[[Names, Many], list[str]]:
    """Return a function that makes one line for several events, exhibits by their rank.

    The only gap of the template gets a list of them.
    """
    (gap,) = re.findall(r"\{(\w+)\}", template)

    def told(names: Names, items: Many) -> list[str]:
        ordered = sorted(items, key=lambda it: getattr(it, "placing", 0))
        return [_(template).format(**{gap: listed(tell_one(names, it) for it in ordered)})]

    return told


BRIEF: Final[Mapping[str, Gap]] = {
    "who": lambda names, it: names.short(it.seat),
    "owner": lambda names, it: names.short(it.owner),
    "card": lambda names, it: card(it.card),
    "cash": lambda names, it: card(it.cash),
    "piece": lambda names, it: code(it.piece),
}
"""The functions that fill the gaps of the brief log's templates, by the names of the gaps."""


def _turned_up(names: Names, items: Many) -> list[str]:
    text = _("Window {number} turns up {piece}")
    found = (text.format(number=it.window + 1, piece=code(it.piece)) for it in items)
    return [BETWEEN.join(found)]


def _exhibit(names: Names, it: happenings.ExhibitShown | happenings.FinalExhibit) -> str:
    """Return the words for an exhibit: its rank, seat, letters and oldest year."""
    oldest = min((piece.year for piece in it.pieces if piece.year is not None), default=None)
    letters = run_letters(piece.letter for piece in it.pieces)
    return f"{it.placing} {names.short(it.seat)} {letters} {oldest or '?'}"


def _brief_moved(names: Names, items: Many) -> list[str]:
    """Return one line for all figures that moved, grouped by the reason."""
    octagon, found = names.paying(), list[str]()
    for why, group in groupby(items, lambda it: it.why):
        movers = listed(
            f"{names.short(it.seat)} +{it.fields} → {_field(names, it.end)}" for it in group
        )
        found.append(f"{_(why)}: {movers}")
    told = BETWEEN.join(found)
    if octagon is None or not any(it.why in BY_OCTAGON for it in items):
        return [_capital(told)]
    text = _("At octagon {larger}/{smaller} {moves}")
    return [text.format(larger=octagon[0], smaller=octagon[1], moves=told)]


def _field(names: Names, field: int) -> str:
    return names.field(field) if names.edition.in_banquet(field) else str(field)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _seat_and(field: str) -> Callable[[Names, Any], str]:
    """Return a function that puts an event's seat and the Action card in `field` into words."""
    return lambda names, it: f"{names.short(it.seat)} {card(getattr(it, field))}"


def _hands(names: Names, items: Many) -> list[str]:
    return [f"{names.short(it.seat)}: {' '.join(map(code, it.pieces))}" for it in items]


TOGETHER: Final[Mapping[type[Happening], Callable[[Names, Many], list[str]]]] = {
    happenings.Setup: _brief_setup,
    happenings.RoundBegan: _brief_round,
    happenings.RoundEnded: _brief_round_ended,
    happenings.PlaceShown: _places,
    happenings.ActionShown: _actions,
    happenings.Returned: _all(N_("Back to hand: {cards}"), _seat_and("card")),
    happenings.Sale: _each(
        N_("Sale: {who} {piece} from window {window} for {cash}"),
        piece=lambda names, it: code(it.took),
        window=lambda names, it: it.window + 1,
        cash=lambda names, it: card(it.paid),
    ),
    happenings.CashStolen: _each(N_("Stolen from the cash register: {cash} ({owner} → {who})")),
    happenings.TurnedUp: _turned_up,
    happenings.ExhibitShown: _all(N_("Exhibits: {exhibits}"), _exhibit),
    happenings.FinalExhibit: _all(N_("Final exhibits: {exhibits}"), _exhibit),
    happenings.FigureMoved: _brief_moved,
    happenings.Stolen: _all(
        N_("Stolen: {thefts}"), _says(N_("{piece} ({owner} → {who})"), **BRIEF)
    ),
    happenings.Imprisoned: _all(N_("To prison: {thieves}"), _seat_and("thief")),
    happenings.HandOpened: _hands,
}
"""For a class of events the function that returns its brief lines. Others have `TELLERS`."""
