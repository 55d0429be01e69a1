"""Sitting down at the table of a ticket, or of a code."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import trio

from p2p_hoity.table.join_table import join_table, kept_seat
from p2p_hoity.table.play_table import Reach
from p2p_hoity.table.resume_table import find_game
from p2p_hoity.table.saved_games import is_running
from p2p_hoity.table.session import Outcome
from p2p_hoity.table.spoken_codes import is_code, parse_code, parse_relay

from ..exit_codes import USAGE, Trouble
from ..local.places import check_output
from ..local.player_setup import at_terminal, only_one
from ..local.relays import relays_of
from ..words.reaching import alone_lines
from ..words.translation import _
from . import pick_table
from .by_code import ticket_of
from .reaching import need_relay
from .resume import take_up
from .running import tell_running
from .seats import new_sitting
from .take_seat import Manner, Sitting, sit


def join(manner: Manner, ticket: str, reach: Reach) -> int:
    """Sit down at a table, or take one's seat at it again if there is one; the exit code."""
    check_output(manner.transcript)
    word = _ticket(manner, ticket, reach)
    reach = _with_relays(word, reach) if reach.relay_only else reach
    ask = partial(ticket_of, word, reach.relays, reach.network, manner.as_json)
    typed = None if is_code(word) else ask()
    sitting = new_sitting(manner)
    for words in alone_lines(reach.relays, reach.hidden) if reach.relay_only else ():
        sitting.say(words)
    # A code is good for one try and some minutes: whoever has one is asked all else before.
    read, relay = typed or ask()

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        sitting.say(_("Asking the host for the terms …"))
        return await join_table(sitting.seat, read, sitting.accept, reach)

    me = sitting.me.identity.public
    kept = kept_seat(sitting.home, sitting.passphrase, me, read)
    if kept is not None:
        game = find_game(sitting.home, kept, sitting.passphrase, me)
        if is_running(game):
            return tell_running(sitting, game, read)
        sitting.say(_("Your seat at this table is kept on this machine."))
        return take_up(sitting, game, reach, fresh=read)
    if relay is not None and not reach.relays:
        reach = replace(reach, relays=(relay,))  # it has just answered: others reach us there too
    with only_one(sitting.home, read):
        return sit(sitting, go)


def _with_relays(word: str, reach: Reach) -> Reach:
    """The same with the relays that the player has named: typed, kept, or behind the @ of a code;
    Trouble if there are none. Those that only a ticket names are its host's choice."""
    relays = list(reach.relays if reach.relays_anew else relays_of(None))
    if is_code(word) and (named := parse_code(word).relay):
        relays.append(parse_relay(named))
    found = replace(reach, relays=tuple(dict.fromkeys(relays)))
    need_relay(found)
    return found


def _ticket(manner: Manner, word: str, reach: Reach) -> str:
    """The ticket that is meant: typed as such, or picked from the tables of this LAN, which is not
    asked by one who hides."""
    if reach.hidden or reach.relay_only:
        if not word:
            option = "--proxy" if reach.hidden else "--relay-only"
            words = _("With {option} this network is not asked: give the ticket.")
            raise Trouble(words.format(option=option), USAGE)
        return word
    if not word:
        return pick_table.from_list()
    if is_code(word):
        return word
    if not manner.as_json and at_terminal() and pick_table.is_nickname(word):
        return pick_table.by_nickname(word)
    return word
