"""A second game for the table, smaller than any real one: deal, seal, draw, show, choose, end.

Each seat holds two cards. Every round each seat seals a number 0..3 ('bid'), all are opened;
the highest bidder (lowest seat of several) openly chooses a pile ('pile'), whose top is drawn.
In the last round every seat seals one slot of its hand ('card') and shows it; then the winner
shows a lone card ('solo'). All hands are opened at the end; the most drawn cards win.
"""

from dataclasses import dataclass, replace
from typing import Any

from protocol.game_interface import (
    ChoiceForm,
    Choose,
    Chosen,
    Deal,
    Dealt,
    Draw,
    Drawn,
    IllegalMove,
    Layout,
    OpenAll,
    Opened,
    Over,
    Presence,
    Seal,
    Sealed,
    Show,
    Shown,
    Stopped,
    Unseal,
    Unsealed,
)


@dataclass(frozen=True)
class Toy:
    """The state; `phase` is what is expected, `log` all that happened."""

    seats: int
    phase: str = "deal"
    round: int = 1
    coin: bytes = b""
    playing: frozenset[int] = frozenset()
    present: frozenset[int] = frozenset()
    sealed: frozenset[int] = frozenset()
    winner: int = 0
    pile: int = 0
    drawn: int = 0
    score: tuple[int, ...] = ()
    log: tuple[Any, ...] = ()


class ToyGame:
    """The Game port over Toy."""

    def __init__(self, seats: int, rounds: int = 2) -> None:
        self.seats, self.rounds = seats, rounds
        hands = tuple((2 * i, 2 * i + 1) for i in range(seats))
        self.first = 2 * seats
        self.layout = Layout(2 * seats + rounds + 1, hands, (self.first,))

    def start(self) -> Toy:
        everyone = frozenset(range(self.seats))
        return Toy(self.seats, playing=everyone, present=everyone, score=(0,) * self.seats)

    def expected(self, state: Toy) -> Any:
        phase = state.phase
        return {
            "deal": lambda: Deal(),
            "bid": lambda: Seal("bid", state.playing),
            "bids": lambda: Unseal("bid", state.sealed),
            "pile": lambda: Choose("pile", state.winner),
            "draw": lambda: Draw((self.first + 1 + state.drawn,)),
            "card": lambda: Seal("card", state.playing),
            "cards": lambda: Unseal("card", state.sealed, shows=True),
            "solo": lambda: Show("solo", state.winner),
            "final": lambda: OpenAll(tuple(range(2 * self.seats))),
            "over": lambda: Over(),
        }[phase]()

    def apply(self, state: Toy, event: Any) -> Toy:
        state = replace(state, log=(*state.log, event))
        if isinstance(event, Presence):
            back = event.present - state.present
            gone = (state.playing & event.present) - back
            return self._skip(replace(state, present=event.present, playing=gone))
        return self._skip(self._happen(state, event))

    def _happen(self, state: Toy, event: Any) -> Toy:
        match event:
            case Dealt(coin, _):
                return replace(state, phase="bid", coin=coin)
            case Sealed("bid", seats):
                return replace(state, phase="bids", sealed=seats)
            case Unsealed("bid", choices, _):
                bids = {s: c for s, c in choices.items() if isinstance(c, int)}
                best = max(bids, key=lambda s: (bids[s], -s), default=0)
                return replace(state, phase="pile", winner=best)
            case Chosen("pile", _, choice):
                return replace(state, phase="draw", pile=choice if isinstance(choice, int) else 0)
            case Drawn(_):
                score = list(state.score)
                score[state.winner] += 1
                state = replace(state, drawn=state.drawn + 1, score=tuple(score))
                state = replace(state, round=state.round + 1, playing=state.present)
                return replace(state, phase="bid" if state.round <= self.rounds else "card")
            case Sealed("card", seats):
                return replace(state, phase="cards", sealed=seats)
            case Unsealed("card", _, _):
                return replace(state, phase="solo")
            case Shown("solo", _, _, _):
                return replace(state, phase="final")
            case Stopped():
                return replace(state, phase="final")
            case Opened(_):
                return replace(state, phase="over")
        raise AssertionError(event)

    def _skip(self, state: Toy) -> Toy:
        """Defaults of the absent."""
        if state.phase == "pile" and state.winner not in state.playing:
            return replace(state, phase="draw", pile=0)
        if state.phase == "solo" and state.winner not in state.playing:
            return replace(state, phase="final")
        if state.phase in ("bids", "cards") and not state.sealed:
            return replace(state, phase={"bids": "pile", "cards": "solo"}[state.phase])
        return state

    def check(self, state: Toy, kind: str, seat: int, choice: Any, cards: Any) -> None:
        if kind in ("card", "solo") and choice[0] not in self.layout.hands[seat]:
            raise IllegalMove("card-of-another-hand", slot=choice[0])

    def choices(self, kind: str, seat: int) -> list[Any]:
        """Every legal choice of a kind."""
        hand = self.layout.hands[seat]
        return {
            "bid": [0, 1, 2, 3],
            "pile": [0, 1],
            "card": [(slot,) for slot in hand],
            "solo": [(slot,) for slot in hand],
        }[kind]

    def form(self, kind: str) -> ChoiceForm:
        return {
            "bid": ChoiceForm(0, 3),
            "pile": ChoiceForm(0, 1),
            "card": ChoiceForm(0, self.layout.cards - 1, (1, 1)),
            "solo": ChoiceForm(0, self.layout.cards - 1, (1, 1)),
        }[kind]

    def size(self, kind: str) -> int:
        return 8

    def standings(self, state: Toy) -> tuple[tuple[int, int], ...]:
        order = sorted(range(self.seats), key=lambda s: -state.score[s])
        return tuple((rank + 1, seat) for rank, seat in enumerate(order))
