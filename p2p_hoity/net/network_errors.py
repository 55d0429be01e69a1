"""Errors of the network, and their codes."""

from __future__ import annotations

from ..coded_errors import Code, CodedError, NetworkCode


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
    NOT_FROM_PAGE = (
        "not-from-page",
        ("{address} cannot be reached from this page, which connects to nothing but its own relay"),
    )
    NOT_LISTENING = "not-listening", "no program accepts connections there any more"


class LinkCode(Code):
    """Reasons why a link has ended, besides those of a `NetError` and of `hub.Hub.drop`."""

    CLOSED = "link-closed", "the other program closed the link"
    CLOSED_HERE = "link-closed-here", "this program closed it"
    TOO_SLOW = "link-too-slow", "the other program reads more slowly than we have to send"
    SILENT = "link-silent", "nothing was received from it for {seconds} s"
    UNREAD = "link-unread", "the other program has read nothing for {seconds} s"
    REPLACED = "link-replaced", "a better link to the same peer took its place"
    MADE_ROOM = "link-made-room", "it was closed to make room for another one"


class NetError(CodedError):
    """An error of the network, for example a connection that failed.

    Attributes:
        is_final: Whether another attempt soon would fail in the same way.
    """

    is_final = False


class NobodyError(NetError):
    """An error: nobody listens at an address, or a peer that was not expected answers there."""

    is_final = True


class RefusedError(NetError):
    """An error: the program that was dialled, or a relay, has refused the connection.

    Attributes:
        elsewhere: Whether another process with this program's key is already connected there.
        full: Whether there is no room for more links.
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
