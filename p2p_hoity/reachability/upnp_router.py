"""Have a router that is asked by UPnP forward a port to this computer, and keep it forwarded.

Routers differ in what they take and in how they refuse it. Where another request may succeed it is
tried: another external port, or a mapping without an end. Otherwise the player is told the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

import trio

from protocol.units import Quota, Seconds

from ..coded_errors import because
from ..net.addresses import HIGHEST_PORT, Address
from .pcp_and_nat_pmp import LIFETIME, OpenedPort, RouterCode, RouterError
from .upnp import (
    DEVICES,
    MOST_SERVICES,
    Endpoint,
    Fields,
    LocalNetwork,
    Service,
    action,
    ask,
    read_fields,
    read_found,
    read_services,
    search_for,
)

UPNP_TIMEOUT: Final[Seconds] = 6.0
"""Seconds for the search and all requests together."""
SEARCH: Final[Seconds] = 1.5
"""Seconds for which answers to a search are awaited. The router is asked to answer in one."""
TIMES: Final[Quota] = 2
"""How often a search is sent, since datagrams may be lost."""
MOST_PLACES: Final[Quota] = 4
"""The most descriptions of the router that are read."""
LOWEST: Final = 1024
STRIDE: Final = 7919
"""The step from an external port that is already in use to the next one that is tried."""
TRIES: Final[Quota] = 3
"""How many external ports are tried."""
CONFLICTS: Final = frozenset({718, 729})
"""The error codes of a router at which another external port may be free.

The port is in use for another machine, or by another part of the router's settings.
"""
SAME_PORTS_ONLY: Final = 724
"""The error code of a router whose external port has to be that of the computer."""
WITHOUT_END_ONLY: Final = 725
"""The error code of a router that forwards ports without an end only."""
NOT_UNDERSTOOD: Final = frozenset({WITHOUT_END_ONLY, 402, 501, 600, 601})
"""The error codes of routers that may forward a port if they are asked to do so without an end.

Many such routers do not send the code that is meant for this, but "invalid arguments", "action
failed", or "argument value invalid" or "out of range".
"""
WITHOUT_END: Final = 0
"""The lifetime of a request by which the port stays forwarded until it is closed."""
REFUSALS: Final[Mapping[int, RouterCode]] = {
    606: RouterCode.NOT_ALLOWED,
    718: RouterCode.TAKEN,
    728: RouterCode.FULL,
    729: RouterCode.TAKEN,
}
"""The reasons that error codes stand for (WANIPConnection:2, section 2.5.16).

