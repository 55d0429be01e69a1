"""The player's seat at a table: its key and options, how others reach it, and its screen."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from p2p_hoity.game_adapter import HoityToity, table_name
from p2p_hoity.presentation.screen_updates import GameOver, Started, Update
from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.kept_company import keep_company
from p2p_hoity.storage.player_key import NamedIdentity as Me
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.session import Outcome
from protocol import Terms, effects, fingerprint

from ..exit_codes import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..local import player_setup, settings
from ..local.bot_manners import Audience, BotManners, own_audience
from ..local.bot_processes import Crew, company_at, is_bot, own_level
from ..local.ending_signals import interrupted
from ..local.seat_checks import check_home
from ..printing import complain
from ..ui.going import ENDING, LEAVING, Going
from ..ui.kinds_of_window import seat_of
from ..ui.lines.stdin_lines import until_closed
from ..ui.person_seat import PersonSeat
from ..ui.screen_options import ScreenOptions
from ..words.table_terms import TableOffer
from ..words.translation import _
from .learn import lesson_before
from .options import OutputOptions, SeatOptions
from .page_options import closed_after, page_of, set_up

if TYPE_CHECKING:
    from ..ui.web.page_host import PageHost


@dataclass
class Sitting:
    """A player's stay at a table: the seat of this process with its screen and its options.

    Attributes:
        asks: Whether the player is asked about each guest.
        left: Why the player has left. None while it sits.
        page: The page on which it is shown. None for a terminal or a program.
        first: The transcript of the first game. None until it is over.
        is_over: Whether the latest game is over.
    """

    home: Home
    me: Me
    options: SeatOptions
    output: OutputOptions
    passphrase: str | None = None
    crew: Crew | None = None
    asks: bool = False
    asks_terms: bool = False
    page: PageHost | None = None
    left: str | None = None
    first: Path | None = None
    is_over: bool = False
    player: PersonSeat = field(init=False)

    def __post_init__(self) -> None:
        self._scope, self._going, self._tells = trio.CancelScope(), trio.Event(), False
        self._started: Started | None = None
        options, output = self.options, self.output
        seating = ScreenOptions(
            self._leave,
            output.as_json,
            output.plain,
            bool(options.auto),
            again=self._asks_again and not options.until_eof,
            bell=not options.no_bell,
            stands_in=options.auto is None and not sys.stdin.isatty(),
            sentences=settings.in_sentences(self.home),
            talks=not options.no_talk,
            page=self.page,
        )
        self._manners = BotManners(own_audience())
        self.player = seat_of(seating, self._manners.bot(own_level()))

    @property
    def audience(self) -> Audience:
        """For whom the bots of this player play."""
        if self.options.auto or not self._is_person:
            return Audience.PROGRAM
        return Audience.QUIET if self.options.no_talk else Audience.PERSON

    @property
    def seat(self) -> Seat:
        """The data of this seat that the table needs, such as key, screen and player."""
        return Seat(
            screen=self._tell,
            output=self.output.transcript,
            player=Going(self.player, self._going),
            talks=not self.options.no_talk,
            again=self._asks_again,
            # A bot ends with its host, so that it waits for nothing in vain.
            is_unhurried=lambda: self.player.is_among_own_bots or is_bot(),
            off_loop=trio.to_thread.run_sync,
            home=self.home,
            me=self.me,
            passphrase=self.passphrase,
            unknown=self.options.unknown,
        )

    @property
    def _asks_again(self) -> bool:
        """True if the player is asked for another game: by default only a person."""
        if self.options.again is not None:
            return self.options.again
        return self._is_person and not self.options.auto

    @property
    def _is_person(self) -> bool:
        """True if a person can be asked, at a page or at a terminal."""
        return self.page is not None or (not self.output.as_json and sys.stdin.isatty())

    @property
    def game(self) -> str:
        """The id of the game. "" before it has begun."""
        return self.player.table_name

    def say(self, words: str) -> None:
        """Show a message to a person. A program does not get it."""
        self.player.say(words)

    def _tell(self, update: Update) -> None:
        """Show an update, and note that a game has begun or ended."""
        self.player.tell(update)
        if (talk := self._manners.hear(update)) is not None:
            self.player.request(talk)
        if isinstance(update, Started):
            self._begin(update.table.seats)
            self._started = update
            self.is_over = False
        elif isinstance(update, GameOver):
            self.is_over = True
            self.first = self.first or update.transcript
            self._keep_company()

    def _keep_company(self) -> None:
        """Store who sat at the table, for statistics."""
        started = self._started
        if started is None or started.seat is None:
            return
        players = started.players or (None,) * started.table.seats
        alone = company_at(started.seat, players, {})
        company = alone if self.crew is None else self.crew.company(started.seat, players)
        keep_company(self.home, table_name(started.table), company)

    def _begin(self, seats: int) -> None:
        """Note that a game has begun at a table of so many seats."""
        # If all others are bots of this computer, nobody has to be told of a departure, and hints
        # are fair.
        self._tells = self.crew is None or len(self.crew.levels) < seats - 1
        self.player.is_among_own_bots = not self._tells
        if self.crew is not None:
            self.crew.remember(self.game)

    def _leave(self, reason: str) -> None:
        """Leave the table for a reason: at once if all other seats are bots of this computer."""
        self.left = self.left or reason
        if not self._tells and not self.is_over:
            self._scope.cancel()
        # Some time to tell the others, or to send the result of a game that is over.
        elif not self._going.is_set():
            self._going.set()
            self._scope.deadline = trio.current_time() + (ENDING if self.is_over else LEAVING)

    async def accept(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], host: bytes | None
    ) -> str | None:
        """Show the terms. Return "" if the player accepts them, as always unless `asks_terms`."""
        self.player.window.show_terms(TableOffer(terms, game, names, host))
        return "" if not self.asks_terms or await self.player.agree() else None

    async def admit(self, nickname: str, guest: bytes | None) -> bool:
        """Ask whether a guest (None for no key) may sit down. The player's own bots always may."""
        if guest is not None and self.crew is not None and self.crew.has(guest):
            return True
        return await self.player.admit(nickname, None if guest is None else fingerprint(guest))

    # Running

    async def run(self, go: Go) -> Outcome:
        """Play by `go` until the table is over, and return the outcome of the last game.

        Args:
            go: Opens, joins or resumes the table, and plays there.

        Raises:
            Trouble: If the seat is left before the end.
        """
        outcome: Outcome | None = None
        if self.crew is not None:
            self.crew.audience = self.audience
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    # Before all else, so that no signal ends the program without a word to the
                    # others.
                    await nursery.start(interrupted, self._leave)
                    asks = self.asks_terms or self._asks_again or self.asks
                    if self.options.until_eof:
                        nursery.start_soon(self._until_closed)
                    elif listen := self.player.window.listener(asks or not self.options.auto):
                        nursery.start_soon(listen)
                    outcome = await go(self, nursery)
                    if self.crew is not None and outcome.code != LEFT:
                        await self.crew.farewell()
                    nursery.cancel_scope.cancel()
        finally:
            if self.crew is not None:
                # Where the player's seat can be resumed, so can those of the bots.
                kept = outcome is None or outcome.kept or outcome.code == LEFT
                await self.crew.dismiss(keep=kept and self.crew.seated and not self.is_over)
        if outcome is None or outcome.code == LEFT:
            kept = outcome is None or outcome.kept
            words, fields = self.farewell(self.left or _("you left"), kept), {"game": self.game}
            raise Trouble(words, INTERRUPTED, "left", fields)
        return outcome

    async def _until_closed(self) -> None:
        await until_closed()
        self._leave(_("the input has ended"))

    def farewell(self, reason: str, kept: bool = True) -> str:
        """Return the message for a game that is left, with the command that resumes it.

        Args:
            reason: Why it was left, as a translated phrase.
            kept: Whether the journal of the game is still stored.
        """
        if self.is_over:
            return _("{reason}. The game was over already.").format(reason=reason)
        if not self.game or not kept:
            return _("{reason}; no game had begun.").format(reason=reason)
        text = _("{reason}. The game is not lost. Take your seat again with: hoity resume {game}")
        if self.crew is not None and self._tells:
            text = _(
                "{reason}. The game is not lost. Your bots have left with you, and come back with "
                "you. Take your seat again with: hoity resume {game}"
            )
        return text.format(reason=reason, game=f"{self.output.typed} {self.game}".strip())


