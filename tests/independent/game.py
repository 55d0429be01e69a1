"""The course of a game of Hoity Toity, from goal to goal (8, 9.4 to 9.6)."""

import copy
from dataclasses import dataclass
from typing import Any

from .header import Edition
from .rules import CASH, CASTLE, DETECTIVE, EXHIBIT, HALL, THIEF, Choice, State


@dataclass(frozen=True)
class Goal:
    """What the game asks for next (8); fields that its name does not need are empty."""

    name: str
    kind: str = ""
    seats: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    shows: bool = False


class Game(State):
    """A game, which names its next goal and takes the events that follow from it (8)."""

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

    # Goals (8, 9.5).

    def goal(self) -> Goal:
        """Return what the game asks for in this state."""
        match self.phase:
            case "deal":
                hands = tuple(range(4 * self.seats))
                return Goal(
                    "deal", slots=hands + tuple(window[0] for window in self.windows if window)
                )
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
        number, left = int.from_bytes(coin, "big"), list(range(len(self.edition.cash)))
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
        standing = {seat: choice for seat, choice in choices.items() if choice is not None}
        if self.phase == "place-open":
            self.places = dict(standing)
            self.enter("all-seal" if self.is_together else "hall-seal")
        elif self.phase == "turn-open":
            self.places = {seat: choice[0] for seat, choice in standing.items()}
            self.play({seat: choice[1] for seat, choice in standing.items()})
            self.sell()
        elif self.phase == "exhibit-open":
            players = self.players_of(EXHIBIT, CASTLE)
            self.rank({s: choices.get(s) or [] for s in players if s in choices}, players)
        else:
            self.play(standing)
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
