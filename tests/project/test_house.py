"""The house stands as drawn: arrows only downward, no circles, no I/O where none belongs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.paths import ROOT

PACKAGES = ("protocol", "p2p_hoity", "cli")
FILES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
OUTSIDE = {"trio", "socket", "ssl", "os", "time", "random", "secrets", "threading", "subprocess"}
CRYPTOGRAPHY = {"nacl", "cryptography", "hashlib", "hmac", "secrets", "protocol"}
LONGEST_FILE = 400
LONGEST_FUNCTION = 50


def name_of(path: Path) -> str:
    """The dotted module name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def nodes(tree: ast.AST, deferred: bool) -> Iterator[ast.AST]:
    """All nodes; without those inside functions unless `deferred`."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not deferred:
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from nodes(child, deferred)


def imports(path: Path, deferred: bool = True) -> set[str]:
    """The modules a file imports, absolute."""
    here = name_of(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    found: set[str] = set()
    for node in nodes(ast.parse(path.read_text(encoding="utf-8")), deferred):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                found.add(whole if whole in MODULES else origin)
    return found


def tops(names: set[str]) -> set[str]:
    """The top-level packages of module names."""
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_arrows_point_downward(path: Path) -> None:
    layer = PACKAGES.index(name_of(path).split(".")[0])
    above = set(PACKAGES[layer + 1 :])
    assert not tops(imports(path)) & above


def test_there_are_no_circles() -> None:
    graph = {name: imports(path, deferred=False) & set(MODULES) for name, path in MODULES.items()}
    for name, arrows in graph.items():
        arrows.discard(name)
        arrows -= {above for above in arrows if name.startswith(above + ".")}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {error.args[1]}")


@pytest.mark.parametrize("path", sorted((ROOT / "protocol").rglob("*.py")), ids=name_of)
def test_the_protocol_does_no_io(path: Path) -> None:
    assert not tops(imports(path)) & OUTSIDE


@pytest.mark.parametrize("path", sorted((ROOT / "protocol").rglob("*.py")), ids=name_of)
def test_the_protocol_knows_no_game(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    assert not any(word in text for word in ("castle", "thief", "detective", "auction"))


@pytest.mark.parametrize("path", sorted((ROOT / "p2p_hoity/rules").rglob("*.py")), ids=name_of)
def test_the_rules_know_no_cryptography(path: Path) -> None:
    assert not tops(imports(path)) & (CRYPTOGRAPHY | OUTSIDE)


@pytest.mark.parametrize("path", sorted((ROOT / "p2p_hoity").rglob("*.py")), ids=name_of)
def test_only_the_net_and_what_drives_it_know_trio(path: Path) -> None:
    floor = path.relative_to(ROOT / "p2p_hoity").parts[0]
    drives = floor in ("net", "tables") or path.stem in ("driver", "nursery")
    assert drives or "trio" not in tops(imports(path))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_rooms_are_small_and_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


BROAD = {"cli.app": {"BaseException"}, "cli.commands.verify": {"Exception"}}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_assert_and_no_broad_except_in_the_product(path: Path) -> None:
    """Any error ends in the command itself; and one file must not cost others their verdict."""
    broad = {None, "Exception", "BaseException"} - BROAD.get(name_of(path), set())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.Assert)
        if isinstance(node, ast.ExceptHandler):
            caught = None if node.type is None else ast.unparse(node.type)
            assert caught not in broad
