"""Updates and scenes as JSON: objects, arrays, text and numbers, for programs and web pages.

Everywhere `reason_json` returns a reason as an object: its code, its fields, and a sentence for
people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from protocol import Table, effects, fingerprint

from .. import rules
from ..coded_errors import Reason
from ..editions.received_edition import descent
from ..game_adapter import HoityToity, table_name
from ..rules import Edition
from ..rules.happenings import Happening, plain
from . import screen_updates as updates
from .scene import Scene

ReasonJson = Callable[[Reason], dict[str, Any]]
RENAMED: Final = {
    "rejoined": "back",
    "chaingrew": "stepped",
    "choicetaken": "chosen",
    "choicerefused": "refused",
    "gameover": "finished",
    "offeredcode": "code",
    "seatstimedout": "timed-out",
    "seatleft": "left",
    "endannounced": "end-announced",
    "journaldoubted": "cautious",
    "signingended": "silenced",
    "nocode": "no-code",
    "hostasked": "host-asked",
    "tickettaken": "ticket-taken",
    "proofsaved": "proof-saved",
    "relaystate": "relay-state",
}
"""For an update whose type in JSON is not its class name in lower case, that type."""


def update_json(update: updates.Update, reason_json: ReasonJson) -> dict[str, Any]:
    """Return an update as a JSON object. Its key `type` names the kind of update.

    For a `Happened`, call `Happening.as_json` of each of its events instead.
    """
    name = type(update).__name__.lower()
    found: dict[str, Any] = {"type": RENAMED.get(name, name)}
    match update:
        case updates.Reached(scope, reasons, ticket) | updates.Moved(scope, reasons, ticket):
            told = [reason_json(reason) for reason in reasons]
            return found | {"reach": str(scope), "reasons": told, "ticket": ticket or None}
        case updates.Started(table, seat, players):
            return found | {"seat": seat, **table_json(table, players)}
        case updates.ChainGrew(before=before, seconds=seconds, final=final):
            kind = str(before.want.kind)
            return found | {"step": before.step, "kind": kind, "seconds": seconds, "final": final}
        case updates.Resumed(view, items):
            return found | {"round": view.state.round, "happenings": len(items)}
        case updates.Choosing(view, kind, again):
            # The update has the kind as plain text.
            choices = plain(view.legal(kind))  # type: ignore[arg-type]
            return found | {"kind": kind, "again": again, "choices": choices}
        case updates.RelayState(relay, why):
            found |= {"relay": relay, "waits": why is None}
            return found if why is None else found | reason_json(why)
        case updates.Said(seat, who, words):
            return found | {"seat": seat, "who": who, "words": words}
    for name, value in vars(update).items():
        match value:
            case rules.View():
                continue
            case Reason():
                found |= reason_json(value)
            case updates.Muster():
                found |= {"quorum": value.quorum, "there": value.there, "mute": value.is_mute}
                found |= {"gone": sorted(value.gone), "unlinked": sorted(value.unlinked)}
            case _:
                found[name] = value_json(value, reason_json)
    return found


def table_json(table: Table, players: Sequence[bytes | None] = ()) -> dict[str, Any]:
    """Return the names of a table and of its seats, and its edition, as a JSON object.

    `players` has the long-lived key of each seat's player, or None for a seat that shows none. It
    is empty if these keys are not known.
    """
    roster = table.header.roster
    keys = [key and fingerprint(key) for key in players or [None] * len(roster)]
    seats = [
        {"nickname": one.nickname, "fingerprint": key, "table_key": fingerprint(one.id)}
        for one, key in zip(roster, keys, strict=True)
    ]
    edition = edition_json(table.game.edition) if isinstance(table.game, HoityToity) else {}
    return {"game": table_name(table), "table": table.id.hex(), "seats": seats, **edition}


def edition_json(edition: Edition) -> dict[str, Any]:
    """Return the name and the colours of an edition, and how it differs from the shipped one.

    `changed` has the parts that differ from the shipped edition of this name, null if there is
    none.
    """
    found = descent(edition)
    return {
        "edition": edition.name,
        "colours": [colour.name for colour in edition.colours],
        "changed": list(found.changes) if found.original else None,
    }


def value_json(value: object, reason_json: ReasonJson) -> Any:
    """Return a value of an update, or a whole scene, in a form that JSON can hold.

    Updates and events of the game inside it look as in `update_json` and `Happening.as_json`. Null
    stands for a number that is not finite.
    """
    match value:
        # In this order: many of these are also of a later case, as a Place is an Enum.
        case rules.Place():
            return value.words
        case Enum():
            return value.value
        case Reason():
            return reason_json(value)
        case Happening():
            return value.as_json()
        case updates.ScreenUpdate() | effects.EndAnnounced():
            return update_json(value, reason_json)
        case Scene():
            # `table_json` shows these two together, with fingerprints instead of keys.
            told = _named(value, reason_json, {"table", "players"})
            return {"table": value.table and table_json(value.table, value.players), **told}
        case Table():
            return table_json(value)
        case rules.View():
            return _view_json(value, reason_json)
        case float():
            return round(value, 1) if math.isfinite(value) else None
        case Path():
            return str(value)
        case Mapping():
            return {str(key): value_json(one, reason_json) for key, one in value.items()}
        case Set():
            return sorted(value)
        case tuple() | list():
            return [value_json(one, reason_json) for one in value]
    return _named(value, reason_json) if is_dataclass(value) else value


def _view_json(view: rules.View, reason_json: ReasonJson) -> dict[str, Any]:
    """Return a view of the game with Action cards and pieces as objects, as in events."""
    state = view.state

    def cards(ids: Iterable[int]) -> list[object]:
        return [plain(state.action_card(card)) for card in ids]

    def pieces(slots: Iterable[int]) -> list[object]:
        return [plain(view.piece(slot)) for slot in slots]

    # Without `known`: the pieces show what this view knows of each slot.
    told = _named(state, reason_json, {"edition", "known", "news"}) | {
        "colours": [state.colour_name(seat) for seat in range(len(state.colours))],
        "hands": [cards(hand) for hand in state.hands],
        "actions": [
            None if one is None else plain(state.action_card(one)) for one in state.actions
        ],
        "register": cards(state.register),
        "prison": cards(state.prison),
        "collectibles": [pieces(held) for held in state.collectibles],
        "windows": [pieces(window) for window in state.windows],
        "exhibits": [None if shown is None else pieces(shown) for shown in state.exhibits],
    }
    return {"seat": view.seat, "state": told}


def _named(value: Any, reason_json: ReasonJson, without: Set[str] = frozenset()) -> dict[str, Any]:
    """Return a dataclass's fields except `without`, by name, with values that JSON can hold."""
    names = [one.name for one in fields(value) if one.name not in without]
    return {name: value_json(getattr(value, name), reason_json) for name in names}
