"""The page imports the modules of its list, and nothing that they call is missing in it."""

import ast
import inspect
import json
import re
import subprocess
import sys
import sysconfig
import types
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from nacl import bindings
from support.paths import ROOT
from support.sampling import sample

from tools.page_modules import DATA, PAGE, SITE, STAND_INS, Modules, Program

BUILD = ROOT / "tools" / "page_build"
INSTALLED = Path(sysconfig.get_paths()["purelib"])
ALWAYS = {"importlib.metadata"}
"""What `pack.py` packs for these modules, too."""
OF_BOTH = {
    "cli.ui.web.page_sheets": {"segno"},
    "cli.words.choice_names": {"p2p_hoity.bots.hard_bot", "p2p_hoity.bots.learned"},
    "p2p_hoity.net.interfaces": {"ifaddr"},
    "p2p_hoity.storage.folder_owner": {"pwd"},
    "p2p_hoity.storage.home": {"platformdirs"},
    "p2p_hoity.storage.private_files": {"fcntl", "msvcrt"},
    "p2p_hoity.storage.rollback_marks": {"platformdirs"},
}
PACKED = {"cli.ui.web.page_sheets", "cli.words.choice_names"}
"""The modules of these whose later imports the page that plays has."""
LATER = {
    "site": {**OF_BOTH, "cli.words.translation": {"p2p_hoity.bots"}},
    "page": {
        **{name: found for name, found in OF_BOTH.items() if name not in PACKED},
        "cli.local.ending_signals": {"termios"},
        "p2p_hoity.net.lan_discovery": {"zeroconf"},
        "p2p_hoity.net.link_limits": {"resource"},
        "p2p_hoity.net.relay_client": {"p2p_hoity.net.web_relay"},
        "p2p_hoity.net.relay_tls": {
            "cryptography.hazmat.primitives.asymmetric.ed25519",
            "cryptography.hazmat.primitives.serialization",
        },
        "p2p_hoity.net.socks_proxy": {"python_socks", "python_socks.async_.trio"},
        "p2p_hoity.net.typed_addresses": {"idna"},
        "p2p_hoity.reachability.upnp": {"h11"},
    },
}
"""What modules of a list import inside functions that its page never calls, by module."""
OWN = {"cli", "p2p_hoity", "protocol"}
OTHERS = {
    "site": {"msgpack", "nacl"},
    "page": {
        *("anyio", "attr", "cryptography", "msgpack", "nacl", "outcome", "segno", "sniffio"),
        *("spake2", "ssl", "trio", "typing_extensions"),
    },
}
"""The other packages whose modules a page has.

Those of cryptography, ssl and trio are stand-ins.
"""
EACH = pytest.mark.parametrize("program", [SITE, PAGE], ids=lambda program: program.name)


@cache
def modules(program: Program) -> Modules:
    """The modules of a page, as they are installed here."""
    return Modules([ROOT, INSTALLED], program.roots)


BY_CLASSES = {
    "p2p_hoity.table.gathering.spake2_exchange": {
        "crypto_secretbox_easy",
        "crypto_secretbox_open_easy",
    },
    # A page has no passphrase, and no TLS with its relay.
    "p2p_hoity.net.relay_tls": set[str](),
    "p2p_hoity.storage.journal_format": set[str](),
    "p2p_hoity.storage.player_key": set[str](),
}
"""What modules of the page that plays call by classes of PyNaCl in a page, by module."""


def stand_in() -> types.ModuleType:
    """The stand-in for `nacl._sodium`, above nothing."""
    name = "_page_sodium"
    nothing = types.ModuleType(name)
    nothing.attach = lambda memory: None  # type: ignore[attr-defined]
    sys.modules[name] = nothing
    try:
        module = types.ModuleType("nacl_sodium")
        exec((BUILD / "stand_ins" / "nacl_sodium.py").read_text("utf-8"), module.__dict__)
        return module
    finally:
        del sys.modules[name]


@EACH
def test_the_list_has_the_modules_that_are_imported(program: Program) -> None:
    assert program.listed() == sorted(modules(program).found), f"tasks.py {program.name} --list"
    assert program.names.read_text("utf-8").splitlines() == program.listed()


@EACH
def test_the_packages_of_a_page_are_these(program: Program) -> None:
    tops = {name.partition(".")[0] for name in program.listed()}
    assert tops == OWN | OTHERS[program.name]


