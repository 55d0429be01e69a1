"""Certificates of a small table, valid and forged, each with the code of [V-13]."""

from collections.abc import Iterator
from typing import Any

import nacl.bindings as sodium

from . import constants as c
from .encoding import digest, encode, framed

SEATS, QUORUM = 3, 2
KEYS = [sodium.crypto_sign_seed_keypair(bytes([seat + 1]) * 32) for seat in range(SEATS)]

# The result of the table: d, step, present, banned, absences, standings.
END = [b"\x0d" * 32, 40, [0, 2], [1], [0, 3, 0], [[1, 2], [2, 0], [2, 1]]]
EPOCH = 4

# Places in the value of a certificate.
MAGIC, VERSION, HEADER, RESULT, EPOCH_AT, KIND, SIGNATURES = range(7)
DIGEST, STEP, PRESENT, BANNED, ABSENCES, STANDINGS = range(6)


def sign(label: str, seat: int, data: bytes) -> bytes:
    """Return the signature of a seat under a label (2.4)."""
    signature: bytes = sodium.crypto_sign(framed(c.label(label)) + data, KEYS[seat][1])[:64]
    return signature


def make_header(nickname: str = "Ada", quorum: int = QUORUM) -> bytes:
    """Return a header whose game is unknown to all (4)."""
    timeouts = [300_000, 30_000, 5000, 120_000]
    terms = [
        c.PROTOCOL,
        KEYS[0][0],
        bytes(32),
        [["unheard of", 7]],
        SEATS,
        quorum,
        timeouts,
        8,
        [[3, None]],
    ]
    roster = []
    for seat, (identity, _) in enumerate(KEYS):
        entry = [identity, nickname if seat == 0 else f"Guest {seat}", bytes([seat]) * 32]
        consent = encode([digest("terms", encode(terms)), *entry])
        roster.append([*entry, sign("sign seat", seat, consent)])
    return encode([terms, roster])


def make_value(
    kind: int,
    end: list[Any],
    signers: list[int],
    epoch: int = EPOCH,
    header: bytes | None = None,
) -> list[Any]:
    """Return the value of a certificate whose signers signed its very result."""
    header = make_header() if header is None else header
    table = digest("table id", header)
    if kind == c.STEP_INPUT:
        fields = [epoch, end[STEP], end[DIGEST], encode([end[STANDINGS], end[PRESENT]])]
    else:
        fields = [epoch, digest("base", table, encode(end))]
    name = c.MESSAGE_LABELS[kind]
    signatures = [[s, sign(name, s, encode([kind, table, s, *fields]))] for s in signers]
    magic = [c.CERTIFICATE_MAGIC, c.CERTIFICATE_VERSION]
    return [*magic, header, end, epoch, kind, signatures]


BY_INPUTS = make_value(c.STEP_INPUT, END, [0, 2])
BY_VOTES = make_value(c.COMMIT, END, [0, 1])


def replaced(value: list[Any], place: int, item: Any) -> list[Any]:
    """Return an array with another item at a place."""
    return [*value[:place], item, *value[place + 1 :]]


def with_end(place: int, item: Any) -> list[Any]:
    """Return the result of the table with another item at a place."""
    return replaced(END, place, item)


def by_both(name: str, end: list[Any], code: str | None) -> dict[str, tuple[bytes, str | None]]:
    """Return certificates of both kinds whose signers sign another result."""
    present = [seat for seat in end[PRESENT] if seat < SEATS]
    inputs = make_value(c.STEP_INPUT, end, present)
    votes = make_value(c.COMMIT, end, [0, 1])
    return {
        f"{name}, signed by inputs": (encode(inputs), code),
        f"{name}, signed by votes": (encode(votes), code),
    }


# Forgeries


