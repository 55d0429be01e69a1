"""The way to a relay by WebSocket, through TLS of the web, as browsers and strict networks need it.

SPEC: section 13.2.
"""

from __future__ import annotations

import ssl
from functools import cache
from typing import Final

import h11
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, RejectConnection, Request
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from protocol.units import Quota

from ..coded_errors import NetworkCode
from ..web.byte_stream import WebByteStream
from .address_schemes import PATH, Scheme
from .addresses import Address
from .exception_reasons import trouble_is
from .network_errors import NetCode, NetError, NobodyError

SUBPROTOCOL: Final = "hoity-relay"
CHUNK: Final = 4096
MOST_ANSWER: Final[Quota] = 16 * 1024
"""The most bytes of an answer to the request for a WebSocket."""


class WebCode(NetworkCode):
    """The reasons why a relay cannot be reached by WebSocket."""

    NO_RELAY = "web-no-relay", "no relay of ours answers there by WebSocket"
    STATUS = "web-refused", "the web server there refuses the connection (HTTP {status})"
    CERTIFICATE = "web-certificate", "its certificate is not valid here: {why}"


@cache
def _context() -> ssl.SSLContext:
    """Return the TLS context of the web: the certificates that this system trusts."""
    return ssl.create_default_context()


async def enter_web_relay(raw: trio.abc.Stream, relay: Address) -> WebByteStream:
    """Ask a relay for a WebSocket over a stream, and return its bytes.

    Raises:
        NetError: If it is refused. It is a NobodyError if another attempt soon would fail in the
            same way.
    """
    if relay.scheme is Scheme.WSS:
        raw = await _in_tls(raw, relay.host)
    with trouble_is(NetCode.FAILED):
        return await _upgraded(raw, relay)


async def _in_tls(raw: trio.abc.Stream, host: str) -> trio.abc.Stream:
    """Begin TLS with a server whose certificate this system trusts for the host."""
    stream = trio.SSLStream(raw, _context(), server_hostname=host, https_compatible=True)
    try:
        with trouble_is(NetCode.FAILED):
            await stream.do_handshake()
    except NetError as error:
        cause = error.__cause__.__cause__ if error.__cause__ else None
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise NobodyError(WebCode.CERTIFICATE, why=cause.verify_message) from error
        raise
    return stream


async def _upgraded(raw: trio.abc.Stream, relay: Address) -> WebByteStream:
    """Ask for a WebSocket, and return its bytes."""
    socket = WSConnection(ConnectionType.CLIENT)
    asked = Request(host=relay.web_authority, target=PATH, subprotocols=[SUBPROTOCOL])
    await raw.send_all(socket.send(asked))
    left = MOST_ANSWER
    while True:
        data = await raw.receive_some(CHUNK)
        left -= len(data)
        if not data:
            raise NetError(WebCode.NO_RELAY)
        if left < 0:
            raise NobodyError(WebCode.NO_RELAY)
        try:
            socket.receive_data(bytes(data))
            event = next(socket.events(), None)
        except (RemoteProtocolError, LocalProtocolError, h11.ProtocolError, ValueError):
            raise NobodyError(WebCode.NO_RELAY) from None
        match event:
            case AcceptConnection(subprotocol=chosen):
                if chosen != SUBPROTOCOL:
                    raise NobodyError(WebCode.NO_RELAY)
                return WebByteStream(raw, socket)
            case RejectConnection(status_code=status):
                raise (NetError if _may_pass(status) else NobodyError)(
                    WebCode.STATUS, status=status
                )


def _may_pass(status: int) -> bool:
    """Return whether a server may answer otherwise soon, as when it is busy or is restarted."""
    return status < 200 or status in (408, 425, 429) or status >= 500
