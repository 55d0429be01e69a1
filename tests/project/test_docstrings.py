"""Docstrings of the product: complete on its boundary, elsewhere without what is read already."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from support.boundary import PORTS, boundary, is_boundary
from support.paths import ROOT
from support.source import files_under, nodes_of, short, tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef

DOCUMENTED = ("protocol", "p2p_hoity", "cli")
"""The folders whose functions and classes have docstrings."""

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


def is_obvious(function: Function) -> bool:
    """Return whether a function needs no docstring: it is special, or private and short."""
    length = (function.body[-1].end_lineno or 0) - function.body[0].lineno + 1
    name = function.name
    return name.startswith("__") or (name.startswith("_") and length <= 3)


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


def known_of(function: Function, owner: ast.AST) -> dict[str, list[str]]:
    """Return the sections of a function, and those that document it in the bases of its class."""
    known = sections(ast.get_docstring(function) or "")
    for above in declared(owner, function.name) if isinstance(owner, ast.ClassDef) else ():
        for key, entries in above.items():
            known.setdefault(key, []).extend(entries)
    return known


def undocumented_raises(function: Function, owner: ast.AST) -> list[str]:
    """Return which errors a public function raises itself, and no docstring of it names."""
    known = known_of(function, owner).get("Raises", ())
    names = sorted(raised(function) - {"", *known})
    return [f"Raises lacks {name}" for name in names]


def wrong_on_boundary(function: Function, owner: ast.AST) -> list[str]:
    """Return what the docstring of a function of the boundary lacks.

    A method need not repeat the sections that document it in a base of its class.
    """
    known = known_of(function, owner)
    wrong = [f"Args lacks {n}" for n in parameters(function) if n not in known.get("Args", ())]
    gives = function.returns is not None and ast.unparse(function.returns) not in (
        "None",
        "NoReturn",
        "Never",
    )
    if gives and not {"Returns", "Yields"} & known.keys():
        wrong.append("has no Returns")
    if raised(function) and "Raises" not in known:
        wrong.append("has no Raises")
    return wrong


def stem(word: str) -> str:
    """Return a word in lower case, without its ending."""
    word = word.lower()
    for ending in ("ings", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def stems(text: str) -> set[str]:
    """Return the stems of the words of a text or a name, without those that say nothing."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text.replace("_", " "))
    return {stem(word) for word in re.findall(r"[A-Za-z]+", apart)} - SMALL


SMALL_WORDS = """
    the a an of to in for is are that which it its this these with by from and or as on at be was
    were has have if not no one each all whose may can there here than then so
"""
SMALL = frozenset(map(stem, SMALL_WORDS.split()))
"""Words without which an entry says the same."""

FACT = re.compile(r"\bNone\b|\d|[\"`]|\b[Ee]mpty\b")
"""What tells a fact although all words of its entry stand elsewhere: None, a number, a literal."""


def in_sight(node: Function | ast.ClassDef) -> str:
    """Return the names and types that a reader of a definition sees."""
    seen = [node.name]
    if isinstance(node, ast.ClassDef):
        return " ".join(seen + [ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign)])
    given = node.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        seen += [one.arg, ast.unparse(one.annotation) if one.annotation else ""]
    seen.append(ast.unparse(node.returns) if node.returns else "")
    return " ".join(seen)


