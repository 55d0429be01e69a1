"""Docstrings of the product: public functions and fields say what they take, give and raise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from support.paths import ROOT

Function = ast.FunctionDef | ast.AsyncFunctionDef

DOCUMENTED = ("protocol", "p2p_hoity", "cli")
"""The folders whose docstrings are complete."""

HELP = ROOT / "cli/commands/command_lines.py"
"""The file whose docstrings are the help that commands print. Options are described there."""

EXEMPT = {"property", "cached_property", "override", "overload", "setter"}
"""Decorators of functions that are read as attributes, or documented where they are declared."""

SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Note|Notes|Example|Examples|SPEC):")
ENTRY = re.compile(r"^\s+\*{0,2}(\w+)(?: \([^)]*\))?:")


def sections(docstring: str) -> dict[str, list[str]]:
    """Return the names of the entries in each section of a docstring."""
    found: dict[str, list[str]] = {}
    current: str | None = None
    for line in docstring.splitlines():
        if match := SECTION.match(line):
            current = match[1]
            found.setdefault(current, [])
        elif line and not line.startswith(" "):
            current = None
        elif current is not None and (match := ENTRY.match(line)):
            found[current].append(match[1])
    return found


def parameters(function: Function) -> list[str]:
    """Return the names of all parameters but `self` and `cls`."""
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [a.arg for a in (given.vararg, given.kwarg) if a is not None]
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Find the nodes of a function without those of the functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def raised(function: Function) -> set[str]:
    """Return the names of the classes that a function raises itself; "" for a value of its own."""
    names = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            shown = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            is_named = isinstance(shown, ast.Name | ast.Attribute)
            name = ast.unparse(shown).split(".")[-1] if is_named else ""
            names.add(name if name[:1].isupper() else "")
    return names


def is_exempt(function: Function) -> bool:
    """Return whether a function needs no sections: it is private, or read as an attribute."""
    marks = {ast.unparse(d).split("(")[0].split(".")[-1] for d in function.decorator_list}
    return function.name.startswith("_") or bool(marks & EXEMPT)


def wrong_in_function(function: Function) -> list[str]:
    """Return what the docstring of a public function lacks."""
    docstring = ast.get_docstring(function)
    if docstring is None:
        return ["has no docstring"]
    known = sections(docstring)
    wrong = [f"Args lacks {n}" for n in parameters(function) if n not in known.get("Args", ())]
    extra = set(known.get("Args", ())) - set(parameters(function))
    wrong += [f"Args has {n}, which is no parameter" for n in sorted(extra)]
    gives = function.returns is not None and ast.unparse(function.returns) not in (
        "None",
        "NoReturn",
        "Never",
    )
    if gives and not {"Returns", "Yields"} & known.keys():
        wrong.append("has no Returns")
    names = raised(function)
    if names and "Raises" not in known:
        wrong.append("has no Raises")
    wrong += [f"Raises lacks {n}" for n in sorted(names - {""}) if n not in known.get("Raises", ())]
    return wrong


def is_dataclass(node: ast.ClassDef) -> bool:
    """Return whether a class is made by `dataclass`."""
    marks = (ast.unparse(d).split("(")[0].split(".")[-1] for d in node.decorator_list)
    return "dataclass" in marks


def wrong_in_fields(node: ast.ClassDef) -> list[str]:
    """Return the public fields of a dataclass that nothing documents.

    A field is documented in the section `Attributes` of its class, or by a string below it.
    """
    documented = set(sections(ast.get_docstring(node) or "").get("Attributes", ()))
    wrong = []
    for statement, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        has_string = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not (name.startswith("_") or name in documented or has_string):
            wrong.append(f"Attributes lacks {name}")
    return wrong


def wrong_in(source: str) -> list[str]:
    """Return what the docstrings of a module lack, each with its line and name."""
    found = []
    waiting: list[ast.Module | ast.ClassDef] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef) and is_dataclass(node):
            found += [f"{node.lineno} {node.name}: {text}" for text in wrong_in_fields(node)]
        for one in node.body:
            if isinstance(one, ast.ClassDef):
                waiting.append(one)
            elif isinstance(one, Function) and not is_exempt(one):
                found += [f"{one.lineno} {one.name}: {text}" for text in wrong_in_function(one)]
    return found


@pytest.mark.parametrize("folder", DOCUMENTED)
def test_public_functions_and_fields_are_documented(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text}"
        for path in sorted(set((ROOT / folder).rglob("*.py")) - {HELP})
        for text in wrong_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


SAMPLE = '''
@dataclass
class Card:
    """A card.

    Attributes:
        letter: Its letter.
    """

    letter: str
    year: int


def draw(deck, seed) -> Card:
    """Draw a card.

    Args:
        deck: The deck.
        place: Nothing.
    """
    if not deck:
        raise ValueError("empty")
'''


def test_what_is_missing_is_found() -> None:
    assert [text.partition(": ")[2] for text in wrong_in(SAMPLE)] == [
        "Args lacks seed",
        "Args has place, which is no parameter",
        "has no Returns",
        "has no Raises",
        "Raises lacks ValueError",
        "Attributes lacks year",
    ]


def test_a_complete_docstring_passes() -> None:
    whole = SAMPLE.replace("place: Nothing.", "seed: The seed.\n\n    Returns:\n        The card.")
    whole = whole.replace(
        "The card.\n", "The card.\n\n    Raises:\n        ValueError: If it is empty.\n"
    )
    whole = whole.replace("letter: Its letter.", "letter: Its letter.\n        year: Its year.")
    assert wrong_in(whole) == []
