"""The screen of lines: every update becomes sentences, and the latest view is kept.

It also keeps the log of the game by rounds, and shows a host's ticket as a block, as a copy for the
clipboard, or as a QR code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.net.peer_link import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import Happening, View, happenings
from protocol import Kind, fingerprint

from ... import printing
from ...words import brief_sentences, happening_sentences, presence_sentences, ticket_sentences
from ...words.card_names import Names, listed
from ...words.chat_phrases import quoted, spoken
from ...words.choice_names import in_words
from ...words.error_sentences import choose_again, meaning, sentence
from ...words.presence_sentences import ended, kept_as, no_other_game, won
from ...words.ticket_sentences import if_finished, if_moved, moved, of_relay, reach_lines, taken
from ...words.translation import INSTALLED, N_, _


class Log:
    """What has happened, a list of lines for each round."""

    def __init__(self) -> None:
        self._rounds: list[list[str]] = []

    def __bool__(self) -> bool:
        return bool(self._rounds)

    def add(self, names: Names, items: Iterable[Happening]) -> None:
        """Tell some happenings, with the names as they are: what they hear of does not stay."""
        before = names.before
        for item in items:
            if not self._rounds or isinstance(item, happenings.RoundBegan):
                self._rounds.append([])
            self._rounds[-1] += happening_sentences.story(names, [item])
        names.before = before

    def recent(self) -> list[str]:
        """The lines of this round and of the one before it."""
        return [line for lines in self._rounds[-2:] for line in lines]


EDGE = 2
"""Light modules around a QR code: fewer and some cameras do not find it."""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules of one column, dark or not, as a character whose ink is light."""


def block(ticket: str) -> list[str]:
    """The ticket with what it is for, apart from all else."""
    words = _("TICKET  give it to the others; they type: {hoity} join TICKET")
    return [
        "",
        words.format(hoity=INSTALLED),
        "",
        ticket,
        "",
    ]


def show_qr(ticket: str) -> None:
    """Print a QR code of the ticket, or say that the terminal has no room for it."""
    lines, room = qr(ticket), printing.room()
    wide, high = len(lines[0]), len(lines)
    if room is not None and (room[0] < wide or room[1] <= high):
        words = _(
            "The QR code needs {columns} columns and {lines} lines; this terminal has {wide} and"
            " {high}."
        )
        told = words.format(columns=wide, lines=high + 1, wide=room[0], high=room[1])
        printing.say(told)
        return
    printing.picture(lines)


def copy(ticket: str) -> None:
    """Put the ticket into the clipboard, if the terminal does that, and say so."""
    _copy(ticket, _("The ticket was sent to your clipboard; not every terminal takes it."))


def copy_code(code: str) -> None:
    """The same for a code."""
    _copy(code, _("The code was sent to your clipboard; not every terminal takes it."))


def _copy(text: str, done: str) -> None:
    is_sent = printing.copy(text)
    printing.say(done if is_sent else _("There is no terminal here to copy it with."))


def qr(ticket: str) -> list[str]:
    """A QR code of the ticket, two rows of it in a line. Capital letters alone take less room, and
    a ticket reads the same in them."""
    import segno

    modules = segno.make_qr(ticket.upper(), error="l").matrix
    wide = len(modules) + 2 * EDGE
    light = [False] * wide
    rows = [[False] * EDGE + [bool(dark) for dark in row] + [False] * EDGE for row in modules]
    rows = [light, light, *rows, light, light]
    if len(rows) % 2:
        rows.append(light)
    return [_line(above, below) for above, below in zip(rows[::2], rows[1::2], strict=True)]


def _line(above: Sequence[bool], below: Sequence[bool]) -> str:
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


Say = Callable[[str], None]


