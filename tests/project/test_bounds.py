"""Each bound of SPEC has a case at it that passes and a case just above it that is refused.

`CONSTANTS` has bounds by their place in the code, and `SENTENCES` the words in which SPEC states
them. `STATED` has those of values in messages, frames, headers, tickets, certificates and files. A
bound that takes a whole game or a running link is lowered in a test, whose name stands beside it.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from support.cases import each
from support.machine_table import identity
from support.paths import ROOT, VECTORS
from support.source import text_of
from vectors.making import message_failures as posts
from vectors.making.bounded import joined

from p2p_hoity.game_adapter import read_game
from p2p_hoity.net.transport import FrameBuffer, OversizedFrame
from p2p_hoity.storage import kept_vouches
from p2p_hoity.table.beside_game import chat
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.playing.frame_kinds import longest
from protocol.chain import sealed_choices
from protocol.crypto import escrow, group, key_sharing
from protocol.crypto.hashing import Context, Label
from protocol.errors import Invalid
from protocol.transcript import result_certificate
from protocol.transcript.verifier import verify
from protocol.wire import codec, step_bodies, table_header
from protocol.wire.table_header import DAY, Header, Terms, Timeouts
from tools.spec_tables import specification

Found = str
"""The code with which a case is refused. Empty if it passes."""
PASSES: Found = ""
HASH, U32 = bytes(32), 2**32 - 1


class Bound(NamedTuple):
    """What is found at a bound and just above it.

    Attributes:
        probe: What is found with a number of things, or of that size.
        most: The bound.
        above: The code with which one more is refused.
        at: The code at the bound, where another rule refuses what no game has.
    """

    probe: Callable[[int], Found]
    most: int
    above: Found
    at: Found = PASSES


def code_of(call: Callable[..., object], *given: Any) -> Found:
    """The code with which a call refuses what it is given."""
    try:
        call(*given)
    except Invalid as error:
        return error.code
    except ValueError:
        return "ValueError"
    return PASSES


# Files.

FILES: dict[str, dict[str, Any]] = json.loads((VECTORS / "bounds.json").read_text("utf-8"))


def file(name: str) -> Callable[[int], Found]:
    """The verdict on the committed file with so many."""

    def probe(number: int) -> Found:
        case = FILES[f"{name}-{number}"]
        data = joined([(bytes.fromhex(part), times) for part, times in case["parts"]])
        problem = verify(data, read_game).problem
        assert problem is not None
        assert problem.code == case["problem"][0]
        return problem.code

    return probe


# Messages and frames.


def hashes(number: int) -> tuple[bytes, ...]:
    """So many hashes in rising order."""
    return tuple(sorted(sha256(b"%d" % i).digest() for i in range(number)))


def message(make: Callable[[int], tuple[Any, ...]], kind: int, label: Label) -> Any:
    """How a signed message is read whose fields are made from a number."""
    return lambda number: posts.read(
        "message", posts.posted(posts.payload(*make(number), kind=kind), label)
    )


def step_input(make: Callable[[int], tuple[Any, ...]]) -> Any:
    return message(make, 1, Label.STEP_INPUT)


def promise(make: Callable[[int], dict[str, Any]]) -> Any:
    """How an epoch promise is read with fields that are made from a number."""
    names = ("epoch", "certificate", "inputs", "timeout", "rejoins", "proofs")
    usual = {"epoch": 2, "certificate": None, "inputs": (), "timeout": None, "rejoins": (),
             "proofs": ()}  # fmt: skip

    def fields(number: int) -> tuple[Any, ...]:
        given = usual | make(number)
        return tuple(given[name] for name in names)

    return message(fields, 3, Label.EPOCH_PROMISE)


def voted(seats: int) -> dict[str, Any]:
    votes = tuple((seat, bytes(64)) for seat in range(seats))
    return {"certificate": (1, HASH, True, votes)}


def frame(make: Callable[[int], tuple[Any, ...]], kind: str = "frame") -> Callable[[int], Found]:
    return lambda number: posts.read(kind, codec.encode(make(number)))


def long_message(size: int) -> Found:
    """How an epoch promise is read whose message has so many bytes.

    A further input takes 34 bytes, and a further proof 35, so every size can be made.
    """
    some = hashes(codec.MAX_ITEMS)
    for proofs in range(16, 64):
        ones = tuple((digest,) for digest in some[:proofs])
        rest = size - len(_promised(some[:2000], some[:2000], ones))
        if rest % 34 == 0:
            data = _promised(some[:4000], some[: rest // 34], ones)
            assert len(data) == size
            return posts.read("message", data)
    raise AssertionError("no such promise")


def _promised(inputs: Any, rejoins: Any, proofs: Any) -> bytes:
    fields = (U32, None, inputs, (U32, U32, HASH), rejoins, proofs)
    return posts.posted(posts.payload(*fields, kind=3), Label.EPOCH_PROMISE)


def unknown(size: int) -> Found:
    """How a frame of a kind that nobody knows is taken from a link."""
    data = codec.encode((127, bytes(size - 5)))
    assert len(data) == size
    frames = FrameBuffer(1 << 20, longest=longest)
    try:
        assert list(frames.feed(size.to_bytes(4, "big") + data)) == [data]
    except OversizedFrame as error:
        return str(error.code)
    return PASSES


def talk(words: str | int) -> Found:
    return code_of(chat.parse_talk, chat.speak(HASH, identity(1), 1, 0, words).encode())


def sit(addresses: tuple[str, ...]) -> tuple[Any, ...]:
    entry = posts.table().header.roster[0].value()
    return ("sit", entry, addresses, None)


# Headers.


@cache
def base_terms() -> Terms:
    return posts.table().header.terms


def header(nickname: str = "Ann", **changed: Any) -> Found:
    """How a header with other terms is read that all seats have signed."""
    terms = replace(base_terms(), host=identity(0).public, **changed)
    who = [identity(seat) for seat in range(terms.seats)]
    names = [nickname, *(f"seat {seat}" for seat in range(1, terms.seats))]
    entries = [
        table_header.SeatEntry(one.public, names[seat], bytes([seat]) * 32, b"")
        for seat, one in enumerate(who)
    ]
    roster = []
    for one, entry in zip(who, entries, strict=True):
        told = table_header.seat_statement(terms.digest(), entry.id, entry.nickname, entry.nonce)
        roster.append(replace(entry, signature=one.sign(Label.SEAT, told)))
    return code_of(table_header.parse_header, Header(terms, tuple(roster)).encode())


def timeouts(name: str) -> Callable[[int], Found]:
    usual = {"choice": 30 * DAY, "step": 30 * DAY, "back_off": 100, "cap": 30 * DAY}
    return lambda number: header(timeouts=Timeouts(**(usual | {name: number})))


def lowest(name: str) -> Callable[[int], Found]:
    """The same for a lower bound: the probe gets the bound, or one more for one less."""
    least = {"choice": 1000, "step": 1000, "back_off": 100, "cap": 100}[name]
    usual = {"choice": 1000, "step": 1000, "back_off": 100, "cap": 100}
    return lambda number: header(timeouts=Timeouts(**(usual | {name: 2 * least - number})))


def options(number: int) -> tuple[tuple[int, Any], ...]:
    return tuple((2 * one + 1, None) for one in range(number))


# Tickets.


def addresses(number: int) -> list[tuple[int, bytes]]:
    return [(4, bytes([203, 0, 113, one, 1, 1])) for one in range(number)]


def ticket(text: str) -> Found:
    return posts.read("ticket", text.encode())


def ticket_of_size(size: int) -> Found:
    """A ticket whose payload has so many bytes, most of them in entries of unknown kinds."""
    host, terms = base_terms().host, base_terms().digest()
    place = posts.PLACE
    left = size - len(host + terms + b"\0") - 2 - 2 - len(place[1])
    entries = [(2 * one + 1, bytes(255)) for one in range(15)]
    left -= sum(2 + len(value) for _, value in entries)
    entries.append((255, bytes(left - 2)))
    return ticket(posts.ticket_of([place], entries=entries))


# Sizes that are exact.


def commitment(size: int) -> Found:
    return code_of(step_bodies.parse, step_bodies.SealBody, codec.encode((bytes(size), b"")))


def coin(size: int) -> Found:
    return code_of(sealed_choices.read_choice, SimpleNamespace(), "coin", bytes(size))


def share(size: int) -> Found:
    """How an escrow share is read. One of the right size is refused for what it holds."""
    context = Context(HASH, 1, 0, "x")
    held = bytes(64) + (b"\x01" + bytes(31)) * 3
    return reason_of(escrow.verify_share, context, (context, HASH, HASH, held), HASH, bytes(size))


def key_share(size: int) -> Found:
    """How an encrypted key share is read. One of the right size is refused for what it holds."""
    where = Context(HASH, 1, 0, "x")
    return reason_of(key_sharing.decrypt_key_share, where, b"\x01" * 32, b"\x09" * size)


def reason_of(call: Callable[..., object], *given: Any) -> Found:
    """Whether a call refuses what it is given for its size."""
    with pytest.raises(Invalid) as caught:
        call(*given)
    return "size" if re.search(r"has \d+ bytes", caught.value.reason) else PASSES


def escrow_of(size: int) -> Found:
    """An escrow without an opening is refused, and one of a byte is read: a bound from below."""
    data = (bytes(64) + (b"\x01" + bytes(31)) * 3)[: 2 * (escrow.OVERHEAD + 1) - size]
    return code_of(escrow._parse, data)


CONSTANTS: dict[str, Bound | str] = {
    "protocol.wire.codec.MAX_DEPTH": Bound(file("depth"), 16, "bad-encoding", "bad-form"),
    "protocol.transcript.transcript_format.MAX_ITEMS": Bound(
        file("signatures"), 16_384, "bad-encoding", "left-over"
    ),
    "protocol.wire.codec.MAX_ITEMS": Bound(
        lambda n: code_of(codec.decode, codec.encode((None,) * n), 10_000), 4_096, "bad-encoding"
    ),
    "protocol.transcript.transcript_format.MAX_TOTAL": Bound(
        file("items"), 1_048_576, "bad-encoding", "bad-form"
    ),
    "protocol.transcript.transcript_format.MAX_STRING": Bound(
        file("bytes"), 262_144, "bad-encoding", "bad-header"
    ),
    "protocol.transcript.transcript_format.MAX_FILE": Bound(
        file("file"), 67_108_864, "too-large", "bad-encoding"
    ),
    "protocol.wire.table_header.MAX_HEADER": Bound(
        file("header"), 16_384, "bad-header", "not-final"
    ),
    "protocol.wire.signed_messages.MAX_MESSAGE": Bound(long_message, 262_144, "bad-encoding"),
    "protocol.wire.step_bodies.MAX_BODY": Bound(
        lambda n: code_of(step_bodies._decoded, codec.encode(bytes(n - 5))), 131_072, "bad-body"
    ),
    "p2p_hoity.table.beside_game.chat.MAX_WORDS": Bound(lambda n: talk("a" * n), 200, "bad-frame"),
    "p2p_hoity.table.beside_game.chat.PHRASES": Bound(lambda n: talk(n - 1), 12, "bad-frame"),
    "protocol.wire.table_header.MAX_SEATS": Bound(
        lambda n: header(seats=n, quorum=5), 8, "bad-header"
    ),
    "protocol.wire.table_header.SEAT_NUMBERS": Bound(
        frame(lambda n: (6, n - 1, "over", None, bytes(64))), 16, "bad-frame"
    ),
    "protocol.wire.table_header.MAX_NICKNAME": Bound(
        lambda n: header("\U00020000" * n), 24, "bad-header"
    ),
    "protocol.game_interface.MAX_CARDS": Bound(
        lambda n: code_of(group.card_points, n), 128, "ValueError"
    ),
    "protocol.wire.signed_messages.MAX_EPOCH": Bound(
        step_input(lambda n: (n, 9, HASH, b"\xc0")), U32, "bad-message"
    ),
    "protocol.wire.signed_messages.MAX_STEP": Bound(
        step_input(lambda n: (0, n, HASH, b"\xc0")), U32, "bad-message"
    ),
    "protocol.wire.signed_notices.MAX_NUMBER": Bound(
        frame(lambda n: (5, 1, n, 0, 14, HASH, bytes(64))), 254, "bad-frame"
    ),
    "protocol.wire.step_bodies.COIN_SIZE": Bound(coin, 32, "bad-body"),
    "protocol.crypto.commitments.COMMITMENT_SIZE": Bound(commitment, 32, "bad-body"),
    "protocol.crypto.escrow.OVERHEAD": Bound(escrow_of, 129, "bad-escrow"),
    "protocol.crypto.escrow.SHARE_SIZE": Bound(share, 96, "size"),
    "protocol.crypto.key_sharing.ENCRYPTED_SHARE_SIZE": Bound(key_share, 80, "size"),
    "p2p_hoity.table.playing.frame_kinds.OF_OTHERS": Bound(unknown, 2_048, "frame-too-large"),
    "protocol.chain.transition.LAST_STEP": (
        "tests/protocol_/chain/test_transition_stopped.py::test_behind_the_last_step_the_hands_are_opened"
    ),
    "protocol.seat.catch_up.MAX_ANSWER": (
        "tests/protocol_/seat/test_catch_up.py::"
        "test_all_own_statements_are_told_in_parts_by_rising_hash"
    ),
    "protocol.transcript.verifier_checks.MAX_LOOKUPS": (
        "tests/protocol_/transcript/test_verifier_checks.py::"
        "test_a_new_epoch_message_that_rests_on_too_much_is_refused"
    ),
}
"""By place in the code, the cases on either side, or the test that lowers the bound."""
EXACT = ("COIN_SIZE", "COMMITMENT_SIZE", "SHARE_SIZE")
"""Sizes of which one less is refused, too."""

STATED: dict[str, Bound] = {
    "[C-1] an integer": Bound(lambda n: code_of(codec.encode, n), 2**64 - 1, "bad-encoding"),
    **{f"[H-2] {name}, most": Bound(timeouts(name), most, "bad-header")
       for name, most in (("choice", 30 * DAY), ("step", 30 * DAY), ("back_off", DAY),
                          ("cap", 30 * DAY))},
    **{f"[H-2] {name}, least": Bound(lowest(name), least, "bad-header")
       for name, least in (("choice", 1000), ("step", 1000), ("back_off", 100), ("cap", 100))},
    "[H-2] rejoins": Bound(lambda n: header(rejoins=n), 255, "bad-header"),
    "[H-2] options": Bound(lambda n: header(options=options(n)), 16, "bad-header"),
    "[H-2] number of an option": Bound(
        lambda n: header(options=((n, None),)), 65_535, "bad-header"
    ),
    "[H-2] quorum": Bound(lambda n: header(seats=6, quorum=n), 6, "bad-header"),
    "[H-2] seats, least": Bound(lambda n: header(seats=4 - n, quorum=2), 2, "bad-header"),
    "[H-2] name of the game": Bound(
        lambda n: header(game=(("a" * n, 1),)), 32, "bad-header"
    ),
    "[H-2] version of the game": Bound(lambda n: header(game=(("a", n),)), U32, "bad-header"),
    "5.2 inputs of a promise": Bound(
        promise(lambda n: {"inputs": hashes(n)}), 4_096, "bad-encoding"
    ),
    "5.2 rejoins of a promise": Bound(
        promise(lambda n: {"rejoins": hashes(n)}), 4_096, "bad-encoding"
    ),
    "5.2 proofs": Bound(
        promise(lambda n: {"proofs": tuple((one,) for one in hashes(n))}), 64, "bad-message"
    ),
    "5.2 messages of a proof": Bound(
        promise(lambda n: {"proofs": (hashes(n),)}), 2, "bad-message"
    ),
    "5.2 votes of a certificate": Bound(promise(voted), 16, "bad-message"),
    "5.2 step of a timeout": Bound(
        promise(lambda n: {"timeout": (0, n, HASH)}), U32, "bad-message"
    ),
    "5.2 count of a rejoin": Bound(message(lambda n: (n,), 7, Label.REJOIN), 255, "bad-message"),
    "13.4 hashes of fetch": Bound(
        frame(lambda n: (1, (HASH,) * n, ())), 4_096, "bad-encoding"
    ),
    "13.4 epochs of fetch": Bound(
        frame(lambda n: (1, (), (1,) * n)), 4_096, "bad-encoding"
    ),
    "13.4 have of sync": Bound(
        frame(lambda n: (2, 0, 1, (bytes(16),) * n, ())), 4_096, "bad-encoding"
    ),
    "13.4 direct of sync": Bound(
        frame(lambda n: (2, 0, 1, (), (0,) * n)), 16, "bad-frame"
    ),
    "13.5 addresses of sit": Bound(
        frame(lambda n: sit(("a",) * n), "lobby"), lobby.MAX_ADDRESSES, "bad-frame"
    ),
    "13.5 characters of an address": Bound(
        frame(lambda n: sit(("a" * n,)), "lobby"), lobby.MAX_ADDRESS, "bad-frame"
    ),
    "13.5 names": Bound(frame(lambda n: ("names", ("Ann",) * n), "lobby"), 16, "bad-frame"),
    "[T-5] addresses": Bound(lambda n: ticket(posts.ticket_of(addresses(n))), 8, "bad-ticket"),
    "[T-5] relays": Bound(
        lambda n: ticket(posts.ticket_of([posts.PLACE], addresses(n))), 4, "bad-ticket"
    ),
    "[T-6] entries": Bound(
        lambda n: ticket(
            posts.ticket_of([posts.PLACE], entries=[(2 * one + 1, b"") for one in range(n)])
        ),
        16,
        "bad-ticket",
    ),
    "[T-7] bytes of a ticket": Bound(ticket_of_size, 4_096, "bad-ticket"),
    "[V-13] bytes of a certificate": Bound(
        lambda n: code_of(result_certificate.check_certificate, codec.encode(bytes(n - 3))),
        65_536,
        "bad-encoding",
        "bad-form",
    ),
    "[H-17] bytes of a file of vouches": Bound(
        lambda n: code_of(
            kept_vouches.read_vouches, codec.encode(bytes(n - 3)), posts.table().header
        ),
        4_096,
        "bad-encoding",
        "bad-vouch",
    ),
}  # fmt: skip
"""By rule or section, the cases on either side of a bound that the text states."""


def probed(those: Iterable[Bound | str]) -> list[Bound]:
    return [one for one in those if isinstance(one, Bound)]


@each([*CONSTANTS, *STATED])
def test_what_is_at_a_bound_passes_and_what_is_above_it_does_not(name: str) -> None:
    bound = (CONSTANTS | STATED)[name]
    if isinstance(bound, Bound):
        assert bound.above != bound.at
        assert bound.probe(bound.most) == bound.at, "at the bound"
        assert bound.probe(bound.most + 1) == bound.above, "above the bound"


@each([name for name in CONSTANTS if name.endswith(EXACT)])
def test_what_has_an_exact_size_may_not_be_shorter(name: str) -> None:
    bound = CONSTANTS[name]
    assert isinstance(bound, Bound)
    assert bound.probe(bound.most - 1) == bound.above


SENTENCES = {
    "protocol.wire.codec.MAX_DEPTH": "Its depth is at most {}.",
    "protocol.transcript.transcript_format.MAX_ITEMS": "(11.1) an array has at most {:,} items.",
    "protocol.wire.codec.MAX_ITEMS": "In every other value an array has at most {} items.",
    "protocol.transcript.transcript_format.MAX_TOTAL": "A file has at most {:,} items in all.",
    "protocol.transcript.transcript_format.MAX_STRING": "or binary string has at most {:,} bytes.",
    "protocol.transcript.transcript_format.MAX_FILE": "one value (2.1) of at most {:,} bytes",
    "protocol.wire.table_header.MAX_HEADER": "A header MUST have at most {:,} bytes",
    "protocol.wire.signed_messages.MAX_MESSAGE": "a message of more than {:,} bytes",
    "protocol.wire.step_bodies.MAX_BODY": "is longer than {:,} bytes",
    "p2p_hoity.table.beside_game.chat.MAX_WORDS": "1 to {} code points of plain text",
    "p2p_hoity.table.beside_game.chat.PHRASES": "or the number 0 to {less} of a phrase",
    "protocol.wire.table_header.MAX_SEATS": "| terms | seats | int | 2 to {} |",
    "protocol.wire.table_header.SEAT_NUMBERS": "a seat an int 0 to {less}",
    "protocol.wire.table_header.MAX_NICKNAME": "Its nickname has 1 to {} code points",
    "protocol.game_interface.MAX_CARDS": "or more than {} in all",
    "protocol.wire.signed_messages.MAX_EPOCH": "| step-input | epoch | int | 0 | {} |",
    "protocol.wire.signed_messages.MAX_STEP": "| step-input | step | int | 1 | {} |",
    "protocol.wire.signed_notices.MAX_NUMBER": "| number | int 1 to {} |",
    "protocol.wire.step_bodies.COIN_SIZE": "A coin has {} bytes.",
    "protocol.crypto.commitments.COMMITMENT_SIZE": "commitment is bytes({})",
    "protocol.crypto.escrow.OVERHEAD": "size(kind) + 34 + {} bytes",
    "protocol.crypto.escrow.SHARE_SIZE": "It is U || e || z, {} bytes",
    "protocol.crypto.key_sharing.ENCRYPTED_SHARE_SIZE": "each encrypted key share has {} bytes",
    "p2p_hoity.table.playing.frame_kinds.OF_OTHERS": "if the frame has at most {:,} bytes",
    "protocol.chain.transition.LAST_STEP": "a game at step {:,}",
    "protocol.seat.catch_up.MAX_ANSWER": "An answer MUST have at most {mib} MiB",
    "protocol.transcript.verifier_checks.MAX_LOOKUPS": "would look up more than {:,} messages",
}
"""The words in which the specification states a bound, by its place in the code."""


def constant(path: str) -> int:
    """The value of a dotted name."""
    module, _, name = path.rpartition(".")
    found: int = getattr(importlib.import_module(module), name)
    return found


def test_each_constant_is_stated_and_has_its_cases() -> None:
    text = " ".join(specification().split())
    assert set(CONSTANTS) == set(SENTENCES)
    for path, bound in CONSTANTS.items():
        most = constant(path)
        assert SENTENCES[path].format(most, less=most - 1, mib=most >> 20) in text, path
        if isinstance(bound, Bound) and not path.endswith("OVERHEAD"):
            assert bound.most == most, path


@each([one for one in CONSTANTS.values() if isinstance(one, str)])
def test_a_bound_that_is_touched_elsewhere_has_that_test(name: str) -> None:
    path, _, test = name.partition("::")
    assert f"def {test}(" in text_of(ROOT / path)
