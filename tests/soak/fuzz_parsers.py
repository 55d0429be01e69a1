"""Coverage-guided fuzzing of every parser: any bytes give a value or an error of ours.

Run with atheris installed: `python -m soak.fuzz_parsers -runs=1000000 [CORPUS]`. The first byte
of an input picks the parser; `soak.fuzz_corpus` makes a CORPUS to begin with. Signatures are taken
as good, so that what lies behind them is reached. Prints what libFuzzer prints; an unexpected
exception ends the run with the input.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris
import msgpack

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

with atheris.instrument_imports(include=["protocol", "p2p_hoity", "msgpack"]):
    from support import room
    from support.toy_game import ToyGame

    from p2p_hoity import game_port
    from p2p_hoity.editions.canonical import read_canonical
    from p2p_hoity.editions.loading import parse
    from p2p_hoity.net.addresses import parse_address
    from p2p_hoity.net.discovery import read_properties
    from p2p_hoity.net.errors import NetError
    from p2p_hoity.net.handshake import CHALLENGE as CHALLENGE_SIZE
    from p2p_hoity.net.handshake import MAGIC as LINK_MAGIC
    from p2p_hoity.net.handshake import Listener, Purpose
    from p2p_hoity.net.ticket import TicketError, decode_ticket
    from p2p_hoity.session import lobby
    from p2p_hoity.session.next_table import parse_again
    from p2p_hoity.session.talk import parse_talk
    from p2p_hoity.storage.journal_format import HEAD, MAGIC, MARK_MAGIC, new_form, read_form
    from protocol.crypto import signing
    from protocol.errors import Invalid
    from protocol.transcript import verifier
    from protocol.wire import bodies, encoding, frames, header, messages
    from soak import fuzz_corpus

CHALLENGE = LINK_MAGIC + bytes(CHALLENGE_SIZE - len(LINK_MAGIC))
LISTENER = Listener(Purpose.LINK, bytes(32), bytes(32))
TABLE, _ = room.make_table(ToyGame(4), 4)


def _no_check(*_: object) -> None:
    """Every signature holds."""


signing.verify_signature = _no_check  # type: ignore[assignment]


def _text(parser: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: parser(data.decode("utf-8", "replace"))


def _file(data: bytes) -> object:
    return verifier.verify(data, game_port.read_game)


def _records(data: bytes) -> object:
    """As a journal is read, record by record."""
    form = read_form(data, None)
    at, last, number = len(MAGIC) + HEAD, form.start, 0
    while (found := form.next(data, at, number + 1, last)) is not None:
        _, last, at = found
        number += 1
    return number


JOURNAL = new_form(None)
PARSERS: list[Callable[[bytes], object]] = [
    lambda data: encoding.decode(data, 1 << 20),
    lambda data: messages.read_payload(data, TABLE.id, TABLE.seats),
    lambda data: messages.parse(data, TABLE.id, TABLE.ids),
    frames.parse_frame,
    lobby.parse_lobby,
    parse_talk,
    parse_again,
    header.parse_header,
    lambda data: bodies.parse_key_reveal(data, 3, 4),
    bodies.parse_key_commit,
    bodies.parse_key_ok,
    bodies.parse_seal,
    lambda data: bodies.parse_shuffle(data, 11),
    lambda data: bodies.parse_gather(data, 1, 1),
    bodies.parse_show,
    lambda data: bodies.parse_choice(data, 16),
    _file,
    read_canonical,
    lambda data: _records(b"hoity-journal-2\n\0" + data),
    lambda data: JOURNAL.marked(data, 7),
    lambda data: JOURNAL.marked(MARK_MAGIC + data, 7),
    _text(lambda text: parse(text, "fuzz")),
    _text(decode_ticket),
    _text(parse_address),
    lambda data: LISTENER.check(data, CHALLENGE),
    lambda data: read_properties({b"v": b"2", b"name": data[:9], b"t0": data[9:]}),
]
if len(PARSERS) != len(fuzz_corpus.PARSERS):
    raise SystemExit("fuzz_corpus.PARSERS does not name the parsers")
OURS = (Invalid, TicketError, NetError, ValueError)


def one_input(data: bytes) -> Any:
    """The fuzz invariant in one sentence: a value, or an error of ours."""
    if not data:
        return
    try:
        PARSERS[data[0] % len(PARSERS)](data[1:])
    except OURS as error:
        if type(error) in (UnicodeError, RecursionError):
            raise


def spoil(value: Any, die: random.Random) -> Any:
    """The value with one part of it changed."""
    if isinstance(value, list) and value and die.random() < 0.8:
        place = die.randrange(len(value))
        changed = [*value]
        changed[place] = spoil(value[place], die)
        return changed[: die.randrange(len(value) + 1)] if die.random() < 0.05 else changed
    if isinstance(value, bytes) and value and die.random() < 0.6:
        inner = _unpacked(value)
        if inner is not None and die.random() < 0.5:
            return msgpack.packb(spoil(inner, die))
        place = die.randrange(len(value))
        return value[:place] + bytes([value[place] ^ 1 << die.randrange(8)]) + value[place + 1 :]
    return die.choice([0, 1, 2, 255, 2**32, b"", b"\0" * 32, b"x" * 64, None, True, "", [], value])


def _unpacked(data: bytes) -> Any:
    try:
        return msgpack.unpackb(data)
    except (ValueError, msgpack.UnpackException):
        return None


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Half of the time keep the encoding sound and change what it says."""
    die = random.Random(seed)
    value = _unpacked(data[1:]) if data and die.random() < 0.5 else None
    if value is None:
        return bytes(atheris.Mutate(data, max_size))
    return (data[:1] + msgpack.packb(spoil(value, die)))[:max_size]


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, one_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
