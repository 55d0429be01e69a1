"""Games for the tests of the command line: views from the rules alone, and one real transcript."""

import importlib.util
import random
import sys
from types import ModuleType
from typing import Any

from p2p_hoity import bots, game_port, rules
from p2p_hoity.editions import load
from p2p_hoity.rules import View, view
from protocol.crypto.group import cache_per_backend
from protocol.seat.effects import Asked
from protocol.seat.machine import Machine
from protocol.wire.header import Patience, Terms
from support.machine_table import MachineTable, identity, seat_at
from support.paths import ROOT
from support.rules_driver import Referee

NICKNAMES = ("Ana", "Bob", "Cleo", "Dan", "Eve", "Fay")


def tool(name: str, folder: str = "tools") -> ModuleType:
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def referee(seats: int, seed: int = 1, variant: Any = None) -> Referee:
    """A game by the rules alone, before its first step."""
    return Referee.seat(load(), seats, seed, variant)


def until(driver: Referee, kind: rules.Kind, seat: int) -> View:
    """Play on until the seat owes a choice of this kind with more than one answer."""
    for _ in range(5000):
        due = rules.expected(driver.state)
        asked = getattr(due, "kind", "exhibit" if isinstance(due, rules.Show) else "")
        seats = getattr(due, "seats", {getattr(due, "seat", None)})
        seen = view(driver.state, seat, driver.private(seat))
        wanted = not isinstance(due, rules.Unseal) and asked == kind and seat in seats
        if wanted and len(seen.legal(kind)) > 1:
            return seen
        driver.step()
    raise AssertionError(f"seat {seat} is never asked for {kind}")


@cache_per_backend(maxsize=1)
def played_file() -> bytes:
    """The transcript of a whole game for two."""
    game = game_port.game_value(load(), "surprise")
    terms = Terms(identity(0).public, b"n" * 32, game, 2, 2, Patience())
    bound, who = seat_at(terms, game_port.read_game)
    rng = random.Random(2)

    def choose(machine: Machine, asked: Asked) -> Any:
        seen = view(asked.node.state.state, machine.seat, machine.hand())
        return bots.BOTS["normal"](seen, rules.expected(seen.state), rng)

    here = MachineTable(bound, who, choose)
    here.start()
    here.run(until=5)
    return here.places[0].machine.transcript()
