"""Asking for a ticket by a code: a guest's side, before there is a table or a seat."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import trio

from protocol.bounds import Seconds

from ..codes.exchange import GuestExchange
from ..codes.spoken import CodeCode, CodeError, SpokenCode
from ..net.addresses import parse_address
from ..net.link_limits import Limits
from ..net.network_errors import NetError, RefusedError, TicketError
from ..net.relay_client import NUMBER, Conversation, conversation
from ..net.secure_channel import BY_VERDICT, Verdict
from ..net.ticket import Ticket, decode_ticket
from ..net.transport import Network, TcpNetwork

ANSWER: Final[Seconds] = 30.0
"""Seconds for the relay, which may have to be asked several times, and the host's answers."""


async def ticket_by_code(code: SpokenCode, network: Network | None = None) -> Ticket:
    """The ticket for a code, by its relay; CodeError says why there is none.

    One try: a code is asked for once, whatever the answer ([K-5]).
    """
    guest, relay = GuestExchange(code), parse_address(code.relay)
    wish = code.number.to_bytes(NUMBER, "big") + guest.first
    with trio.move_on_after(ANSWER):
        with _refusals_of(code):
            async with conversation(network or TcpNetwork(), relay, wish, Limits()) as talk:
                return _read(await _word(guest, talk, code))
    raise _unanswered(code)


@contextmanager
def _refusals_of(code: SpokenCode) -> Iterator[None]:
    """What a relay that refuses, or is not there, means for the code."""
    try:
        yield
    except RefusedError as error:
        why, relay = error.fields["why"], code.relay
        if why.code == BY_VERDICT[Verdict.UNKNOWN]:
            raise CodeError(CodeCode.NOBODY, number=code.number, relay=relay) from error
        raise CodeError(CodeCode.BUSY, relay=relay) from error
    except NetError as error:
        raise CodeError(CodeCode.UNREACHED, relay=code.relay, why=error.reason) from error


async def _word(guest: GuestExchange, talk: Conversation, code: SpokenCode) -> str:
    try:
        second = await talk.receive()
    except NetError as error:
        raise _unanswered(code) from error
    talk.post(guest.prove(second))
    try:
        return guest.open(await talk.receive())
    except NetError as error:  # a host that does not believe us says no more
        raise CodeError(CodeCode.WRONG) from error


def _unanswered(code: SpokenCode) -> CodeError:
    return CodeError(CodeCode.UNANSWERED, number=code.number, relay=code.relay)


def _read(word: str) -> Ticket:
    try:
        return decode_ticket(word)
    except TicketError as error:
        raise CodeError(CodeCode.NO_TICKET, why=error.reason) from error
