"""The environments of the targets, made the same whatever Python and pip are told to do here.

An environment is made in the checkout, or in the user's cache folder if the checkout cannot be
written, or no program runs there. One that a process uses is not touched: the new one is made
beside it, and a later command that makes one removes the old one. Settings that redirect an
installation, or make it fail, do not count. Settings that say from where packages come, and through
which connection, do.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

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
OWN_CACHE = "p2p-hoity"
HELD = ".venv-held"
"""The folder of the files that a command holds while it makes an environment."""
MARK = "made-from"
"""The file of an environment that says what it was made from."""
IN_USE = "in-use"
"""The file of an environment that its processes hold, each until its end."""
CHECKOUT = "checkout"
"""The file in a folder of the cache that names the checkout."""
MOST_BESIDE = 9
"""The most environments of one name in a folder: one, and those beside it while it is in use."""
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


def folders() -> list[Path]:
    """The folders that may hold environments: the checkout, then one in the user's cache folder."""
    key = hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:16]
    with suppress(RuntimeError):  # The user has no home.
        return [ROOT, cache_folder(os.environ) / OWN_CACHE / key]
    return [ROOT]


def unfit(folder: Path) -> str:
    """Why no environment works in a folder, or "" if nothing is known against it."""
    if os.pathsep in str(folder):
        return (
            f"the path has the sign {os.pathsep}, which no environment may have.\n"
            "Rename the folder, then run this again"
        )
    there = next(path for path in (folder, *folder.parents) if os.path.exists(path))
    no_programs = getattr(os, "ST_NOEXEC", 0)
    if no_programs and os.statvfs(there).f_flag & no_programs:
        return "the file system is mounted with noexec, so no program can run there"
    return ""


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder of the user's caches."""
    if os.name == "nt":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = environ.get("XDG_CACHE_HOME", "")
    # A relative path counts as none, as the XDG specification says.
    return Path(named) if os.path.isabs(named) else Path.home() / ".cache"


def ready(name: str, what: str, made_from: str) -> Path:
    """An environment made whole, and from the same, which counts as in use until this process ends.

    Where the environment of this name is in use, or is another user's, one is made beside it.

    Raises:
        SystemExit: if none can be made. It names each folder that was tried.
    """
    refused = {folder: unfit(folder) for folder in folders()}
    fit = [folder for folder, why in refused.items() if not why]
    for folder in fit:
        if (found := whole(folder, name, made_from)) is not None:
            return found
    for folder in fit:
        try:
            with held(folder, name):
                return whole(folder, name, made_from) or new(folder, name, what, made_from)
        except OSError as error:
            refused[folder] = str(error.strerror or error)
    tried = [f"{name} cannot be made in {folder}: {why}." for folder, why in refused.items()]
    sys.exit("\n".join((*tried, remedy())))


def remedy() -> str:
    """What to do where no folder can hold an environment."""
    others = [str(path) for folder in folders() for path in anothers(folder)]
    if others:
        return (
            "Another user has made what stands there, perhaps by sudo. Remove it, then run this"
            f" again:\nsudo rm -r {shlex.join(others)}"
        )
    return (
        "Put this checkout into a folder that you can write and where programs run, or name such a"
        " folder for caches:\nXDG_CACHE_HOME=/path/of/a/folder python3 tasks.py play"
    )


def anothers(folder: Path) -> list[Path]:
    """Environments in a folder, and folders of caches on the way to it, that another user owns."""
    if os.name == "nt":
        return []
    # In a folder that this user cannot write, their removal would not help.
    found = [*folder.glob(".venv*")] if os.access(folder, os.R_OK | os.W_OK) else []
    if folder != ROOT:
        found = [folder.parent, folder, *found]
    foreign = [p for p in found if os.path.lexists(p) and p.lstat().st_uid != os.geteuid()]
    return [p for p in foreign if not any(other in p.parents for other in foreign)]


def named(folder: Path, name: str) -> list[Path]:
    """The paths that an environment may have in a folder: the first one, and those beside it."""
    return [folder / name, *(folder / f"{name}-{number}" for number in range(2, MOST_BESIDE + 1))]


def whole(folder: Path, name: str, made_from: str) -> Path | None:
    """The whole environment in a folder that was made from the same, now in use."""
    return next((path for path in named(folder, name) if used(path, made_from)), None)


