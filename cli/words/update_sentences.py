"""The sentences for the updates that a peer sends to its screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from p2p_hoity.game_adapter import HoityToity, table_name
from p2p_hoity.net.address_schemes import RELAY_PREFIX
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Beat, Scene, fold
from protocol import Kind, effects
from protocol.units import Quota

from . import end_sentences, presence_sentences, table_terms
from .card_names import Names
from .chat_phrases import quoted, spoken
from .choice_names import in_words
from .error_sentences import meaning, sentence
from .happening_sentences import brief_story, proved, story
from .key_names import player_key
from .moment_sentences import moments
from .refusals import choose_again
from .seats_in_pages import page_lines
from .translation import N_, _, listed

REMARKS: Final = frozenset(
    {
        updates.RelayState,
        updates.ChoiceTaken,
        updates.Awaited,
        effects.SeatLeft,
        updates.Halfway,
        updates.SeatsTimedOut,
        updates.Paused,
        updates.Extended,
        updates.Linked,
        updates.Unlinked,
        updates.InPages,
        updates.Unsaid,
        updates.Unconfirmed,
        updates.Again,
    }
)
"""The updates that are shown as messages in brackets, because they are no events of the game."""
PROOFS: Final[Quota] = 400
"""The most sentences about proofs that are stored."""
LEAVE = {
    None: N_("{name} was refused, since nobody answered in time."),
    True: N_("{name} was let in."),
    False: N_("{name} was refused."),
}


@dataclass(frozen=True)
class Telling:
    """The context in which a screen turns updates into sentences.

    Attributes:
        names: The names of the seats and cards. None before the table is complete.
        scene: The scene before the update.
        options: The options, such as `--plain `, in commands that the player is told to type.
        width: Returns the width of the terminal in columns, or None if there is none.
        in_full: Whether events of the game are told in whole sentences, and not briefly.
    """

    names: Names | None
    scene: Scene
    options: str = ""
    by_bot: bool = False
    width: Callable[[], int | None] = lambda: None
    in_full: bool = False

    @property
    def game(self) -> str:
        """The words to type after `hoity resume`: options and id of the game. "" before a game."""
        return self.scene.game and self.options + self.scene.game


def names_of(scene: Scene) -> Names | None:
    """Return the names of the seats and cards at a table, None before the table is complete."""
    if scene.table is None or not isinstance(scene.table.game, HoityToity):
        return None
    nicknames = [entry.nickname for entry in scene.table.header.roster]
    return Names(scene.table.game.edition, nicknames, scene.seat)


class FollowedTable:
    """The state of a table, kept up to date by the updates of the peer.

    Attributes:
        proofs: The latest sentences about proofs.
    """

    def __init__(self) -> None:
        self.scene = Scene()
        self.names: Names | None = None
        self.proofs: deque[str] = deque(maxlen=PROOFS)

    def follow(self, update: updates.Update) -> Scene:
        """Change the state of the table by an update, and return the state before it."""
        before, self.scene = self.scene, fold(self.scene, update)
        if isinstance(update, updates.Started):
            self.names = names_of(self.scene)
        if self.names is None:
            return before
        if self.scene.view is not None and self.scene.view is not before.view:
            self.names.look(self.scene.view)
        match update:
            case updates.Rewound(view=view):
                self.names.before = view.state.before
            case updates.ChainGrew(node, _, seconds):
                if words := proved(node, seconds, self.names):
                    self.proofs.append(words)
        return before


def sentences(update: updates.Update, telling: Telling) -> list[str]:
    """Return what an update says, in the chosen language."""
    if (text := PLAIN.get(type(update))) is not None:
        return [_(text)]
    if (tell := TABLE.get(type(update))) is not None:
        return tell(update, telling)
    if telling.names is None:
        return []
    tell_in_game = GAME.get(type(update))
    return [] if tell_in_game is None else tell_in_game(update, telling, telling.names)


# The table


def _joined(update: updates.Joined, telling: Telling) -> list[str]:
    """Return the line about who has sat down so far, while some seats may still be free."""
    text = _("Seated {number} of {seats}: {who}")
    who = listed(update.names)
    return [text.format(number=len(update.names), seats=update.seats, who=who)]


def _reached(update: updates.Reached, telling: Telling) -> list[str]:
    """Return the ticket, if any, and the lines about reaching the table that are new.

    The scene is the one before this update.
    """
    ticket = table_terms.block(update.ticket) if update.ticket else []
    before = telling.scene.reach
    told = [] if before is None else table_terms.reach_lines(before)
    return ticket + [line for line in table_terms.reach_lines(update) if line not in told]


def _moved(update: updates.Moved, telling: Telling) -> list[str]:
    """Return lines with a new ticket, for players who cannot reach this seat at its old address."""
    ticket = table_terms.block(update.ticket)
    return ["", table_terms.moved(), *ticket, *table_terms.reach_lines(update)]


def _relay_state(update: updates.RelayState, telling: Telling) -> list[str]:
    """Return the line about whether a relay works now, and what that means for others."""
    if update.why is None:
        words = _("The relay {relay} works again: others can reach you through it.")
        return [words.format(relay=update.relay)]
    words = _(
        "The relay {relay} does not work at the moment ({why}). Your program keeps trying. "
        "Players who reach you directly do not need it."
    )
    return [words.format(relay=update.relay, why=sentence(update.why))]


def _started(update: updates.Started, telling: Telling) -> list[str]:
    """Return lines that say that the table is complete, with the key of every seat's player."""
    lines = [_("The table is complete. Game {name}.").format(name=table_name(update.table))]
    roster = update.table.header.roster
    # A replay knows no keys of players: they are not in the transcript.
    for seat, key in enumerate(update.players):
        who = telling.names.seat(seat) if telling.names else roster[seat].nickname
        lines.append(f"  {who}: {player_key(key)}")
    return lines


