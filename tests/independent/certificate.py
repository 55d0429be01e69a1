"""The reader of result certificates (11.3)."""

from dataclasses import dataclass
from typing import Any

from . import constants as c
from .chain import Node
from .encoding import EncodingError, decode, digest, encode, is_array, is_bytes, is_int, is_rising
from .file_form import is_seats, is_signed_pair
from .group import signature_is_valid
from .header import HeaderError, read_roster


class CertificateError(Exception):
    """The code of the first check of [V-13] that a certificate fails."""


@dataclass(frozen=True)
class Result:
    """The result that a valid certificate shows.

    Attributes:
        table: the table id.
        ids: the identity key of each seat.
        digest: the digest at the node that wants `result` (6.1).
        standings: rank and seat of each seat, rising.
        present: the seats that were present at the end.
    """

    table: bytes
    ids: tuple[bytes, ...]
    digest: bytes
    standings: tuple[tuple[int, int], ...]
    present: tuple[int, ...]


def require(condition: bool, code: str) -> None:
    """Reject a certificate with a code unless a condition holds."""
    if not condition:
        raise CertificateError(code)


def is_place(value: Any) -> bool:
    """Return whether a value has the shape of a rank and a seat."""
    return is_array(value, 2) and is_int(value[0], 1, 16) and is_int(value[1], 0, 15)


def is_end(value: Any) -> bool:
    """Return whether a value has the shape of what the base digest covers at the end (6.1)."""
    if not is_array(value, 6):
        return False
    before, step, present, banned, absences, standings = value
    return (
        is_bytes(before, 32)
        and is_int(step, 1, c.MAX_STEP)
        and is_seats(present)
        and is_seats(banned)
        and is_array(absences)
        and all(is_int(count, 0, c.MAX_COUNT) for count in absences)
        and is_array(standings)
        and all(is_place(place) for place in standings)
    )


def is_signatures(value: Any) -> bool:
    """Return whether a value is a list of seats and signatures by rising seat."""
    if not is_array(value) or not all(is_signed_pair(pair, 15) for pair in value):
        return False
    return is_rising([seat for seat, _ in value])


def check_form(value: Any) -> None:
    """Check the shape of a certificate ([V-13], 2 and 3)."""
    require(is_array(value) and value[:1] == [c.CERTIFICATE_MAGIC], "bad-form")
    version = value[1] if len(value) > 1 else None
    require(is_int(version, c.CERTIFICATE_VERSION, c.CERTIFICATE_VERSION), "other-version")
    require(is_array(value, 7), "bad-form")
    header, end, epoch, kind, signatures = value[2:]
    require(is_bytes(header) and is_end(end), "bad-form")
    require(is_int(epoch, 0, c.MAX_EPOCH) and is_int(kind, c.STEP_INPUT, c.COMMIT), "bad-form")
    require(is_signatures(signatures), "bad-form")


def result_is_consistent(
    end: list[Any], epoch: int, kind: int, signers: list[int], seats: int, quorum: int
) -> bool:
    """Return whether seats, counts and signers of a certificate agree ([V-13], 6)."""
    _, _, present, banned, absences, standings = end
    if any(seat >= seats for seat in [*present, *banned, *signers]) or len(absences) != seats:
        return False
    if len(present) < quorum or not is_rising(standings):
        return False
    if sorted(seat for _, seat in standings) != list(range(seats)):
        return False
    if kind == c.STEP_INPUT:
        return signers == present
    return kind == c.COMMIT and epoch >= 1 and len(signers) == quorum


def read_certificate(data: bytes) -> Result:
    """Return the result that a certificate shows ([V-13]).

    Raises:
        CertificateError: with the code of the first check that fails.
    """
    require(len(data) <= c.MAX_CERTIFICATE, "bad-encoding")
    try:
        value = decode(data)
    except EncodingError as error:
        raise CertificateError("bad-encoding") from error
    check_form(value)
    header, end, epoch, kind, signatures = value[2:]
    try:
        terms, ids = read_roster(header)
    except HeaderError as error:
        raise CertificateError(str(error)) from error
    signers = [seat for seat, _ in signatures]
    require(result_is_consistent(end, epoch, kind, signers, len(ids), terms[5]), "bad-result")
    table = digest("table id", header)
    before, step, present, _, _, standings = end
    if kind == c.STEP_INPUT:
        fields = [epoch, step, before, encode([standings, present])]
    else:
        fields = [epoch, digest("base", table, encode(end))]
    for seat, signature in signatures:
        payload = encode([kind, table, seat, *fields])
        valid = signature_is_valid(c.MESSAGE_LABELS[kind], ids[seat], payload, signature)
        require(valid, "bad-signature")
    places = tuple((rank, seat) for rank, seat in standings)
    return Result(table, tuple(ids), before, places, tuple(present))


def make_certificate(value: list[Any], end: Node, last_epoch: int) -> bytes:
    """Return the certificate of a transcript that is `ok`.

    Args:
        value: the value of the transcript (11.1).
        end: the node with which its chain ends.
        last_epoch: its last epoch.
    """
    (header, _), (_, _, _, commits, final) = value[2:]
    base = [end.digest, end.step, end.present, end.banned, end.absences, end.standings()]
    kind, signatures = (c.STEP_INPUT, final) if final else (c.COMMIT, commits)
    magic = [c.CERTIFICATE_MAGIC, c.CERTIFICATE_VERSION]
    return encode([*magic, header, base, last_epoch, kind, signatures])
