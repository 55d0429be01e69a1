"""Reading, changing and judging files in tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from protocol.transcript import format
from protocol.transcript.format import Envelope, Transcript
from protocol.transcript.problem import FILE_FAULTS, PARTS, UNREADABLE, Problem
from protocol.transcript.verifier import verify
from protocol.wire import encoding, messages
from protocol.wire.faults import FAULTS
from protocol.wire.messages import Message, Statement
from support.played import files_of, game_of, room_of


def read(name: str) -> Transcript:
    """The first file of a played table."""
    return format.read(format.open_file(files_of(name)[0]))


def refusal(data: bytes) -> Problem:
    """The problem of bytes that must not pass: it names what and where."""
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
    """The code of the first problem of a transcript that must not pass."""
    return refusal(whole.encode()).code


def with_evidence(whole: Transcript, **changes: Any) -> Transcript:
    """Other evidence."""
    return replace(whole, evidence=replace(whole.evidence, **changes))


def with_entries(whole: Transcript, entries: Any) -> Transcript:
    """Another chain."""
    return replace(whole, content=replace(whole.content, entries=tuple(entries)))


def with_entry(whole: Transcript, index: int, entry: Any) -> Transcript:
    """Another step or link."""
    entries = whole.content.entries
    return with_entries(whole, (*entries[:index], entry, *entries[index + 1 :]))


def cut(whole: Transcript, entries: int, steps: int) -> Transcript:
    """Only the beginning of the chain, with the signatures of so many steps."""
    rows = whole.evidence.signatures[:steps]
    return with_evidence(
        with_entries(whole, whole.content.entries[:entries]), signatures=rows, final=()
    )


def signed(name: str, seat: int, statement: Statement) -> Message:
    """Any statement, signed by any seat of a table: what liars can make."""
    room = room_of(name)
    return messages.sign(room.who[seat], room.table.id, seat, statement)


def parsed(name: str, envelopes: Iterable[Envelope]) -> list[Message]:
    """The messages that evidence holds in full."""
    table = room_of(name).table
    return [messages.parse(encoding.encode(e), table.id, table.ids) for e in envelopes]


def with_message(name: str, message: Message) -> Transcript:
    """The file with one more message, in its place."""
    whole = read(name)
    every = sorted([*parsed(name, whole.evidence.messages), message], key=lambda m: m.hash)
    return with_evidence(whole, messages=tuple((m.payload, m.signature) for m in every))


def with_close(name: str, seat: int, close: Statement) -> Transcript:
    """The file with another close in place of its own."""
    made = signed(name, seat, close)
    return with_evidence(read(name), closes=((made.payload, made.signature),))
