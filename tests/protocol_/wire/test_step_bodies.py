"""The bodies of inputs: any value is a body or Invalid, and an error names its field."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import VALUES, check_parser, outcome
from support.cases import each, fails
from support.sampling import times

from protocol.crypto import group
from protocol.crypto.hashing import ORDER
from protocol.errors import Invalid
from protocol.wire import codec, step_bodies
from protocol.wire.step_bodies import Complaint, SealBody

BODIES: dict[str, Callable[[bytes], Any]] = {
    "key.commit": partial(step_bodies.parse, step_bodies.KeyCommit),
    "key.reveal": partial(step_bodies.parse, step_bodies.key_reveal_form(1, 2)),
    "key.ok": step_bodies.parse_key_ok,
    "seal": partial(step_bodies.parse, step_bodies.SealBody),
    "shuffle": partial(step_bodies.parse, step_bodies.shuffle_form(1)),
    "gather": partial(step_bodies.parse, step_bodies.gather_form(1, 1)),
    "show": partial(step_bodies.parse, step_bodies.ShowBody),
}
FIELD = st.sampled_from([b"", bytes(32), bytes(64), bytes(96), 3, None, (b"",), (b"", bytes(32))])


@pytest.mark.parametrize("kind", BODIES)
@settings(max_examples=times(15, 1000), deadline=None)
@given(value=st.lists(FIELD | VALUES, min_size=2, max_size=4).map(tuple) | VALUES)
def test_any_value_is_a_body_or_invalid(kind: str, value: Any) -> None:
    data, encode = codec.encode(value), step_bodies.encode_body
    check_parser(data, BODIES[kind], encode, "bad-body", "bad-point")


WRONG_FORMS: list[tuple[str, Any, str | None]] = [
    ("key.commit", (bytes(31), bytes(32)), "hash"),
    ("key.commit", (bytes(32), 7), "box"),
    ("key.commit", (bytes(32),), None),
    ("key.commit", 7, None),
    ("key.reveal", (bytes(31), bytes(64), (b"", b"")), "vector"),
    ("key.reveal", (bytes(32), bytes(64), (b"", b"")), "vector[0]"),
    ("key.reveal", (group.BASE, bytes(63), (b"", b"")), "proof"),
    ("key.reveal", (group.BASE, bytes(64), (b"",)), "key_shares"),
    ("key.reveal", (group.BASE, bytes(64), (b"", 7)), "key_shares[1]"),
    ("key.ok", (bytes(31), b""), "commitment"),
    ("key.ok", (bytes(32), None), "escrow"),
    ("key.ok", (1, bytes(31)), "secret"),
    ("seal", (None, b""), "commitment"),
    ("seal", (bytes(32), 7), "escrow"),
    ("shuffle", (bytes(63), b""), "deck"),
    ("shuffle", (bytes(64), None), "proof"),
    ("gather", (7, b"", (b"",), (bytes(96),)), "opening"),
    ("gather", ((b"", bytes(31)), b"", (b"",), (bytes(96),)), "opening[1]"),
    ("gather", (None, None, (b"",), (bytes(96),)), "shares"),
    ("gather", (None, b"", (), (bytes(96),)), "helps"),
    ("gather", (None, b"", (7,), (bytes(96),)), "helps[0]"),
    ("gather", (None, b"", (b"",), (bytes(95),)), "escrows[0]"),
    ("gather", (None, b"", (b"",)), None),
    ("show", (7, b""), "choice"),
    ("show", (b"", 7), "shares"),
]


@each(WRONG_FORMS)
def test_a_body_of_a_wrong_form_names_the_field_and_the_item_in_it(
    case: tuple[str, Any, str | None],
) -> None:
    kind, value, place = case
    with pytest.raises(Invalid) as caught:
        BODIES[kind](codec.encode(value))
    assert place == (caught.value.place and str(caught.value.place))
    assert caught.value.code == ("bad-point" if place == "vector[0]" else "bad-body")


def test_bytes_that_are_no_body_name_no_field() -> None:
    for kind, parse in BODIES.items():
        with pytest.raises(Invalid) as caught:
            parse(b"\xc1")
        assert (caught.value.code, caught.value.place) == ("bad-body", None), kind


@given(VALUES)
def test_any_value_is_a_choice_or_invalid(value: Any) -> None:
    choice, code, _ = outcome(lambda: step_bodies.parse_choice(codec.encode(value), 40))
    assert code in (None, "bad-body")
    assert code or choice == value


def test_a_batch_has_its_points_and_then_one_proof() -> None:
    proof = bytes(63) + b"\1"
    data = group.BASE + group.mul_base(2) + proof
    assert step_bodies.parse_batch(data, 2) == ((group.BASE, group.mul_base(2)), proof)
    assert step_bodies.parse_batch(b"", 0) == ((), b"")
    for wrong, count in ((data, 1), (data, 3), (data[:-1], 2), (b"", 1), (proof, 0)):
        fails(Invalid, "bad-body", step_bodies.parse_batch, wrong, count)
    off = group.BASE + group.IDENTITY + proof
    error = fails(Invalid, "bad-point", step_bodies.parse_batch, off, 2)
    assert error.place.index == 1
    large = group.BASE + bytes(32) + ORDER.to_bytes(32, "little")
    fails(Invalid, "bad-scalar", step_bodies.parse_batch, large, 1)
    fails(Invalid, "bad-scalar", step_bodies.parse_batch, group.BASE + large[64:] + bytes(32), 1)


def test_key_ok_is_a_complaint_if_it_begins_with_a_number() -> None:
    for body in (Complaint(2, bytes(32)), SealBody(bytes(32), b"escrow")):
        data = step_bodies.encode_body(body)
        assert step_bodies.parse_key_ok(data) == body
    fails(Invalid, "bad-body", step_bodies.parse_key_ok, codec.encode((True, bytes(32))))
    fails(Invalid, "bad-body", step_bodies.parse_key_ok, codec.encode(()))


def test_a_choice_and_a_body_have_a_bound() -> None:
    assert step_bodies.parse_choice(step_bodies.encode_choice((1, 2)), 3) == (1, 2)
    fails(Invalid, "bad-body", step_bodies.parse_choice, step_bodies.encode_choice((1, 2)), 2)
    body = step_bodies.encode_body(SealBody(bytes(32), bytes(step_bodies.MAX_BODY - 40)))
    assert len(body) == step_bodies.MAX_BODY
    assert step_bodies.parse(SealBody, body).commitment == bytes(32)
    longer = step_bodies.encode_body(SealBody(bytes(32), bytes(step_bodies.MAX_BODY - 39)))
    fails(Invalid, "bad-body", step_bodies.parse, SealBody, longer)
