"""What must hold in every simulated game, checked while it runs."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node, Table
from protocol.chain.openings import own_due
from protocol.fault_codes import Fault
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verifier import steps_to
from protocol.wire import signed_messages, step_bodies
from protocol.wire.signed_messages import (
    MAX_MESSAGE,
    EpochPromise,
    Message,
    Rejoin,
    StepInput,
    StepTimeout,
)
from protocol.wire.signed_notices import Departure
from support.inspection import floor_of, is_hurried, store_of, view_of

ANSWER = (1 << 20) + MAX_MESSAGE
"""Bytes with which one question may be answered: parts of 1 MiB, the last message whole."""


class Violation(AssertionError):
    """An invariant does not hold; the text says which and where."""


def need(condition: bool, text: str) -> None:
    if not condition:
        raise Violation(text)


Choice = tuple[str, int, bytes]
"""A sealed choice: its kind, seat and commitment."""


@dataclass
class Secrets:
    """Who could open what: shares and backup pieces that honest seats gave away.

    None of them gives a piece or an escrow share for a seat that its sealed base holds present.
    `due` holds, for each slot outside all hands, the digests on which an honest chain stood when
    it asked for it; `asked` the sealed choices that an honest chain has asked to be opened.
    """

    table: Table
    due: dict[int, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    asked: set[Choice] = field(default_factory=set)
    sealed: set[Choice] = field(default_factory=set)
    openings: set[Choice] = field(default_factory=set)
    givers: dict[Choice, set[int]] = field(default_factory=lambda: defaultdict(set))
    shares: set[tuple[int, int]] = field(default_factory=set)
    pieces: dict[tuple[int, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    escrows: int = 0
    opened: set[int] = field(default_factory=set)

    def learn(self, machine: SeatMachine, node: Node, seat: int, step_input: StepInput) -> None:
        """What an honest say gives away to whoever hears it."""
        want = node.want
        if want.kind is Kind.FINAL:
            return
        if want.kind is Kind.SEAL and seat in want.owes:
            read = step_bodies.parse(step_bodies.SealBody, step_input.body)
            self.sealed.add((want.name, seat, read.commitment))
        if want.kind is Kind.SHOW and seat in want.owes:
            self.shares |= set(transition.check(node, seat, step_input.body).shares)
        if want.kind not in (Kind.DEAL, Kind.OPEN, Kind.REVEAL):
            return
        if want.kind is Kind.REVEAL and want.shows:
            self.opened |= {slot for slot, _ in want.lacks}
        given = transition.check(node, seat, step_input.body)
        self.shares |= set(given.shares)
        if given.opened is not None:
            self.openings.add(choice_of(node, seat))
        base = view_of(machine).base
        for slot, absent in given.helps:
            need(absent not in base.present, f"seat {seat} stands in for present seat {absent}")
            self.pieces[slot, absent].add(seat)
        for owner in given.escrows:
            key = (want.name, owner)
            need(key in base.lost, f"seat {seat} opens what present seat {owner} has sealed")
            need(base.sealed[key] == node.sealed[key], "the sealed choice is not the base's")
            self.escrows += 1
            self.givers[choice_of(node, owner)].add(seat)

    def note_due(self, node: Node) -> None:
        """What the chain of an honest seat asks to be opened, by the step it stands before."""
        want = node.want
        for slot, _ in want.lacks:
            self.due[slot].add(node.digest)
        if want.kind in (Kind.REVEAL, Kind.DEAL):
            self.asked |= {choice_of(node, seat) for seat in want.dues}

    def drawn_early(self, coalition: frozenset[int]) -> list[int]:
        """Slots outside all hands that the coalition can open and no honest chain has asked for."""
        early = (slot for slot in self.stock() if not self.due[slot])
        return [slot for slot in early if self.can_open(slot, coalition)]

    def stock(self) -> list[int]:
        """The slots outside all hands."""
        layout = self.table.layout
        held = {slot for hand in layout.hands for slot in hand}
        return [slot for slot in range(layout.cards) if slot not in held]

    def read_early(self, coalition: frozenset[int]) -> list[Choice]:
        """Others' sealed choices that it can open and no honest chain has asked for."""
        quorum = self.table.quorum
        return [
            choice
            for choice in sorted(self.sealed - self.asked)
            if choice[1] not in coalition
            and (choice in self.openings or len(self.givers[choice] | coalition) >= quorum)
        ]

    def can_open(self, slot: int, coalition: frozenset[int]) -> bool:
        """Whether the coalition has or can make every seat's share of a card."""
        quorum = self.table.quorum
        return all(
            seat in coalition
            or (slot, seat) in self.shares
            or len(self.pieces[slot, seat] | coalition) >= quorum > len(coalition)
            for seat in range(self.table.seats)
        )


def choice_of(node: Node, seat: int) -> Choice:
    """The sealed choice of a seat that this step opens."""
    return node.want.name, seat, node.sealed[node.want.name, seat].commitment


