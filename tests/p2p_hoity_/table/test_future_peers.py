"""Tables with seats of a later version: what those say that is not known here disturbs nobody."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.player_table import PlayerTable, Thinker
from support.sampling import sample
from vectors.making.message_failures import URL, ticket_word

from p2p_hoity.net import relay_client
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.protocol_versions import RELAY_VERSIONS, Speech, Versions
from p2p_hoity.net.ticket import decode_ticket, encode_address
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay
from p2p_hoity.table import open_links
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.open_links import only_by_relays
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import frame_kinds
from p2p_hoity.table.playing.frame_access import DropCode
from p2p_hoity.table.playing.frame_kinds import OF_OTHERS
from p2p_hoity.table.playing.player_requests import PlayerRequest, Talk
from p2p_hoity.table.playing.session import Session
from protocol.crypto.identities import Identity
from protocol.wire import codec, table_header

SOME = pytest.mark.sampled(2)

SIZES = range(2, 7)
LONGEST = 600
"""Virtual seconds after which a test has failed."""
RELAY = "relay:1"
UNKNOWN_FRAMES = (
    codec.encode(("later", b"x" * 100)),
    codec.encode(("later",)),
    codec.encode((99, 1, (2,))),
    codec.encode((127, b"y" * (OF_OTHERS - 5))),
    codec.encode(("hello", (1,))),
)
"""Frames of kinds that are not known here, a second hello among them."""
UNKNOWN_ADDRESSES = (
    "wss://later.example:443",
    "relay+wss://later.example/hoity",
    "quic+192.0.2.1:4646",
    "nowhere",
)


def spoken(lowest: int, highest: int) -> Versions:
    """Return a range of versions of a link."""
    return Versions(b"hoity link", lowest, highest)


class LaterHub(Hub):
    """The links of a node that says on each of them what is not known here, and in `sit` too.

    Attributes:
        greeted: The binding of the last link with each node on which it has done so.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.greeted: dict[bytes, bytes | None] = {}

    def post(self, peer: bytes, data: bytes, once: bool = False) -> bool:
        """Post a frame, and before the first one on each link those of unknown kinds."""
        if self.linked(peer) and self.greeted.get(peer) != self.binding(peer):
            self.greeted[peer] = self.binding(peer)
            for frame in UNKNOWN_FRAMES:
                super().post(peer, frame)
        if codec.kind_at(data) in ("sit", "roster"):
            data = lobby.encode_lobby(with_more_addresses(lobby.parse_lobby(data)))
        return super().post(peer, data, once)


def with_more_addresses(frame: lobby.LobbyFrame) -> lobby.LobbyFrame:
    """Return the frame with addresses of unknown forms too, those of the first seat in a roster."""
    match frame:
        case lobby.Sit(_, addresses):
            return replace(frame, addresses=(*UNKNOWN_ADDRESSES, *addresses))
        case lobby.Roster(_, (first, *others)):
            return replace(frame, addresses=((*UNKNOWN_ADDRESSES, *first), *others))
    return frame


Hubs = Callable[..., None]


@pytest.fixture
def made() -> list[Hub]:
    """Return the hubs of all nodes, as they are made."""
    return []


@pytest.fixture
def hubs(monkeypatch: pytest.MonkeyPatch, made: list[Hub]) -> Hubs:
    """Return what gives some identities hubs of their own kind and speech."""
    of: dict[bytes, tuple[type[Hub], Speech]] = {}

    def make(who: Identity, *, speech: Speech, **rest: Any) -> Hub:
        kind, own = of.get(who.public, (Hub, Speech()))
        made.append(kind(who, speech=replace(own, feature_of=speech.feature_of), **rest))
        return made[-1]

    monkeypatch.setattr(open_links, "Hub", make)

    def give(table: PlayerTable, number: int, kind: type[Hub] = Hub, **own: Any) -> None:
        of[table.guests[number].key.public] = kind, Speech(**own)

    return give


def of_later_version(table: PlayerTable, word: str) -> None:
    """Give the guests the same ticket, with an address, a relay and entries of a later version."""
    ticket = decode_ticket(word)

    def entries(places: tuple[str, ...]) -> list[tuple[int, bytes]]:
        return [(one[0], one[2:]) for one in map(encode_address, places)]

    later = ticket_word(
        ticket.host_id + ticket.terms + bytes([len(ticket.secret)]) + ticket.secret,
        [URL, *entries(ticket.addresses)],
        [(200, b"a relay of a later kind"), *entries(ticket.relay)],
        [(1, b""), (255, bytes(200))],
    )
    assert later != word
    table.ticket = decode_ticket(later)
    assert table.ticket == ticket


