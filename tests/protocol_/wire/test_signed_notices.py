"""Departures: their frame, their signature, and the fields that it covers."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.machine_table import identity

from protocol.crypto.hashing import Label
from protocol.errors import Invalid
from protocol.wire import codec, peer_frames, signed_notices

TABLE, ON = b"t" * 32, b"d" * 32
IDS = [identity(seat).public for seat in range(3)]
MINE = signed_notices.sign_notice(identity(1), TABLE, signed_notices.Departure(1, 1, 0, 9, ON))
U32 = st.integers(0, 2**32 - 1)


@given(st.integers(0, 2), st.integers(1, 254), U32, st.integers(1, 2**32 - 1))
def test_what_is_written_is_read(seat: int, number: int, epoch: int, step: int) -> None:
    leave = signed_notices.sign_notice(
        identity(seat), TABLE, signed_notices.Departure(seat, number, epoch, step, ON)
    )
    read = peer_frames.parse_frame(peer_frames.encode_frame(leave))
    assert read == leave
    signed_notices.check_notice(leave, TABLE, IDS)


CHANGES = {"seat": 2, "number": 2, "epoch": 1, "step": 10, "on": b"e" * 32, "signature": bytes(64)}


@each(CHANGES)
def test_a_departure_is_bound_to_every_field(field: str) -> None:
    changed = replace(MINE, **{field: CHANGES[field]})  # type: ignore[arg-type]
    fails(Invalid, "bad-signature", signed_notices.check_notice, changed, TABLE, IDS)


def test_a_departure_is_of_a_table_a_seat_and_a_label() -> None:
    fails(Invalid, "not a signature", signed_notices.check_notice, MINE, b"o" * 32, IDS)
    stranger = signed_notices.sign_notice(
        identity(3), TABLE, signed_notices.Departure(3, 1, 0, 9, ON)
    )
    fails(Invalid, "bad-frame", signed_notices.check_notice, stranger, TABLE, IDS)
    data = codec.encode((TABLE, 1, 1, 0, 9, ON))
    step_input = replace(MINE, signature=identity(1).sign(Label.STEP_INPUT, data))
    fails(Invalid, "", signed_notices.check_notice, step_input, TABLE, IDS)


@each(
    [
        (5, 16, 1, 0, 9, ON, bytes(64)),
        (5, 1, 0, 0, 9, ON, bytes(64)),
        (5, 1, 256, 0, 9, ON, bytes(64)),
        (5, 1, 1, 2**32, 9, ON, bytes(64)),
        (5, 1, 1, 0, 0, ON, bytes(64)),
        (5, 1, 1, 0, 9, ON[1:], bytes(64)),
        (5, 1, 1, 0, 9, ON, bytes(63)),
        (5, 1, 1, 0, 9, ON, bytes(64), 0),
        (5, 1, 1, 0, 9, ON),
    ]
)
def test_another_form_is_no_frame(value: tuple[object, ...]) -> None:
    fails(Invalid, "bad-frame", peer_frames.parse_frame, codec.encode(value))
