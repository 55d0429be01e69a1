"""Hand out tickets by spoken codes: the host's side, and the guest's.

A spoken code is for one guest and is valid for some minutes. Strangers can try to guess a code, and
each wrong try ends the code that is shown. A new code follows. After many wrong tries the next
codes have more words, and after several in a row the next code comes after a pause. The network
that dials is TCP from this computer if it is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import trio

from protocol.units import Quota, Seconds

from ...coded_errors import Code, because
from ...net.addresses import relay_address
from ...net.handshake_codes import BY_VERDICT, HandshakeCode, Verdict
from ...net.link_limits import Limits
from ...net.mailbox_numbers import MOST_NUMBER, NUMBER
from ...net.network_errors import NetError, RefusedError, TicketError
from ...net.relay_client import Conversation, conversation
from ...net.ticket import Ticket, decode_ticket
from ...net.transport import Network, TcpNetwork
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import CodeEnd, Screen
from .spake2_exchange import GuestExchange, HostExchange
from .spoken_codes import LIFE, WORDS, CodeCode, CodeError, SpokenCode, fresh_words

EXCHANGE: Final[Seconds] = 15.0
"""Seconds from a guest's first message to its proof."""
GOODBYE: Final[Seconds] = 10.0
"""Seconds within which a guest has to read the ticket and close its connection."""
WRONG: Final[tuple[Quota, Quota]] = (8, 8192)
"""The numbers of wrong tries at one table after which codes have three words, and four.

All tries together find the words of a code with a chance below 2^-16. This is the sum of 8 tries at
two words (1 in 1295² each), 8,184 at three words (1 in 1295³ each), and ten million at four words
(1 in 1295⁴ each).
"""
FIRST_PAUSE: Final[Seconds] = 1.0
"""Seconds of the first pause after a relay has failed, and after too many wrong tries in a row."""
LONGEST_PAUSE: Final[Seconds] = 60.0
"""Seconds of the longest pause after failures. Each pause is twice as long as the one before."""
IN_A_ROW: Final[Quota] = 8
"""The most codes in a row that may end by a wrong try without a pause."""


class CodesCode(Code):
    """The reasons for which a host has no spoken code to show."""

    RELAY_LOST = (
        "codes-relay-lost",
        "There is no code now, since the relay {relay} does not work ({why}). It will be tried "
        "again. The ticket works without it",
    )
    GUESSED_AT = (
        "codes-guessed-at",
        "Strangers are guessing codes at {relay}, so yours have {words} words from now on. The "
        "ticket works without a code",
    )


