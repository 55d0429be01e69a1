"""The reasons, for a player, of exceptions of trio, TLS and the operating system."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from ..coded_errors import Code, Reason, because, of_system
from .network_errors import NetCode, NetError, NobodyError

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
    """Return the reason, for a player, of an exception of trio, TLS or the operating system."""
    if isinstance(error, trio.TooSlowError):
        return because(NetCode.NO_ANSWER_IN_TIME)
    # The next two kinds are OSErrors, too, whose numbers mean something else.
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
"""By these TLS reports the end of a connection, by all others bytes that are not valid TLS."""
# The exceptions that a stream or a socket may raise because of the peer or the system.
TROUBLE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)


def _is_final(error: BaseException | None) -> bool:
    """Return whether an error shows that no peer of this program can be reached at an address.

    That is so if the computer was reached, but the connection was refused or TLS has failed.
    """
    if isinstance(error, BaseExceptionGroup):
        # A single address that merely was too slow may answer the next time.
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
        fields: The fields of the error's text. The field `why` is added, with the reason.

    Raises:
        NetError: If the network fails in the block. It is a NobodyError if another attempt soon
            would fail in the same way.
    """
    try:
        yield
    # The look-up of a name that cannot be encoded raises UnicodeError.
    except (*TROUBLE, UnicodeError) as error:
        kind = NobodyError if _is_final(error) else NetError
        raise kind(code, **fields, why=why(error)) from error
