"""Tests of steps at a relay that strangers can disturb: they are repeated while that may help."""

from collections.abc import Awaitable, Callable, Iterator
from itertools import repeat
from typing import Any

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, ONE, OTHER, RELAY, SEAT, Street, street

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError, NobodyError
from p2p_hoity.net.protocol_versions import GREETING_2, RELAY_VERSIONS, Versions
from p2p_hoity.net.relay_client import CALL, OBSERVE, conversation, observed, register, spliced
from p2p_hoity.net.relay_tls import BegunStream, credentials, laid_aside, secure_from
from p2p_hoity.net.transport import Network, encode_frame, read_frame


class Cutting:
    """A network on which connections are cut in the handshake, as a flooded relay cuts them."""

    def __init__(self, network: Network, cuts: Iterator[bool]) -> None:
        self.network, self.cuts, self.opened = network, cuts, 0

    async def open(self, address: Address) -> trio.abc.Stream:
        self.opened += 1
        if next(self.cuts, False):
            near, far = trio.testing.memory_stream_pair()
            await far.send_eof()
            return near
        return await self.network.open(address)

    async def listen(self, host: str, port: int) -> Any:
        return await self.network.listen(host, port)

    def outlet(self) -> None:
        """None."""


async def cut_hub(there: Street, cuts: Iterator[bool]) -> Hub:
    hub = Hub(SEAT, network=Cutting(there.network, cuts))
    await there.nursery.start(hub.run)
    return hub


@pytest.mark.usefixtures("either_door")
async def test_waiting_at_a_relay_outlives_cuts(autojump_clock: Any) -> None:
    async with street() as there:
        seat, guest = await cut_hub(there, repeat(True, 12)), await there.hub(GUEST)
        address = await seat.listen_via(there.place)
        assert seat.relays() == {address}
        await guest.connect([address], SEAT.public, 5)


Step = Callable[[Network, Street], Awaitable[Any]]


async def wait(network: Network, there: Street) -> None:
    await register(network, there.relay, GUEST, ONE)


async def dial(network: Network, there: Street) -> None:
    await (await there.hub(SEAT)).listen_via(there.place)
    await spliced(network, there.relay, CALL + SEAT.public)


async def look(network: Network, there: Street) -> None:
    await observed(network, there.relay)


async def speak(network: Network, there: Street) -> None:
    async with conversation(network, there.relay, b"", Limits()) as talk:
        await talk.receive()


@pytest.mark.parametrize("step", [wait, dial, look, speak])
async def test_every_step_at_a_relay_outlives_cuts(step: Step, autojump_clock: Any) -> None:
    async with street(network=MemoryNetwork(caller="192.0.2.9")) as there:
        network = Cutting(there.network, repeat(True, 4))
        await step(network, there)
        assert network.opened >= 5


@pytest.mark.usefixtures("either_door")
async def test_a_call_is_taken_although_the_taker_is_cut(autojump_clock: Any) -> None:
    async with street() as there:
        cuts = iter([False, True, True, False])
        seat, guest = await cut_hub(there, cuts), await there.hub(GUEST)
        await guest.connect([await seat.listen_via(there.place)], SEAT.public, 5)
        assert next(cuts, None) is None


async def test_a_relay_that_always_cuts_is_told_and_asked_again_until_it_does_not(
    autojump_clock: Any,
) -> None:
    async with street() as there:
        told: list[tuple[str, Any]] = []
        over = trio.Event()
        cuts = iter(lambda: not over.is_set(), None)
        seat = await cut_hub(there, cuts)
        address = await seat.listen_via(there.place, lambda *what: told.append(what), waits=False)
        failed = await ends_in(NetError, r"\(connection-cut", seat.listen_via(there.place))
        assert not failed.is_final
        assert [(where, str(why)) for where, why in told] == [(address, str(failed.reason))]
        over.set()
        await trio.sleep(60)
        assert seat.relays() == {address}
        assert [why for _, why in told[1:]] == [None]


@pytest.mark.usefixtures("either_door")
async def test_a_lost_relay_is_told_once_and_when_it_is_back(autojump_clock: Any) -> None:
    async with street() as there:
        told: list[Any] = []
        seat = await there.hub(SEAT)
        await seat.listen_via(there.place, lambda _, why: told.append(why))
        assert told == []
        there.relaying.cancel()
        await trio.sleep(60)
        assert len(told) == 1
        await there.open_relay(port=there.relay.port)
        await trio.sleep(60)
        assert told[1:] == [None]


async def bad_relay(there: Street, answer: Callable[[trio.abc.Stream], Awaitable[None]]) -> str:
    """A relay of these answers; all that come are answered."""
    (door,) = await there.network.listen("bad", 1)

    async def attend() -> None:
        while True:
            raw, _ = await door.accept()
            there.nursery.start_soon(answer, raw)

    there.nursery.start_soon(attend)
    return "bad:1"


