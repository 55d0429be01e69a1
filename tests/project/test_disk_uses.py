"""The disk is used in one module, behind the file store, and elsewhere only for a stated reason."""

import ast
from collections.abc import Mapping
from pathlib import Path

from support.cases import each
from support.source import files_under, short, tree_of

STORE = "p2p_hoity/storage/private_files.py"
"""The file store on a disk."""
FILES = tuple(path for path in files_under("p2p_hoity") if short(path) != STORE)

MODULES = {
    *("bz2", "codecs", "dbm", "fcntl", "filecmp", "fileinput", "glob", "gzip", "io", "linecache"),
    *("lzma", "mmap", "msvcrt", "nt", "os", "posix", "shelve", "shutil", "sqlite3", "tarfile"),
    *("tempfile", "zipfile"),
}
"""The modules of which every name is a use of the disk, but for those in PURE."""
PURE = {
    *("os.environ", "os.name", "os.sep", "os.urandom", "os.fsencode", "os.fsdecode"),
    *("os.path", "os.path.join", "os.path.normcase", "os.path.normpath", "os.cpu_count"),
    *("os.sched_getaffinity", "os._exit", "io.BytesIO"),
    *("codecs.BOM_UTF8", "codecs.BOM_UTF16_LE", "codecs.BOM_UTF16_BE"),
}
OF_PATHS = {
    *("chmod", "cwd", "exists", "glob", "hardlink_to", "is_block_device"),
    *("is_char_device", "is_dir", "is_fifo", "is_file", "is_junction", "is_mount", "is_socket"),
    *("is_symlink", "iterdir", "lchmod", "lstat", "mkdir", "open_file", "read_bytes", "read_text"),
    *("readlink", "rglob", "rmdir", "samefile", "stat", "symlink_to", "touch", "unlink"),
    *("write_bytes", "write_text"),
}
"""Methods of paths and functions of `trio` that use the disk, and of nothing else here."""
SHARED = {"absolute", "expanduser", "home", "open", "owner", "rename", "replace", "resolve", "walk"}
"""Methods of paths that use the disk, whose names methods of other classes have, too."""

DISK, NAMED = "private_files.PrivateFiles", "private_files.NAMED"
DATA = "it reads a file of this package"
DEFAULT = "it uses the disk where it is given no store"
PERSON = "it reads or writes a file that a person has named"
SYSTEM = "it asks the system something that has no other interface"
ALLOWED: Mapping[str, tuple[set[str], str]] = {
    "bots/learned/__init__.py": ({"read_bytes"}, DATA),
    "confusable_names.py": ({"read_text"}, DATA),
    "editions/load_edition.py": ({"read_text", NAMED}, f"{DATA}, or {PERSON}"),
    "net/default_router.py": ({"read_text"}, SYSTEM),
    "net/interfaces.py": ({"exists", "glob", "is_dir", "read_text"}, SYSTEM),
    "net/relay_tls.py": (
        {
            *("os.MFD_CLOEXEC", "os.close", "os.memfd_create", "os.write"),
            *("tempfile.TemporaryDirectory", "write_bytes"),
        },
        "OpenSSL takes the key of a relay from a file alone, which is in memory if possible",
    ),
    "relay/forwarding.py": ({"os.read", "os.write"}, "it reads and writes sockets"),
    "relay/page_sender.py": ({"is_file", "read_bytes", "rglob"}, PERSON),
    "storage/folder_owner.py": (
        {
            *("home", "iterdir", "lstat", "is_dir", "os.R_OK", "os.W_OK", "os.X_OK", "os.access"),
            *("os.geteuid", "os.path.lexists", "os.path.realpath", "read_bytes", "stat"),
        },
        "it looks for advice about a folder of the disk",
    ),
    "storage/home.py": (
        {
            *("home", "os.path.abspath", "os.path.expanduser", "os.path.lexists"),
            *("exists", "os.path.exists", "os.path.isdir", "os.path.realpath", NAMED, DISK),
        },
        f"it reads the names of folders in the environment, and {DEFAULT}",
    ),
    "storage/journal.py": ({NAMED, DISK}, DEFAULT),
    "storage/rollback_marks.py": ({NAMED}, DEFAULT),
    "storage/transcript_archive.py": (
        {"exists", "tempfile.TemporaryFile", NAMED},
        f"commands try a folder of the disk before a game, and {DEFAULT}",
    ),
    "table/gathering/drawn_nicknames.py": ({"read_text"}, DATA),
    "table/gathering/spoken_codes.py": ({"read_text"}, DATA),
    "table/beside_game/watch_table.py": ({NAMED}, PERSON),
    "worker_processes.py": ({"open"}, SYSTEM),
}
"""What else uses the disk: the file, the names by which it does, and the reason."""


