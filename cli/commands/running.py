"""A ticket for a game that is being played in another terminal: it is handed to that one."""

from __future__ import annotations

from functools import partial

import trio

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage import journal as journals
from p2p_hoity.table.join_table import JoinCode
from p2p_hoity.table.play_table import PeerError
from p2p_hoity.table.reconnect_moved_seat import check_fresh, hand_over, name_in
from p2p_hoity.table.resume_table import OpenGame
from protocol import table_header

from ..exit_codes import NOT_OK, OK, Trouble, ctrl_c_means
from ..printing import say, write_line
from ..words.translation import _
from .take_seat import Sitting


def tell_running(sitting: Sitting, game: OpenGame, ticket: Ticket) -> int:
    """Have the running game dial the seat of a ticket where it is now; the exit code. FreshError if
    the ticket is not of that game, Trouble if it is not taken there."""
    first = journals.read_first(game.path, sitting.passphrase)
    known = table_header.parse_header(first[0])
    check_fresh(ticket, known, first[8])
    if ticket.host_id == sitting.me.identity.public:
        raise PeerError(JoinCode.OWN_TICKET)
    with ctrl_c_means(lambda: _("Interrupted")):
        is_taken = trio.run(partial(hand_over, game.path, ticket))
    if not is_taken:
        words = _(
            "Your seat at this table is played in another terminal, which does not take the ticket:"
            " leave there, and type this again."
        )
        raise Trouble(words, NOT_OK)
    name = name_in(known, ticket)
    if sitting.manner.as_json:
        write_line({"type": "handed", "game": game.name, "name": name})
        return OK
    words = _(
        "Your seat at this table is played in another terminal. {name} is dialled from there now at"
        " the addresses of this ticket, too: play on there."
    )
    say(words.format(name=name))  # no screen opens for it
    return OK
