"""The source files of the checkout, each read and parsed once in a process."""

import ast
from functools import cache
from pathlib import Path

from support.paths import ROOT


@cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's syntax tree."""
    return tuple(ast.walk(tree_of(path)))


@cache
def files_under(*folders: str) -> tuple[Path, ...]:
    """Return the Python files of these folders of the checkout, sorted folder by folder."""
    return tuple(path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))


def short(path: Path) -> str:
    """Return the path of a file within the checkout."""
    return str(path.relative_to(ROOT))
