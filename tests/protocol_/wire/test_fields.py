"""Any value is a frame of the lobby or a game, or Invalid; and one of each parser is valid."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import HASH, ROW, TABLE, VALUES, check_parser, shaped
from support.cases import fails
from support.sampling import times

from p2p_hoity import game_adapter
from p2p_hoity.table.gathering.lobby import Offer, SeatedNames, encode_lobby, parse_lobby
from protocol.errors import Invalid
from protocol.wire import codec, peer_frames, signed_messages
from protocol.wire.signed_messages import (
    EpochPromise,
    EpochRequest,
    NewEpoch,
    QuorumCertificate,
    StepInput,
)

LOBBY = st.one_of(
    ROW,
    shaped(st.just("names"), st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("sit"), ROW, st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("offer"), st.just(b""), st.just(TABLE.header.terms.value()), st.just(("Ana",))),
    shaped(st.just("roster"), st.binary(), st.just((("a:1",),)), st.just(bytes(64))),
)


@settings(max_examples=times(15, 1000), deadline=None)
@given(LOBBY)
def test_any_value_is_a_lobby_frame_or_invalid(value: Any) -> None:
    codes = ("bad-frame", "bad-header", "bad-encoding")
    check_parser(codec.encode(value), parse_lobby, encode_lobby, *codes)


@settings(max_examples=times(15, 1000), deadline=None)
@given(VALUES | shaped(st.just("hoity-toity"), st.just(1), st.binary(), st.just("")))
def test_any_value_is_a_game_or_invalid(value: Any) -> None:
    fails(Invalid, "bad-game", game_adapter.read_game, replace(TABLE.header.terms, game=value))


def test_the_strategies_reach_what_is_valid() -> None:
    """What the properties above would accept: one of each parser, so that they are not idle."""
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
    offer = Offer(b"", TABLE.header.terms, ("Ana",))
    for lobby in (offer, SeatedNames(("Ana", "Bob"))):
        assert parse_lobby(encode_lobby(lobby)) == lobby
