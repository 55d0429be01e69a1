"""A way in by UPnP IGD, through miniupnpc where it is installed: the extra `p2p-hoity[upnp]`.

The library waits for answers without trio, so it runs in a thread that is left to itself when it
takes too long. It raises bare `Exception`s, whose words are the router's and are not repeated.
"""

from __future__ import annotations

import importlib
import ipaddress
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, TypeVar

import trio

from ..errors import because
from ..net.addresses import HIGHEST_PORT, Address
from .routers import LIFETIME, Opened, RouterCode, RouterError

PATIENCE: Final = 6.0
"""Seconds for the search and all questions together."""
SEARCH: Final = 1500
"""Milliseconds for which routers may answer the search."""
LOWEST: Final = 1024
STRIDE: Final = 7919
"""From one port outside that is taken to the next that is tried."""
TRIES: Final = 3
PROTOCOL: Final = "TCP"
NAME: Final = "p2p-hoity"
Found = TypeVar("Found")


def library() -> ModuleType | None:
    """miniupnpc, if it is installed."""
    try:
        return importlib.import_module("miniupnpc")
    except ImportError:
        return None


class UpnpRouter:
    """A router found by UPnP; a mapping without an end is never asked for."""

    def __init__(self, module: ModuleType, port: int) -> None:
        self._module, self._port = module, port
        self._device: Any = None
        self._outside = port
        self._is_open = False

    async def open(self) -> Opened:
        """The mapping, for two hours from now."""
        left = threading.Event()
        try:
            opened = await _patiently(lambda: self._open(left))
            self._is_open = True
            return opened
        finally:
            left.set()

    async def close(self) -> None:
        """Take the mapping away."""
        self._is_open = False
        if self._device is not None:
            await _patiently(self._close)

    def _open(self, left: threading.Event) -> Opened:
        """In a thread; one that is left to itself takes away what nobody would close any more."""
        self._device = self._device or self._search()
        external = self._external()
        for _ in range(TRIES):
            if left.is_set():
                raise RouterError(RouterCode.SILENT)
            if _tried(self._map, RouterCode.NOT_ALLOWED):
                if left.is_set() and not self._is_open:
                    self._close()
                return Opened(str(Address(external, self._outside)), LIFETIME)
            span = HIGHEST_PORT - LOWEST
            self._outside = LOWEST + (self._outside - LOWEST + STRIDE) % span
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.FULL))

    def _search(self) -> Any:
        device = self._module.UPnP()
        device.discoverdelay = SEARCH
        if not _tried(device.discover, RouterCode.ABSENT):
            raise RouterError(RouterCode.ABSENT)
        _tried(device.selectigd, RouterCode.ABSENT)
        return device

    def _external(self) -> str:
        try:
            return str(ipaddress.IPv4Address(_tried(self._device.externalipaddress)))
        except ValueError:
            raise RouterError(RouterCode.REFUSES, why=because(RouterCode.OFFLINE)) from None

    def _map(self) -> bool:
        inside, device = (self._device.lanaddr, self._port), self._device
        words = (self._outside, PROTOCOL, *inside, NAME, "", LIFETIME)
        taken = device.getspecificportmapping(self._outside, PROTOCOL)
        if taken and tuple(taken[:2]) != inside:
            return False
        return bool(device.addportmapping(*words))

    def _close(self) -> None:
        _tried(lambda: self._device.deleteportmapping(self._outside, PROTOCOL))


async def _patiently(work: Callable[[], Found]) -> Found:
    with trio.move_on_after(PATIENCE):
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
    raise RouterError(RouterCode.SILENT)


def _tried(work: Callable[[], Found], code: RouterCode = RouterCode.OFFLINE) -> Found:
    """What a call of the library gives; RouterError when it fails."""
    try:
        return work()
    except Exception as error:  # it raises nothing else
        why = because(code)
        whole = RouterError(code) if code is RouterCode.ABSENT else None
        raise whole or RouterError(RouterCode.REFUSES, why=why) from error
