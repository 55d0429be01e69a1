"""Codes and fields cross floors, sentences never: nothing above `protocol` reads its English."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from support.cases import each
from support.source import files_under, nodes_of, short

FILES = files_under("p2p_hoity", "cli")
NOTED = {"Invalid", "OtherVersion", "Fault", "Unsound", "TooLarge"}
"""The errors of `protocol` whose text is a note for its developers."""


def handlers(nodes: Iterable[ast.AST]) -> Iterator[ast.ExceptHandler]:
    """Yield the handlers that catch one of them by name."""
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None and node.name:
            names = {one.id for one in ast.walk(node.type) if isinstance(one, ast.Name)}
            names |= {one.attr for one in ast.walk(node.type) if isinstance(one, ast.Attribute)}
            if names & NOTED:
                yield node


def notes_read(nodes: Iterable[ast.AST]) -> list[int]:
    """Return the lines on which such a note is read, put into words, or compared."""
    found = []
    for handler in handlers(nodes):
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


@each(FILES, short)
def test_no_note_of_the_protocol_is_read_above_it(path: Path) -> None:
    allowed = {"game_port.py"}  # what it raises is a note again
    if path.name not in allowed:
        assert notes_read(nodes_of(path)) == []


@pytest.mark.parametrize(
    "use", ["error.reason", "str(error)", "f'it is {error}'", "words[error.reason]"]
)
def test_the_check_finds_what_it_looks_for(use: str) -> None:
    source = "try:\n  act()\nexcept {}:\n  say({})"

    def found(*words: str) -> list[int]:
        return notes_read(ast.walk(ast.parse(source.format(*words))))

    assert found("Invalid as error", use) == [4]
    assert found("OSError as error", use) == []
    assert found("Invalid as error", "error.code") == []


@each(FILES, short)
def test_nothing_is_compared_with_a_sentence(path: Path) -> None:
    for node in nodes_of(path):
        if isinstance(node, ast.Compare):
            texts = [node.left, *node.comparators]
            told = [one.value for one in texts if isinstance(one, ast.Constant)]
            assert not [one for one in told if isinstance(one, str) and one.count(" ") > 1]
