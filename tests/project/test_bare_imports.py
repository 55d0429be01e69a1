"""What a web page can load: rules, proofs, formats and words need PyNaCl and msgpack alone.

A page has no sockets, no TLS and no terminal. So nothing here may import a package for them.
"""

import json
import os
import subprocess
import sys

import pytest
from support.paths import ROOT
from support.source import files_under

FOLDERS = (
    "protocol",
    "p2p_hoity/rules",
    "p2p_hoity/editions",
    "p2p_hoity/bots",
    "p2p_hoity/presentation",
    "p2p_hoity/storage",
    "cli/table_view",
    "cli/words",
)
ALLOWED = {"protocol", "p2p_hoity", "cli", "nacl", "cffi", "_cffi_backend", "msgpack"}
NOT_IN_A_PAGE = {"ssl", "_ssl"}
"""Modules of the standard library that a page lacks."""
OUTSIDE = ("cryptography", "platformdirs", "rich", "ssl", "textual", "trio", "typer", "zeroconf")
PROGRAM = """
import importlib, json, sys

allowed, names = json.load(sys.stdin)


class Gate:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ImportError(name, name=name)


sys.meta_path.insert(0, Gate())
for name in [*sys.modules]:
    if name.partition(".")[0] not in {*allowed, "__main__"}:
        del sys.modules[name]
found = {}
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        found[name] = str(error.name)
print(json.dumps(found))
"""


def test_what_a_page_loads_needs_two_packages() -> None:
    """In one process, so that each file is read once. The names behind the files must all fail."""
    paths = [path.relative_to(ROOT).with_suffix("") for path in files_under(*FOLDERS)]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    allowed = sorted(ALLOWED | sys.stdlib_module_names - NOT_IN_A_PAGE)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        input=json.dumps([allowed, [*names, *OUTSIDE]]),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {name: name for name in OUTSIDE}


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_of_a_page_has_files(folder: str) -> None:
    assert files_under(folder)