async def run_relay(network: MemoryNetwork, versions: Versions) -> None:
    """Run a relay that speaks these versions."""
    relay = Relay(RelayLimits(), Watch(), versions=versions)
    await relay.serve("relay", 1, network=network)


Range = tuple[int, int]
"""The lowest and the highest version that one side speaks."""


def behind_relay(table: PlayerTable) -> None:
    """Have all seats reached through one relay alone."""
    table.relays = (RELAY,)
    plain = table.reach
    table.reach = lambda number: only_by_relays(plain(number))  # type: ignore[method-assign]


def behind_relay_of(
    way: tuple[Range, Range], table: PlayerTable, patch: pytest.MonkeyPatch
) -> Versions:
    """Have all seats reached through one relay alone, and return the versions that it speaks.

    Args:
        way: The versions of a relay that the seats speak, and those of the relay.
        table: The table.
        patch: Sets the versions of the seats.
    """
    ours, theirs = (Versions(RELAY_VERSIONS.greeting, *one) for one in way)
    patch.setattr(relay_client, "RELAY_VERSIONS", ours)
    behind_relay(table)
    return theirs


WAYS = {
    "directly": None,
    "through a relay of the older number": ((1, 2), (1, 1)),
    "through a relay of a newer number": ((1, 1), (1, 3)),
}
"""The versions of a relay that the seats speak, and those of the relay."""


@SOME
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("is_host", [False, True], ids=["a later guest", "a later host"])
@pytest.mark.parametrize("seats", sample(SIZES, 1, "sizes of tables with a later seat"))
async def test_a_later_seat_plays_with_those_of_today(
    tmp_path: Path,
    hubs: Hubs,
    made: list[Hub],
    monkeypatch: pytest.MonkeyPatch,
    seats: int,
    is_host: bool,
    way: tuple[tuple[int, int], tuple[int, int]] | None,
) -> None:
    """[L-71] to [L-78], [T-5], [T-6]: odd features, unknown frames, addresses, entries of a
    ticket, and a range of versions that reaches further."""
    table = PlayerTable(tmp_path, seats)
    later = 0 if is_host else seats - 1
    hubs(table, later, LaterHub, versions=spoken(7, 9), features=frozenset({1, 301}))
    if is_host:
        monkeypatch.setattr(table, "_open", partial(of_later_version, table))
    async with trio.open_nursery() as nursery:
        if way is not None:
            theirs = behind_relay_of(way, table, monkeypatch)
            nursery.start_soon(run_relay, table.network, theirs)
        with trio.fail_after(LONGEST):
            await table.play_until(lambda: all(guest.round for guest in table.guests))
        nursery.cancel_scope.cancel()
    (hub,) = (one for one in made if isinstance(one, LaterHub))
    assert len(hub.greeted) == seats - 1
    assert not dropped(table)
    assert not table.heard(updates.SeatsTimedOut)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("number", [3, 4], ids=["odd", "even"])
@pytest.mark.parametrize("seats", sample(SIZES, 1, "sizes of tables with an unknown option"))
async def test_nobody_sits_down_on_terms_with_an_option_of_later(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seats: int,
    number: int,
    way: tuple[tuple[int, int], tuple[int, int]] | None,
) -> None:
    """[H-2], [H-14]"""
    table = PlayerTable(tmp_path, seats)
    table.terms = replace(table.terms, options=((number, b"later"),))
    code = "unplayable-terms" if number % 2 else "host-speaks-otherwise"
    async with trio.open_nursery() as nursery:
        if way is not None:
            theirs = behind_relay_of(way, table, monkeypatch)
            nursery.start_soon(run_relay, table.network, theirs)
        nursery.start_soon(table.host)
        with trio.fail_after(LONGEST):
            for guest in range(1, seats):
                await ends_in(PeerError, code, table.join(guest))
        nursery.cancel_scope.cancel()
    assert not table.heard(updates.Started)


@SOME
@pytest.mark.parametrize("seats", sample(SIZES, 1, "sizes of tables with a later option"))
async def test_a_file_of_seats_that_know_an_odd_option_of_later_is_verified_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seats: int
) -> None:
    """[H-14]"""
    table = PlayerTable(tmp_path, seats)
    table.terms = replace(table.terms, options=((3, (b"later", 7)), (65_535, None)))
    monkeypatch.setattr(table_header.Terms, "check_options", lambda self: None)
    await table.play()
    table.judge()


