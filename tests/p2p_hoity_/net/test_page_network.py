"""The network of a page: peers meet through a relay, and nothing else is ever dialled."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from support.page_sockets import Browser, BrowserSocket
from support.relays import DOORS
from support.street import GUEST, SEAT, Street, street

from p2p_hoity.net.addresses import Address, relay_address
from p2p_hoity.net.hub import Frame, Hub
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.page_network import (
    MOST_MESSAGE,
    MOST_UNREAD,
    MOST_UNSENT,
    PageNetwork,
    PageStream,
)
from p2p_hoity.web import byte_stream


@pytest.fixture(autouse=True)
def _web_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relays are reached by WebSocket."""
    monkeypatch.setitem(DOORS, "web", True)


@asynccontextmanager
async def paged() -> AsyncIterator[tuple[Street, PageNetwork, Browser]]:
    """A relay, and the network of a page that knows it."""
    async with street() as there:
        browser = Browser(there.nursery, there.network)
        yield there, PageNetwork(browser.dial, [there.place]), browser


async def page_hub(there: Street, network: PageNetwork, who: Any) -> Hub:
    hub = Hub(who, network=network)
    await there.nursery.start(hub.run)
    return hub


async def said(hub: Hub) -> bytes:
    """The next frame that a hub is told."""
    while True:
        event = await hub.events.receive()
        if isinstance(event, Frame):
            return bytes(event.data)


async def test_two_pages_and_a_native_peer_are_linked_through_a_relay(autojump_clock: Any) -> None:
    async with paged() as (there, network, browser):
        host, guest = await page_hub(there, network, SEAT), await there.hub(GUEST)
        address = await host.listen_via(there.place)
        await guest.connect([address], SEAT.public, 5)
        guest.post(SEAT.public, b"x" * 200_000)
        assert await said(host) == b"x" * 200_000
        host.post(GUEST.public, b"y" * 200_000)
        assert await said(guest) == b"y" * 200_000
        assert {url for url, _ in browser.sockets} == {f"{there.place}/hoity"}
        assert max(size for _, one in browser.sockets for size in one.sizes) <= MOST_MESSAGE


async def test_a_page_dials_no_other_relay_and_no_peer(autojump_clock: Any) -> None:
    async with paged() as (there, network, browser):
        for refused in (
            network.open(Address("peer", 1)),
            network.open_web(relay_address("wss://elsewhere.example:443")),
            network.open_web(relay_address(there.place.replace("ws://", "wss://"))),
            network.listen("", 0),
        ):
            with pytest.raises(NobodyError) as caught:
                await refused
            assert caught.value.reason.code is NetCode.NOT_FROM_PAGE
        assert browser.sockets == []
        assert network.outlet() is None


async def test_a_relay_that_is_not_there_is_told(autojump_clock: Any) -> None:
    async with trio.open_nursery() as nursery:

        class Nothing:
            async def open(self, address: Address) -> Any:
                await trio.sleep(1)
                raise NetError(NetCode.CUT)

        network = PageNetwork(Browser(nursery, Nothing()).dial, ["wss://gone.example:443"])
        with pytest.raises(NetError) as caught:
            await network.open_web(relay_address("wss://gone.example:443"))
        assert not caught.value.is_final


async def test_a_socket_that_is_given_up_is_closed(autojump_clock: Any) -> None:
    async with trio.open_nursery() as nursery:

        class Silent:
            async def open(self, address: Address) -> Any:
                await trio.sleep_forever()

        browser = Browser(nursery, Silent())
        network = PageNetwork(browser.dial, ["wss://silent.example:443"])
        with trio.move_on_after(5):
            await network.open_web(relay_address("wss://silent.example:443"))
        ((_, socket),) = browser.sockets
        assert socket.scope.cancel_called


class Slow(BrowserSocket):
    """A socket that sends nothing."""


def slow() -> tuple[PageStream, Slow]:
    stream = PageStream()
    socket = Slow(stream)
    stream.attach(socket)
    stream.opened()
    return stream, socket


async def test_who_sends_waits_for_a_slow_browser(autojump_clock: Any) -> None:
    stream, socket = slow()
    with trio.move_on_after(10) as waited:
        await stream.send_all(bytes(10 * MOST_UNSENT))
    assert waited.cancelled_caught
    assert socket.unsent() < MOST_UNSENT + MOST_MESSAGE
    socket._waiting.clear()
    await stream.wait_send_all_might_not_block()
    stream.ended()
    with pytest.raises(trio.BrokenResourceError):
        await stream.send_all(b"x")


async def test_what_comes_is_read_in_order_and_a_flood_ends_the_stream() -> None:
    stream, socket = slow()
    stream.received(b"abc")
    stream.received(b"def")
    assert [await stream.receive_some(2), await stream.receive_some()] == [b"ab", b"cdef"]
    for _ in range(MOST_UNREAD // MOST_MESSAGE + 1):
        stream.received(bytes(MOST_MESSAGE))
    assert socket.scope.cancel_called
    while await stream.receive_some():
        pass
    await stream.aclose()


def test_a_relay_takes_messages_of_this_size() -> None:
    assert MOST_MESSAGE == byte_stream.MOST_MESSAGE
