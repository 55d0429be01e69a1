"""Every wait and every counter of the program stands in docs/adversity.md."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.cases import each
from support.paths import ROOT
from support.source import files_under, tree_of

MARKS = {"Seconds", "Milliseconds", "Quota", "Pace"}
PAGE = (ROOT / "docs/adversity.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Every wait and every counter")[2].partition("\n## ")[0]
ROWS = [line.strip("| ").split(" | ") for line in SECTION.splitlines() if line.startswith("| `")]
PACKAGES = ("protocol", "p2p_hoity", "cli")
PACED = {"sleep", "move_on_after", "fail_after", "move_on_at", "fail_at"}
ASKING_THE_CLOCK = {"is_out", "has_stood", "is_over", "waits_as_proposer", "is_asking_due"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in files_under(package):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if name != "protocol.units" and path.stem != "__main__":
                yield name, tree_of(path)


def names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def marked(name: str, body: list[ast.stmt]) -> Iterator[str]:
    """Yield each marked constant or field of a module or class."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from marked(f"{name}.{node.name}", node.body)
        elif isinstance(node, ast.AnnAssign) and node.value and names_in(node.annotation) & MARKS:
            yield f"{name}.{ast.unparse(node.target)}"


def waiting_functions(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the functions of a seat that compare times."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                text = ast.unparse(node) if isinstance(node, ast.Compare) else ""
                calls = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                asks = calls and node.func.attr in ASKING_THE_CLOCK  # type: ignore[attr-defined]
                if asks or re.search(r"timers\.now|settled|served_in|\.left\(|now - ", text):
                    yield f"{name}.{function.name}"
                    break


@cache
def all_found() -> frozenset[str]:
    found = set[str]()
    for name, tree in modules():
        inside = name.partition(".")[2]
        found |= set(marked(inside, tree.body))
        if name.startswith("protocol.seat.") and not name.endswith(".timeouts"):
            found |= set(waiting_functions(inside, tree))
    return frozenset(found)


def listed() -> list[str]:
    return [item for row in ROWS for item in re.findall(r"`([\w.]+)`", row[0])]


def test_every_wait_and_counter_is_in_the_table_once() -> None:
    assert sorted(listed()) == sorted(all_found())


@each(ROWS, lambda row: row[0].split("`")[1])
def test_each_line_says_all_and_names_tests_that_there_are(row: list[str]) -> None:
    assert len(row) == 4
    assert all(cell.strip() for cell in row)
    tests = re.findall(r"`(tests/[\w/.]+)`", row[3])
    assert tests
    assert all(Path(ROOT / test).is_file() for test in tests)


def test_nothing_waits_for_a_number_without_a_mark() -> None:
    """A sleep or a deadline takes a marked constant, or what was worked out elsewhere."""
    every = {item.rpartition(".")[2] for item in all_found()}
    for name, tree in modules():
        inside, nodes = name.partition(".")[2], list(ast.walk(tree))
        own = {item.rpartition(".")[2] for item in marked(inside, tree.body)}
        brought = (node.names for node in nodes if isinstance(node, ast.ImportFrom))
        own |= every & {alias.name for names in brought for alias in names}
        for node in nodes:
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if not is_call or node.func.attr not in PACED or not node.args:  # type: ignore[attr-defined]
                continue
            given = node.args[0]  # type: ignore[attr-defined]
            assert not isinstance(given, ast.Constant), f"{name}: {ast.unparse(node)}"
            constants = {one for one in names_in(given) if one.isupper()}
            assert constants <= own, f"{name}: {ast.unparse(node)}"