def of_bytes() -> dict[str, tuple[bytes, str | None]]:
    """Return bytes that check 1 judges, and the largest that it leaves to check 2."""
    valid = encode(BY_INPUTS)
    most = c.MAX_CERTIFICATE
    filled = encode([c.CERTIFICATE_MAGIC, c.CERTIFICATE_VERSION, b"", *END[:4]])
    room = most - len(filled) - 1
    largest = encode([c.CERTIFICATE_MAGIC, c.CERTIFICATE_VERSION, bytes(room), *END[:4]])
    larger = encode([c.CERTIFICATE_MAGIC, c.CERTIFICATE_VERSION, bytes(room + 1), *END[:4]])
    assert (len(largest), len(larger)) == (most, most + 1)
    return {
        "nothing": (b"", "bad-encoding"),
        "cut short": (valid[:-1], "bad-encoding"),
        "a byte more": (valid + b"\xc0", "bad-encoding"),
        "a longer form of the version": (valid.replace(b"\x03", b"\xcc\x03", 1), "bad-encoding"),
        "a map": (b"\x80", "bad-encoding"),
        "too many items": (encode([c.CERTIFICATE_MAGIC, [0] * 4097]), "bad-encoding"),
        "too deep": (b"\x91" * 17 + b"\xc0", "bad-encoding"),
        "too large": (larger, "bad-encoding"),
        "as large as may be": (largest, "bad-form"),
    }


def of_form() -> dict[str, tuple[bytes, str | None]]:
    """Return certificates that checks 2 and 3 judge."""
    valid, magic = BY_INPUTS, c.CERTIFICATE_MAGIC
    first, second = valid[SIGNATURES]
    bad: dict[str, Any] = {
        "no array": magic,
        "an empty array": [],
        "another word": replaced(valid, MAGIC, c.FILE_MAGIC),
        "the word as bytes": replaced(valid, MAGIC, magic.encode()),
        "an item less": valid[:-1],
        "an item more": [*valid, None],
        "a header that is a text": replaced(valid, HEADER, "header"),
        "a result that is nil": replaced(valid, RESULT, None),
        "a result of five items": replaced(valid, RESULT, END[:5]),
        "a result of seven items": replaced(valid, RESULT, [*END, None]),
        "an epoch that is nil": replaced(valid, EPOCH_AT, None),
        "an epoch too high": replaced(valid, EPOCH_AT, 2**32),
        "kind 0": replaced(valid, KIND, 0),
        "kind 7": replaced(valid, KIND, 7),
        "kind true": replaced(valid, KIND, True),
        "signatures that are nil": replaced(valid, SIGNATURES, None),
        "a signature without its seat": replaced(valid, SIGNATURES, [first[1:], second]),
        "a signature of 63 bytes": replaced(valid, SIGNATURES, [[0, first[1][:-1]], second]),
        "a signature of seat 16": replaced(valid, SIGNATURES, [first, [16, second[1]]]),
        "signatures that fall": replaced(valid, SIGNATURES, [second, first]),
        "a signature twice": replaced(valid, SIGNATURES, [first, first]),
    }
    ends = {
        "a digest of 31 bytes": with_end(DIGEST, bytes(31)),
        "step 0": with_end(STEP, 0),
        "a step too high": with_end(STEP, 2**32),
        "a step that is true": with_end(STEP, True),
        "present that is nil": with_end(PRESENT, None),
        "present that falls": with_end(PRESENT, [2, 0]),
        "a seat present twice": with_end(PRESENT, [0, 0, 2]),
        "seat 16 present": with_end(PRESENT, [0, 16]),
        "banned that falls": with_end(BANNED, [2, 1]),
        "seat 16 banned": with_end(BANNED, [16]),
        "absences that are nil": with_end(ABSENCES, None),
        "an absence that is nil": with_end(ABSENCES, [0, None, 0]),
        "65,537 absences": with_end(ABSENCES, [0, 65_537, 0]),
        "standings that are nil": with_end(STANDINGS, None),
        "a place of one item": with_end(STANDINGS, [[1], [2, 0], [2, 1]]),
        "a place of three items": with_end(STANDINGS, [[1, 2, 0], [2, 0], [2, 1]]),
        "a place without a seat": with_end(STANDINGS, [[1, None], [2, 0], [2, 1]]),
        "rank 0": with_end(STANDINGS, [[0, 2], [2, 0], [2, 1]]),
        "rank 17": with_end(STANDINGS, [[1, 2], [2, 0], [17, 1]]),
        "seat 16 in the standings": with_end(STANDINGS, [[1, 2], [2, 0], [2, 16]]),
    }
    bad |= {name: replaced(valid, RESULT, end) for name, end in ends.items()}
    versions = {
        "version 2": replaced(valid, VERSION, 2),
        "version 4": replaced(valid, VERSION, 4),
        "a version that is a text": replaced(valid, VERSION, "3"),
        "nothing but the word": [magic],
    }
    forms: dict[str, tuple[bytes, str | None]] = {
        name: (encode(value), "bad-form") for name, value in bad.items()
    }
    return forms | {name: (encode(value), "other-version") for name, value in versions.items()}


