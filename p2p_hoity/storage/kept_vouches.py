"""The file of vouches that a player keeps beside a finished game: who sat at which seat.

A transcript names seats by keys that were drawn for its table. The vouches, which only those who
were there have seen, say which player each of these keys belongs to. With this file anybody can
check that.

SPEC: section 4.6.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from protocol import Header, Invalid, Vouch, codec, table_header, vouches

from .private_files import NAMED

MAGIC: Final = "hoity-vouches"
VERSION: Final = 3
MAX_FILE: Final = 4_096
"""Bytes of a file of vouches. Sixteen vouches have less."""
SUFFIX: Final = ".vouches"
_ROWS: Final = codec.Rows(Vouch | None, table_header.SEAT_NUMBERS)
_FORM: Final = codec.Fields(
    codec.Text(lambda text: text == MAGIC), codec.Int(VERSION, VERSION), codec.Octets(32), _ROWS
)


def place_of(folder: Path, table: bytes) -> Path:
    """Return where the vouches of a table are kept.

    Args:
        folder: The folder of the transcripts.
        table: The id of the table, 32 bytes.
    """
    return folder / f"{table.hex()[:16]}{SUFFIX}"


def keep_vouches(folder: Path, table: bytes, shown: tuple[Vouch | None, ...]) -> None:
    """Keep the vouches of a table, if anybody has shown one.

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
    """
    return codec.encode((MAGIC, VERSION, table, _ROWS.write(shown)))


def read_vouches(data: bytes, header: Header) -> tuple[bytes | None, ...]:
    """Return the long-lived key of each seat of a table that has shown one, else None.

    Args:
        data: The bytes of a file of vouches.
        header: The header of the table.

    Raises:
        Invalid: 'bad-encoding' or 'bad-vouch' if the bytes are no such file, if the file is of
            another table, or if a vouch does not hold ([H-16], [H-17]).
    """
    value = codec.decode(data, MAX_FILE)
    _, _, table, shown = codec.read(_FORM, value, vouches.BAD_VOUCH, "the file")
    if table != header.table_id:
        raise Invalid(vouches.BAD_VOUCH, "the file is of another table")
    vouches.check_vouches(shown, header.terms, header.roster)
    return tuple(None if one is None else one.id for one in shown)