Go = Callable[[Sitting, trio.Nursery], Awaitable[Outcome]]
"""A function that opens, joins or resumes a table, and plays there to the end."""


def sit(sitting: Sitting, go: Go) -> int:
    """Play at a table until the player leaves or the game is over, and print how it ended."""
    means = ctrl_c_means(lambda: sitting.farewell(_("Interrupted")))
    with closed_after(sitting.page), means:
        outcome = sitting.player.window.run(sitting.run, go)
    if outcome.kept and outcome.code != effects.UNCONFIRMED:  # Nothing was played yet.
        text = _(
            "Your journal of the game is kept. Save what was played, without a result, with: "
            "hoity resume --claim {game}"
        )
        sitting.say(text.format(game=sitting.game))
    asked, path = sitting.output.transcript, sitting.first or outcome.transcript
    if asked is not None and path not in (None, asked):
        words = _("{asked} could not be written; the transcript is in {path}.")
        complain("hoity: " + words.format(asked=asked, path=path))
    sitting.player.end(outcome)
    return OK if outcome.code is None else NOT_OK


def new_sitting(
    options: SeatOptions,
    output: OutputOptions,
    asks_terms: bool = False,
    mode: Mode = "play",
    asks_level: bool = False,
) -> Sitting:
    """Prepare a player's seat with its screen and its key, which is made in the very first game.

    A person is asked the questions of the first run, and for the passphrase of the key.

    Args:
        asks_terms: Whether the player is asked to accept the terms of a table.
        asks_level: Whether a page asks a new player for the level of the bots.
    """
    home, name = own_home(), options.name
    check_home(home)
    page = page_of(home, mode, output)
    if page is not None:
        if set_up(home, page, name is None, asks_level):
            lesson_before(page)
    elif name is None and not output.as_json:
        player_setup.first_run(home)
    me, passphrase = player_setup.load_or_make(home, name)
    me = player_setup.named(home, me, name)
    return Sitting(home, me, options, output, passphrase, asks_terms=asks_terms, page=page)