@EACH
def test_what_is_imported_later_is_in_the_list_or_known_to_be_of_no_use(program: Program) -> None:
    found, all_of = {}, modules(program)
    for name in all_of.found:
        if name.partition(".")[0] not in OWN:
            continue
        later = all_of.imports(name, also_later=True) - all_of.imports(name)
        known = set(all_of.found) | all_of.outside | ALWAYS
        folders = {one for one in later if (ROOT / Path(*one.split("."))).is_dir()}
        packages = folders - {"p2p_hoity.bots", "p2p_hoity.bots.learned"}
        if missing := later - known - packages:
            found[name] = missing
    assert found == LATER[program.name]


def test_every_file_that_the_modules_read_is_packed() -> None:
    packed = {path for pattern in DATA for path in ROOT.glob(pattern)}
    kinds = {".bin", ".json", ".mo", ".toml", ".txt"}
    read = {
        path
        for package in OWN
        for path in (ROOT / package).rglob("*")
        # The page of the table is no file of Python's, and is bundled apart.
        if path.suffix in kinds and (ROOT / "cli" / "ui") not in path.parents
    }
    assert packed == read


def calls_of(name: str) -> set[str]:
    """The functions of libsodium to which a function of PyNaCl passes arguments."""
    tree = ast.parse(inspect.getsource(getattr(bindings, name)))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    return {
        call.func.attr
        for call in calls
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "lib"
    }


def test_the_stand_in_has_every_function_of_libsodium_that_is_called() -> None:
    used = {
        node.attr
        for name, file in modules(PAGE).found.items()
        if name.partition(".")[0] in OWN
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "bindings"
    }
    functions = {name for name in used if callable(getattr(bindings, name))}
    assert {"crypto_sign_open", "crypto_scalarmult_ed25519_noclamp"} <= functions
    by_classes = set().union(*BY_CLASSES.values())
    assert set().union(*map(calls_of, functions)) | by_classes == set(stand_in().FUNCTIONS)


def test_the_modules_that_use_classes_of_the_library_are_known() -> None:
    found = {
        name
        for name, file in modules(PAGE).found.items()
        if name.partition(".")[0] in OWN
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] == "nacl"
        and node.module != "nacl.exceptions"
        and {one.name for one in node.names} != {"bindings"}
    }
    assert found == set(BY_CLASSES)


def test_what_is_always_packed_is_named_there() -> None:
    text = (BUILD / "pack.py").read_text("utf-8")
    starts = text.partition('STARTS = """')[2].partition('"""')[0].split()
    assert set(starts) >= ALWAYS


def test_the_tests_of_the_building_blocks_pass_above_the_stand_in() -> None:
    names = ("crypto_vectors", "group", "group_laws", "identities", "key_sharing")
    files = sample(
        [f"tests/protocol_/crypto/test_{name}.py" for name in names], 2, "above the stand-in"
    )
    files.append("tests/p2p_hoity_/table/gathering/test_spake2_exchange.py")
    whole = [sys.executable, "-m", "pytest", "-p", "support.page_sodium", "-p", "no:cacheprovider"]
    done = subprocess.run([*whole, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "libsodium above nacl_sodium.py" in done.stdout


def test_keys_are_derived_as_by_the_library() -> None:
    files = (STAND_INS[f"cryptography.hazmat.primitives.{name}"] for name in ("hashes", "kdf.hkdf"))
    found = dict[str, Any]()
    for file in files:
        text = file.read_text("utf-8").replace("from ..hashes import SHA256", "")
        exec(text, found)
    for length in (1, 31, 32, 33, 48, 255 * 32):
        for salt in (None, b"", b"salt", bytes(100)):
            mine = found["HKDF"](found["SHA256"](), length, salt, b"info").derive(b"secret")
            assert mine == HKDF(hashes.SHA256(), length, salt, b"info").derive(b"secret")
    for length in (0, 255 * 32 + 1):
        with pytest.raises(ValueError, match="255"):
            found["HKDF"](found["SHA256"](), length, b"", b"")


def test_a_function_that_is_missing_is_no_refusal_of_a_value() -> None:
    with pytest.raises(LookupError):
        stand_in().lib.crypto_secretbox(b"", b"", 0, b"", b"")


def test_no_lock_names_a_registry_and_every_package_has_a_hash() -> None:
    lock = json.loads((BUILD / "package-lock.json").read_text("utf-8"))
    assert all("resolved" not in one for one in lock["packages"].values())
    assert all("integrity" in one for name, one in lock["packages"].items() if name)
    wanted = json.loads((BUILD / "package.json").read_text("utf-8"))["dependencies"]
    assert all(re.fullmatch(r"[\d.]+", version) for version in wanted.values())
    lines = (BUILD / "requirements.txt").read_text("utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert pinned
    assert all(re.fullmatch(r"\w+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in pinned)
