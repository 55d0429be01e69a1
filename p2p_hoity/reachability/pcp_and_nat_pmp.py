"""Ask a router to forward a TCP port to this computer, by PCP (RFC 6887) or NAT-PMP (RFC 6886).

A mapping is a forwarded port. Its external port and address are the router's. Lifetimes are
seconds, and 0 removes a mapping. A parser of a datagram returns None if it is no answer to the
request, and the caller drops it ([L-52]).
"""

from __future__ import annotations

import ipaddress
import random
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from struct import Struct
from typing import Any, Final, Protocol

import trio

from protocol.units import Seconds

from ..coded_errors import Code, CodedError, because
from ..net.addresses import Address


@dataclass
class Epoch:
    """The seconds of a router's clock at its last answer, None before it, and of ours then."""

    theirs: int | None = None
    ours: float = 0.0

    def is_new(self, theirs: int, ours: float) -> bool:
        """Store the clocks of a new answer, and return whether the router was restarted before it.

        A restarted router has forgotten all port mappings (RFC 6887, section 8.5).
        """
        before, then = self.theirs, self.ours
        self.theirs, self.ours = theirs, ours
        if before is None:
            return False
        # A second back, and a sixteenth of difference, are no restart: two clocks never run alike.
        if theirs + 1 < before:
            return True
        server, client = theirs - before, int(ours) - int(then)
        return client + 2 < server - server // 16 or server + 2 < client - client // 16


PORT: Final = 5351
"""The port on which routers listen for PCP (RFC 6887, section 19.1) and NAT-PMP."""
LONGEST_DATAGRAM: Final = 2048
"""The most bytes of a datagram that are read. No valid answer has more."""


