"""The second door of a relay: who is let in by WebSocket, and what strangers cannot do there."""

import random
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
import trustme
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.running import running
from support.sampling import seed, times
from support.street import GUEST, ONE, OTHER, SEAT, until_cut
from wsproto import ConnectionType, WSConnection
from wsproto.events import BytesMessage, Ping, TextMessage

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net import web_relay
from p2p_hoity.net.addresses import Address, relay_address
from p2p_hoity.net.handshake import Listener, Purpose
from p2p_hoity.net.hub import Hub, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError, NobodyError, RefusedError
from p2p_hoity.net.protocol_versions import RELAY_VERSIONS
from p2p_hoity.net.relay_client import OBSERVE, REGISTER, observed, register
from p2p_hoity.net.relay_tls import secure_to
from p2p_hoity.net.transport import TcpNetwork, encode_frame, read_frame
from p2p_hoity.net.web_relay import SUBPROTOCOL, enter_web_relay
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Event, Watch
from p2p_hoity.relay.relay_server import Relay
from p2p_hoity.relay.web_door import MOST_HEAD, WebDoor
from p2p_hoity.web.byte_stream import WebByteStream
from protocol.crypto.identities import Identity

WEB, TLS = relay_address("ws://relay:80"), relay_address("relay+relay:4646")
SOON = Limits().handshake


class Doors:
    """A relay with both doors, in memory."""

    def __init__(self, nursery: trio.Nursery, network: MemoryNetwork, relay: Relay) -> None:
        self.nursery, self.network, self.relay = nursery, network, relay

    async def hub(self, who: Any) -> Hub:
        """A running hub."""
        hub = Hub(who, network=self.network)
        await self.nursery.start(hub.run)
        return hub

    async def raw(self, seen: str = "") -> trio.abc.Stream:
        """A connection to the door for WebSockets."""
        if seen:
            return await self.network.open_from(Address(seen, 7), WEB)
        return await self.network.open(WEB)

    async def enter(self) -> WebByteStream:
        """A WebSocket of the relay."""
        return await enter_web_relay(await self.raw(), WEB)

    async def asked(self, request: bytes, seen: str = "") -> bytes:
        """All that comes back for a request."""
        raw = await self.raw(seen)
        await raw.send_all(request)
        return b"".join([bytes(part) async for part in raw])


@asynccontextmanager
async def doors(
    *urls: str, origins: frozenset[str] = frozenset(), limits: RelayLimits | None = None
) -> AsyncIterator[Doors]:
    """A relay that is told these addresses of its own."""
    network = MemoryNetwork()
    door = WebDoor([relay_address(url) for url in urls or ("ws://relay:80",)], origins)
    relay = Relay(limits or RelayLimits(), Watch(), web=door)
    async with running() as nursery:
        serve = partial(relay.serve, "relay", 4646, network=network, web=("relay", 80))
        await nursery.start(serve)
        yield Doors(nursery, network, relay)


