"""The environments of the targets, made the same whatever Python and pip are told to do here.

An environment is made in the checkout, or in the user's cache folder if the checkout cannot be
written. Settings that redirect an installation, or make it fail, do not count. Settings that say
from where packages come, and through which connection, do.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent

MISLEADING = (
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONUSERBASE",
    "PYTHONSAFEPATH",
    "PYTHONEXECUTABLE",
    "__PYVENV_LAUNCHER__",
    "PYTHONCASEOK",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
)
"""Variables by which Python finds other modules than those of an environment, or runs them in
another way."""
KEPT = frozenset(
    {
        "index-url",
        "extra-index-url",
        "no-index",
        "find-links",
        "trusted-host",
        "cert",
        "client-cert",
        "proxy",
        "keyring-provider",
        "timeout",
        "default-timeout",
        "retries",
        "resume-retries",
        "cache-dir",
        "no-cache-dir",
    }
)
"""The settings of pip that say from where packages come, and through which connection."""
KEPT_VALUES = {"use-feature": "truststore", "use-deprecated": "legacy-certs"}
"""Of these settings only this value is about connections."""
PATIENCE = 3
"""The lines of errors that are shown."""
NO_ROOM = ("No space left on device", "Disk quota exceeded", "not enough space on the disk")
NO_VENV = ("ensurepip is not available", "No module named ensurepip", "No module named venv")
UNREACHED = re.compile(
    r"No matching distribution|Could not fetch|Could not find a version|onnection|[Tt]imed? ?out"
    r"|HTTP|SSL|[Pp]roxy"
)


def program(environment: Path, name: str) -> str:
    """The path of a program in an environment."""
    folder = "Scripts" if os.name == "nt" else "bin"
    return str(environment / folder / name)


def undirected() -> None:
    """Forget the variables that mislead Python, for this process and all that it starts."""
    for name in MISLEADING:
        os.environ.pop(name, None)


def place_of(name: str) -> Path:
    """The path of an environment: in the checkout, or in the user's cache folder.

    A checkout that cannot be written may have an environment all the same, which was made before.
    """
    if os.access(ROOT, os.W_OK) or (ROOT / name / "made-from").exists():
        return ROOT / name
    key = hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:16]
    with suppress(RuntimeError):  # The user has no home.
        return cache_folder(os.environ) / "p2p-hoity" / key / name
    return ROOT / name


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder of the user's caches."""
    if os.name == "nt":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = environ.get("XDG_CACHE_HOME", "")
    # A relative path counts as none, as the XDG specification says.
    return Path(named) if os.path.isabs(named) else Path.home() / ".cache"


@contextmanager
def held(environment: Path) -> Iterator[None]:
    """One command at a time makes an environment; the system lets go when a command dies.

    Raises:
        SystemExit: if nothing can be written there.
    """
    place = environment.parent / ".venv-held" / environment.name
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = place.open("ab")
    except OSError as error:
        sys.exit(
            f"{environment.name} cannot be made in {environment.parent}: {error.strerror}.\n"
            "Make this checkout a folder that you can write, or name a folder for caches that you"
            " can write:\nXDG_CACHE_HOME=/path/of/a/folder python3 tasks.py play"
        )
    with file:
        if not lock(file, wait=False):
            print(f"Another command makes {environment.name}: waiting for it.", flush=True)
            while not lock(file, wait=True):
                pass  # Windows gives up after ten seconds
        yield