class Datagrams:
    """A UDP socket for datagrams to and from one router. Datagrams of others are dropped ([L-52]).

    Sending and receiving raise OSError if the system reports that nobody listens at the router.
    """

    def __init__(self, socket: trio.socket.SocketType) -> None:
        self._socket = socket

    @property
    def own(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The address of this computer from which datagrams to the router are sent."""
        return ipaddress.ip_address(self._socket.getsockname()[0])

    async def send(self, data: bytes) -> None:
        """Send a datagram."""
        await self._socket.send(data)

    async def receive(self) -> bytes:
        """Wait for the next datagram, and return at most LONGEST_DATAGRAM bytes of it."""
        return await self._socket.recv(LONGEST_DATAGRAM)


@asynccontextmanager
async def datagrams(router: str, port: int = PORT) -> AsyncIterator[Datagrams]:
    """Open a UDP socket to a router. An OSError is raised if there is no route to the router."""
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as socket:
        # A connected socket drops datagrams of every other address and port.
        await socket.connect((router, port))
        yield Datagrams(socket)


def pcp_pauses(times: int) -> Iterator[float]:
    """Yield how many seconds to wait for an answer after each request of PCP.

    The first pause is 3 s. Each further pause is twice as long, but at most 1024 s. All vary at
    random by a tenth (RFC 6887, section 8.1.1).
    """
    pause = 3.0 * random.uniform(0.9, 1.1)
    for _ in range(times):
        yield pause
        pause = min(2 * pause, 1024.0) * random.uniform(0.9, 1.1)


def natpmp_pauses(times: int) -> Iterator[float]:
    """Return how many seconds to wait for an answer after each request of NAT-PMP.

    The first pause is 250 ms, and each further pause is twice as long (RFC 6886, section 3.1).
    """
    return (0.25 * 2**time for time in range(times))


LIFETIME: Final[Seconds] = 7200.0
"""Seconds for which a port mapping is requested (RFC 6886, section 3.3)."""
LONGEST_LIFETIME: Final[Seconds] = 86_400.0
"""The most seconds for which a port mapping counts, even if the router promises more."""
PCP_TIMES, NATPMP_TIMES = 2, 5
"""How often a request is sent before a router counts as silent, by PCP and by NAT-PMP."""


class RouterCode(Code):
    """The reasons why no router forwards a port to this computer, or what to know if one does."""

    UNKNOWN = "router-unknown", "No router was found on this network that could open a port."
    ELSEWHERE = (
        "router-leads-elsewhere",
        "The router could let guests in at {host} only, and this table does not listen there.",
    )
    SILENT = "router-silent", "The router does not answer the request to open a port."
    ABSENT = "router-does-not-open", "The router does not open ports when asked."
    REFUSES = "router-refuses", "The router refuses to open a port: {why}."
    NOT_ALLOWED = "router-not-allowed", "its settings do not allow it"
    OFFLINE = "router-offline", "it has no connection to the internet"
    NO_ADDRESS = "router-without-address", "it names no IPv4 address of its own on the internet"
    FULL = "router-full", "it has no room for one more"
    TAKEN = "router-ports-taken", "the ports that were asked for are in use there already"
    SAME_PORT = (
        "router-same-port-only",
        "it forwards a port to the same port only, and port {port} is in use there already; open "
        "the table with another one (--listen :PORT)",
    )
    STAYS_OPEN = (
        "router-port-stays-open",
        "Your router opens ports without an end only. The port is closed when you leave. If this "
        "program is killed, the port stays open until the router restarts, or until you open a "
        "table at this port again and leave it.",
    )
    BETWEEN = "router-another-between", "there is another router in between"
    CANNOT = "router-cannot", "it cannot do that (code {number})"


PCP_RESULTS: Final[Mapping[int, RouterCode]] = {
    2: RouterCode.NOT_ALLOWED,
    7: RouterCode.OFFLINE,
    8: RouterCode.FULL,
    10: RouterCode.FULL,
    11: RouterCode.FULL,
    12: RouterCode.BETWEEN,
}
"""The reasons that result codes of PCP stand for (RFC 6887, section 7.4).

All other codes mean that the router cannot do it, or has not understood the request.
"""
NATPMP_RESULTS: Final[Mapping[int, RouterCode]] = {
    2: RouterCode.NOT_ALLOWED,
    3: RouterCode.OFFLINE,
    4: RouterCode.FULL,
}
"""The reasons that result codes of NAT-PMP stand for (RFC 6886, section 3.5)."""


class RouterError(CodedError):
    """An error that says why a router does not forward a port."""


@dataclass(frozen=True)
class OpenedPort:
    """A port of a router that is forwarded to this computer.

    Attributes:
        external: The external address of the port, 'host:port'.
        lifetime: If the port has no end, after how many seconds the router is asked again at the
            latest.
        is_endless: Whether the port is forwarded until the router is asked to stop.
    """

    external: str
    lifetime: float
    is_endless: bool = False


class Router(Protocol):
    """A router that can be asked, by one protocol, to forward one TCP port to this computer."""

    async def open(self) -> OpenedPort:
        """Ask the router to forward the port, or to go on. Raise RouterError if it does not."""
        ...

    async def close(self) -> None:
        """Ask the router to stop forwarding the port, if the protocol allows that."""
        ...


IP = ipaddress.IPv4Address | ipaddress.IPv6Address
ANY: Final = ipaddress.IPv6Address("::ffff:0.0.0.0")
"""An IPv4 client sends it by PCP to suggest no external address (RFC 6887, section 11.1)."""


@dataclass(frozen=True)
class Granted:
    """The port mapping that a router grants. `epoch` is the time of the router's clock, in seconds.

    NAT-PMP tells the address and the port in two answers, each of which leaves one field at its
    default.
    """

    epoch: int
    external: IP = ANY
    port: int = 0
    lifetime: int = 0


Answer = Granted | RouterError
"""The mapping that a router grants, or an error that says why it does not."""


def _denial(results: Mapping[int, RouterCode], number: int) -> RouterError:
    """Return the error for the result code of a router that refuses."""
    code = results.get(number, RouterCode.CANNOT)
    why = because(code, number=number) if code is RouterCode.CANNOT else because(code)
    return RouterError(RouterCode.REFUSES, why=why)


# PCP

PCP_VERSION: Final = 2
PCP_MAP: Final = 1
PCP_MAP_ANSWER: Final = 0x80 | PCP_MAP
PCP_TCP: Final = 6
PCP_NONCE: Final = 12
PCP_HEADER: Final = 24
LONGEST_PCP: Final = 1100
"""The most bytes of a PCP message (RFC 6887, section 7)."""
UNSUPPORTED_VERSION: Final = 1
_PCP_QUESTION: Final = Struct("!BBxxI16s12sB3xHH16s")
_PCP_ANSWER: Final = Struct("!BBxBII12x12sB3xHH16s")
"""The layout of a PCP answer: a header (RFC 6887, section 7.2) and a mapping (section 11.1)."""


@dataclass(frozen=True)
class PcpMapping:
    """A port mapping to request by PCP.

    Attributes:
        nonce: 12 random bytes that identify the mapping.
        client: The address of this computer on the way to the router.
        suggested: The external port to suggest, 0 for none.
        outside: The external address to suggest, ANY for none.
    """

    nonce: bytes = field(repr=False)
    client: IP
    port: int
    lifetime: int
    suggested: int = 0
    outside: IP = ANY


def _packed(ip: IP) -> bytes:
    """Encode an address in 16 bytes. An IPv4 address becomes an IPv4-mapped IPv6 address."""
    return ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed


def encode_pcp_map(wish: PcpMapping) -> bytes:
    """Encode a PCP request for a port mapping, 60 bytes."""
    header = PCP_VERSION, PCP_MAP, wish.lifetime, _packed(wish.client)
    outside = wish.suggested, _packed(wish.outside)
    return _PCP_QUESTION.pack(*header, wish.nonce, PCP_TCP, wish.port, *outside)


def read_pcp_answer(data: bytes, wish: PcpMapping) -> Answer | None:
    """Parse a datagram as the router's answer to a PCP request ([L-52])."""
    # The router knows only the older protocol.
    if len(data) == DENIAL and data[0] == NATPMP_VERSION:
        is_denied = data[1:4] == bytes([NATPMP_ANSWER, 0, UNSUPPORTED_VERSION])
        return RouterError(RouterCode.ABSENT) if is_denied else None
    is_whole = PCP_HEADER <= len(data) <= LONGEST_PCP and len(data) % 4 == 0
    if not is_whole or data[1] != PCP_MAP_ANSWER:
        return None
    # Before the nonce, which an answer of another version may not have in this place.
    if data[3] == UNSUPPORTED_VERSION:
        return _denial(PCP_RESULTS, UNSUPPORTED_VERSION)
    if data[0] != PCP_VERSION or len(data) < _PCP_ANSWER.size:
        return None
    code, lifetime, epoch, *which, outside, packed = _PCP_ANSWER.unpack_from(data)[2:]
    # Who cannot see the request does not know the nonce, and cannot answer in the router's name.
    if which != [wish.nonce, PCP_TCP, wish.port]:
        return None
    if code:
        return _denial(PCP_RESULTS, code)
    ip = ipaddress.IPv6Address(packed)
    external = ip.ipv4_mapped or ip
    if wish.lifetime and (not lifetime or not outside or external.is_unspecified):
        return None  # Only the answer to a removal may be without an address.
    return Granted(epoch, external, outside, lifetime)


# NAT-PMP

NATPMP_VERSION: Final = 0
NATPMP_ANSWER: Final = 128
ADDRESS: Final = 0
NATPMP_TCP: Final = 2
DENIAL: Final = 8
"""Bytes of the answer of a NAT-PMP router to a request that it does not know."""
_MAP_QUESTION: Final = Struct("!BBxxHHI")
_ADDRESS_ANSWER: Final = Struct("!4xI4s")
_MAP_ANSWER: Final = Struct("!4xIHHI")
NATPMP_ADDRESS_REQUEST: Final = bytes([NATPMP_VERSION, ADDRESS])


def encode_natpmp_map(port: int, lifetime: int, suggested: int) -> bytes:
    """Encode a NAT-PMP request, 12 bytes. Lifetime and `suggested` 0 remove the mapping."""
    return _MAP_QUESTION.pack(NATPMP_VERSION, NATPMP_TCP, port, suggested, lifetime)


def _natpmp_fields(data: bytes, opcode: int, form: Struct) -> tuple[Any, ...] | RouterError | None:
    """Parse the fields of a NAT-PMP answer with a given operation code and layout."""
    is_whole = len(data) == form.size
    head = bytes([NATPMP_VERSION, NATPMP_ANSWER | opcode])
    if not (is_whole or len(data) == DENIAL) or data[:2] != head:
        return None
    code = int.from_bytes(data[2:4], "big")
    if code:
        return _denial(NATPMP_RESULTS, code)
    return form.unpack(data) if is_whole else None


def read_natpmp_address(data: bytes) -> Answer | None:
    """Parse a datagram as the router's answer to NATPMP_ADDRESS_REQUEST ([L-52]).

    A router that has no external address does not refuse, but names 0.0.0.0. That counts as a
    refusal.
    """
    found = _natpmp_fields(data, ADDRESS, _ADDRESS_ANSWER)
    if not isinstance(found, tuple):
        return found
    answer = Granted(found[0], ipaddress.IPv4Address(found[1]))
    if answer.external.is_unspecified:
        return RouterError(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))
    return answer


