"""A relay that nobody watches or stops."""

import trio

from p2p_hoity.net.transport import Network
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay
from protocol import Identity


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
    relay = Relay(limits or RelayLimits(), Watch(), identity)
    await relay.serve(host, port, network=network, task_status=task_status)