def _rewound(update: updates.Rewound, telling: Telling) -> list[str]:
    """Return a line that says that the latest steps are repeated in a new epoch."""
    text = _(
        "Epoch {epoch}: the seats that are present have changed, and the latest steps are repeated."
    )
    return [text.format(epoch=update.epoch)]


def _linked(update: updates.Linked, telling: Telling) -> list[str]:
    """Return a line that says that a link was made."""
    relay = update.relay.removeprefix(RELAY_PREFIX)
    words = _("linked to {who} through the relay {relay}") if relay else _("linked to {who}")
    return [words.format(who=_who(update), relay=relay)]


def _unlinked(update: updates.Unlinked, telling: Telling) -> list[str]:
    """Return a line that says that a link is lost, or no line if another link has replaced it."""
    if update.reason.code == LinkCode.REPLACED:
        return []
    text = _("link to {who} lost: {reason}")
    return [text.format(who=_who(update), reason=sentence(update.reason))]


def _who(update: updates.Linked | updates.Unlinked) -> str:
    return _("an onlooker") if update.name is None else update.name


def _away(update: updates.Away, telling: Telling) -> list[str]:
    """Return lines that say that this seat was declared absent."""
    lines = [_("The others have declared you absent. Your cards are safe.")]
    return lines if update.may_rejoin else [*lines, _(presence_sentences.GONE_FOR_GOOD)]


def _said(update: updates.Said, telling: Telling) -> list[str]:
    """Return a chat message as lines that nobody can take for lines of the game."""
    who = update.who
    if update.seat is None:
        who = _("onlooker {name}").format(name=update.who)
    return quoted(who, spoken(update.words), telling.width())


def _accused(update: updates.Accused, telling: Telling) -> list[str]:
    """Return the sentence that a seat is proven to have cheated, and how."""
    names = telling.names
    if names and update.seat == names.mine:
        text = _(
            "There is a proof against your own seat ({code}): {reason}. Is it being played in "
            "two places, or from an old copy of your files? The others may go on without you."
        )
        return [text.format(code=update.code, reason=meaning(update.code))]
    who = names.seat(update.seat) if names else str(update.seat)
    text = _("{who} cheated: {reason} ({code}).")
    return [text.format(who=who, code=update.code, reason=meaning(update.code))]


def _finished(update: updates.GameOver, telling: Telling) -> list[str]:
    """Return lines about who has won, where the transcript is, and how to check it."""
    names, standings = telling.names, update.standings
    who = end_sentences.won(standings, names) if standings and names else ""
    lines = [_("The game is over.") + f" {who}".rstrip()]
    if names:
        now = fold(telling.scene, update)
        lines += moments(now, names)
        lines += filter(None, (end_sentences.cheats(now.faults, names), end_sentences.tally(now)))
    if update.transcript is not None:
        lines += end_sentences.kept_as(update.transcript, is_result=True)
    return lines


