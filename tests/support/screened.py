"""A table by the rules alone behind a full screen: the real application, no proofs."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import trio

from p2p_hoity import game_adapter, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending, Clock, Muster
from p2p_hoity.rules import Choose, Seal, Show, expected
from p2p_hoity.table.playing.player_interface import Player
from protocol import Table, Terms, Timeouts, table_header
from protocol.game_interface import Over
from support.machine_table import identity, seat_at
from support.rules_driver import Referee

NAMES = ("Iris", "Ada", "Bruno", "Clara", "Dov", "Ewa")


def short() -> rules.Edition:
    """The usual edition on a short track: a whole game in a few rounds."""
    return replace(load(), castles=(rules.edition.Castle(3, 2, 5),))


def table(
    seats: int,
    variant: rules.Variant = None,
    names: tuple[str, ...] = NAMES,
    edition: rules.Edition | None = None,
) -> Table:
    """A table with a roster of people."""
    game = game_adapter.game_value(edition or load(), variant)
    quorum = table_header.default_quorum(seats)
    terms = Terms(identity(0).public, b"n" * 32, game, seats, quorum, Timeouts())
    return seat_at(terms, game_adapter.read_game, names)[0]


@dataclass
class Company:
    """The others at the table: a referee plays them, and asks the seat at the screen."""

    seats: int
    seed: int = 1
    variant: rules.Variant = None
    mine: int = 0
    names: tuple[str, ...] = NAMES
    edition: rules.Edition = field(default_factory=load)
    pace: float = 0.0
    referee: Referee = field(init=False)
    asked: list[str] = field(default_factory=list)
    tell: Callable[[updates.Update], None] = field(init=False)
    _scope: trio.CancelScope | None = None
    _token: trio.lowlevel.TrioToken | None = None
    _question: trio.CancelScope | None = None

    def __post_init__(self) -> None:
        if self.seats == 2 and self.variant is None:
            self.variant = "surprise"
        self.referee = Referee.seat(self.edition, self.seats, self.seed, self.variant)

    def stop(self) -> None:
        """Play no more; called from outside of trio."""
        if self._scope is not None and self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._scope.cancel)

    def run_out(self) -> None:
        """The time for what is asked is over; called in trio."""
        if self._question is not None:
            self._question.cancel()

    def view(self) -> rules.View:
        """What the seat at the screen may know."""
        return rules.view(self.referee.state, self.mine, self.referee.private(self.mine))

    async def play(self, player: Player, tell: Callable[[updates.Update], None]) -> str:
        """The whole game, or what of it is played before `stop`."""
        self._token = trio.lowlevel.current_trio_token()
        with trio.CancelScope() as self._scope:
            return await self._play(player, tell)
        return "stopped"

    async def _play(self, player: Player, tell: Callable[[updates.Update], None]) -> str:
        self.tell = tell
        bound = table(self.seats, self.variant, self.names, self.edition)
        tell(updates.Joined(self.names[: self.seats], self.seats))
        tell(updates.Started(bound, self.mine))
        tell(updates.Attendance((Attending.LINKED,) * self.seats))
        while not isinstance(expected(self.referee.state), Over):
            await self._step(player)
        standings = self.referee.state.standings
        tell(updates.GameOver(bound, None, standings, None))  # type: ignore[arg-type]
        return "finished"

    async def _step(self, player: Player) -> None:
        due = expected(self.referee.state)
        seats = getattr(due, "seats", frozenset({getattr(due, "seat", None)}))
        if isinstance(due, Seal | Show | Choose) and self.mine in seats:
            kind = due.kind if not isinstance(due, Show) else "exhibit"
            await self._ask(player, kind)  # type: ignore[arg-type]
        before = len(self.referee.record)
        self.referee.step()
        items = tuple(self.referee.record[before:])
        if items:
            self.tell(updates.Happened(items, self.view()))
        await trio.sleep(self.pace)

    async def _ask(self, player: Player, kind: rules.Kind) -> None:
        view = self.view()
        if not view.legal(kind):
            return
        self.asked.append(kind)
        self.clock({self.mine, (self.mine + 1) % self.seats})
        self.tell(updates.Choosing(view, kind, False))
        choice = view.legal(kind)[0]  # what is chosen when time runs out
        with trio.CancelScope() as self._question:
            choice = await player.choose(view, kind, False)
        view.check(kind, choice)
        self.tell(updates.ChoiceTaken(kind, choice))
        self.referee.plan = {(kind, self.mine): choice}

    def clock(self, awaited: set[int], left: float = 271.0) -> None:
        """The clock as it stands."""
        muster = Muster(self.seats, 3, 3)
        self.tell(Clock(frozenset(awaited), 12.0, left, 300.0, muster))
