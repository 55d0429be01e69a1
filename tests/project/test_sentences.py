"""Codes and fields cross floors, sentences never: nothing above `protocol` reads its English."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.paths import ROOT

FILES = [path for name in ("p2p_hoity", "cli") for path in sorted((ROOT / name).rglob("*.py"))]
NOTED = {"Invalid", "OtherVersion", "Fault", "Unsound", "TooLarge"}
"""The errors of `protocol` whose text is a note for its developers."""


def handlers(tree: ast.AST) -> Iterator[ast.ExceptHandler]:
    """Where one of them is caught by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and node.name:
            names = {one.id for one in ast.walk(node.type) if isinstance(one, ast.Name)}
            names |= {one.attr for one in ast.walk(node.type) if isinstance(one, ast.Attribute)}
            if names & NOTED:
                yield node


def notes_read(source: str) -> list[int]:
    """The lines on which such a note is read, put into words, or compared."""
    found = []
    for handler in handlers(ast.parse(source)):
        for node in ast.walk(ast.Module(handler.body, [])):
            match node:
                case ast.Attribute(ast.Name(name), "reason" | "words" | "args"):
                    is_read = name == handler.name
                case ast.Call(ast.Name("str" | "repr"), [ast.Name(name)]):
                    is_read = name == handler.name
                case ast.FormattedValue(ast.Name(name)):
                    is_read = name == handler.name
                case _:
                    is_read = False
            if is_read:
                found.append(node.lineno)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_note_of_the_protocol_is_read_above_it(path: Path) -> None:
    allowed = {"game_port.py"}  # what it raises is a note again
    if path.name not in allowed:
        assert notes_read(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "use", ["error.reason", "str(error)", "f'it is {error}'", "words[error.reason]"]
)
def test_the_check_finds_what_it_looks_for(use: str) -> None:
    assert notes_read(f"try:\n  act()\nexcept Invalid as error:\n  say({use})") == [4]
    assert notes_read(f"try:\n  act()\nexcept OSError as error:\n  say({use})") == []
    assert notes_read("try:\n  act()\nexcept Invalid as error:\n  say(error.code)") == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_compared_with_a_sentence(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            texts = [node.left, *node.comparators]
            told = [one.value for one in texts if isinstance(one, ast.Constant)]
            assert not [one for one in told if isinstance(one, str) and one.count(" ") > 1]
