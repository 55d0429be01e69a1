"""The chain: the state of each node, the step that it wants and the node that follows (6, 8)."""

import copy
from dataclasses import dataclass, field
from typing import Any

from . import constants as c
from .bodies import body_fault
from .encoding import context, digest, encode
from .game import Game, Goal
from .group import subtract, total
from .steps import APPLY
from .table import VOID, Keys, Sealed, Slots, Table, Wants


def digest_after_step(before: bytes, slots: Slots) -> bytes:
    """Return the digest behind a step: bodies enter by their hash (6.1)."""
    hashed = [digest("body", slot) if isinstance(slot, bytes) else slot for slot in slots]
    return digest("step", before, encode(hashed))


@dataclass
class Node:
    """A point of the chain (6.3).

    Its `made_by` holds the slots of the step that led here. It is None at the first node and behind
    a reconfiguration.
    """

    table: Table
    digest: bytes
    wants: Wants
    present: tuple[int, ...]
    absences: tuple[int, ...]
    game_present: tuple[int, ...]
    game: Game
    step: int = 1
    parent: "Node | None" = None
    made_by: Any = None
    banned: tuple[int, ...] = ()
    barrier: int = 0
    over_is_done: bool = False
    boxes: list[tuple[bytes, bytes]] = field(default_factory=list)
    key_shares: list[list[bytes]] = field(default_factory=list)
    keys: Keys | None = None
    deck: tuple[bytes, ...] = ()
    shares: dict[tuple[int, int], bytes] = field(default_factory=dict)
    cards: dict[int, int] = field(default_factory=dict)
    sealed: dict[tuple[str, int], Sealed] = field(default_factory=dict)
    lost: set[tuple[str, int]] = field(default_factory=set)
    opened: dict[tuple[str, int], Any] = field(default_factory=dict)
    convictions: list[tuple[int, int, str]] = field(default_factory=list)

    # Queries.

    @property
    def speakers(self) -> tuple[int, ...]:
        """The seats that owe an input in the next step ([N-3])."""
        wants = self.wants
        if wants.step == "ended":
            return ()
        if wants.step in ("shuffle", "choose"):
            return wants.owing
        return self.table.all_seats if self.step <= self.table.setup_steps else self.present

    @property
    def may_grow(self) -> bool:
        """Whether the chain may grow here ([N-5])."""
        if self.wants.step in ("result", "ended"):
            return False
        return len(self.present) >= self.table.quorum and bool(self.game_present)

    def fault_of(self, seat: int, body: bytes) -> str | None:
        """Return the code of the first fault of a body here, None if it is legal (6.2)."""
        key = (self.digest, seat, body)
        if key not in self.table.faults:
            self.table.faults[key] = body_fault(self, seat, body)
        return self.table.faults[key]

    def context(self, seat: int, kind: str, step: int | None = None) -> bytes:
        """Return a context at this table, of the next step unless another is given (2.6)."""
        return context(self.table.id, self.step if step is None else step, seat, kind)

    def slot_of_deck(self, slot: int) -> tuple[bytes, bytes]:
        """Return a and b of the card in a slot of the deck."""
        return self.deck[2 * slot], self.deck[2 * slot + 1]

    def missing_shares(self, slots: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Return the (slot, giver) pairs of slots whose decryption share is missing, rising."""
        pairs = [(slot, giver) for slot in sorted(slots) for giver in self.table.all_seats]
        return tuple(pair for pair in pairs if pair not in self.shares)

    def helped(self) -> dict[int, list[int]]:
        """Return the lacking slots of each giver that is not present, rising (7.6)."""
        found: dict[int, list[int]] = {}
        for slot, giver in sorted(self.wants.lacks, key=lambda pair: (pair[1], pair[0])):
            if giver not in self.present:
                found.setdefault(giver, []).append(slot)
        return found

    def lost_dues(self) -> list[int]:
        """Return the dues whose choice is lost, rising (7.6)."""
        return [seat for seat in sorted(self.wants.dues) if (self.wants.kind, seat) in self.lost]

    def open_card(self, slot: int, shares: dict[tuple[int, int], bytes]) -> int | None:
        """Return the card of a slot, or None while a share of it is missing (7.4)."""
        own = [shares.get((slot, giver)) for giver in self.table.all_seats]
        if self.keys is None or None in own:
            return None
        return self.keys.card_points.get(subtract(self.slot_of_deck(slot)[1], total(own)))

    def may_rejoin(self, seat: int) -> bool:
        """Return whether an absent seat may rejoin here ([E-31])."""
        if seat in self.present or seat in self.banned or self.absences[seat] > 255:
            return False
        if self.absences[seat] <= self.table.header.rejoins:
            return True
        return not self.may_grow and self.wants.step != "result"

    def before_step(self, step: int) -> "Node":
        """Return the node on the way to here whose next step is `step`, the last of them."""
        node = self
        while node.step > step and node.parent is not None:
            node = node.parent
        return node

    def base_digest(self) -> bytes:
        """Return the digest by which votes name this node (6.1)."""
        value = [self.digest, self.step, self.present, self.banned, self.absences]
        standings = self.standings() if self.wants.step == "result" else None
        return digest("base", self.table.id, encode([*value, standings]))

    def standings(self) -> list[list[int]]:
        """Return [rank, seat] of each seat where the game is over, rising (6.1)."""
        return sorted([rank, seat] for rank, seat in self.game.standings)

    def result_body(self) -> bytes:
        """Return the body of each present seat in `result` (6.1)."""
        return encode([self.standings(), self.present])

    # Transitions.

    def child(self, new_digest: bytes, made_by: Any) -> "Node":
        """Return a copy that stands behind this node and may be changed."""
        node = copy.copy(self)
        node.digest, node.parent, node.made_by = new_digest, self, made_by
        for name in ("boxes", "shares", "cards", "sealed", "lost", "opened", "convictions"):
            setattr(node, name, copy.copy(getattr(self, name)))
        node.game = self.game.copy()
        return node

    def step_digest(self, slots: Slots) -> bytes:
        """Return the digest behind a step with these slots (6.1)."""
        return digest_after_step(self.digest, slots)

    def after_step(self, slots: Slots) -> "Node":
        """Return the node behind a step with these slots (6.3)."""
        new_digest = self.step_digest(slots)
        if new_digest not in self.table.nodes:
            node = self.child(new_digest, tuple(slots))
            node.step += 1
            bodies = {seat: slot for seat, slot in enumerate(slots) if isinstance(slot, bytes)}
            APPLY[self.wants.step](node, self, bodies)
            self.table.nodes[new_digest] = node
        return self.table.nodes[new_digest]

    def after_reconfiguration(
        self, present: tuple[int, ...], banned: tuple[int, ...], absences: tuple[int, ...]
    ) -> "Node":
        """Return the node behind a reconfiguration (6.3)."""
        new_digest = digest("reconfiguration", self.digest, encode([present, banned, absences]))
        if new_digest not in self.table.nodes:
            node = self.child(new_digest, None)
            node.present, node.banned, node.absences = present, banned, absences
            node.lost |= {key for key in node.sealed if key[1] not in present}
            if self.wants.step != "deal":
                node.tell_presence(present)
            node.settle()
            self.table.nodes[new_digest] = node
        return self.table.nodes[new_digest]

    def void(self, kind: str, seat: int, step: int, code: str) -> None:
        """Void a choice (6.3)."""
        self.opened[kind, seat] = VOID
        self.banned = tuple(sorted({*self.banned, seat}))
        self.convictions.append((step, seat, code))

    def tell_presence(self, present: tuple[int, ...]) -> None:
        """Tell the game who is present (6.3)."""
        self.game_present = present
        self.game.presence(set(present), set(self.banned))

    def open_cards(self) -> None:
        """Note the cards of all slots whose decryption shares are complete."""
        for slot in {slot for slot, _ in self.shares}.difference(self.cards):
            card = self.open_card(slot, self.shares)
            if card is not None:
                self.cards[slot] = card

    # What the game wants (8).

    def settle(self) -> None:
        """Tell the game what is complete, until a step is wanted."""
        while True:
            goal = self.game.goal()
            if self.step >= c.LAST_STEP and goal.name not in ("deal", "open all", "over"):
                self.game.stopped()
                goal = self.game.goal()
            wants = self.step_for(goal)
            if wants is not None:
                self.wants = wants
                return
            self.tell(goal)

    def step_for(self, goal: Goal) -> Wants | None:
        """Return the step that a goal still needs, or None (8, the second column)."""
        if goal.name == "deal":
            dues = tuple(s for s in self.table.all_seats if ("coin", s) not in self.opened)
            lacks = [pair for pair in self.missing_shares(goal.slots) if pair[0] // 4 != pair[1]]
            tops = [slot for slot in goal.slots if slot >= 4 * self.table.seats]
            lacks = sorted({*lacks, *self.missing_shares(tuple(tops))})
            return Wants("deal", "coin", dues=dues, lacks=tuple(lacks)) if dues or lacks else None
        if goal.name == "seal":
            return Wants("seal", goal.kind, owing=goal.seats)
        if goal.name == "choose":
            return Wants("choose", goal.kind, owing=goal.seats)
        if goal.name == "unseal":
            left = tuple(s for s in goal.seats if (goal.kind, s) not in self.opened)
            if not self.table.strict and any(
                self.sealed[goal.kind, s].step > self.barrier for s in left
            ):
                return Wants("barrier", goal.kind)
            lacks = () if left or not goal.shows else self.missing_shares(self.shown_slots(goal))
            if left or lacks:
                return Wants("reveal", goal.kind, dues=left, lacks=lacks, shows=goal.shows)
            return None
        if goal.name == "show":
            done = (goal.kind, goal.seats[0]) in self.opened
            return None if done else Wants("show", goal.kind, owing=goal.seats, shows=True)
        if goal.name in ("draw", "open all"):
            if goal.name == "open all" and not self.over_is_done:
                return Wants("over")
            lacks = self.missing_shares(goal.slots)
            return Wants("open" if goal.name == "draw" else "final", lacks=lacks) if lacks else None
        return Wants("result" if goal.name == "over" else "wait")

    def standing(self, goal: Goal) -> dict[int, Any]:
        """Return the choices of an Unseal or Show goal that stand, by rising seat."""
        choices = {seat: self.opened[goal.kind, seat] for seat in sorted(goal.seats)}
        return {
            s: choice for s, choice in choices.items() if choice is not VOID and choice is not None
        }

    def shown_slots(self, goal: Goal) -> tuple[int, ...]:
        """Return the slots that the standing choices of a goal show."""
        return tuple(sorted({slot for choice in self.standing(goal).values() for slot in choice}))

    def tell(self, goal: Goal) -> None:
        """Tell the game the event of a goal that needs no more steps (8, the third column)."""
        game = self.game
        if goal.name == "deal":
            self.tell_dealt(goal)
        elif goal.name == "unseal":
            if goal.shows:
                for seat, choice in self.standing(goal).items():
                    if not game.is_legal(goal.kind, seat, choice, self.cards):
                        self.void(goal.kind, seat, self.step - 1, "illegal-choice")
            standing = self.standing(goal)
            cards = {s: self.cards[s] for s in self.shown_slots(goal)} if goal.shows else {}
            self.forget(goal.kind, goal.seats)
            game.was_opened({seat: standing.get(seat) for seat in goal.seats}, cards)
        elif goal.name == "show":
            choice = self.opened[goal.kind, goal.seats[0]]
            cards = {slot: self.cards[slot] for slot in self.shown_slots(goal)}
            self.forget(goal.kind, goal.seats)
            game.was_shown(choice, cards)
        elif goal.name == "draw":
            game.was_drawn({slot: self.cards[slot] for slot in goal.slots})
        else:
            game.all_opened({slot: self.cards[slot] for slot in goal.slots})

    def tell_dealt(self, goal: Goal) -> None:
        """Tell the game the joint coin and the tops, then who is missing already (7.3)."""
        coins = [self.opened["coin", s] for s in self.table.all_seats]
        parts = [b"" if coin is VOID else coin for coin in coins]
        tops = [slot for slot in goal.slots if slot >= 4 * self.table.seats]
        self.forget("coin", self.table.all_seats)
        coin = digest("coin", self.table.id, *parts)
        self.game.dealt(coin, {slot: self.cards[slot] for slot in tops})
        left = tuple(s for s in self.present if s not in self.banned)
        if left != self.table.all_seats:
            self.tell_presence(left)

    def forget(self, kind: str, seats: tuple[int, ...]) -> None:
        """Forget choices that the game was told of ([P-3])."""
        for seat in seats:
            self.sealed.pop((kind, seat), None)
            self.opened.pop((kind, seat), None)
            self.lost.discard((kind, seat))


def begin(table: Table) -> Node:
    """Return the node with which the chain of a table begins (6.1)."""
    game = Game.begin(table.header.edition, table.header.variant, table.seats)
    everyone = table.all_seats
    node = Node(table, table.id, Wants("key.commit"), everyone, (0,) * table.seats, everyone, game)
    table.nodes[table.id] = node
    return node
