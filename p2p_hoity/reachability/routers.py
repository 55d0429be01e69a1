"""Asking a router for a way in, by either protocol: one mapping of one TCP port."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol, TypeVar

import trio

from protocol.bounds import Seconds

from ..errors import Code, CodedError, because
from ..net.addresses import Address
from . import natpmp, pcp
from .epoch import Epoch
from .exchange import Datagrams, ask, natpmp_pauses, pcp_pauses

LIFETIME: Final[Seconds] = 7200.0
"""Seconds for which a mapping is asked (RFC 6886, section 3.3)."""
LONGEST_LIFETIME: Final[Seconds] = 86_400.0
"""Seconds after which a mapping is renewed whatever a router promises."""
PCP_TIMES, NATPMP_TIMES = 2, 5
"""Times a question is sent before a router counts as silent."""


class RouterCode(Code):
    """Why a router opens nothing."""

    UNKNOWN = "router-unknown"
    ELSEWHERE = "router-leads-elsewhere", "host"
    SILENT = "router-silent"
    ABSENT = "router-does-not-open"
    REFUSES = "router-refuses", "why"
    NOT_ALLOWED = "router-not-allowed"
    OFFLINE = "router-offline"
    FULL = "router-full"
    BETWEEN = "router-another-between"
    CANNOT = "router-cannot", "number"


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


Answer = TypeVar("Answer")


class RouterError(CodedError):
    """A router opens nothing."""


@dataclass(frozen=True)
class Opened:
    """A way in: 'host:port' outside, for how many seconds."""

    external: str
    lifetime: float


class Router(Protocol):
    """Whoever can be asked to lead one TCP port outside to one port here."""

    async def open(self) -> Opened:
        """Ask for the mapping, or for more time; RouterError when there is none."""
        ...

    async def close(self) -> None:
        """Take the mapping away, as far as it can be done."""
        ...


def _opened(external: pcp.IP, port: int, lifetime: int) -> Opened:
    return Opened(str(Address(str(external), port)), min(lifetime, LONGEST_LIFETIME))


def _refuse(results: Mapping[int, RouterCode], number: int) -> NoReturn:
    code = results.get(number, RouterCode.CANNOT)
    why = because(code, number=number) if code is RouterCode.CANNOT else because(code)
    raise RouterError(RouterCode.REFUSES, why=why)


async def _asked(
    wire: Datagrams,
    request: bytes,
    read: Callable[[bytes], Answer | None],
    pauses: Iterator[float],
) -> Answer:
    """The answer; RouterError when none comes."""
    try:
        answer = await ask(wire, request, read, pauses)
    except OSError as error:  # the router's system says that nobody listens there
        raise RouterError(RouterCode.ABSENT) from error
    if answer is None:
        raise RouterError(RouterCode.SILENT)
    return answer


class PcpRouter:
    """A router that speaks PCP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        self._nonce = secrets.token_bytes(pcp.NONCE)
        self._last: pcp.Granted | None = None

    def _wish(self, lifetime: int) -> pcp.Wish:
        wish = (self._nonce, self._wire.own, self._port, lifetime)
        if self._last is None or not lifetime:
            return pcp.Wish(*wish)
        return pcp.Wish(*wish, self._last.port, self._last.external)

    async def open(self) -> Opened:
        """The mapping, with the same port outside as before if that can be; or RouterError."""
        wish = self._wish(int(LIFETIME))
        answer = await self._ask(wish, PCP_TIMES)
        if isinstance(answer, pcp.NatPmpOnly):
            raise RouterError(RouterCode.ABSENT)
        if isinstance(answer, pcp.Denied):
            _refuse(PCP_RESULTS, answer.code)
        self._last = answer
        return _opened(answer.external, answer.port, answer.lifetime)

    async def close(self) -> None:
        """Ask for no more time (section 15.1)."""
        await self._ask(self._wish(0), 1)

    async def _ask(self, wish: pcp.Wish, times: int) -> pcp.Answer:
        request, pauses = pcp.encode_map(wish), pcp_pauses(times)
        return await _asked(self._wire, request, lambda d: pcp.read_answer(d, wish), pauses)


class NatPmpRouter:
    """A router that speaks NAT-PMP."""

    def __init__(self, wire: Datagrams, port: int) -> None:
        self._wire, self._port = wire, port
        self._outside = port
        self._epoch = Epoch()

    async def open(self) -> Opened:
        """The mapping, asked for again if the router starts anew in between; or RouterError."""
        for _ in range(2):
            outside = await self._address()
            mapped = await self._map(int(LIFETIME))
            if not self._epoch.is_new(mapped.epoch, trio.current_time()):
                break
        self._outside = mapped.port
        return _opened(outside, mapped.port, mapped.lifetime)

    async def _address(self) -> ipaddress.IPv4Address:
        answer: natpmp.Outside | natpmp.Denied = await _asked(
            self._wire, natpmp.ADDRESS_REQUEST, natpmp.read_address, natpmp_pauses(NATPMP_TIMES)
        )
        if isinstance(answer, natpmp.Denied):
            _refuse(NATPMP_RESULTS, answer.code)
        self._epoch.is_new(answer.epoch, trio.current_time())
        return answer.external

    async def _map(self, lifetime: int) -> natpmp.Mapped:
        request = natpmp.encode_map(self._port, lifetime, self._outside if lifetime else 0)

        def read(data: bytes) -> natpmp.Mapped | natpmp.Denied | None:
            return natpmp.read_map(data, self._port, lifetime)

        answer: natpmp.Mapped | natpmp.Denied
        answer = await _asked(self._wire, request, read, natpmp_pauses(NATPMP_TIMES))
        if isinstance(answer, natpmp.Denied):
            _refuse(NATPMP_RESULTS, answer.code)
        return answer

    async def close(self) -> None:
        """Ask for no more time (section 3.4)."""
        await self._map(0)
