"""The file beside a transcript that shows which player sat at which seat.

A transcript names seats by keys that were drawn for the table. A vouch is a signature by which a
player's long-lived key confirms such a key as the player's. The seats show the vouches only to each
other. With this file anybody else can check them, too. Vouches stand in the order of the seats,
with None for a seat that has shown none.

SPEC: section 14.2.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from protocol import Header, Invalid, Vouch, codec, table_header, vouches
from protocol.units import TableId

from .file_store import FileStore

MAGIC: Final = "hoity-vouches"
"""The first item of the file."""
VERSION: Final = 3
"""The version of the file's format."""
MAX_FILE: Final = 4_096
"""The most bytes of such a file. Sixteen vouches need fewer."""
SUFFIX: Final = ".vouches"
_ROWS: Final = codec.Rows(Vouch | None, table_header.SEAT_NUMBERS)
_FORM: Final = codec.Fields(
    codec.Text(lambda text: text == MAGIC), codec.Int(VERSION, VERSION), codec.Octets(32), _ROWS
)


def place_of(folder: Path, table: TableId) -> Path:
    """Return the path of a table's vouches in the folder of transcripts. It need not exist."""
    return folder / f"{table.hex()[:16]}{SUFFIX}"


def keep_vouches(
    files: FileStore, folder: Path, table: TableId, shown: tuple[Vouch | None, ...]
) -> None:
    """Store the vouches of a table, if there are any, in the folder of the transcripts.

    No error is raised if the file cannot be written, because the game does not depend on it.
    """
    if any(shown):
        with suppress(OSError):
            files.put(place_of(folder, table), encode_vouches(table, shown))


def encode_vouches(table: TableId, shown: tuple[Vouch | None, ...]) -> bytes:
    """Encode the file with the vouches of a table."""
    return codec.encode((MAGIC, VERSION, table, _ROWS.write(shown)))


def read_vouches(data: bytes, header: Header) -> tuple[bytes | None, ...]:
    """Check a file of vouches, and return the long-lived key of the player at each seat, or None.

    Raises:
        Invalid: With code `bad-encoding` or `bad-vouch` if the bytes are no such file, the file
            belongs to another table, or a vouch is invalid ([H-16], [H-17]).
    """
    value = codec.decode(data, MAX_FILE)
    _, _, table, shown = codec.read(_FORM, value, vouches.BAD_VOUCH, "the file")
    # A vouch names terms and a key, not the roster, so this ties the file to its table.
    if table != header.table_id:
        raise Invalid(vouches.BAD_VOUCH, "the file is of another table")
    vouches.check_vouches(shown, header.terms, header.roster)
    return tuple(None if one is None else one.id for one in shown)
