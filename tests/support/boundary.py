"""The boundary of the product: what another game, driver or screen is written against.

Its docstrings are complete. They are the manual of those who do not read the code below.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from support.paths import ROOT
from support.source import tree_of

PORTS: Mapping[str, tuple[str, ...]] = {
    "p2p_hoity/net/transport.py": ("Network", "Outlet", "StreamListener"),
    "p2p_hoity/storage/file_store.py": ("FileStore", "StoredFile"),
    "p2p_hoity/table/playing/player_interface.py": ("Player",),
    "cli/ui/person_seat.py": ("Window",),
}
"""The interfaces that other code of the product implements, by file."""

RECORDS = (("p2p_hoity/rules/happenings.py", ""), ("p2p_hoity/rules/edition.py", "ActionCard"))
"""What docs/replay.schema.json describes to programs. `tools/schemas.py` reads it here."""

Name = tuple[str, str]
"""A file of the checkout, and a name in it; "" for the whole file."""


def exported(package: Path) -> Iterator[Name]:
    """Find the names that a package exports by `from … import X as X`."""
    for node in ast.walk(tree_of(package / "__init__.py")):
        if not isinstance(node, ast.ImportFrom) or node.level != 1:
            continue
        folder = package.joinpath(*(node.module or "").split(".")) if node.module else package
        for alias in node.names:
            inner = folder / alias.name
            if alias.asname != alias.name:
                continue
            if inner.with_suffix(".py").is_file():
                yield str(inner.with_suffix(".py").relative_to(ROOT)), ""
            elif (inner / "__init__.py").is_file():
                yield from exported(inner)
            else:
                yield str(folder.with_suffix(".py").relative_to(ROOT)), alias.name


@cache
def boundary() -> frozenset[Name]:
    """Return the files and names of the boundary."""
    ports = {(path, name) for path, names in PORTS.items() for name in names}
    return frozenset(
        {*exported(ROOT / "protocol"), ("protocol/game_interface.py", ""), *ports, *RECORDS},
    )


def is_boundary(path: str, name: str) -> bool:
    """Return whether a definition belongs to the boundary: `Class.method` if its class does."""
    if any(part.startswith("_") for part in name.split(".")):
        return False
    return bool({(path, ""), (path, name.partition(".")[0])} & boundary())
