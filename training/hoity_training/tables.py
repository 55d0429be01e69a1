"""Which tables are played while learning: seats, editions, switches and variants, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import Edition, Variant

SHARES = {2: 0.15, 3: 0.2, 4: 0.35, 5: 0.15, 6: 0.15}
"""Of all games, by seats."""
TURNED = 0.25
"""Of the games of an edition and number of seats those with all its switches turned round; at every
second kind of table only, which says as much of switches in half the time."""


@dataclass(frozen=True)
class Kind:
    """One kind of table, and what share of all games is of it."""

    edition: Edition
    seats: int
    variant: Variant
    share: float


def turned(edition: Edition) -> Edition:
    """The same Collectibles with every switch set the other way."""
    now = edition.switches
    return edition.with_switches(
        action_choice="staged" if now.action_choice == "together" else "together",
        detective_in_hall=not now.detective_in_hall,
        detective_rank="after" if now.detective_rank == "before" else "before",
    )


def kinds(shares: Mapping[int, float] = SHARES) -> Iterator[Kind]:
    """All kinds of tables with so many seats; their shares are to each other as those given, and
    sum to 1."""
    whole = sum(shares.values())
    for seats, share in shares.items():
        if not share:
            continue
        variants: tuple[Variant, ...] = ("surprise", "confrontation") if seats == 2 else (None,)
        for number, (variant, name) in enumerate(product(variants, NAMES)):
            part = share / whole / len(variants) / len(NAMES)
            both = (seats + number + (variant == "confrontation")) % 2 == 0
            yield Kind(load(name), seats, variant, part * (1 - TURNED * both))
            if both:
                yield Kind(turned(load(name)), seats, variant, part * TURNED)