async def no_tls(raw: trio.abc.Stream) -> None:
    await raw.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def greets_by(challenge: bytes) -> Callable[[trio.abc.Stream], Awaitable[None]]:
    """Return what a relay does that says this challenge and no more."""

    async def greet(raw: trio.abc.Stream) -> None:
        stream = await secure_from(raw, credentials(RELAY.seed))
        await stream.send_all(encode_frame(challenge))

    return greet


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (no_tls, "other-tls"),
        (greets_by(GREETING_2 + b"6" + bytes(48)), "handshake-of-version-two"),
        (greets_by(b"hoity relic" + bytes(50)), "handshake-of-other-kind"),
        (
            greets_by(Versions(b"hoity relay", 2, 3).challenge(ONE)),
            "handshake-without-common-version theirs='2-3' ours='1'",
        ),
        (None, "nobody-listens"),
    ],
)
async def test_what_will_not_change_is_told_at_once(
    answer: Any, code: str, autojump_clock: Any
) -> None:
    async with street() as there:
        place = "nobody:1" if answer is None else await bad_relay(there, answer)
        network = Cutting(there.network, iter(()))
        seat = Hub(SEAT, network=network)
        await there.nursery.start(seat.run)
        began = trio.current_time()
        await ends_in(NobodyError, rf"\({code}", seat.listen_via(place))
        assert (network.opened, trio.current_time()) == (1, began)


async def test_a_wish_is_said_once(autojump_clock: Any) -> None:
    """[K-5], [L-69]: what was cut behind it is not said again."""
    said: list[bytes] = []

    async def cut_then(raw: trio.abc.Stream) -> None:
        stream = await secure_from(raw, credentials(RELAY.seed))
        await stream.send_all(encode_frame(RELAY_VERSIONS.challenge(ONE)))
        said.append(await read_frame(stream, 256))
        await stream.aclose()

    async with street() as there:
        await bad_relay(there, cut_then)
        relay = Address("bad", 1, Scheme.RELAY)
        with pytest.raises(NetError):
            async with conversation(there.network, relay, b"number and X", Limits()):
                pass
        assert said == [b"W\1number and X"]


async def test_one_who_is_elsewhere_is_told_when_its_end_was_not_noticed_in_time(
    autojump_clock: Any,
) -> None:
    async def elsewhere(raw: trio.abc.Stream) -> None:
        stream = await secure_from(raw, credentials(RELAY.seed))
        await stream.send_all(encode_frame(RELAY_VERSIONS.challenge(ONE)))
        await read_frame(stream, 256)
        await stream.send_all(encode_frame(Verdict.ELSEWHERE.encode()))

    async with street() as there:
        place, told = await bad_relay(there, elsewhere), list[float]()
        seat, began = await there.hub(SEAT), trio.current_time()
        await seat.listen_via(place, lambda *_: told.append(trio.current_time()), waits=False)
        await trio.sleep(120)
        assert len(told) == 1
        assert told[0] - began >= 2 * Limits().silence


async def lie(there, told):
    """Open a relay that answers the first wish of whoever comes by this."""
    (door,) = await there.network.listen("bad-relay", 1)

    async def attend():
        raw, _ = await door.accept()
        stream = await secure_from(raw, credentials(RELAY.seed))
        await stream.send_all(encode_frame(RELAY_VERSIONS.challenge(ONE)))
        await told(stream, await read_frame(stream, 256))

    there.nursery.start_soon(attend)


async def test_a_lying_relay_is_found_out_or_not_believed():
    """A lying relay cannot keep a seat from its table."""
    async with street() as there:
        guest = await there.hub(GUEST)

        async def elsewhere(stream, _):
            await stream.send_all(encode_frame(Verdict.ELSEWHERE.encode()))

        await lie(there, elsewhere)
        caught = await ends_in(NetError, "", guest.connect(["relay+bad-relay:1"], SEAT.public, 5))
        assert not getattr(caught, "elsewhere", False)
    async with street() as there:
        guest, lying = await there.hub(GUEST), await there.hub(OTHER)

        async def itself(stream, wish):
            assert wish == CALL + b"\1" + SEAT.public
            await stream.send_all(encode_frame(Verdict.WELCOME.encode()))
            bare, early = await laid_aside(stream)
            await lying.attend(BegunStream(early, bare), Address("bad-relay", 1))

        await lie(there, itself)
        with pytest.raises(NetError, match=r"bad-relay:1' why=.channel-unanswered"):
            await guest.connect(["relay+bad-relay:1"], SEAT.public, 5)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        bytes([4, 4, 192, 0, 2, 9]),
        bytes([4, 6, 192, 0, 2, 9, 0, 0]),
        bytes([4, 6, 192, 0, 2, 9, 18, 52, 0]),
        bytes([1, 6]) + b"home" + bytes([18, 52]),
        bytes([6, 18, *bytes(10), 255, 255, 192, 0, 2, 9, 18, 52]),
        bytes([5, 6, 192, 0, 2, 9, 18, 52]),
        bytes([2, 9]) + b"wss://a.b",
        b"\5",
    ],
)
async def test_what_is_not_one_address_is_not_taken_for_one(said):
    """[L-31]"""
    async with street() as there:

        async def no_address(stream, wish):
            assert wish == OBSERVE + b"\1"
            await stream.send_all(encode_frame(said))
            await stream.aclose()

        await lie(there, no_address)
        with pytest.raises(NetError, match=r"answer-without-address|connection-ended"):
            await observed(there.network, Address("bad-relay", 1, Scheme.RELAY))
