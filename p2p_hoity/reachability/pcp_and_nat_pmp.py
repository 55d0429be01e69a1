"""Ask a router to open one TCP port, by PCP (RFC 6887) or by NAT-PMP (RFC 6886)."""

from __future__ import annotations

import ipaddress
import random
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn, Protocol, TypeVar

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
T = TypeVar("T")


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

    @property
    def router(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The one address that is sent to and heard."""
        return ipaddress.ip_address(self._socket.getpeername()[0])

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


PCP_VERSION: Final = 2
PCP_MAP: Final = 1
PCP_ANSWER: Final = 0x80
PCP_TCP: Final = 6
PCP_NONCE: Final = 12
PCP_HEADER: Final = 24
PCP_MAPPING: Final = 36
LONGEST_PCP: Final = 1100
"""Bytes of the longest message (section 7)."""
UNSUPPORTED_VERSION: Final = 1
ANY: Final = ipaddress.IPv6Address("::ffff:0.0.0.0")
"""The external address that an IPv4 client suggests when it has no wish (section 11.1)."""

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


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


@dataclass(frozen=True)
class PcpGranted:
    """A mapping as given: the address and port outside, for how many seconds; `epoch` is the
    router's clock in seconds."""

    external: IP
    port: int
    lifetime: int
    epoch: int


@dataclass(frozen=True)
class PcpDenied:
    """No mapping: the result code, and for how many seconds that stays so."""

    code: int
    lifetime: int


@dataclass(frozen=True)
class NatPmpOnly:
    """The router knows the older protocol only (RFC 6887, appendix A)."""


PcpAnswer = PcpGranted | PcpDenied | NatPmpOnly


def _packed(ip: IP) -> bytes:
    return ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed


def encode_pcp_map(wish: PcpMapping) -> bytes:
    """The request, 60 bytes."""
    header = (
        bytes([PCP_VERSION, PCP_MAP, 0, 0])
        + wish.lifetime.to_bytes(4, "big")
        + _packed(wish.client)
    )
    outside = wish.suggested.to_bytes(2, "big") + _packed(wish.outside)
    inside = wish.nonce + bytes([PCP_TCP, 0, 0, 0]) + wish.port.to_bytes(2, "big")
    return header + inside + outside


def read_pcp_answer(data: bytes, wish: PcpMapping) -> PcpAnswer | None:
    """What a router answers to this wish; None for anything else, which is dropped ([L-52])."""
    if len(data) == 8 and data[0] == 0:
        is_denied = (
            data[1] == PCP_ANSWER and int.from_bytes(data[2:4], "big") == UNSUPPORTED_VERSION
        )
        return NatPmpOnly() if is_denied else None
    if not PCP_HEADER <= len(data) <= LONGEST_PCP or len(data) % 4 or not data[1] & PCP_ANSWER:
        return None
    code, lifetime = data[3], int.from_bytes(data[4:8], "big")
    if code == UNSUPPORTED_VERSION and data[1] == PCP_ANSWER | PCP_MAP:
        return PcpDenied(code, lifetime)
    if (
        data[0] != PCP_VERSION
        or data[1] != PCP_ANSWER | PCP_MAP
        or len(data) < PCP_HEADER + PCP_MAPPING
    ):
        return None
    epoch = int.from_bytes(data[8:12], "big")
    return _read_pcp_map(data[PCP_HEADER : PCP_HEADER + PCP_MAPPING], code, lifetime, epoch, wish)


def _read_pcp_map(
    data: bytes, code: int, lifetime: int, epoch: int, wish: PcpMapping
) -> PcpAnswer | None:
    nonce, rest = data[:PCP_NONCE], data[PCP_NONCE:]
    inside, outside = (int.from_bytes(rest[at : at + 2], "big") for at in (4, 6))
    if nonce != wish.nonce or rest[0] != PCP_TCP or inside != wish.port:
        return None
    if code:
        return PcpDenied(code, lifetime)
    ip = ipaddress.IPv6Address(rest[8:24])
    external = ip.ipv4_mapped or ip
    if wish.lifetime and (not lifetime or not outside or external.is_unspecified):
        return None  # a mapping to nowhere is none
    return PcpGranted(external, outside, lifetime, epoch)


NATPMP_VERSION: Final = 0
NATPMP_ANSWER: Final = 128
ADDRESS: Final = 0
NATPMP_TCP: Final = 2
ADDRESS_ANSWER, MAP_ANSWER, DENIAL = 12, 16, 8
"""Sizes in bytes; a router of an older kind answers an unknown request in eight."""


@dataclass(frozen=True)
class Outside:
    """The router's address outside; `epoch` is its clock in seconds."""

    external: ipaddress.IPv4Address
    epoch: int


@dataclass(frozen=True)
class Mapped:
    """The port outside that leads to the port inside, for so many seconds."""

    port: int
    lifetime: int
    epoch: int


@dataclass(frozen=True)
class NatPmpDenied:
    """The result code of a router that does not."""

    code: int


NATPMP_ADDRESS_REQUEST: Final = bytes([NATPMP_VERSION, ADDRESS])


def encode_natpmp_map(port: int, lifetime: int, suggested: int) -> bytes:
    """The request for a TCP port, 12 bytes; lifetime 0 with suggested 0 takes it away."""
    ports = port.to_bytes(2, "big") + suggested.to_bytes(2, "big")
    return bytes([NATPMP_VERSION, NATPMP_TCP, 0, 0]) + ports + lifetime.to_bytes(4, "big")


def _natpmp_result(data: bytes, opcode: int, size: int) -> int | None:
    """The result code of an answer to this request; None if it is none of one."""
    if (
        len(data) not in (size, DENIAL)
        or data[0] != NATPMP_VERSION
        or data[1] != NATPMP_ANSWER | opcode
    ):
        return None
    code = int.from_bytes(data[2:4], "big")
    return None if len(data) != size and not code else code


def read_natpmp_address(data: bytes) -> Outside | NatPmpDenied | None:
    """The answer to ADDRESS_REQUEST; None for anything else, which is dropped ([L-52])."""
    code = _natpmp_result(data, ADDRESS, ADDRESS_ANSWER)
    if code is None:
        return None
    if code:
        return NatPmpDenied(code)
    external = ipaddress.IPv4Address(data[8:12])
    return None if external.is_unspecified else Outside(external, int.from_bytes(data[4:8], "big"))


def read_natpmp_map(data: bytes, port: int, lifetime: int) -> Mapped | NatPmpDenied | None:
    """The answer to encode_map for this port and lifetime; None for anything else ([L-52])."""
    code = _natpmp_result(data, NATPMP_TCP, MAP_ANSWER)
    if code is None:
        return None
    if code:
        return NatPmpDenied(code)
    epoch, given = int.from_bytes(data[4:8], "big"), int.from_bytes(data[12:16], "big")
    inside, outside = (int.from_bytes(data[at : at + 2], "big") for at in (8, 10))
    if inside != port or (lifetime and not (outside and given)):
        return None
    return Mapped(outside, given, epoch)


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


def _opened(external: IP, port: int, lifetime: int) -> OpenedPort:
    return OpenedPort(str(Address(str(external), port)), min(lifetime, LONGEST_LIFETIME))


def _refuse(results: Mapping[int, RouterCode], number: int) -> NoReturn:
    code = results.get(number, RouterCode.CANNOT)
    why = because(code, number=number) if code is RouterCode.CANNOT else because(code)
    raise RouterError(RouterCode.REFUSES, why=why)


async def ask_router(
    wire: Datagrams, request: bytes, read: Callable[[bytes], T | None], pauses: Iterator[float]
) -> T:
    """Return the router's answer. The question is sent again after each pause.

    Args:
        wire: datagrams to this router.
        request: the question.
        read: gives an answer from a datagram, or None for one that is dropped.
        pauses: for how many seconds an answer is awaited each time.

    Raises:
        RouterError: if nobody listens there, or no answer came in all the pauses.
    """
    try:
        for pause in pauses:
            await wire.send(request)
            with trio.move_on_after(pause):
                while True:
                    answer = read(await wire.receive())
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
        self._last: PcpGranted | None = None

    def _wish(self, lifetime: int) -> PcpMapping:
        mapping = PcpMapping(self._nonce, self._wire.own, self._port, lifetime)
        if self._last is None or not lifetime:
            return mapping
        return replace(mapping, suggested=self._last.port, outside=self._last.external)

    async def open(self) -> OpenedPort:
        """The mapping, with the same port outside as before if that can be; or RouterError."""
        wish = self._wish(int(LIFETIME))
        answer = await self._ask(wish, PCP_TIMES)
        if isinstance(answer, NatPmpOnly):
            raise RouterError(RouterCode.ABSENT)
        if isinstance(answer, PcpDenied):
            _refuse(PCP_RESULTS, answer.code)
        self._last = answer
        return _opened(answer.external, answer.port, answer.lifetime)

    async def close(self) -> None:
        """Ask for no more time (section 15.1)."""
        await self._ask(self._wish(0), 1)

    async def _ask(self, wish: PcpMapping, times: int) -> PcpAnswer:
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
            answer: Outside | NatPmpDenied = await ask_router(
                self._wire, NATPMP_ADDRESS_REQUEST, read_natpmp_address, natpmp_pauses(NATPMP_TIMES)
            )
            if isinstance(answer, NatPmpDenied):
                _refuse(NATPMP_RESULTS, answer.code)
            self._epoch.is_new(answer.epoch, trio.current_time())
            outside = answer.external
            mapped = await self._map(int(LIFETIME))
            if not self._epoch.is_new(mapped.epoch, trio.current_time()):
                break
        self._outside = mapped.port
        return _opened(outside, mapped.port, mapped.lifetime)

    async def _map(self, lifetime: int) -> Mapped:
        request = encode_natpmp_map(self._port, lifetime, self._outside if lifetime else 0)

        def read(data: bytes) -> Mapped | NatPmpDenied | None:
            return read_natpmp_map(data, self._port, lifetime)

        answer: Mapped | NatPmpDenied
        answer = await ask_router(self._wire, request, read, natpmp_pauses(NATPMP_TIMES))
        if isinstance(answer, NatPmpDenied):
            _refuse(NATPMP_RESULTS, answer.code)
        return answer

    async def close(self) -> None:
        """Ask for no more time (section 3.4)."""
        await self._map(0)
