"""The whole tree of the cut-down, grown by the rules themselves.

What all choose at once stands in it one seat after the other, the second not knowing the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.bots.learned.observation import Sight
from p2p_hoity.rules import (
    HAND,
    Choice,
    Choose,
    Expected,
    Phase,
    Seal,
    Show,
    State,
    apply,
    expected,
    view,
)
from p2p_hoity.rules.choices import Kind
from p2p_hoity.rules.legality import legal
from protocol.game_interface import (
    Chosen,
    Draw,
    Drawn,
    Event,
    OpenAll,
    Opened,
    Over,
    Sealed,
    Shown,
    Stopped,
    Unseal,
    Unsealed,
)

from .deals import ROUNDS, SEATS, opening

Seen = tuple[int, str, Choice]
"""Whose choice, of what kind, and what; or an opened card: the slot, `card`, the Collectible."""


Log = tuple[Seen, ...]


@dataclass(frozen=True)
class Play:
    """A game under way: the deck, choices not opened yet, and what each seat has seen so far."""

    state: State
    deck: tuple[int, ...]
    logs: tuple[Log, ...]
    sealed: tuple[tuple[int, Choice], ...] = ()

    @classmethod
    def dealt(cls, deck: tuple[int, ...]) -> Play:
        """Each seat has seen its own hand."""
        logs = tuple(
            tuple((slot, "card", deck[slot]) for slot in range(HAND * seat, HAND * seat + HAND))
            for seat in range(SEATS)
        )
        return cls(opening(deck), deck, logs)

    def menu(self, seat: int, kind: Kind) -> tuple[Choice, ...]:
        """What the seat may choose from: what the learned bot would, but of exhibits the best."""
        own = {slot: self.deck[slot] for slot in range(HAND * seat, HAND * seat + HAND)}
        if kind == "exhibit":
            return legal(self.state, kind, seat, own)[:1]
        found = picks(Sight(view(self.state, seat, own), seat, kind))
        choices = [candidate.choice for candidate in found[0]]
        whole = [(c,) for c in choices] if kind == "theft" else choices
        return tuple(sorted(set(cast("list[Choice]", whole)), key=str))

    def after(self, event: Event) -> Play:
        """The rules have gone on by this event."""
        return replace(self, state=apply(self.state, event))

    def told(self, *seen: Seen, to: tuple[int, ...] = tuple(range(SEATS))) -> Play:
        """These seats have seen that."""
        logs = tuple(
            (*log, *(one for one in seen if one not in log)) if seat in to else log
            for seat, log in enumerate(self.logs)
        )
        return replace(self, logs=logs)

    def cards(self, slots: object) -> dict[int, int]:
        """The Collectibles of those of these slots that are hidden yet."""
        some = slots if isinstance(slots, tuple) else ()
        return {slot: self.deck[slot] for slot in some if self.state.known[slot] is None}


def owed(play: Play) -> tuple[int, Kind] | None:
    """Which seat has to choose now, and what."""
    due = _due(play.state)
    if isinstance(due, Seal):
        left = sorted(due.seats - dict(play.sealed).keys())
        return (left[0], cast(Kind, due.kind)) if left else None
    return (due.seat, cast(Kind, due.kind)) if isinstance(due, Show | Choose) else None


def chosen(play: Play, choice: Choice) -> Play:
    """The seat that has to choose has chosen."""
    due, (seat, kind) = expected(play.state), cast("tuple[int, Kind]", owed(play))
    own = (seat, f"{kind} {play.state.round}", choice)
    if isinstance(due, Seal):
        return replace(play.told(own, to=(seat,)), sealed=(*play.sealed, (seat, choice)))
    if isinstance(due, Choose):
        return play.told(own).after(Chosen(kind, seat, choice))
    cards = play.cards(choice)
    return play.told(own, *_opened(cards)).after(Shown(kind, seat, choice, cards))


def _opened(cards: dict[int, int]) -> list[Seen]:
    return [(slot, "card", card) for slot, card in cards.items()]


def settled(play: Play) -> Play:
    """Played on until a seat has to choose, or to the end."""
    while owed(play) is None:
        due = _due(play.state)
        if isinstance(due, Over):
            return play
        play = _onward(play, due)
    return play


def _due(state: State) -> Expected | Stopped:
    """What the rules wait for; the end when the rounds are played."""
    if state.round > ROUNDS and state.phase not in (Phase.FINAL, Phase.OVER):
        return Stopped()
    return expected(state)


def _onward(play: Play, due: Expected | Stopped) -> Play:
    match due:
        case Stopped():
            return play.after(due)
        case Seal(kind, seats):
            return play.after(Sealed(kind, seats))
        case Unseal(kind, seats):
            return _unsealed(play, kind)
        case Draw(slots):
            cards = play.cards(slots)
            return play.told(*_opened(cards)).after(Drawn(cards))
        case OpenAll(slots):
            return play.after(Opened(play.cards(slots)))
    raise RuntimeError(f"nothing answers {due}")


def _unsealed(play: Play, kind: str) -> Play:
    choices = dict(play.sealed)
    cards = (
        {}
        if kind != "exhibit"
        else {s: c for slots in choices.values() for s, c in play.cards(slots).items()}
    )
    seen = [(seat, f"{kind} {play.state.round}", choice) for seat, choice in choices.items()]
    play = play.told(*seen, *_opened(cards))
    return replace(play, sealed=()).after(Unsealed(kind, choices, cards))
