"""A way in by UPnP IGD, for routers that speak neither PCP nor NAT-PMP.

Only the router of this network is heard and dialled: what it describes may lead to no other
machine. All it sends is bounded, and whoever gives up reads nothing more.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final, Protocol

import trio

from protocol.bounds import Quota, Seconds

from ..errors import because
from ..net.addresses import HIGHEST_PORT, Address
from ..net.errors import TROUBLE
from . import bounded_http, igd
from .bounded_http import Answer, HttpError, Question
from .igd import Fields, Place, Service
from .routers import LIFETIME, Opened, RouterCode, RouterError

PATIENCE: Final[Seconds] = 6.0
"""Seconds for the search and all questions together."""
SEARCH: Final[Seconds] = 1.5
"""Seconds for which the router may answer a search; it is asked to answer within one."""
TIMES: Final[Quota] = 2
"""Times a search is sent, since datagrams may be lost."""
MOST_PLACES: Final[Quota] = 4
"""Descriptions of the router that are read."""
DATAGRAM: Final = 2048
LOWEST: Final = 1024
STRIDE: Final = 7919
"""From one port outside that is taken to the next that is tried."""
TRIES: Final[Quota] = 3
CONFLICT: Final = "718"
"""The error of a router whose port leads to another machine."""
PROTOCOL: Final = "TCP"
NAME: Final = "p2p-hoity"


class Searching(Protocol):
    """Datagrams by which the router is searched for."""

    async def send(self, data: bytes) -> None:
        """Send one to all routers of this network; OSError if it cannot be sent."""
        ...

    async def receive(self) -> bytes:
        """Return the next one that comes from the router itself."""
        ...


class HomeNetwork(Protocol):
    """The network of one router, as far as UPnP needs it."""

    @property
    def own(self) -> IPv4Address:
        """Our address on the way to the router."""
        ...

    @property
    def router(self) -> IPv4Address:
        """The router's address."""
        ...

    def searching(self) -> AbstractAsyncContextManager[Searching]:
        """Give a way to search; OSError if there is none."""
        ...

    async def open(self, port: int) -> trio.abc.Stream:
        """Open a stream to a TCP port of the router; what fails is of `TROUBLE`."""
        ...


class UdpSearching:
    """A search over a UDP socket; what comes from others than the router is dropped."""

    def __init__(self, wire: trio.socket.SocketType, router: IPv4Address) -> None:
        self._wire, self._router = wire, str(router)

    async def send(self, data: bytes) -> None:
        """Send one to the group."""
        await self._wire.sendto(data, igd.GROUP)

    async def receive(self) -> bytes:
        """Return the next one of the router's, cut to what no sound answer reaches."""
        while True:
            data, source = await self._wire.recvfrom(DATAGRAM)
            if source[0] == self._router:
                return data


@dataclass(frozen=True)
class LocalNetwork:
    """The network that this machine is in, over sockets."""

    own: IPv4Address
    router: IPv4Address

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[Searching]:
        """Search on the interface that leads to the router."""
        with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as made:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, self.own.packed)
            await made.bind((str(self.own), 0))
            yield UdpSearching(made, self.router)

    async def open(self, port: int) -> trio.abc.Stream:
        """Open TCP to the router."""
        return await trio.open_tcp_stream(str(self.router), port)


