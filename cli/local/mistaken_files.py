"""What a file is that is not what it was taken for, or how it was damaged on its way.

A file is recognized by its beginning and by what conversions of text leave behind. So these are
guesses. They are told only about files that were refused already.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from p2p_hoity.storage.private_files import NAMED
from protocol import transcript

from ..words.translation import N_, _, command_line

MOST: Final = 1 << 20
"""The most bytes of a file that are looked at."""
HEAD: Final = 64
"""The bytes at the beginning of a file in which its name of a format is searched."""
MANY: Final = 8_192
"""Among so many bytes that look random, each of the 256 values is found, or they were converted."""


class Kind(Enum):
    """The kinds of files that begin with the name of their format."""

    GAME = "hoity-transcript"
    CERTIFICATE = "hoity-certificate"
    VOUCHES = "hoity-vouches"
    JOURNAL = "hoity-journal-"
    MARK = "hoity-mark-"
    KEY = "hoity-key-"


ARRAYS: Final = (Kind.GAME, Kind.CERTIFICATE, Kind.VOUCHES)
"""The kinds that are arrays whose first item is the name. The others begin with the name."""

COMPRESSED: Final = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc",
)
"""The beginnings of gzip, zip, bzip2, xz, zstd and 7z."""
TICKET: Final = re.compile(rb"\s*hoity\d[a-z2-7\s]{40,}\s*", re.IGNORECASE)
WEB_PAGE: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|\?xml|head|!--)", re.IGNORECASE
)
BASE64: Final = re.compile(rb"[A-Za-z0-9+/\s]{24,}=*\s*")

UNPACK: Final = N_("This is a compressed file. Unpack it, and check the file that is in it.")
LOAD_AGAIN: Final = N_(
    "This is a web page, such as a server sends in place of a file. Download the file again."
)
DECODE: Final = N_(
    "This is a file in the letters of base64, as mails carry it. Save the attachment itself, or "
    "decode it with a program for base64."
)
AS_TEXT: Final = N_(
    "The file was damaged on its way: it was converted as if it were text. Have it sent again "
    "unchanged, for example as an attachment in a zip archive."
)
INCOMPLETE: Final = N_(
    "The end is missing, as after a download or a copy that was interrupted. Get the file again."
)
NOTHING: Final = N_(
    "The file is empty, as after a download or a copy that failed. Get the file again."
)
CHANGED: Final = N_(
    "A part of the file is missing or was changed, as by a download or a copy that failed. Get the "
    "file again."
)
SEAT: Final = N_("This is a ticket. With it you sit down at a table: hoity join TICKET")
TEXT: Final = N_("This is a text, and no file that this program has saved.")


def _of_game(path: Path) -> str:
    text = _("This is the file of a game. Check it with: {command}")
    return text.format(command=command_line("verify", path))


def _of_certificate(path: Path) -> str:
    text = _("This is a result certificate. Check it with: {command}")
    return text.format(command=command_line("verify", "--certificate", path))


def _of_vouches(path: Path) -> str:
    """Return what to do with a file of vouches."""
    text = _(
        "This is a file of vouches, which shows who played a game. Name it beside the game: "
        "{command}"
    )
    return text.format(command=command_line("verify", "--vouches", path, "GAME"))


def _of_journal(_path: Path) -> str:
    """Return what to do with a journal."""
    return _(
        "This is the journal of an unfinished game. hoity resume --claim saves such a game of "
        "yours as a file that can be checked."
    )


def _of_mark(_path: Path) -> str:
    return _("This is the mark of a journal, from which an old copy is known. No game is in it.")


def _of_key(_path: Path) -> str:
    return _("This is the file of a player's key, and no game. It is secret: give it to nobody.")


ADVICE: Final[dict[Kind, Callable[[Path], str]]] = {
    Kind.GAME: _of_game,
    Kind.CERTIFICATE: _of_certificate,
    Kind.VOUCHES: _of_vouches,
    Kind.JOURNAL: _of_journal,
    Kind.MARK: _of_mark,
    Kind.KEY: _of_key,
}


def explained(path: Path, wanted: Kind, data: bytes | None = None, code: str = "") -> str:
    """Return what a refused file probably is, or what has damaged it, and what to do.

    It is "" if nothing is known.

    Args:
        wanted: The kind for which it was taken.
        data: The bytes of the file. None to read them.
        code: The code of the problem that was found in it. "" if it is not known.
    """
    if data is None:
        data = _beginning(path)
    if data is None:
        return ""
    if not data:
        return _(NOTHING)
    kind = kind_of(data)
    if kind is not None and kind is not wanted:
        return ADVICE[kind](path)
    damage = _damage(data, kind)
    if not damage and kind is wanted and code == "torn":
        damage = INCOMPLETE
    if not damage and kind is Kind.CERTIFICATE and code == "bad-encoding":
        damage = CHANGED
    return _(damage) if damage else ""


def explanation(
    path: Path, report: transcript.Report, file: transcript.File | None = None
) -> list[str]:
    """Return a line that says what a refused file probably is, if anything is known.

    Args:
        file: The bytes, if the name may lead to another file.
    """
    if report.ok or report.problem is None or report.unfinished:
        return []
    data = file if isinstance(file, bytes) else None
    return indented(explained(path, Kind.GAME, data, report.problem.code))


def indented(words: str) -> list[str]:
    """Return an explanation as the one line below the verdict on a file, no line for ""."""
    return [f"  {words}"] if words else []


def _beginning(path: Path) -> bytes | None:
    """Return the first bytes of a regular file. None if it cannot be read (again)."""
    with suppress(OSError):
        # A pipe or device cannot be read again, and might never end.
        if os.path.isfile(path):
            return NAMED.get(path, MOST)
    return None


def kind_of(data: bytes) -> Kind | None:
    """Return the kind of a file by its undamaged beginning, None if it is none of this program."""
    for kind in Kind:
        name = kind.value.encode()
        if kind not in ARRAYS:
            if data.startswith(name):
                return kind
        elif data[:1] in _SHORT_ARRAYS and data[1:].startswith(bytes([0xA0 | len(name)]) + name):
            return kind
    return None


_SHORT_ARRAYS: Final = frozenset(bytes([0x90 | size]) for size in range(16))
"""The first bytes of arrays of fewer than 16 items."""


def _damage(data: bytes, kind: Kind | None) -> str:
    """Return the message for what conversions have made of a file. "" if none is recognized."""
    if data.startswith(COMPRESSED):
        return UNPACK
    if WEB_PAGE.match(data):
        return LOAD_AGAIN
    if TICKET.fullmatch(data):
        return SEAT
    if kind is None and _names_a_kind(data[:HEAD]):
        return AS_TEXT
    if kind is None and _is_base64(data):
        return DECODE
    if kind is not None:
        return AS_TEXT if _has_other_line_ends(data) else ""
    with suppress(UnicodeDecodeError):
        return TEXT if data.decode("utf-8").replace("\n", "").isprintable() else ""
    return ""


def _names_a_kind(head: bytes) -> bool:
    """Return whether the name of a format stands in the first bytes, also in UTF-16."""
    plain = head.replace(b"\0", b"")
    return any(kind.value.encode() in plain for kind in Kind)


def _is_base64(data: bytes) -> bool:
    """Return whether a file is in base64, at least at its beginning, and is one of this program."""
    first = b"".join(data[: 4 * HEAD].split())
    with suppress(binascii.Error):
        found = base64.b64decode(first[: len(first) // 4 * 4])
        return bool(BASE64.fullmatch(data)) and (
            kind_of(found) is not None or found.startswith(COMPRESSED)
        )
    return False


def _has_other_line_ends(data: bytes) -> bool:
    r"""Return whether line ends were converted: all \n are \r\n, or one of the bytes is nowhere."""
    lines = data.split(b"\n")[:-1]
    if lines and all(line.endswith(b"\r") for line in lines):
        return True
    return len(data) >= MANY and (not lines or b"\r" not in data)