def dropped(table: PlayerTable) -> set[str]:
    """Return why seats have dropped links."""
    return {str(one.reason.code) for one in table.heard(updates.Unlinked)} & set(DropCode)


@SOME
async def test_two_guests_without_a_common_version_play_through_their_host(
    tmp_path: Path, hubs: Hubs, made: list[Hub]
) -> None:
    """[L-71]"""
    table = PlayerTable(tmp_path, 3)
    hubs(table, 0, versions=spoken(7, 8))
    hubs(table, 2, versions=spoken(8, 9))
    troubles = set[str]()

    async def watch() -> None:
        _, one, other = (guest.key.public for guest in table.guests)
        while not troubles:
            await trio.sleep(0.1)
            of = {hub.me: hub for hub in made}
            if one in of and other in of:
                found = of[one].trouble(other), of[other].trouble(one)
                troubles.update(str(why) for why in found if why is not None)

    with trio.fail_after(LONGEST):
        await table.play({}, watch)
    assert table.ended_alike()
    assert any("handshake-without-common-version" in one for one in troubles)


@pytest.mark.parametrize(
    ("host", "guest", "code"),
    [
        (
            {"versions": spoken(8, 9)},
            {},
            "handshake-without-common-version theirs='8-9' ours='7'",
        ),
        ({}, {"versions": spoken(8, 8)}, "handshake-without-common-version theirs='7' ours='8'"),
        ({"features": frozenset({4})}, {}, "feature-unknown number=4"),
        ({}, {"features": frozenset({1, 4})}, "feature-lacked number=4"),
    ],
)
@pytest.mark.parametrize("is_relayed", [False, True], ids=["directly", "through a relay"])
async def test_who_cannot_be_linked_with_the_host_is_told_why_at_once(
    tmp_path: Path,
    hubs: Hubs,
    host: dict[str, Any],
    guest: dict[str, Any],
    code: str,
    is_relayed: bool,
) -> None:
    """[L-71], [L-73]"""
    table = PlayerTable(tmp_path, 2)
    hubs(table, 0, **host)
    hubs(table, 1, **guest)
    async with trio.open_nursery() as nursery:
        if is_relayed:
            behind_relay(table)
            nursery.start_soon(run_relay, table.network, RELAY_VERSIONS)
        nursery.start_soon(table.host)
        await table.opened.wait()
        began = trio.current_time()
        caught = await ends_in(PeerError, "", table.join(1))
        assert code in str(caught)
        assert trio.current_time() - began < 2
        nursery.cancel_scope.cancel()


@SOME
@pytest.mark.parametrize("seats", sample(SIZES, 1, "sizes of tables with a kind of later"))
async def test_a_kind_is_sent_to_those_alone_who_have_named_its_feature(
    tmp_path: Path, hubs: Hubs, monkeypatch: pytest.MonkeyPatch, seats: int
) -> None:
    """[L-74]: here the words of talk need a feature, which one seat does not have."""
    talk = replace(frame_kinds.KINDS["talk"], feature=7)
    monkeypatch.setitem(frame_kinds.KINDS, "talk", talk)  # type: ignore[arg-type]
    table = PlayerTable(tmp_path, seats, thinking=1.0)
    came: Counter[bytes] = Counter()
    for number in range(seats):
        hubs(table, number, features=frozenset({7} if number < seats - 1 else ()))
    receive = Session._on_frame

    def counted(session: Session, peer: bytes, data: bytes) -> None:
        came[session.hub.me] += codec.kind_at(data) == "talk"
        receive(session, peer, data)

    monkeypatch.setattr(Session, "_on_frame", counted)
    talker = table.guests[0].player = Talker(1.0)
    with trio.fail_after(LONGEST):
        await table.play_until(lambda: talker.has_spoken and trio.current_time() > 6)
    ids = [guest.key.public for guest in table.guests]
    assert came[ids[-1]] == 0
    assert all(came[one] > 0 for one in ids[1:-1])
    assert not dropped(table)


class Talker(Thinker):
    """A player who says something once the game runs.

    Attributes:
        has_spoken: Whether it has.
    """

    has_spoken = False

    async def next_request(self) -> PlayerRequest:
        """Return a phrase, once."""
        await trio.sleep(3)
        if not self.has_spoken:
            self.has_spoken = True
            return Talk(1)
        return await super().next_request()
