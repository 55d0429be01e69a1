"""One valid value of each parser, so that the properties of any values are not idle."""

from support.any_values import HASH, TABLE

from protocol.wire import peer_frames, signed_messages
from protocol.wire.signed_messages import (
    EpochPromise,
    EpochRequest,
    NewEpoch,
    QuorumCertificate,
    StepInput,
)


def test_the_strategies_reach_what_is_valid() -> None:
    promise = EpochPromise(
        2, QuorumCertificate(1, HASH, True, ((0, bytes(64)),)), (HASH,), None, (), ((HASH,),)
    )
    for one in (StepInput(0, 1, HASH, b""), EpochRequest(1), promise, NewEpoch(1, (HASH,))):
        data = signed_messages.payload(TABLE.id, 2, one)
        assert signed_messages.read_payload(data, TABLE.id, 3) == (2, one)
    for frame in (
        peer_frames.Fetch((HASH,), (1,)),
        peer_frames.Sync(1, 2, (bytes(16),)),
        peer_frames.Told(),
    ):
        assert peer_frames.parse_frame(peer_frames.encode_frame(frame)) == frame
