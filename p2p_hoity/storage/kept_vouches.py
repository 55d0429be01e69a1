"""The file of vouches beside a finished game, which shows who sat at which seat.

A transcript names seats by keys that were drawn for its table. The vouches tell to which player
each of these keys belongs. Only the seats of the table have seen them. With this file anybody can
check it.

SPEC: section 4.6.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from protocol import Header, Invalid, Vouch, codec, table_header, vouches

from .private_files import NAMED

MAGIC: Final = "hoity-vouches"
"""The first item of the file."""
VERSION: Final = 3
"""The version of the file's form."""
MAX_FILE: Final = 4_096
"""Bytes of a file of vouches at most. Sixteen vouches have fewer."""
SUFFIX: Final = ".vouches"
"""The end of the file's name."""
_ROWS: Final = codec.Rows(Vouch | None, table_header.SEAT_NUMBERS)
_FORM: Final = codec.Fields(
    codec.Text(lambda text: text == MAGIC), codec.Int(VERSION, VERSION), codec.Octets(32), _ROWS
)


def place_of(folder: Path, table: bytes) -> Path:
    """Return where the vouches of a table are stored.

    Args:
        folder: The folder of the transcripts.
        table: The id of the table, 32 bytes.

    Returns:
        The path of the file.
    """
    return folder / f"{table.hex()[:16]}{SUFFIX}"


def keep_vouches(folder: Path, table: bytes, shown: tuple[Vouch | None, ...]) -> None:
    """Store the vouches of a table, if a seat has shown one.

    The game does not depend on this file. If it cannot be written, there is none.

    Args:
        folder: The folder of the transcripts.
        table: The id of the table, 32 bytes.
        shown: The vouch of each seat, None for a seat that has shown none.
    """
    if any(shown):
        with suppress(OSError):
            NAMED.put(place_of(folder, table), encode_vouches(table, shown))


def encode_vouches(table: bytes, shown: tuple[Vouch | None, ...]) -> bytes:
    """Return the bytes of a file of vouches.

    Args:
        table: The id of the table, 32 bytes.
        shown: The vouch of each seat, None for a seat that has shown none.

    Returns:
        The bytes.
    """
    return codec.encode((MAGIC, VERSION, table, _ROWS.write(shown)))


def read_vouches(data: bytes, header: Header) -> tuple[bytes | None, ...]:
    """Return the long-lived key of each seat, from a file of vouches.

    Args:
        data: The bytes of the file.
        header: The header of the table.

    Returns:
        For each seat its long-lived key, 32 bytes, or None if it has shown none.

    Raises:
        Invalid: With code `bad-encoding` or `bad-vouch` if the bytes are no such file, the file
            belongs to another table, or a vouch is invalid ([H-16], [H-17]).
    """
    value = codec.decode(data, MAX_FILE)
    _, _, table, shown = codec.read(_FORM, value, vouches.BAD_VOUCH, "the file")
    if table != header.table_id:
        raise Invalid(vouches.BAD_VOUCH, "the file is of another table")
    vouches.check_vouches(shown, header.terms, header.roster)
    return tuple(None if one is None else one.id for one in shown)
