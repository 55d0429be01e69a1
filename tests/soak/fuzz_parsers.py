"""Coverage-guided fuzzing of every parser: any bytes give a value or an error of ours.

Run with atheris installed: `python -m soak.fuzz_parsers -runs=1000000 [CORPUS]`. The first byte
of an input picks the parser; `soak.fuzz_corpus` makes a CORPUS to begin with. Signatures are taken
as good, so that what lies behind them is reached. Prints what libFuzzer prints; an unexpected
exception ends the run with the input.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import atheris
import msgpack  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["protocol", "p2p_hoity", "msgpack"]):
    from p2p_hoity.net.network_errors import NetError, TicketError
    from protocol.crypto import identities
    from protocol.errors import Invalid
    from soak import fuzz_corpus


def _no_check(*_: object) -> None:
    """Every signature holds."""


identities.verify_signature = _no_check  # type: ignore[assignment]


PARSERS = list(fuzz_corpus.PARSERS.values())
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
