"""Every happening as a sentence in the game's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from p2p_hoity.rules import ActionCard, Happening, Piece, Place, Why, happenings
from protocol import Kind, Node

from .card_names import Names, card, coloured_card, listed, place, run_letters
from .table_terms import title
from .translation import N_, _, count

KINDS: Final = {
    "place": N_("Place"),
    "action": N_("Action"),
    "turn": N_("Place and Action"),
    "exhibit": N_("exhibit"),
    "window": N_("window"),
    "theft": N_("theft"),
}

ROUTINE: Final = frozenset({Why.SALE_OVER, Why.CASTLE_OVER})
"""Cards that go back to hand at the end of a phase, as they always do."""


def noteworthy(happening: Happening) -> bool:
    """Whether a log told to people needs it; what it leaves out happens every time."""
    return not (isinstance(happening, happenings.Returned) and happening.why in ROUTINE)


def tell(names: Names, happening: Happening) -> str:
    """The sentence for a happening; one line for each thing, joined by line breaks."""
    return TELLERS[type(happening)](names, happening)


def story(names: Names, items: Iterable[Happening]) -> list[str]:
    """The lines of a log, without what happens every time."""
    told = (tell(names, item) for item in items if noteworthy(item))
    return [line for text in told for line in text.splitlines()]


def _setup(names: Names, it: happenings.Setup) -> str:
    names.colours, names.before = it.colours, (0,) * len(it.colours)
    lines = [_("The game is set up: edition {edition}.").format(edition=title(names.edition))]
    if it.variant:
        lines.append(_("Variant for two seats: {variant}.").format(variant=_(it.variant)))
    for seat, hand in enumerate(it.hands):
        cards = listed(card(action) for action in hand)
        lines.append(_("{who} holds {cards}.").format(who=names.seat(seat), cards=cards))
    for number, window in enumerate(it.windows, 1):
        lines.append(_window_line(names, number, window))
    return "\n".join(lines)


def _window_line(names: Names, number: int, window: tuple[Piece, ...]) -> str:
    if not window:
        return _("Window {number} is empty.").format(number=number)
    text = _("Window {number} holds {size} Collectibles; open: {piece}.")
    return text.format(number=number, size=len(window), piece=names.piece(window[0]))


def _presence(names: Names, it: happenings.PresenceChanged) -> str:
    said = [
        (it.absent, _("Absent from now on: {who}.")),
        (it.returned, _("Back at the table: {who}.")),
        (it.banned, _("Banned for cheating: {who}.")),
    ]
    return "\n".join(text.format(who=names.seats(seats)) for seats, text in said if seats)


def _round(names: Names, it: happenings.RoundBegan) -> str:
    lines = [_("Round {round}").format(round=it.round)]
    if it.place == Place.CASTLE:
        lines.append(_("Everyone is in the Castle."))
    if it.place == Place.AUCTION_HALL:
        lines.append(_("Everyone is in the Auction Hall."))
    if it.sitting_out:
        lines.append(_("Sitting this round out: {who}.").format(who=names.seats(it.sitting_out)))
    return "\n".join(lines)


def _place_shown(names: Names, it: happenings.PlaceShown) -> str:
    castle = it.place == Place.CASTLE
    text = _("{who} goes to the Castle.") if castle else _("{who} goes to the Auction Hall.")
    return text.format(who=names.seat(it.seat))


def _action(names: Names, it: happenings.ActionShown) -> str:
    castle = it.place == Place.CASTLE
    inside = _("In the Castle {who} plays {card}.")
    text = inside if castle else _("In the Auction Hall {who} plays {card}.")
    played = card(it.card) if _own_colour(names, it.seat, it.card) else coloured_card(it.card)
    return text.format(who=names.seat(it.seat), card=played)


def _own_colour(names: Names, seat: int, action: ActionCard) -> bool:
    return seat < len(names.colours) and names.colours[seat] == action.colour


def _sat_out(names: Names, it: happenings.SatOut) -> str:
    text = _("{who} sits the round out: {why}.")
    return text.format(who=names.seat(it.seat), why=_(it.why))


def _passed(names: Names, it: happenings.Passed) -> str:
    text = _("{who} passes ({place}): {why}.")
    return text.format(who=names.seat(it.seat), place=place(it.place), why=_(it.why))


def _voided(names: Names, it: happenings.Voided) -> str:
    text = _("The choice of {who} is void and counts for nothing ({kind}).")
    return text.format(who=names.seat(it.seat), kind=_(KINDS.get(it.kind, it.kind)))


def _default(names: Names, it: happenings.DefaultTaken) -> str:
    text = _("The rules choose for {who} ({kind}): {why}.")
    kind = _(KINDS.get(it.kind, it.kind))
    return text.format(who=names.seat(it.seat), kind=kind, why=_(it.why))


def _sale(names: Names, it: happenings.Sale) -> str:
    text = _("{who} buys with {card} from window {window}: {piece}.")
    return text.format(
        who=names.seat(it.seat),
        card=card(it.paid),
        window=it.window + 1,
        piece=names.piece(it.took),
    )


def _no_sale(names: Names, it: happenings.NoSale) -> str:
    return _("Nobody plays Cash: no sale.")


def _cash_stolen(names: Names, it: happenings.CashStolen) -> str:
    text = _("The Thief of {who} takes the paid {card} of {owner} out of the cash register.")
    return text.format(who=names.seat(it.seat), card=card(it.cash), owner=names.seat(it.owner))


def _cash_paid(names: Names, it: happenings.CashPaid) -> str:
    return _("{card} lies in the cash register.").format(card=coloured_card(it.cash))


def _returned(names: Names, it: happenings.Returned) -> str:
    text = _("{card} goes back to the hand of {who}: {why}.")
    return text.format(card=coloured_card(it.card), who=names.seat(it.seat), why=_(it.why))


def _turned_up(names: Names, it: happenings.TurnedUp) -> str:
    text = _("Window {number} turns up {piece}.")
    return text.format(number=it.window + 1, piece=names.piece(it.piece))


def _exhibit(names: Names, it: happenings.ExhibitShown) -> str:
    text = _("{who} shows exhibit {letters}, number {placing} of the round: {pieces}.")
    return _exhibit_words(names, it, text)


def _exhibit_words(
    names: Names, it: happenings.ExhibitShown | happenings.FinalExhibit, text: str
) -> str:
    return text.format(
        who=names.seat(it.seat),
        letters=run_letters(piece.letter for piece in it.pieces),
        placing=it.placing,
        pieces=names.pieces(it.pieces),
    )


def _nothing(names: Names, it: happenings.NothingShown) -> str:
    return _("{who} shows nothing: {why}.").format(who=names.seat(it.seat), why=_(it.why))


def _moved(names: Names, it: happenings.FigureMoved) -> str:
    text = count(
        "{who} moves {fields} field on, to {where}: {why}.",
        "{who} moves {fields} fields on, to {where}: {why}.",
        it.fields,
    )
    return text.format(
        who=names.seat(it.seat), fields=it.fields, where=where(names, it.end), why=paid(names, it)
    )


def where(names: Names, field: int) -> str:
    """Where a figure stands, without the octagon there: that pays later, if at all."""
    if field and not names.edition.in_banquet(field):
        return _("field {field}").format(field=field)
    return names.field(field)


def paid(names: Names, it: happenings.FigureMoved) -> str:
    """Why a figure moves; for an exhibit with the octagon that paid."""
    octagon = names.paying()
    if it.why not in BY_OCTAGON or octagon is None:
        return _(it.why)
    text = _("{why} at octagon {larger}/{smaller}")
    return text.format(why=_(it.why), larger=octagon[0], smaller=octagon[1])


BY_OCTAGON: Final = frozenset({Why.BEST, Why.SECOND_BEST})


def _stolen(names: Names, it: happenings.Stolen) -> str:
    text = _("{card} of {who} takes from the exhibit of {owner}: {piece}.")
    return text.format(
        card=card(it.thief),
        who=names.seat(it.seat),
        owner=names.seat(it.owner),
        piece=names.piece(it.piece),
    )


def _detective(names: Names, it: happenings.DetectiveRanked) -> str:
    text = _("The Detective of {who} catches a Thief; rank on the track: {rank}.")
    return text.format(who=names.seat(it.seat), rank=it.rank)


def _imprisoned(names: Names, it: happenings.Imprisoned) -> str:
    text = _("{card} of {who} goes to prison. Cells from 1: {cells}.")
    cells = listed(coloured_card(thief) for thief in it.cells)
    return text.format(card=card(it.thief), who=names.seat(it.seat), cells=cells)


def _round_ended(names: Names, it: happenings.RoundEnded) -> str:
    names.before = it.figures
    fields = listed(f"{names.seat(seat)} {field}" for seat, field in enumerate(it.figures))
    return _("Round {round} is over. Fields: {fields}.").format(round=it.round, fields=fields)


def _banquet(names: Names, it: happenings.BanquetReached) -> str:
    text = _("The Dinner Banquet is reached by {who}: the last exhibits are opened.")
    return text.format(who=names.seats(it.seats))


def _stopped(names: Names, it: happenings.GameStopped) -> str:
    text = _("The game is stopped in round {round}: a table takes no more steps than this.")
    return text.format(round=it.round)


def _hand(names: Names, it: happenings.HandOpened) -> str:
    text = _("{who} held {pieces}.")
    return text.format(who=names.seat(it.seat), pieces=names.pieces(it.pieces))


def _final(names: Names, it: happenings.FinalExhibit) -> str:
    return _exhibit_words(names, it, _("Final exhibit {placing}: {who}, {letters}: {pieces}."))


def _fault(names: Names, it: happenings.FaultFound) -> str:
    text = _("Fault: {who} broke a rule in round {round}: {rule}.")
    return text.format(who=names.seat(it.seat), round=it.round, rule=_(it.rule))


def _standing(names: Names, it: happenings.StandingMade) -> str:
    text = _("Rank {rank}: {who}, {where}; final exhibit {letters}.")
    return text.format(
        rank=it.rank,
        who=names.seat(it.seat),
        where=names.field(it.field),
        letters=run_letters(piece.letter for piece in it.exhibit) or "–",
    )


TELLERS: Final[Mapping[type[Happening], Callable[[Names, Any], str]]] = {
    happenings.Setup: _setup,
    happenings.PresenceChanged: _presence,
    happenings.RoundBegan: _round,
    happenings.PlaceShown: _place_shown,
    happenings.ActionShown: _action,
    happenings.SatOut: _sat_out,
    happenings.Passed: _passed,
    happenings.Voided: _voided,
    happenings.DefaultTaken: _default,
    happenings.Sale: _sale,
    happenings.NoSale: _no_sale,
    happenings.CashStolen: _cash_stolen,
    happenings.CashPaid: _cash_paid,
    happenings.Returned: _returned,
    happenings.TurnedUp: _turned_up,
    happenings.ExhibitShown: _exhibit,
    happenings.NothingShown: _nothing,
    happenings.FigureMoved: _moved,
    happenings.Stolen: _stolen,
    happenings.DetectiveRanked: _detective,
    happenings.Imprisoned: _imprisoned,
    happenings.RoundEnded: _round_ended,
    happenings.BanquetReached: _banquet,
    happenings.GameStopped: _stopped,
    happenings.HandOpened: _hand,
    happenings.FinalExhibit: _final,
    happenings.FaultFound: _fault,
    happenings.StandingMade: _standing,
}
"""A teller for each type of happening; a test holds it against the rules' own list."""


CHECKED: Final[Mapping[Kind, str]] = {
    Kind.KEY_COMMIT: N_("every seat has committed to its key; the shuffles follow"),
    Kind.KEY_REVEAL: N_("keys opened, proofs of knowledge checked"),
    Kind.KEY_OK: N_("backups confirmed by every seat, coin committed"),
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
    """What the step after `before` proved, and how long the check took; None if nothing new."""
    kind = before.want.kind
    if kind == Kind.SHUFFLE:
        return _shuffled(before, seconds, names)
    if kind not in CHECKED:
        return None
    return _(CHECKED[kind]) + _took(seconds)


def _shuffled(before: Node, seconds: float, names: Names) -> str:
    who = min(before.want.speakers, default=0)
    if who == names.mine:
        return _("deck shuffled by you, proof sent")
    text = _("deck shuffled by {who}, proof checked")
    return text.format(who=names.seat(who)) + _took(seconds)


def _took(seconds: float) -> str:
    return _(", {ms} ms").format(ms=round(seconds * 1000)) if seconds > 0 else ""
