"""Compile and pack the modules of the page. Runs in the Python of the page itself, in Node.js.

`pack.mjs` has laid all files under `/source`: `program` with the packages of the page, and
`roots.txt` with the modules of the standard library that they import. Two archives are left in
`/packed`. They hold bytecode and are not compressed, since a server compresses them better.
"""

import ast
import marshal
import sys
import zipfile
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path, PurePosixPath

SOURCE, PACKED = Path("/source"), Path("/packed")
LIBRARY = Path("/lib/python314.zip")
STARTS = """
    codecs encodings encodings.aliases encodings.ascii encodings.cp437 encodings.idna
    encodings.latin_1 encodings.unicode_escape encodings.raw_unicode_escape encodings.utf_8
    encodings.utf_16 encodings.utf_32 importlib.metadata site sysconfig traceback zipfile
    _pyodide._core_docs
"""
"""What the interpreter and the start of the page import themselves."""
NEVER = """
    _pydatetime _pyio _pyrepl argparse asyncio.proactor_events asyncio.windows_events
    asyncio.windows_utils concurrent.futures.process curses distutils doctest ensurepip ftplib
    http idlelib lib2to3 multiprocessing pdb pip plistlib pydoc ssl tarfile test tkinter
    unittest urllib.request webbrowser xmlrpc
"""
"""What a page has no use for: the command line, other networks, and twins of compiled modules."""
EMPTY = "urllib.request"
"""A module of these that is there and empty: `xml.sax.saxutils` imports it, and hardly uses it."""
UNCHECKED = (1).to_bytes(4, "little") + bytes(8)
"""The flags and the hash of bytecode that is used whatever its source is (PEP 552)."""


def compiled(tree: ast.Module, name: str) -> bytes:
    """Return a module as bytecode, without the docstrings of functions and modules."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            strip(node)
    code = compile(tree, name, "exec", dont_inherit=True, optimize=1)
    return MAGIC_NUMBER + UNCHECKED + marshal.dumps(code)


def strip(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Remove a docstring. A class keeps a word: for one without any, `dataclass` writes its own."""
    if not (node.body and isinstance(node.body[0], ast.Expr)):
        return
    value = node.body[0].value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        if isinstance(node, ast.ClassDef):
            value.value = "."
        elif len(node.body) > 1:
            del node.body[0]
        else:
            value.value = None  # A body needs a statement.


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, those of functions too: nobody sees which of them are ever called."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from statements(child)


class Library:
    """The standard library as Pyodide brings it."""

    def __init__(self) -> None:
        with zipfile.ZipFile(LIBRARY) as archive:
            self.files = {one: archive.read(one) for one in archive.namelist() if one[-1] != "/"}
        self.found: dict[str, tuple[str, ast.Module]] = {}
        self.never = set(NEVER.split())

    def place(self, module: str) -> str | None:
        """Return the name of the file of a module, None for one that is built in or absent."""
        path = module.replace(".", "/")
        return next((f for f in (f"{path}/__init__.py", f"{path}.py") if f in self.files), None)

    def add(self, module: str) -> None:
        """Add a module, its packages, and all that is imported with them."""
        waiting = [module]
        while waiting:
            name = waiting.pop()
            parts = name.split(".")
            waiting += [".".join(parts[:n]) for n in range(1, len(parts))]
            place = self.place(name)
            if place is None or name in self.found or self.never & {name, parts[0]}:
                continue
            tree = ast.parse(self.files[place])
            self.found[name] = place, tree
            is_package = place.endswith("/__init__.py")
            waiting += self._imports(name if is_package else name.rpartition(".")[0], tree)

    def broken(self) -> Iterator[str]:
        """Yield the modules whose own statements import, as they are loaded, what is never there.

        Imports within `try` may fail, and those of functions are known to be of no use.
        """
        for name, (place, tree) in self.found.items():
            is_package = place.endswith("/__init__.py")
            package = name if is_package else name.rpartition(".")[0]
            direct: list[ast.stmt] = [
                node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
            ]
            for found in self._imports(package, ast.Module(direct, [])):
                top = found.partition(".")[0]
                if self.never & {found, top} and found != EMPTY and self.place(found):
                    yield f"{name} imports {found}"

    def _imports(self, package: str, tree: ast.Module) -> Iterator[str]:
        for node in statements(tree):
            if isinstance(node, ast.Import):
                yield from (one.name for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                base = parts[: len(parts) - node.level + 1] if node.level else []
                origin = ".".join([*base, *([node.module] if node.module else [])])
                yield origin
                yield from (f"{origin}.{one.name}" for one in node.names)


def pack(target: Path, files: dict[str, bytes]) -> None:
    """Write an archive whose bytes depend on nothing but the files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


def main() -> None:
    library = Library()
    # What Pyodide has loaded by now, it needs at its start.
    for module in [
        *STARTS.split(),
        *sorted(set(sys.modules) - {"__main__"}),
        *(SOURCE / "roots.txt").read_text().split(),
    ]:
        library.add(module)
    files = {
        str(PurePosixPath(place).with_suffix(".pyc")): compiled(tree, place)
        for place, tree in library.found.values()
    }
    files[f"{EMPTY.replace('.', '/')}.pyc"] = compiled(ast.parse(""), EMPTY)
    if broken := sorted(library.broken()):
        raise SystemExit(f"These modules cannot be loaded in a page: {broken}")
    pack(PACKED / "python_stdlib.zip", files)
    program = {}
    for path in sorted((SOURCE / "program").rglob("*")):
        if path.is_file():
            name, content = path.relative_to(SOURCE / "program"), path.read_bytes()
            if path.suffix == ".py":
                name, content = name.with_suffix(".pyc"), compiled(ast.parse(content), str(name))
            program[str(name)] = content
    pack(PACKED / "program.zip", program)


main()