def read_natpmp_map(data: bytes, port: int, lifetime: int) -> Answer | None:
    """Parse the router's answer to `encode_natpmp_map` of this port and lifetime ([L-52])."""
    found = _natpmp_fields(data, NATPMP_TCP, _MAP_ANSWER)
    if not isinstance(found, tuple):
        return found
    epoch, inside, outside, given = found
    # Zeros answer only a removal. Another port is that of another request of this computer.
    if inside != port or (lifetime and not (outside and given)):
        return None
    return Granted(epoch, port=outside, lifetime=given)


# Requests


def _opened(external: IP, granted: Granted) -> OpenedPort:
    where = Address(str(external), granted.port)
    return OpenedPort(str(where), min(granted.lifetime, LONGEST_LIFETIME))


async def ask_router(
    wire: Datagrams, request: bytes, read: Callable[[bytes], Answer | None], pauses: Iterator[float]
) -> Granted:
    """Send a request to a router, and again after each pause in seconds. Return what is granted.

    Raises:
        RouterError: If the router refuses, does not listen, or has not answered after all pauses.
    """
    try:
        for pause in pauses:
            await wire.send(request)
            with trio.move_on_after(pause):
                while True:
                    answer = read(await wire.receive())
                    if isinstance(answer, RouterError):
                        raise answer
                    if answer is not None:
                        return answer
    except OSError as error:  # The router's system reports that no program listens there.
        raise RouterError(RouterCode.ABSENT) from error
    raise RouterError(RouterCode.SILENT)


