"""The WebSockets of a browser, played by tasks above a network in memory."""

from typing import Any

import trio

from p2p_hoity.net.addresses import Address, relay_address
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.page_network import PageStream
from p2p_hoity.net.transport import Network
from p2p_hoity.net.web_relay import enter_web_relay


class BrowserSocket:
    """A socket whose messages a task sends and receives.

    Attributes:
        sizes: The sizes of the messages that were sent.
    """

    def __init__(self, stream: PageStream) -> None:
        self.stream = stream
        self.sizes: list[int] = []
        self.scope = trio.CancelScope()
        self._waiting = bytearray()
        self._news = trio.Event()

    def unsent(self) -> int:
        return len(self._waiting)

    def send(self, data: bytes) -> None:
        self.sizes.append(len(data))
        self._waiting += data
        self._news.set()

    def close(self) -> None:
        self.scope.cancel()

    async def run(self, network: Network, relay: Address) -> None:
        """Be a browser's socket until it is closed."""
        try:
            with self.scope:
                raw = await network.open(Address(relay.host, relay.port))
                web = await enter_web_relay(raw, relay)
                self.stream.opened()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._send, web)
                    while data := await web.receive_some():
                        self.stream.received(data)
                    nursery.cancel_scope.cancel()
        except (NetError, trio.BrokenResourceError):
            pass
        self.stream.ended()

    async def _send(self, web: Any) -> None:
        while True:
            data, self._waiting = bytes(self._waiting), bytearray()
            if data:
                await web.send_all(data)
            else:
                self._news = trio.Event()
                await self._news.wait()


class Browser:
    """A browser whose sockets run in a nursery.

    Attributes:
        sockets: All that were opened, by their URL.
    """

    def __init__(self, nursery: trio.Nursery, network: Network) -> None:
        self._nursery, self._network = nursery, network
        self.sockets: list[tuple[str, BrowserSocket]] = []

    def dial(self, url: str, stream: PageStream) -> BrowserSocket:
        """Open a socket."""
        scheme, _, rest = url.partition("://")
        host = rest.removesuffix("/hoity")
        port = {"wss": ":443", "ws": ":80"}[scheme]
        place = host if host.rpartition(":")[2].isdigit() else host + port
        socket = BrowserSocket(stream)
        self.sockets.append((url, socket))
        relay = relay_address(f"{scheme}://{place}")
        self._nursery.start_soon(socket.run, self._network, relay)
        return socket
