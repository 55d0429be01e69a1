"""TCP doors: where they are, what comes through them, and what is said when there are none."""

import errno
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork

from p2p_hoity.net.addresses import Address, Named
from p2p_hoity.net.exception_reasons import trouble_is
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.transport import TcpNetwork, close_listeners

LOOPBACK = "127.0.0.1"


@pytest.fixture(params=[TcpNetwork, MemoryNetwork])
def network(request):
    return request.param()


async def test_bytes_pass_through_a_door_and_who_waits_at_it_is_told_when_it_shuts(network):
    (door,) = await network.listen(LOOPBACK, 0)
    near = await network.open(door.address)
    far, _caller = await door.accept()
    await near.send_all(b"hello")
    assert await far.receive_some() == b"hello"
    await trio.aclose_forcefully(near)
    assert await far.receive_some() == b""
    await trio.aclose_forcefully(far)
    await close_listeners([door])
    (door,) = await network.listen(LOOPBACK, 0)
    told = []

    async def wait():
        await ends_in(NetError, "", door.accept())
        told.append("shut")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await door.aclose()
    assert told == ["shut"]


async def test_a_shut_door_has_nobody_behind_it_and_its_port_is_free_again(network):
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await ends_in(NetError, f"'{LOOPBACK}:{port}' why=.port-in-use", network.listen(LOOPBACK, port))
    await door.aclose()
    (door,) = await network.listen(LOOPBACK, port)
    await door.aclose()
    await ends_in(NetError, r"\(nobody-listens", network.open(door.address))


async def test_everywhere_is_one_port_and_where_nothing_can_listen_that_is_told(monkeypatch):
    doors = await TcpNetwork().listen("", 0)
    assert {door.address.host for door in doors} <= {"0.0.0.0", "::"}
    assert len({door.address.port for door in doors}) == 1
    await close_listeners(doors)
    with pytest.raises(NetError, match=r"192\.0\.2\.99:0' why=.no-such-address"):
        await TcpNetwork().listen("192.0.2.99", 0)
    with pytest.raises(NetError, match="unknown-machine-name"):
        await TcpNetwork().open(Address("no-such-machine.invalid", 1))

    async def without(port, *, host, backlog):
        raise OSError(errno.EAFNOSUPPORT, "no such thing here")

    monkeypatch.setattr(trio, "open_tcp_listeners", without)
    await ends_in(NetError, r"\(no-such-address-family", TcpNetwork().listen("", 0))


async def test_a_door_waits_while_the_process_is_full_and_skips_some(monkeypatch, autojump_clock):
    door: Any
    (door,) = await TcpNetwork().listen(LOOPBACK, 0)
    troubles = [errno.EMFILE, errno.ECONNRESET, errno.ENOBUFS]
    accept = door._listener.accept

    async def fail_first():
        if troubles:
            raise OSError(troubles.pop(0), "trouble")
        monkeypatch.undo()
        raise trio.ClosedResourceError

    monkeypatch.setattr(door._listener, "accept", fail_first)
    began = trio.current_time()
    await ends_in(NetError, "", door.accept())
    assert trio.current_time() - began == pytest.approx(0.2)
    assert door._listener.accept == accept
    await door.aclose()


@pytest.mark.parametrize("host", [LOOPBACK, "localhost"])
async def test_an_address_named_by_a_stranger_does_not_lead_to_this_machine(host):
    """Nor does a name that the stranger chose."""
    network = TcpNetwork()
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await ends_in(NetError, "not-dialled", network.open(Address(host, port, named=Named.FAR)))
    near = await network.open(Address(LOOPBACK, port, named=Named.NEAR))
    await trio.aclose_forcefully(near)
    await door.aclose()


async def test_that_nobody_listens_there_is_final_and_a_cut_is_not():
    network = TcpNetwork()
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await door.aclose()
    await ends_in(NobodyError, r"\(nobody-listens", network.open(Address(LOOPBACK, port)))
    with pytest.raises(NetError) as caught, trouble_is(NetCode.FAILED):
        raise ConnectionResetError
    assert not caught.value.is_final


@pytest.mark.parametrize("number", [errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL])
async def test_a_machine_without_ipv4_listens_on_ipv6(monkeypatch, number):
    listen = trio.open_tcp_listeners

    async def without(port, *, host, backlog):
        if host == "0.0.0.0":
            raise OSError(number, "no such thing here")
        return await listen(port, host="127.0.0.1", backlog=backlog)  # stands for ::

    monkeypatch.setattr(trio, "open_tcp_listeners", without)
    doors = await TcpNetwork().listen("", 0)
    assert len(doors) == 1
    await close_listeners(doors)
