"""Requests to a router to open one TCP port, by PCP (RFC 6887) or NAT-PMP (RFC 6886)."""

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

from protocol.bounds import Seconds

from ..coded_errors import Code, CodedError, because
from ..net.addresses import Address


@dataclass
class Epoch:
    """The clocks of a router and of this machine at the last answer, in seconds.

    Attributes:
        theirs: The router's clock, None before the first answer.
        ours: This machine's clock at that time.
    """

    theirs: int | None = None
    ours: float = 0.0

    def is_new(self, theirs: int, ours: float) -> bool:
        """Note the clock of an answer, and return whether the router was restarted.

        A restarted router has forgotten all mappings (RFC 6887, section 8.5).

        Args:
            theirs: The router's clock in the answer, in seconds.
            ours: This machine's clock, in seconds.

        Returns:
            True if the router's clock is not where it should be after the last answer.
        """
        before, then = self.theirs, self.ours
        self.theirs, self.ours = theirs, ours
        if before is None:
            return False
        if theirs + 1 < before:
            return True
        server, client = theirs - before, int(ours) - int(then)
        return client + 2 < server - server // 16 or server + 2 < client - client // 16


PORT: Final = 5351
"""The port on which routers listen for PCP (RFC 6887, section 19.1) and NAT-PMP."""
LONGEST_DATAGRAM: Final = 2048
"""Bytes of a datagram that are read at most."""


