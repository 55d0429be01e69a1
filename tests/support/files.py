"""Transcripts of the played tables: reading, changing and judging them."""

from collections.abc import Iterable

from protocol.transcript import format
from protocol.transcript.format import Envelope, Transcript
from protocol.transcript.problem import FILE_FAULTS, PARTS, UNREADABLE, Problem
from protocol.transcript.verifier import verify
from protocol.wire.faults import FAULTS
from protocol.wire.messages import Message, Statement
from support.forgeries import transcripts
from support.played import files_of, game_of, room_of


def read(name: str) -> Transcript:
    """Return the first file of a played table."""
    return format.read(format.open_file(files_of(name)[0]))


def refusal(data: bytes) -> Problem:
    """Return the problem of bytes that must not pass, after checking that it names a place."""
    report = verify(data, game_of)
    problem = report.problem
    assert problem is not None
    assert not report.ok
    assert report.verdict == ("unreadable" if problem.code in UNREADABLE else "fault")
    assert problem.code in FILE_FAULTS or problem.code in FAULTS
    assert problem.words
    assert problem.part in {*PARTS.values(), "file"}
    assert 0 <= problem.offset <= len(data)
    return problem


def code_of(whole: Transcript) -> str:
    """Return the code of the first problem of a transcript that must not pass."""
    return refusal(whole.encode()).code


def parsed(name: str, listed: Iterable[Envelope]) -> list[Message]:
    """Return the messages that evidence of a played table lists in full."""
    return transcripts.parsed(room_of(name), listed)


def with_message(name: str, message: Message) -> Transcript:
    """Return the file of a played table with one message more, in its place."""
    return transcripts.with_message(room_of(name), read(name), message)


def with_close(name: str, seat: int, close: Statement) -> Transcript:
    """Return the file of a played table with another statement in place of its closes."""
    return transcripts.with_close(room_of(name), read(name), seat, close)
