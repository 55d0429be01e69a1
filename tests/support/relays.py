"""A relay that nobody watches or stops, reached by either of its doors."""

import pytest
import trio

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address, parse_address
from p2p_hoity.net.transport import Network
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay
from p2p_hoity.relay.web_door import WebDoor
from protocol import Identity

DOORS = {"web": False}
"""Whether relays of `serve_relay` name their door for WebSockets."""


@pytest.fixture(params=["tls", "web"])
def either_door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with relays that are reached by TLS, and with those reached by WebSocket."""
    monkeypatch.setitem(DOORS, "web", request.param == "web")


async def serve_relay(
    host: str,
    port: int,
    *,
    identity: Identity | None = None,
    limits: RelayLimits | None = None,
    network: Network | None = None,
    task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a relay that nobody watches or stops: as `Relay.serve`, until cancelled; NetError when
    it cannot listen."""
    if not DOORS["web"]:
        relay = Relay(limits or RelayLimits(), Watch(), identity)
        await relay.serve(host, port, network=network, task_status=task_status)
        return
    urls: list[Address] = []
    relay = Relay(limits or RelayLimits(), Watch(), identity, web=WebDoor(urls))
    async with trio.open_nursery() as nursery:

        async def serve(task_status: trio.TaskStatus[list[str]]) -> None:
            web = host, port
            await relay.serve(host, 0, network=network, web=web, task_status=task_status)

        await nursery.start(serve)
        found = parse_address(relay.web_addresses[0])
        urls.append(Address(found.host, found.port, Scheme.WS))
        task_status.started([urls[0].place])