def upgrade(**headers: str) -> bytes:
    """A request for the relay's WebSocket."""
    told = {
        "Host": "relay:80",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": SUBPROTOCOL,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in told.items() if value)
    return f"GET /hoity HTTP/1.1\r\n{lines}\r\n".encode()


async def test_peers_of_both_doors_meet_at_one_relay(autojump_clock: Any) -> None:
    async with doors() as there:
        seat, guest, other = [await there.hub(one) for one in (SEAT, GUEST, OTHER)]
        assert await seat.listen_via("ws://relay:80") == "relay+ws://relay:80"
        await guest.connect(["relay+relay:4646"], SEAT.public, 5)
        assert await seat.events.receive() == LinkUp(GUEST.public, "relay+ws://relay:80", True)
        await other.listen_via("relay:4646")
        await seat.connect(["relay+ws://relay:80"], OTHER.public, 5)
        assert (await other.events.receive()).via_relay
        # Of one id there is one, by whichever door it comes.
        with pytest.raises(RefusedError, match="verdict-elsewhere"):
            await register(there.network, TLS, SEAT, ONE)


@pytest.mark.parametrize(
    "url", ["wss://relay:80", "ws://relay:81", "ws://relays:80", "ws://other.example:80"]
)
async def test_an_id_is_proven_to_the_url_that_was_dialled(url: str) -> None:
    """[L-85]: another relay that passes the challenge on gains nothing."""
    async with doors(url) as there:
        with pytest.raises(NetError, match="verdict-not-proven"):
            await register(there.network, WEB, SEAT, ONE)
    async with doors(url, "ws://relay:80") as there:
        assert await register(there.network, WEB, SEAT, ONE)


async def test_a_proof_for_one_door_is_none_for_the_other() -> None:
    """[L-85]"""
    async with doors() as there:
        web = await there.enter()
        challenge = await read_frame(web, 256)
        stream, peer, certificate = await secure_to(await there.network.open(TLS))
        for listener in (
            Listener(Purpose.RELAY, peer, certificate, RELAY_VERSIONS),
            Listener(Purpose.RELAY, b"", b"ws://relay:80", RELAY_VERSIONS),
            Listener(Purpose.RELAY_WEB, peer, b"ws://relay:80", RELAY_VERSIONS),
        ):
            web = await there.enter()
            answer = listener.answer(SEAT, ONE, await read_frame(web, 256))
            await web.send_all(encode_frame(REGISTER + answer))
            assert await read_frame(web, 256) == b"\1"
        answer = Listener(Purpose.RELAY_WEB, b"", b"ws://relay:80", RELAY_VERSIONS).answer(
            SEAT, ONE, await read_frame(stream, 256)
        )
        await stream.send_all(encode_frame(REGISTER + answer))
        assert await read_frame(stream, 256) == b"\1"
        assert challenge


async def test_nobody_is_told_an_address_there() -> None:
    """[L-87]: a proxy's port would be of no use."""
    async with doors() as there:
        await ends_in(NetError, r"\(connection-ended", observed(there.network, WEB))
        web = await there.enter()
        await read_frame(web, 256)
        await web.send_all(encode_frame(OBSERVE + b"\1"))
        assert await web.receive_some() == b""


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /relay.json HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 404),
        (b"GET /hoity/ HTTP/1.1\r\nHost: a\r\n\r\n", 404),
        (b"GET /../hoity HTTP/1.1\r\nHost: a\r\n\r\n", 404),
        (b"GET /hoity HTTP/1.1\r\nHost: a\r\n\r\n", 426),
        (b"POST /hoity HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"HEAD /relay.json HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (upgrade(), 101),
        (upgrade(Origin="http://relay"), 101),
        (upgrade(Origin="https://page.example"), 101),
        (upgrade(Origin="https://page.example:444"), 403),
        (upgrade(Origin="https://relay"), 403),
        (upgrade(Origin="null"), 403),
        (upgrade(Origin="https://evil.example"), 403),
    ],
)
async def test_each_request_has_its_answer(
    request_: bytes, status: int, autojump_clock: Any
) -> None:
    async with doors(origins=frozenset({"https://page.example"})) as there:
        answer = await there.asked(request_)
        assert answer.startswith(f"HTTP/1.1 {status}".encode())
        assert (b'"format": "hoity-relay-1"' in answer) == (status == 200)
        if status == 101:
            assert b"sec-websocket-extensions" not in answer.lower()


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        b"\x16\x03\x01\x02\x00" + bytes(60),
        b"\x01" + bytes(48),
        b"nonsense\r\n\r\n",
        b"GET /hoity HTTP/1.1\r\n" + b"X: " + b"y" * MOST_HEAD + b"\r\n\r\n",
        b"GET /" + b"h" * MOST_HEAD + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        upgrade(Sec_WebSocket_Protocol=""),
        upgrade(Sec_WebSocket_Protocol="other"),
        upgrade(Sec_WebSocket_Version="12"),
        upgrade(Sec_WebSocket_Key=""),
        b"GET /relay.json HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345",
    ],
)
async def test_what_is_no_request_of_ours_gets_nothing(
    request_: bytes, autojump_clock: Any
) -> None:
    async with doors() as there:
        assert b"101" not in await there.asked(request_)
        assert trio.current_time() <= SOON + 1
        assert await register(there.network, WEB, SEAT, ONE)


async def test_no_head_of_a_request_ends_a_relay(autojump_clock: Any) -> None:
    """Mutations, among them those without `Host` that only HTTP/1.1 demands."""
    draw = random.Random(seed())
    whole = upgrade(Origin="http://relay", X_Forwarded_For="198.51.100.1")
    async with doors() as there:
        heads = [whole.replace(b"HTTP/1.1\r\nHost: relay:80\r\n", version) for version in ODD]
        heads += [mutated(whole, draw) for _ in range(times(60, 3000))]
        for head in heads:
            raw: Any = await there.raw()
            await raw.send_all(head)
            await raw.send_eof()
            with suppress(trio.BrokenResourceError):
                while await raw.receive_some():
                    pass
        assert await register(there.network, TLS, SEAT, ONE)
        assert await register(there.network, WEB, GUEST, ONE)


ODD = [f"HTTP/{version}\r\n".encode() for version in ("0.9", "1.0", "2.0", "9.9")]