def entries(docstring: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the prose of a docstring, and its entries as section, name and text."""
    prose, found, section = [], list[tuple[str, str, str]](), ""
    for line in docstring.splitlines():
        if match := SECTION.match(line):
            section = match[1]
        elif not section:
            prose.append(line)
        elif section in ("Args", "Attributes") and (match := ENTRY.match(line)):
            found.append((section, match[1], line[match.end() :]))
        elif found and found[-1][0] == section:
            found[-1] = (*found[-1][:2], f"{found[-1][2]} {line.strip()}")
        else:
            found.append((section, "", line.strip()))
    return "\n".join(prose), found


def said_already(node: Function | ast.ClassDef) -> list[str]:
    """Return the entries all of whose words stand in the name, the types and the prose."""
    prose, found = entries(ast.get_docstring(node) or "")
    known = stems(in_sight(node)) | stems(prose)
    return [
        f"{section} {name} says nothing new: {text.strip()}"
        for section, name, text in found
        if section in ("Args", "Returns", "Attributes")
        and not stems(text) - known - stems(name)
        and not FACT.search(text)
    ]


def wrong_in_function(function: Function, owner: ast.AST) -> list[str]:
    """Return what is wrong with the docstring of a function, wherever it stands."""
    docstring = ast.get_docstring(function)
    if docstring is None:
        return [] if is_obvious(function) else ["has no docstring"]
    extra = set(sections(docstring).get("Args", ())) - set(parameters(function))
    wrong = [f"Args has {n}, which is no parameter" for n in sorted(extra)]
    return wrong if is_exempt(function) else wrong + undocumented_raises(function, owner)


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


def definitions(
    tree: ast.Module,
) -> Iterator[tuple[str, Function | ast.ClassDef, ast.Module | ast.ClassDef]]:
    """Find the classes, functions and methods of a module, with their names and owners."""
    waiting: list[tuple[str, ast.Module | ast.ClassDef]] = [("", tree)]
    while waiting:
        prefix, owner = waiting.pop()
        for one in owner.body:
            if isinstance(one, ast.ClassDef):
                waiting.append((f"{prefix}{one.name}.", one))
            if isinstance(one, Function | ast.ClassDef):
                yield prefix + one.name, one, owner


def wrong_in(tree: ast.Module, path: str) -> list[str]:
    """Return what is wrong with the docstrings of a module, each with its line and name."""
    found = []
    for name, node, owner in definitions(tree):
        wrong = wrong_in_function(node, owner) if isinstance(node, Function) else []
        if not is_boundary(path, name):
            wrong += said_already(node)
        elif isinstance(node, ast.ClassDef):
            wrong += wrong_in_fields(node) if is_dataclass(node) else []
        elif not is_exempt(node):
            wrong += wrong_on_boundary(node, owner)
        found += [f"{node.lineno} {node.name}: {text}" for text in wrong]
    return found


@pytest.mark.parametrize("folder", DOCUMENTED)
def test_docstrings_are_complete_on_the_boundary_and_new_elsewhere(folder: str) -> None:
    found = [
        f"{short(path)}:{text}"
        for path in files_under(folder)
        if path != HELP
        for text in wrong_in(tree_of(path), short(path))
    ]
    assert not found, "\n".join(found)


def test_what_is_on_the_boundary_exists() -> None:
    for path, name in boundary():
        names = {name for name, _, _ in definitions(tree_of(ROOT / path))}
        is_constant = name.isupper() or name == "File"
        assert not name or is_constant or name in names, (path, name)
    assert all((ROOT / path).is_file() for path in PORTS)


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


PORT = "protocol/game_interface.py"
"""A file of the boundary."""


def told(source: str, path: str) -> list[str]:
    """Return what is wrong in a source at a path, without lines and names."""
    return [text.partition(": ")[2] for text in wrong_in(ast.parse(source), path)]


def test_what_is_missing_on_the_boundary_is_found() -> None:
    assert told(SAMPLE, PORT) == [
        "Attributes lacks year",
        "Args has place, which is no parameter",
        "Raises lacks ValueError",
        "Args lacks seed",
        "has no Returns",
        "has no Raises",
    ]


def test_a_complete_docstring_passes() -> None:
    whole = SAMPLE.replace("place: Nothing.", "seed: The seed.\n\n    Returns:\n        The card.")
    whole = whole.replace(
        "The card.\n", "The card.\n\n    Raises:\n        ValueError: If it is empty.\n"
    )
    whole = whole.replace("letter: Its letter.", "letter: Its letter.\n        year: Its year.")
    assert told(whole, PORT) == []


def test_elsewhere_an_entry_has_to_say_something_new() -> None:
    assert sorted(told(SAMPLE, "p2p_hoity/sample.py")) == [
        "Args deck says nothing new: The deck.",
        "Args has place, which is no parameter",
        "Attributes letter says nothing new: Its letter.",
        "Raises lacks ValueError",
    ]
    facts = SAMPLE.replace("deck: The deck.", "deck: Bottom card first.")
    facts = facts.replace("place: Nothing.", "seed: None for a fresh one.")
    facts = facts.replace("Its letter.", "From A to F.")
    facts = facts.replace("fresh one.\n", "fresh one.\n\n    Raises:\n        ValueError: If so.\n")
    assert told(facts, "p2p_hoity/sample.py") == []


def test_only_a_short_private_function_has_no_docstring() -> None:
    short_one = "def _next(seat):\n    return seat + 1\n"
    long_one = "def _next(seat):\n" + "    seat += 1\n" * 3 + "    return seat\n"
    assert told(short_one, "p2p_hoity/sample.py") == []
    assert told(long_one, "p2p_hoity/sample.py") == ["has no docstring"]
    assert told(short_one.replace("_next", "next"), "p2p_hoity/sample.py") == ["has no docstring"]


OVERRIDE = '''
class Step(StepRules[None]):
    """A step."""

    def check(self, node, seat, body) -> bytes:
        """Check a body."""
        raise Invalid("bad-body")
'''


def test_a_method_need_not_repeat_what_a_base_of_its_class_documents() -> None:
    lacks = "Raises lacks Invalid"
    assert lacks not in told(OVERRIDE, "p2p_hoity/sample.py")
    assert lacks in told(OVERRIDE.replace("StepRules[None]", "object"), "p2p_hoity/sample.py")
