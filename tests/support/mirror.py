"""One game of the simulator, played by the rules: what both have, in the same words."""

from dataclasses import dataclass, field
from typing import Any

from p2p_hoity import rules
from p2p_hoity.rules import Presence as Attendance
from training.sim import CARD_IDS, NONE, Board


def coin_of(colours: list[int]) -> bytes:
    """The coin that draws these colours."""
    left, digits = list(range(6)), []
    for colour in colours:
        digits.append((left.index(colour), len(left)))
        left.remove(colour)
    number = 0
    for digit, base in reversed(digits):
        number = number * base + digit
    return number.to_bytes(32, "big")


@dataclass
class Mirror:
    """One game of the simulator, played by the rules."""

    board: Board
    game: int
    early: Attendance | None = None
    state: rules.State = field(init=False)
    sealed: dict[int, rules.Choice | None] = field(default_factory=dict)
    woken: bool = False

    def __post_init__(self) -> None:
        board, game = self.board, self.game
        self.bits = board.deck[game].tolist()
        self.deck = board.pieces.card[board.deck[game]].tolist()
        self.slot = {bit: slot for slot, bit in enumerate(self.bits)}
        self.state = rules.start(board.edition, board.seats, board.variant)
        if self.early is not None:
            self.apply(self.early)
        tops = rules.layout(len(self.deck), board.seats).tops
        self.apply(rules.Dealt(coin_of(board.colours[game].tolist()), self.cards(tops)))

    def cards(self, slots: Any) -> dict[int, int]:
        return {slot: self.deck[slot] for slot in slots}

    def hidden(self, slots: Any) -> dict[int, int]:
        return self.cards(slot for slot in slots if self.state.known[slot] is None)

    def mask(self, slots: Any) -> int:
        return sum(1 << self.bits[slot] for slot in slots or ())

    def slots(self, mask: int) -> tuple[int, ...]:
        return tuple(sorted(s for bit, s in self.slot.items() if mask >> bit & 1))

    def private(self, seat: int) -> dict[int, int]:
        return self.cards(range(4 * seat, 4 * seat + 4))

    def apply(self, event: rules.Event) -> None:
        self.state = rules.apply(self.state, event)

    # What the simulator's state is in the rules' words, and what theirs is.

    def theirs(self) -> dict[str, object]:
        state = self.state
        return {
            "round": state.round,
            "colours": list(state.colours),
            "figures": list(state.figures),
            "hands": [sum(1 << card for card in hand) for hand in state.hands],
            "collectibles": [self.mask(slots) for slots in state.collectibles],
            "windows": [list(window) for window in state.windows],
            "known": self.mask(s for s, card in enumerate(state.known) if card is not None),
            "register": sum(1 << card for card in state.register),
            "prison": [*state.prison, *[NONE] * (state.seats - len(state.prison))],
            "present": flags(state, state.present),
            "banned": flags(state, state.banned),
            "resting": flags(state, state.resting),
            "joined": flags(state, state.joined),
            "places": [NONE if place is None else int(place) for place in state.places],
            "actions": [NONE if card is None else card for card in state.actions],
            "sealed": flags(state, state.sealed),
            "exhibits": [self.mask(slots) for slots in state.exhibits],
            "thieves": flags(state, state.thieves),
            "buyer": NONE if state.buyer is None else state.buyer,
            "before": list(state.before),
        }

    def ours(self) -> dict[str, object]:
        board, game = self.board, self.game
        windows = zip(board.pointer[game].tolist(), board.ends.tolist(), strict=True)
        names = {"collectibles": "held"}
        listed = {
            name: getattr(board, names.get(name, name))[game].tolist()
            for name in self.theirs()
            if name not in ("windows", "sealed")
        }
        listed["windows"] = [list(range(*window)) for window in windows]
        listed["sealed"] = (board.sealed[game] != NONE).tolist()
        return listed

    def compare(self) -> None:
        theirs, ours = self.theirs(), self.ours()
        wrong = {k: (theirs[k], ours[k]) for k in theirs if theirs[k] != ours[k]}
        assert not wrong, (self.state.phase, wrong)

    # The course.

    def go(self) -> None:
        """On through all that no seat chooses, to the next choice that somebody owes."""
        while True:
            match due := rules.expected(self.state):
                case rules.Unseal():
                    self.apply(self.unsealed(due))
                case rules.Draw():
                    self.apply(rules.Drawn(self.cards(due.slots)))
                case _:
                    return

    def unsealed(self, due: rules.Unseal) -> rules.Unsealed:
        choices = {seat: self.sealed.pop(seat) for seat in due.seats}
        shown = [slots for slots in choices.values() if isinstance(slots, tuple)]
        cards = self.hidden(s for slots in shown for s in slots) if due.kind == "exhibit" else {}
        return rules.Unsealed(due.kind, choices, cards)

    def choose(self, answers: dict[int, rules.Choice | None], nothing: set[int]) -> None:
        """Answer what is due: None is void, those in `nothing` give none."""
        match due := rules.expected(self.state):
            case rules.Seal():
                given = {s: c for s, c in answers.items() if s not in nothing and s in due.seats}
                self.sealed.update(given)
                self.apply(rules.Sealed(due.kind, frozenset(given)))
            case rules.Choose():
                choice = None if due.seat in nothing else answers[due.seat]
                self.apply(rules.Chosen(due.kind, due.seat, choice))
            case rules.Show():
                void: rules.Choice = ()
                choice = answers[due.seat]
                choice = None if due.seat in nothing else void if choice is None else choice
                self.apply(rules.Shown(due.kind, due.seat, choice, self.hidden(choice or ())))

    def finish(self, withheld: list[bool]) -> None:
        due = rules.expected(self.state)
        assert isinstance(due, rules.OpenAll)
        seats = [seat for seat, kept in enumerate(withheld) if not kept]
        held = {slot for seat in seats for slot in self.state.collectibles[seat]}
        self.apply(rules.Opened(self.cards(held.intersection(due.slots))))
        assert isinstance(rules.expected(self.state), rules.Over)


def flags(state: rules.State, seats: Any) -> list[bool]:
    return [seat in seats for seat in range(state.seats)]


def written(choice: rules.Choice) -> int:
    """A choice of the rules that is a number, or a turn, as the simulator writes it."""
    if isinstance(choice, int):
        return choice
    place, card = choice
    return place * CARD_IDS + card