class UpnpRouter:
    """A router found by UPnP; a mapping without an end is never asked for ([L-54], [L-68])."""

    def __init__(self, network: HomeNetwork, port: int) -> None:
        """`port` is the TCP port here to which the router is to lead."""
        self._network, self._port = network, port
        self._service: Service | None = None
        self._outside = port
        self._may_be_open = False

    async def open(self) -> Opened:
        """Return the mapping, for two hours from now; RouterError when there is none."""
        with trio.move_on_after(PATIENCE):
            return await self._open()
        raise RouterError(RouterCode.SILENT)

    async def close(self) -> None:
        """Take away what may be mapped."""
        if self._service is not None and self._may_be_open:
            with trio.move_on_after(PATIENCE):
                await self._ask(self._service, "DeletePortMapping", self._mapping)

    async def _open(self) -> Opened:
        service, external = await self._find()
        self._service = service
        for _ in range(TRIES):
            if await self._map(service):
                return Opened(str(Address(str(external), self._outside)), LIFETIME)
            span = HIGHEST_PORT - LOWEST
            self._outside = LOWEST + (self._outside - LOWEST + STRIDE) % span
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.FULL))

    # Finding the service that leads outside.

    async def _find(self) -> tuple[Service, IPv4Address]:
        """Return a service and its address outside: the one in use, else the first that has one."""
        services = [self._service] if self._service is not None else await self._services()
        for service in services:
            told = await self._ask(service, "GetExternalIPAddress", {})
            try:
                external = IPv4Address(told.get("NewExternalIPAddress", ""))
            except ValueError:
                continue
            if not external.is_unspecified:
                return service, external
        if not services:
            raise RouterError(RouterCode.ABSENT)
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))

    async def _services(self) -> list[Service]:
        found: list[Service] = []
        for place in await self._search():
            answer = await self._exchange(place, Question("GET", self._host(place), place.target))
            if answer is not None and answer.status == 200:
                location = f"http://{self._host(place)}{place.target}"
                found += igd.read_services(answer.body, location, self._network.router)
        return found[: igd.MOST_SERVICES]

    async def _search(self) -> list[Place]:
        """Return where the router describes itself, in the order in which it says so."""
        places: dict[Place, None] = {}
        try:
            async with self._network.searching() as wire:
                for _ in range(TIMES):
                    for device in igd.DEVICES:
                        await wire.send(igd.search_for(device))
                with trio.move_on_after(SEARCH):
                    while len(places) < MOST_PLACES:
                        place = igd.read_found(await wire.receive(), self._network.router)
                        if place is not None:
                            places[place] = None
        except OSError:
            return []
        return list(places)

    # Mapping.

    @property
    def _mapping(self) -> Fields:
        return {
            "NewRemoteHost": "",
            "NewExternalPort": str(self._outside),
            "NewProtocol": PROTOCOL,
        }

    async def _map(self, service: Service) -> bool:
        """Ask for the port outside; whether it is ours, RouterError if the router opens none."""
        inside = {"NewInternalPort": str(self._port), "NewInternalClient": str(self._network.own)}
        taken = await self._ask(service, "GetSpecificPortMappingEntry", self._mapping)
        if any(taken.get(name, value) != value for name, value in inside.items()):
            return False
        more = {"NewEnabled": "1", "NewPortMappingDescription": NAME}
        wanted = {**self._mapping, **inside, **more, "NewLeaseDuration": str(int(LIFETIME))}
        before, self._may_be_open = self._may_be_open, True
        told = await self._ask(service, "AddPortMapping", wanted)
        if "AddPortMappingResponse" in told:
            return True
        code = told.get("errorCode")
        if code == CONFLICT:
            self._may_be_open = False
            return False
        if code is not None:  # else the answer was lost, and the port may be open
            self._may_be_open = before
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.NOT_ALLOWED))

    # Asking.

    async def _ask(self, service: Service, name: str, fields: Fields) -> Fields:
        """Return the fields of the answer to an action, those of an error too; none if it cannot
        be read."""
        headers = (
            ("Content-Type", 'text/xml; charset="utf-8"'),
            ("SOAPAction", f'"{service.kind}#{name}"'),
        )
        place, body = service.place, igd.action(service, name, fields)
        question = Question("POST", self._host(place), place.target, headers, body)
        answer = await self._exchange(place, question)
        return {} if answer is None else igd.read_fields(answer.body)

    def _host(self, place: Place) -> str:
        return f"{self._network.router}:{place.port}"

    async def _exchange(self, place: Place, question: Question) -> Answer | None:
        try:
            return await bounded_http.ask(await self._network.open(place.port), question)
        except (HttpError, *TROUBLE):
            return None
