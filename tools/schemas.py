"""Makes the JSON schemas of what the program prints, from the classes of what it prints.

docs/replay.schema.json is about the lines of `hoity replay --json`, and docs/table.schema.json
about the messages of a table.

python3 tasks.py schema           write it
python3 tasks.py schema --check   exit 1 if it is stale
"""

from __future__ import annotations

import json
import re
import sys
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from cli.commands.replay import FORMAT
from cli.table_view.message_parts import EVENTS, UNTOLD
from p2p_hoity.coded_errors import Reason
from p2p_hoity.editions.load_edition import load
from p2p_hoity.editions.received_edition import parts_of
from p2p_hoity.game_adapter import SIZES
from p2p_hoity.presentation import message_records as records
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import table_messages as messages
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.rules import ActionCard, Happening, Piece, Place, Why, happenings
from p2p_hoity.rules.edition import LETTERS, SWITCH_VALUES

TARGET: Final = Path(__file__).resolve().parent.parent / "docs" / "replay.schema.json"
TABLE: Final = TARGET.with_name("table.schema.json")
Schema = dict[str, Any]

SEAT: Final[Schema] = {
    "type": "object",
    "properties": {
        "seat": {"type": "integer"},
        "nickname": {"type": "string"},
        "table_key": {"type": "string"},
    },
    "required": ["seat", "nickname", "table_key"],
}


WHY: Final[dict[str, tuple[Why, ...]]] = {
    "sat-out": (Why.NO_SEALED_CHOICE, Why.VOID_CHOICE),
    "passed": (Why.NO_SEALED_CHOICE, Why.NO_ACTION, Why.VOID_CHOICE),
    "default-taken": (Why.NO_CHOICE,),
    "returned": (Why.SALE_OVER, Why.LAST_CELL, Why.CASTLE_OVER),
    "nothing-shown": (Why.VOID_CHOICE, Why.NOTHING_OPEN),
    "figure-moved": (
        *(Why.BEST, Why.SECOND_BEST, Why.DETECTIVE),
        *(Why.BEST_FINAL, Why.SECOND_BEST_FINAL),
    ),
    "fault-found": (Why.WITHOUT_EXHIBIT,),
}
"""Every `why` of a happening (of a fault its `rule`), as docs/replay.md lists them."""
KINDS: Final = tuple(SIZES)


def schema_of(kind: Any) -> Schema:
    """The schema of a field's type."""
    if kind in (int, str, bool, type(None)):
        name = {int: "integer", str: "string", bool: "boolean", type(None): "null"}[kind]
        return {"type": name}
    if kind is Place:
        return {"enum": [place.words for place in Place]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if kind in (ActionCard, Piece):
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if get_origin(kind) in (types.UnionType, Union):
        return {"anyOf": [schema_of(one) for one in get_args(kind)]}
    inner = get_args(kind)
    if get_origin(kind) is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return {"type": "array", "items": schema_of(inner[0])}
    if get_origin(kind) is tuple:
        size = len(inner)
        items = schema_of(inner[0])
        return {"type": "array", "items": items, "minItems": size, "maxItems": size}
    raise TypeError(f"no schema for {kind!r}")


def meaning_of(kind: type) -> tuple[str, dict[str, str]]:
    """Return what a docstring says of a dataclass, and of each of its fields."""
    about, _, attributes = cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE)
    return " ".join(about.split()), {name: " ".join(text.split()) for name, text in entries}


