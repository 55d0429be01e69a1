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

import pytest
from nacl import bindings
from support.paths import ROOT

from tools.page_modules import LIST, Modules, listed

BUILD = ROOT / "tools" / "page_build"
INSTALLED = Path(sysconfig.get_paths()["purelib"])
ALWAYS = {"importlib.metadata"}
"""What `pack.py` packs for these modules, too."""
NOT_IN_A_PAGE = {
    "cli.ui.web.page_sheets": {"segno"},
    "cli.words.choice_names": {"p2p_hoity.bots.hard_bot", "p2p_hoity.bots.learned"},
    "cli.words.translation": {"p2p_hoity.bots"},
    "p2p_hoity.net.interfaces": {"ifaddr"},
    "p2p_hoity.storage.folder_owner": {"pwd"},
    "p2p_hoity.storage.home": {"platformdirs"},
    "p2p_hoity.storage.private_files": {"fcntl", "msvcrt"},
    "p2p_hoity.storage.rollback_marks": {"platformdirs"},
}
"""What modules of the list import inside functions that a page never calls, by module."""


@cache
def modules() -> Modules:
    """The modules of the page, as they are installed here."""
    return Modules([ROOT, INSTALLED])


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


def test_the_list_has_the_modules_that_are_imported() -> None:
    assert listed() == sorted(modules().found), "python3 tasks.py site --list"
    assert LIST.read_text("utf-8").splitlines() == listed()


def test_no_module_of_the_list_waits_draws_on_a_terminal_or_opens_a_connection() -> None:
    tops = {name.partition(".")[0] for name in listed()}
    assert tops == {"cli", "msgpack", "nacl", "p2p_hoity", "protocol"}


def test_what_is_imported_later_is_in_the_list_or_known_to_be_of_no_use() -> None:
    found = {}
    for name in modules().found:
        if name.partition(".")[0] in ("msgpack", "nacl"):
            continue
        later = modules().imports(name, also_later=True) - modules().imports(name)
        known = set(modules().found) | modules().outside | ALWAYS
        folders = {one for one in later if (ROOT / Path(*one.split("."))).is_dir()}
        packages = folders - {"p2p_hoity.bots", "p2p_hoity.bots.learned"}
        if missing := later - known - packages:
            found[name] = missing
    assert found == NOT_IN_A_PAGE


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
        for name, file in modules().found.items()
        if not name.startswith("nacl")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "bindings"
    }
    functions = {name for name in used if callable(getattr(bindings, name))}
    assert {"crypto_sign_open", "crypto_scalarmult_ed25519_noclamp"} <= functions
    assert set().union(*map(calls_of, functions)) == set(stand_in().FUNCTIONS)


def test_what_is_always_packed_is_named_there() -> None:
    text = (BUILD / "pack.py").read_text("utf-8")
    starts = text.partition('STARTS = """')[2].partition('"""')[0].split()
    assert set(starts) >= ALWAYS


def test_the_tests_of_the_building_blocks_pass_above_the_stand_in() -> None:
    names = ("crypto_vectors", "group", "group_laws", "identities", "key_sharing")
    files = [f"tests/protocol_/crypto/test_{name}.py" for name in names]
    whole = [sys.executable, "-m", "pytest", "-p", "support.page_sodium", "-p", "no:cacheprovider"]
    done = subprocess.run([*whole, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "libsodium above nacl_sodium.py" in done.stdout


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
    assert all(re.fullmatch(r"\w+==[\d.]+ --hash=sha256:[0-9a-f]{64}", line) for line in pinned)
