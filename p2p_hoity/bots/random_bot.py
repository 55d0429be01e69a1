"""The random bot: any legal choice, all alike."""

from __future__ import annotations

from random import Random
from typing import cast

from ..rules import Choice, Choose, Expected, Seal, Show, View, theft_options
from ..rules.vocabulary import Kind


class NothingToChoose(ValueError):
    """A bot was asked for a choice that its seat does not owe, or that has no legal answer."""


def kind_of(decision: Expected) -> Kind:
    """The kind of choice this decision asks for. NothingToChoose if it asks for none."""
    if isinstance(decision, Seal | Choose | Show):
        return cast(Kind, decision.kind)
    raise NothingToChoose(f"{decision} asks no seat for a choice")


def choose(view: View, decision: Expected, rng: Random) -> Choice:
    """One of the legal choices, each as likely (of exhibits those that `legal` lists).

    NothingToChoose if there are none.
    """
    kind = kind_of(decision)
    if kind == "theft":
        return tuple(rng.choice(exhibit) for exhibit in theft_options(view.state))
    options = view.legal(kind)
    if not options:
        raise NothingToChoose(f"seat {view.seat} has no legal {kind}")
    return rng.choice(options)
