"""The parts of messages that do not change at a table: reasons, terms, seats and the edition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, cast

from p2p_hoity.coded_errors import Reason
from p2p_hoity.editions.received_edition import descent
from p2p_hoity.game_adapter import HoityToity, table_name
from p2p_hoity.presentation import message_records as records
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import table_messages as messages
from p2p_hoity.presentation.table_messages import plain
from p2p_hoity.rules import LETTERS, Edition
from protocol import Table, effects, fingerprint

from ..words import error_sentences
from ..words.card_names import Names, category
from ..words.table_terms import TableOffer
from ..words.translation import language
from .seats import letters

EVENTS: Final[Mapping[type[Any], str]] = {
    updates.HostAsked: "host-asked",
    updates.Admitted: "admitted",
    updates.OfferedCode: "code",
    updates.NoCode: "no-code",
    updates.Reached: "reached",
    updates.Moved: "moved",
    updates.RelayState: "relay-state",
    updates.TicketTaken: "ticket-taken",
    updates.Crowded: "crowded",
    updates.Linked: "linked",
    updates.Unlinked: "unlinked",
    updates.InPages: "in-pages",
    updates.Resumed: "resumed",
    updates.Rewound: "rewound",
    updates.Awaited: "awaited",
    updates.Halfway: "halfway",
    updates.SeatsTimedOut: "timed-out",
    updates.Paused: "paused",
    updates.Extended: "extended",
    updates.Away: "away",
    updates.Rejoined: "back",
    updates.Unsaid: "unsaid",
    updates.Again: "again",
    updates.ProofSaved: "proof-saved",
    effects.SeatLeft: "left",
    effects.EndAnnounced: "end-announced",
    effects.JournalDoubted: "cautious",
    effects.SigningEnded: "silenced",
}
"""The event of a `log` for each kind of update that is told so."""
UNTOLD: Final = frozenset({"view", "items", "left_links"})
"""The fields of updates that no `log` has: the board has what they tell."""


def told(reason: Reason) -> records.Told:
    """Return a reason with the sentence for people."""
    return records.Told(**error_sentences.as_json(reason))


def log_fields(update: Any) -> dict[str, Any]:
    """Return the details of an update by name, in a form that JSON can hold."""
    found: dict[str, Any] = {}
    if isinstance(update, updates.Resumed):
        return {"happenings": len(update.items)}
    for one in fields(update):
        value = getattr(update, one.name)
        if one.name not in UNTOLD:
            found[one.name] = _log_value(value)
    return found


def _log_value(value: Any) -> Any:
    """Return a detail in a form that JSON can hold, reasons with their sentences."""
    match value:
        case Reason():
            return error_sentences.as_json(value)
        case tuple() if value and isinstance(value[0], Reason):
            return [error_sentences.as_json(one) for one in value]
    return plain(value)


def terms_of(offer: TableOffer) -> records.Terms:
    """Return the terms of a table."""
    terms, game = offer.terms, offer.game
    return records.Terms(
        host=None if offer.host is None else fingerprint(offer.host),
        seats=terms.seats,
        quorum=terms.quorum,
        edition=game.edition.name,
        variant=game.variant,
        switches=asdict(game.edition.switches),
        secrecy=terms.quorum - 1,
        progress=terms.seats - terms.quorum,
        no_fork=max(0, 2 * terms.quorum - terms.seats - 1),
        choice_seconds=terms.timeouts.choice / 1000,
        step_seconds=terms.timeouts.step / 1000,
        rejoins=terms.rejoins,
        watched=terms.watched,
    )


def table_of(table: Table, seat: int | None, players: Sequence[bytes | None]) -> messages.Table:
    """Return the message about a table. `players` are the long-lived keys, empty if not known."""
    roster = table.header.roster
    keys = [None if key is None else fingerprint(key) for key in players or [None] * len(roster)]
    marks = letters([entry.nickname for entry in roster], lambda letter: True)
    seats = tuple(
        records.SeatIdentity(number, entry.nickname, mark, key, fingerprint(entry.id))
        for number, (entry, mark, key) in enumerate(zip(roster, marks, keys, strict=True))
    )
    game = cast(HoityToity, table.game)
    return messages.Table(
        game=table_name(table),
        table=table.id.hex(),
        seat=seat,
        variant=game.variant,
        seats=seats,
        edition=edition_of(game.edition),
        cards=game.edition.action_cards,
    )


def lesson_table(names: Names) -> messages.Table:
    """Return the message about the table of a lesson, which has no keys."""
    marks = letters(names.nicknames, lambda letter: True)
    seats = tuple(
        records.SeatIdentity(number, nickname, mark, None, "")
        for number, (nickname, mark) in enumerate(zip(names.nicknames, marks, strict=True))
    )
    edition = names.edition
    return messages.Table(
        *("", "", names.mine, None),
        seats=seats,
        edition=edition_of(edition),
        cards=edition.action_cards,
    )


def edition_of(edition: Edition) -> records.EditionInfo:
    """Return the data of an edition, with the names of its Collectibles in the chosen language."""
    found, chosen = descent(edition), language()
    return records.EditionInfo(
        name=edition.name,
        changed=found.changes if found.original else None,
        age=edition.age_word,
        categories={letter: category(edition, letter) for letter in LETTERS},
        colours=tuple(colour.name for colour in edition.colours),
        collectibles=tuple(
            records.CollectibleInfo(card, one.letter, one.year, one.name(chosen))
            for card, one in enumerate(edition.collectibles)
        ),
        octagons=edition.octagons,
        banquet=len(edition.octagons),
        last_field=edition.last_field,
        switches=asdict(edition.switches),
    )
