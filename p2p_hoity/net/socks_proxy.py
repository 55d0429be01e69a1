"""A network that dials through a SOCKS5 proxy.

The proxy also resolves all names. This computer connects to nothing but the proxy and itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import trio

from ..coded_errors import USAGE, Code, NetworkCode, Reason, because
from ..pasted_text import bare, visible
from .addresses import Address, Destination, Named, destination_of, is_loopback, parse_ip
from .exception_reasons import trouble_is
from .network_errors import AddressError, NetCode, NetError, NobodyError
from .transport import StreamListener, TcpNetwork
from .typed_addresses import typed_address

if TYPE_CHECKING:
    from python_socks import ProxyError

SCHEMES: Final = frozenset({"socks5", "socks5h"})
LONGEST_WORD: Final = 255
"""The most bytes of a user name or password (RFC 1929)."""


class ProxyCode(NetworkCode):
    """Reasons why a proxy cannot be used. They do not repeat any text that the proxy has sent."""

    BAD = (
        "bad-proxy",
        "write a proxy as socks5://HOST:PORT, or as socks5://NAME:PASSWORD@HOST:PORT",
        USAGE,
    )
    UNREACHED = "proxy-unreached", "the proxy {proxy} cannot be reached: {why}"
    REFUSED = "proxy-refused", "{address}, through the proxy: {why}"
    FAILED = "proxy-failed", "it has failed"
    FORBIDS = "proxy-forbids", "it does not allow it"
    NOT_LET_IN = (
        "proxy-lets-not-in",
        "it does not support SOCKS5, or does not accept your name and password",
    )
    NOT_DIALLED = (
        "not-dialled-by-proxy",
        (
            "{address} could lead into a network behind the proxy, so this program does not "
            "connect to it"
        ),
    )
    LOCAL_ONLY = (
        "proxy-listens-here-only",
        (
            "cannot listen on {address}: with a proxy the program accepts connections from this "
            "machine only"
        ),
    )


REPLIES: Final[Mapping[int, Code]] = {
    1: ProxyCode.FAILED,
    2: ProxyCode.FORBIDS,
    3: NetCode.NO_WAY_TO_NETWORK,
    4: NetCode.NO_WAY_TO_MACHINE,
    5: NetCode.NOBODY_LISTENS,
    6: NetCode.NO_ANSWER,
    7: ProxyCode.FORBIDS,
    8: NetCode.NO_SUCH_FAMILY,
}
"""The reason that each reply of a proxy stands for (RFC 1928, section 6)."""
NOBODY: Final = 5
"""The number of the reply which says that nobody listens at an address."""


class ProxyTypedError(AddressError):
    """An error: a text, which may contain a password and is not repeated, is not a proxy's URL."""

    def __init__(self) -> None:
        super().__init__(ProxyCode.BAD)


@dataclass(frozen=True)
class Proxy:
    """A SOCKS5 proxy. Name and password are empty if it needs none."""

    host: str
    port: int
    name: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return str(Address(self.host, self.port))


def parse_proxy(text: str) -> Proxy:
    """Parse the URL of a proxy, 'socks5://[NAME:PASSWORD@]HOST:PORT'.

    The scheme 'socks5h' means the same, because the proxy resolves all names in any case. A
    ProxyTypedError is raised for any other text.
    """
    try:
        # Tried first as it is: the cleaning could remove letters of a password.
        return _parse_url(text.strip())
    except ProxyTypedError:
        return _parse_url(bare(visible(text)))


def _parse_url(text: str) -> Proxy:
    """Read the URL of a proxy. A ProxyTypedError is raised for any other text."""
    try:
        parts = urlsplit(text)
        where = typed_address(parts.netloc.rpartition("@")[2])
        words = (parts.username or "", parts.password or "")
    except (ValueError, AddressError):
        # Without its cause, whose text may contain the password.
        raise ProxyTypedError from None
    name, password = map(unquote, words)
    if parts.scheme not in SCHEMES or parts.path.strip("/") or parts.query or parts.fragment:
        raise ProxyTypedError
    # In ASCII one character is one byte, so that the length counts the bytes that are sent.
    if not all(word.isascii() and len(word) <= LONGEST_WORD for word in (name, password)):
        raise ProxyTypedError
    return Proxy(where.host, where.port, name, password)


class SocksNetwork:
    """A network that opens TCP streams through a SOCKS5 proxy.

    It listens on loopback only, so only this computer can reach its listeners ([L-56]).
    """

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._direct = TcpNetwork()

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream through the proxy. A loopback address is dialled directly.

        Raises:
            NobodyError: If another attempt soon would fail in the same way.
        """
        # Through the proxy it would lead to the computer of the proxy.
        if is_loopback(address.host):
            return await self._direct.open(address)
        if not _leads_outside(address):
            raise NobodyError(ProxyCode.NOT_DIALLED, address=str(address))
        from python_socks import ProxyConnectionError, ProxyError, ProxyType
        from python_socks.async_.trio import Proxy as Asking

        us = self._proxy
        # With `rdns` the proxy resolves the name. This computer asks no name server, which would
        # learn the name.
        asking = Asking(ProxyType.SOCKS5, us.host, us.port, us.name, us.password, rdns=True)
        with trouble_is(ProxyCode.UNREACHED, proxy=str(us)):
            try:
                return trio.SocketStream(await asking.connect(address.host, address.port))
            except ProxyError as error:
                # The error may contain what the proxy sent.
                raise _refused(address, error) from None
            except ProxyConnectionError as error:
                # In the cause, the system's error, `trouble_is` finds the reason for the player.
                raise error.__cause__ or error from None

    def outlet(self) -> None:
        """Return None, because hole punching is impossible through a proxy.

        It needs several connections from one local port, and the proxy chooses the port of each.
        """

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listen on a loopback address.

        Raises:
            NetError: If the address is not loopback, or cannot be listened on.
        """
        if not is_loopback(host):
            raise NetError(ProxyCode.LOCAL_ONLY, address=str(Address(host, port)))
        return await self._direct.listen(host, port)


def _refused(address: Address, error: ProxyError) -> NetError:
    """Return the error for a reply in which the proxy refuses to connect."""
    number = error.error_code
    code = REPLIES.get(number, ProxyCode.NOT_LET_IN) if number else ProxyCode.NOT_LET_IN
    # All other failures may be those of the proxy, and say nothing about the address.
    kind = NobodyError if number == NOBODY else NetError
    reason: Reason = because(code)
    return kind(ProxyCode.REFUSED, address=str(address), why=reason)


def broken_proxy(reason: Reason) -> Reason | None:
    """Return the proxy's fault if all addresses have failed because of it, else None."""
    parts = reason.fields["reasons"] if reason.code == NetCode.EACH_WAY else (reason,)
    ours = {ProxyCode.UNREACHED.value}
    return parts[0] if parts and {part.code for part in parts} == ours else None


def _leads_outside(address: Address) -> bool:
    """Return whether an address may be dialled through a proxy ([L-57]).

    One that another seat has named must be a public IP address or an .onion name, because any other
    could lead into the network of the proxy.
    """
    if address.named is Named.BY_US:
        return True
    ip = parse_ip(address.host)
    if ip is None:
        return address.host.endswith(".onion")
    return destination_of(ip) is Destination.INTERNET
