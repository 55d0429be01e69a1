"""Changed transcripts: a sound file with one thing in it made wrong."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from protocol.transcript.transcript_format import Entry, Envelope, ReconfigurationEntry, Transcript
from protocol.wire import codec, signed_messages
from protocol.wire.signed_messages import Message
from support.machine_table import MachineTable


def with_evidence(whole: Transcript, **changes: Any) -> Transcript:
    """Replace lists of the evidence, by name."""
    return replace(whole, evidence=replace(whole.evidence, **changes))


def with_entries(whole: Transcript, entries: Iterable[Entry]) -> Transcript:
    """Replace the chain."""
    return replace(whole, content=replace(whole.content, entries=tuple(entries)))


def with_entry(whole: Transcript, index: int, entry: Entry) -> Transcript:
    """Replace one step or reconfiguration of the chain."""
    entries = list(whole.content.entries)
    entries[index] = entry
    return with_entries(whole, entries)


def cut(whole: Transcript, entries: int, steps: int) -> Transcript:
    """Keep only the first entries of the chain, and the signatures of the first steps."""
    short = with_entries(whole, whole.content.entries[:entries])
    return with_evidence(short, signatures=whole.evidence.signatures[:steps], final=())


def first_reconfiguration(whole: Transcript) -> int:
    """Return the index of the first reconfiguration of the chain."""
    return next(
        i for i, e in enumerate(whole.content.entries) if isinstance(e, ReconfigurationEntry)
    )


def envelopes(*every: Message) -> tuple[Envelope, ...]:
    """Return messages as a file lists them, by rising hash."""
    return tuple((m.payload, m.signature) for m in sorted(every, key=lambda m: m.hash))


def parsed(played: MachineTable, listed: Iterable[Envelope]) -> list[Message]:
    """Return the messages that a file of this table lists in full."""
    table = played.table
    return [signed_messages.parse(codec.encode(e), table.id, table.ids) for e in listed]


def with_message(played: MachineTable, whole: Transcript, message: Message) -> Transcript:
    """Add a message, in its place."""
    every = parsed(played, whole.evidence.messages)
    return with_evidence(whole, messages=envelopes(*every, message))
