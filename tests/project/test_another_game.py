"""docs/another-game.md is run as it stands: a second game on the public face of the protocol."""

import ast
import re
from typing import Any

import pytest
from support.paths import ROOT

PAGE = (ROOT / "docs" / "another-game.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
MOST_LINES = 100
"""Of game and driver together, blank lines and imports not counted."""


def lines_of(block: str) -> list[str]:
    """The lines that are neither blank nor part of an import."""
    lines = block.split("\n")
    for node in ast.parse(block).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
    return [line for line in lines if line.strip()]


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names of the page after it was run."""
    space: dict[str, Any] = {"__name__": "another_game"}
    page = compile("\n".join(BLOCKS), "docs/another-game.md", "exec", dont_inherit=True)
    exec(page, space)
    return space


def test_the_page_plays_a_whole_game_that_verifies_unless_changed(page: dict[str, Any]) -> None:
    machines, report = page["machines"], page["report"]
    assert report.ok
    assert len({machine.tip.digest for machine in machines}) == 1
    assert machines[0].tip.state.rounds == page["ROUNDS"]
    assert sorted(seat for _, seat in report.standings) == [0, 1, 2]
    assert len(machines[0].tip.state.shown) == 9
    data = bytearray(page["machines"][1].transcript())
    data[len(data) // 2] ^= 1
    game_of = lambda terms: page["RockPaperScissors"](terms.seats)  # noqa: E731
    assert not page["transcript"].verify(bytes(data), game_of).ok


def test_game_and_driver_are_small_and_import_the_face_alone() -> None:
    assert len(BLOCKS) == 3
    assert sum(len(lines_of(block)) for block in BLOCKS[:2]) < MOST_LINES
    origins = {
        node.module or ""
        for block in BLOCKS
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom)
    }
    assert {one for one in origins if one.startswith(("protocol", "p2p_hoity"))} == {
        "protocol",
        "protocol.game_interface",
    }
