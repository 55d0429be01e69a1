"""The choices of the game as JSON, as programs read and write them."""

from __future__ import annotations

from typing import Any

from p2p_hoity import rules
from p2p_hoity.rules import Choice, Place

from ..words.refusals import NO_PLACE


def choice_json(kind: str, choice: Choice) -> Any:
    """Return a choice as JSON. A Place is its English name everywhere."""
    if kind == "place" and isinstance(choice, int):
        return Place(choice).words
    if kind == "turn" and isinstance(choice, tuple):
        return [Place(choice[0]).words, choice[1]]
    return list(choice) if isinstance(choice, tuple) else choice


def choice_from_json(kind: rules.Kind, value: Any) -> Choice:
    """Return the choice in a JSON value.

    Raises:
        IllegalMove: If the value is no choice of this kind.
    """
    if kind == "place":
        value = _place(value)
    if kind == "turn" and isinstance(value, list) and value:
        value = [_place(value[0]), *value[1:]]
    return rules.choice_from_wire(kind, value)


def _place(value: Any) -> int:
    """Return the number of the Place with this English name."""
    # A number is no Place: each thing has one form.
    for place in Place:
        if value == place.words:
            return place.value
    raise rules.IllegalMove(NO_PLACE)