class SeatScreen:
    """Tells updates line by line; keeps the names, the view and the log for whoever asks.

    `proofs`: what was proven, told on demand only. `is_confirmed`: the player has just confirmed a
    choice, which needs not be told again. `by_bot`: a bot plays the seat. `is_resumed`: the seat
    was taken again, and has found nobody so far.
    """

    def __init__(self, say: Say, options: str = "") -> None:
        """`say` takes one line; `options` stand before a game in the commands that are shown."""
        self.say = say
        self._options = options
        self.names: Names | None = None
        self.view: View | None = None
        self.log = Log()
        self.code: updates.Code | None = None
        self.proofs: list[str] = []
        self.table_name = ""
        self.is_confirmed = self.by_bot = False
        self._owes_awaited = False
        self._reach: list[str] = []
        self._has_hinted = self.is_resumed = False
        self._seats: tuple[updates.Presence, ...] = ()
        self._have_sealed = False

    @property
    def typed_game(self) -> str:
        """The game as it stands behind `hoity resume`; empty before it has begun."""
        return self.table_name and self._options + self.table_name

    def __call__(self, update: updates.Update) -> None:
        """Tell one update."""
        tell = TELLERS.get(type(update))
        if tell is not None:
            tell(self, update)

    def note(self, words: str) -> None:
        """A remark that is no part of the game's log."""
        self.say(f"  [{words}]")

    # One method for each update.

    def joined(self, update: updates.Joined) -> None:
        """The lobby."""
        text = _("Seated {number} of {seats}: {who}")
        who = listed(update.names)
        self.say(text.format(number=len(update.names), seats=update.seats, who=who))

    def host_asked(self, update: updates.HostAsked) -> None:
        """The host lets each guest in."""
        self.say(_("The host is asked whether you may sit down …"))

    def admitted(self, update: updates.Admitted) -> None:
        """What became of a guest who asked for a seat."""
        words = N_("{name} was let in.") if update.yes else N_("{name} was refused.")
        if update.yes is None:
            words = N_("{name} was sent away: nobody answered in time.")
        self.say(_(words).format(name=update.nickname))

    def coded(self, update: updates.Code) -> None:
        """A code to say to a guest."""
        self.code = update
        for line in ticket_sentences.invitation(update):
            self.say(line)

    def uncoded(self, update: updates.NoCode) -> None:
        """There is no code now."""
        self.code = None
        self.say(sentence(update.reason))

    def reached(self, update: updates.Reached) -> None:
        """From where the host's ticket works, and a better one."""
        for line in block(update.ticket) if update.ticket else ():
            self.say(line)
        lines = reach_lines(update)
        for line in lines:
            if line not in self._reach:
                self.say(line)
        self._reach = lines

    def moved(self, update: updates.Moved) -> None:
        """The ticket for those who do not find this seat."""
        self._has_hinted = True
        for line in ("", moved(), *block(update.ticket), *reach_lines(update)):
            self.say(line)

    def ticket_taken(self, update: updates.TicketTaken) -> None:
        """Another seat is dialled elsewhere, too."""
        self.say(taken(update.name))

    def relay_state(self, update: updates.RelayState) -> None:
        """A relay is lost, or found again."""
        self.note(of_relay(update))

    def started(self, update: updates.Started) -> None:
        """The roster is complete."""
        header, game = update.table.header, update.table.game
        if isinstance(game, HoityToity):
            self.names = Names(game.edition, [e.nickname for e in header.roster], update.seat)
        self.table_name = update.table.id.hex()[:16]
        self.log, self.view, self.code, self.is_resumed = Log(), None, None, False
        self.say(_("The table is complete. Game {name}.").format(name=self.table_name))
        for seat, entry in enumerate(header.roster):
            who = self.names.seat(seat) if self.names else entry.nickname
            self.say(_("  {who}: key {key}").format(who=who, key=fingerprint(entry.id)))

    def resumed(self, update: updates.Resumed) -> None:
        """How the game stands; the prompt shows the board, and the log has what happened."""
        self.is_resumed = True
        self.look(update.view)
        if self.names is not None:
            self.log.add(self.names, update.items)

    def stepped(self, update: updates.Stepped) -> None:
        """What was proved, for whoever asks; once that the long first steps have begun."""
        if self.names is None:
            return
        if update.before.want.kind is Kind.KEY_COMMIT:
            self.say(_("The deck is shuffled and dealt, and every step of it proven …"))
        words = happening_sentences.proved(update.before, update.seconds, self.names)
        if words:
            self.proofs.append(words)

    def happened(self, update: updates.Happened) -> None:
        """What happened, in few lines; in full for whoever asks."""
        self.look(update.view)
        self._owes_awaited = False
        if self.names is None:
            return
        self.log.add(self.names, update.items)
        for line in brief_sentences.story(self.names, update.items):
            self.say(line)

    def look(self, view: View) -> None:
        """Keep the latest view."""
        self.view = view
        if self.names is not None:
            self.names.look(view)

    def rewound(self, update: updates.Rewound) -> None:
        """Part of the log does not hold any more."""
        self.look(update.view)
        if self.names is not None:
            self.names.before = update.view.state.before
        text = _("Epoch {epoch}: who is present has changed; the latest steps begin afresh.")
        self.say(text.format(epoch=update.epoch))

    def chosen(self, update: updates.Chosen) -> None:
        """The seat's own choice."""
        if self.view is not None and self.names is not None:
            words = in_words(self.view, update.kind, update.choice, self.names)
            if not self.is_confirmed:
                self.note(_("chosen: {choice}").format(choice=words))
        self._owes_awaited, self.is_confirmed = self.is_confirmed, False

    def choosing(self, update: updates.Choosing) -> None:
        """The view on which the seat decides."""
        self.look(update.view)

    def refused(self, update: updates.Refused) -> None:
        """The rules forbid the choice."""
        self.say(choose_again(update.code, update.fields))

    def awaited(self, update: updates.Awaited) -> None:
        """Who is waited for."""
        if self.names is not None:
            text = _("awaited for {seconds} s: {who}")
            who = presence_sentences.awaited(
                update.seats, self._seats, self.names, self._have_sealed
            )
            self.note(text.format(seconds=round(update.seconds), who=who))
            self._owes_awaited = False
            self._look_elsewhere(self.names)

    def _look_elsewhere(self, names: Names) -> None:
        """What to do about seats that may be elsewhere, or done, once for each loss."""
        gone = presence_sentences.lost(self._seats, names.mine)
        if gone and not self._has_hinted:
            self.note(if_moved(names.seats(gone)))
        self._has_hinted = bool(gone)
        if self.is_resumed and presence_sentences.is_alone(self._seats, names.mine):
            self.note(if_finished(self.typed_game))
            self.is_resumed = False

    def attendance(self, update: updates.Attendance) -> None:
        """How each seat is there: said where it is awaited."""
        self._seats = update.seats

    def clock(self, update: updates.Clock) -> None:
        """Once after a choice: who is awaited now; nobody, if this seat was the last to seal."""
        self._have_sealed = update.is_opening
        self._owes_awaited &= not update.is_opening
        if self.names is None or not self._owes_awaited:
            return
        others = update.awaited - {self.names.mine}
        if others and self.names.mine not in update.awaited:
            who = presence_sentences.awaited(others, self._seats, self.names)
            self.note(_("sealed; awaited: {who}").format(who=who))
            self._owes_awaited = False

    def left(self, update: updates.LeftForNow) -> None:
        """A seat has said that it leaves for now."""
        if self.names is not None:
            self.note(presence_sentences.left(update.seat, self.names))

    def halfway(self, update: updates.Halfway) -> None:
        """Half of the patience is over: what comes next, and what one can do."""
        if self.names is not None:
            self._notes(presence_sentences.halfway(update, self.names, self.typed_game))

    def late(self, update: updates.Late) -> None:
        """Patience has run out."""
        if self.names is not None:
            self._notes(presence_sentences.late(update, self.names, self.typed_game))

    def paused(self, update: updates.Paused) -> None:
        """The game cannot go on without them."""
        if self.names is not None:
            self._notes(presence_sentences.paused(update, self.names, self.typed_game))

    def extended(self, update: updates.Extended) -> None:
        """The seat waits longer."""
        if self.names is not None:
            self.note(presence_sentences.extended(update, self.names))

    def _notes(self, lines: list[str]) -> None:
        for line in lines:
            self.note(line)

    def linked(self, update: updates.Linked) -> None:
        """A link is up."""
        self.is_resumed &= update.name is None
        who, relay = _linked(update), update.relay.removeprefix("relay+")
        words = _("linked to {who} through the relay {relay}") if relay else _("linked to {who}")
        self.note(words.format(who=who, relay=relay))

    def unlinked(self, update: updates.Unlinked) -> None:
        """A link is gone; it is no news that two seats have dialled each other at once."""
        if update.reason.code == LinkCode.REPLACED:
            return
        text = _("link to {who} lost: {reason}")
        self.note(text.format(who=_linked(update), reason=sentence(update.reason)))

    def cautious(self, update: updates.Cautious) -> None:
        """What this seat has said may be missing here."""
        self.say(
            _(
                "Your journal of this game is damaged, was moved, or is an old copy of it. Nothing"
                " is signed for you until all others have told what they hold of you; they may go"
                " on without you for that time."
            )
        )

    def silenced(self, update: updates.Silenced) -> None:
        """This seat cannot go on."""
        self.say(
            _(
                "You have signed more in this game than your journal knows: it is an old copy. At a"
                " table where everybody must agree nothing more can be signed safely. Save the game"
                " as far as it came with: hoity resume --claim"
            )
        )

    def away(self, update: updates.Away) -> None:
        """This seat is absent."""
        self.say(_("The others have declared you absent. Your cards are safe."))
        if not update.may_return:
            self.say(_(presence_sentences.GONE_FOR_GOOD))

    def returned(self, update: updates.Returned) -> None:
        """This seat is back."""
        self.say(_("You are back at the table and play again from the next round."))

    def said(self, update: updates.Said) -> None:
        """What somebody says, after the name that was proven: marked, so that no words of anybody
        look like a line of the game."""
        who = update.who
        if update.seat is None:
            who = _("onlooker {name}").format(name=update.who)
        for line in quoted(who, spoken(update.words), printing.width()):
            self.say(line)

    def crowded(self, update: updates.Crowded) -> None:
        """No seat has room for this onlooker."""
        self.say(_("The table has its fill of onlookers; trying again …"))

    def unsaid(self, update: updates.Unsaid) -> None:
        """The player's words were not said."""
        self.note(_("not said: {reason}").format(reason=sentence(update.reason)))

    def again(self, update: updates.Again) -> None:
        """Who wants another game."""
        if self.names is None:
            return
        if update.unwilling:
            mine, named = self.names.mine, self.names.seats
            self.note(no_other_game(update.unwilling, mine, self.by_bot, self._seats, named))
        elif update.willing - {self.names.mine}:
            who = self.names.seats(sorted(update.willing))
            self.note(_("another game wanted by: {who}").format(who=who))

    def accused(self, update: updates.Accused) -> None:
        """A provable fault, of this very seat too."""
        if self.names and update.seat == self.names.mine:
            text = _(
                "There is a proof against your own seat ({code}): {reason}. Is it played in two"
                " places, or from an old copy of your files? The others may go on without you."
            )
            self.say(text.format(code=update.code, reason=meaning(update.code)))
            return
        who = self.names.seat(update.seat) if self.names else str(update.seat)
        text = _("{who} cheated: {reason} ({code}).")
        self.say(text.format(who=who, code=update.code, reason=meaning(update.code)))

    def finished(self, update: updates.Finished) -> None:
        """The log has told the standings: who has won, and where the transcript is."""
        who = won(update.standings, self.names) if update.standings and self.names else ""
        self.say(_("The game is over.") + f" {who}".rstrip())
        if update.transcript is not None:
            for line in kept_as(update.transcript):
                self.say(line)

    def ended(self, update: updates.Ended) -> None:
        """No result."""
        self.say(ended(update, self.names))


