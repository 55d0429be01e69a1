"""Games for the tests of the command line: views from the rules alone, and one real transcript."""

import importlib.util
import sys
from types import ModuleType
from typing import Any, get_args

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import DEFAULT, load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import View, view
from protocol import game_interface
from support.kept_home import table_of
from support.paths import ROOT
from support.rules_driver import Referee

UPDATES = (*updates.ScreenUpdate.__subclasses__(), *get_args(updates.Update)[1:])
"""Every kind of update that a screen is told."""
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
        wanted = not isinstance(due, game_interface.Unseal) and asked == kind and seat in seats
        if wanted and len(seen.legal(kind)) > 1:
            return seen
        driver.step()
    raise AssertionError(f"seat {seat} is never asked for {kind}")


def played_file() -> bytes:
    """Return the transcript of a whole game for two."""
    return table_of(2, 99, edition=DEFAULT).machine().transcript()
