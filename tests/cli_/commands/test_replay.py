"""Tests of the lines of a replay: when choices were sealed, and every why that there is."""

import re
from dataclasses import fields
from pathlib import Path

from support.cli_stage import tool

from cli.commands import replay
from cli.commands.replay import Sealing, sealings
from p2p_hoity.rules import Place, Why, happenings

ITEMS: list[happenings.Happening] = [
    happenings.RoundBegan(1, (0, 1), (), None),
    happenings.PlaceShown(0, Place.CASTLE),
    happenings.NoSale(1),
]


def types(sealed: list[Sealing]) -> list[str]:
    return [str(line["type"]) for line in replay._lines(ITEMS, sealed)]


def test_a_sealing_stands_before_what_had_not_happened_yet_and_says_who() -> None:
    one, two, end = (Sealing(at, 9 + at, "place", (0, 1)) for at in (0, 1, 3))
    wanted = ["sealed", "round-began", "sealed", "place-shown", "no-sale", "sealed"]
    assert types([one, two, end]) == wanted
    assert types([]) == ["round-began", "place-shown", "no-sale"]
    lines = list(replay._lines(ITEMS, [Sealing(1, 12, "action", (1,))]))
    assert lines[1] == {"type": "sealed", "round": 1, "step": 12, "kind": "action", "seats": [1]}
    assert [line["index"] for line in lines if "index" in line] == [0, 1, 2]
    assert list(sealings(None)) == []


def test_the_schema_and_the_document_have_every_why_and_know_objects_whole() -> None:
    schema = tool("replay_schema")
    listed = {why for whys in schema.WHY.values() for why in whys}
    assert listed == set(Why)
    text = (Path(schema.TARGET).parent / "replay.md").read_text(encoding="utf-8")
    for kind, whys in schema.WHY.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{kind}`")][-1:]
        assert all(f"`{why}`" in row for why in whys), kind
    named = text.partition("from its `happenings`. Only ")[2].partition(" name the `round`")[0]
    kinds = happenings.Happening.__subclasses__()
    with_round = [one for one in kinds if "round" in {field.name for field in fields(one)}]
    kebab = [re.sub(r"(?<!^)(?=[A-Z])", "-", one.__name__).lower() for one in with_round]
    assert set(re.findall(r"`([\w-]+)`", named)) == set(kebab)
    for found in (schema.edition(), schema.sealed()):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])
