"""Where the network's exceptions become plain words: one boundary for trio, TLS and the system."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import trio


class NetError(Exception):
    """Something about the network failed; the text says what, in plain words.

    `is_final`: trying again soon gives the same; nobody listens there, or another answers.
    """

    is_final = False


class NobodyError(NetError):
    """Nobody listens there, or not the one who is looked for."""

    is_final = True


class RefusedError(NetError):
    """A listener let us not in; `elsewhere`: it is linked with another process of our key."""

    def __init__(self, words: str, elsewhere: bool = False) -> None:
        super().__init__(words)
        self.elsewhere = elsewhere


class AddressError(NetError):
    """An address that nobody could dial or listen on, as written."""


class TicketError(ValueError):
    """A ticket that cannot be read; the text says how to get a good one."""


_BY_NUMBER = {
    errno.EADDRINUSE: "the port is already in use",
    errno.EADDRNOTAVAIL: "this machine has no such address",
    errno.EACCES: "the system does not allow it",
    errno.EPERM: "the system does not allow it",
    errno.ECONNREFUSED: "nobody listens there",
    errno.ECONNRESET: "the connection was cut",
    errno.EPIPE: "the connection was cut",
    errno.ECONNABORTED: "the connection was cut",
    errno.ETIMEDOUT: "no answer",
    errno.EHOSTUNREACH: "there is no way to that machine",
    errno.EHOSTDOWN: "there is no way to that machine",
    errno.ENETUNREACH: "there is no way to that network",
    errno.ENETDOWN: "the network is down",
    errno.EMFILE: "this process has too many connections open",
    errno.ENFILE: "this machine has too many connections open",
    errno.EAFNOSUPPORT: "this machine does not speak that kind of address",
}


def in_words(error: BaseException) -> str:
    """What an exception of trio, TLS or the system means, in plain words."""
    if isinstance(error, trio.TooSlowError):
        return "no answer in time"
    if isinstance(error, ssl.SSLError):
        return "it does not speak our kind of TLS"
    if isinstance(error, socket.gaierror):
        return "that name is not known here"
    if isinstance(error, UnicodeError):
        return "that is not a name of a machine"
    if isinstance(error, OSError):
        return _system_words(error)
    cause = error.__cause__
    if cause is not None and not isinstance(cause, trio.BrokenResourceError):
        return in_words(cause)
    return "the connection was cut"


def _system_words(error: OSError) -> str:
    if error.errno is None:  # trio sums several attempts up; the first tells enough
        cause = error.__cause__
        if isinstance(cause, BaseExceptionGroup):
            return in_words(cause.exceptions[0])
        if cause is not None:
            return in_words(cause)
    return _BY_NUMBER.get(error.errno or 0, error.strerror or "the system refused")


# All that a stream or a socket may raise because of the peer or the system.
TROUBLE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)


def _is_refusal(error: BaseException | None) -> bool:
    """Whether the machine was reached and nobody listens there, on none of its addresses."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_refusal, error.exceptions))
    if isinstance(error, OSError) and error.errno is None:  # trio sums several attempts up
        return _is_refusal(error.__cause__)
    return isinstance(error, ConnectionRefusedError)


@contextmanager
def plain_words(doing: str) -> Iterator[None]:
    """Turn trouble inside into NetError('<doing>: <why>')."""
    try:
        yield
    except (*TROUBLE, UnicodeError) as error:
        kind = NobodyError if _is_refusal(error) else NetError
        raise kind(f"{doing}: {in_words(error)}") from error
