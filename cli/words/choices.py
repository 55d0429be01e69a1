"""Choices with names: what a seat may choose, numbered and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from p2p_hoity.rules import Choice, Place, View, theft_options

from .cards import Names, card, listed, place, run_letters
from .lingo import N_, _

QUESTIONS: Final = {
    "place": N_("Where do you go?"),
    "action": N_("Which Action card do you play?"),
    "turn": N_("Where do you go, and with which Action card?"),
    "exhibit": N_("Which exhibit do you show?"),
    "window": N_("From which window do you buy?"),
    "theft": N_("Which Collectible does your Thief take?"),
}


@dataclass(frozen=True)
class Option:
    """One answer and its words."""

    words: str
    value: Choice


@dataclass(frozen=True)
class Question:
    """Something asked, and the answers to choose from."""

    words: str
    options: tuple[Option, ...]


def questions(view: View, kind: str, names: Names) -> tuple[Question, ...]:
    """What has to be asked for one choice: a theft asks once for every exhibit."""
    if kind == "theft":
        return _thefts(view, names)
    legal = view.legal(kind)  # type: ignore[arg-type]
    options = (Option(in_words(view, kind, choice, names), choice) for choice in legal)
    return (Question(_(QUESTIONS[kind]), tuple(options)),)


def _thefts(view: View, names: Names) -> tuple[Question, ...]:
    found = []
    for slots in theft_options(view.state):
        owner = next(s for s, held in enumerate(view.state.collectibles) if slots[0] in held)
        words = _("Which Collectible does your Thief take from the exhibit of {owner}?")
        options = tuple(Option(names.piece(view.piece(slot)), slot) for slot in slots)
        found.append(Question(words.format(owner=names.seat(owner)), options))
    return tuple(found)


def together(kind: str, answers: Sequence[Choice]) -> Choice:
    """One choice out of the answers to its questions."""
    if kind == "theft":
        return tuple(answer for answer in answers if isinstance(answer, int))
    return answers[0]


def in_words(view: View, kind: str, choice: Choice, names: Names) -> str:
    """A choice in words."""
    if isinstance(choice, int):
        return _single(view, kind, choice, names)
    if kind == "turn":
        where, action = choice
        return f"{place(Place(where))}, {card(view.state.action_card(action))}"
    pieces = [view.piece(slot) for slot in choice]
    if kind == "theft":
        return names.pieces(pieces)
    letters = run_letters(piece.letter for piece in pieces)
    return f"{letters}: {names.pieces(pieces)}"


def _single(view: View, kind: str, choice: int, names: Names) -> str:
    if kind == "place":
        return place(Place(choice))
    if kind == "window":
        window = view.state.windows[choice]
        text = _("window {number}: {piece}")
        piece = names.piece(view.piece(window[0])) if window else "–"
        return text.format(number=choice + 1, piece=piece)
    return card(view.state.action_card(choice))


def own_pieces(view: View, names: Names) -> str:
    """One's own Collectibles, numbered as `p` takes them."""
    slots = own_slots(view)
    return listed(
        f"{number} {names.piece(view.piece(slot))}" for number, slot in enumerate(slots, 1)
    )


def own_slots(view: View) -> list[int]:
    """One's own slots, by letter and age."""
    mine = view.mine()
    return sorted(mine, key=lambda slot: mine[slot])
