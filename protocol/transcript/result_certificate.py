"""The result certificate of a finished game: the standings, signed by the seats.

A certificate is the encoding of this array:
|
    [magic, version, header, [digest, step, present, banned, absences, standings], epoch, kind,
     signatures]

A certificate is made from a transcript, but contains no steps of the game. Anybody can check, with
SHA-512 and Ed25519 alone, that the seats of the header have signed this result of this game. Only
the transcript shows that the rules were followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Final

from ..crypto.hashing import Label, digest
from ..errors import Invalid
from ..units import TableId
from ..wire import codec, signed_messages
from ..wire.codec import Fields, Int, Octets64, Rows, Struct
from ..wire.signed_messages import CommitVote, Digest, StartEpoch, Statement, Step, StepInput
from ..wire.table_header import SEAT_NUMBERS, Header, Seat, parse_header
from .transcript_format import File, OpenedFile, opened
from .verification_report import Report

MAGIC: Final = "hoity-certificate"
"""The first item of every certificate."""
VERSION: Final = 3
"""The version of the format, which is the second item."""
MAX_CERTIFICATE: Final = 64 * 1024
"""The most bytes of a certificate."""
INPUTS: Final = signed_messages.NUMBER[StepInput]
"""The kind of a certificate whose signatures are those of step inputs."""
VOTES: Final = signed_messages.NUMBER[CommitVote]
"""The kind of a certificate whose signatures are those of commit votes."""

Rank = Int(SEAT_NUMBERS, 1)
"""The form of a rank in the standings."""
Seats = Annotated[tuple[int, ...], Rows(Seat, key=int)]
"""The form of a list of seats in rising order."""


@dataclass(frozen=True)
class Result:
    """The final state of a game, which the seats have signed ([N-13]).

    Attributes:
        step: The number of the step `result`.
        present: The seats that were present at the end.
        absences: For each seat, how often it was made absent in the game.
        standings: The rank and the seat of everyone, by rank and then by seat.
    """

    digest: Digest
    step: Step
    present: Seats
    banned: Seats
    absences: Annotated[tuple[int, ...], Rows(Int(2**16))]
    standings: Annotated[tuple[tuple[int, int], ...], Rows(Fields(Rank, Seat))]


@dataclass(frozen=True)
class Certificate:
    """The result of a game with the signatures that make it final.

    Attributes:
        header: The bytes of the table's header.
        result: The result.
        epoch: The epoch in which the result was signed.
        kind: What was signed: `INPUTS` to the step `result`, or commit `VOTES`.
        signatures: The seat and the signature of each message, by rising seat.
    """

    header: bytes
    result: Annotated[Result, Struct(Result)]
    epoch: StartEpoch
    kind: Annotated[int, Int(VOTES, INPUTS)]
    signatures: Annotated[
        tuple[tuple[int, bytes], ...], Rows(Fields(Seat, Octets64), SEAT_NUMBERS, key=itemgetter(0))
    ]

    def encode(self) -> bytes:
        """Return the bytes of the certificate.

        Returns:
            The one encoding of the certificate.
        """
        return codec.encode((MAGIC, VERSION, *_CERTIFICATE.write(self)))

    def statement(self, table_id: TableId) -> Statement:
        """Return the content of the messages whose signatures the certificate has.

        Args:
            table_id: The table id.

        Returns:
            The input to the step `result` if `kind` is INPUTS, otherwise the commit vote.
        """
        result = self.result
        if self.kind == INPUTS:
            body = codec.encode((result.standings, result.present))
            return StepInput(self.epoch, result.step, result.digest, body)
        base = digest(Label.BASE, table_id, codec.encode(_RESULT.write(result)))
        return CommitVote(self.epoch, base)


_RESULT: Final = Struct(Result)
_CERTIFICATE: Final = Struct(Certificate)


def certify(file: File | OpenedFile, report: Report) -> Certificate:
    """Return the certificate of a finished game.

    Args:
        file: The transcript.
        report: The report of the verifier on this transcript.

    Returns:
        The certificate.

    Raises:
        ValueError: If the report does not say that the game is finished and valid.
    """
    whole = opened(file).transcript
    if not report.ok or whole is None or report.node is None:
        raise ValueError("only a finished game whose file is valid has a certificate")
    evidence, result = whole.evidence, Result(*report.node.base_value())
    kind = INPUTS if evidence.final else VOTES
    signatures = evidence.final or evidence.commits
    return Certificate(whole.content.header, result, report.epochs, kind, signatures)


def check_certificate(data: bytes) -> tuple[Certificate, Header]:
    """Return a certificate after checking its form, result and signatures ([V-13]).

    Args:
        data: The bytes.

    Returns:
        The certificate, and the header of its table.

    Raises:
        Invalid: With the code of the first check that fails: `bad-encoding`, `bad-form`,
            `other-version`, `bad-header`, `bad-result` or `bad-signature`.
    """
    value = codec.decode(data, MAX_CERTIFICATE)
    if not isinstance(value, tuple) or value[:1] != (MAGIC,):
        raise Invalid("bad-form", "this is no certificate")
    if value[1:2] != (VERSION,):
        raise Invalid("other-version", f"the certificate is not of version {VERSION}")
    found: Certificate = codec.read(
        Struct(Certificate, head=2), value, "bad-form", "the certificate"
    )
    try:
        header = parse_header(found.header)
    except Invalid as error:
        code = "bad-signature" if error.code == "bad-signature" else "bad-header"
        raise Invalid(code, error.reason) from error
    # Before the signatures, because a seat that the table does not have has no key.
    _check_result(found, header)
    ids = [entry.id for entry in header.roster]
    statement = found.statement(header.table_id)
    for seat, signature in found.signatures:
        signed_messages.rebuilt(seat, statement, signature, header.table_id, ids)
    return found, header


def _check_result(found: Certificate, header: Header) -> None:
    """Raise Invalid for a result that this table cannot have, or that too few have signed."""
    result, terms = found.result, header.terms
    signers = [seat for seat, _ in found.signatures]
    named = {*result.present, *result.banned, *signers}
    wrong: Mapping[str, bool] = {
        "a seat that the table does not have": max(named, default=0) >= terms.seats,
        "not one count of absences for each seat": len(result.absences) != terms.seats,
        "fewer than a quorum present": len(result.present) < terms.quorum,
        "standings that do not name each seat once, in order": (
            sorted(seat for _, seat in result.standings) != list(range(terms.seats))
            or list(result.standings) != sorted(result.standings)
        ),
        # The form of `kind` is a range, which has other kinds of messages in it.
        "signatures of other messages than inputs or commit votes": (
            found.kind not in (INPUTS, VOTES)
        ),
        "not the signatures of all present seats": (
            found.kind == INPUTS and signers != list(result.present)
        ),
        "not the signatures of a quorum": found.kind == VOTES and len(signers) != terms.quorum,
        "commit votes of epoch 0, which no vote is for": found.kind == VOTES and found.epoch == 0,
    }
    for words, is_wrong in wrong.items():
        if is_wrong:
            raise Invalid("bad-result", f"it has {words}")
