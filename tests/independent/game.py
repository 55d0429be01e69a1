"""The rules of Hoity Toity, from goal to goal (8, 9)."""

import copy
from dataclasses import dataclass, field
from typing import Any

from .encoding import is_array, is_int, is_rising
from .header import Edition

CASTLE, HALL = 0, 1
CASH, THIEF, DETECTIVE, EXHIBIT = range(4)
LETTERS = "ABCDEF"
INTERVALS = [LETTERS[i:j] for i in range(6) for j in range(i + 1, 7)]

Choice = int | list[int] | None


@dataclass(frozen=True)
class Goal:
    """What the game asks for next (8); fields that its name does not need are empty."""

    name: str
    kind: str = ""
    seats: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    shows: bool = False


@dataclass
class Game:
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

    # Setup (9.4).

    @classmethod
    def begin(cls, edition: Edition, variant: str, seats: int) -> "Game":
        """Return the state before the deal."""
        rest = list(range(4 * seats, len(edition.collectibles)))
        half = (len(rest) + 1) // 2
        return cls(
            edition,
            variant,
            seats,
            figures=[0] * seats,
            before=[0] * seats,
            collectibles=[set(range(4 * i, 4 * i + 4)) for i in range(seats)],
            windows=[rest[:half], rest[half:]],
            present=set(range(seats)),
        )

    def copy(self) -> "Game":
        """Return a state that may change without this one."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list) and value and isinstance(value[0], list | set):
                setattr(other, name, [copy.copy(item) for item in value])
            elif isinstance(value, list | set | dict):
                setattr(other, name, copy.copy(value))
        other.shown = {seat: list(slots) for seat, slots in self.shown.items()}
        return other

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
        held = [self.piece(self.known[s])[1] for s in self.collectibles[seat] if s in self.known]
        hidden = len(self.collectibles[seat]) - len(held)
        everywhere = set(self.known.values())
        unseen = [
            letter
            for card, (letter, _) in enumerate(self.edition.collectibles)
            if card not in everywhere and hidden
        ]
        for interval in INTERVALS:
            missing = [letter for letter in interval if letter not in held]
            own = sum(letter in interval for letter in held)
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

    # Goals (8, 9.5).

    def goal(self) -> Goal:
        """Return what the game asks for in this state."""
        match self.phase:
            case "deal":
                hands = tuple(range(4 * self.seats))
                return Goal("deal", slots=hands + tuple(window[0] for window in self.windows))
            case "place-seal":
                return self.seal("place", self.joined)
            case "turn-seal":
                return self.seal("turn", self.joined)
            case "all-seal":
                return self.seal("action", self.who_can_act(HALL) + self.who_can_act(CASTLE))
            case "hall-seal":
                return self.seal("action", self.who_can_act(HALL))
            case "castle-seal":
                return self.seal("action", self.who_can_act(CASTLE))
            case "exhibit-seal":
                return self.seal("exhibit", self.players_of(EXHIBIT, CASTLE))
            case "place-open":
                return self.unseal("place", self.sealed)
            case "turn-open":
                return self.unseal("turn", self.sealed)
            case "hall-open":
                return self.unseal("action", self.at(HALL))
            case "castle-open":
                return self.unseal("action", self.at(CASTLE))
            case "exhibit-open":
                return self.unseal("exhibit", self.players_of(EXHIBIT, CASTLE), shows=True)
            case "lone-show":
                return Goal("show", "exhibit", self.active(self.players_of(EXHIBIT, CASTLE)))
            case "window":
                return Goal("choose", "window", self.active([self.buyer]))
            case "theft":
                return Goal("choose", "theft", self.active(self.thieves[:1]))
            case "draw":
                return Goal("draw", slots=(self.windows[self.drawn][0],))
            case "final":
                owned = set().union(*self.collectibles)
                return Goal("open all", slots=tuple(sorted(owned - set(self.known))))
            case "round":
                return Goal("wait")
        return Goal("over")

    def seal(self, kind: str, seats: Any) -> Goal:
        """Return the goal *seal kind of seats*."""
        return Goal("seal", kind, self.active(seats))

    def unseal(self, kind: str, seats: Any, shows: bool = False) -> Goal:
        """Return the goal *open kind of seats*."""
        return Goal("unseal", kind, tuple(sorted(self.sealed & set(seats))), shows=shows)

    # Events (8).

    def dealt(self, coin: bytes, cards: dict[int, int]) -> None:
        """Take the joint coin and the cards of the windows' tops (9.4)."""
        number, left = int.from_bytes(coin, "big"), list(range(6))
        for _ in range(self.seats):
            number, index = divmod(number, len(left))
            self.colours.append(left.pop(index))
        self.hands = [set(range(8 * k, 8 * k + 8)) for k in self.colours]
        self.known.update(cards)
        self.enter("round")

    def presence(self, present: set[int], banned: set[int]) -> None:
        """Take that other seats are present or banned, and go on from where the state stands."""
        if self.round > 0:
            self.resting |= present - self.present
        self.present, self.banned = set(present), set(banned)
        self.resting &= self.present
        if self.phase not in ("deal", "over"):
            self.enter(self.phase)

    def stopped(self) -> None:
        """Take that the game is stopped ([P-4])."""
        self.enter("final")

    def was_sealed(self, seats: set[int]) -> None:
        """Take who has sealed a choice of the kind that was asked."""
        self.sealed = set(seats)
        following = {"all-seal": "hall-open"}.get(self.phase, self.phase.replace("seal", "open"))
        self.enter(following)

    def was_opened(self, choices: dict[int, Choice], cards: dict[int, int]) -> None:
        """Take the choices of an Unseal goal, nil for a void one, and the cards that they show."""
        self.known.update(cards)
        held = {seat: choice for seat, choice in choices.items() if choice is not None}
        if self.phase == "place-open":
            self.places = dict(held)
            self.enter("all-seal" if self.is_together else "hall-seal")
        elif self.phase == "turn-open":
            self.places = {seat: choice[0] for seat, choice in held.items()}
            self.play({seat: choice[1] for seat, choice in held.items()})
            self.sell()
        elif self.phase == "exhibit-open":
            players = self.players_of(EXHIBIT, CASTLE)
            self.rank({s: choices.get(s) or [] for s in players if s in choices}, players)
        else:
            self.play(held)
            if self.phase == "hall-open":
                self.sell()
            else:
                self.show()

    def was_shown(self, choice: Choice, cards: dict[int, int]) -> None:
        """Take what the lone exhibitor showed, nil if nothing came."""
        self.known.update(cards)
        players = self.players_of(EXHIBIT, CASTLE)
        self.rank({} if choice is None else {players[0]: choice}, players)

    def was_chosen(self, choice: Choice) -> None:
        """Take a window or a theft, nil for the default."""
        if self.phase == "window":
            self.buy(choice)
        else:
            self.steal(choice)

    def was_drawn(self, cards: dict[int, int]) -> None:
        """Take the new top of a window."""
        self.known.update(cards)
        self.enter("castle")

    def all_opened(self, cards: dict[int, int]) -> None:
        """Take all hands, and rank the seats (9.6)."""
        self.known.update(cards)
        finals = [self.best_exhibit(seat) for seat in range(self.seats)]
        quality = [self.quality([self.known[s] for s in slots]) for slots in finals]
        order = sorted((s for s in range(self.seats) if finals[s]), key=lambda s: quality[s])
        for seat, fields in zip(order, (8, 4), strict=False):
            self.move(seat, fields)
        keys = [(-self.figures[s], quality[s]) for s in range(self.seats)]
        ranked = [(1 + sum(other < key for other in keys), s) for s, key in enumerate(keys)]
        self.standings = sorted(ranked)
        self.phase = "over"

    # What follows (9.5).

    @property
    def is_together(self) -> bool:
        """Whether the Actions of both Places are chosen at once."""
        return self.edition.together and self.seats > 2

    def enter(self, phase: str) -> None:
        """Enter a phase, and pass on at once if nothing is asked in it."""
        self.phase = phase
        if phase == "round":
            if self.present:
                self.begin_round()
        elif phase == "castle":
            self.open_castle()
        elif phase == "detectives":
            self.close_castle()
        else:
            goal = self.goal()
            if goal.name == "seal" and not goal.seats:
                self.was_sealed(set())
            elif goal.name == "unseal" and not goal.seats:
                self.was_opened({}, {})
            elif goal.name == "show" and not goal.seats:
                self.was_shown(None, {})
            elif goal.name == "choose" and not goal.seats:
                self.was_chosen(None)

    def begin_round(self) -> None:
        """Begin the next round."""
        self.round += 1
        self.joined, self.resting = set(self.present), set()
        self.places, self.table, self.sealed, self.shown = {}, {}, set(), {}
        self.before = list(self.figures)
        self.fixed = True
        if not any(self.windows):
            self.places = dict.fromkeys(self.joined, CASTLE)
        elif self.variant == "confrontation":
            self.places = dict.fromkeys(self.joined, HALL if self.round % 2 else CASTLE)
        else:
            self.fixed = False
        if not self.fixed:
            self.enter("turn-seal" if self.variant == "surprise" else "place-seal")
        elif self.is_together:
            self.enter("all-seal")
        else:
            self.enter("hall-seal" if HALL in self.places.values() else "castle")

    def play(self, actions: dict[int, int]) -> None:
        """Move Action cards from hands to the table."""
        for seat, action in actions.items():
            self.hands[seat].discard(action)
            self.table[seat] = action

    def take_back(self, place: int) -> None:
        """Return the Action cards in a Place to the hands that they came from."""
        for seat in self.at(place):
            if seat in self.table:
                self.hands[seat].add(self.table.pop(seat))

    def sell(self) -> None:
        """Find the buyer in the Auction Hall (*sale*)."""
        buyers = self.players_of(CASH, HALL)
        if buyers:
            self.buyer = max(buyers, key=lambda s: self.number(self.table[s]))
            self.enter("window")
        else:
            self.take_back(HALL)
            self.enter("castle")

    def buy(self, choice: Choice) -> None:
        """Give the buyer the top of a window, and its Cash to a lone Thief."""
        window = choice if choice is not None else 0 if self.windows[0] else 1
        self.collectibles[self.buyer].add(self.windows[window].pop(0))
        cash = self.table.pop(self.buyer)
        thieves = self.players_of(THIEF, HALL)
        if len(thieves) == 1:
            self.hands[thieves[0]].add(cash)
        else:
            self.register.append(cash)
        self.take_back(HALL)
        self.drawn = window
        self.enter("draw" if self.windows[window] else "castle")

    def open_castle(self) -> None:
        """Begin what happens in the Castle."""
        self.before = list(self.figures)
        if self.variant == "surprise" and not self.fixed:
            self.show()
        else:
            self.enter("castle-open" if self.is_together else "castle-seal")

    def show(self) -> None:
        """Go on by the number of seats that play Exhibit (*show*)."""
        self.shown = {}
        self.thieves = self.players_of(THIEF, CASTLE)
        self.thieves.sort(key=lambda s: -self.number(self.table[s]))
        players = len(self.players_of(EXHIBIT, CASTLE))
        self.enter("detectives" if not players else "lone-show" if players == 1 else "exhibit-seal")

    def rank(self, shown: dict[int, list[int]], players: list[int]) -> None:
        """Rank the exhibits and move the figures of the two best (*rank*).

        Args:
            shown: what each seat chose to show, nothing for a void choice.
            players: the seats that play Exhibit; who is not in `shown` has its best open one.
        """
        self.shown = {seat: list(shown.get(seat, self.best_exhibit(seat))) for seat in players}
        order = [seat for seat in players if self.shown[seat]]
        order.sort(key=lambda s: self.quality([self.known[slot] for slot in self.shown[s]]))
        for seat, fields in zip(order, self.edition.octagons[max(self.before)], strict=False):
            self.move(seat, fields)
        self.next_theft()

    def move(self, seat: int, fields: int) -> None:
        """Move a figure, to the last field at most."""
        self.figures[seat] = min(self.figures[seat] + fields, self.edition.last_field)

    def next_theft(self) -> None:
        """Ask the next Thief in the Castle, if an exhibit has a piece (*thieves*)."""
        self.enter("theft" if self.thieves and any(self.shown.values()) else "detectives")

    def steal(self, choice: Choice) -> None:
        """Give the Thief a piece of each exhibit, by default the oldest."""
        thief = self.thieves.pop(0)
        exhibits = [(seat, slots) for seat, slots in sorted(self.shown.items()) if slots]
        oldest = [
            min(slots, key=lambda slot: self.piece(self.known[slot])) for _, slots in exhibits
        ]
        for (seat, slots), slot in zip(exhibits, oldest if choice is None else choice, strict=True):
            slots.remove(slot)
            self.collectibles[seat].discard(slot)
            self.collectibles[thief].add(slot)
        self.next_theft()

    def close_castle(self) -> None:
        """Let Detectives move and Thieves go to prison, and end the round (phase detectives)."""
        detectives = self.players_of(DETECTIVE, CASTLE)
        thieves = self.players_of(THIEF, CASTLE)
        if detectives and thieves:
            fields = self.figures if self.edition.rank_after else self.before
            ranks = {s: 1 + sum(other > fields[s] for other in fields) for s in detectives}
            for seat, rank in ranks.items():
                self.move(seat, rank)
            for seat in sorted(thieves, key=lambda s: self.number(self.table[s])):
                self.prison.insert(0, self.table.pop(seat))
            while len(self.prison) > self.seats:
                freed = self.prison.pop()
                self.hands[self.colours.index(freed // 8)].add(freed)
        self.take_back(CASTLE)
        arrived = any(field >= len(self.edition.octagons) for field in self.figures)
        self.enter("final" if arrived else "round")
