"""A chain that is driven without machines: honest inputs, the worst lies, and silent seats."""

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from protocol.chain import chain_state, transition
from protocol.chain.chain_state import SETUP, Kind, Missing, Node
from protocol.chain.openings import has_opening
from protocol.crypto.hashing import ORDER
from protocol.fault_codes import Fault
from protocol.wire.signed_messages import StepInput
from support.forgeries.bodies import empty_escrow
from support.machine_table import make_table, seeded
from support.toy_game import ToyGame


def with_roots(secret: int, roots: list[int], size: int) -> tuple[int, ...]:
    """A polynomial of `size` coefficients that is zero at these indices and `secret` at 0.

    What is left of its roots lies at no seat; none of its coefficients is zero.
    """
    poly = [1]
    for root in [*roots, *range(1000, 1000 + size)][: size - 1]:
        poly = [(a - root * b) % ORDER for a, b in zip([0, *poly], [*poly, 0], strict=True)]
    scale = secret * pow(poly[0], -1, ORDER) % ORDER
    return tuple(c * scale % ORDER for c in poly)


class DrivenChain:
    """The chain of one table; `liars` may do as they like, `die` decides what.

    Attributes:
        kinds: The kinds of steps that were played.
    """

    def __init__(
        self,
        seats: int,
        liars: frozenset[int] = frozenset(),
        seed: int = 1,
        quorum: int | None = None,
    ) -> None:
        self.game = ToyGame(seats, 2)
        self.table, self.who = make_table(self.game, seats, quorum)
        self.liars, self.die = liars, random.Random(seed)
        self.rng = seeded(f"drive{seed}")
        size = 1 if self.table.strict else self.table.quorum
        self.secrets = [chain_state.new_secrets(self.rng(32), size) for _ in range(seats)]
        for liar in liars:
            self.secrets[liar] = replace(self.secrets[liar], polynomial=self.worst(liar, size))
        self.node = transition.begin(self.table)
        self.kinds = set[Kind]()

    def worst(self, liar: int, size: int) -> tuple[int, ...]:
        """Return polynomials that harm others: with roots at victims, or all coefficients one."""
        victims = [s + 1 for s in range(self.table.seats) if s != liar]
        self.die.shuffle(victims)
        roots = victims[: self.die.randrange(size)]
        return self.die.choice([with_roots(5, roots, size), (1,) * size])

    # Inputs.

    def body(self, seat: int) -> bytes | None:
        """What this seat says; a liar's lie only where the checks let it pass. None: a liar that
        has sealed what it cannot open."""
        if seat in self.liars and not has_opening(self.node, seat, self.secrets[seat]):
            return None
        honest = self.honest_body(seat)
        if seat in self.liars:
            lie = self.lie(seat, honest)
            if lie is not None and self.legal(seat, lie):
                return lie
        return honest

    def honest_body(self, seat: int) -> bytes:
        node, secrets = self.node, self.secrets[seat]
        if not transition.needs_choice(node, seat):
            return transition.body_of(node, seat, secrets, self.rng)
        choice = self.die.choice(self.game.choices(node.want.name, seat))
        return transition.body_of_choice(node, seat, choice, secrets, self.rng)

    def lie(self, seat: int, honest: bytes) -> bytes | None:
        """Another body the checks may take: an escrow that opens to something else."""
        node = self.node
        if node.want.kind is Kind.SEAL and seat in node.want.owes and self.die.random() < 0.5:
            machine: Any = SimpleNamespace(seat=seat)
            return empty_escrow(machine, node, StepInput(0, node.step, node.digest, honest))
        return None

    def legal(self, seat: int, body: bytes) -> bool:
        try:
            transition.check(self.node, seat, body)
        except Fault:
            return False
        return True

    # Steps.

    def stand_before(self, kind: Kind, name: str = "") -> Node:
        """Let all seats speak until such a step is next, about this choice; return the node."""
        while self.node.want.kind is not kind or name not in ("", self.node.want.name):
            assert self.step(all_speak=True), "there is no such step"
        return self.node

    def step(self, all_speak: bool = False) -> bool:
        """One step, every honest speaker legal; False once the chain has ended."""
        node = self.node
        if node.want.kind is Kind.RESULT or not transition.may_go_on(node):
            return False
        self.kinds.add(node.want.kind)
        said, missing = dict[int, bytes](), set[int]() if all_speak else self.silent(node)
        for seat in sorted(node.want.speakers):
            body = self.body(seat)
            if body is None:
                missing |= {seat}
                continue
            if seat in self.liars and not self.legal(seat, body):
                return False  # convicted: before the game the table ends
            transition.check(node, seat, body)
            said[seat] = body
        if len(node.present - missing) < self.table.quorum:
            return False
        said = {seat: body for seat, body in said.items() if seat not in missing}
        after = transition.append(node, transition.slots_of(node, said, Missing.ABSENT))
        self.node = self.changed(after, missing)
        return True

    def silent(self, node: Node) -> set[int]:
        """Speakers that fall silent: of those present a quorum stays."""
        spare = len(node.present) - self.table.quorum
        if node.want.kind in SETUP or spare <= 0 or self.die.random() < 0.7:
            return set()
        return set(self.die.sample(sorted(node.want.speakers), k=1))

    def changed(self, node: Node, missing: set[int]) -> Node:
        """Reconfigure after a step: absent and banned seats go, some rejoin."""
        if node.want.kind in SETUP | {Kind.RESULT, Kind.ENDED}:
            return node
        back = set(self.table.everyone - node.present - node.banned)
        back = back if self.die.random() < 0.3 else set()
        present = frozenset((node.present - missing - node.banned) | (back - node.banned))
        if len(present) < self.table.quorum or present == node.present:
            return node
        counts = tuple(c + (s in missing) for s, c in enumerate(node.absences))
        return transition.reconfigure(node, present, node.banned, counts)