All other codes mean that the router cannot do it, or has not understood the request.
"""
HIGHEST_CODE: Final = 999
PROTOCOL: Final = "TCP"
NAME: Final = "p2p-hoity"


UNSET: Final = IPv4Address(0)
"""The external address of a router that has none."""


@dataclass(frozen=True)
class Told:
    """The answer of a router to an action. The status of HTTP is 0 if no valid answer came."""

    status: int
    fields: Fields

    @property
    def code(self) -> int:
        """The error code, or else the status of HTTP of a failure. 0 without a valid answer."""
        text = self.fields.get("errorCode", "")
        # The router may send digits of any number and script, over which `int` takes long or fails.
        is_code = text.isascii() and text.isdigit() and len(text) < 6
        code = int(text) if is_code else 0
        if 0 < code <= HIGHEST_CODE:
            return code
        return self.status if self.status >= 400 else 0

    def is_granted(self, name: str) -> bool:
        """Return whether the answer is that of the action, and no error."""
        return f"{name}Response" in self.fields


def _refusal(code: int) -> RouterError:
    """Return the error for a router that refuses with an error code. 0 stands for no answer."""
    if not code:
        return RouterError(RouterCode.SILENT)
    why = REFUSALS.get(code)
    reason = because(RouterCode.CANNOT, number=code) if why is None else because(why)
    return RouterError(RouterCode.REFUSES, why=reason)


class UpnpRouter:
    """A router that is asked by UPnP to forward one TCP port to this computer.

    Each mapping is requested for a limited time, and without an end only from a router that refuses
    this ([L-54], [L-68]).
    """

    def __init__(self, network: LocalNetwork, port: int) -> None:
        """Make a router. `port` is the TCP port of this computer to which it is to forward."""
        self._network, self._port = network, port
        self._service: Service | None = None
        self._outside = port
        self._lease = int(LIFETIME)
        self._may_be_open = False

    async def open(self) -> OpenedPort:
        """Ask the router to forward the port for LIFETIME seconds from now, or without an end.

        Raises:
            RouterError: If the router does not forward the port, or does not answer in time.
        """
        with trio.move_on_after(UPNP_TIMEOUT):
            return await self._open()
        raise RouterError(RouterCode.SILENT)

    async def close(self) -> None:
        """Ask the router to stop forwarding, if it may have begun that."""
        if self._service is not None and self._may_be_open:
            with trio.move_on_after(UPNP_TIMEOUT):
                await self._ask(self._service, "DeletePortMapping", self._mapping)

    async def _open(self) -> OpenedPort:
        """Find the router's service and have it forward an external port, one of TRIES."""
        service, external = await self._find()
        # Before the mapping is requested, because `close` needs it after a cancellation.
        self._service = service
        for _ in range(TRIES):
            if await self._map(service):
                where = str(Address(str(external), self._outside))
                return OpenedPort(where, LIFETIME, self._lease == WITHOUT_END)
            span = HIGHEST_PORT - LOWEST
            self._outside = LOWEST + (self._outside - LOWEST + STRIDE) % span
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.TAKEN))

    # Search

    async def _find(self) -> tuple[Service, IPv4Address]:
        """Find the service that can forward ports, and the external address of the router.

        It is the service that was found earlier, or else the first that names an external address.
        """
        services = [self._service] if self._service is not None else await self._services()
        failure = RouterError(RouterCode.ABSENT)
        for service in services:
            told = await self._ask(service, "GetExternalIPAddress", {})
            try:
                external = IPv4Address(told.fields.get("NewExternalIPAddress", ""))
            except ValueError:
                external, why = UNSET, RouterCode.NO_ADDRESS
            else:
                why = RouterCode.OFFLINE
            if not external.is_unspecified:
                return service, external
            failure = _refusal(told.code)
            if told.is_granted("GetExternalIPAddress"):
                failure = RouterError(RouterCode.REFUSES, why=because(why))
        raise failure

    async def _services(self) -> list[Service]:
        """Return the services that can forward ports, from all descriptions of the router."""
        found: list[Service] = []
        for place in await self._search():
            status, body = await ask(self._network, place, "GET")
            if status == 200:
                location = f"http://{place.authority}{place.target}"
                found += read_services(body, location, self._network.router)
        return found[:MOST_SERVICES]

    async def _search(self) -> list[Endpoint]:
        """Return where descriptions can be read, in order. Empty if the network fails."""
        places: dict[Endpoint, None] = {}
        try:
            async with self._network.searching() as wire:
                for _ in range(TIMES):
                    for device in DEVICES:
                        await wire.send(search_for(device))
                with trio.move_on_after(SEARCH):
                    while len(places) < MOST_PLACES:
                        place = read_found(await wire.receive(), self._network.router)
                        if place is not None:
                            places[place] = None
        except OSError:
            return []
        return list(places)

    # Mapping

    @property
    def _mapping(self) -> Fields:
        """The fields of a SOAP request that identify the port mapping."""
        return {"NewRemoteHost": "", "NewExternalPort": str(self._outside), "NewProtocol": PROTOCOL}

    async def _map(self, service: Service) -> bool:
        """Ask the service to forward the current external port, and return whether it does.

        Return False if the port is in use there. Raise RouterError if it is refused otherwise.
        """
        inside = {"NewInternalPort": str(self._port), "NewInternalClient": str(self._network.own)}
        taken = (await self._ask(service, "GetSpecificPortMappingEntry", self._mapping)).fields
        # Some routers let a new mapping replace that of another machine without an error.
        if any(taken.get(name, value) != value for name, value in inside.items()):
            return False
        before = self._may_be_open
        code = await self._add(service, inside)
        if code and not before and inside.keys() <= taken.keys():
            # The port was left open by a program of this computer that was killed. Some routers
            # replace such a mapping, and others want it removed first.
            await self._ask(service, "DeletePortMapping", self._mapping)
            code = await self._add(service, inside)
        if not code:
            return True
        if code in CONFLICTS:
            return False
        if code == SAME_PORTS_ONLY and self._outside != self._port:
            why = because(RouterCode.SAME_PORT, port=self._port)
            raise RouterError(RouterCode.REFUSES, why=why)
        raise _refusal(code)

    async def _add(self, service: Service, inside: Fields) -> int:
        """Ask the service to forward the current external port, and return 0 or the error code.

        If the router may not like the lifetime, it is asked once more, without an end. Raise
        RouterError if the answer is lost: the port may be open then.
        """
        code = 0
        # A mapping that has an end is not renewed by one that has none.
        other = () if self._may_be_open else (WITHOUT_END,)
        for lease in dict.fromkeys((self._lease, *other)):
            more = {"NewEnabled": "1", "NewPortMappingDescription": NAME}
            wanted = {**self._mapping, **inside, **more, "NewLeaseDuration": str(lease)}
            # Noted before the request: if the task is cancelled during it, `close` has to remove
            # the port.
            before, self._may_be_open = self._may_be_open, True
            told = await self._ask(service, "AddPortMapping", wanted)
            if told.is_granted("AddPortMapping"):
                self._lease = lease
                return 0
            code = told.code
            if not code:
                raise _refusal(code)
            # A refusal opens nothing, but a port that was open before still is.
            self._may_be_open = before
            if code == WITHOUT_END_ONLY:
                self._lease = WITHOUT_END
            if code not in NOT_UNDERSTOOD:
                break
        return code

    # Requests

    async def _ask(self, service: Service, name: str, fields: Fields) -> Told:
        """Request an action of a service, and return the answer."""
        headers = (
            ("Content-Type", 'text/xml; charset="utf-8"'),
            ("SOAPAction", f'"{service.kind}#{name}"'),
        )
        body = action(service, name, fields)
        status, found = await ask(self._network, service.place, "POST", headers, body)
        return Told(status, read_fields(found))
