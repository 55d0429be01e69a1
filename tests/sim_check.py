"""What must hold in every simulated game, checked while it runs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations

from protocol import gather, messages, play_steps
from protocol.machine import Machine
from protocol.messages import Message, Say
from protocol.node import Kind, Node, Table


class Violation(AssertionError):
    """An invariant does not hold; the text says which and where."""


def need(condition: bool, text: str) -> None:
    if not condition:
        raise Violation(text)


@dataclass
class Secrets:
    """Who could open what: shares and backup pieces that honest seats gave away.

    None of them gives a piece or an escrow share for a seat that its sealed base holds present.
    """

    table: Table
    shares: set[tuple[int, int]] = field(default_factory=set)
    pieces: dict[tuple[int, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    escrows: int = 0
    opened: set[int] = field(default_factory=set)

    def learn(self, machine: Machine, node: Node, seat: int, say: Say) -> None:
        """What an honest say gives away to whoever hears it."""
        want = node.want
        if want.kind is Kind.FINAL:
            return
        if want.kind is Kind.SHOW and seat in want.owes:
            _, more = play_steps.read_show(node, seat, say.body)
            self.shares |= set(more)
        if want.kind not in (Kind.DEAL, Kind.OPEN, Kind.REVEAL):
            return
        if want.kind is Kind.REVEAL and want.shows:
            self.opened |= {slot for slot, _ in want.lacks}
        given = gather.check_gather(node, seat, say.body)
        self.shares |= set(given.shares or {})
        base = machine.view.base
        for slot, absent in given.helps or {}:
            need(absent not in base.present, f"seat {seat} stands in for present seat {absent}")
            self.pieces[slot, absent].add(seat)
        for owner in given.escrows or {}:
            key = (want.name, owner)
            need(key in base.lost, f"seat {seat} opens what present seat {owner} has sealed")
            need(base.sealed[key] == node.sealed[key], "the sealed choice is not the base's")
            self.escrows += 1

    def can_open(self, slot: int, coalition: frozenset[int]) -> bool:
        """Whether the coalition has or can make every seat's share of a card."""
        quorum = self.table.quorum
        return all(
            seat in coalition
            or (slot, seat) in self.shares
            or len(self.pieces[slot, seat] | coalition) >= quorum > len(coalition)
            for seat in range(self.table.seats)
        )


@dataclass
class Checker:
    """The invariants of one game."""

    table: Table
    liar: int | None
    signed: dict[tuple[int, ...], bytes] = field(default_factory=dict)
    finals: dict[int, dict[int, bytes]] = field(default_factory=dict)
    guilty: set[int] = field(default_factory=set)
    secrets: Secrets = None  # type: ignore[assignment]
    forked: bool = False
    _seen: dict[int, tuple[bytes, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.secrets = Secrets(self.table)

    @property
    def liars(self) -> int:
        return 0 if self.liar is None else 1

    @property
    def bound(self) -> int:
        return 2 * self.table.quorum - self.table.seats - 1

    # No honest seat contradicts itself.

    def signed_by(self, machine: Machine, message: Message) -> None:
        """An honest seat sent this statement of its own."""
        again = message.identity in self.signed
        known = self.signed.setdefault(message.identity, message.payload)
        need(known == message.payload, f"seat {message.seat} contradicts itself: {message}")
        say = message.statement
        if not again and isinstance(say, Say) and machine.view.epoch == say.epoch:
            node = machine.view.path.get(say.on)
            need(node is not None, f"seat {message.seat} spoke off its own chain: {say}")
            assert node is not None
            self.secrets.learn(machine, node, message.seat, say)
            self._check_final_say(machine, node, message.seat)
            self.check_secrecy(node)

    def _check_final_say(self, machine: Machine, node: Node, seat: int) -> None:
        if node.want.kind is not Kind.FINAL:
            return
        over = node
        while over.parent is not None and over.over_said:
            over = over.parent
        need(machine.final_step() >= over.step - 1, f"seat {seat} opened its hand too early")

    # Secrecy.

    def check_secrecy(self, node: Node) -> None:
        """No t-1 seats can open a hidden hand card of another."""
        if node.want.kind in (Kind.FINAL, Kind.RESULT):
            return
        everyone, quorum = self.table.everyone, self.table.quorum
        for coalition in map(frozenset, combinations(sorted(everyone), quorum - 1)):
            if self.liar is not None and self.liar not in coalition:
                continue
            for owner in sorted(everyone - coalition):
                for slot in self.table.layout.hands[owner]:
                    if (slot, owner) in self.secrets.shares or slot in self.secrets.opened:
                        continue
                    need(
                        not self.secrets.can_open(slot, coalition),
                        f"{sorted(coalition)} can open slot {slot} of seat {owner}",
                    )

    # No framing.

    def found_guilty(self, by: int, seat: int, code: str) -> None:
        need(seat == self.liar, f"seat {by} finds honest seat {seat} guilty of {code}")
        self.guilty.add(seat)

    # Agreement.

    def watch(self, seat: int, machine: Machine) -> None:
        """Note what is final for a seat and compare it with all that was final before."""
        banned = machine.view.base.banned | machine.tip.banned
        need(banned <= {self.liar}, f"seat {seat} has honest seats banned: {sorted(banned)}")
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
        need(self.liars > self.bound, text)
        self.forked = True


def content(tip: Node) -> list[tuple[int, bytes]]:
    """(step, digest after it) along the chain that leads to `tip`."""
    found, node = [], tip
    while node.parent is not None:
        if node.slots is not None:
            found.append((node.step - 1, node.digest))
        node = node.parent
    return found


def own_statement(raw: bytes, table: Table) -> Message:
    """The message in a frame's bytes."""
    return messages.parse(raw, table.id, table.ids)
