"""Any bytes give an accepted message or Invalid, nothing else; and what is signed comes back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import DIGESTS, HASH, NUMBER, ROW, TABLE, check_parser, shaped
from support.cases import fails
from support.machine_table import identity, make_table
from support.sampling import times
from support.toy_game import ToyGame

from protocol.errors import Invalid
from protocol.wire import codec, signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    Rejoin,
    Statement,
    StepInput,
    StepTimeout,
)

_, WHO = make_table(ToyGame(3), 3)
CERTIFICATE = QuorumCertificate(1, b"b" * 32, True, ((0, b"s" * 64), (2, b"t" * 64)))
STATEMENTS: list[Statement] = [
    StepInput(0, 1, b"d" * 32, b"body"),
    EpochRequest(1),
    EpochPromise(
        2,
        CERTIFICATE,
        (b"a" * 32, b"b" * 32),
        StepTimeout(1, 9, b"e" * 32),
        (b"c" * 32,),
        ((b"p" * 32,),),
    ),
    EpochPromise(1, None, (), None, (), ()),
    NewEpoch(1, (b"h" * 32, b"i" * 32)),
    PrepareVote(1, b"b" * 32),
    CommitVote(1, b"b" * 32),
    Rejoin(0),
]


def _parse(data: bytes) -> signed_messages.Message:
    return signed_messages.parse(data, TABLE.id, TABLE.ids)


def _signed(value: tuple[object, ...]) -> bytes:
    """Sign any payload, with the label of an epoch request if it has no kind."""
    payload = codec.encode(value)  # type: ignore[arg-type]
    kind = value[0] if value[0] in signed_messages.KINDS else 2
    label = signed_messages.KINDS[int(kind)][1]  # type: ignore[call-overload]
    return codec.encode((payload, WHO[1].sign(label, payload)))


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: type(s).__name__)
def test_what_is_signed_is_read_back_and_nothing_else(statement: Statement) -> None:
    """No byte may be changed, lacking or added."""
    message = signed_messages.sign(WHO[1], TABLE.id, 1, statement)
    data = message.encode()
    assert _parse(data) == message
    assert _parse(data).hash == message.hash
    for at in range(len(data)):
        fails(Invalid, "", _parse, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        fails(Invalid, "", _parse, data[:at])
    fails(Invalid, "", _parse, data + b"\x00")


def test_a_message_of_another_table_or_seat_is_refused() -> None:
    for who, table, seat, words in (
        (WHO[1], b"o" * 32, 1, "another table"),
        (WHO[1], TABLE.id, 2, "bad-signature"),
        (identity(1), TABLE.id, 9, ""),
    ):
        fails(
            Invalid, words, _parse, signed_messages.sign(who, table, seat, EpochRequest(1)).encode()
        )


D = b"d" * 32
BAD_FIELDS = {
    "kind 0": (0, TABLE.id, 1, 1),
    "epoch too high": (2, TABLE.id, 1, 2**32),
    "a bool for an epoch": (2, TABLE.id, 1, True),
    "too many fields": (2, TABLE.id, 1, 1, 1),
    "an empty proof": (3, TABLE.id, 1, 1, None, (), None, (), ((),)),
    "lock of epoch 0": (3, TABLE.id, 1, 1, (0, D, True, ()), (), None, (), ()),
    "lock kind no bool": (3, TABLE.id, 1, 1, (1, D, 1, ()), (), None, (), ()),
    "timeout of two fields": (3, TABLE.id, 1, 1, None, (), (0, 1), (), ()),
    "too many promises": (4, TABLE.id, 1, 1, (D,) * 17),
}
"""What the vectors do not hold (`vectors/making/message_failures.py`)."""


@pytest.mark.parametrize("value", BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_a_truly_signed_message_of_a_wrong_form_is_refused(value: tuple[object, ...]) -> None:
    fails(Invalid, "", _parse, _signed(value))


@settings(max_examples=times(60, 1000), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_or_invalid(data: bytes) -> None:
    fails(Invalid, "", _parse, data)


STATEMENT_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2**40) | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=12,
)


@settings(max_examples=times(60, 1000), deadline=None)
@given(st.integers(1, 7), st.lists(STATEMENT_VALUES, max_size=7))
def test_any_signed_fields_give_a_message_or_invalid(kind: int, fields: list[object]) -> None:
    data = _signed((kind, TABLE.id, 1, *fields))
    try:
        message = _parse(data)
    except Invalid:
        return
    assert message.encode() == data
    assert signed_messages.payload(TABLE.id, 1, message.statement) == message.payload


HEAD = (st.integers(1, 7), st.just(TABLE.id), NUMBER, NUMBER)
MESSAGES = st.one_of(
    ROW,
    shaped(*HEAD),
    shaped(*HEAD, DIGESTS),
    shaped(*HEAD, NUMBER, st.just(HASH), st.binary(max_size=4)),
    shaped(*HEAD, st.none(), DIGESTS, st.none(), DIGESTS, st.lists(DIGESTS).map(tuple)),
)


@settings(max_examples=times(15, 1000), deadline=None)
@given(MESSAGES)
def test_any_value_is_a_message_or_invalid(value: Any) -> None:
    check_parser(
        codec.encode(value),
        lambda data: signed_messages.read_payload(data, TABLE.id, 3),
        lambda found: signed_messages.payload(TABLE.id, *found),
        "bad-message",
    )


def test_a_message_in_parts_is_refused_as_the_whole_one_would_be() -> None:
    def in_parts(payload: bytes, signature: bytes) -> signed_messages.Message:
        return signed_messages.parse_parts(payload, signature, TABLE.id, TABLE.ids)

    message = signed_messages.sign(WHO[1], TABLE.id, 1, EpochRequest(1))
    assert in_parts(message.payload, message.signature) == message
    fails(Invalid, "bad-signature", in_parts, message.payload, bytes(64))
    fails(Invalid, "bad-message|bad-encoding", in_parts, b"\xc0", message.signature)
    most = signed_messages.MAX_MESSAGE
    for more in (0, 1):
        payload = bytes(most - codec.size((b"", bytes(64))) - 3 + more)
        assert codec.size((payload, bytes(64))) == most + more
        reason = fails(Invalid, "bad-encoding|bad-message", in_parts, payload, bytes(64)).reason
        assert ("more than" in reason) is bool(more)


def test_a_known_message_is_rebuilt_from_its_signature() -> None:
    message = signed_messages.sign(WHO[1], TABLE.id, 1, CommitVote(1, D))
    given = CommitVote(1, D), message.signature, TABLE.id, TABLE.ids
    assert signed_messages.rebuilt(1, *given) == message
    fails(Invalid, "bad-signature", signed_messages.rebuilt, 2, *given)
    other = PrepareVote(1, D), *given[1:]
    fails(Invalid, "bad-signature", signed_messages.rebuilt, 1, *other)
