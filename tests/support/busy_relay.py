"""A relay at which something has happened."""

from functools import partial

import trio

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, observed, register, spliced
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, ONE, SEAT

PLACE = Address("relay", 1, Scheme.RELAY)
CALLER = "192.0.2.77"


async def busy_relay(
    nursery: trio.Nursery, with_addresses: bool = False
) -> tuple[Relay, list[str]]:
    """Someone waits, someone calls and talks, someone is refused: the relay and its log."""
    lines, network = list[str](), MemoryNetwork(caller=CALLER)
    relay = Relay(RelayLimits(seats=1), Watch(lines.append, with_addresses))
    await nursery.start(partial(relay.serve, "relay", 1, network=network))
    seat, guest = Hub(SEAT, network=network), Hub(GUEST, network=network)
    for hub in (seat, guest):
        await nursery.start(hub.run)
    await guest.connect([await seat.listen_via("relay:1")], SEAT.public, 5)
    guest.post(SEAT.public, b"a sealed secret")
    await trio.sleep(1)
    await ends_in(NetError, r"\(verdict-full", register(network, PLACE, GUEST, ONE))
    await ends_in(NetError, r"\(verdict-unknown", spliced(network, PLACE, CALL + GUEST.public))
    await observed(network, PLACE)
    return relay, lines
