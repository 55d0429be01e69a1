"""Public functions that raise name the error: in their own docstring, their class's or module's."""

import ast
from collections.abc import Iterator
from pathlib import Path

from support.cases import each
from support.source import files_under, short, tree_of

FILES = files_under("protocol", "p2p_hoity")
Function = ast.FunctionDef | ast.AsyncFunctionDef
NOT_OF_THE_CALLER = {"RuntimeError"}
"""A mistake of ours, which no caller handles."""


def public_functions(body: list[ast.stmt], said: str = "") -> Iterator[tuple[Function, str]]:
    """Each public function with what the docstrings around it say."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, said + (ast.get_docstring(node) or ""))
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node, said + (ast.get_docstring(node) or "")


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What runs when a function runs: nothing of functions defined in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            yield child
            yield from own_nodes(child)


def raised(function: Function) -> set[str]:
    """The names of the errors in its own raise statements, those caught in it included."""
    found = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = error.attr if isinstance(error, ast.Attribute) else getattr(error, "id", "")
            if name[:1].isupper():
                found.add(name)
    return found - NOT_OF_THE_CALLER


def unnamed(tree: ast.Module) -> list[str]:
    """Return 'function: error' for each error that is raised and not named."""
    return [
        f"{function.name}: {error}"
        for function, said in public_functions(tree.body, ast.get_docstring(tree) or "")
        for error in sorted(raised(function))
        if error not in said
    ]


@each(FILES, short)
def test_a_public_function_that_raises_names_the_error(path: Path) -> None:
    assert unnamed(tree_of(path)) == []


def test_the_check_finds_what_it_looks_for() -> None:
    bare = 'def f():\n    "Text."\n    raise Invalid("code")'
    for source, found in (
        (bare, ["f: Invalid"]),
        (bare.replace("Invalid", "RuntimeError"), []),
        (bare.replace("Text", "Raises Invalid"), []),
        ('"Invalid for all."\n' + bare, []),
        (bare.replace("def f", "def _f"), []),
    ):
        assert unnamed(ast.parse(source)) == found