PLAIN: Final[Mapping[type[Any], str]] = {
    updates.HostAsked: N_("The host is asked whether you may sit down …"),
    effects.JournalDoubted: N_(
        "Your journal of this game is damaged, was moved, or is an old copy. Your program signs "
        "nothing until the others have sent it what you had signed before. They may go on "
        "without you meanwhile."
    ),
    effects.SigningEnded: N_(
        "You have signed more in this game than your journal contains, so it is an old copy. At "
        "a table where all seats are needed, nothing more can be signed safely. Save the game "
        "as far as it came with: hoity resume --claim"
    ),
    updates.Rejoined: N_("You are back at the table and play again from the next round."),
    updates.Crowded: N_("There is no room for more onlookers. Trying again …"),
}
"""For each update that always has the same sentence, that sentence."""
TABLE: Final[Mapping[type[Any], Callable[[Any, Telling], list[str]]]] = {
    updates.Joined: _joined,
    updates.Admitted: lambda update, _telling: [_(LEAVE[update.yes]).format(name=update.nickname)],
    updates.OfferedCode: lambda update, _telling: table_terms.invitation(update),
    updates.NoCode: lambda update, _telling: [sentence(update.reason)],
    updates.Reached: _reached,
    updates.Moved: _moved,
    updates.TicketTaken: lambda update, _telling: [
        _("With this new ticket your program also tries to reach {name} at its addresses.").format(
            name=update.name
        )
    ],
    updates.RelayState: _relay_state,
    updates.Started: _started,
    updates.Rewound: _rewound,
    updates.ChoiceRefused: lambda update, _telling: [choose_again(update.code, update.fields)],
    updates.Linked: _linked,
    updates.Unlinked: _unlinked,
    updates.InPages: lambda update, telling: page_lines(update, telling.scene.in_pages),
    updates.Away: _away,
    updates.Said: _said,
    updates.Unsaid: lambda update, _telling: [
        _("not sent: {reason}").format(reason=sentence(update.reason))
    ],
    updates.Accused: _accused,
    updates.GameOver: _finished,
    updates.ProofSaved: lambda update, _telling: end_sentences.kept_as(update.transcript),
    updates.Ended: lambda update, telling: [
        end_sentences.ended(update, telling.names, telling.game)
    ],
}
"""The functions that return the lines of an update, for updates that have lines at any time."""


# The game


def _stepped(update: updates.ChainGrew, telling: Telling, names: Names) -> list[str]:
    """Return a line that the deck is being shuffled, after the first step of the chain alone."""
    if update.before.want.kind is not Kind.KEY_COMMIT:
        return []
    return [_("The deck is being shuffled and dealt, with a proof of every step …")]


def _happened(update: updates.Happened, telling: Telling, names: Names) -> list[str]:
    """Return the lines of the log about events of the game."""
    return (story if telling.in_full else brief_story)(names, update.items)


def _chosen(update: updates.ChoiceTaken, telling: Telling, names: Names) -> list[str]:
    """Return the line with the choice that this seat has made."""
    if telling.scene.view is None:
        return []
    choice = in_words(telling.scene.view, update.kind, update.choice)
    return [_("chosen: {choice}").format(choice=choice)]


def _awaited(update: updates.Awaited, telling: Telling, names: Names) -> list[str]:
    """Return who is awaited, and advice about lost seats unless it was shown before."""
    scene = telling.scene
    is_opening = scene.clock is not None and scene.clock.is_opening
    who = presence_sentences.awaited(update.seats, scene.attendance, names, is_opening)
    seconds = presence_sentences.at_least(update.seconds, scene.is_late)
    lines = [_("waiting for {seconds} s: {who}").format(seconds=seconds, who=who)]
    if scene.lost_seats and not scene.is_hinted:
        lines.append(table_terms.if_moved(names.seats(scene.lost_seats)))
    if fold(scene, update).is_end_hinted and not scene.is_end_hinted:
        lines.append(table_terms.if_finished(telling.game))
    return lines


def _again(update: updates.Again, telling: Telling, names: Names) -> list[str]:
    """Return a line about who wants another game, or about why there is none."""
    if update.unwilling:
        there = telling.scene.attendance
        return [
            end_sentences.no_other_game(
                update.unwilling, names.mine, telling.by_bot, there, names.seats
            )
        ]
    if not update.willing - {names.mine}:
        return []
    who = names.seats(sorted(update.willing))
    return [_("another game wanted by: {who}").format(who=who)]


GAME: Final[Mapping[type[Any], Callable[[Any, Telling, Names], list[str]]]] = {
    updates.ChainGrew: _stepped,
    updates.Happened: _happened,
    Beat: _happened,
    updates.ChoiceTaken: _chosen,
    updates.Awaited: _awaited,
    effects.SeatLeft: lambda update, _telling, names: [
        _(presence_sentences.GAVE_UP if update.gave_up else presence_sentences.LEFT_FOR_NOW).format(
            who=names.seat(update.seat)
        )
    ],
    effects.EndAnnounced: lambda update, telling, names: [
        end_sentences.announced(update, names),
        presence_sentences.may_begin(telling.game),
    ],
    updates.Halfway: lambda update, telling, names: presence_sentences.halfway(
        update, names, telling.game, telling.scene.is_late
    ),
    updates.SeatsTimedOut: lambda update, telling, names: presence_sentences.late(
        update, names, telling.game
    ),
    updates.Paused: lambda update, telling, names: presence_sentences.paused(
        update, names, telling.game
    ),
    updates.Extended: lambda update, _telling, names: [presence_sentences.extended(update, names)],
    updates.Unconfirmed: lambda update, telling, names: [
        presence_sentences.stays(update, names, telling.scene.transcript is not None)
    ],
    updates.Again: _again,
}
"""The functions that return the lines of an update, for updates after the table is complete."""