def new(folder: Path, name: str, what: str, made_from: str) -> Path:
    """A new environment at the first path of a folder that is free, and can be freed.

    Raises:
        OSError: if none is.
    """
    environment = next((path for path in named(folder, name) if removed(path)), None)
    if environment is None:
        raise OSError("all environments there are in use, or another user's")
    shown = environment.name if folder == ROOT else environment
    print(f"Preparing {shown}: this takes a minute, once.", flush=True)
    environment.mkdir()
    (environment / IN_USE).touch()
    make(environment, what)
    # The mark is written last, so that one whose making was broken off is made again.
    (environment / MARK).write_text(made_from, encoding="utf-8", errors="surrogateescape")
    if not used(environment, made_from):
        raise OSError("what was made there does not run")
    for other in named(folder, name):
        if not is_whole(other, made_from):
            removed(other)
    if folder != ROOT:
        (folder / CHECKOUT).write_bytes(os.fsencode(ROOT))
        forget_lost_checkouts(folder.parent)
    return environment


def used(environment: Path, made_from: str) -> bool:
    """Use an environment until this process ends, if it is whole, made from the same, and runs."""
    if not is_whole(environment, made_from):
        return False
    in_use = environment / IN_USE
    try:
        # On Windows an open file cannot be removed, and that is all.
        descriptor = os.open(in_use, os.O_RDONLY | os.O_CREAT, 0o644)
    except OSError:
        return runs(environment)  # in a folder that nobody writes
    # Another command may have replaced the file, or begun to, after it was opened.
    if (
        (os.name == "nt" or lock(descriptor, wait=False, alone=False))
        and is_whole(environment, made_from)
        and os.path.samestat(os.fstat(descriptor), in_use.stat())
        and runs(environment)
    ):
        if os.name != "nt":
            os.set_inheritable(descriptor, True)  # The game takes the place of this process.
        return True
    os.close(descriptor)
    return False


def runs(environment: Path) -> bool:
    """Whether the Python of an environment starts: the one that made it may be gone."""
    command = [program(environment, "python"), "-I", "-c", ""]
    with suppress(OSError):
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    return False


def removed(environment: Path) -> bool:
    """Remove an environment that nobody uses. Return whether nothing stands at the path.

    A folder that was not made here is left, and so is one that this user cannot remove.
    """
    if not os.path.lexists(environment):
        return True
    in_use, mark = environment / IN_USE, environment / MARK
    if environment == Path(sys.prefix):
        return False
    try:
        if not (in_use.exists() or mark.exists()):
            return False
        if os.name == "nt":
            in_use.unlink(missing_ok=True)  # fails while a process has it open
            mark.unlink(missing_ok=True)
            shutil.rmtree(environment, ignore_errors=True)
        else:
            descriptor = os.open(in_use, os.O_RDONLY | os.O_CREAT, 0o644)
            try:
                if not lock(descriptor, wait=False):
                    return False
                mark.unlink(missing_ok=True)
                shutil.rmtree(environment, ignore_errors=True)
            finally:
                os.close(descriptor)
    except OSError:
        return False
    return not os.path.lexists(environment)


def forget_lost_checkouts(caches: Path) -> None:
    """Remove the environments of checkouts that are gone."""
    for checkout in caches.glob(f"*/{CHECKOUT}"):
        with suppress(OSError):
            if Path(os.fsdecode(checkout.read_bytes())).exists():
                continue
            environments = [p for p in checkout.parent.glob(".venv*") if p.name != HELD]
            if sum(map(removed, environments)) == len(environments):
                shutil.rmtree(checkout.parent, ignore_errors=True)


@contextmanager
def held(folder: Path, name: str) -> Iterator[None]:
    """One command at a time makes an environment; the system lets go when a command dies.

    Raises:
        OSError: if nothing can be written there.
    """
    place = folder / HELD / name
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with place.open("ab") as file:
        if not lock(file.fileno(), wait=False):
            print(f"Another command makes {name}: waiting for it.", flush=True)
            while not lock(file.fileno(), wait=True):
                pass  # Windows gives up after ten seconds
        yield


def lock(descriptor: int, wait: bool, alone: bool = True) -> bool:
    """Hold an open file until it is closed, alone or with others; whether it is ours.

    A file system that has no locks gives it to everybody.
    """
    try:
        if os.name == "nt":
            import msvcrt

            way = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
            msvcrt.locking(descriptor, way, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
            fcntl.flock(descriptor, kind | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return os.name != "nt" and not isinstance(error, BlockingIOError)
    return True


def is_whole(environment: Path, made_from: str) -> bool:
    """Whether an environment was made to its end, and from the same."""
    with suppress(OSError):
        mark = environment / MARK
        return mark.read_text(encoding="utf-8", errors="surrogateescape") == made_from
    return False


def make(environment: Path, what: str) -> None:
    """Make an environment in an empty folder, with this project in it.

    Raises:
        SystemExit: if it cannot be made.
    """
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