class PcpRouter:
    """A router that is asked by PCP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        # Drawn once: by a renewal with another nonce the router sees a stranger, and refuses.
        self._nonce = secrets.token_bytes(PCP_NONCE)
        self._last: Granted | None = None

    async def open(self) -> OpenedPort:
        """Request the port mapping, if possible with the same external port as before."""
        self._last = await self._ask(int(LIFETIME), self._last, PCP_TIMES)
        return _opened(self._last.external, self._last)

    async def close(self) -> None:
        """Ask the router to remove the port mapping (RFC 6887, section 15.1)."""
        await self._ask(0, None, 1)

    async def _ask(self, lifetime: int, last: Granted | None, times: int) -> Granted:
        """Request a mapping, with the address and port of the last one if there is one."""
        wish = PcpMapping(self._nonce, self._wire.own, self._port, lifetime)
        if last is not None:
            wish = replace(wish, suggested=last.port, outside=last.external)
        request, pauses = encode_pcp_map(wish), pcp_pauses(times)
        return await ask_router(self._wire, request, lambda d: read_pcp_answer(d, wish), pauses)


class NatPmpRouter:
    """A router that is asked by NAT-PMP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        self._outside = port
        self._epoch = Epoch()

    async def open(self) -> OpenedPort:
        """Request the external address and the port mapping, in two requests.

        If the router was restarted between the two answers, both are requested again.
        """
        for _ in range(2):
            address = await self._ask(NATPMP_ADDRESS_REQUEST, read_natpmp_address)
            # A restart before this answer does no harm, since the mapping is requested after it.
            self._epoch.is_new(address.epoch, trio.current_time())
            mapped = await self._map(int(LIFETIME), self._outside)
            # After a restart between the two answers the address may be another one.
            if not self._epoch.is_new(mapped.epoch, trio.current_time()):
                break
        self._outside = mapped.port
        return _opened(address.external, mapped)

    async def close(self) -> None:
        """Ask the router to remove the port mapping (RFC 6886, section 3.4)."""
        await self._map(0, 0)

    async def _map(self, lifetime: int, outside: int) -> Granted:
        request = encode_natpmp_map(self._port, lifetime, outside)
        return await self._ask(request, lambda d: read_natpmp_map(d, self._port, lifetime))

    async def _ask(self, request: bytes, read: Callable[[bytes], Answer | None]) -> Granted:
        return await ask_router(self._wire, request, read, natpmp_pauses(NATPMP_TIMES))