def _linked(update: updates.Linked | updates.Unlinked) -> str:
    return _("an onlooker") if update.name is None else update.name


TELLERS: Final[Mapping[type[Any], Callable[[SeatScreen, Any], None]]] = {
    updates.Joined: SeatScreen.joined,
    updates.HostAsked: SeatScreen.host_asked,
    updates.Admitted: SeatScreen.admitted,
    updates.Code: SeatScreen.coded,
    updates.NoCode: SeatScreen.uncoded,
    updates.Reached: SeatScreen.reached,
    updates.Moved: SeatScreen.moved,
    updates.TicketTaken: SeatScreen.ticket_taken,
    updates.RelayState: SeatScreen.relay_state,
    updates.Started: SeatScreen.started,
    updates.Cautious: SeatScreen.cautious,
    updates.Silenced: SeatScreen.silenced,
    updates.Resumed: SeatScreen.resumed,
    updates.Stepped: SeatScreen.stepped,
    updates.Happened: SeatScreen.happened,
    updates.Rewound: SeatScreen.rewound,
    updates.Choosing: SeatScreen.choosing,
    updates.Chosen: SeatScreen.chosen,
    updates.Refused: SeatScreen.refused,
    updates.Awaited: SeatScreen.awaited,
    updates.Halfway: SeatScreen.halfway,
    updates.Late: SeatScreen.late,
    updates.Paused: SeatScreen.paused,
    updates.Extended: SeatScreen.extended,
    updates.Attendance: SeatScreen.attendance,
    updates.Clock: SeatScreen.clock,
    updates.Linked: SeatScreen.linked,
    updates.Unlinked: SeatScreen.unlinked,
    updates.LeftForNow: SeatScreen.left,
    updates.Away: SeatScreen.away,
    updates.Returned: SeatScreen.returned,
    updates.Said: SeatScreen.said,
    updates.Crowded: SeatScreen.crowded,
    updates.Unsaid: SeatScreen.unsaid,
    updates.Again: SeatScreen.again,
    updates.Accused: SeatScreen.accused,
    updates.Finished: SeatScreen.finished,
    updates.Ended: SeatScreen.ended,
}
"""A method for each type of update; a test holds it against the list of updates."""
