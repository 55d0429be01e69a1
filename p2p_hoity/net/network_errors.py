"""Where the exceptions of trio, TLS and the system become codes: one boundary for the network."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from ..coded_errors import Code, CodedError, NetworkCode, Reason, because, of_system


class NetCode(NetworkCode):
    """What can fail about a connection, whoever it leads to."""

    PORT_IN_USE = "port-in-use", "the port is already in use"
    NO_SUCH_ADDRESS = "no-such-address", "this machine has no such address"
    NOT_ALLOWED = "not-allowed", "the system does not allow it"
    NOBODY_LISTENS = "nobody-listens", "nobody listens there"
    CUT = "connection-cut", "the connection was cut"
    NO_ANSWER = "no-answer", "no answer"
    NO_ANSWER_IN_TIME = "no-answer-in-time", "no answer in time"
    NO_WAY_TO_MACHINE = "no-way-to-machine", "there is no way to that machine"
    NO_WAY_TO_NETWORK = "no-way-to-network", "there is no way to that network"
    NETWORK_DOWN = "network-down", "the network is down"
    PROCESS_FULL = "process-full", "this process has too many connections open"
    MACHINE_FULL = "machine-full", "this machine has too many connections open"
    NO_SUCH_FAMILY = "no-such-address-family", "this machine does not speak that kind of address"
    OTHER_TLS = "other-tls", "it does not speak our kind of TLS"
    UNKNOWN_NAME = "unknown-machine-name", "that name is not known here"
    NO_NAME = "no-machine-name", "that is not a name of a machine"
    UNREACHED = "unreached", "{address} cannot be reached: {why}"
    CANNOT_LISTEN = "cannot-listen", "cannot listen on {address}: {why}"
    FAILED = "connection-failed", "the connection failed: {why}"
    AT = "at-address", "{address}: {why}"
    EACH_WAY = "no-way", "{reasons}"
    NO_ADDRESS = "no-address", "no address is known"
    SLOW = "slow-answer", "{address} did not answer in {seconds} s"
    NOT_LET_IN = "not-let-in", "it did not let us in in time"
    NO_LINK = "no-link", "no link within {seconds} s to {addresses}"
    NO_ROOM_HERE = "no-room-here", "we take no link with it, or have no room for one more"
    NOT_DIALLED = "not-dialled", "{address} is in no network of ours: it is not dialled"
    NOT_BY_RELAY = (
        "not-by-relay",
        "{address} is none of your relays: with --relay-only it is not dialled",
    )
    DOOR_SHUT = "door-shut", "nothing is listened for there any more"


class NetError(CodedError):
    """Something about the network failed.

    `is_final`: trying again soon gives the same; nobody listens there, or another answers.
    """

    is_final = False


class NobodyError(NetError):
    """Nobody listens there, or not the one who is looked for."""

    is_final = True


class RefusedError(NetError):
    """A listener let us not in; `elsewhere`: it is linked with another process of our key; `full`:
    it has no room for more links."""

    def __init__(
        self, code: Code, elsewhere: bool = False, full: bool = False, **fields: object
    ) -> None:
        super().__init__(code, **fields)
        self.elsewhere, self.full = elsewhere, full


class MisfitError(NobodyError):
    """The two ends of a link need features of each other that they do not have."""


class AddressError(NetError):
    """An address that nobody could dial or listen on, as written."""


class TicketError(CodedError, ValueError):
    """A ticket that cannot be read, or made."""


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
    """What an exception of trio, TLS or the system means."""
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
    if error.errno is None:  # trio sums several attempts up; the first tells enough
        cause = error.__cause__
        if isinstance(cause, BaseExceptionGroup):
            return why(cause.exceptions[0])
        if cause is not None:
            return why(cause)
    known = _BY_NUMBER.get(error.errno or 0)
    return because(known) if known else of_system(error)


_CUT = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
"""How TLS says that the connection has ended; all else that it says is of bytes that are no TLS of
ours."""
# All that a stream or a socket may raise because of the peer or the system.
TROUBLE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)


def _is_final(error: BaseException | None) -> bool:
    """Whether the machine was reached, and nobody listens there, on none of its addresses, or one
    who speaks no TLS of ours."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_final, error.exceptions))
    if isinstance(error, ssl.SSLError):
        return not isinstance(error, _CUT)
    if isinstance(error, trio.BrokenResourceError) or (
        isinstance(error, OSError) and error.errno is None  # trio sums several attempts up
    ):
        return _is_final(error.__cause__)
    return isinstance(error, ConnectionRefusedError)


@contextmanager
def trouble_is(code: Code, **fields: object) -> Iterator[None]:
    """Turn trouble inside into a NetError of this code, with the field `why`."""
    try:
        yield
    except (*TROUBLE, UnicodeError) as error:
        kind = NobodyError if _is_final(error) else NetError
        raise kind(code, **fields, why=why(error)) from error
