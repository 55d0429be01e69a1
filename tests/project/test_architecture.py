"""The architecture: packages depend only downward, in no circle, with no I/O where none belongs."""

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.cases import each
from support.paths import ROOT
from support.source import files_under, nodes_of, short, text_of, tree_of

import protocol

PACKAGES = ("protocol", "p2p_hoity", "cli")
FILES = files_under(*PACKAGES)
OUTSIDE = {"trio", "socket", "ssl", "os", "time", "random", "secrets", "threading", "subprocess"}
CRYPTOGRAPHY = {"nacl", "cryptography", "hashlib", "hmac", "secrets", "protocol"}
LONGEST_FILE = 450
LONGEST_FUNCTION = 46
"""Lines of a function, without its docstring."""


def name_of(path: Path) -> str:
    """The dotted module name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def under(folder: str) -> list[Path]:
    """The files of a folder."""
    found = [path for path in FILES if path.is_relative_to(ROOT / folder)]
    assert found, f"no file under {folder}"
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements that run, also those inside functions."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from statements(child)


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules that a file imports, as absolute names."""
    here = name_of(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    found: set[str] = set()
    for node in statements(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                found.add(whole if whole in MODULES else origin)
    return frozenset(found)


def tops(names: Collection[str]) -> set[str]:
    """The top-level packages of module names."""
    return {name.split(".")[0] for name in names}


@each(FILES, name_of)
def test_arrows_point_downward(path: Path) -> None:
    layer = PACKAGES.index(name_of(path).split(".")[0])
    above = set(PACKAGES[layer + 1 :])
    assert not tops(imports(path)) & above


def test_there_are_no_circles() -> None:
    graph = {name: set(imports(path)) & set(MODULES) for name, path in MODULES.items()}
    for name, arrows in graph.items():
        arrows.discard(name)
        arrows -= {above for above in arrows if name.startswith(above + ".")}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {error.args[1]}")


@each(under("protocol"), name_of)
def test_the_protocol_does_no_io_and_knows_no_game(path: Path) -> None:
    assert not tops(imports(path)) & OUTSIDE
    text = text_of(path).lower()
    assert not any(word in text for word in ("castle", "thief", "detective", "auction"))


@each(under("p2p_hoity/rules"), name_of)
def test_the_rules_know_no_cryptography(path: Path) -> None:
    """Of the protocol they know the one page that is plain vocabulary: what a game must say."""
    assert not tops(imports(path) - {"protocol.game_interface"}) & (CRYPTOGRAPHY | OUTSIDE)


def test_what_a_game_must_say_rests_on_nothing() -> None:
    found = tops(imports(MODULES["protocol.game_interface"]))
    assert found == {"__future__", "collections", "dataclasses", "typing"}


SCREENLESS = ("cli.words.", "cli.table_view.")


@each(under("cli/table_view"), name_of)
def test_what_a_screen_shows_knows_no_screen(path: Path) -> None:
    """A terminal draws it with lines of text, and a page could draw it with other means."""
    inside = {name for name in imports(path) if name.split(".")[0] == "cli"}
    assert all(name.startswith(SCREENLESS) for name in inside), inside


@each(under("cli/pictures"), name_of)
def test_a_picture_knows_no_terminal(path: Path) -> None:
    """Of `printing` it uses what makes a text harmless and breaks it into lines."""
    inside = {name for name in imports(path) if name.split(".")[0] == "cli"} - {"cli.printing"}
    assert all(name.startswith((*SCREENLESS, "cli.pictures.")) for name in inside), inside
    assert not tops(imports(path)) & {"textual", "rich", "sys", "os"}


TIMELESS = {
    "chat",
    "end_codes",
    "frame_access",
    "frame_kinds",
    "known_progress",
    "lobby",
    "own_results",
    "peer_error",
    "presence",
    "read_progress",
    "rematch_frames",
    "saved_games",
    "seat_counts",
    "spake2_exchange",
    "spoken_codes",
    "ticket_proof",
    "unfinished_games",
}
"""The files of a table that neither wait nor read a clock."""


@each(under("p2p_hoity"), name_of)
def test_only_the_net_and_what_drives_it_know_trio(path: Path) -> None:
    floor = path.relative_to(ROOT / "p2p_hoity").parts[0]
    waits = floor in ("net", "relay", "reachability", "table", "web") and path.stem not in TIMELESS
    assert waits or "trio" not in tops(imports(path))


IN_THE_LOBBY = (
    "beside_game.rematch",
    "gathering.host_table",
    "gathering.join_table",
    "gathering.lobby",
    "gathering.ticket_proof",
    "playing.frame_access",
)


@pytest.mark.parametrize("name", IN_THE_LOBBY)
def test_the_lobby_knows_a_link_by_its_32_bytes_alone(name: str) -> None:
    """[L-75]: how a link is secured, and so how it is named, is no affair of what stands above."""
    found = imports(MODULES[f"p2p_hoity.table.{name}"])
    assert not {f"p2p_hoity.net.{name}" for name in ("channel", "noise", "relay_tls")} & found
    assert not tops(found) & {"ssl", "cryptography"}


def lines_of_code(path: Path) -> int:
    """Return how many lines of a file are neither blank nor part of a docstring or comment."""
    lines = [line.strip() for line in text_of(path).splitlines()]
    is_code = [bool(line) and not line.startswith("#") for line in lines]
    for node in nodes_of(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for number in range(node.lineno - 1, node.end_lineno or 0):
                is_code[number] = False
    return sum(is_code)


@each(FILES, name_of)
def test_modules_are_small_and_say_what_they_are(path: Path) -> None:
    assert ast.get_docstring(tree_of(path))
    assert lines_of_code(path) <= LONGEST_FILE
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
            described = 0
            if isinstance(docstring, ast.Constant):
                described = (docstring.end_lineno or 0) - docstring.lineno + 1
            length = (node.end_lineno or 0) - node.lineno - described
            assert length < LONGEST_FUNCTION, node.name


BROAD = {
    "cli.app": {"BaseException"},
    "cli.commands.verify": {"Exception"},
    "cli.ui.browser.file_window": {"Exception"},
    "cli.ui.web.page_host": {"Exception"},
    "cli.ui.web.page_server": {"Exception"},
    "cli.ui.web.page_window": {"Exception"},
    "protocol.transcript.verifier": {"Exception"},
}


@each(FILES, name_of)
def test_no_assert_and_no_broad_except_in_the_product(path: Path) -> None:
    """Any error ends in the command itself; one file must not cost others their verdict; no page
    may end a game; and behind a proof that is not checked yet anything may go wrong."""
    broad = {None, "Exception", "BaseException"} - BROAD.get(name_of(path), set())
    for node in nodes_of(path):
        assert not isinstance(node, ast.Assert)
        if isinstance(node, ast.ExceptHandler):
            caught = None if node.type is None else ast.unparse(node.type)
            assert caught not in broad


FLOORS = {
    "protocol": (
        "errors game_interface units",
        "fault_codes",
        "crypto",
        "wire",
        "chain",
        "consensus",
        "transcript",
        "seat",
    ),
    "p2p_hoity": (
        "shell_words web",
        "coded_errors confusable_names installation pasted_text rules worker_processes",
        "dask_cluster",
        "storage bots net",
        "editions relay reachability",
        "game_adapter lesson_script",
        "presentation sealings",
        "table",
    ),
    "cli": (
        "plain_letters printing",
        "words",
        "exit_codes table_view",
        "pictures",
        "local",
        "ui",
        "commands",
        "completion help",
        "app",
    ),
}
"""The floors of each package, the lowest first; several names of one floor stand side by side."""


@each(list(FLOORS), str)
def test_floors_rest_on_lower_ones_only(package: str) -> None:
    level = {name: at for at, floor in enumerate(FLOORS[package]) for name in floor.split()}
    for path in under(package):
        inside = path.relative_to(ROOT / package).with_suffix("").parts
        own = level.get(inside[0])
        for name in imports(path):
            there = name.split(".")
            if own is None or there[0] != package or len(there) < 2 or there[1] == inside[0]:
                continue
            assert level[there[1]] < own, f"{name_of(path)} imports {name}"


FACE = {
    "protocol",
    "protocol.game_interface",
    "protocol.units",
    *(f"protocol.{name}" for name in protocol.__all__),
}
MOST_NAMES = 30


@each(under("p2p_hoity") + under("cli"), name_of)
def test_nothing_reaches_past_the_face_of_the_protocol(path: Path) -> None:
    assert {name for name in imports(path) if name.split(".")[0] == "protocol"} <= FACE


def test_the_face_is_small_and_each_name_says_what_it_is() -> None:
    assert len(protocol.__all__) <= MOST_NAMES
    assert set(protocol.__all__) == set(protocol.WHERE)
    for name in protocol.__all__:
        value = getattr(protocol, name)
        if callable(value) or inspect.ismodule(value):
            assert value.__doc__, name
    with pytest.raises(AttributeError, match="Desk"):
        protocol.Desk  # noqa: B018


OWNERS = ("log", "signer", "timers", "judge", "peers", "outbox")
INSIDE = re.compile(rf"machine(?:\(\w*\))?\.(?:{'|'.join(OWNERS)})\b")
"""What names an owner of a machine's state."""


@each(under("p2p_hoity") + under("cli"), name_of)
def test_a_driver_touches_nothing_inside_a_machine(path: Path) -> None:
    """What stands behind the public names of a machine is nobody's business above the protocol."""
    assert not INSIDE.search(text_of(path))


CHANGES = {
    *("add", "append", "clear", "difference_update", "discard", "extend", "insert", "pop"),
    *("popitem", "remove", "reverse", "setdefault", "sort", "update"),
}


def changed(node: ast.AST) -> list[ast.expr]:
    """Return what a statement or call changes: what it assigns to, or whose content."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            found = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            found = [target]
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in CHANGES:
            found = [value]
        case ast.Call(func=ast.Name("setattr"), args=[value, *_]):
            return [ast.Attribute(value, "_")]
        case _:
            found = []
    rows = [one.elts if isinstance(one, ast.Tuple | ast.List) else [one] for one in found]
    return [one for row in rows for one in row]


def reached(node: ast.expr) -> tuple[str, int]:
    """Return the name that an expression begins with, and how many attributes it goes through."""
    count = 0
    while not isinstance(node, ast.Name):
        count += isinstance(node, ast.Attribute)
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                node = inner
            case _:
                return "", 0
    return node.id, count


def writes_elsewhere(tree: ast.AST) -> list[str]:
    """Return the lines that change what an attribute of another object holds, as far as is seen.

    A class may change its own attributes, and a function what it has made itself.
    """
    aliases = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        for target in changed(node):
            name, count = reached(target)
            is_own = name == "self" and count == 1
            is_alias = name in aliases and not isinstance(target, ast.Name)
            if (count and not is_own) or is_alias:
                found.append(ast.unparse(node))
    return found


@each(under("protocol/seat"), name_of)
def test_only_its_owner_writes_what_a_seat_holds(path: Path) -> None:
    assert writes_elsewhere(tree_of(path)) == []


def test_that_check_finds_each_way_to_write() -> None:
    lines = (
        "state.signer.promise = 1",
        "state.judge.proofs[1] = proof",
        "self.log.final += 1",
        "del state.peers.links",
        "state.peers.links.add(1)",
        "state.log.store.versions(1).append(2)",
        "setattr(state.log, 'view', None)",
        "known = state.judge.ends\nknown[1] = 2",
    )
    for line in lines:
        assert len(writes_elsewhere(ast.parse(line))) == 1, line
    own = (
        "self.links.add(1)\nself.proofs[1] = 2\nself.a, self.b = 1, 2\nfound = []\nfound.append(1)"
    )
    assert writes_elsewhere(ast.parse(own)) == []


# The tests themselves

TESTS = files_under("tests")
OF_TESTS = re.compile(
    r"(?m)^\s*(?:from|import) (?:p2p_hoity_|protocol_|cli_|processes|project)[. ]"
)


def is_of_a_part(path: str) -> bool:
    """Return whether a file has the tests of one part of a machine, which know it from inside."""
    part = path.removeprefix("tests/protocol_/seat/test_")
    return part != path and (ROOT / "protocol/seat" / part).is_file()


def test_no_test_module_is_imported_and_one_file_knows_the_inside_of_a_machine() -> None:
    assert [short(path) for path in TESTS if OF_TESTS.search(text_of(path))] == []
    found = {short(path) for path in TESTS if INSIDE.search(text_of(path))}
    assert {path for path in found if not is_of_a_part(path)} == {"tests/support/inspection.py"}


def test_what_the_product_imports_is_declared() -> None:
    """The wheel is tried beside the tools of the tests, where nothing would be missing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = sum((extras[name] for name in ("relay", "cluster")), project["dependencies"])
    declared = {re.split(r"[^\w-]", line)[0].replace("-", "_").lower() for line in lines}
    names = {top for path in FILES for top in tops(imports(path))}
    outside = names - set(sys.stdlib_module_names) - set(PACKAGES)
    assert {NAMED_OTHERWISE.get(name, name) for name in outside} <= declared


NAMED_OTHERWISE = {
    "nacl": "pynacl",
    "click": "typer",
    "rich": "textual",
    "cloudpickle": "distributed",
    "netifaces": "netifaces_plus",
}
"""Modules by the distribution that brings them, where the names differ."""
