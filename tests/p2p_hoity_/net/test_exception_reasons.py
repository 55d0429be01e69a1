"""Tests of what errors of the network mean for a player, and which of them are final."""

import errno
import socket
import ssl

import pytest
import trio
from support.cases import ends_in

from p2p_hoity.coded_errors import Reason, SystemCode, because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.exception_reasons import trouble_is, why
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.transport import TcpNetwork

LOOPBACK = "127.0.0.1"
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "refused")
NO_TLS = ssl.SSLError(1, "wrong version number")


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (trio.TooSlowError(), because(NetCode.NO_ANSWER_IN_TIME)),
        (ssl.SSLEOFError(), because(NetCode.CUT)),
        (NO_TLS, because(NetCode.OTHER_TLS)),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), because(NetCode.UNKNOWN_NAME)),
        (UnicodeError("label too long"), because(NetCode.NO_NAME)),
        (OSError(errno.EADDRINUSE, "in use"), because(NetCode.PORT_IN_USE)),
        (OSError(errno.EPIPE, "gone"), because(NetCode.CUT)),
        (OSError(9999, "strange"), because(SystemCode.NUMBERED, number=9999)),
        (trio.BrokenResourceError(), because(NetCode.CUT)),
        (caused(trio.BrokenResourceError(), NO_TLS), because(NetCode.OTHER_TLS)),
        (caused(OSError("all attempts failed"), REFUSED), because(NetCode.NOBODY_LISTENS)),
        (
            caused(
                OSError("all attempts failed"),
                ExceptionGroup("both", [REFUSED, OSError(errno.ENETUNREACH, "far")]),
            ),
            because(NetCode.NOBODY_LISTENS),
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, Reason) else type(value).__name__,
)
def test_an_error_is_told_by_what_caused_it(error: BaseException, reason: Reason) -> None:
    assert why(error) == reason


@pytest.mark.parametrize(
    ("error", "is_final"),
    [
        (REFUSED, True),
        (NO_TLS, True),
        (caused(trio.BrokenResourceError(), NO_TLS), True),
        (caused(OSError("all failed"), ExceptionGroup("both", [REFUSED, REFUSED])), True),
        (caused(OSError("all failed"), ExceptionGroup("both", [REFUSED, OSError(5, "")])), False),
        (ssl.SSLEOFError(), False),
        (trio.TooSlowError(), False),
        (OSError(errno.EHOSTUNREACH, "far"), False),
        (UnicodeError(), False),
    ],
)
def test_only_that_no_program_of_ours_is_there_is_final(
    error: BaseException, is_final: bool
) -> None:
    with pytest.raises(NetError) as caught, trouble_is(NetCode.AT, address="a:1"):
        raise error
    assert caught.value.is_final == isinstance(caught.value, NobodyError) == is_final
    assert caught.value.fields == {"address": "a:1", "why": why(error)}


def test_an_error_of_the_program_is_no_trouble_of_the_network() -> None:
    with pytest.raises(KeyError), trouble_is(NetCode.FAILED):
        raise KeyError


async def test_that_nobody_listens_there_is_final_and_a_cut_is_not():
    network = TcpNetwork()
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await door.aclose()
    await ends_in(NobodyError, r"\(nobody-listens", network.open(Address(LOOPBACK, port)))
    with pytest.raises(NetError) as caught, trouble_is(NetCode.FAILED):
        raise ConnectionResetError
    assert not caught.value.is_final