class CodeKeeper:
    """The host's supply of spoken codes. It shows one at a time, for one guest to try ([K-5])."""

    def __init__(
        self,
        relays: Sequence[str],
        word: Callable[[], str],
        screen: Screen,
        network: Network | None,
    ) -> None:
        """Prepare a supply of spoken codes. Nothing is shown before `run`.

        Args:
            relays: The 'host:port' of each relay at which codes can be used.
            word: Returns the encoded ticket that is valid when it is called.
        """
        self._relays, self._word, self._screen = tuple(relays), word, screen
        self._network = network or TcpNetwork()
        self._after: CodeEnd | None = None
        self._lost: set[str] = set()
        self._wrong = self._in_a_row = 0
        self._pause = FIRST_PAUSE

    async def run(self) -> None:
        """Show one spoken code after the other, until cancelled."""
        turn, pause = 0, FIRST_PAUSE
        while True:
            relay = self._relays[turn % len(self._relays)]
            try:
                self._after = await self._one(relay)
            except NetError as error:
                # Tell this once for each relay, until there is a code again.
                if relay not in self._lost:
                    why = because(CodesCode.RELAY_LOST, relay=relay, why=error.reason)
                    self._screen(updates.NoCode(why))
                self._lost.add(relay)
                self._after = CodeEnd.LOST
                turn += 1  # Another relay may work.
                await trio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            await self._count(relay)

    async def _count(self, relay: str) -> None:
        """Count a spoken code that has ended, and pause after too many wrong tries in a row."""
        if self._after is not CodeEnd.WRONG:
            # The count of all wrong tries stays: by it the words are enough for the whole table.
            self._in_a_row, self._pause = 0, FIRST_PAUSE
            return
        self._wrong, self._in_a_row = self._wrong + 1, self._in_a_row + 1
        if self._wrong in WRONG:
            why = because(CodesCode.GUESSED_AT, relay=relay, words=self._words)
            self._screen(updates.NoCode(why))
        # Otherwise a guesser gets new tries as fast as the host can show codes.
        if self._in_a_row > IN_A_ROW:
            await trio.sleep(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    @property
    def _words(self) -> int:
        """The number of words of the next spoken code ([K-5])."""
        return WORDS + sum(self._wrong >= most for most in WRONG)

    async def _one(self, relay: str) -> CodeEnd:
        """Offer a code at a relay, and return how it ended. Raise NetError if the relay fails."""
        async with conversation(self._network, relay_address(relay), b"", Limits()) as talk:
            code = SpokenCode(await _number(talk), fresh_words(self._words), relay)
            self._lost.clear()
            self._screen(updates.OfferedCode(str(code), relay, LIFE, self._after))
            with trio.move_on_after(LIFE) as life:
                first = await talk.receive()
            if life.cancelled_caught:
                return CodeEnd.OLD
            # The ticket is asked for only now, because its addresses may have changed meanwhile.
            return await self._exchange(talk, HostExchange(code, self._word()), first)

    async def _exchange(self, talk: Conversation, host: HostExchange, first: bytes) -> CodeEnd:
        """Let a guest try a spoken code once, and return how the code has ended.

        If the guest breaks off, the code counts as tried wrongly ([K-5]).
        """
        with trio.move_on_after(EXCHANGE) as exchange:
            try:
                talk.post(host.answer(first))
                talk.post(host.give(await talk.receive()))
            # Who breaks off may have seen that the guess is wrong, so that is a try, too.
            except (CodeError, NetError):
                return CodeEnd.WRONG
        # Who is silent until the time is over may have made a guess as well.
        if exchange.cancelled_caught:
            return CodeEnd.WRONG
        # Wait until the guest has read the ticket and closed the connection. Its proof was right,
        # so a slow goodbye does not count as a wrong try.
        with trio.move_on_after(GOODBYE), suppress(NetError):
            while True:
                await talk.receive()
        return CodeEnd.USED


async def _number(talk: Conversation) -> int:
    """Return the number under which guests find this host at the relay, or raise NetError."""
    with trio.move_on_after(Limits().handshake):
        said = await talk.receive()
        number = int.from_bytes(said, "big")
        if len(said) == NUMBER and number <= MOST_NUMBER:
            return number
    raise NetError(HandshakeCode.OTHER_LANGUAGE)


ANSWER: Final[Seconds] = 30.0
"""Seconds within which a guest gets the ticket, also if the relay is asked several times."""


async def ticket_by_code(code: SpokenCode, network: Network | None = None) -> Ticket:
    """Get the ticket for a spoken code, over the relay that the code names.

    The code can be tried only once, even if this fails ([K-5]).

    Raises:
        CodeError: If there is no ticket.
    """
    guest, relay = GuestExchange(code), relay_address(code.relay)
    wish = code.number.to_bytes(NUMBER, "big") + guest.first
    with trio.move_on_after(ANSWER):
        with _refusals_of(code):
            async with conversation(network or TcpNetwork(), relay, wish, Limits()) as talk:
                try:
                    return decode_ticket(await _word(guest, talk, code))
                except TicketError as error:
                    raise CodeError(CodeCode.NO_TICKET, why=error.reason) from error
    raise _unanswered(code)


@contextmanager
def _refusals_of(code: SpokenCode) -> Iterator[None]:
    """Run a block, and turn a failure of the code's relay into a `CodeError`."""
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
    """Prove to the host that this guest knows the words. Return the encoded ticket."""
    try:
        second = await talk.receive()
    except NetError as error:
        raise _unanswered(code) from error
    talk.post(guest.prove(second))
    try:
        return guest.open(await talk.receive())
    except NetError as error:  # A host that was sent a wrong proof closes.
        raise CodeError(CodeCode.WRONG) from error


def _unanswered(code: SpokenCode) -> CodeError:
    return CodeError(CodeCode.UNANSWERED, number=code.number, relay=code.relay)
