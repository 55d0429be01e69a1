"""The file of verdicts: JSON lines that say which files are judged, so that a run can go on."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import IO, Any, Final

from p2p_hoity.storage.private_files import hold

from ..exit_codes import USAGE, Trouble
from ..words.translation import _

BEGINNING: Final = b'{"file": "'
"""How each line begins."""
LONGEST: Final = 1 << 20
"""Bytes of a line."""


def program() -> str:
    """Return the version of this program; nothing if it is run from its source."""
    try:
        return metadata.version("p2p-hoity")
    except metadata.PackageNotFoundError:
        return ""


class Verdicts:
    """An open file of verdicts: a context; Trouble if it cannot be one.

    What this version of the program judged in it before is known by name, size and time of change.
    What another version judged is judged again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[bytes, str] = {}
        self._file = self._opened()
        self._write = self._file.write
        with ExitStack() as unless_read:
            unless_read.enter_context(self._file)
            self._read()
            unless_read.pop_all()

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def verdict_of(self, path: Path) -> str | None:
        """What was found of a file that is still the same, by its size and time; else None."""
        if not self.known:
            return None
        try:
            found = path.stat()
        except OSError:
            return None
        return self.known.get(_key(str(path), found.st_size, found.st_mtime_ns))

    def add(self, found: dict[str, Any]) -> None:
        """Write a line, at once."""
        self._write(json.dumps(found).encode("ascii") + b"\n")
        self._file.flush()

    def _opened(self) -> IO[bytes]:
        try:
            if self.path.exists() and not stat.S_ISREG(self.path.stat().st_mode):
                raise OSError(22, _("it is no regular file"))
            file = open(self.path, "a+b")  # noqa: SIM115 - closed by the context
        except OSError as error:
            words = _("Verdicts cannot be kept in {path}: {why}. Name another file.")
            raise Trouble(words.format(path=self.path, why=error.strerror), USAGE) from error
        if hold(file):
            return file
        file.close()
        words = _("Another run keeps its verdicts in {path} just now. Name another file.")
        raise Trouble(words.format(path=self.path), USAGE)

    def _read(self) -> None:
        """Take in what is there. The last line may be torn, and goes."""
        self._file.seek(0)
        whole = 0
        for line in self._lines():
            if line.endswith(b"\n"):
                self._take(line)
                whole += len(line)
            elif not BEGINNING.startswith(line[: len(BEGINNING)]):
                raise self._foreign()
        if whole < self._file.seek(0, os.SEEK_END):
            self._file.truncate(whole)

    def _lines(self) -> Iterator[bytes]:
        while line := self._file.readline(LONGEST):
            yield line
            if not line.endswith(b"\n"):
                if len(line) == LONGEST:
                    raise self._foreign()
                return

    def _take(self, line: bytes) -> None:
        try:
            found = json.loads(line)
            key = _key(found["file"], found["size"], found["modified"])
            verdict, problem = found["verdict"], found["problem"]
            judged = problem is None or problem["code"] not in ("no-file", "not-judged")
            judged = judged and found.get("program") == program()
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._foreign() from None
        if judged and verdict in ("ok", "fault", "unreadable"):
            self.known[key] = verdict

    def _foreign(self) -> Trouble:
        words = _("{path} holds something else than verdicts. Name another file for them.")
        return Trouble(words.format(path=self.path), USAGE)


def _key(file: str, size: int | None, modified: int | None) -> bytes:
    """Short, so that a million of them have room."""
    whole = f"{size} {modified} {file}".encode(errors="surrogatepass")
    return blake2b(whole, digest_size=16).digest()