def of_header() -> dict[str, tuple[bytes, str | None]]:
    """Return certificates whose header check 4 judges, with valid signatures of the result."""
    header = make_header()
    headers = {
        "an empty header": (b"", "bad-header"),
        "a header with a byte more": (header + b"\xc0", "bad-header"),
        "a header too large": (bytes(c.MAX_HEADER + 1), "bad-header"),
        "a quorum of one": (make_header(quorum=1), "bad-header"),
        "a separator in a nickname": (make_header("A,da"), "bad-header"),
        "another nickname": (header.replace(b"Ada", b"Adb"), "bad-signature"),
    }
    values = {
        name: (make_value(c.STEP_INPUT, END, END[PRESENT], header=bad), code)
        for name, (bad, code) in headers.items()
    }
    return {name: (encode(value), code) for name, (value, code) in values.items()}


def of_result() -> dict[str, tuple[bytes, str | None]]:
    """Return certificates that check 5 judges: their signers signed their very result."""
    ends = {
        "seat 3 present": with_end(PRESENT, [0, 2, 3]),
        "seat 3 banned": with_end(BANNED, [1, 3]),
        "an absence too few": with_end(ABSENCES, [0, 3]),
        "an absence too many": with_end(ABSENCES, [0, 3, 0, 0]),
        "too few present": with_end(PRESENT, [0]),
        "nobody present": with_end(PRESENT, []),
        "a seat without a place": with_end(STANDINGS, [[1, 2], [2, 0]]),
        "no standings": with_end(STANDINGS, []),
        "a place of seat 3": with_end(STANDINGS, [[1, 2], [2, 0], [2, 1], [3, 3]]),
        "a seat with two places": with_end(STANDINGS, [[1, 2], [2, 0], [2, 1], [3, 1]]),
        "a place twice": with_end(STANDINGS, [[1, 2], [2, 0], [2, 0], [2, 1]]),
        "ranks that fall": with_end(STANDINGS, [[2, 0], [2, 1], [1, 2]]),
        "seats of one rank that fall": with_end(STANDINGS, [[1, 2], [2, 1], [2, 0]]),
    }
    forged: dict[str, tuple[bytes, str | None]] = {}
    for name, end in ends.items():
        forged |= by_both(name, end, "bad-result")
    kinds = range(c.EPOCH_REQUEST, c.COMMIT)
    values = {f"kind {kind}": replaced(BY_INPUTS, KIND, kind) for kind in kinds}
    values |= {
        "an input too few": make_value(c.STEP_INPUT, END, [0]),
        "an input too many": make_value(c.STEP_INPUT, END, [0, 1, 2]),
        "an input of another seat": make_value(c.STEP_INPUT, END, [0, 1]),
        "a vote too few": make_value(c.COMMIT, END, [0]),
        "a vote too many": make_value(c.COMMIT, END, [0, 1, 2]),
        "no signatures, by inputs": make_value(c.STEP_INPUT, END, []),
        "no signatures, by votes": make_value(c.COMMIT, END, []),
        "votes of epoch 0": make_value(c.COMMIT, END, [0, 1], epoch=0),
        "a signature of seat 3": replaced(BY_VOTES, SIGNATURES, [[0, bytes(64)], [3, bytes(64)]]),
    }
    return forged | {name: (encode(value), "bad-result") for name, value in values.items()}


