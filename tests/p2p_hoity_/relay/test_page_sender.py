"""The page of a relay: its files, as compressed as whoever asks takes them, within limits."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import h11
import pytest
import trio
import trio.testing
from support.memory_network import MemoryNetwork
from support.running import running
from support.street import SEAT

from p2p_hoity.net.addresses import Address, relay_address
from p2p_hoity.net.hub import Hub
from p2p_hoity.relay import page_sender
from p2p_hoity.relay.page_sender import PageSender, read_page
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay
from p2p_hoity.relay.web_door import WebDoor

WEB = relay_address("ws://relay:80")
INDEX, SCRIPT = b"<!doctype html>the page", b"let it = 1;\n" * 4000
INNER = "0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page of two files, of which one is stored compressed."""
    (tmp_path / "index.html").write_bytes(INDEX)
    inner = tmp_path / INNER
    inner.mkdir()
    (inner / "start.js").write_bytes(SCRIPT)
    (inner / "start.js.gz").write_bytes(gzip.compress(SCRIPT))
    (inner / "start.js.br").write_bytes(b"by brotli")
    (inner / "secret.pem").write_bytes(b"no kind of a page")
    return tmp_path


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[MemoryNetwork]:
    """A relay that serves a page."""
    network = MemoryNetwork()
    door = WebDoor([WEB], page=PageSender(read_page(folder)))
    relay = Relay(RelayLimits(), Watch(), web=door)
    async with running() as nursery:
        how = {"network": network, "web": ("relay", 80)}

        async def serve(task_status: Any) -> None:
            await relay.serve("relay", 4646, **how, task_status=task_status)

        await nursery.start(serve)
        yield network


async def get(
    network: MemoryNetwork, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """The answer to a request."""
    stream = await network.open_from(Address("9.9.9.9", 5), WEB)
    client = h11.Connection(h11.CLIENT)
    told = [("Host", "relay"), *((name.replace("_", "-"), one) for name, one in headers.items())]
    await stream.send_all(
        client.send(h11.Request(method=method, target=path, headers=told))
        + client.send(h11.EndOfMessage())
    )
    head, body = None, b""
    while True:
        event = client.next_event()
        if event is h11.NEED_DATA:
            client.receive_data(await stream.receive_some())
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        else:
            assert head is not None
            found = {name.decode(): value.decode() for name, value in head.headers}
            return head.status_code, found, body


@pytest.mark.parametrize(
    ("accepted", "coding", "body"),
    [
        ("gzip, deflate, br", "br", b"by brotli"),
        ("gzip", "gzip", gzip.compress(SCRIPT)),
        ("gzip;q=0.5, br;q=0", "gzip", gzip.compress(SCRIPT)),
        ("", "", SCRIPT),
        ("identity", "", SCRIPT),
        ("br;q=0, gzip;q=0", "", SCRIPT),
        ("br;q=0.000, gzip;q=0.", "", SCRIPT),
        ("br;q=much, gzip", "gzip", gzip.compress(SCRIPT)),
    ],
)
async def test_a_file_is_sent_as_whoever_asks_can_take_it(
    accepted: str, coding: str, body: bytes, folder: Path, autojump_clock: Any
) -> None:
    async with served(folder) as network:
        status, headers, found = await get(network, f"/{INNER}/start.js", accept_encoding=accepted)
    assert (status, headers.get("content-encoding", "")) == (200, coding)
    assert gzip.decompress(found) == SCRIPT if coding == "gzip" else found == body
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert headers["cache-control"] == page_sender.LASTING
    assert headers["vary"] == "Accept-Encoding"


async def test_the_page_itself_is_never_old_and_in_nobodys_frame(
    folder: Path, autojump_clock: Any
) -> None:
    async with served(folder) as network:
        status, headers, body = await get(network, "/?from=a-friend")
    assert (status, body) == (200, INDEX)
    assert headers["cache-control"] == "no-cache"
    assert headers["content-security-policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize(
    "path",
    [
        *("/index.html", "/nothing", f"/{INNER}/", f"/{INNER}/secret.pem", f"/{INNER}/start.js.br"),
        *("/../index.html", f"/{INNER}/%2e%2e/index.html"),
    ],
)
async def test_nothing_else_is_served(path: str, folder: Path, autojump_clock: Any) -> None:
    async with served(folder) as network:
        assert (await get(network, path))[0] == 404


async def test_only_get_is_answered(folder: Path, autojump_clock: Any) -> None:
    async with served(folder) as network:
        assert (await get(network, "/", method="POST"))[0] == 405


async def test_an_address_gets_so_many_bytes_and_more_after_a_time(
    folder: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sender, "PACE", (len(SCRIPT), len(SCRIPT) / 10))
    async with served(folder) as network:
        assert (await get(network, f"/{INNER}/start.js"))[0] == 200
        status, _, words = await get(network, f"/{INNER}/start.js")
        assert (status, words) == (429, b"Too much is being sent now. Try again in a minute.")
        await trio.sleep(21)
        assert (await get(network, f"/{INNER}/start.js"))[0] == 200


async def test_who_reads_nothing_is_cut_and_stops_nobody(
    folder: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sender, "MOST_SENDING", 1)
    (folder / INNER / "start.js").write_bytes(bytes(1 << 20))
    for end in ("gz", "br"):
        (folder / INNER / f"start.js.{end}").unlink()
    narrow = MemoryNetwork(make_pair=lambda: trio.testing.lockstep_stream_pair())
    door = WebDoor([WEB], page=PageSender(read_page(folder)))
    relay = Relay(RelayLimits(), Watch(), web=door)
    async with running() as nursery:

        async def serve(task_status: Any) -> None:
            how = {"network": narrow, "web": ("relay", 80)}
            await relay.serve("relay", 4646, **how, task_status=task_status)

        await nursery.start(serve)
        slow = await narrow.open_from(Address("9.9.9.9", 5), WEB)
        asked = f"GET /{INNER}/start.js HTTP/1.1\r\nHost: relay\r\n\r\n".encode()
        await slow.send_all(asked)
        await trio.sleep(1)
        assert (await get(narrow, "/"))[0] == 503
        await trio.sleep(page_sender.GRACE + (1 << 20) / page_sender.SLOWEST)
        assert (await get(narrow, "/"))[0] == 200
        hub = Hub(SEAT, network=narrow)
        await nursery.start(hub.run)
        assert relay.unproven_now == 0


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_page(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_page(tmp_path / "nothing")