class Datagrams:
    """Datagrams to and from one router, over a UDP socket that receives from no one else ([L-52]).

    Sending and receiving raise OSError when it is known that nobody listens there.
    """

    def __init__(self, socket: trio.socket.SocketType) -> None:
        self._socket = socket

    @property
    def own(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The address from which the system sends."""
        return ipaddress.ip_address(self._socket.getsockname()[0])

    async def send(self, data: bytes) -> None:
        """Send a datagram.

        Args:
            data: Its bytes.
        """
        await self._socket.send(data)

    async def receive(self) -> bytes:
        """Wait for the next datagram, and cut it to a size that no valid answer exceeds.

        Returns:
            Its bytes.
        """
        return await self._socket.recv(LONGEST_DATAGRAM)


@asynccontextmanager
async def datagrams(router: str, port: int = PORT) -> AsyncIterator[Datagrams]:
    """Open a socket for datagrams to a router. An OSError is raised if there is no route to it.

    Args:
        router: The IPv4 address of the router.
        port: The port of the router.

    Yields: The socket.
    """
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as socket:
        await socket.connect((router, port))
        yield Datagrams(socket)


def pcp_pauses(times: int) -> Iterator[float]:
    """Yield how long to wait for an answer after each request of PCP.

    The first time is 3 s, and each further one about twice as long as before, with at most 1024 s.
    Each varies by a tenth (RFC 6887, section 8.1.1).

    Args:
        times: How many requests there are.

    Yields:
        Seconds.
    """
    pause = 3.0 * random.uniform(0.9, 1.1)
    for _ in range(times):
        yield pause
        pause = min(2 * pause, 1024.0) * random.uniform(0.9, 1.1)


def natpmp_pauses(times: int) -> Iterator[float]:
    """Return how long to wait for an answer after each request of NAT-PMP.

    The first time is 250 ms, and each further one twice as long as before (RFC 6886, section 3.1).

    Args:
        times: How many requests there are.

    Returns:
        Seconds for each request.
    """
    return (0.25 * 2**time for time in range(times))


LIFETIME: Final[Seconds] = 7200.0
"""Seconds for which a mapping is requested (RFC 6886, section 3.3)."""
LONGEST_LIFETIME: Final[Seconds] = 86_400.0
"""Seconds after which a mapping is renewed whatever a router promises."""
PCP_TIMES, NATPMP_TIMES = 2, 5
"""Times a question is sent before a router counts as silent."""


class RouterCode(Code):
    """Reasons why a router opens no port."""

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
    FULL = "router-full", "it has no room for one more"
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
"""Meanings of result codes (RFC 6887, section 7.4).

The others mean that the router cannot do it, or has not understood the request.
"""
NATPMP_RESULTS: Final[Mapping[int, RouterCode]] = {
    2: RouterCode.NOT_ALLOWED,
    3: RouterCode.OFFLINE,
    4: RouterCode.FULL,
}
"""Meanings of result codes (RFC 6886, section 3.5)."""


class RouterError(CodedError):
    """A router opens no port."""


@dataclass(frozen=True)
class OpenedPort:
    """A port of a router that leads to this machine.

    Attributes:
        external: The address outside, 'host:port'.
        lifetime: For how many seconds it is open.
    """

    external: str
    lifetime: float


class Router(Protocol):
    """A router that can be asked to forward one TCP port to a port of this machine."""

    async def open(self) -> OpenedPort:
        """Request the mapping, or more time for it. A RouterError is raised if there is none.

        Returns:
            The open port.
        """
        ...

    async def close(self) -> None:
        """Remove the mapping, as far as that is possible."""
        ...


IP = ipaddress.IPv4Address | ipaddress.IPv6Address
ANY: Final = ipaddress.IPv6Address("::ffff:0.0.0.0")
"""No address. With PCP an IPv4 client sends it if it suggests none (RFC 6887, section 11.1)."""


@dataclass(frozen=True)
class Granted:
    """The mapping that a router grants. NAT-PMP tells the address and the port in two answers.

    Attributes:
        epoch: The router's clock, in seconds.
        external: The address outside.
        port: The port outside that leads to this machine.
        lifetime: For how many seconds it does.
    """

    epoch: int
    external: IP = ANY
    port: int = 0
    lifetime: int = 0


Answer = Granted | RouterError
"""The answer of a router: what it grants, or why it grants nothing."""


def _denial(results: Mapping[int, RouterCode], number: int) -> RouterError:
    """Return the error for a result code of a router."""
    code = results.get(number, RouterCode.CANNOT)
    why = because(code, number=number) if code is RouterCode.CANNOT else because(code)
    return RouterError(RouterCode.REFUSES, why=why)


# PCP

PCP_VERSION: Final = 2
"""The version of PCP in every message."""
PCP_MAP: Final = 1
PCP_MAP_ANSWER: Final = 0x80 | PCP_MAP
PCP_TCP: Final = 6
PCP_NONCE: Final = 12
PCP_HEADER: Final = 24
LONGEST_PCP: Final = 1100
"""Bytes of the longest message (RFC 6887, section 7)."""
UNSUPPORTED_VERSION: Final = 1
_PCP_QUESTION: Final = Struct("!BBxxI16s12sB3xHH16s")
_PCP_ANSWER: Final = Struct("!BBxBII12x12sB3xHH16s")
"""A header (RFC 6887, sections 7.1 and 7.2) and a mapping (section 11.1)."""


@dataclass(frozen=True)
class PcpMapping:
    """A mapping to request with PCP.

    Attributes:
        nonce: Random bytes that identify the mapping, 12 bytes.
        client: The address of this machine on the way to the router.
        port: The port of this machine.
        lifetime: For how many seconds. 0 removes the mapping.
        suggested: The port outside to suggest, 0 for none.
        outside: The address outside to suggest.
    """

    nonce: bytes = field(repr=False)
    client: IP
    port: int
    lifetime: int
    suggested: int = 0
    outside: IP = ANY


def _packed(ip: IP) -> bytes:
    """Return the 16 bytes of an address, with an IPv4 address mapped into IPv6."""
    return ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed


def encode_pcp_map(wish: PcpMapping) -> bytes:
    """Return the bytes of a request.

    Args:
        wish: The mapping to request.

    Returns:
        60 bytes.
    """
    header = PCP_VERSION, PCP_MAP, wish.lifetime, _packed(wish.client)
    outside = wish.suggested, _packed(wish.outside)
    return _PCP_QUESTION.pack(*header, wish.nonce, PCP_TCP, wish.port, *outside)


def read_pcp_answer(data: bytes, wish: PcpMapping) -> Answer | None:
    """Read the answer of a router to a request ([L-52]).

    Args:
        data: The bytes of a datagram.
        wish: The mapping that was requested.

    Returns:
        The answer. None for any other datagram, which is dropped.
    """
    # The router knows only the older protocol.
    if len(data) == DENIAL and data[0] == NATPMP_VERSION:
        is_denied = data[1:4] == bytes([NATPMP_ANSWER, 0, UNSUPPORTED_VERSION])
        return RouterError(RouterCode.ABSENT) if is_denied else None
    is_whole = PCP_HEADER <= len(data) <= LONGEST_PCP and len(data) % 4 == 0
    if not is_whole or data[1] != PCP_MAP_ANSWER:
        return None
    if data[3] == UNSUPPORTED_VERSION:
        return _denial(PCP_RESULTS, UNSUPPORTED_VERSION)
    if data[0] != PCP_VERSION or len(data) < _PCP_ANSWER.size:
        return None
    code, lifetime, epoch, *which, outside, packed = _PCP_ANSWER.unpack_from(data)[2:]
    if which != [wish.nonce, PCP_TCP, wish.port]:
        return None
    if code:
        return _denial(PCP_RESULTS, code)
    ip = ipaddress.IPv6Address(packed)
    external = ip.ipv4_mapped or ip
    if wish.lifetime and (not lifetime or not outside or external.is_unspecified):
        return None  # A mapping without an address is no mapping.
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
    """Return the bytes of a request for a TCP port.

    Args:
        port: The port of this machine.
        lifetime: For how many seconds. 0, with 0 as the suggestion, removes the mapping.
        suggested: The port outside to suggest, 0 for none.

    Returns:
        12 bytes.
    """
    return _MAP_QUESTION.pack(NATPMP_VERSION, NATPMP_TCP, port, suggested, lifetime)


def _natpmp_fields(data: bytes, opcode: int, form: Struct) -> tuple[Any, ...] | RouterError | None:
    """Return the fields of an answer to a request, or its denial. None if it is no such answer."""
    is_whole = len(data) == form.size
    head = bytes([NATPMP_VERSION, NATPMP_ANSWER | opcode])
    if not (is_whole or len(data) == DENIAL) or data[:2] != head:
        return None
    code = int.from_bytes(data[2:4], "big")
    if code:
        return _denial(NATPMP_RESULTS, code)
    return form.unpack(data) if is_whole else None


def read_natpmp_address(data: bytes) -> Answer | None:
    """Read the answer of a router to NATPMP_ADDRESS_REQUEST ([L-52]).

    Args:
        data: The bytes of a datagram.

    Returns:
        The answer. None for any other datagram, which is dropped.
    """
    found = _natpmp_fields(data, ADDRESS, _ADDRESS_ANSWER)
    if not isinstance(found, tuple):
        return found
    answer = Granted(found[0], ipaddress.IPv4Address(found[1]))
    return None if answer.external.is_unspecified else answer


def read_natpmp_map(data: bytes, port: int, lifetime: int) -> Answer | None:
    """Read the answer of a router to a request of `encode_natpmp_map` ([L-52]).

    Args:
        data: The bytes of a datagram.
        port: The port of this machine that was requested.
        lifetime: The lifetime that was requested, in seconds.

    Returns:
        The answer. None for any other datagram, which is dropped.
    """
    found = _natpmp_fields(data, NATPMP_TCP, _MAP_ANSWER)
    if not isinstance(found, tuple):
        return found
    epoch, inside, outside, given = found
    if inside != port or (lifetime and not (outside and given)):
        return None
    return Granted(epoch, port=outside, lifetime=given)


# Requests


def _opened(external: IP, granted: Granted) -> OpenedPort:
    """Return the port that a router has opened."""
    where = Address(str(external), granted.port)
    return OpenedPort(str(where), min(granted.lifetime, LONGEST_LIFETIME))


async def ask_router(
    wire: Datagrams,
    request: bytes,
    read: Callable[[bytes], Answer | None],
    pauses: Iterator[float],
) -> Granted:
    """Send a request to a router, again after each pause, and return what the router grants.

    Args:
        wire: Datagrams to this router.
        request: The bytes of the request.
        read: Reads an answer from a datagram, and returns None for one that is dropped.
        pauses: For how many seconds an answer is awaited each time.

    Returns:
        What the router grants.

    Raises:
        RouterError: If the router grants nothing, nobody listens there, or no answer came during
            all pauses.
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
        self._nonce = secrets.token_bytes(PCP_NONCE)
        self._last: Granted | None = None

    async def open(self) -> OpenedPort:
        """Request the mapping, if possible with the same port outside as before.

        Returns:
            The open port. A RouterError is raised if there is none.
        """
        self._last = await self._ask(int(LIFETIME), self._last, PCP_TIMES)
        return _opened(self._last.external, self._last)

    async def close(self) -> None:
        """Remove the mapping (RFC 6887, section 15.1)."""
        await self._ask(0, None, 1)

    async def _ask(self, lifetime: int, last: Granted | None, times: int) -> Granted:
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
        """Request the mapping, and request it again if the router was restarted in between.

        Returns:
            The open port. A RouterError is raised if there is none.
        """
        for _ in range(2):
            address = await self._ask(NATPMP_ADDRESS_REQUEST, read_natpmp_address)
            self._epoch.is_new(address.epoch, trio.current_time())
            mapped = await self._map(int(LIFETIME), self._outside)
            if not self._epoch.is_new(mapped.epoch, trio.current_time()):
                break
        self._outside = mapped.port
        return _opened(address.external, mapped)

    async def close(self) -> None:
        """Remove the mapping (RFC 6886, section 3.4)."""
        await self._map(0, 0)

    async def _map(self, lifetime: int, outside: int) -> Granted:
        request = encode_natpmp_map(self._port, lifetime, outside)
        return await self._ask(request, lambda d: read_natpmp_map(d, self._port, lifetime))

    async def _ask(self, request: bytes, read: Callable[[bytes], Answer | None]) -> Granted:
        return await ask_router(self._wire, request, read, natpmp_pauses(NATPMP_TIMES))
