"""Makes the JSON schema of `hoity replay --json` from the rules' record: docs/replay.schema.json.

python3 tasks.py schema           write it
python3 tasks.py schema --check   exit 1 if it is stale
"""

from __future__ import annotations

import json
import re
import sys
import types
from dataclasses import fields
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from cli.commands.replay import FORMAT
from p2p_hoity.editions.load_edition import load
from p2p_hoity.editions.received_edition import parts_of
from p2p_hoity.game_adapter import SIZES
from p2p_hoity.rules import ActionCard, Happening, Piece, Place, Why, happenings
from p2p_hoity.rules.edition import LETTERS, SWITCH_VALUES

TARGET: Final = Path(__file__).resolve().parent.parent / "docs" / "replay.schema.json"
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
    also: Schema = {
        "index": {"type": "integer"},
        "round": {"type": "integer"},
        "type": {"const": name_of(kind)},
    }
    whole = record(kind, also)
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


def text() -> str:
    """What the file holds."""
    return json.dumps(whole(), indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check."""
    if arguments == ["--check"]:
        return 0 if TARGET.read_text(encoding="utf-8") == text() else 1
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
