"""Serve metrics of a relay in Prometheus' format. They do not show who uses it or for what.

The package prometheus-client belongs to the extra `relay`. It is imported only when needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import trio

from protocol.units import Quota, Seconds

from ..coded_errors import Code, CodedError
from ..installation import install_command
from ..net.addresses import Address
from ..net.exception_reasons import TROUBLE
from ..net.transport import Network, TcpNetwork, attend_all, cut
from .relay_log import LATE, Event, Watch

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from .relay_server import Relay

READERS: Final[Quota] = 8
"""The most connections that are answered at the same time. Further ones are cut."""
REQUEST_TIMEOUT: Final[Seconds] = 5.0
"""The most seconds for one connection, from its beginning to its end."""
MAX_REQUEST: Final = 2048
"""The most bytes of an HTTP request."""


class MetricsCode(Code):
    """The reasons why there are no metrics."""

    NO_LIBRARY = "no-metrics-library", "metrics need the package {name}: install it with {command}"


class MetricsError(CodedError):
    """An error that says why metrics were requested but are not available."""


def need_libraries() -> None:
    """Check that the package for metrics is installed.

    Raises:
        MetricsError: If it is not.
    """
    try:
        # Imported only to see whether it is there.
        import prometheus_client  # noqa: F401
    except ImportError as error:
        name, command = error.name or "prometheus-client", install_command("prometheus-client")
        raise MetricsError(MetricsCode.NO_LIBRARY, name=name, command=command) from None


class RelayCollector:
    """A collector of the current figures of one relay, for a Prometheus registry."""

    def __init__(self, relay: Relay, watch: Watch) -> None:
        self._relay, self._watch = relay, watch

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of the relay, as Prometheus reads them."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        gauge = GaugeMetricFamily("hoity_relay_now", "How many there are now.", labels=["what"])
        relay = self._relay
        for what, number in {
            "unproven": relay.unproven_now,
            "seats": len(relay.seats),
            "calls": relay.calls.waiting,
            "splices": relay.calls.spliced,
        }.items():
            gauge.add_metric([what], number)
        events = CounterMetricFamily("hoity_relay_events", "What happened.", labels=["event"])
        for event in Event:
            events.add_metric([event.value], self._watch.events[event])
        refused = CounterMetricFamily("hoity_relay_refusals", "By verdict.", labels=["verdict"])
        for verdict, number in sorted(self._watch.refused.items()):
            refused.add_metric([verdict.removeprefix("verdict-")], number)
        carried = self._watch.carried + self._relay.calls.carried
        spliced = CounterMetricFamily("hoity_relay_spliced_bytes", "Bytes carried.", value=carried)
        yield from (gauge, events, refused, spliced, self._lateness())

    def _lateness(self) -> Metric:
        """Return the histogram of how late timers of the relay's event loop fire, in seconds."""
        from prometheus_client.core import HistogramMetricFamily

        bounds = [*map(str, LATE), "+Inf"]
        buckets = list(zip(bounds, map(float, accumulate(self._watch.late)), strict=True))
        return HistogramMetricFamily(
            "hoity_relay_lateness_seconds",
            "How late the relay's own clock rings.",
            buckets=buckets,
            sum_value=self._watch.lateness,
        )


def exposition(relay: Relay, watch: Watch) -> Callable[[], bytes]:
    """Return a function that makes the page of metrics about the relay and its process."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    registry.register(RelayCollector(relay, watch))
    ProcessCollector(registry=registry)
    return lambda: generate_latest(registry)


async def serve_metrics(
    host: str,
    port: int,
    page: Callable[[], bytes],
    network: Network | None = None,
    task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer HTTP requests for /metrics until cancelled.

    A NetError is raised if it is impossible to listen at the address.

    Args:
        port: 0 for a free one.
        page: Returns the page of metrics.
        network: None for TCP.
        task_status: Is given the addresses of the listeners, each as 'host:port'.
    """
    listeners = await (network or TcpNetwork()).listen(host, port)
    room = trio.CapacityLimiter(READERS)
    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(attend_all, listener, nursery, partial(_answer, page, room))
        task_status.started([str(listener.address) for listener in listeners])


async def _answer(
    page: Callable[[], bytes], room: trio.CapacityLimiter, stream: trio.abc.Stream, source: Address
) -> None:
    """Answer one HTTP request within the time limit. Cut it if too many are being answered."""
    try:
        # Waiting for a place would let connections pile up without a bound.
        room.acquire_nowait()
    except trio.WouldBlock:
        await cut(stream)
        return
    try:
        with trio.move_on_after(REQUEST_TIMEOUT):
            await _converse(stream, page)
    except TROUBLE:
        return
    finally:
        room.release()
        await cut(stream)


async def _converse(stream: trio.abc.Stream, page: Callable[[], bytes]) -> None:
    """Read one HTTP request and answer it. Do nothing if the connection has ended."""
    import h11

    talk = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_REQUEST)
    try:
        while (asked := talk.next_event()) is h11.NEED_DATA:
            talk.receive_data(bytes(await stream.receive_some(MAX_REQUEST)))
    except h11.RemoteProtocolError as error:
        status = error.error_status_hint
    else:
        if not isinstance(asked, h11.Request):
            return
        status = 200 if asked.target.partition(b"?")[0] == b"/metrics" else 404
        status = status if asked.method == b"GET" else 405
    body = page() if status == 200 else b""
    headers = [
        ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    ]
    out = [h11.Response(status_code=status, headers=headers), h11.Data(body), h11.EndOfMessage()]
    await stream.send_all(b"".join(talk.send(part) or b"" for part in out))