def lock(file: IO[bytes], wait: bool) -> bool:
    """Hold an open file until it is closed; whether it is ours."""
    try:
        if os.name == "nt":
            import msvcrt

            way = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
            msvcrt.locking(file.fileno(), way, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def ready(environment: Path, what: str, made_from: str, fresh: bool = False) -> None:
    """Make the environment unless it was made whole, and from the same; `fresh`: in any case.

    Its mark is written last, so that one whose making was broken off is made again.
    """
    # What is whole needs no lock, for which the folder would have to be writable.
    if not fresh and is_whole(environment, made_from):
        return
    with held(environment):
        if fresh or not is_whole(environment, made_from):
            print(f"Preparing {environment.name}: this takes a minute, once.", flush=True)
            make(environment, what)
            mark = environment / "made-from"
            mark.write_text(made_from, encoding="utf-8", errors="surrogateescape")


def is_whole(environment: Path, made_from: str) -> bool:
    """Whether an environment was made to its end, and from the same."""
    with suppress(OSError):
        mark = environment / "made-from"
        return mark.read_text(encoding="utf-8", errors="surrogateescape") == made_from
    return False


def make(environment: Path, what: str) -> None:
    """A fresh environment with this project in it.

    Raises:
        SystemExit: if it cannot be made.
    """
    shutil.rmtree(environment, ignore_errors=True)
    # With -I this Python reads no variables, as the new one will not.
    whole = [sys.executable, "-I", "-m", "venv", str(environment)]
    done = subprocess.run(whole, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        words_of_all = " ".join(" ".join(said).split())  # Debian's sentence is broken into lines.
        if any(words in words_of_all for words in NO_VENV):
            sys.exit(
                "This Python has no modules venv and ensurepip, which make environments.\n"
                "On Debian or Ubuntu install the package python3-venv, then run this again."
            )
        sys.exit("\n".join((*said[-PATIENCE:], advice(said, environment))))
    # Modules are compiled when they are first imported: most of what is installed never is.
    pip(environment, "install", "--no-compile", what)


def pip(environment: Path, command: str, *words: str) -> None:
    """Run a command of pip in an environment.

    Raises:
        SystemExit: if pip fails: its last errors, and what to do about them.
    """
    start = [program(environment, "python"), "-m", "pip", "--disable-pip-version-check"]
    whole = [*start, command, "--quiet", *words]
    print("$ " + " ".join(whole), flush=True)
    settings = {**pip_settings(environment, command), "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        whole,
        cwd=ROOT,
        check=False,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**without_pip(os.environ), **settings},
    )
    if done.returncode:
        said = done.stderr.splitlines()
        errors = [line for line in said if line.startswith("ERROR")]
        sys.exit("\n".join((*(errors or said)[-PATIENCE:], advice(said, environment))))


def without_pip(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables without those of pip."""
    return {name: value for name, value in environ.items() if not name.upper().startswith("PIP_")}


@cache
def pip_settings(environment: Path, command: str) -> dict[str, str]:
    """The settings of pip that are kept, from its files and variables, as variables.

    pip itself reads its files, because where they are depends on the system. None of its other
    settings may change how it prints them.

    Raises:
        SystemExit: if pip cannot read its files.
    """
    python = program(environment, "python")
    quiet = {"PIP_QUIET": "0", "PIP_LOG": os.devnull}
    named = {name: os.environ[name] for name in ("PIP_CONFIG_FILE",) if name in os.environ}
    done = subprocess.run(
        # A setting of pip may name another Python.
        [python, "-m", "pip", "--python", python, "--disable-pip-version-check", "config", "list"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        env={**without_pip(os.environ), **quiet, **named},
    )
    if done.returncode:
        said = "\n".join(done.stderr.strip().splitlines()[-PATIENCE:])
        sys.exit(f"{said}\npip cannot read its settings: mend the file, then run this again.")
    found = {
        **kept(listed(done.stdout, "global")),
        **kept(listed(done.stdout, command)),
        **kept({n[4:]: value for n, value in os.environ.items() if n.upper().startswith("PIP_")}),
    }
    return {f"PIP_{name.upper().replace('-', '_')}": value for name, value in found.items()}


def listed(text: str, section: str) -> dict[str, str]:
    """The settings of a section among the lines of `pip config list`, such as global.cert='…'."""
    lines = (line.partition("=") for line in text.splitlines())
    return {
        name.partition(".")[2]: str(ast.literal_eval(value))
        for name, _, value in lines
        if name.startswith(f"{section}.") and value
    }


def kept(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that are about connections, by the names of pip's options."""
    found = {}
    for written, value in settings.items():
        name = written.lower().replace("_", "-").lstrip("-")
        only = KEPT_VALUES.get(name)
        if value and (name in KEPT or (only is not None and only in value.split())):
            found[name] = only or value
    return found


def advice(said: list[str], environment: Path) -> str:
    """What to do about errors of venv or pip."""
    text = "\n".join(said)
    if any(words in text for words in NO_ROOM):
        return (
            f"There is no space left in {environment.parent}, or in the folder of temporary files"
            "\n(see TMPDIR). Make room there, then run this again."
        )
    if UNREACHED.search(text):
        return (
            "A package that this target needs could not be installed. Packages are downloaded"
            " once:\ncheck the connection to the package index (and PIP_NO_INDEX), then run this"
            " again."
        )
    return f"For this reason {environment} could not be made. Mend it, then run this again."
