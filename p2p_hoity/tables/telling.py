"""What a host is told of its ticket while the table fills: how far it leads, and a better one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..net.ticket import Ticket, encode_ticket
from ..reachability.advertised_addresses import Judged
from ..reachability.ways import Ways
from ..session.lobby import Seating
from ..session.updates import Reached, Screen


@dataclass
class TicketTeller:
    """Tells a host who wants guests from elsewhere what its ticket is good for ([L-51])."""

    seating: Seating
    screen: Screen
    ticket: Ticket
    secret: bytes = field(repr=False)
    is_told: bool
    _last: Judged | None = None

    def tell(self, judged: Judged) -> None:
        """Say it if it is new; a ticket with other addresses than the last one is given again."""
        if not self.is_told or judged == self._last:
            return
        word = self._word(judged.direct) if self._last is not None else ""
        self._last = judged
        self.screen(Reached(judged.scope, judged.reasons, word))

    def _word(self, direct: Sequence[str]) -> str:
        if self.ticket.addresses == direct:
            return ""
        self.ticket = replace(self.ticket, addresses=tuple(direct))
        return self.word()

    def word(self) -> str:
        """The ticket that is good now."""
        return encode_ticket(self.ticket.with_secret(self.secret))

    async def follow(self, ways: Ways) -> None:
        """Go on telling, and have the seats told, for as long as the table fills."""
        while True:
            await ways.changed()
            judged = ways.judged()
            self.seating.move(judged.named)
            self.tell(judged)
