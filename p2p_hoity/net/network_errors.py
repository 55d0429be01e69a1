"""Errors of the network, and the codes for exceptions of trio, TLS and the operating system."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from ..coded_errors import Code, CodedError, NetworkCode, Reason, because, of_system


class NetCode(NetworkCode):
    """The reasons why any connection of this program fails."""

    PORT_IN_USE = "port-in-use", "the port is already in use"
    NO_SUCH_ADDRESS = "no-such-address", "this machine has no such address"
    NOT_ALLOWED = "not-allowed", "the system does not allow it"
    NOBODY_LISTENS = "nobody-listens", "no program accepts connections there"
    CUT = "connection-cut", "the connection was cut"
    NO_ANSWER = "no-answer", "no answer"
    NO_ANSWER_IN_TIME = "no-answer-in-time", "no answer in time"
    NO_WAY_TO_MACHINE = "no-way-to-machine", "that machine cannot be reached from here"
    NO_WAY_TO_NETWORK = "no-way-to-network", "that network cannot be reached from here"
    NETWORK_DOWN = "network-down", "the network is down"
    PROCESS_FULL = "process-full", "this process has too many connections open"
    MACHINE_FULL = "machine-full", "this machine has too many connections open"
    NO_SUCH_FAMILY = "no-such-address-family", "this machine does not support that kind of address"
    OTHER_TLS = "other-tls", "there is no program of ours behind this address (TLS failed)"
    UNKNOWN_NAME = "unknown-machine-name", "that name is not known here"
    NO_NAME = "no-machine-name", "that is not a name of a machine"
    UNREACHED = "unreached", "{address} cannot be reached: {why}"
    CANNOT_LISTEN = "cannot-listen", "cannot listen on {address}: {why}"
    FAILED = "connection-failed", "the connection failed: {why}"
    AT = "at-address", "{address}: {why}"
    EACH_WAY = "no-way", "{reasons}"
    NO_ADDRESS = "no-address", "no address is known"
    SLOW = "slow-answer", "{address} did not answer in {seconds} s"
    NOT_LET_IN = "not-let-in", "the other program did not let us in in time"
    NO_LINK = "no-link", "no link within {seconds} s to {addresses}"
    NO_ROOM_HERE = (
        "no-room-here",
        ("this program accepts no link with it, or has no room for one more"),
    )
    NOT_DIALLED = (
        "not-dialled",
        ("{address} is in no network of this machine, so this program does not connect to it"),
    )
    NOT_BY_RELAY = (
        "not-by-relay",
        (
            "{address} is not one of your relays, so with --relay-only this program does not "
            "connect to it"
        ),
    )
    NOT_LISTENING = "not-listening", "no program accepts connections there any more"


class NetError(CodedError):
    """An error of the network, for example a connection that failed.

    Attributes:
        is_final: Whether another attempt soon would fail in the same way, because nobody listens at
            the address or another node answers there.
    """

    is_final = False


class NobodyError(NetError):
    """An error: nobody listens at an address, or a node that was not expected answers there."""

    is_final = True


class RefusedError(NetError):
    """An error: the node that was dialled, or a relay, has refused the connection.

    Attributes:
        elsewhere: Whether the reason is that another process with this node's key is already
            connected there.
        full: Whether the reason is that there is no room for more links.
    """

    def __init__(
        self, code: Code, elsewhere: bool = False, full: bool = False, **fields: object
    ) -> None:
        super().__init__(code, **fields)
        self.elsewhere, self.full = elsewhere, full


class MisfitError(NobodyError):
    """An error: one end of a link needs a protocol feature that the other end does not have."""


class AddressError(NetError):
    """An error: a text is not an address that could be dialled or listened on."""


class TicketError(CodedError, ValueError):
    """An error that says why a ticket cannot be read or made."""


_BY_NUMBER = {
    errno.EADDRINUSE: NetCode.PORT_IN_USE,
    errno.EADDRNOTAVAIL: NetCode.NO_SUCH_ADDRESS,
    errno.EACCES: NetCode.NOT_ALLOWED,
    errno.EPERM: NetCode.NOT_ALLOWED,
    errno.ECONNREFUSED: NetCode.NOBODY_LISTENS,
    errno.ECONNRESET: NetCode.CUT,
    errno.EPIPE: NetCode.CUT,
    errno.ECONNABORTED: NetCode.CUT,
    errno.ETIMEDOUT: NetCode.NO_ANSWER,
    errno.EHOSTUNREACH: NetCode.NO_WAY_TO_MACHINE,
    errno.EHOSTDOWN: NetCode.NO_WAY_TO_MACHINE,
    errno.ENETUNREACH: NetCode.NO_WAY_TO_NETWORK,
    errno.ENETDOWN: NetCode.NETWORK_DOWN,
    errno.EMFILE: NetCode.PROCESS_FULL,
    errno.ENFILE: NetCode.MACHINE_FULL,
    errno.EAFNOSUPPORT: NetCode.NO_SUCH_FAMILY,
}


def why(error: BaseException) -> Reason:
    """Return the reason, for a player, of an exception of trio, TLS or the operating system.

    Args:
        error: The exception.

    Returns:
        The reason.
    """
    if isinstance(error, trio.TooSlowError):
        return because(NetCode.NO_ANSWER_IN_TIME)
    if isinstance(error, ssl.SSLError):
        return because(NetCode.CUT if isinstance(error, _CUT) else NetCode.OTHER_TLS)
    if isinstance(error, socket.gaierror):
        return because(NetCode.UNKNOWN_NAME)
    if isinstance(error, UnicodeError):
        return because(NetCode.NO_NAME)
    if isinstance(error, OSError):
        return _why_system(error)
    cause = error.__cause__
    if cause is not None and not isinstance(cause, trio.BrokenResourceError):
        return why(cause)
    return because(NetCode.CUT)


def _why_system(error: OSError) -> Reason:
    """Return the reason, for a player, of an error of the operating system."""
    if error.errno is None:  # Trio combines several attempts. The first one tells enough.
        cause = error.__cause__
        if isinstance(cause, BaseExceptionGroup):
            return why(cause.exceptions[0])
        if cause is not None:
            return why(cause)
    known = _BY_NUMBER.get(error.errno or 0)
    return because(known) if known else of_system(error)


_CUT = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
"""The exceptions by which TLS reports the end of a connection.

All other TLS exceptions are about bytes that are not valid TLS.
"""
# The exceptions that a stream or a socket may raise because of the peer or the system.
TROUBLE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)


def _is_final(error: BaseException | None) -> bool:
    """Return whether an error shows that no node of this program can be reached at an address.

    That is so if the computer was reached, but the connection was refused or TLS has failed.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_final, error.exceptions))
    if isinstance(error, ssl.SSLError):
        return not isinstance(error, _CUT)
    if isinstance(error, trio.BrokenResourceError) or (
        isinstance(error, OSError) and error.errno is None  # Trio combines several attempts.
    ):
        return _is_final(error.__cause__)
    return isinstance(error, ConnectionRefusedError)


@contextmanager
def trouble_is(code: Code, **fields: object) -> Iterator[None]:
    """Turn an exception of the network, raised in the `with` block, into a NetError.

    Args:
        code: The code of the error.
        fields: The fields of the error's text. The field `why` is added, with the reason.

    Yields:
        Nothing.

    Raises:
        NetError: If the network fails in the block.
    """
    try:
        yield
    except (*TROUBLE, UnicodeError) as error:
        kind = NobodyError if _is_final(error) else NetError
        raise kind(code, **fields, why=why(error)) from error
