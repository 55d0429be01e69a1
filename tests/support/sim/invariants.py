"""The invariants of every simulated game, checked while it runs."""

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
"""The most bytes that answer one question: parts of 1 MiB, the last message whole."""


class Violation(AssertionError):
    """A violated invariant; the text names it and the place."""


def need(condition: bool, text: str) -> None:
    if not condition:
        raise Violation(text)


Choice = tuple[str, int, bytes]
"""A sealed choice: its kind, seat and commitment."""


@dataclass
class Secrets:
    """The secrets that honest seats gave away: decryption shares, by key shares too, and openings.

    No honest seat stands in for a seat that is present in its committed base.

    Attributes:
        table: The table.
        due: For each slot outside all hands, the digests at which an honest chain asked for it.
        asked: The sealed choices that an honest chain has asked to be opened.
        sealed: The choices that honest seats have sealed.
        openings: The choices that their owners have opened.
        givers: For each sealed choice, the seats that gave their share of its escrow.
        shares: The slot and the giver of each decryption share.
        key_shares: By slot and absent seat, the seats that gave a share in its place.
        escrows: How many escrow shares were given.
        opened: The slots of hands that a reveal opens.
    """

    table: Table
    due: dict[int, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    asked: set[Choice] = field(default_factory=set)
    sealed: set[Choice] = field(default_factory=set)
    openings: set[Choice] = field(default_factory=set)
    givers: dict[Choice, set[int]] = field(default_factory=lambda: defaultdict(set))
    shares: set[tuple[int, int]] = field(default_factory=set)
    key_shares: dict[tuple[int, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    escrows: int = 0
    opened: set[int] = field(default_factory=set)

    def learn(self, machine: SeatMachine, node: Node, seat: int, step_input: StepInput) -> None:
        """Note the secrets that an input of an honest seat gives away."""
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
            self.key_shares[slot, absent].add(seat)
        for owner in given.escrows:
            key = (want.name, owner)
            need(key in base.lost, f"seat {seat} opens what present seat {owner} has sealed")
            need(base.sealed[key] == node.sealed[key], "the sealed choice is not the base's")
            self.escrows += 1
            self.givers[choice_of(node, owner)].add(seat)

    def note_due(self, node: Node) -> None:
        """Note the secrets that the next step on the chain of an honest seat asks to be opened."""
        want = node.want
        for slot, _ in want.lacks:
            self.due[slot].add(node.digest)
        if want.kind in (Kind.REVEAL, Kind.DEAL):
            self.asked |= {choice_of(node, seat) for seat in want.dues}

    def drawn_early(self, coalition: frozenset[int]) -> list[int]:
        """Return the slots outside all hands that a coalition can open before anybody asked."""
        early = (slot for slot in self.stock() if not self.due[slot])
        return [slot for slot in early if self.can_open(slot, coalition)]

    def stock(self) -> list[int]:
        """Return the slots outside all hands."""
        layout = self.table.layout
        in_hands = {slot for hand in layout.hands for slot in hand}
        return [slot for slot in range(layout.cards) if slot not in in_hands]

    def read_early(self, coalition: frozenset[int]) -> list[Choice]:
        """Return the sealed choices of others that it can open before anybody asked."""
        quorum = self.table.quorum
        return [
            choice
            for choice in sorted(self.sealed - self.asked)
            if choice[1] not in coalition
            and (choice in self.openings or len(self.givers[choice] | coalition) >= quorum)
        ]

    def can_open(self, slot: int, coalition: frozenset[int]) -> bool:
        """Return whether a coalition has or can make the decryption share of every seat."""
        quorum = self.table.quorum
        return all(
            seat in coalition
            or (slot, seat) in self.shares
            or len(self.key_shares[slot, seat] | coalition) >= quorum > len(coalition)
            for seat in range(self.table.seats)
        )


def choice_of(node: Node, seat: int) -> Choice:
    """Return the sealed choice of a seat that this step opens."""
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
    claimed: set[tuple[int, object]] = field(default_factory=set)
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
        """Check a statement that an honest seat signed and sent."""
        again = message.identity in self.signed
        known = self.signed.setdefault(message.identity, message.payload)
        need(known == message.payload, f"seat {message.seat} contradicts itself: {message}")
        step_input = message.statement
        if not isinstance(step_input, Rejoin):
            self.request = max(self.request, step_input.epoch)
        if not again and isinstance(step_input, EpochPromise) and self.is_wide:
            self._check_timeout(machine, message.seat, step_input)
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
            self._check_final_input(machine, node, message.seat)
            self.check_secrecy(node)

    def _check_legal(self, node: Node, seat: int, step_input: StepInput) -> None:
        """Check that the input of an honest seat is legal."""
        try:
            transition.check(node, seat, step_input.body)
        except Fault as fault:
            raise Violation(f"honest seat {seat} owes what is illegal: {fault.code}") from fault

    def _note_reveal(self, node: Node, seat: int) -> None:
        step = node.sealed[node.want.name, seat].step
        if step >= self.table.first_step:
            self.revealed.setdefault((seat, step), after_step(node, step).digest)

    def _check_reveal(self, machine: SeatMachine, node: Node, seat: int) -> None:
        """Check that a seat that opens its choice stores every commitment and the barrier."""
        step, text = node.sealed[node.want.name, seat].step, f"seat {seat} opens its choice before"
        need(_stores_all(machine, node, step), f"{text} it stores all commitments")
        if not self.table.strict:
            need(node.last_barrier > step, f"{text} all have confirmed what is sealed")
            need(
                _stores_all(machine, node, node.last_barrier), f"{text} it stores the whole barrier"
            )

    def _check_final_input(self, machine: SeatMachine, node: Node, seat: int) -> None:
        if node.want.kind is not Kind.FINAL:
            return
        over = node
        while over.parent is not None and over.is_over_given:
            over = over.parent
        need(machine.final_step() >= over.step - 1, f"seat {seat} opened its hand too early")

    def _check_timeout(self, machine: SeatMachine, seat: int, promise: EpochPromise) -> None:
        """Check that a seat claims no timeout of a step in which it owes an input itself."""
        place, view = promise.timeout, view_of(machine)
        if place is None or place.epoch != view.epoch or place.on not in view.path:
            return
        node = view.path[place.on]
        said = any(m.seat == seat for m in store_of(machine).inputs(place.epoch, place.step))
        need(
            said or seat not in node.want.speakers,
            f"seat {seat} owes an input to the step whose timeout it claims",
        )

    def _check_hurried(self, machine: SeatMachine, by: int, promise: EpochPromise) -> None:
        """Check that a timeout claimed before its time names only seats that have left.

        A resumed seat has to make the claim of its promise before the crash again, although its
        clock has begun anew.
        """
        place = promise.timeout
        if place is None or (by, place) in self.claimed:
            return
        self.claimed.add((by, place))
        if not is_hurried(machine, place):
            return
        for seat in machine.awaited():
            # A return may have come since: the claim was fixed before it.
            left = any(_covers(word, place) for word in self.left.get(seat, []))
            need(left, f"seat {by} hurries seat {seat}, which has not left")

    # Room.

    def answered(self, seat: int, size: int) -> None:
        """Check that the answer of an honest seat to one frame is within its bound."""
        self.largest = max(self.largest, size)
        if self.is_wide:
            need(size <= ANSWER, f"seat {seat} answers one question with {size} bytes")

    # Secrecy.

    def check_secrecy(self, node: Node) -> None:
        """Check that no t-1 seats can open a hidden card, or a sealed choice before its time."""
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
        """Return all sets of t-1 seats that contain the liars."""
        sets = map(frozenset, combinations(sorted(self.table.everyone), self.table.quorum - 1))
        return [coalition for coalition in sets if self.liars <= coalition]

    def judge_looks(self, tips: list[Node]) -> None:
        """Check, at the end, that each card that the liars could open was drawn on the final chain.

        Two liars, of which one chooses twice and the other withholds, may see one card more; they
        are banned for it.
        """
        if self.forked or len(self.liars) > self.bound:
            return
        longest = max(tips, key=lambda tip: tip.step)
        if len(self.liars) > 1 and self.liars & longest.banned:
            return
        stands = {digest for _, digest in content(longest)} | reconfigurations(longest)
        for slot in self.secrets.stock():
            due = self.secrets.due[slot]
            if due and self.secrets.can_open(slot, self.liars):
                need(bool(due & stands), f"slot {slot} was opened on a chain that was replaced")

    def judge_reveals(self, tips: list[Node]) -> None:
        """Check, at the end, that no reveal was in vain: each sealed step it rests on is final."""
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
                self._fork(f"seats {seat} and {other} have different final steps {step}")
        mine[step] = digest

    def _fork(self, text: str) -> None:
        need(len(self.liars) > self.bound, text)
        self.forked = True


def _stores_all(machine: SeatMachine, node: Node, step: int) -> bool:
    """Return whether a machine stores all inputs of a step, or has the step in its base."""
    view, before = view_of(machine), node.before(step)
    if step < view.base.step:
        return True
    if before is None:
        raise LookupError(f"step {step} is not on this chain")
    inputs = (m.statement for m in store_of(machine).inputs(view.epoch, step))
    stored = {(m.on, m.body) for m in inputs if isinstance(m, StepInput)}
    slots = after_step(node, step).slots or ()
    return bool(slots) and all((before.digest, slots[s]) in stored for s in before.want.speakers)


def after_step(node: Node, step: int) -> Node:
    """Return the node behind a step, before any reconfiguration, on the chain to `node`."""
    at = node.before(step + 1)
    while at is not None and at.slots is None and at.parent is not None:
        at = at.parent
    if at is None:
        raise LookupError(f"step {step} is not on this chain")
    return at


def content(tip: Node) -> list[tuple[int, bytes]]:
    """Return number and digest of each step on the chain that leads to `tip`."""
    found, node = [], tip
    while node.parent is not None:
        if node.slots is not None:
            found.append((node.step - 1, node.digest))
        node = node.parent
    return found


def reconfigurations(tip: Node) -> set[bytes]:
    """Return the digests behind the reconfigurations of a chain."""
    return {after.digest for _, slots, after in steps_to(tip) if slots is None}


def own_statement(raw: bytes, table: Table) -> Message:
    """Return the message in the bytes of a frame."""
    return signed_messages.parse(raw, table.id, table.ids)


def _covers(word: Departure, place: StepTimeout) -> bool:
    """Return whether a departure covers this step."""
    return not word.is_return and (word.epoch, word.step) <= (place.epoch, place.step)
