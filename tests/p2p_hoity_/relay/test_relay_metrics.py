"""Tests of the numbers of a relay: they name nobody, and who asks slowly is cut."""

import pytest
import trio
import trio.testing
from support.busy_relay import CALLER, busy_relay
from support.memory_network import MemoryNetwork
from support.street import GUEST, SEAT

from p2p_hoity.net.addresses import Address
from p2p_hoity.relay.relay_metrics import exposition, serve_metrics


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

    relay, _ = await busy_relay(nursery)
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