def record(kind: type, also: Schema | None = None) -> Schema:
    """The schema of a dataclass as an object; every field is required, no other is there."""
    hints, (_, meanings) = get_type_hints(kind), meaning_of(kind)
    properties = {**(also or {})}
    for field in fields(kind):
        found = schema_of(hints[field.name])
        properties[field.name] = {**found, "description": meanings[field.name]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def happening(kind: type[Happening]) -> Schema:
    """The schema of one kind of happening, with the two keys that every line of it has."""
    number: Schema = {"type": "integer"}
    return happening_alone(kind, {"index": number, "round": number})


def happening_alone(kind: type[Happening], first: Schema | None = None) -> Schema:
    """The schema of one kind of happening, with the keys `first` before its own."""
    whole = record(kind, {**(first or {}), "type": {"const": name_of(kind)}})
    for field in {"why", "rule"} & set(whole["properties"]):
        whole["properties"][field] |= {"enum": list(WHY[name_of(kind)])}
    return {**whole, "description": meaning_of(kind)[0]}


def closed(properties: Schema) -> Schema:
    """An object with these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def edition() -> Schema:
    """The schema of the edition in the first line."""
    words: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
    number: Schema = {"type": "integer"}
    collectible = {
        "card": number,
        "letter": {"enum": list(LETTERS)},
        "year": number,
        "names": words,
    }
    strings: Schema = {"type": "array", "items": {"enum": list(parts_of(load()))}}
    return closed(
        {
            "name": {"type": "string"},
            "changed": {"anyOf": [strings, {"type": "null"}]},
            "colours": {"type": "array", "items": {"type": "string"}},
            "age": {"enum": ["year", "number"]},
            "collectibles": {"type": "array", "items": closed(collectible)},
            "switches": closed({k: {"enum": list(v)} for k, v in SWITCH_VALUES.items()}),
        }
    )


def sealed() -> Schema:
    """The schema of the line that says when choices were sealed."""
    return closed(
        {
            "type": {"const": "sealed"},
            "round": {"type": "integer"},
            "step": {"type": "integer"},
            "kind": {"enum": list(KINDS)},
            "seats": {"type": "array", "items": {"type": "integer"}},
        }
    )


def name_of(kind: type[Happening]) -> str:
    """The `type` that `as_json` writes."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("-")


def game() -> Schema:
    """The schema of the first line."""
    properties: Schema = {
        "type": {"const": "game"},
        "format": {"const": FORMAT},
        "table": {"type": "string"},
        "variant": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "seats": {"type": "array", "items": SEAT},
        "edition": edition(),
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def verdict() -> Schema:
    """The schema of the last line."""
    properties: Schema = {
        "type": {"const": "verdict"},
        "verdict": {"enum": ["ok", "fault", "unreadable"]},
        "digest": {"type": "string"},
        "problem": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "step": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def kinds() -> list[type[Happening]]:
    """Every kind of happening, in the order of the rules' own list."""
    return [
        one
        for one in vars(happenings).values()
        if isinstance(one, type) and issubclass(one, Happening) and one is not Happening
    ]


def whole() -> Schema:
    """The schema of one line of the replay."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line of `hoity replay --json` ({FORMAT})",
        "oneOf": [game(), *(happening(kind) for kind in kinds()), sealed(), verdict()],
        "$defs": {"ActionCard": record(ActionCard), "Piece": record(Piece)},
    }


# Messages of a table


def schema_of_field(kind: Any) -> Schema:
    """The schema of a field's type."""
    inner, origin = get_args(kind), get_origin(kind)
    if kind is Any:
        return {}
    if kind is float:
        return {"type": "number"}
    if kind in (Path, bytes):
        return {"type": "string"}
    if origin is not None and str(origin) == "typing.Literal":
        return {"enum": list(inner)}
    if kind is Happening:
        return {"$ref": "#/$defs/Happening"}
    if kind is Reason:
        return {"$ref": "#/$defs/Told"}
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of_field(inner[1])}
    if origin is frozenset:
        return {"type": "array", "items": schema_of_field(inner[0])}
    if origin is tuple:
        ends = inner[-1] is Ellipsis
        items = [schema_of_field(one) for one in inner if one is not Ellipsis]
        size = {} if ends else {"minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": items[0], **size} if ends else _row(items)
    if str(origin) in ("<class 'types.UnionType'>", "typing.Union"):
        return {"anyOf": [schema_of_field(one) for one in inner]}
    if isinstance(kind, type) and issubclass(kind, tuple):
        hints = get_type_hints(kind)
        about = {"description": meaning_of(kind)[0]}
        return _row([schema_of_field(hints[name]) for name in hints]) | about
    if isinstance(kind, type) and is_dataclass(kind):
        return {"$ref": f"#/$defs/{kind.__name__}"}
    return schema_of(kind)


def _row(items: list[Schema]) -> Schema:
    """The schema of an array with one item for each of these."""
    number = len(items)
    return {"type": "array", "prefixItems": items, "minItems": number, "maxItems": number}


def message_record(
    kind: type, first: Schema | None = None, without: frozenset[str] = frozenset()
) -> Schema:
    """The schema of a dataclass as an object with all of its fields and no other."""
    hints, (about, meanings) = get_type_hints(kind), meaning_of(kind)
    found = dict(first or {})
    for one in fields(kind):
        if one.name not in without:
            told = {"description": meanings[one.name]} if one.name in meanings else {}
            found[one.name] = schema_of_field(hints[one.name]) | told
    return {"description": about, **closed(found)}


def log() -> Schema:
    """The schema of a `log`, with the fields of each event."""
    whole = message_record(messages.Log, {"type": {"const": "log"}})
    told_kinds = []
    for kind, event in sorted(EVENTS.items(), key=lambda item: item[1]):
        told = closed({"happenings": {"type": "integer"}})
        if kind is not updates.Resumed:
            told = message_record(kind, without=UNTOLD)
        properties = {"event": {"const": event}, "fields": told}
        told_kinds.append({"properties": properties})
    for event in ("stand-in", "remark"):
        told_kinds.append({"properties": {"event": {"const": event}, "fields": closed({})}})
    return {**whole, "oneOf": told_kinds}


def message(kind: type[messages.Message]) -> Schema:
    """The schema of one kind of message."""
    return (
        log()
        if kind is messages.Log
        else message_record(kind, {"type": {"const": messages.type_of(kind)}})
    )


def used(found: Any) -> set[str]:
    """The names of the definitions to which a schema refers."""
    if isinstance(found, dict):
        own = {found["$ref"].rpartition("/")[2]} if "$ref" in found else set()
        return own.union(*map(used, found.values()))
    return set().union(*map(used, found)) if isinstance(found, list) else set()


def definitions(start: list[Schema]) -> Schema:
    """The schemas of all records inside the messages, by name."""
    known = {kind.__name__: kind for kind in _records()}
    happenings = [happening_alone(kind) for kind in kinds()]
    found: Schema = {"Happening": {"oneOf": happenings}}
    missing = used(start) | used(happenings)
    while missing := missing - set(found):
        for name in missing:
            found[name] = message_record(known[name])
        missing = used(list(found.values()))
    return dict(sorted(found.items()))


def _records() -> set[type]:
    """All records that may stand inside messages."""
    made = (*vars(records).values(), *vars(windows).values())
    own = {one for one in made if isinstance(one, type) and not issubclass(one, messages.Message)}
    return {*(one for one in own if is_dataclass(one)), ActionCard, Piece, updates.Muster}


def table_messages() -> Schema:
    """The schema of one message of a table."""
    found = [message(kind) for kind in (*messages.MESSAGES, *windows.WINDOW_MESSAGES)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One message of a table to a program ({messages.NAME})",
        "oneOf": found,
        "$defs": definitions(found),
    }


def texts() -> dict[Path, str]:
    """What each file holds."""
    return {
        TARGET: json.dumps(whole(), indent=2) + "\n",
        TABLE: json.dumps(table_messages(), indent=1) + "\n",
    }


def main(arguments: list[str]) -> int:
    """Write or check."""
    for path, text in texts().items():
        if arguments != ["--check"]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
