"""What a relay notes of itself, as Prometheus reads it: numbers, and nothing of who or what.

prometheus-client is an extra of this package, `relay`, and loaded only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import trio

from protocol.bounds import Quota, Seconds

from ..coded_errors import Code, CodedError, installing
from ..net.addresses import Address
from ..net.network_errors import TROUBLE
from ..net.transport import Network, TcpNetwork, attend_all, cut
from .relay_log import LATE, Event, Watch

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from .relay_server import Relay

READERS: Final[Quota] = 8
"""Connections that are answered at once; more are cut."""
REQUEST_TIMEOUT: Final[Seconds] = 5.0
"""Seconds for one connection, from its beginning to its end."""
MAX_REQUEST: Final = 4096
"""Bytes of a question."""


class MetricsCode(Code):
    """Why there are no metrics."""

    NO_LIBRARY = "no-metrics-library", "metrics need the package {name}: install it with {command}"


class MetricsError(CodedError):
    """Metrics were asked for and cannot be had."""


def need_libraries() -> None:
    """MetricsError if the extra is not installed."""
    try:
        import prometheus_client  # noqa: F401
    except ImportError as error:
        name, command = error.name or "prometheus-client", installing("prometheus-client")
        raise MetricsError(MetricsCode.NO_LIBRARY, name=name, command=command) from None


class RelayCollector:
    """The numbers of one relay, each time they are asked for."""

    def __init__(self, relay: Relay, watch: Watch) -> None:
        self._relay, self._watch = relay, watch

    def collect(self) -> Iterator[Metric]:
        """All of them."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        gauge = GaugeMetricFamily("hoity_relay_now", "How many there are now.", labels=["what"])
        relay = self._relay
        for what, number in {
            "unproven": len(relay.unproven),
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
    """What makes the page of a relay's numbers and of its process's memory, time and files."""
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
    """Answer GET /metrics with a fresh page until cancelled; NetError when it cannot listen."""
    listeners = await (network or TcpNetwork()).listen(host, port)
    room = trio.CapacityLimiter(READERS)
    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(attend_all, listener, nursery, partial(_answer, page, room))
        task_status.started([str(listener.address) for listener in listeners])


async def _answer(
    page: Callable[[], bytes], room: trio.CapacityLimiter, stream: trio.abc.Stream, source: Address
) -> None:
    """One question, one answer, in the time there is; who asks when all are busy is cut."""
    try:
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
    """Answer the first question, unless who asks is gone."""
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
