"""Transcripts of the played tables: reading, changing and judging them."""

from protocol.fault_codes import FAULTS
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import Transcript
from protocol.transcript.verification_report import FILE_FAULTS, PARTS, UNREADABLE, Problem
from protocol.transcript.verifier import verify
from support.played import files_of, game_of


def read(name: str) -> Transcript:
    """Return the first file of a played table."""
    return transcript_format.read(transcript_format.open_file(files_of(name)[0]))


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
