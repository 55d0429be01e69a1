"""From what was typed to a ticket: a ticket itself, or a code and the relay that knows it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import trio

from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.net.transport import Network
from p2p_hoity.table.invite_by_code import ticket_by_code
from p2p_hoity.table.spoken_codes import is_code, parse_code, parse_relay

from ..exit_codes import USAGE, Trouble, ctrl_c_means
from ..local.relays import relays_of
from ..printing import say
from ..words.translation import _


def ticket_of(
    word: str, relays: tuple[str, ...], network: Network | None, silent: bool
) -> tuple[Ticket, str | None]:
    """The ticket that a word is or leads to, and the relay that was asked for it, if any.

    `relays` were typed beside it, `silent`: nothing is said of it. Trouble, TicketError or
    CodeError if there is none. The relay is the one behind the @, else the first one typed, else
    the one kept.
    """
    if not is_code(word):
        return decode_ticket(word), None
    code = parse_code(word)
    known = [code.relay] if code.relay else relays_of(relays)
    if not known:
        words = _(
            "No relay is known to ask for this code. Say which: hoity join {code}@HOST:PORT; or"
            " keep one for good: hoity relay --use HOST:PORT"
        )
        raise Trouble(words.format(code=code), USAGE)
    code = replace(code, relay=parse_relay(known[0]))
    if not silent:
        say(_("Asking the relay {relay} for the ticket …").format(relay=code.relay))
    with ctrl_c_means(lambda: _("Interrupted: you sat down nowhere.")):
        return trio.run(partial(ticket_by_code, code, network)), code.relay