def of_signatures() -> dict[str, tuple[bytes, str | None]]:
    """Return certificates in which something else was signed (check 6)."""
    first, second = BY_INPUTS[SIGNATURES]
    flipped = bytes([second[1][0] ^ 1]) + second[1][1:]
    values = {
        "a changed signature": replaced(BY_INPUTS, SIGNATURES, [first, [2, flipped]]),
        "the signature of another seat": replaced(BY_INPUTS, SIGNATURES, [first, [2, first[1]]]),
        "inputs as votes": replaced(BY_INPUTS, KIND, c.COMMIT),
        "votes as inputs": replaced(
            replaced(BY_VOTES, KIND, c.STEP_INPUT), RESULT, with_end(2, [0, 1])
        ),
        "votes of the first kind": replaced(
            BY_VOTES, SIGNATURES, make_value(c.PREPARE, END, [0, 1])[SIGNATURES]
        ),
        "inputs of another table": replaced(BY_INPUTS, HEADER, make_header("Eve")),
        "votes of another table": replaced(BY_VOTES, HEADER, make_header("Eve")),
        "inputs of another epoch": replaced(BY_INPUTS, EPOCH_AT, EPOCH + 1),
        "votes of another epoch": replaced(BY_VOTES, EPOCH_AT, EPOCH + 1),
    }
    ends = {
        "another digest": with_end(DIGEST, bytes(32)),
        "another step": with_end(STEP, 41),
        "other standings": with_end(STANDINGS, [[1, 1], [2, 0], [2, 2]]),
    }
    votes_only = {
        "others present": with_end(PRESENT, [0, 1]),
        "others banned": with_end(BANNED, []),
        "other absences": with_end(ABSENCES, [0, 4, 0]),
    }
    for name, end in ends.items():
        values[f"{name}, by inputs"] = replaced(BY_INPUTS, RESULT, end)
    for name, end in (ends | votes_only).items():
        values[f"{name}, by votes"] = replaced(BY_VOTES, RESULT, end)
    return {name: (encode(value), "bad-signature") for name, value in values.items()}


def of_nothing() -> dict[str, tuple[bytes, str | None]]:
    """Return certificates that [V-13] accepts: the valid ones, and what no check forbids.

    The inputs to `result` name neither the banned seats nor the absences.
    """
    values = {
        "by inputs": BY_INPUTS,
        "by votes": BY_VOTES,
        "inputs of epoch 0": make_value(c.STEP_INPUT, END, [0, 2], epoch=0),
        "votes of an absent seat": make_value(c.COMMIT, END, [1, 2]),
        "others banned, by inputs": replaced(BY_INPUTS, RESULT, with_end(BANNED, [])),
        "other absences, by inputs": replaced(BY_INPUTS, RESULT, with_end(ABSENCES, [0, 4, 0])),
        "a seat that is present and banned": make_value(
            c.STEP_INPUT, with_end(BANNED, [0, 1]), [0, 2]
        ),
    }
    forged = {name: (encode(value), None) for name, value in values.items()}
    return forged | by_both("ranks with a gap", with_end(STANDINGS, [[5, 2], [9, 0], [9, 1]]), None)


def all_certificates() -> dict[str, tuple[bytes, str | None]]:
    """Return every certificate here by its name, with its code; None if it is accepted."""
    groups = (of_bytes, of_form, of_header, of_result, of_signatures, of_nothing)
    found: dict[str, tuple[bytes, str | None]] = {}
    for group in groups:
        made = group()
        assert not made.keys() & found.keys()
        found |= made
    return found


def changed(value: Any) -> Iterator[Any]:
    """Find values that differ from a value in one place: an item is replaced, left out or twice."""
    if isinstance(value, list):
        for place, item in enumerate(value):
            for other in changed(item):
                yield replaced(value, place, other)
            yield value[:place] + value[place + 1 :]
            yield value[:place] + value[place : place + 1] + value[place:]
    yield from (other for other in (None, True, 0, 6, 16, 65_537, b"", []) if other != value)
