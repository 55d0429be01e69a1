"""The chain: what each node holds, wants and becomes (6, 7, 8)."""

import copy
from dataclasses import dataclass, field
from typing import Any

from . import constants as c
from . import proofs
from .bodies import Fault, body_fault, is_showable, opened_choice, own_slots, read_choice
from .encoding import context, decode, digest, encode
from .game import Game
from .group import BASE, NEUTRAL, add, card_point, subtract, total
from .header import Header

VOID = "void"

Slots = tuple[bytes | int, ...]


@dataclass
class Table:
    """What is the same for all nodes of one table, and what is known of them already.

    Attributes:
        header: the table's header.
        nodes: every node that was made, by its digest.
        faults: the code of each body that was judged, None for a legal one.
    """

    header: Header
    nodes: dict[bytes, "Node"] = field(default_factory=dict)
    faults: dict[tuple[bytes, int, bytes], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note what is asked often."""
        self.id = self.header.table
        self.seats = len(self.header.ids)
        self.all_seats = tuple(range(self.seats))
        self.quorum = self.header.quorum
        self.strict = self.quorum == self.seats
        self.vector_size = 1 if self.strict else self.quorum
        self.cards = len(self.header.edition.collectibles)
        self.setup_steps = self.seats + 4


@dataclass(frozen=True)
class Sealed:
    """A choice under commitment and escrow."""

    step: int
    commitment: bytes
    escrow: bytes


@dataclass(frozen=True)
class Keys:
    """What the key vectors give (7.1)."""

    vectors: tuple[tuple[bytes, ...], ...]
    joint: bytes
    totals: tuple[bytes, ...]
    card_points: dict[bytes, int]


@dataclass(frozen=True)
class Wants:
    """What a node wants next (6.2).

    Attributes:
        step: the kind of the step.
        kind: the kind of the choice, or nothing.
        owing: who owes a body by itself; in gather steps whose own opening is due.
        dues: whose choices are to be opened (6.4).
        lacks: (slot, giver) of the shares that are missing, rising (6.4).
        shows: whether the choice shows cards.
    """

    step: str
    kind: str = ""
    owing: tuple[int, ...] = ()
    dues: tuple[int, ...] = ()
    lacks: tuple[tuple[int, int], ...] = ()
    shows: bool = False


@dataclass
class Node:
    """A point of the chain (6.3); `made_by` is a step's slots, a link's three lists or None."""

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
    held: int = 0
    over_said: bool = False
    boxes: list[tuple[bytes, bytes]] = field(default_factory=list)
    pieces: list[list[bytes]] = field(default_factory=list)
    keys: Keys | None = None
    deck: tuple[bytes, ...] = ()
    shares: dict[tuple[int, int], bytes] = field(default_factory=dict)
    cards: dict[int, int] = field(default_factory=dict)
    sealed: dict[tuple[str, int], Sealed] = field(default_factory=dict)
    lost: set[tuple[str, int]] = field(default_factory=set)
    opened: dict[tuple[str, int], Any] = field(default_factory=dict)
    convictions: list[tuple[int, int, str]] = field(default_factory=list)

    # Questions.

    @property
    def speakers(self) -> tuple[int, ...]:
        """Who must say a body in the next step ([N-3])."""
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
        """Return the (slot, giver) pairs of slots whose share is not held, rising."""
        pairs = [(slot, giver) for slot in sorted(slots) for giver in self.table.all_seats]
        return tuple(pair for pair in pairs if pair not in self.shares)

    def helped(self) -> dict[int, list[int]]:
        """Return the lacking slots of each giver that is not present, rising (6.4)."""
        found: dict[int, list[int]] = {}
        for slot, giver in sorted(self.wants.lacks, key=lambda pair: (pair[1], pair[0])):
            if giver not in self.present:
                found.setdefault(giver, []).append(slot)
        return found

    def lost_dues(self) -> list[int]:
        """Return the dues whose choice is lost, rising (6.4)."""
        return [seat for seat in sorted(self.wants.dues) if (self.wants.kind, seat) in self.lost]

    def open_card(self, slot: int, shares: dict[tuple[int, int], bytes]) -> int | None:
        """Return the card of a slot, or None while a share of it is missing (7.4)."""
        own = [shares.get((slot, giver)) for giver in self.table.all_seats]
        if self.keys is None or None in own:
            return None
        return self.keys.card_points.get(subtract(self.slot_of_deck(slot)[1], total(own)))

    def may_return(self, seat: int) -> bool:
        """Return whether an absent seat may return here ([E-31])."""
        if seat in self.present or seat in self.banned or self.absences[seat] > 255:
            return False
        if self.absences[seat] <= self.table.header.returns:
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
        return digest("base", self.table.id, encode(value))

    # Growth.

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
        return digest("step", self.digest, encode(slots))

    def after_step(self, slots: Slots) -> "Node":
        """Return the node behind a step with these slots (6.3)."""
        new_digest = self.step_digest(slots)
        if new_digest not in self.table.nodes:
            node = self.child(new_digest, tuple(slots))
            node.step += 1
            bodies = {seat: slot for seat, slot in enumerate(slots) if isinstance(slot, bytes)}
            apply = {
                "key.commit": take_commits,
                "key.reveal": take_keys,
                "key.ok": take_coins,
                "shuffle": take_shuffle,
                "deck.ok": take_deck,
                "seal": take_seals,
                "show": take_show,
                "choose": take_choice,
                "barrier": take_hold,
                "over": take_over,
            }.get(self.wants.step, take_gathered)
            apply(node, self, bodies)
            self.table.nodes[new_digest] = node
        return self.table.nodes[new_digest]

    def after_link(
        self, present: tuple[int, ...], banned: tuple[int, ...], absences: tuple[int, ...]
    ) -> "Node":
        """Return the node behind a link (6.3)."""
        new_digest = digest("link", self.digest, encode([present, banned, absences]))
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
        """Note the cards of all slots of which all shares are held."""
        for slot in {slot for slot, _ in self.shares}.difference(self.cards):
            card = self.open_card(slot, self.shares)
            if card is not None:
                self.cards[slot] = card

    # What the game wants (8).

    def settle(self) -> None:
        """Tell the game what is complete, until something is to be said."""
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

    def step_for(self, goal: Any) -> Wants | None:
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
                self.sealed[goal.kind, s].step > self.held for s in left
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
            if goal.name == "open all" and not self.over_said:
                return Wants("over")
            lacks = self.missing_shares(goal.slots)
            return Wants("open" if goal.name == "draw" else "final", lacks=lacks) if lacks else None
        return Wants("result" if goal.name == "over" else "wait")

    def standing(self, goal: Any) -> dict[int, Any]:
        """Return the choices of an Unseal or Show goal that stand, by rising seat."""
        choices = {seat: self.opened[goal.kind, seat] for seat in sorted(goal.seats)}
        return {
            s: choice for s, choice in choices.items() if choice is not VOID and choice is not None
        }

    def shown_slots(self, goal: Any) -> tuple[int, ...]:
        """Return the slots that the standing choices of a goal show."""
        return tuple(sorted({slot for choice in self.standing(goal).values() for slot in choice}))

    def tell(self, goal: Any) -> None:
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

    def tell_dealt(self, goal: Any) -> None:
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


# How a step changes the node behind it. `before` is the node in which it was said.


def take_commits(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply key.commit (7.1)."""
    node.boxes = [tuple(decode(bodies[seat])) for seat in before.table.all_seats]
    node.wants = Wants("key.reveal")


def take_keys(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply key.reveal: the joint key and all public pieces, unless they carry no table ([D-8])."""
    table = before.table
    values = [decode(bodies[seat]) for seat in table.all_seats]
    vectors = tuple(tuple(proofs.group.split_points(value[0])) for value in values)
    summed = [total([vector[k] for vector in vectors]) for k in range(table.vector_size)]
    joint = summed[0]
    totals = () if table.strict else tuple(proofs.evaluate(summed, j) for j in table.all_seats)
    starting = [add(card_point(i), joint) for i in range(table.cards)]
    if joint == NEUTRAL or NEUTRAL in starting or NEUTRAL in totals:
        node.wants = Wants("ended")
        return
    node.keys = Keys(vectors, joint, totals, {card_point(i): i for i in range(table.cards)})
    node.deck = tuple(point for card in starting for point in (BASE, card))
    node.pieces = [value[2] for value in values]
    node.wants = Wants("key.ok")


def take_coins(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply key.ok: coins under commitment, or a complaint that ends the table (7.1)."""
    node.wants = Wants("shuffle", owing=(0,))
    for seat in sorted(bodies):
        first, second = decode(bodies[seat])
        if isinstance(first, int):
            node.convictions.append((before.step, first, "bad-key-sharing"))
            node.wants = Wants("ended")
            return
        node.sealed["coin", seat] = Sealed(before.step, first, second)


def take_shuffle(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a shuffle (7.2)."""
    (seat,) = before.wants.owing
    node.deck = tuple(proofs.group.split_points(decode(bodies[seat])[0]))
    last = seat == before.table.seats - 1
    node.wants = Wants("deck.ok") if last else Wants("shuffle", owing=(seat + 1,))


def take_deck(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply deck.ok: the game begins (7.3)."""
    node.settle()


def take_seals(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a step of sealed choices (7.6)."""
    done = set()
    for seat in before.wants.owing:
        if seat in bodies:
            node.sealed[before.wants.kind, seat] = Sealed(before.step, *decode(bodies[seat]))
            done.add(seat)
    node.game.was_sealed(done)
    node.settle()


def take_show(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a shown choice, or none, and its shares (7.6)."""
    (seat,) = before.wants.owing
    choice = None
    if seat in bodies:
        data, batch = decode(bodies[seat])
        choice = read_choice(data)
        take_batch(node, seat, own_slots(before, seat, choice), batch)
        node.open_cards()
    node.opened[before.wants.kind, seat] = choice
    node.settle()


def take_choice(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a choice in the open, or none (7.6)."""
    (seat,) = before.wants.owing
    node.game.was_chosen(read_choice(bodies[seat]) if seat in bodies else None)
    node.settle()


def take_hold(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a hold ([N-10])."""
    node.held = before.step
    node.settle()


def take_over(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply `over` (7.6)."""
    node.over_said = True
    node.settle()


def take_gathered(node: Node, before: Node, bodies: dict[int, bytes]) -> None:
    """Apply a gather step (6.4, *Apply the step*)."""
    wants, table = before.wants, before.table
    helps: dict[int, dict[int, list[bytes]]] = {giver: {} for giver in before.helped()}
    escrow_shares: dict[int, dict[int, bytes]] = {owner: {} for owner in before.lost_dues()}
    for seat, body in sorted(bodies.items()):
        value = decode(body)
        if value is None:
            continue
        opening, batch, help_batches, escrows = value
        choice = None
        if opening is not None:
            choice = opening[0] if wants.kind == "coin" else read_choice(opening[0])
            node.opened[wants.kind, seat] = choice
        take_batch(node, seat, own_slots(before, seat, choice), batch)
        for giver, data in zip(helps, help_batches, strict=True):
            helps[giver][seat] = proofs.group.split_points(data[:-64])
        for owner, share in zip(escrow_shares, escrows, strict=True):
            escrow_shares[owner][seat] = share[:32]
    for giver, slots in before.helped().items():
        if len(helps[giver]) >= table.quorum:
            for k, slot in enumerate(slots):
                points = {seat: given[k] for seat, given in helps[giver].items()}
                node.shares[slot, giver] = proofs.combine(points, table.quorum)
    for owner, points in escrow_shares.items():
        if len(points) >= table.quorum:
            judge_escrow(node, before, owner, proofs.combine(points, table.quorum))
    node.open_cards()
    node.settle()


def take_batch(node: Node, seat: int, slots: list[int], batch: bytes) -> None:
    """Take a seat's own shares of slots."""
    for k, slot in enumerate(slots):
        node.shares[slot, seat] = batch[32 * k : 32 * k + 32]


def judge_escrow(node: Node, before: Node, owner: int, combined: bytes) -> None:
    """Open the escrow of a lost choice and judge its owner (6.4, apply 3)."""
    kind, sealed = before.wants.kind, before.sealed[before.wants.kind, owner]
    read_back = proofs.read_opening(proofs.open_escrow(sealed.escrow, combined))
    try:
        if read_back is None:
            raise Fault("bad-escrow")
        choice = opened_choice(before, owner, *read_back)
    except Fault:
        node.void(kind, owner, sealed.step, "bad-escrow")
        return
    if kind != "coin":
        if before.wants.shows:
            legal = is_showable(before, owner, choice)
        else:
            legal = before.game.is_legal(kind, owner, choice, {})
        if not legal:
            node.void(kind, owner, before.step, "illegal-choice")
            return
    node.opened[kind, owner] = choice
