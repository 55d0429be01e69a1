"""The contract of a table (`hoity-table-1`): each message fits the schema, and what it tells."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from support.paths import ROOT

Line = dict[str, Any]


@cache
def _kinds() -> dict[str, Draft202012Validator]:
    whole = json.loads((ROOT / "docs" / "table.schema.json").read_text(encoding="utf-8"))
    found = {}
    for kind in whole["oneOf"]:
        name = kind["properties"]["type"]["const"]
        found[name] = Draft202012Validator({**kind, "$defs": whole["$defs"]})
    return found


def check(line: Line) -> None:
    """Check that a line is a message of the contract, with all of its fields and no other."""
    problems = [
        f"{list(one.absolute_path)}: {one.message[:300]}"
        for one in _kinds()[line["type"]].iter_errors(line)
    ]
    assert not problems, (line["type"], problems)


def names() -> list[str]:
    """The types of all messages."""
    return sorted(_kinds())


def is_message(line: Line) -> bool:
    """Whether a line is of a type of the contract."""
    return line.get("type") in _kinds()


def flat(line: Line) -> list[Line]:
    """A `log` as an object of its event with its fields; a `beat` and what happened in it."""
    if line.get("type") == "log":
        return [{"type": line["event"], "words": line["words"], **line["fields"]}]
    return [line, *(line["happenings"] if line.get("type") == "beat" else ())]
