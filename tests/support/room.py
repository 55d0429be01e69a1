"""Machines wired to each other in one process, on a virtual clock, without a network."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from protocol.chain.state import Table
from protocol.crypto.signing import Identity
from protocol.seat import effects
from protocol.seat.effects import Asked, Record, Send
from protocol.seat.machine import Machine
from protocol.wire import header
from protocol.wire.header import Header, Patience, Terms

PATIENCE = Patience()
Chooser = Callable[[Machine, Asked], Any]


def seeded(name: str) -> Callable[[int], bytes]:
    """Randomness from a name, the same every time."""
    return random.Random(hashlib.sha256(name.encode()).digest()).randbytes


def identity(seat: int) -> Identity:
    """A seat's identity, the same every time."""
    return Identity(hashlib.sha256(b"seat%d" % seat).digest())


def seat_at(terms: Terms, game_of: Callable[[Terms], Any]) -> tuple[Table, list[Identity]]:
    """A table of these terms with a roster of seeded identities."""
    who = [identity(i) for i in range(terms.seats)]
    roster = tuple(
        header.sit(terms, one, f"seat {i}", bytes([i]) * 32) for i, one in enumerate(who)
    )
    return Table(Header(terms, roster), game_of(terms)), who


def make_table(
    game: Any, seats: int, quorum: int | None = None, patience: Patience = PATIENCE
) -> tuple[Table, list[Identity]]:
    """A table of a game that needs no terms."""
    quorum = quorum or header.default_quorum(seats)
    terms = Terms(identity(0).public, b"n" * 32, "toy", seats, quorum, patience)
    return seat_at(terms, lambda _: game)


@dataclass
class Place:
    """One machine, its journal and the effects it had."""

    machine: Machine
    journal: list[bytes] = field(default_factory=list)
    heard: list[effects.Effect] = field(default_factory=list)
    alive: bool = True


class Room:
    """All seats of one table; frames are delivered one by one, in order unless told otherwise."""

    def __init__(self, table: Table, who: list[Identity], choose: Chooser, seed: str = "") -> None:
        self.table, self.who, self.choose, self.seed = table, who, choose, seed
        self.now = 0.0
        self.queue: list[tuple[int, int, bytes]] = []
        self.places = [Place(self.build(i)) for i in range(table.seats)]
        self.drop: Callable[[int, int, bytes], bool] = lambda a, b, f: False

    def build(self, seat: int) -> Machine:
        """A fresh machine of a seat, the same secrets every time."""
        secret = hashlib.sha256(f"{self.seed}secret{seat}".encode()).digest()
        rng = seeded(f"{self.seed}rng{seat}{self.now}")
        return Machine(self.table, rng, seat, self.who[seat], secret)

    def start(self) -> None:
        for seat, place in enumerate(self.places):
            place.machine.start(self.now)
            self.link(seat)
            self.collect(seat)

    def link(self, seat: int) -> None:
        """Tell a machine of its links to all that are alive."""
        for other, place in enumerate(self.places):
            if other != seat and place.alive:
                self.places[seat].machine.link_up(self.table.ids[other], self.now)

    def collect(self, seat: int) -> None:
        """Take a machine's effects until it has none: journal, queue, answer what is asked."""
        place = self.places[seat]
        while found := place.machine.take():
            for effect in found:
                place.heard.append(effect)
                if isinstance(effect, Record):
                    place.journal.append(effect.data)
                elif isinstance(effect, Send):
                    self.post(seat, effect)
                elif isinstance(effect, Asked):
                    choice = self.choose(place.machine, effect)
                    if choice is not None and place.machine.must_choose:
                        place.machine.choose(choice, self.now)

    def post(self, seat: int, send: Send) -> None:
        ids = self.table.ids
        for other in range(len(self.places)):
            to = ids[other]
            if other == seat or to in send.but or (send.peer is not None and to != send.peer):
                continue
            self.queue.append((seat, other, send.frame))

    def deliver(self) -> bool:
        """Deliver one frame; False if none is left."""
        if not self.queue:
            return False
        source, to, frame = self.queue.pop(0)
        if self.places[to].alive and self.places[source].alive and not self.drop(source, to, frame):
            self.places[to].machine.receive(frame, self.now, self.table.ids[source])
            self.collect(to)
        return True

    def run(self, until: float = 0.0, step: float = 0.5) -> None:
        """Deliver all there is, then let time pass, until every live seat is finished."""
        limit = self.now + until
        while True:
            while self.deliver():
                pass
            if self.done() or self.now >= limit:
                return
            self.now += step
            for seat, place in enumerate(self.places):
                if place.alive:
                    place.machine.tick(self.now)
                    self.collect(seat)

    def done(self) -> bool:
        return all(p.machine.finished or not p.alive for p in self.places)

    def crash_and_resume(self, seat: int) -> None:
        """Replace a machine by one rebuilt from its journal."""
        place = self.places[seat]
        place.machine = self.build(seat)
        place.machine.restore(list(place.journal))
        place.machine.start(self.now)
        place.alive = True
        self.link(seat)
        self.collect(seat)


def begun_room(game: Any, seats: int = 4) -> Room:
    """A table whose first machine stands in epoch 0, the deal ahead."""
    table, who = make_table(game, seats)
    made = Room(table, who, toy_choice)
    made.start()
    while not made.places[0].machine.has_begun:
        made.deliver()
    return made


def toy_choice(machine: Machine, asked: Asked) -> Any:
    """Any legal choice of the toy game."""
    hand = machine.table.layout.hands[machine.seat or 0]
    return {"bid": (machine.seat or 0) % 4, "pile": 1, "card": (hand[0],), "solo": (hand[1],)}[
        asked.kind
    ]
