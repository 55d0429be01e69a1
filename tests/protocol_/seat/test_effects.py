"""The queue of effects and jobs that a seat's machine has for its driver."""

import pytest

from protocol.seat.effects import Outbox, Send
from protocol.wire import peer_frames
from protocol.wire.signed_notices import Departure, EndNotice


@pytest.mark.parametrize(
    ("frame", "asks", "once"),
    [
        (peer_frames.Carry(b"a message"), False, True),
        (peer_frames.Fetch((), ()), True, False),
        (peer_frames.Sync(0, 1, ()), True, False),
        (peer_frames.Own(), True, False),
        (peer_frames.Told(bytes(32)), False, False),
        (Departure(1, 1, 0, 9, bytes(32), bytes(64)), False, True),
        (EndNotice(1, "over", None, bytes(64)), False, False),
    ],
    ids=["carry", "fetch", "sync", "own", "told", "departure", "end"],
)
def test_only_requests_ask_and_only_what_is_told_to_all_goes_once_over_a_link(
    frame: peer_frames.FrameBody, asks: bool, once: bool
) -> None:
    outbox = Outbox()
    outbox.send(frame, but=(b"p" * 32,))
    assert outbox.take() == [
        Send(peer_frames.encode_frame(frame), None, frozenset((b"p" * 32,)), asks, once)
    ]
