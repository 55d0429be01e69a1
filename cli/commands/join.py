"""The commands `join` and `tables`: finding an open table and sitting down at it.

A table is named by a ticket, by a spoken code, or by the nickname of a host on this LAN. If this
computer stores a seat at the table already, that seat is resumed. Functions that let the player
pick a table return its ticket, or the ticket or code that was typed instead. Their relays are those
typed as options.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import trio

from p2p_hoity.confusable_names import twins
from p2p_hoity.net.lan_discovery import Announcement, browse
from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.net.ticket import PREFIX, VERSION, Ticket, TicketCode
from p2p_hoity.net.transport import Network
from p2p_hoity.net.typed_tickets import is_like_a_ticket, read_ticket
from p2p_hoity.pasted_text import after_command, bare, visible
from p2p_hoity.table.beside_game.saved_games import is_running
from p2p_hoity.table.beside_game.unfinished_games import find_game
from p2p_hoity.table.gathering.invite_by_code import ticket_by_code
from p2p_hoity.table.gathering.join_table import join_table, kept_seat
from p2p_hoity.table.gathering.spoken_codes import CodeError, is_code, parse_code, parse_relay
from p2p_hoity.table.gathering.table_keys import draw_keys
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing.session import Outcome
from protocol import table_header
from protocol.units import Seconds

from ..exit_codes import INTERRUPTED, OK, USAGE, Trouble, ctrl_c_means
from ..local.one_terminal_per_key import only_one
from ..local.player_setup import answer, at_terminal
from ..local.seat_checks import check_output
from ..local.settings import relays_of
from ..printing import say, write_line
from ..words.error_sentences import sentence
from ..words.table_terms import alone_lines
from ..words.translation import _
from .options import OutputOptions, SeatOptions
from .reach_options import PROXY, need_relay
from .resume import take_up, tell_running
from .take_seat import Sitting, new_sitting, sit


def look_around(seconds: float, as_json: bool) -> int:
    """Print the tables that are announced on this LAN within so many seconds.

    Raises:
        Trouble: If the player's connections go through a proxy. The search is sent to the whole
            LAN, and so shows it this computer ([L-55]).
    """
    if os.environ.get(PROXY):
        words = _(
            "HOITY_PROXY is set, and a search of this network would not go through the proxy: it "
            "would show your machine to everybody there. Ask the host for the ticket, or search "
            "without HOITY_PROXY."
        )
        raise Trouble(words, USAGE)
    found = trio.run(browse, seconds)
    for one in found:
        ticket = one.ticket or None
        table = {"host": one.name, "joined": one.joined, "seats": one.seats, "ticket": ticket}
        text = _("{host}: {joined} of {seats} seated. Open to all: hoity join {ticket}")
        if ticket is None:
            text = _(
                "{host}: {joined} of {seats} seated. To sit down, ask the host for the ticket."
            )
        if as_json:
            write_line(table)
        else:
            say(text.format(**table))
    if not found and not as_json:
        say(_("No open table on this LAN. Open one with: hoity host"))
    return OK


def ticket_of(
    word: str, relays: tuple[str, ...], network: Network | None, silent: bool
) -> tuple[Ticket, str | None]:
    """Return the ticket that the player has typed, or fetch it by a typed spoken code.

    One relay is asked, and returned too, None for none: the one after the `@` of the code, the
    first of `relays`, or the one that the program remembers.

    Args:
        network: The network for the connection to the relay. None for the usual one.

    Raises:
        Trouble: If a code is typed and no relay is known.
    """
    if not is_code(word):
        return read_ticket(word), None
    code = parse_code(word)
    known = [code.relay] if code.relay else relays_of(relays)
    if not known:
        words = _(
            "You have not said at which relay this code is valid. Name it: hoity join "
            "{code}@HOST:PORT. Or let this program remember one: hoity relay --use HOST:PORT"
        )
        raise Trouble(words.format(code=code), USAGE)
    code = replace(code, relay=parse_relay(known[0]))
    if not silent:
        say(_("Asking the relay {relay} for the ticket …").format(relay=code.relay))
    with ctrl_c_means(lambda: _("Interrupted: you did not sit down.")):
        return trio.run(partial(ticket_by_code, code, network)), code.relay


LOOK: Final[Seconds] = 3.0
"""The time for which the program listens for announcements, in seconds."""
AGAIN: Final = frozenset({"r", ""})
LEAVE: Final = frozenset({"q", "quit", "exit", "n"})


def is_nickname(word: str) -> bool:
    """Return whether a typed word is short enough for a nickname, and contains no ticket."""
    return 0 < len(word) <= table_header.MAX_NICKNAME and not is_like_a_ticket(word)


def by_nickname(nickname: str, relays: Sequence[str] = ()) -> str:
    """Return the ticket of the table on this LAN whose host has a nickname.

    The player picks one if several hosts have a nickname that looks alike, or confirms the only
    one if it is not exactly this nickname. If the table is announced without its ticket, the player
    is asked for the ticket.

    Raises:
        Trouble: If there is no such table.
    """
    found = [table for table in _look() if twins(table.name, nickname)]
    if not found:
        words = _("There is no table of {name} on this LAN. hoity tables lists the tables there.")
        raise Trouble(words.format(name=nickname), USAGE)
    if len(found) == 1 and found[0].name == nickname:
        return _announced(found[0], relays)
    say(_("These tables have hosts with that nickname, or one that looks like it:"))
    return _picked(found, relays)


def from_list(relays: Sequence[str] = ()) -> str:
    """Let the player pick one of the tables on this LAN, and return its ticket."""
    return _picked(_look(), relays)


def _look() -> list[Announcement]:
    say(_("Searching for tables on this LAN …"))
    return trio.run(browse, LOOK)


def _picked(found: Sequence[Announcement], relays: Sequence[str]) -> str:
    """Let the player pick one of the tables, by its number or host, and return its ticket."""
    _list(found)
    pasted = Pasted(relays)
    while True:
        said = answer(_("The number of a table, a ticket or a code; r searches again, q leaves: "))
        plain = visible(said).strip()
        number = bare(plain)
        named = [table for table in found if table.name in (said, plain)]
        if plain.lower() in LEAVE:
            raise Trouble(_("You did not sit down."), INTERRUPTED)
        if not pasted.is_begun and plain.lower() in AGAIN:
            found = _look()
            _list(found)
        elif number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(found):
            return _announced(found[int(number) - 1], relays)
        elif len(named) == 1:
            return _announced(named[0], relays)
        elif pasted.is_begun or is_like_a_ticket(said) or is_code(said):
            if pasted.takes(said):
                return pasted.text
        else:
            say(_("No table has that number."))


class Pasted:
    """A ticket or code that a player pastes at a prompt, perhaps in several lines.

    Attributes:
        text: What was pasted. If `takes` has returned True, it can be used.
    """

    def __init__(self, relays: Sequence[str]) -> None:
        self.text = ""
        self._relays = relays

    @property
    def is_begun(self) -> bool:
        """True if the end of a ticket is missing, which may be the next line."""
        return bool(self.text)

    def takes(self, line: str) -> bool:
        """Take a line, and return whether the text can be used. Otherwise print why not.

        A line after one that was cut short is taken as its continuation, if that helps.
        """
        texts = [line, *([f"{self.text}\n{line}"] if self.text else [])]
        whys = [_why_useless(text, self._relays) for text in texts]
        for text, why in zip(texts, whys, strict=True):
            if not why:
                self.text = text
                return True
        self.text = next((text for text in reversed(texts) if _is_cut_short(text)), "")
        words = _("This cannot be used: {why}. Paste it again, or type q to leave.")
        if self.text:
            words = _("This is not all: {why}. Paste the rest or the whole, or type q to leave.")
        say(words.format(why=whys[-1] if self.text == texts[-1] else whys[0]))
        return False


def _why_useless(text: str, relays: Sequence[str]) -> str:
    """Return why a text is no ticket or code that can be used, or "" if it is one."""
    try:
        if not is_code(text):
            read_ticket(text)
        elif not (parse_code(text).relay or relays_of(relays)):
            return _("it does not say at which relay the code is valid, as in CODE@HOST:PORT")
    except TicketError as error:
        if error.code != TicketCode.NONE:
            return sentence(error.reason)
        words = _("it is neither a ticket, which starts with {prefix}, nor a code")
        return words.format(prefix=PREFIX + VERSION)
    except CodeError as error:
        return sentence(error.reason)
    return ""


def _is_cut_short(text: str) -> bool:
    """Return whether a text is the beginning of a ticket."""
    try:
        read_ticket(text)
    except TicketError as error:
        return error.code in (TicketCode.MISSING, TicketCode.CUT_SHORT)
    return False


def _list(found: Sequence[Announcement]) -> None:
    """Print the tables with their numbers, from 1."""
    for number, table in enumerate(found, 1):
        say(f"  {number}  {_told(table)}")
    if not found:
        say(_("No open table on this LAN. Open one with: hoity host"))


def _told(table: Announcement) -> str:
    """Return the line that describes an announced table."""
    text = _("{host}: {joined} of {seats} seated, needs the host's ticket")
    if table.ticket:
        text = _("{host}: {joined} of {seats} seated, open to all")
    return text.format(host=table.name, joined=table.joined, seats=table.seats)


def _announced(table: Announcement, relays: Sequence[str]) -> str:
    """Return the ticket of an announced table, or ask the player for it until it can be used."""
    if table.ticket:
        return table.ticket
    words = _("The table of {host} needs a ticket. Ask {host} for it, and paste it here: ")
    pasted = Pasted(relays)
    while True:
        said = answer(words.format(host=table.name))
        if said.lower() in LEAVE:
            raise Trouble(_("You did not sit down."), INTERRUPTED)
        if said and pasted.takes(said):
            return pasted.text


def join(
    seat: SeatOptions, output: OutputOptions, ticket: str, reach: Reach, asks_terms: bool
) -> int:
    """Sit down at a table, or resume the seat at it if this computer stores one.

    Args:
        ticket: The ticket, the spoken code, or the host's nickname, as typed. "" to choose from the
            tables of the LAN.
    """
    check_output(output.transcript, "")  # Which game it is, only the ticket tells.
    word = _ticket(output.as_json, ticket, reach)
    reach = _with_relays(word, reach) if reach.relay_only else reach
    ask = partial(ticket_of, word, reach.relays, reach.network, output.as_json)
    typed = None if is_code(word) else ask()
    sitting = new_sitting(seat, output, asks_terms, "join")
    for words in alone_lines(reach.relays, reach.hidden) if reach.relay_only else ():
        sitting.say(words)
    # A code is valid for one attempt and a few minutes, so all other questions come first.
    read, relay = typed or ask()

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        sitting.say(_("Asking the host for the terms …"))
        seat = sitting.seat
        keys = draw_keys(seat.long_lived_key)
        return await join_table(seat, keys, read, sitting.accept, reach)

    kept = kept_seat(sitting.home, sitting.passphrase, read)
    # Once more, since the ticket tells by now which game it is.
    check_output(output.transcript, kept)
    if kept is not None:
        game = find_game(sitting.home, kept, sitting.passphrase)
        if is_running(game):
            return tell_running(sitting, game, read)
        sitting.say(_("You already have a seat at this table on this machine."))
        return take_up(sitting, game, reach, fresh=read)
    if relay is not None and not reach.relays:
        reach = replace(
            reach, relays=(relay,)
        )  # It has just answered, so others can reach us there too.
    with only_one(sitting.home, read):
        return sit(sitting, go)


def _with_relays(word: str, reach: Reach) -> Reach:
    """Return how the seat can be reached, with the named relays. Raise Trouble without one."""
    # The relays that only a ticket names are not used, because the host chose them.
    relays = list(reach.relays if reach.relays_anew else relays_of(None))
    if is_code(word) and (named := parse_code(word).relay):
        relays.append(parse_relay(named))
    found = replace(reach, relays=tuple(dict.fromkeys(relays)))
    need_relay(found)
    return found


def _ticket(as_json: bool, word: str, reach: Reach) -> str:
    """Return the typed ticket or spoken code, or the ticket of a table on this LAN.

    The LAN is not searched if the player's address is to stay hidden. Nothing typed is an error
    then.
    """
    if reach.hidden or reach.relay_only:
        if not word:
            option = "--proxy" if reach.hidden else "--relay-only"
            words = _("With {option} this network is not searched: give the ticket.")
            raise Trouble(words.format(option=option), USAGE)
        return word
    if not word:
        return from_list(reach.relays)
    if is_code(word):
        return word
    named = after_command(visible(word)).strip()
    if not as_json and at_terminal() and is_nickname(named):
        return by_nickname(named, reach.relays)
    return word
