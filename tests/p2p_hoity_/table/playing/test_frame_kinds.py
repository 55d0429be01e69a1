"""Tests of how long frames may be, and of frames of kinds that nobody knows."""

from typing import Any

import pytest
import trio
import trio.testing
from support.cases import each, fails
from support.machine_table import identity
from support.player_table import PlayerTable, hosted

from p2p_hoity.net.hub import LinkDown, LinkUp
from p2p_hoity.net.transport import HEAD
from p2p_hoity.table.beside_game import chat, rematch_frames
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.lobby import encode_lobby
from p2p_hoity.table.playing.frame_kinds import (
    KINDS,
    OF_OTHERS,
    Budget,
    Handler,
    feature_of,
    is_known,
    kind_of,
    longest,
)
from protocol.errors import Invalid
from protocol.wire import codec, peer_frames, signed_messages, signed_notices, table_header
from protocol.wire.vouches import Vouch

HASH, WHO = bytes(32), identity(1)
WIDE = "\U00020000"
"""A letter of four bytes."""
MANY = codec.MAX_ITEMS
U32 = 2**32 - 1
NAMES = (WIDE * table_header.MAX_NICKNAME,) * table_header.SEAT_NUMBERS
PLACES = (WIDE * lobby.MAX_ADDRESS,) * lobby.MAX_ADDRESSES
HOSTS = (("a" * lobby.MAX_ADDRESS,) * lobby.MAX_ADDRESSES,) * 12
GAME = (("g", 1), bytes(table_header.MAX_HEADER - 400))
TERMS = table_header.Terms(WHO.public, HASH, GAME, 8, 8)
ENTRY = table_header.SeatEntry(HASH, NAMES[0], HASH, bytes(64)).value()
VOUCH = Vouch(HASH, HASH, bytes(64))
SAID = chat.speak(HASH, WHO, 15, chat.MAX_COUNT, WIDE * chat.MAX_WORDS)
LONGEST: dict[Any, bytes] = {
    0: peer_frames.encode_frame(peer_frames.Carry(bytes(signed_messages.MAX_MESSAGE))),
    1: peer_frames.encode_frame(peer_frames.Fetch((HASH,) * MANY, (U32,) * MANY)),
    2: peer_frames.encode_frame(peer_frames.Sync(U32, U32, (bytes(16),) * MANY, tuple(range(16)))),
    3: peer_frames.encode_frame(peer_frames.Own()),
    4: peer_frames.encode_frame(peer_frames.Told(more=True)),
    5: peer_frames.encode_frame(signed_notices.Departure(15, 254, U32, U32, HASH, bytes(64))),
    6: peer_frames.encode_frame(
        signed_notices.EndNotice(15, "promise-below-certificate", 15, bytes(64))
    ),
    "ask": encode_lobby(lobby.Ask(HASH)),
    "offer": encode_lobby(lobby.Offer(HASH, TERMS, NAMES, VOUCH)),
    "sit": encode_lobby(lobby.Sit(ENTRY, PLACES, VOUCH)),
    "names": encode_lobby(lobby.SeatedNames(NAMES)),
    "refuse": encode_lobby(lobby.Refuse(lobby.Refusal.UNWATCHED)),
    "asked": encode_lobby(lobby.Pending()),
    "roster": encode_lobby(
        lobby.Roster(bytes(table_header.MAX_HEADER), HOSTS, bytes(64), (VOUCH,) * 12)
    ),
    "table": encode_lobby(lobby.SignedTable(HASH, bytes(64))),
    "talk": SAID.encode(),
    "passed": chat.pass_on(SAID, WHO, chat.MAX_COUNT).encode(),
    "again": rematch_frames.Consent(HASH, ENTRY, VOUCH).encode(),
    "no-more": rematch_frames.refuse(HASH, WHO).encode(),
}


async def test_a_frame_longer_than_its_kind_ends_the_link(pair: PlayerTable) -> None:
    """A frame of the table says nothing to the lobby, which does not look at it."""
    async with hosted(pair) as call:
        stranger = await call()
        for size, seen in (
            (KINDS[3].most_bytes - 4, [LinkUp]),
            (KINDS[3].most_bytes, [LinkUp, LinkDown]),
        ):
            stranger.hub.post(stranger.host, codec.encode((3, bytes(size))))
            await trio.sleep(0.5)
            assert [type(one) for one in stranger.heard] == seen


def parse(kind: Any, data: bytes) -> Any:
    """What a node reads of a frame of this kind."""
    if isinstance(kind, int):
        return peer_frames.parse_frame(data)
    if kind in ("talk", "passed"):
        return chat.parse_talk(data)
    if kind in ("again", "no-more"):
        return rematch_frames.parse_again(data)
    return lobby.parse_lobby(data)


@each(KINDS, str)
def test_the_longest_frame_of_each_kind_fits_and_is_read(kind: Any) -> None:
    data = LONGEST[kind]
    assert len(data) <= longest(data[:HEAD]) == longest(data) == KINDS[kind].most_bytes
    parse(kind, data)


@each(KINDS, str)
def test_a_frame_of_more_bytes_than_its_kind_may_have_is_refused_for_its_length(kind: Any) -> None:
    most = KINDS[kind].most_bytes
    made = (codec.encode((kind, bytes(size))) for size in range(most - 20, most + 1))
    least = next(data for data in made if len(data) > most)
    for data in (least, codec.encode((kind, bytes(1 << 20)))):
        assert len(data) > longest(data[:HEAD])
        fails(Invalid, f"more than {most} bytes", parse, kind, data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x91",
        codec.encode(("something", b"")),
        codec.encode(("an unknown kind with a long name", b"")),
        codec.encode((b"talk", b"")),
        codec.encode((7, b"")),
        codec.encode((200, b"")),
        b"\x92\xa4\xff\xff\xff\xff\xc0",
    ],
)
def test_a_frame_of_no_known_kind_may_be_as_long_as_one_of_a_later_version(data: bytes) -> None:
    assert longest(data[:HEAD]) == OF_OTHERS


@each(
    [
        (codec.encode(("something", b"")), True),
        (codec.encode(("s" * 31,)), True),
        (codec.encode(("something", *range(14))), True),
        (codec.encode((8, b"")), True),
        (codec.encode((127,)), True),
        (codec.encode(("hello", ())), True),
        (b"\x92\x08", True),
        (b"", False),
        (b"\x91", False),
        (b"\x90", False),
        (b"\x08\x08", False),
        (b"\xa4talk", False),
        (codec.encode(("s" * 32,)), False),
        (codec.encode(("something", *range(15))), False),
        (codec.encode(("", b"")), False),
        (codec.encode((128, b"")), False),
        (codec.encode((b"talk", b"")), False),
        (codec.encode((None,)), False),
        *((codec.encode((kind,)), False) for kind in KINDS),
    ]
)
def test_a_frame_of_an_unknown_kind_is_told_by_its_beginning_and_charged(
    case: tuple[bytes, bool],
) -> None:
    """[L-77]: what is malformed is no such frame, nor is a known kind with other fields."""
    data, is_unknown = case
    kind = kind_of(data[:HEAD])
    assert kind == kind_of(data)
    assert is_known(data) is not is_unknown
    assert (kind.budget is Budget.UNKNOWN) is is_unknown
    assert (kind.handler is Handler.NOBODY) is is_unknown
    assert feature_of(data) is None
