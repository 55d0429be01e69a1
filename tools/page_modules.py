"""Which modules the pages import: the lists in `cli/ui/browser`, and how they are found."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import protocol

from .environments import ROOT

BROWSER = ROOT / "cli" / "ui" / "browser"
_FOLDER = ROOT / "tools" / "page_build" / "stand_ins"


def _package(name: str) -> dict[str, Path]:
    """Return the file of each module of a package that is a stand-in."""
    files = sorted((_FOLDER / name).rglob("*.py"))
    parts = {file: file.relative_to(_FOLDER).with_suffix("").parts for file in files}
    return {".".join(part for part in parts[file] if part != "__init__"): file for file in files}


STAND_INS = {
    "anyio.to_interpreter": _FOLDER / "anyio_to_interpreter.py",
    "nacl._sodium": _FOLDER / "nacl_sodium.py",
    "ssl": _FOLDER / "ssl_names.py",
    **_package("cryptography"),
    **_package("trio"),
}
"""What takes the place of modules that a page cannot have, by their names."""


@dataclass(frozen=True)
class Program:
    """What a page runs in its worker.

    Attributes:
        name: The target of `tasks.py` that builds the page.
        roots: The modules that its script calls.
        names: The file that lists all modules that these import.
    """

    name: str
    roots: tuple[str, ...]
    names: Path

    def listed(self) -> list[str]:
        """Return the modules of the list."""
        return self.names.read_text("utf-8").split()


SITE = Program("site", ("cli.ui.browser.site_calls",), BROWSER / "site" / "modules.txt")
PAGE = Program(
    "page",
    # What is loaded by its name, or only when it is wanted, stands here, too.
    (
        *("cli.ui.browser.play_calls", "anyio._backends._asyncio"),
        *("cli.pictures.game_picture", "cli.pictures.picture_facts", "segno"),
        *("p2p_hoity.bots.hard_bot", "p2p_hoity.bots.learned", "spake2"),
    ),
    BROWSER / "play" / "modules.txt",
)
DATA = (
    "cli/words/locale/*/LC_MESSAGES/*.mo",
    "p2p_hoity/bots/learned/weights.bin",
    "p2p_hoity/drawn_alike.txt",
    "p2p_hoity/editions/*.toml",
    "p2p_hoity/table/gathering/*.txt",
)
"""The files that these modules read."""


class Modules:
    """The modules in Python that are loaded with some modules, found by reading them.

    Attributes:
        found: The file of each module by its name.
        outside: The modules of the standard library that they import.
    """

    def __init__(self, places: Sequence[Path], roots: Sequence[str]) -> None:
        """Follow the imports at the top of modules, also those within `if` and `try`.

        Args:
            places: The folders in which packages are looked for.
        """
        self._places = places
        self.found: dict[str, Path] = {}
        self.outside: set[str] = set()
        waiting = list(roots)
        while waiting:
            name = waiting.pop()
            if name in self.found:
                continue
            if name not in STAND_INS and name.partition(".")[0] in sys.stdlib_module_names:
                self.outside.add(name)
                continue
            waiting += packages(name)
            if (file := self.place(name)) is not None:
                self.found[name] = file
                waiting += self.imports(name)

    def place(self, name: str) -> Path | None:
        """Return the file of a module, None for a folder without one, or one that is compiled."""
        if name in STAND_INS:
            return STAND_INS[name]
        path = Path(*name.split("."))
        for place in self._places:
            for file in (place / path / "__init__.py", (place / path).with_suffix(".py")):
                if file.is_file():
                    return file
        return None

    def imports(self, name: str, also_later: bool = False) -> set[str]:
        """Return what a module imports.

        Args:
            also_later: Whether the imports inside functions count, too.
        """
        file = self.found[name]
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        found = set()
        for node in statements(ast.parse(file.read_text("utf-8")), also_later):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                base = parts[: len(parts) - node.level + 1] if node.level else []
                origin = ".".join([*base, *([node.module] if node.module else [])])
                for one in node.names:
                    found |= {origin, self._named(origin, one.name)}
        return found

    def _named(self, origin: str, name: str) -> str:
        """Return the module that a name imported from a package is, or is loaded from."""
        if origin == protocol.__name__ and name in protocol.WHERE:
            origin = f"{origin}.{protocol.WHERE[name]}".rstrip(".")
        whole = f"{origin}.{name}"
        return whole if self.place(whole) is not None or is_of_library(whole) else origin


def is_of_library(name: str) -> bool:
    """Return whether a name is that of a module inside a package of the standard library."""
    package = name.rpartition(".")[0]
    if package.partition(".")[0] not in sys.stdlib_module_names:
        return False
    try:
        return hasattr(import_module(package), "__path__") and find_spec(name) is not None
    except ModuleNotFoundError:  # It is of a newer Python, as the page has.
        return False


def packages(name: str) -> Iterator[str]:
    """Yield the packages in which a module is."""
    while name := name.rpartition(".")[0]:
        yield name


def statements(tree: ast.AST, also_later: bool) -> Iterator[ast.AST]:
    """Yield the statements that run when a module is loaded, or all that may ever run."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.expr) or (is_function and not also_later):
            continue
        yield child
        yield from statements(child, also_later)
