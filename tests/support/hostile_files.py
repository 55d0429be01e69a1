"""Transcripts that are made to cost a reader memory: long strings, many, or many small items."""

import os
from collections.abc import Callable
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]

from p2p_hoity import game_adapter
from p2p_hoity.editions.load_edition import load
from protocol.chain import transition
from protocol.crypto.hashing import Label
from protocol.transcript.transcript_format import MAGIC, MAX_STRING, VERSION
from protocol.wire import table_header
from protocol.wire.signed_messages import EpochPromise, NewEpoch, StepInput, payload, sign
from protocol.wire.step_bodies import MAX_BODY
from support.machine_table import identity

LARGE: Final = 60_000_000
"""Bytes of the longest strings, and of files of many: a file may have 67 million."""
SEATS: Final = 2
WHO: Final = [identity(seat) for seat in range(SEATS)]


def _header() -> table_header.Header:
    terms = table_header.Terms(
        WHO[0].public, bytes(32), game_adapter.game_value(load(), "surprise"), SEATS, SEATS
    )
    names = zip(WHO, ("Ada", "Bob"), strict=True)
    return table_header.Header(
        terms, tuple(table_header.sit(terms, w, n, bytes(32)) for w, n in names)
    )


def _file(entries: Any = (), evidence: Any = (), raw: bytes = b"") -> bytes:
    parts = (*evidence, *((),) * (5 - len(evidence)))
    value = (MAGIC, VERSION, (raw or _header().encode(), entries), parts)
    packed: bytes = msgpack.packb(value)
    return packed


def long_body(size: int) -> bytes:
    """One body that is nearly the whole file."""
    return _file(((0, (bytes(size),)),))


def long_header(size: int) -> bytes:
    """A header that is nearly the whole file."""
    return _file(raw=bytes(size))


def long_message(size: int) -> bytes:
    """A message that is nearly the whole file."""
    return _file(evidence=((), ((bytes(size), bytes(64)),)))


def bodies(size: int) -> bytes:
    """As many of the longest bodies as the file has room for, each signed by its seat."""
    whole = _header()
    digest, entries, rows = whole.table_id, list[Any](), list[Any]()
    for step in range(1, size // (MAX_BODY * SEATS) + 1):
        slots = tuple(os.urandom(MAX_BODY) for _ in WHO)
        inputs = (StepInput(0, step, digest, slot) for slot in slots)
        said = [payload(whole.table_id, seat, step_input) for seat, step_input in enumerate(inputs)]
        rows.append(tuple((0, w.sign(Label.STEP_INPUT, p)) for w, p in zip(WHO, said, strict=True)))
        entries.append((0, slots))
        digest = transition.digest_after_step(digest, slots)
    return _file(tuple(entries), (tuple(rows),))


def promises(size: int) -> bytes:
    """Signed epoch promises that name as many messages as they may, none of which the file has."""
    table = _header().table_id
    found = []
    for epoch in range(1, size // 241_000 + 1):
        names = tuple(sorted(os.urandom(32) for _ in range(4096)))
        promise = EpochPromise(epoch, None, names, None, names[:3000], ())
        found.append(sign(WHO[0], table, 0, promise))
    found.sort(key=lambda message: message.hash)
    proposal = sign(WHO[0], table, 0, NewEpoch(1, tuple(one.hash for one in found[:2])))
    messages = tuple((one.payload, one.signature) for one in found)
    return _file((), ((), messages, ((proposal.payload, proposal.signature),)))


def small_items(size: int) -> bytes:
    """A million slots of two bytes each, or as many as the file has room for."""
    slots = (b"ab",) * 16_000
    return _file(((0, slots),) * min(65, size // 64_000))


def messages(size: int) -> bytes:
    """As many of the longest strings as the file has room for, where messages stand."""
    room = MAX_STRING - 100
    every = tuple((os.urandom(room), bytes(64)) for _ in range(size // MAX_STRING))
    return _file(evidence=((), every))


MADE: Final[dict[str, Callable[[int], bytes]]] = {
    one.__name__: one
    for one in (long_body, long_header, long_message, bodies, promises, small_items, messages)
}