def mutated(head: bytes, draw: random.Random) -> bytes:
    """A head with lines left out, doubled or put elsewhere, and bytes changed."""
    lines = head.split(b"\r\n")
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(lines))
        match draw.randrange(4):
            case 0:
                lines[place : place + 1] = []
            case 1:
                lines.insert(draw.randrange(len(lines) + 1), lines[place])
            case 2:
                lines[place] = lines[place].replace(b"1.1", b"1.0")
            case _:
                changed = bytearray(lines[place] or b"x")
                changed[draw.randrange(len(changed))] = draw.randrange(256)
                lines[place] = bytes(changed)
        lines = lines or [b""]
    return b"\r\n".join(lines)


async def test_one_address_cannot_close_the_door_for_others(autojump_clock: Any) -> None:
    """[L-12]: it has at most half of the places, unless it is a proxy on this machine."""
    async with doors() as there:
        held = [await there.raw("192.0.2.1") for _ in range(80)]
        for raw in held:
            with suppress(trio.BrokenResourceError):
                await raw.send_all(b"G")
        await trio.testing.wait_all_tasks_blocked()
        assert len(there.relay._requests) == 32
        proxied = [await there.raw("127.0.0.1") for _ in range(80)]
        await trio.testing.wait_all_tasks_blocked()
        assert (len(there.relay._requests), len(there.relay._forwarded)) == (32, 64)
        honest = await there.raw("198.51.100.7")
        await trio.testing.wait_all_tasks_blocked()
        assert await enter_web_relay(honest, WEB)
        assert len(proxied) == 80


async def test_a_program_may_wait_by_both_doors_of_one_relay(autojump_clock: Any) -> None:
    """[L-10]: neither closes the other, and a call is taken by one of them."""
    async with doors() as there:
        seat, guest = await there.hub(SEAT), await there.hub(GUEST)
        ways = [await seat.listen_via("relay:4646"), await seat.listen_via("ws://relay:80")]
        await trio.sleep(600)
        assert seat.relays() == set(ways)
        for way in ways:
            await guest.connect([way], SEAT.public, 5)
            guest.drop(SEAT.public, Reason("again"))
            await guest.unlinked(SEAT.public)
        for way in (TLS, WEB):
            with pytest.raises(RefusedError, match="verdict-elsewhere"):
                await register(there.network, way, SEAT, bytes([9]) * 16)


async def test_who_trickles_a_request_or_says_nothing_is_cut(autojump_clock: Any) -> None:
    """[L-34]"""
    async with doors() as there:
        raw = await there.raw()

        async def trickle() -> None:
            for byte in upgrade():
                await raw.send_all(bytes([byte]))
                await trio.sleep(0.5)

        with pytest.raises(trio.BrokenResourceError):
            await trickle()
        assert trio.current_time() == pytest.approx(SOON, abs=1)
        web = await there.enter()
        assert await until_cut(web) == pytest.approx(SOON)


@pytest.mark.parametrize("behind", [False, True], ids=["before its wish", "while it waits"])
async def test_texts_pings_without_end_and_long_messages_end_a_visit(
    behind: bool, autojump_clock: Any
) -> None:
    for say in (
        [TextMessage("hello")],
        [Ping()] * 10_000,
        [BytesMessage(b"\xff" * 70_000)],
        [BytesMessage(b"")] * 10_000,
    ):
        async with doors() as there:
            raw = await there.raw()
            web = await enter_web_relay(raw, WEB)
            challenge = await read_frame(web, 256)
            if behind:
                shown = Listener(Purpose.RELAY_WEB, b"", b"ws://relay:80", RELAY_VERSIONS)
                answer = shown.answer(SEAT, ONE, challenge)
                await web.send_all(encode_frame(REGISTER + answer))
                assert await read_frame(web, 256) == b"\0"
            began, data = trio.current_time(), b"".join(map(web.messages._packed, say))
            with suppress(trio.BrokenResourceError):
                await raw.send_all(data)
                while await raw.receive_some():
                    pass
            await trio.testing.wait_all_tasks_blocked()
            assert trio.current_time() - began < SOON
            assert there.relay.seats.get(SEAT.public) is None


async def test_a_flood_of_half_open_ones_leaves_both_doors_open(autojump_clock: Any) -> None:
    """[L-12]"""
    few = Limits(frame=256, queue_bytes=1 << 14, unauthenticated=8, unauthenticated_per_source=8)
    async with doors(limits=RelayLimits(link=few)) as there:
        held = []
        for number in range(200):
            raw = await there.raw(f"192.0.2.{number}")
            await raw.send_all(upgrade()[: number % 3 * 40])
            held.append(raw)
            await trio.testing.wait_all_tasks_blocked()
            assert len(there.relay._requests) <= 8
        for number in range(200):
            raw = await there.raw(f"192.0.2.{number}")
            await raw.send_all(upgrade())
            held.append(raw)
            await trio.testing.wait_all_tasks_blocked()
            assert len(there.relay.web_unproven) <= 8
        assert len(there.relay.unproven) == 0
        assert await register(there.network, TLS, SEAT, ONE)
        assert await register(there.network, WEB, GUEST, ONE)
        await trio.sleep(2 * SOON)
        assert len(there.relay.web_unproven) == len(there.relay._requests) == 0
        assert there.relay._watch.events[Event.CAME] >= 402


