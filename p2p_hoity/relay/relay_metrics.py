"""What a relay counts and logs, and the page of figures for Prometheus.

A log has one line for an event, without ids, tokens or contents, and no more lines than an honest
day needs. Whence someone comes stands there as a word that means nothing outside this process,
unless who runs the relay wants addresses.

prometheus-client is an extra of this package, `relay`, and loaded only when asked for.
"""

from __future__ import annotations

import hashlib
import secrets
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TextIO

import trio

from protocol.bounds import Pace, Quota, Seconds

from ..errors import Code, CodedError, installing
from ..net.link_limits import Allowance
from ..net.network_errors import TROUBLE, NetError
from ..net.transport import Network, StreamListener, TcpNetwork, close_listeners, cut

LATE: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Bounds, in seconds, of the classes of lateness that are counted."""
PROBE: Final[Seconds] = 0.25
"""Seconds from one look at the lateness to the next."""
LINES: Final[Pace] = (200, 20.0)
"""Lines of the log that are written at once, and a second after that."""
KEPT_LINES: Final[Quota] = 1000
"""Lines that wait for who reads the log; more are left out."""


class Event(StrEnum):
    """What can happen at a relay."""

    CAME = "came"
    SECURED = "secured"
    SEATED = "seated"
    UNSEATED = "unseated"
    OBSERVED = "observed"
    CALLED = "called"
    SPLICED = "spliced"
    PARTED = "parted"
    REFUSED = "refused"
    DRAINS = "drains"
    CLOSES = "closes"


LOGGED: Final = frozenset(Event) - {Event.CAME, Event.SECURED, Event.OBSERVED, Event.CALLED}
"""Strangers who do nothing but come leave no line: they could fill a disk."""


class Watch:
    """Counts for metrics, and lines for a log if one is kept."""

    def __init__(self, log: Callable[[str], None] | None = None, with_addresses: bool = False):
        self.events: Counter[Event] = Counter()
        self.refused: Counter[str] = Counter()
        self.carried = 0
        """Bytes of the splices that are over."""
        self.late = [0] * (len(LATE) + 1)
        """How often this process was late by up to each bound, then by more."""
        self.lateness = 0.0
        self._log, self._with_addresses = log, with_addresses
        self._key = secrets.token_bytes(16)
        self._lines: Allowance | None = None
        self._left_out = 0

    def note(self, event: Event, source: str = "", **fields: str | int) -> None:
        """It happened, by the doing of someone from this machine; fields name nobody."""
        self.events[event] += 1
        if "verdict" in fields:
            self.refused[str(fields["verdict"])] += 1
        if self._log is not None and event in LOGGED:
            self._write(self._log, event, source, fields)

    def _write(
        self, log: Callable[[str], None], event: Event, source: str, fields: dict[str, str | int]
    ) -> None:
        now = trio.current_time()
        if self._lines is None:
            self._lines = Allowance(*LINES, now)
        if self._lines.left(now) < 1:
            self._left_out += 1
            return
        self._lines.take(now)
        more: dict[str, str | int] = {"from": self._word(source)} if source else {}
        more |= fields
        if self._left_out:
            more["lines-left-out"] = self._left_out
            self._left_out = 0
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        log(" ".join([when, event.value, *(f"{name}={value}" for name, value in more.items())]))

    def _word(self, source: str) -> str:
        """The same for one machine while this process runs, and worth nothing afterwards."""
        if self._with_addresses:
            return source
        return hashlib.blake2b(source.encode(), digest_size=4, key=self._key).hexdigest()

    async def look(self) -> None:
        """Note how late this process is, until cancelled."""
        while True:
            due = trio.current_time() + PROBE
            await trio.sleep_until(due)
            late = trio.current_time() - due
            self.late[bisect_left(LATE, late)] += 1
            self.lateness += late


class LogWriter:
    """Writes lines to a stream in a thread of its own: who does not read them stops nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._send, self._lines = trio.open_memory_channel[str](KEPT_LINES)

    def put(self, line: str) -> None:
        """One line more, if there is room."""
        try:
            self._send.send_nowait(line)
        except trio.WouldBlock:
            return

    async def run(self) -> None:
        """Until cancelled."""
        async for line in self._lines:
            await trio.to_thread.run_sync(self._write, line, abandon_on_cancel=True)

    def _write(self, line: str) -> None:
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            return  # whoever read the log is gone


if TYPE_CHECKING:
    import h11
    from prometheus_client.core import Metric

    from .relay_server import Relay

READERS: Final[Quota] = 8
"""Connections that are answered at once; more are cut."""
PATIENCE: Final[Seconds] = 5.0
"""Seconds for one connection, from its beginning to its end."""
LONGEST: Final = 4096
"""Bytes of a question."""


class MetricsCode(Code):
    """Why there are no metrics."""

    NO_LIBRARY = "no-metrics-library", "name", "command"


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
        for what, number in self._now().items():
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

    def _now(self) -> dict[str, int]:
        relay = self._relay
        return {
            "unproven": len(relay.unproven),
            "seats": len(relay.seats),
            "calls": relay.calls.waiting,
            "splices": relay.calls.spliced,
        }

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
            nursery.start_soon(_attend, listener, page, room, nursery)
        task_status.started([str(listener.address) for listener in listeners])


async def _attend(
    listener: StreamListener,
    page: Callable[[], bytes],
    room: trio.CapacityLimiter,
    nursery: trio.Nursery,
) -> None:
    try:
        while True:
            stream, _ = await listener.accept()
            nursery.start_soon(_answer, stream, page, room)
    except NetError:
        return  # the listener is shut
    finally:
        await close_listeners([listener])


async def _answer(
    stream: trio.abc.Stream, page: Callable[[], bytes], room: trio.CapacityLimiter
) -> None:
    """One question, one answer, in the time there is; who asks when all are busy is cut."""
    try:
        room.acquire_nowait()
    except trio.WouldBlock:
        await cut(stream)
        return
    try:
        with trio.move_on_after(PATIENCE):
            await _converse(stream, page)
    except TROUBLE:
        return
    finally:
        room.release()
        await cut(stream)


async def _converse(stream: trio.abc.Stream, page: Callable[[], bytes]) -> None:
    import h11

    talk = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST)
    try:
        asked = await _question(stream, talk)
    except h11.RemoteProtocolError as error:
        status, body = error.error_status_hint, b""
    else:
        if asked is None:
            return
        status, body = _reply(asked, page)
    headers = [
        ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    ]
    out = [h11.Response(status_code=status, headers=headers), h11.Data(body), h11.EndOfMessage()]
    await stream.send_all(b"".join(talk.send(part) or b"" for part in out))


async def _question(stream: trio.abc.Stream, talk: h11.Connection) -> h11.Request | None:
    """The head of the first question; None if who asks is gone."""
    import h11

    while True:
        event: Any = talk.next_event()
        if event is h11.NEED_DATA:
            talk.receive_data(bytes(await stream.receive_some(LONGEST)))
        else:
            return event if isinstance(event, h11.Request) else None


def _reply(asked: h11.Request, page: Callable[[], bytes]) -> tuple[int, bytes]:
    if asked.method != b"GET":
        return 405, b""
    if asked.target.partition(b"?")[0] != b"/metrics":
        return 404, b""
    return 200, page()