def imported(tree: ast.AST) -> dict[str, str]:
    """Return what each imported name of a file stands for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                found[one.asname or top] = one.name if one.asname else top
        elif isinstance(node, ast.ImportFrom):
            origin = (node.module or "").rpartition(".")[2] if node.level else node.module
            found |= {one.asname or one.name: f"{origin}.{one.name}" for one in node.names}
    return found


def whole_name(node: ast.AST, names: Mapping[str, str]) -> str:
    """Return the name of an imported object with its module. Empty for other expressions."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute) and (before := whole_name(node.value, names)):
        return f"{before}.{node.attr}"
    return ""


def is_of_a_path(call: ast.Call, name: str) -> bool:
    """Return whether a method is called as that of a path is, and not as one of another class."""
    if name in ("rename", "replace"):
        return len(call.args) == 1 and not call.keywords
    if name == "open":
        return all(isinstance(one, ast.Constant) for one in call.args)
    return not call.args


def uses(tree: ast.AST) -> set[str]:
    """Return the names by which a file uses the disk."""
    names, nodes, found = imported(tree), list(ast.walk(tree)), set[str]()
    inside = {node.value for node in nodes if isinstance(node, ast.Attribute | ast.Await)}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name("hasattr"), args=[module, _]):
                inside.add(module)  # It asks what a system has, and uses nothing.
            case ast.Call(func=ast.Attribute(attr=name)) if name in SHARED and node not in inside:
                found |= {name} if is_of_a_path(node, name) else set()
            case ast.Attribute(attr=name) if name in OF_PATHS:
                found.add(name)
            case ast.Name("open"):
                found.add("open")
    for node in set(nodes) - inside:
        parts = whole_name(node, names).split(".")
        if parts[0] in MODULES or "private_files" in parts:
            found.add(".".join(parts[: 3 if parts[1:2] == ["path"] else 2]))
    return found - PURE


@each(FILES, short)
def test_no_file_uses_the_disk_without_a_reason(path: Path) -> None:
    allowed, _ = ALLOWED.get(short(path).removeprefix("p2p_hoity/"), (set[str](), ""))
    assert uses(tree_of(path)) == allowed


def test_each_reason_is_of_a_file() -> None:
    assert set(ALLOWED) <= {short(path).removeprefix("p2p_hoity/") for path in FILES}


IMPORTS = """
import io
import os
import os.path as places
import shutil
from os import stat
from pathlib import Path
from tempfile import TemporaryFile as Trial

import trio

from ..storage import private_files
from .private_files import NAMED as ANY
"""


@each(
    [
        "open(path)",
        "reader = open",
        "io.open(path)",
        "os.stat(path)",
        "stat(path)",
        "getattr(os, 'lstat')(path)",
        "os.path.exists(path)",
        "places.realpath(path)",
        "shutil.rmtree(path)",
        "Trial()",
        "ANY.put(path, data)",
        "private_files.NAMED.get(path)",
        "private_files.PrivateFiles(path)",
        "Path.cwd()",
        "list(map(Path.exists, paths))",
        "path.open()",
        "path.open('rb')",
        "(folder / name).open(mode='w', encoding='utf-8')",
        "path.replace(other)",
        "path.rename(other)",
        "path.resolve()",
        "any(folder.glob('*'))",
        "path.read_bytes()",
        "path.stat().st_mtime",
        "trio.open_file(path)",
    ]
)
def test_that_check_finds_each_use(line: str) -> None:
    assert uses(ast.parse(IMPORTS + line)), line


@each(
    [
        "os.urandom(32)",
        "os.environ.get('HOME')",
        "os.path.join(one, other)",
        "hasattr(os, 'memfd_create')",
        "io.BytesIO(data)",
        "files.get(path)",
        "text.replace(one, other)",
        "replace(seat, output=None)",
        "vault.open(data)",
        "auction_hall.resolve(state, event)",
        "async def dial(router):\n    await router.open()",
    ]
)
def test_that_check_finds_nothing_else(line: str) -> None:
    assert not uses(ast.parse(IMPORTS + line)), line