@dataclass
class Checker:
    """The invariants of one game."""

    table: Table
    liars: frozenset[int]
    signed: dict[tuple[int, ...], bytes] = field(default_factory=dict)
    finals: dict[int, dict[int, bytes]] = field(default_factory=dict)
    guilty: set[int] = field(default_factory=set)
    secrets: Secrets = None  # type: ignore[assignment]
    forked: bool = False
    is_wide: bool = False
    request: int = 0
    left: dict[int, list[Departure]] = field(default_factory=dict)
    largest: int = 0
    revealed: dict[tuple[int, int], bytes] = field(default_factory=dict)
    _seen: dict[int, tuple[bytes, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.secrets = Secrets(self.table)

    @property
    def bound(self) -> int:
        return 2 * self.table.quorum - self.table.seats - 1

    # No honest seat contradicts itself.

    def signed_by(self, machine: SeatMachine, message: Message) -> None:
        """An honest seat sent this statement of its own."""
        again = message.identity in self.signed
        known = self.signed.setdefault(message.identity, message.payload)
        need(known == message.payload, f"seat {message.seat} contradicts itself: {message}")
        step_input = message.statement
        if not isinstance(step_input, Rejoin):
            self.request = max(self.request, step_input.epoch)
        if not again and isinstance(step_input, EpochPromise) and self.is_wide:
            self._check_expired(machine, message.seat, step_input)
            self._check_hurried(machine, message.seat, step_input)
        if (
            not again
            and isinstance(step_input, StepInput)
            and view_of(machine).epoch == step_input.epoch
        ):
            node = view_of(machine).path.get(step_input.on)
            need(node is not None, f"seat {message.seat} spoke off its own chain: {step_input}")
            assert node is not None
            self._check_legal(node, message.seat, step_input)
            if node.want.kind is Kind.REVEAL and own_due(node, message.seat):
                self._note_reveal(node, message.seat)
                self._check_reveal(machine, node, message.seat)
            self.secrets.learn(machine, node, message.seat, step_input)
            self._check_final_say(machine, node, message.seat)
            self.check_secrecy(node)

    def _check_legal(self, node: Node, seat: int, step_input: StepInput) -> None:
        """An honest seat always has a legal thing to say."""
        try:
            transition.check(node, seat, step_input.body)
        except Fault as fault:
            raise Violation(f"honest seat {seat} owes what is illegal: {fault.code}") from fault

    def _note_reveal(self, node: Node, seat: int) -> None:
        step = node.sealed[node.want.name, seat].step
        if step >= self.table.first_step:
            self.revealed.setdefault((seat, step), after_step(node, step).digest)

    def _check_reveal(self, machine: SeatMachine, node: Node, seat: int) -> None:
        """Who opens its choice holds every commitment, and every `hold` after it."""
        step, text = node.sealed[node.want.name, seat].step, f"seat {seat} opens its choice before"
        need(_holds_all(machine, node, step), f"{text} it holds all commitments")
        if not self.table.strict:
            need(node.held > step, f"{text} all have confirmed what is sealed")
            need(_holds_all(machine, node, node.held), f"{text} it holds that all have confirmed")

    def _check_final_say(self, machine: SeatMachine, node: Node, seat: int) -> None:
        if node.want.kind is not Kind.FINAL:
            return
        over = node
        while over.parent is not None and over.is_over_given:
            over = over.parent
        need(machine.final_step() >= over.step - 1, f"seat {seat} opened its hand too early")

    def _check_expired(self, machine: SeatMachine, seat: int, promise: EpochPromise) -> None:
        """Nobody votes himself away: where a seat owes a say it tells of nobody's patience."""
        place, view = promise.timeout, view_of(machine)
        if place is None or place.epoch != view.epoch or place.on not in view.path:
            return
        node = view.path[place.on]
        said = any(m.seat == seat for m in store_of(machine).inputs(place.epoch, place.step))
        need(
            said or seat not in node.want.speakers,
            f"seat {seat} thinks and says that patience ran out",
        )

    def _check_hurried(self, machine: SeatMachine, by: int, promise: EpochPromise) -> None:
        """Before patience is out by the clock, only who has left is said not to have come."""
        place = promise.timeout
        if place is None or not is_hurried(machine, place):
            return
        for seat in machine.awaited():
            # A return may have come since: what had expired was fixed before.
            left = any(_holds(word, place) for word in self.left.get(seat, []))
            need(left, f"seat {by} hurries seat {seat}, which has not left")

    # Room.

    def answered(self, seat: int, size: int) -> None:
        """What an honest seat sends one other in answer to one frame fits its link."""
        self.largest = max(self.largest, size)
        if self.is_wide:
            need(size <= ANSWER, f"seat {seat} answers one question with {size} bytes")

    # Secrecy.

    def check_secrecy(self, node: Node) -> None:
        """No t-1 seats can open a hidden card, or what is sealed and not yet to be opened."""
        if node.want.kind in (Kind.FINAL, Kind.RESULT):
            return
        everyone = self.table.everyone
        for coalition in self.coalitions():
            early = self.secrets.drawn_early(coalition)
            need(not early, f"{sorted(coalition)} can open slots {early}, which nobody draws yet")
            read = self.secrets.read_early(coalition)
            need(not read, f"{sorted(coalition)} can open the sealed {[r[:2] for r in read]}")
            for owner in sorted(everyone - coalition):
                for slot in self.table.layout.hands[owner]:
                    if (slot, owner) in self.secrets.shares or slot in self.secrets.opened:
                        continue
                    need(
                        not self.secrets.can_open(slot, coalition),
                        f"{sorted(coalition)} can open slot {slot} of seat {owner}",
                    )

    def coalitions(self) -> list[frozenset[int]]:
        """All t-1 seats, among them the liars."""
        sets = map(frozenset, combinations(sorted(self.table.everyone), self.table.quorum - 1))
        return [coalition for coalition in sets if self.liars <= coalition]

    def judge_looks(self, tips: list[Node]) -> None:
        """At the end: what the liars could open in play was drawn on the chain that stands.

        Two liars of whom one chooses twice and one withholds may see one card more; they pay for
        it with a ban.
        """
        if self.forked or len(self.liars) > self.bound:
            return
        longest = max(tips, key=lambda tip: tip.step)
        if len(self.liars) > 1 and self.liars & longest.banned:
            return
        stands = {digest for _, digest in content(longest)} | links(longest)
        for slot in self.secrets.stock():
            due = self.secrets.due[slot]
            if due and self.secrets.can_open(slot, self.liars):
                need(bool(due & stands), f"slot {slot} was opened on a chain that was replaced")

    def judge_reveals(self, tips: list[Node]) -> None:
        """At the end: no reveal was in vain; each commit step stands as who revealed saw it."""
        if self.forked or len(self.liars) > self.bound or not self.is_wide:
            return
        longest = max(tips, key=lambda tip: tip.step)
        stands = {digest for _, digest in content(longest)}
        for (seat, step), digest in sorted(self.revealed.items()):
            if step < longest.step:
                need(digest in stands, f"seat {seat} has revealed in vain what it sealed in {step}")

    # No framing.

    def found_guilty(self, by: int, seat: int, code: str) -> None:
        need(seat in self.liars, f"seat {by} finds honest seat {seat} guilty of {code}")
        self.guilty.add(seat)

    # Agreement.

    def watch(self, seat: int, machine: SeatMachine) -> None:
        """Note what is final for a seat and compare it with all that was final before."""
        if self.is_wide:
            far = floor_of(machine) > self.request + 2
            need(not far, f"seat {seat} may speak from epoch {floor_of(machine)} on only")
        banned = view_of(machine).base.banned | machine.tip.banned
        need(banned <= self.liars, f"seat {seat} has honest seats banned: {sorted(banned)}")
        last, place = machine.final_step(), (machine.tip.digest, machine.final_step())
        if self._seen.get(seat) == place:
            return
        self._seen[seat] = place
        for step, digest in content(machine.tip):
            if step <= last:
                self._final(seat, step, digest)

    def _final(self, seat: int, step: int, digest: bytes) -> None:
        mine = self.finals.setdefault(seat, {})
        if mine.get(step) == digest:
            return
        if step in mine:
            self._fork(f"seat {seat}: the final step {step} is replaced")
        for other, theirs in self.finals.items():
            if theirs.get(step, digest) != digest:
                self._fork(f"seats {seat} and {other} hold different final steps {step}")
        mine[step] = digest

    def _fork(self, text: str) -> None:
        need(len(self.liars) > self.bound, text)
        self.forked = True


def _holds_all(machine: SeatMachine, node: Node, step: int) -> bool:
    """Whether the machine holds what all said in this step, or the step is in its base."""
    view, before = view_of(machine), node.before(step)
    if step < view.base.step:
        return True
    if before is None:
        raise LookupError(f"step {step} is not on this chain")
    inputs = (m.statement for m in store_of(machine).inputs(view.epoch, step))
    held = {(m.on, m.body) for m in inputs if isinstance(m, StepInput)}
    slots = after_step(node, step).slots or ()
    return bool(slots) and all((before.digest, slots[s]) in held for s in before.want.speakers)


def after_step(node: Node, step: int) -> Node:
    """The node with which this step ended, before any link, on the chain to `node`."""
    at = node.before(step + 1)
    while at is not None and at.slots is None and at.parent is not None:
        at = at.parent
    if at is None:
        raise LookupError(f"step {step} is not on this chain")
    return at


def content(tip: Node) -> list[tuple[int, bytes]]:
    """(step, digest after it) along the chain that leads to `tip`."""
    found, node = [], tip
    while node.parent is not None:
        if node.slots is not None:
            found.append((node.step - 1, node.digest))
        node = node.parent
    return found


def links(tip: Node) -> set[bytes]:
    """The digests after links along the chain."""
    return {after.digest for _, slots, after in steps_to(tip) if slots is None}


def own_statement(raw: bytes, table: Table) -> Message:
    """The message in a frame's bytes."""
    return signed_messages.parse(raw, table.id, table.ids)


def _holds(word: Departure, place: StepTimeout) -> bool:
    """Whether it says that its seat says nothing at this place."""
    return not word.is_return and (word.epoch, word.step) <= (place.epoch, place.step)