async def test_a_proxy_on_this_machine_says_who_comes_and_nobody_else_does(
    autojump_clock: Any,
) -> None:
    limits = RelayLimits(seats_per_source=1)
    async with doors(limits=limits) as there:

        async def came(seen: str, told: str, who: Any) -> bytes:
            """The verdict on a peer that is seen as one address and tells of another."""
            raw = await there.raw(seen)
            await raw.send_all(upgrade(X_Forwarded_For=told))
            socket = WSConnection(ConnectionType.CLIENT)
            head = b""
            while b"\r\n\r\n" not in head:
                head += bytes(await raw.receive_some(1))
            frame = bytes(await raw.receive_some())
            assert frame[0] == 0x82
            challenge = frame[2 + 4 :]
            shown = Listener(Purpose.RELAY_WEB, b"", b"ws://relay:80", RELAY_VERSIONS)
            wish = encode_frame(REGISTER + shown.answer(who, ONE, challenge))
            await raw.send_all(b"\x82\xfe" + len(wish).to_bytes(2, "big") + bytes(4) + wish)
            assert socket
            return bytes(await raw.receive_some())[-1:]

        assert await came("127.0.0.1", "198.51.100.1", SEAT) == b"\0"
        assert await came("127.0.0.1", "203.0.113.9, 198.51.100.1", GUEST) == b"\2"
        assert await came("127.0.0.1", "198.51.100.2", GUEST) == b"\0"
        # Who is not on this machine is no proxy of this relay.
        assert await came("192.0.2.5", "198.51.100.3", OTHER) == b"\0"
        one = Identity(bytes([77]) * 32)
        assert await came("192.0.2.5", "198.51.100.4", one) == b"\2"
        assert await came("127.0.0.1", "nonsense", one) == b"\0"


async def test_a_certificate_is_checked_by_what_this_system_trusts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over real sockets, with a certificate authority that was made for this test."""
    authority = trustme.CA()
    theirs = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(theirs)
    urls: list[Address] = []
    relay = Relay(RelayLimits(), Watch(), web=WebDoor(urls, tls=theirs))
    async with running() as nursery:
        await nursery.start(partial(relay.serve, "127.0.0.1", 0, web=("127.0.0.1", 0)))
        port = int(relay.web_addresses[0].rpartition(":")[2])
        urls.append(relay_address(f"wss://localhost:{port}"))
        (url,) = urls
        network = TcpNetwork()
        seat, guest, other = (Hub(one, network=network) for one in (SEAT, GUEST, OTHER))
        for hub in (seat, guest, other):
            await nursery.start(hub.run)
        caught = await ends_in(NetError, "", other.listen_via(url.place))
        assert f"{url}' why=(web-certificate" in str(caught)
        assert caught.is_final
        ours = ssl.create_default_context()
        authority.configure_trust(ours)
        monkeypatch.setattr(web_relay, "_context", lambda: ours)
        await guest.connect([await seat.listen_via(url.place)], SEAT.public, 20)
        guest.post(SEAT.public, b"through" * 30_000)
        assert isinstance(await seat.events.receive(), LinkUp)
        assert (await seat.events.receive()).data == b"through" * 30_000


@pytest.mark.parametrize(
    ("answer", "code", "is_final"),
    [
        (b"", "web-no-relay", False),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", "web-refused status=404", True),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "web-refused status=502", False),
        (b"HTTP/1.1 429 Busy\r\nContent-Length: 0\r\n\r\n", "web-refused status=429", False),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n", "web-refused status=103", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "web-refused status=200", True),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "web-no-relay", False),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n", "web-no-relay", True),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9000, "web-no-relay", True),
    ],
)
async def test_what_is_no_relay_is_told(answer: bytes, code: str, is_final: bool) -> None:
    near, far = trio.testing.memory_stream_pair()

    async def serve() -> None:
        await far.receive_some()
        try:
            await far.send_all(answer)
            await far.send_eof()
        except trio.BrokenResourceError:
            return

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        opening = enter_web_relay(near, WEB)
        error = await ends_in(NobodyError if is_final else NetError, code, opening)
    assert error.is_final is is_final
