"""Tests of asking by UPnP: against a library that is made to fail in each way. What the real one
does with a device stands in `tests/processes/test_ways_in.py`."""

import threading
from types import ModuleType
from typing import Any

import pytest
import trio
from support.cases import ends_in

from p2p_hoity.errors import Reason, because
from p2p_hoity.reachability import mapping, upnp
from p2p_hoity.reachability.routers import RouterCode, RouterError

EXTERNAL = "81.2.69.142"


class Device:
    """The library's object; `opened`: port outside → what leads where, for how long."""

    discoverdelay = 0
    lanaddr = "192.168.1.5"
    found = 1
    external: Any = EXTERNAL
    refusal = ""

    def __init__(self) -> None:
        self.opened: dict[int, tuple[str, int]] = {}
        self.leases: list[int] = []

    def discover(self) -> int:
        return self.found

    def selectigd(self) -> str:
        return "http://192.168.1.1/"

    def externalipaddress(self) -> Any:
        return self.external

    def getspecificportmapping(self, port: int, protocol: str) -> Any:
        assert protocol == "TCP"
        return self.opened.get(port)

    def addportmapping(self, port: int, _: str, host: str, inside: int, *rest: Any) -> bool:
        if self.refusal:
            raise Exception(self.refusal)
        self.leases.append(rest[-1])
        self.opened[port] = (host, inside)
        return True

    def deleteportmapping(self, port: int, _: str) -> bool:
        del self.opened[port]
        return True


def asking(device: Device) -> upnp.UpnpRouter:
    module = ModuleType("miniupnpc")
    module.UPnP = lambda: device  # type: ignore[attr-defined]
    return upnp.UpnpRouter(module, 4646)


async def why(device: Device) -> Reason:
    return (await ends_in(RouterError, "", asking(device).open())).reason


async def test_a_port_of_ours_is_opened_for_two_hours_or_it_is_told_why_not() -> None:
    device = Device()
    router = asking(device)
    assert (await router.open()).external == f"{EXTERNAL}:4646"
    assert (await router.open()).external == f"{EXTERNAL}:4646"
    assert device.leases == [7200, 7200]
    await router.close()
    assert device.opened == {}
    device = Device()
    device.opened[4646] = ("192.168.1.99", 80)
    router = asking(device)
    outside = int((await router.open()).external.rpartition(":")[2])
    assert outside != 4646
    assert device.opened[outside] == ("192.168.1.5", 4646)
    await router.close()
    assert device.opened == {4646: ("192.168.1.99", 80)}
    device = Device()
    device.found = 0
    assert await why(device) == because(RouterCode.ABSENT)
    device = Device()
    device.refusal = "OnlyPermanentLeasesSupported \x1b[2J"
    found = await why(device)
    assert found == because(RouterCode.REFUSES, why=because(RouterCode.NOT_ALLOWED))
    for external in ("", None, "not an address", "2001:db8::1"):  # a device without internet
        device = Device()
        device.external = external
        offline = because(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))
        assert await why(device) == offline, external


async def test_a_library_that_hangs_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upnp, "PATIENCE", 0.05)
    go_on = threading.Event()

    class Hanging(Device):
        def discover(self) -> int:
            go_on.wait()
            return 0

    assert await why(Hanging()) == because(RouterCode.SILENT)
    go_on.set()


@pytest.mark.parametrize("where", ["externalipaddress", "addportmapping"])
async def test_who_was_left_leaves_no_port(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[L-54]"""
    monkeypatch.setattr(upnp, "PATIENCE", 0.05)
    device, go_on, ended = Device(), threading.Event(), threading.Event()
    act, router = getattr(device, where), asking(device)
    work = router._open

    def slow(*args: Any) -> Any:
        go_on.wait()
        return act(*args)

    def watched(left: threading.Event) -> Any:
        try:
            return work(left)
        finally:
            ended.set()

    monkeypatch.setattr(device, where, slow)
    monkeypatch.setattr(router, "_open", watched)
    with pytest.raises(RouterError):
        await router.open()
    go_on.set()
    await trio.to_thread.run_sync(ended.wait)
    assert device.opened == {}
    assert len(device.leases) == (where == "addportmapping")


async def test_a_slow_renewal_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    device, left = Device(), threading.Event()
    router = asking(device)
    await router.open()
    monkeypatch.setattr(device, "addportmapping", lambda *_: left.set() or True)
    await trio.to_thread.run_sync(router._open, left)
    assert list(device.opened) == [4646]
    monkeypatch.setattr(mapping, "library", lambda: None)
    assert mapping.of_this_network(4646).others() == []
    monkeypatch.setattr(mapping, "library", lambda: ModuleType("miniupnpc"))
    (found,) = mapping.of_this_network(4646).others()
    assert isinstance(found, upnp.UpnpRouter)
    await trio.lowlevel.checkpoint()
