"""The state of a game of Hoity Toity, its words and the choices that are legal (9.2, 9.3, 9.5)."""

from dataclasses import dataclass, field
from typing import Any

from .encoding import is_array, is_int, is_rising
from .header import Edition

CASTLE, HALL = 0, 1
CASH, THIEF, DETECTIVE, EXHIBIT = range(4)
LETTERS = "ABCDEF"
INTERVALS = [LETTERS[i:j] for i in range(6) for j in range(i + 1, 7)]

Choice = int | list[int] | None


@dataclass
class State:
    """The state of a game (9.3)."""

    edition: Edition
    variant: str
    seats: int
    phase: str = "deal"
    figures: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    hands: list[set[int]] = field(default_factory=list)
    colours: list[int] = field(default_factory=list)
    collectibles: list[set[int]] = field(default_factory=list)
    windows: list[list[int]] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)
    register: list[int] = field(default_factory=list)
    prison: list[int] = field(default_factory=list)
    present: set[int] = field(default_factory=set)
    banned: set[int] = field(default_factory=set)
    resting: set[int] = field(default_factory=set)
    round: int = 0
    joined: set[int] = field(default_factory=set)
    fixed: bool = False
    places: dict[int, int] = field(default_factory=dict)
    table: dict[int, int] = field(default_factory=dict)
    sealed: set[int] = field(default_factory=set)
    buyer: int = 0
    drawn: int = 0
    shown: dict[int, list[int]] = field(default_factory=dict)
    thieves: list[int] = field(default_factory=list)
    standings: list[tuple[int, int]] = field(default_factory=list)

    # Words (9.3).

    def active(self, seats: Any) -> tuple[int, ...]:
        """Return those of some seats that are active, rising."""
        return tuple(s for s in sorted(seats) if s in self.present and s not in self.resting)

    def at(self, place: int) -> list[int]:
        """Return the seats in a Place, rising."""
        return sorted(s for s, where in self.places.items() if where == place)

    def kind_of(self, action: int) -> int:
        """Return the kind of an Action card."""
        j = action % 8
        return CASH if j < 4 else THIEF if j < 6 else DETECTIVE if j == 6 else EXHIBIT

    def number(self, action: int) -> int:
        """Return the number on a Cash or Thief card."""
        colour, j = divmod(action, 8)
        return self.edition.cash[colour][j] if j < 4 else self.edition.thieves[colour][j - 4]

    def players_of(self, kind: int, place: int) -> list[int]:
        """Return the seats in a Place that play a kind, rising."""
        return [
            s for s in self.at(place) if s in self.table and self.kind_of(self.table[s]) == kind
        ]

    def belongs(self, action: int, place: int) -> bool:
        """Return whether an Action card belongs in a Place."""
        kind = self.kind_of(action)
        if kind == CASH:
            return place == HALL
        if kind == EXHIBIT:
            return place == CASTLE
        return kind == THIEF or place == CASTLE or self.edition.detective_in_hall

    def piece(self, card: int) -> tuple[int, str]:
        """Return year and letter of a card: the smaller is the older."""
        letter, year = self.edition.collectibles[card]
        return (year, letter)

    def is_exhibit(self, cards: list[int]) -> bool:
        """Return whether cards are a valid exhibit."""
        letters = {self.piece(card)[1] for card in cards}
        return len(cards) >= 3 and "".join(sorted(letters)) in INTERVALS

    def quality(self, cards: list[int]) -> tuple[Any, ...]:
        """Return a key by which the better of two exhibits is the smaller."""
        pieces = sorted(self.piece(card) for card in cards)
        return (-len(pieces), [year for year, _ in pieces], [letter for _, letter in pieces])

    def best_exhibit(self, seat: int) -> list[int]:
        """Return the slots of the best exhibit among a seat's open Collectibles, or none."""
        open_slots = {
            slot: self.known[slot] for slot in self.collectibles[seat] if slot in self.known
        }
        found = []
        for interval in INTERVALS:
            slots = [s for s, card in open_slots.items() if self.piece(card)[1] in interval]
            letters = {self.piece(open_slots[s])[1] for s in slots}
            if len(slots) >= 3 and len(letters) == len(interval):
                found.append(slots)
        return min(
            found, key=lambda slots: self.quality([open_slots[s] for s in slots]), default=[]
        )

    def may_exhibit(self, seat: int) -> bool:
        """Return whether a seat may hold an exhibit, for all that is open (9.3)."""
        open_slots = [s for s in self.collectibles[seat] if s in self.known]
        open_letters = [self.piece(self.known[s])[1] for s in open_slots]
        hidden = len(self.collectibles[seat]) - len(open_letters)
        everywhere = set(self.known.values())
        unseen = [
            letter
            for card, (letter, _) in enumerate(self.edition.collectibles)
            if card not in everywhere and hidden
        ]
        for interval in INTERVALS:
            missing = [letter for letter in interval if letter not in open_letters]
            own = sum(letter in interval for letter in open_letters)
            others = sum(letter in interval for letter in unseen)
            can_fill = len(missing) <= hidden and all(letter in unseen for letter in missing)
            if can_fill and own + min(hidden, others) >= 3:
                return True
        return False

    def action_is_legal(self, seat: int, action: int, place: int) -> bool:
        """Return whether a seat may play an Action card in a Place."""
        if action not in self.hands[seat] or not self.belongs(action, place):
            return False
        return self.kind_of(action) != EXHIBIT or self.may_exhibit(seat)

    def who_can_act(self, place: int) -> list[int]:
        """Return the seats in a Place that have a legal Action there."""
        return [
            s
            for s in self.at(place)
            if any(self.action_is_legal(s, a, place) for a in self.hands[s])
        ]

    # Legal choices (9.2, 9.5).

    def place_is_legal(self, seat: int, place: Any) -> bool:
        """Return whether a seat may choose a Place."""
        if not is_int(place, 0, 1):
            return False
        if place == CASTLE:
            return True
        return any(self.windows) and any(self.belongs(a, HALL) for a in self.hands[seat])

    def is_legal(self, kind: str, seat: int, choice: Choice, cards: dict[int, int]) -> bool:
        """Return whether the rules allow a choice in this state.

        Args:
            kind: the kind of choice.
            seat: who chose.
            choice: an integer or an array of integers.
            cards: cards that are open besides the known ones, by slot.
        """
        if kind == "place":
            return self.place_is_legal(seat, choice)
        if kind == "action":
            legal_number = is_int(choice, 0, 47) and seat in self.places
            return legal_number and self.action_is_legal(seat, choice, self.places[seat])
        if kind == "turn":
            if not is_array(choice, 2) or not self.place_is_legal(seat, choice[0]):
                return False
            return is_int(choice[1], 0, 47) and self.action_is_legal(seat, choice[1], choice[0])
        if kind == "window":
            return is_int(choice, 0, 1) and bool(self.windows[choice])
        if kind == "theft":
            exhibits = [slots for _, slots in sorted(self.shown.items()) if slots]
            if not is_array(choice, len(exhibits)):
                return False
            return all(slot in slots for slot, slots in zip(choice, exhibits, strict=True))
        if not is_array(choice) or not is_rising(choice):
            return False
        if not set(choice) <= self.collectibles[seat]:
            return False
        seen = {**cards, **self.known}
        return all(slot in seen for slot in choice) and self.is_exhibit([seen[s] for s in choice])
