"""Whole games at every kind of table in which seats vanish, return, and have choices voided."""

import random
from collections.abc import Callable

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import NAMES, load
from protocol import game_interface
from support.rules_driver import Referee

TABLES = [(name, n, None) for name in NAMES for n in range(3, 7)] + [
    (name, 2, variant) for name in NAMES for variant in ("surprise", "confrontation")
]


def unruly(referee: Referee, due: rules.Expected, rng: random.Random) -> game_interface.Event:
    """An answer in which some seats vanish, come back, or have their choices voided."""
    event = referee.answer()
    if isinstance(event, game_interface.Sealed) and rng.random() < 0.05:
        return game_interface.Sealed(
            event.kind, frozenset(s for s in event.seats if rng.random() < 0.5)
        )
    if isinstance(event, game_interface.Unsealed) and rng.random() < 0.05:
        voided = rng.choice(sorted(event.choices))
        return referee.unsealed(due, {**event.choices, voided: None})
    if isinstance(event, game_interface.Shown | game_interface.Chosen) and rng.random() < 0.05:
        return type(event)(event.kind, event.seat, None)
    if isinstance(event, game_interface.Opened):
        return game_interface.Opened({s: c for s, c in event.cards.items() if rng.random() < 0.7})
    return event


def presence(state: rules.State, rng: random.Random) -> game_interface.Presence:
    """Somebody goes or comes; now and then somebody is banned; one seat stays.

    At least two seats are not banned, since no table plays on without its quorum. A seat that is
    alone may have no card left that leads on.
    """
    may_ban = state.seats - len(state.banned) > 2 and rng.random() < 0.02
    banned = state.banned | ({rng.randrange(1, state.seats)} if may_ban else set())
    present = {s for s in range(1, state.seats) if rng.random() < 0.7} | {0}
    return game_interface.Presence(frozenset(present) - banned, frozenset(banned))


def play_unruly(
    name: str,
    seats: int,
    variant: rules.Variant,
    seed: int,
    watch: Callable[[rules.State], object] = lambda state: None,
) -> Referee:
    """A whole game; `watch` sees every state from the deal on."""
    referee = Referee.seat(load(name), seats, seed, variant)
    rng = random.Random(seed)
    watch(referee.step())
    while not isinstance(due := rules.expected(referee.state), game_interface.Over):
        before = referee.state
        if rng.random() < 0.04:
            referee.apply(presence(before, rng))
        else:
            referee.apply(unruly(referee, due, rng))
        watch(referee.state)
        assert all(a <= b for a, b in zip(before.figures, referee.state.figures, strict=True))
        assert len(referee.log) < 20_000
    return referee
