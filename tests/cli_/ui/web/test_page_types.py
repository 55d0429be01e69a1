"""The page's own types and what it takes are those of the contract."""

import json
import re
from typing import Any

import pytest
from support.page_browser import PAGE
from support.paths import ROOT

from cli.ui.web.window_requests import WINDOW_READERS

SCHEMA = json.loads((ROOT / "docs" / "table.schema.json").read_text(encoding="utf-8"))
MESSAGES = {one["properties"]["type"]["const"]: one for one in SCHEMA["oneOf"]}
TYPES = (PAGE / "types.d.ts").read_text(encoding="utf-8")
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in PAGE.glob("*.js")}
RECORDS = {
    **{name: name for name in ("WindowState", "SeatState", "Board", "SeatIdentity", "Entry")},
    "Edition": "EditionInfo",
    "Card": "ActionCard",
    "Standing": "StandingInfo",
    **{name: name.lower() for name in ("Table", "Question", "Checked", "Clock", "Ask", "Lobby")},
    **{name: name.lower() for name in ("Beat", "Ending", "Page")},
}
"""For each interface of the page the record or message of the contract."""
NOT_DRAWN = {"step"}
"""The messages that tell a person nothing."""
OWN = {"at"}
"""What the page adds to a message: when it came."""


def typed(schema: dict[str, Any]) -> str:
    """The type of a field in TypeScript, "" for one that is not simple."""
    if "anyOf" in schema:
        found = [typed(one) for one in schema["anyOf"]]
        return " | ".join(found) if all(found) else ""
    if schema.get("type") == "array" and "items" in schema:
        inner = typed(schema["items"])
        return f"{inner}[]" if inner and "|" not in inner else ""
    kinds = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}
    if "enum" in schema:
        return "string"
    return {**kinds, "null": "null"}.get(str(schema.get("type")), "")


@pytest.mark.parametrize("name", RECORDS)
def test_an_interface_has_the_fields_of_the_contract(name: str) -> None:
    (body,) = re.findall(rf"^export interface {name} \{{\n(.*?)^\}}", TYPES, re.M | re.S)
    known = RECORDS[name]
    found = SCHEMA["$defs"].get(known) or MESSAGES[known]
    fields = re.findall(r"^  (\w+): (.*);$", body, re.M)
    assert fields
    for field, kind in fields:
        if field in OWN:
            continue
        assert field in found["properties"], field
        wanted = typed(found["properties"][field])
        assert wanted in ("", kind), field


def test_every_message_of_the_contract_is_taken_or_known_to_be_nothing_to_see() -> None:
    body = SOURCES["state.js"].partition("const TAKES = {")[2].partition("\n};")[0]
    taken = set(re.findall(r'^  "?([\w-]+)"?: \(state', body, re.M))
    assert taken | NOT_DRAWN == set(MESSAGES)


def test_everything_that_is_sent_can_be_read_and_everything_that_can_be_read_is_sent() -> None:
    whole = "\n".join(SOURCES.values())
    sent = set(re.findall(r'type: "([\w-]+)"', whole))
    sent |= {"bye", "leave"} if '"bye" : "leave"' in whole else set()
    assert sent - {"enter"} == set(WINDOW_READERS)
