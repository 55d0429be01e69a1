"""Announce and find tables on the local network by zeroconf, which is imported when needed.

Anybody on the network may have written what is found. So the form of each announcement is checked,
and its ticket is verified like any other when the player joins. Zeroconf blocks, so it is called in
threads.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import trio

from protocol import table_header
from protocol.units import Quota, Seconds

from ..coded_errors import NetworkCode, Reason, because
from ..confusable_names import is_stacked
from .addresses import parse_address, parse_ip
from .exception_reasons import why
from .network_errors import NetError, TicketError
from .ticket import TicketCode, decode_ticket, spelled

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

SERVICE = "_hoity._tcp.local."
"""The DNS-SD type of the service."""
CLOSING: Final[Seconds] = 3.0
"""The most seconds for telling the network that a table is no longer announced."""
MOST_FOUND: Final[Quota] = 64
"""The most tables that one search returns."""
MOST_SEATS = 6
_VERSION = b"3"
_PART = 200  # A TXT record has strings of at most 255 bytes.
_MOST_PARTS = 8


class LanCode(NetworkCode):
    """Reasons why tables cannot be found or announced on a local network."""

    QUIET = "lan-quiet", "this network cannot be searched for tables"
    QUIET_BECAUSE = "lan-quiet-because", "this network cannot be searched for tables: {why}"
    NOT_CARRIED = (
        "lan-carries-nothing",
        ("this network does not transmit the announcement of the table"),
    )


@dataclass(frozen=True)
class Announcement:
    """A table as its host announces it.

    Attributes:
        name: The nickname of the host.
        joined: How many seats are taken.
        ticket: A ticket without a secret. Empty if the table is not open to all, and the host has
            to give the ticket.
    """

    name: str
    seats: int
    joined: int
    ticket: str = ""


class Announcing:
    """A running announcement of a table on the local network.

    Attributes:
        problem: The reason why nobody can receive the announcement. None if it works.
    """

    def __init__(
        self, zeroconf: Zeroconf | None, announcement: Announcement, problem: Reason | None
    ) -> None:
        self._zeroconf = zeroconf
        self._announcement = announcement
        self._instance, self._is_registered = "", False
        self.problem = problem

    async def update(self, joined: int) -> None:
        """Announce a new number of taken seats. This also repeats a failed announcement."""
        self._announcement = replace(self._announcement, joined=joined)
        await self.tell()

    async def tell(self) -> None:
        """Announce the table. As long as that fails, use a fresh random service name each time."""
        if self._zeroconf is None:
            return
        tell = self._zeroconf.update_service
        if not self._is_registered:
            # The name may be in use by another computer, which is one reason for a failure.
            self._instance, tell = secrets.token_hex(8), self._zeroconf.register_service
        info = service_info(self._announcement, self._instance)
        self.problem = await trio.to_thread.run_sync(_attempt, tell, info)
        # A failed update leaves the record registered. A second name would show the table twice.
        self._is_registered = self._is_registered or self.problem is None


@asynccontextmanager
async def announce(announcement: Announcement) -> AsyncIterator[Announcing]:
    """Announce a table on this network while the `with` block runs.

    If the network does not carry announcements, nothing is raised (see `Announcing.problem`).
    """
    async with _opened() as (zeroconf, problem):
        announcing = Announcing(zeroconf, announcement, problem)
        await announcing.tell()
        yield announcing


async def browse(timeout: float) -> list[Announcement]:
    """Search for tables on this network for some seconds, and return them sorted by name.

    Raises:
        NetError: If this network cannot be searched.
    """
    async with _opened() as (zeroconf, problem):
        if zeroconf is None:
            if problem is None or problem.code == LanCode.QUIET:
                raise NetError(LanCode.QUIET)
            raise NetError(LanCode.QUIET_BECAUSE, **problem.fields)
        heard: dict[str, None] = {}
        await trio.to_thread.run_sync(_listen, zeroconf, heard)
        await trio.sleep(timeout)
        # A copy, because the library's thread goes on changing the dictionary.
        return await trio.to_thread.run_sync(_collect, zeroconf, list(heard))


@asynccontextmanager
async def _opened() -> AsyncIterator[tuple[Zeroconf | None, Reason | None]]:
    """Open the multicast sockets in the `with` block. If that fails, yield None and the reason."""
    zeroconf, problem = await trio.to_thread.run_sync(_open)
    try:
        yield zeroconf, problem
    finally:
        if zeroconf is not None:
            # Shielded, or a player who leaves would not tell the network that the table is gone.
            # The thread is abandoned, because it may block for longer than the player waits.
            with trio.move_on_after(CLOSING, shield=True):
                await trio.to_thread.run_sync(zeroconf.close, abandon_on_cancel=True)


def _open() -> tuple[Zeroconf | None, Reason | None]:
    """Open the multicast sockets of the system. If that fails, return None and the reason."""
    from zeroconf import Error, Zeroconf

    # The library warns about bad packets of other machines, which no player can repair.
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
    try:
        return Zeroconf(), None
    except OSError as error:
        return None, because(LanCode.QUIET_BECAUSE, why=why(error))
    except (Error, RuntimeError):  # The library raises a RuntimeError on a machine without IPv4.
        return None, because(LanCode.QUIET)


def _attempt(tell: Callable[[ServiceInfo], None], info: ServiceInfo) -> Reason | None:
    """Announce a record by `tell`, a method of zeroconf, and return the reason if that fails."""
    from zeroconf import Error

    try:
        tell(info)
    except (OSError, Error):  # A TimeoutError is an OSError.
        return because(LanCode.NOT_CARRIED)
    return None


def service_info(announcement: Announcement, instance: str) -> ServiceInfo:
    """Return the DNS-SD record of an announcement, under the name `instance` ([L-22]).

    A TicketError is raised if the announced ticket is invalid or has a secret.
    """
    from zeroconf import ServiceInfo

    properties, word = write_properties(announcement), announcement.ticket
    addresses = [parse_address(text) for text in decode_ticket(word).addresses] if word else []
    # Domain names are in the ticket alone.
    numeric = [ip.packed for address in addresses if (ip := parse_ip(address.host)) is not None]
    return ServiceInfo(
        SERVICE,
        f"{instance}.{SERVICE}",
        port=addresses[0].port if addresses else 0,
        addresses=numeric or [bytes([127, 0, 0, 1])],
        properties=properties,
        server=f"{instance}.local.",
    )


def write_properties(announcement: Announcement) -> dict[bytes, bytes]:
    """Return an announcement as the strings of a TXT record."""
    ticket = (_open_ticket(announcement.ticket) if announcement.ticket else "").encode()
    parts = [ticket[start : start + _PART] for start in range(0, len(ticket), _PART)]
    return {
        b"v": _VERSION,
        b"name": announcement.name.encode(),
        b"seats": b"%d" % announcement.seats,
        b"joined": b"%d" % announcement.joined,
        **{b"t%d" % number: part for number, part in enumerate(parts)},
    }


def read_properties(properties: Mapping[bytes, bytes | None]) -> Announcement | None:
    """Return the announcement in a TXT record, None if it has no valid one."""
    # Another version may give the other fields another meaning, so none of them is read.
    if properties.get(b"v") != _VERSION:
        return None
    try:
        name = (properties.get(b"name") or b"").decode()
        ticket = b"".join(properties.get(b"t%d" % n) or b"" for n in range(_MOST_PARTS)).decode()
        ticket = _open_ticket(ticket) if ticket else ""
    except (UnicodeDecodeError, TicketError):
        return None
    seats, joined = _small(properties.get(b"seats")), _small(properties.get(b"joined"))
    # The nickname is shown in a terminal, among other names.
    if not table_header.is_nickname(name) or is_stacked(name):
        return None
    if not 2 <= seats <= MOST_SEATS or joined > seats:
        return None
    return Announcement(name, seats, joined, ticket)


def _open_ticket(word: str) -> str:
    """Return an announced ticket in its normal form. It must not have a secret ([L-22])."""
    ticket = decode_ticket(word)
    # Whoever has the secret may ask for a seat, and everybody on the network reads this.
    if ticket.secret:
        raise TicketError(TicketCode.NOT_SECRET)
    # Tables are recognised by their tickets, so one table must not appear in two spellings.
    return spelled(word)


def _small(text: bytes | None) -> int:
    """Parse a digit from 0 to 6. Return 99, which is too large, for any other text."""
    # The length is checked, because `in` also finds the empty text and several digits in a row.
    return int(text) if text is not None and len(text) == 1 and text in b"0123456" else 99


def _listen(zeroconf: Zeroconf, heard: dict[str, None]) -> None:
    """Begin to collect the names of announced tables in `heard`, at most MOST_FOUND of them."""
    from zeroconf import ServiceListener

    class Names(ServiceListener):
        def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            # Anybody on the network may announce names without end, and each is looked up later.
            if len(heard) < MOST_FOUND:
                heard[name] = None

        update_service = add_service

        def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            heard.pop(name, None)

    zeroconf.add_service_listener(SERVICE, Names())


def _collect(zeroconf: Zeroconf, names: list[str]) -> list[Announcement]:
    """Return the valid announcements under some service names, sorted by the name of the table."""
    from zeroconf import Error

    found: dict[str, Announcement] = {}
    for name in names:
        # A record that cannot be read must not hide the other tables.
        with suppress(Error, ValueError):
            announcement = read_properties(_record(zeroconf, name))
            if announcement is not None:
                # By the ticket: a table that is announced twice is shown once.
                found[announcement.ticket or name] = announcement
    return sorted(found.values(), key=lambda one: (one.name, one.ticket))


def _record(zeroconf: Zeroconf, name: str) -> Mapping[bytes, bytes | None]:
    """Return the TXT record that came with a name, empty if none has arrived."""
    from zeroconf import ServiceInfo

    info = ServiceInfo(SERVICE, name)
    # From the cache: to ask the network for each name would let invented names delay the search.
    info.load_from_cache(zeroconf)
    return info.properties
