"""Tests of announcements in the LAN: read back exactly, or ignored."""

import subprocess
import sys
from functools import partial

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.running import running
from zeroconf import NonUniqueNameException

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.net import lan_discovery
from p2p_hoity.net.lan_discovery import Announcement, announce, browse
from p2p_hoity.net.network_errors import NetError, TicketError
from p2p_hoity.net.ticket import Ticket, encode_ticket

SECRET = encode_ticket(Ticket(bytes(32), ("192.0.2.7:4711",), bytes(32), (), b"s" * 16))
WORD = encode_ticket(Ticket(bytes(32), ("192.0.2.7:4711", "box.example:1"), bytes(32)))
MANY = tuple(f"{'x' * 60}{n}.example:4711" for n in range(8))
LONG_WORD = encode_ticket(Ticket(bytes(32), MANY, bytes(32)))
TABLE = Announcement("Ana's table", 4, 1, WORD)
SOUND = lan_discovery.write_properties(TABLE)


@pytest.mark.parametrize("word", [WORD, LONG_WORD])
def test_an_announcement_is_read_back_exactly(word):
    table = Announcement("Zoë", 6, 6, word)
    properties = lan_discovery.write_properties(table)
    assert lan_discovery.read_properties(properties) == table
    assert all(len(key) + 1 + len(value) <= 255 for key, value in properties.items())


@each(
    [
        {b"v": b"1"},
        {b"v": None},
        {b"name": b"\xff"},
        {b"name": b"\x1b[2Jgone"},
        {b"name": b"x" * 25},
        {b"name": b""},
        {b"name": "\u3164".encode()},
        {b"name": b"host, ada"},
        {b"name": ("a" + "\u0301" * 3).encode()},
        {b"name": "\u0301a".encode()},
        {b"seats": b"9"},
        {b"seats": b"1"},
        {b"seats": b"-1"},
        {b"seats": b"0004"},
        {b"seats": None},
        {b"joined": b"5"},
        {b"joined": b""},
        {b"t0": b"hoity3aaaa"},
        {b"t0": SECRET[:200].encode(), b"t1": SECRET[200:].encode()},
        {b"t0": b"\xff" * 200},
        {b"t7": b"a" * 200},
    ]
)
def test_an_unsound_record_is_ignored(change):
    assert lan_discovery.read_properties({**SOUND, **change}) is None


def test_a_ticket_spelled_oddly_is_spelled_plainly():
    found = lan_discovery.read_properties(
        {**SOUND, b"t0": b" \x1c<" + WORD.upper().encode() + b">"}
    )
    assert found == TABLE


@given(
    st.dictionaries(
        st.sampled_from([b"v", b"name", b"seats", b"joined", *(b"t%d" % n for n in range(9))]),
        st.none() | st.binary(max_size=255) | st.sampled_from(list(SOUND.values())),
    )
)
def test_any_record_is_an_announcement_or_nothing(properties):
    found = lan_discovery.read_properties({b"v": b"3", **properties})
    if found is not None:
        assert lan_discovery.read_properties(lan_discovery.write_properties(found)) == found


class FakeAir:
    """Stands for zeroconf: what is registered is heard by everyone."""

    def __init__(self):
        self.records = {}
        self.closed = 0
        self.listening = trio.Event()

    def register_service(self, info):
        self.records[info.name] = info

    update_service = register_service

    def add_service_listener(self, kind, listener):
        for name in self.records:
            listener.add_service(self, kind, name)
        listener.add_service(self, kind, "gone." + kind)
        listener.remove_service(self, kind, "gone." + kind)
        trio.from_thread.run_sync(self.listening.set)

    def close(self):
        self.closed += 1


@pytest.fixture
def air(monkeypatch):
    made = FakeAir()
    monkeypatch.setattr(lan_discovery, "_open", lambda: (made, None))
    monkeypatch.setattr(lan_discovery, "_record", lambda air, name: air.records[name].properties)
    return made


async def test_what_one_announces_another_finds_as_far_as_there_is_room(air):
    async with announce(TABLE) as announcing:
        assert announcing.problem is None
        assert await browse(0) == [TABLE]
        await announcing.update(3)
        assert await browse(0) == [Announcement("Ana's table", 4, 3, WORD)]
    assert air.closed == 3
    for number in range(1000):
        word = encode_ticket(Ticket(number.to_bytes(32, "big"), ("192.0.2.7:1",), bytes(32)))
        info = lan_discovery.service_info(Announcement("x", 4, 1, word), str(number))
        air.register_service(info)
    assert len(await browse(0)) == lan_discovery.MOST_FOUND


NO_DEVICE = Reason("system-error", {"number": 19})


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (RuntimeError("No interfaces to listen on"), Reason("lan-quiet")),
        (
            OSError(19, "No such device"),
            because(lan_discovery.LanCode.QUIET_BECAUSE, why=NO_DEVICE),
        ),
    ],
    ids=["no IPv4", "no multicast"],
)
async def test_a_quiet_network_is_told_and_hosting_goes_on(monkeypatch, error, problem):
    def fail(*args, **rest):
        raise error

    monkeypatch.setattr("zeroconf.Zeroconf", fail)
    async with announce(TABLE) as announcing:
        assert announcing.problem == problem
        await announcing.update(2)
    with pytest.raises(NetError, match="lan-quiet"):
        await browse(0)


async def test_a_network_that_does_not_carry_it_is_told_and_hosting_goes_on(air, monkeypatch):
    def fail(info):
        raise TimeoutError

    monkeypatch.setattr(air, "register_service", fail)
    async with announce(TABLE) as announcing:
        assert announcing.problem == Reason("lan-carries-nothing")


async def test_an_announcement_that_failed_is_made_again_under_another_name(air, monkeypatch):
    """A stranger may say that it holds the name."""
    tried, register = [], air.register_service

    def taken(info):
        tried.append(info.name)
        raise NonUniqueNameException

    monkeypatch.setattr(air, "register_service", taken)
    async with announce(TABLE) as announcing:
        await announcing.update(2)
        assert announcing.problem is not None
        monkeypatch.setattr(air, "register_service", register)
        monkeypatch.setattr(air, "update_service", None)
        await announcing.update(2)
        assert announcing.problem is None
        assert len({*tried, *air.records}) == 3
        assert await browse(0) == [Announcement("Ana's table", 4, 2, WORD)]


@pytest.mark.parametrize("word", ["no ticket", SECRET])
async def test_only_tickets_without_a_secret_are_announced(air, word):
    with pytest.raises(TicketError):
        async with announce(Announcement("x", 4, 1, word)):
            pass
    assert air.closed == 1
    assert not air.records


async def test_a_table_that_is_not_open_is_announced_without_a_way_to_it(air):
    closed, other = Announcement("Ana", 4, 1), Announcement("Ben", 3, 2)
    async with announce(closed) as announcing, announce(other):
        assert await browse(0) == [closed, other]
        await announcing.update(2)
        assert await browse(0) == [Announcement("Ana", 4, 2), other]
        said = repr([info.properties for info in air.records.values()])
        assert "t0" not in said


def test_zeroconf_is_loaded_only_when_used():
    code = "import sys, p2p_hoity.net.lan_discovery; print('zeroconf' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


async def test_looking_around_can_be_cancelled(air):
    async with running(partial(browse, 3600)):
        await air.listening.wait()
    assert air.closed == 1
