"""Tables, seats and choosers of the vectors, all made from one seed a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from support.boxes import with_colours
from support.forgeries.cheater import Due, Lie
from support.forgeries.statements import carried
from support.machine_table import MachineTable, Place
from support.short_game import short_edition
from support.stream import pick, stream

from p2p_hoity import game_adapter, rules
from p2p_hoity.editions import load_edition
from p2p_hoity.rules.edition import Edition
from protocol.chain.chain_state import Kind, Table
from protocol.crypto.identities import Identity
from protocol.seat.effects import ChoiceAsked, Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import table_header
from protocol.wire.signed_messages import Statement
from protocol.wire.table_header import Header, Terms, Timeouts

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Fay")
TIMEOUTS = Timeouts(choice=20_000, step=10_000, back_off=3_000, cap=60_000)
FULL = load_edition.NAMES
OWN_COLOURS = ("black", "red", "Türkis", "navy blue", "黄色")
EXHIBIT = 7
"""Place of the Exhibit card in its colour."""


@lru_cache(maxsize=8)
def edition_of(name: str) -> Edition:
    """A shipped edition, or 'small-N': the first N Collectibles a letter of the first of them, on
    a track of two Castles and a Banquet field. 'own-colours' is small-4 with five colours."""
    if name in FULL:
        return load_edition.load(name)
    if name == "own-colours":
        return with_colours(short_edition(), *OWN_COLOURS)
    return short_edition(int(name.removeprefix("small-")))


@dataclass(frozen=True)
class Plan:
    """A game before it is played."""

    seed: str
    edition: str
    seats: int
    variant: Any = None
    quorum: int = 0
    rejoins: int = 8

    @property
    def terms(self) -> Terms:
        """What the host offers."""
        game = game_adapter.game_value(edition_of(self.edition), self.variant)
        nonce = stream(self.seed, "terms nonce")(32)
        quorum = self.quorum or table_header.default_quorum(self.seats)
        who = self.who[0].public
        return Terms(who, nonce, game, self.seats, quorum, TIMEOUTS, self.rejoins)

    @property
    def who(self) -> list[Identity]:
        """The identities by seat."""
        labels = (f"seat {i} identity" for i in range(self.seats))
        return [Identity(stream(self.seed, label)(32)) for label in labels]

    def sit_down(self) -> Table:
        """The table with its roster."""
        terms = self.terms
        roster = tuple(
            table_header.sit(terms, one, NAMES[i], stream(self.seed, f"seat {i} nonce")(32))
            for i, one in enumerate(self.who)
        )
        return game_adapter.bind(Header(terms, roster))


def eager(seed: str) -> Callable[[SeatMachine, ChoiceAsked], Any]:
    """Goes for Exhibits, to be done soon; else any legal choice."""
    draws = {seat: stream(seed, f"seat {seat} choices") for seat in range(6)}

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        view = rules.view(asked.node.state.state, machine.seat, machine.hand())
        options: list[Any] = list(view.legal(asked.kind))  # type: ignore[arg-type]
        if asked.kind == "place" and rules.legality.holds_exhibit(
            view.state, machine.seat or 0, dict(view.private)
        ):
            options = options[:1] * 2 + options
        if asked.kind in ("action", "turn"):
            cards = [o[1] if isinstance(o, tuple) else o for o in options]
            shows = [o for o, card in zip(options, cards, strict=True) if card % 8 == EXHIBIT]
            options = shows or options
        return pick(draws[machine.seat or 0], options)

    return choose


Act = Callable[["VectorTable"], None]


@dataclass
class Hour:
    """Something that happens once, when any seat that is there (or this one) first stands where it
    is due."""

    due: Due
    act: Act
    seat: int | None = None
    done: bool = False


class VectorTable(MachineTable):
    """A table at which all is drawn from labelled streams, and things happen at named hours."""

    def __init__(self, plan: Plan, lies: dict[int, Lie] | None = None) -> None:
        self.plan, self.lives = plan, dict.fromkeys(range(6), 0)
        self.hours: list[Hour] = []
        self.waits: Due = lambda node: False
        self.not_waiting: set[int] = set()
        chooser = eager(plan.seed)
        super().__init__(
            plan.sit_down(),
            plan.who,
            lambda machine, asked: None if self.must_wait(machine) else chooser(machine, asked),
            plan.seed,
            cheaters=lies or {},
        )

    def must_wait(self, machine: SeatMachine) -> bool:
        """Whether the seat does not choose now; it is asked again in the next epoch."""
        return machine.seat not in self.not_waiting and self.waits(machine.tip)

    def build(self, seat: int) -> SeatMachine:
        """A machine with the seat's secrets and, in each life, fresh randomness."""
        seed = self.plan.seed
        secret = stream(seed, f"seat {seat} secret")(32)
        draw = stream(seed, f"seat {seat} randomness {self.lives[seat]}")
        self.lives[seat] += 1
        return self.made(seat, draw, secret)

    def at(  # type: ignore[override]
        self, due: Due, act: Act, seat: int | None = None
    ) -> VectorTable:
        """Have something happen."""
        self.hours.append(Hour(due, act, seat))
        return self

    def deliver(self) -> bool:
        """See to what is due, then deliver one frame."""
        for hour in self.hours:
            there = (p.machine for p in self.places if p.alive)
            tips = [m.tip for m in there if hour.seat in (None, m.seat)]
            if not hour.done and any(hour.due(tip) for tip in tips):
                hour.done = True
                hour.act(self)
        return super().deliver()

    def play(self, until: float = 600.0) -> VectorTable:  # type: ignore[override]
        """From the first word to the end."""
        self.start()
        self.run(until=until)
        return self

    @property
    def first(self) -> Place:
        """The lowest seat that finished."""
        return next(p for p in self.places if p.machine.finished)


def before(kind: Kind, name: str = "", least: int = 0) -> Due:
    """Due before a step of this kind (of choice), not before step `least`."""
    return lambda node: (
        node.want.kind is kind and (not name or node.want.name == name) and node.step >= least
    )


def vanish(seat: int) -> Act:
    """The seat is gone."""

    def act(played: VectorTable) -> None:
        played.places[seat].alive = False

    return act


def go_and_come(played: VectorTable, seat: int) -> VectorTable:
    """Have the seat go, and while the others wait resume from its journal and ask to be let in."""

    played.at(before(Kind.REVEAL, "place"), vanish(seat))
    played.waits = lambda node: seat not in node.present
    return played.at(played.waits, come_back(seat))


def come_back(seat: int) -> Act:
    """The seat resumes from its journal, and asks to be let in."""

    def act(played: VectorTable) -> None:
        played.crash_and_resume(seat)
        played.places[seat].machine.ask_rejoin(played.now)
        played.collect(seat)

    return act


def inject(seat: int, make: Callable[[SeatMachine], Statement]) -> Act:
    """Have the seat sign one statement more and send it to all."""

    def act(played: VectorTable) -> None:
        machine = played.places[seat].machine
        machine.be_cautious = lambda certain=False: None  # type: ignore[method-assign]
        played.post(seat, Send(carried(machine, make(machine))))

    return act


def owing(kind: Kind, name: str, seat: int, least: int = 0) -> Due:
    """Due in a step of this kind in which the seat owes a choice."""
    due = before(kind, name, least)
    return lambda node: due(node) and seat in node.want.owes


def opening(name: str, seat: int) -> Due:
    """Due before the reveal of the seat's sealed choice of this kind."""
    due = before(Kind.REVEAL, name)
    return lambda node: due(node) and seat in node.want.dues
