"""Checks that every promised platform installs this project from wheels alone.

    python tools/platforms.py [WORD ...]    only the rows whose name holds a WORD

For each platform and each Python, pip resolves the runtime dependencies of pyproject.toml as it
would there, wheels only. A plain `pip install` takes the newest release even where that one has
only its source, so a newer release that our bounds allow and that has no wheel there is a failure
too. The exit code is 1 if any combination fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT: Final = Path(__file__).resolve().parent.parent
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
Environment = dict[str, str]
"""What environment markers ask for."""


@dataclass(frozen=True)
class Platform:
    """One platform: what its markers say, and the tags of the wheels it takes, best first."""

    name: str
    system: str
    machine: str
    tags: tuple[str, ...]

    def environment(self, python: str) -> Environment:
        """The values of the markers there."""
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{python}.0",
            "os_name": "nt" if self.system == "Windows" else "posix",
            "platform_machine": self.machine,
            "platform_release": "",
            "platform_system": self.system,
            "platform_version": "",
            "python_full_version": f"{python}.0",
            "platform_python_implementation": "CPython",
            "python_version": python,
            "sys_platform": {"Windows": "win32", "Darwin": "darwin"}.get(self.system, "linux"),
        }


def _glibc(machine: str) -> tuple[str, ...]:
    new = tuple(f"manylinux_2_{minor}_{machine}" for minor in range(28, 16, -1))
    return (*new, f"manylinux2014_{machine}")


PLATFORMS: Final = (
    Platform("Linux, x86-64", "Linux", "x86_64", _glibc("x86_64")),
    Platform("Linux, ARM", "Linux", "aarch64", _glibc("aarch64")),
    Platform("macOS 11, Intel", "Darwin", "x86_64", ("macosx_11_0_x86_64",)),
    Platform("macOS 11, Apple", "Darwin", "arm64", ("macosx_11_0_arm64",)),
    Platform("Windows, x86-64", "Windows", "AMD64", ("win_amd64",)),
    Platform("Windows, ARM", "Windows", "ARM64", ("win_arm64",)),
)

PIP_AS_IF_THERE: Final = """
import json, sys
from pip._vendor.packaging import markers
there = json.loads(sys.argv.pop(1))
markers.default_environment = lambda: dict(there)
from pip._internal.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""pip chooses wheels for another platform, but asks its own for the markers: unless told."""


class Unresolved(Exception):
    """pip found no wheels; its words."""


def pip(environment: Environment, words: Iterable[str]) -> str:
    """What pip prints, run as if it stood in that environment."""
    command = [sys.executable, "-c", PIP_AS_IF_THERE, json.dumps(environment)]
    quiet = ["--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [*command, *words, *quiet], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise Unresolved("; ".join(errors) or done.stderr[-500:])
    return done.stdout


def runtime() -> list[str]:
    """The runtime dependencies of pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted: list[str] = tomllib.load(file)["project"]["dependencies"]
    return wanted


def target(platform: Platform, python: str) -> list[str]:
    """The options that name the platform to pip."""
    tags = [word for tag in platform.tags for word in ("--platform", tag)]
    return [*tags, "--python-version", python, "--implementation", "cp"]


def resolved(platform: Platform, python: str, wanted: Iterable[str]) -> list[dict[str, Any]]:
    """What pip would install there, of wheels alone."""
    options = ["--dry-run", "--quiet", "--ignore-installed", "--target", "nowhere"]
    options += ["--only-binary", ":all:", "--report", "-", *target(platform, python)]
    found = pip(platform.environment(python), ["install", *options, *wanted])
    chosen: list[dict[str, Any]] = json.loads(found)["install"]
    return chosen


def bounds(
    environment: Environment, wanted: Iterable[str], chosen: Iterable[dict[str, Any]]
) -> dict[str, SpecifierSet]:
    """What all that is installed there asks of each package."""
    asked = [Requirement(text) for text in wanted]
    for one in chosen:
        asked += map(Requirement, one["metadata"].get("requires_dist", ()))
    found: dict[str, SpecifierSet] = {}
    for need in asked:
        if need.marker is None or need.marker.evaluate({**environment, "extra": ""}):
            name = canonicalize_name(need.name)
            found[name] = found.get(name, SpecifierSet()) & need.specifier
    return found


@cache
def releases(platform: Platform, python: str, name: str) -> list[Version]:
    """The releases of a package that pip knows for a platform, of source too."""
    words = ["index", "versions", name, *target(platform, python)]
    printed = pip(platform.environment(python), words)
    listed = re.search(r"^Available versions: (.*)$", printed, re.MULTILINE)
    return [Version(text) for text in listed[1].split(", ")] if listed else []


def newer_sources(
    platform: Platform, python: str, wanted: list[str], chosen: list[dict[str, Any]]
) -> Iterator[str]:
    """Releases that a plain `pip install` would take there, though they have no wheel."""
    allowed = bounds(platform.environment(python), wanted, chosen)
    for one in chosen:
        if one["download_info"]["url"].endswith("-none-any.whl"):
            continue
        name = canonicalize_name(one["metadata"]["name"])
        version = Version(one["metadata"]["version"])
        fits = allowed.get(name, SpecifierSet()).filter(releases(platform, python, name))
        newest = max(fits, default=version)
        if newest > version:
            yield f"{name} {newest} has no wheel, {version} has"


@dataclass(frozen=True)
class Row:
    """What came of one platform and one Python."""

    platform: Platform
    python: str
    binary: dict[str, str]
    wrong: tuple[str, ...]


def row(platform: Platform, python: str) -> Row:
    """Try one platform and one Python."""
    wanted = runtime()
    try:
        chosen = resolved(platform, python, wanted)
        wrong = tuple(newer_sources(platform, python, wanted, chosen))
    except Unresolved as error:
        return Row(platform, python, {}, (str(error),))
    binary = {
        one["metadata"]["name"].lower(): one["metadata"]["version"]
        for one in chosen
        if not one["download_info"]["url"].endswith("-none-any.whl")
    }
    return Row(platform, python, binary, wrong)


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The rows as lines: the compiled packages with their versions, then what is wrong."""
    for one in rows:
        packages = ", ".join(f"{name} {one.binary[name]}" for name in sorted(one.binary))
        yield f"{one.platform.name:16} {one.python:5} {'NO' if one.wrong else 'ok':3} {packages}"
        yield from (f"    {words}" for words in one.wrong)


def main(arguments: list[str]) -> int:
    """Try all, print the table; 1 if one fails."""
    combinations = [
        (platform, python)
        for platform in PLATFORMS
        for python in PYTHONS
        if all(word.lower() in f"{platform.name} {python}".lower() for word in arguments)
    ]
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda pair: row(*pair), combinations))
    print("\n".join(table(rows)))
    good = sum(not one.wrong for one in rows)
    print(f"{good} of {len(rows)} combinations install from wheels alone")
    return 0 if rows and good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
