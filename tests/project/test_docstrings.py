"""Docstrings of the product: public functions and fields say what they take, give and raise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from support.paths import ROOT
from support.source import files_under, nodes_of, short, tree_of

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


@cache
def product_classes() -> Mapping[str, ast.ClassDef]:
    """Return the classes of the product by name. No two have the same name."""
    nodes = (node for path in files_under(*DOCUMENTED) for node in nodes_of(path))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


def declared(owner: ast.ClassDef, name: str) -> Iterator[dict[str, list[str]]]:
    """Find the sections that document a method in the bases of a class."""
    for base in owner.bases:
        found = product_classes().get(ast.unparse(base).partition("[")[0].split(".")[-1])
        if found is not None:
            for one in found.body:
                if isinstance(one, Function) and one.name == name:
                    yield sections(ast.get_docstring(one) or "")
            yield from declared(found, name)


def wrong_in_function(function: Function, owner: ast.Module | ast.ClassDef) -> list[str]:
    """Return what the docstring of a public function lacks.

    A method need not repeat the sections that document it in a base of its class.
    """
    docstring = ast.get_docstring(function)
    if docstring is None:
        return ["has no docstring"]
    own = sections(docstring)
    known = {key: list(entries) for key, entries in own.items()}
    for above in declared(owner, function.name) if isinstance(owner, ast.ClassDef) else ():
        for key, entries in above.items():
            known.setdefault(key, []).extend(entries)
    wrong = [f"Args lacks {n}" for n in parameters(function) if n not in known.get("Args", ())]
    extra = set(own.get("Args", ())) - set(parameters(function))
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


def wrong_in(module: ast.Module) -> list[str]:
    """Return what the docstrings of a module lack, each with its line and name."""
    found = []
    waiting: list[ast.Module | ast.ClassDef] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef) and is_dataclass(node):
            found += [f"{node.lineno} {node.name}: {text}" for text in wrong_in_fields(node)]
        for one in node.body:
            if isinstance(one, ast.ClassDef):
                waiting.append(one)
            elif isinstance(one, Function) and not is_exempt(one):
                wrong = wrong_in_function(one, node)
                found += [f"{one.lineno} {one.name}: {text}" for text in wrong]
    return found


@pytest.mark.parametrize("folder", DOCUMENTED)
def test_public_functions_and_fields_are_documented(folder: str) -> None:
    found = [
        f"{short(path)}:{text}"
        for path in files_under(folder)
        if path != HELP
        for text in wrong_in(tree_of(path))
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
    assert [text.partition(": ")[2] for text in wrong_in(ast.parse(SAMPLE))] == [
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
    assert wrong_in(ast.parse(whole)) == []


OVERRIDE = '''
class Step(StepRules[None]):
    """A step."""

    def check(self, node, seat, body) -> bytes:
        """Check a body."""
        raise Invalid("bad-body")

    def then(self, node) -> bytes:
        """Return a body."""
'''


def test_a_method_need_not_repeat_what_a_base_of_its_class_documents() -> None:
    lacks = [text.partition(" ")[2] for text in wrong_in(ast.parse(OVERRIDE))]
    assert lacks == ["then: Args lacks node", "then: has no Returns"]
    alone = wrong_in(ast.parse(OVERRIDE.replace("StepRules[None]", "object")))
    assert [text.partition(": ")[2] for text in alone[:4]] == [
        "Args lacks node",
        "Args lacks seat",
        "Args lacks body",
        "has no Returns",
    ]
