"""No command that a person is told to type contains a path or another word that is not quoted."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from support.cases import each
from support.source import files_under, nodes_of, short

from cli.words.translation import NAMES

COMMAND = rf"(?:hoity (?:{'|'.join(NAMES)})\b|\{{hoity\}} |-m pip|\b(?:chmod|chown|sudo|rm|cp|mv) )"
AFTER_COMMAND = re.compile(rf"{COMMAND}[^.;]*?\{{(\w+)\}}")
IDS = {"game", "word", "ticket", "code"}
"""The gaps that hold ids and codes, which need no quotes. Other words are in a gap `{command}`."""
QUOTING = {"command_line", "command", "install_command", "_path"}
"""The functions that quote each word of a command."""
QUOTED_BEFORE = {("list_games.py", "typed")}
"""Names that hold a quoted command and an id."""


def joined(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield each text with its gaps, of messages and of f-strings, and its line."""
    for node in nodes:
        match node:
            case ast.Constant(str(text)):
                yield node.lineno, text
            case ast.JoinedStr(parts):
                texts = (one.value if isinstance(one, ast.Constant) else "{_}" for one in parts)
                yield node.lineno, "".join(map(str, texts))


def unquoted(nodes: Iterable[ast.AST], file: str = "") -> list[int]:
    """Return the lines on which a command gets a word that is not quoted."""
    nodes = list(nodes)
    found = [line for line, text in joined(nodes) if {*AFTER_COMMAND.findall(text)} - IDS]
    sound = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign)
        for target, value in pairs(node)
        if isinstance(target, ast.Name) and quotes(value)
    }
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "command":
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            if not quotes(node.value) and name not in sound and (file, name) not in QUOTED_BEFORE:
                found.append(node.value.lineno)
    return found


def pairs(node: ast.Assign) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield each target of an assignment with its value."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def quotes(node: ast.AST) -> bool:
    """Return whether an expression is the result of a function that quotes."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in QUOTING
    )


@each(files_under("p2p_hoity", "cli"), short)
def test_no_printed_command_has_an_unquoted_word(path: Path) -> None:
    assert unquoted(nodes_of(path), path.name) == []


@pytest.mark.parametrize(
    "line",
    [
        '_("Check it with: hoity verify {path}").format(path=path)',
        'f"hoity resume --from {file}"',
        'f"chmod 700 {path}"',
        '_("See {command}").format(command=f"hoity {path}")',
        '_("See {command}").format(command=path)',
        '_("They type: {hoity} join {whole}")',
    ],
)
def test_the_check_finds_what_it_looks_for(line: str) -> None:
    assert unquoted(ast.walk(ast.parse(line))) == [1]


def test_the_check_lets_through_what_is_quoted() -> None:
    for line in (
        '_("See {command}").format(command=command_line("verify", path))',
        'one = command("chmod", path); Error(command=one)',
        '_("Type hoity resume {game}. It is in {path}")',
    ):
        assert unquoted(ast.walk(ast.parse(line))) == []
