"""A splice between two sockets that the exchange carries together with all others."""

from __future__ import annotations

import trio

from .exchange import Exchange
from .splice import Ends, Splice


class SwitchedSplice(Splice):
    """As any splice; what came early goes out by its own streams, all else by the exchange."""

    def __init__(
        self,
        exchange: Exchange,
        ends: Ends,
        idle: float,
        most: int,
        early: tuple[bytes, bytes] = (b"", b""),
    ) -> None:
        super().__init__(ends, idle, most, early)
        self._exchange = exchange

    async def carry(self, early: tuple[bytes, bytes]) -> None:
        """Until the exchange says that one end has stopped."""
        over = trio.Event()
        numbers = _number(self.ends[0]), _number(self.ends[1])
        self._exchange.enter(self, numbers, early, over.set)
        try:
            await over.wait()
        finally:
            self._exchange.leave(numbers)


def splice_of(
    exchange: Exchange, ends: Ends, idle: float, most: int, early: tuple[bytes, bytes]
) -> Splice:
    """The splice for two ends: by the exchange if it can."""
    if exchange.takes(ends):
        return SwitchedSplice(exchange, ends, idle, most, early)
    return Splice(ends, idle, most, early)


def _number(end: trio.abc.Stream) -> int:
    if not isinstance(end, trio.SocketStream):
        raise RuntimeError("only sockets are switched")
    return end.socket.fileno()
