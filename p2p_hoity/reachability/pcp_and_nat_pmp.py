"""Ask a router to open one TCP port, by PCP (RFC 6887) or by NAT-PMP (RFC 6886)."""

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
    """The last answer's clock, and ours at that time; both in seconds."""

    theirs: int | None = None
    ours: float = 0.0

    def is_new(self, theirs: int, ours: float) -> bool:
        """Take in an answer's clock; whether the router has forgotten all it had given before."""
        before, then = self.theirs, self.ours
        self.theirs, self.ours = theirs, ours
        if before is None:
            return False
        if theirs + 1 < before:
            return True
        server, client = theirs - before, int(ours) - int(then)
        return client + 2 < server - server // 16 or server + 2 < client - client // 16


PORT: Final = 5351
"""Where routers listen for PCP (RFC 6887, section 19.1) and NAT-PMP."""
LONGEST_DATAGRAM: Final = 2048


class Datagrams:
    """Datagrams to one router, by a UDP socket that the system lets hear it alone ([L-52]).

    Sending and receiving fail with OSError when it is known that nobody listens there.
    """

    def __init__(self, socket: trio.socket.SocketType) -> None:
        self._socket = socket

    @property
    def own(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The address that the system sends from."""
        return ipaddress.ip_address(self._socket.getsockname()[0])

    async def send(self, data: bytes) -> None:
        """Send one."""
        await self._socket.send(data)

    async def receive(self) -> bytes:
        """The next one, cut to what no sound answer reaches."""
        return await self._socket.recv(LONGEST_DATAGRAM)


@asynccontextmanager
async def datagrams(router: str, port: int = PORT) -> AsyncIterator[Datagrams]:
    """Datagrams to a router by its IPv4 address; OSError when there is no way to it."""
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as socket:
        await socket.connect((router, port))
        yield Datagrams(socket)


def pcp_pauses(times: int) -> Iterator[float]:
    """How long an answer is awaited each time: 3 s, then about twice as long as before, at most
    1024 s, each a tenth more or less (RFC 6887, section 8.1.1)."""
    pause = 3.0 * random.uniform(0.9, 1.1)
    for _ in range(times):
        yield pause
        pause = min(2 * pause, 1024.0) * random.uniform(0.9, 1.1)


def natpmp_pauses(times: int) -> Iterator[float]:
    """250 ms, then twice as long as before (RFC 6886, section 3.1)."""
    return (0.25 * 2**time for time in range(times))


LIFETIME: Final[Seconds] = 7200.0
"""Seconds for which a mapping is asked (RFC 6886, section 3.3)."""
LONGEST_LIFETIME: Final[Seconds] = 86_400.0
"""Seconds after which a mapping is renewed whatever a router promises."""
PCP_TIMES, NATPMP_TIMES = 2, 5
"""Times a question is sent before a router counts as silent."""


class RouterCode(Code):
    """Why a router opens nothing."""

    UNKNOWN = "router-unknown", "No router of this network was found to be asked for a way in."
    ELSEWHERE = (
        "router-leads-elsewhere",
        "The router could only let guests in at {host}, where this table does not listen.",
    )
    SILENT = "router-silent", "The router does not answer when it is asked for a way in."
    ABSENT = "router-does-not-open", "The router opens no ways in by itself."
    REFUSES = "router-refuses", "The router was asked for a way in and refuses: {why}."
    NOT_ALLOWED = "router-not-allowed", "its settings do not allow it"
    OFFLINE = "router-offline", "it has no connection to the internet"
    FULL = "router-full", "it has no room for one more"
    BETWEEN = "router-another-between", "another router stands between"
    CANNOT = "router-cannot", "it cannot (code {number})"


PCP_RESULTS: Final[Mapping[int, RouterCode]] = {
    2: RouterCode.NOT_ALLOWED,
    7: RouterCode.OFFLINE,
    8: RouterCode.FULL,
    10: RouterCode.FULL,
    11: RouterCode.FULL,
    12: RouterCode.BETWEEN,
}
"""RFC 6887, section 7.4; the others say that it cannot, or that it did not understand."""
NATPMP_RESULTS: Final[Mapping[int, RouterCode]] = {
    2: RouterCode.NOT_ALLOWED,
    3: RouterCode.OFFLINE,
    4: RouterCode.FULL,
}
"""RFC 6886, section 3.5."""


class RouterError(CodedError):
    """A router opens nothing."""


@dataclass(frozen=True)
class OpenedPort:
    """A way in: 'host:port' outside, for how many seconds."""

    external: str
    lifetime: float


class Router(Protocol):
    """Whoever can be asked to lead one TCP port outside to one port here."""

    async def open(self) -> OpenedPort:
        """Ask for the mapping, or for more time; RouterError when there is none."""
        ...

    async def close(self) -> None:
        """Take the mapping away, as far as it can be done."""
        ...


IP = ipaddress.IPv4Address | ipaddress.IPv6Address
ANY: Final = ipaddress.IPv6Address("::ffff:0.0.0.0")
"""No address: by PCP an IPv4 client suggests it when it has no wish (section 11.1)."""


@dataclass(frozen=True)
class Granted:
    """What a router gives; NAT-PMP says the address and the port in two answers.

    Attributes:
        epoch: The router's clock, in seconds.
        external: The address outside.
        port: The port outside that leads to ours.
        lifetime: For how many seconds it does.
    """

    epoch: int
    external: IP = ANY
    port: int = 0
    lifetime: int = 0


Answer = Granted | RouterError
"""What a router answers: what it gives, or why it gives nothing."""


def _denial(results: Mapping[int, RouterCode], number: int) -> RouterError:
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
"""Bytes of the longest message (section 7)."""
UNSUPPORTED_VERSION: Final = 1
_PCP_QUESTION: Final = Struct("!BBxxI16s12sB3xHH16s")
_PCP_ANSWER: Final = Struct("!BBxBII12x12sB3xHH16s")
"""A header (sections 7.1 and 7.2) and a mapping (section 11.1)."""


@dataclass(frozen=True)
class PcpMapping:
    """A mapping as asked for: `client` is our own address on the way to the router, `lifetime` in
    seconds (0: take the mapping away), `suggested` the port outside (0: none)."""

    nonce: bytes = field(repr=False)
    client: IP
    port: int
    lifetime: int
    suggested: int = 0
    outside: IP = ANY


def _packed(ip: IP) -> bytes:
    return ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed


def encode_pcp_map(wish: PcpMapping) -> bytes:
    """The request, 60 bytes."""
    header = PCP_VERSION, PCP_MAP, wish.lifetime, _packed(wish.client)
    outside = wish.suggested, _packed(wish.outside)
    return _PCP_QUESTION.pack(*header, wish.nonce, PCP_TCP, wish.port, *outside)


def read_pcp_answer(data: bytes, wish: PcpMapping) -> Answer | None:
    """What a router answers to this wish; None for anything else, which is dropped ([L-52])."""
    if len(data) == DENIAL and data[0] == NATPMP_VERSION:  # it knows the older protocol only
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
        return None  # a mapping to nowhere is none
    return Granted(epoch, external, outside, lifetime)


# NAT-PMP

NATPMP_VERSION: Final = 0
NATPMP_ANSWER: Final = 128
ADDRESS: Final = 0
NATPMP_TCP: Final = 2
DENIAL: Final = 8
"""Bytes in which a router of an older kind answers an unknown request."""
_MAP_QUESTION: Final = Struct("!BBxxHHI")
_ADDRESS_ANSWER: Final = Struct("!4xI4s")
_MAP_ANSWER: Final = Struct("!4xIHHI")
NATPMP_ADDRESS_REQUEST: Final = bytes([NATPMP_VERSION, ADDRESS])


def encode_natpmp_map(port: int, lifetime: int, suggested: int) -> bytes:
    """The request for a TCP port, 12 bytes; lifetime 0 with suggested 0 takes it away."""
    return _MAP_QUESTION.pack(NATPMP_VERSION, NATPMP_TCP, port, suggested, lifetime)


def _natpmp_fields(data: bytes, opcode: int, form: Struct) -> tuple[Any, ...] | RouterError | None:
    """Return the fields of an answer to this request, or its denial; None if it is none."""
    is_whole = len(data) == form.size
    head = bytes([NATPMP_VERSION, NATPMP_ANSWER | opcode])
    if not (is_whole or len(data) == DENIAL) or data[:2] != head:
        return None
    code = int.from_bytes(data[2:4], "big")
    if code:
        return _denial(NATPMP_RESULTS, code)
    return form.unpack(data) if is_whole else None


def read_natpmp_address(data: bytes) -> Answer | None:
    """The answer to ADDRESS_REQUEST; None for anything else, which is dropped ([L-52])."""
    found = _natpmp_fields(data, ADDRESS, _ADDRESS_ANSWER)
    if not isinstance(found, tuple):
        return found
    answer = Granted(found[0], ipaddress.IPv4Address(found[1]))
    return None if answer.external.is_unspecified else answer


def read_natpmp_map(data: bytes, port: int, lifetime: int) -> Answer | None:
    """The answer to encode_map for this port and lifetime; None for anything else ([L-52])."""
    found = _natpmp_fields(data, NATPMP_TCP, _MAP_ANSWER)
    if not isinstance(found, tuple):
        return found
    epoch, inside, outside, given = found
    if inside != port or (lifetime and not (outside and given)):
        return None
    return Granted(epoch, port=outside, lifetime=given)


# Asking


def _opened(external: IP, granted: Granted) -> OpenedPort:
    where = Address(str(external), granted.port)
    return OpenedPort(str(where), min(granted.lifetime, LONGEST_LIFETIME))


async def ask_router(
    wire: Datagrams,
    request: bytes,
    read: Callable[[bytes], Answer | None],
    pauses: Iterator[float],
) -> Granted:
    """Return what the router gives. The question is sent again after each pause.

    Args:
        wire: datagrams to this router.
        request: the question.
        read: gives an answer from a datagram, or None for one that is dropped.
        pauses: for how many seconds an answer is awaited each time.

    Raises:
        RouterError: if the router gives nothing, nobody listens there, or no answer came in all
            the pauses.
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
    except OSError as error:  # the router's system says that nobody listens there
        raise RouterError(RouterCode.ABSENT) from error
    raise RouterError(RouterCode.SILENT)


class PcpRouter:
    """A router that speaks PCP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        self._nonce = secrets.token_bytes(PCP_NONCE)
        self._last: Granted | None = None

    async def open(self) -> OpenedPort:
        """The mapping, with the same port outside as before if that can be; or RouterError."""
        self._last = await self._ask(int(LIFETIME), self._last, PCP_TIMES)
        return _opened(self._last.external, self._last)

    async def close(self) -> None:
        """Ask for no more time (section 15.1)."""
        await self._ask(0, None, 1)

    async def _ask(self, lifetime: int, last: Granted | None, times: int) -> Granted:
        wish = PcpMapping(self._nonce, self._wire.own, self._port, lifetime)
        if last is not None:
            wish = replace(wish, suggested=last.port, outside=last.external)
        request, pauses = encode_pcp_map(wish), pcp_pauses(times)
        return await ask_router(self._wire, request, lambda d: read_pcp_answer(d, wish), pauses)


class NatPmpRouter:
    """A router that speaks NAT-PMP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        self._outside = port
        self._epoch = Epoch()

    async def open(self) -> OpenedPort:
        """The mapping, asked for again if the router starts anew in between; or RouterError."""
        for _ in range(2):
            address = await self._ask(NATPMP_ADDRESS_REQUEST, read_natpmp_address)
            self._epoch.is_new(address.epoch, trio.current_time())
            mapped = await self._map(int(LIFETIME), self._outside)
            if not self._epoch.is_new(mapped.epoch, trio.current_time()):
                break
        self._outside = mapped.port
        return _opened(address.external, mapped)

    async def close(self) -> None:
        """Ask for no more time (section 3.4)."""
        await self._map(0, 0)

    async def _map(self, lifetime: int, outside: int) -> Granted:
        request = encode_natpmp_map(self._port, lifetime, outside)
        return await self._ask(request, lambda d: read_natpmp_map(d, self._port, lifetime))

    async def _ask(self, request: bytes, read: Callable[[bytes], Answer | None]) -> Granted:
        return await ask_router(self._wire, request, read, natpmp_pauses(NATPMP_TIMES))
