"""What a relay tells of itself: counts, and lines that name nobody and fill no disk."""

import io
import re
from functools import partial

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.running import running
from support.street import GUEST, ONE, SEAT

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, observed, register, spliced
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import KEPT_LINES, LATE, LINES, Event, LogWriter, Watch
from p2p_hoity.relay.relay_metrics import exposition, serve_metrics
from p2p_hoity.relay.relay_server import Relay

PLACE = Address("relay", 1, Scheme.RELAY)
CALLER = "192.0.2.77"


async def evening(nursery, with_addresses=False):
    """Someone waits, someone calls and talks, someone is refused: the relay and its log."""
    lines, network = [], MemoryNetwork(caller=CALLER)
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


async def test_all_that_happens_is_counted_and_a_log_names_nobody_unasked(nursery, autojump_clock):
    relay, lines = await evening(nursery)
    events = relay._watch.events
    assert events[Event.CAME] == events[Event.SECURED] == 6
    assert events[Event.SEATED] == events[Event.CALLED] == events[Event.SPLICED] == 1
    assert events[Event.REFUSED] == 2
    assert events[Event.OBSERVED] == 1
    assert events[Event.UNSEATED] == events[Event.PARTED] == 0
    assert relay._watch.refused == {"verdict-full": 1, "verdict-unknown": 1}
    assert relay.calls.carried > 500
    assert [line.split()[1] for line in lines] == ["seated", "spliced", "refused", "refused"]
    text = "\n".join(lines)
    assert re.fullmatch(r"\S+Z refused from=[0-9a-f]{8} verdict=verdict-full", lines[2])
    for hidden in (SEAT.public.hex()[:8], GUEST.public.hex()[:8], CALLER, "secret"):
        assert hidden not in text
    assert Watch()._word(CALLER) != Watch()._word(CALLER)
    _, lines = await evening(nursery, with_addresses=True)
    assert all(f"from={CALLER}" in line for line in lines)


async def test_a_flood_of_events_leaves_few_lines_and_strangers_who_only_come_none(autojump_clock):
    lines = []
    watch = Watch(lines.append)
    for _ in range(10_000):
        watch.note(Event.REFUSED, CALLER, verdict="verdict-full")
    assert len(lines) == LINES[0]
    await trio.sleep(60)
    watch.note(Event.SEATED, CALLER)
    assert f"lines-left-out={10_000 - LINES[0]}" in lines[-1]
    watch.note(Event.SEATED, CALLER)
    assert "left-out" not in lines[-1]
    assert watch.events[Event.REFUSED] == 10_000
    lines = []
    watch = Watch(lines.append)
    for event in (Event.CAME, Event.SECURED, Event.CALLED):
        watch.note(event, CALLER)
    assert lines == []


async def test_lines_are_written_whole_and_a_log_that_nobody_reads_stops_nothing():
    out = io.StringIO()
    writer = LogWriter(out)
    writer.put("one")
    writer.put("two")
    async with running(writer.run):
        while out.getvalue().count("\n") < 2:
            await trio.sleep(0)
    assert out.getvalue() == "one\ntwo\n"

    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    writer = LogWriter(Gone())
    for _ in range(2 * KEPT_LINES):
        writer.put("line")
    assert writer._lines.statistics().current_buffer_used == KEPT_LINES
    async with running(writer.run):
        while writer._lines.statistics().current_buffer_used:
            await trio.sleep(0)


async def test_how_late_the_relay_is_is_counted(nursery, mock_clock):
    watch = Watch()
    nursery.start_soon(watch.look)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(0.25)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(0.25 + 3)
    await trio.testing.wait_all_tasks_blocked()
    assert watch.late[0] == 1
    assert watch.late[LATE.index(5.0)] == 1
    assert watch.lateness == pytest.approx(3)


async def ask(network, data, pause=0.0):
    """All that a metrics page answers to these bytes."""
    stream = await network.open(Address("metrics", 1))
    for byte in [data[i : i + 8000] for i in range(0, len(data), 8000)]:
        await stream.send_all(byte)
    found = b""
    while piece := await stream.receive_some():
        found += piece
    return found


async def opened(nursery, page=lambda: b"page\n"):
    network = MemoryNetwork()
    await nursery.start(serve_metrics, "metrics", 1, page, network)
    return network


async def test_the_numbers_are_there_for_prometheus_and_name_nobody(nursery, autojump_clock):
    from prometheus_client.parser import text_string_to_metric_families

    relay, _ = await evening(nursery)
    network = await opened(nursery, exposition(relay, relay._watch))
    said = await ask(network, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    head, _, body = said.decode().partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }
    assert samples["hoity_relay_now", "seats"] == samples["hoity_relay_now", "splices"] == 1
    assert samples["hoity_relay_events_total", "came"] == 6
    assert samples["hoity_relay_refusals_total", "full"] == 1
    assert samples["hoity_relay_spliced_bytes_total",] == relay.calls.carried
    late = samples["hoity_relay_lateness_seconds_bucket", "+Inf"]
    assert late == samples["hoity_relay_lateness_seconds_count",] > 0
    for hidden in (SEAT.public.hex()[:8], GUEST.public.hex()[:8], CALLER):
        assert hidden not in said.decode()


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n", b"200"),
        (b"GET /metrics HTTP/1.0\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", b"405"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /metrics HTTP/1.1\r\nX: " + bytes(100_000), b"4"),
        (b"GET /" + b"a" * 100_000, b"4"),
    ],
)
async def test_other_questions_are_answered_as_such(nursery, autojump_clock, asked, status):
    network = await opened(nursery)
    try:
        said = await ask(network, asked)
    except trio.BrokenResourceError:
        said = b"HTTP/1.1 431"  # cut while we were still speaking
    assert said.startswith(b"HTTP/1.1 " + status)


async def test_who_asks_slowly_is_cut_and_too_many_are_not_let_in(nursery, autojump_clock):
    network = await opened(nursery)
    slow = [await network.open(Address("metrics", 1)) for _ in range(8)]
    await trio.testing.wait_all_tasks_blocked()
    began = trio.current_time()
    one_more = await network.open(Address("metrics", 1))
    assert await one_more.receive_some() == b""
    assert trio.current_time() == began
    for stream in slow:
        assert await stream.receive_some() == b""
    assert trio.current_time() - began == pytest.approx(5)
    assert b"200" in await ask(network, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
