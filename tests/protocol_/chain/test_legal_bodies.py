"""An honest seat has a legal input in every kind of step, whatever the others choose.

A table is driven without machines. Honest seats give the inputs that the product makes, liars the
worst ones that the checks let pass. Any seat may fall silent at any step, rejoin, or be found at
fault, as long as a quorum is left.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.forgeries.bodies import empty_escrow
from support.machine_table import make_table, seeded
from support.sampling import times
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.chain import chain_state, transition
from protocol.chain.chain_state import SETUP, Kind, Missing, Node, Secrets
from protocol.chain.openings import has_opening
from protocol.crypto import group, key_sharing, sigma_proofs
from protocol.crypto.hashing import ORDER
from protocol.fault_codes import Fault
from protocol.wire import step_bodies
from protocol.wire.signed_messages import StepInput
from protocol.wire.step_bodies import KeyReveal

seen: Counter[Kind] = Counter()


@pytest.fixture(autouse=True, scope="module")
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


def with_roots(secret: int, roots: list[int], size: int) -> tuple[int, ...]:
    """A polynomial of `size` coefficients that is zero at these indices and `secret` at 0.

    What is left of its roots lies at no seat; none of its coefficients is zero.
    """
    poly = [1]
    for root in [*roots, *range(1000, 1000 + size)][: size - 1]:
        poly = [(a - root * b) % ORDER for a, b in zip([0, *poly], [*poly, 0], strict=True)]
    scale = secret * pow(poly[0], -1, ORDER) % ORDER
    return tuple(c * scale % ORDER for c in poly)


class Drive:
    """One table; `liars` may do as they like, `die` decides what."""

    def __init__(self, seats: int, liars: frozenset[int], seed: int) -> None:
        self.game = ToyGame(seats, 2)
        self.table, self.who = make_table(self.game, seats)
        self.liars, self.die = liars, random.Random(seed)
        self.rng = seeded(f"drive{seed}")
        size = self.table.quorum
        self.secrets = [chain_state.new_secrets(self.rng(32), size) for _ in range(seats)]
        for liar in liars:
            self.secrets[liar] = replace(self.secrets[liar], polynomial=self.worst(liar, size))
        self.node = transition.begin(self.table)

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

    def step(self) -> bool:
        """One step, every honest speaker legal; False once the chain has ended."""
        node = self.node
        if node.want.kind is Kind.RESULT or not transition.may_go_on(node):
            return False
        seen[node.want.kind] += 1
        said, missing = dict[int, bytes](), self.silent(node)
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


@settings(max_examples=times(40, 400), deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.data())
def test_whatever_the_others_choose_a_legal_body_exists(
    seats: int, seed: int, data: st.DataObject
) -> None:
    table, _ = make_table(ToyGame(seats, 2), seats)
    everyone = sorted(table.everyone)
    liars = data.draw(st.sets(st.sampled_from(everyone), max_size=table.quorum - 1))
    drive = Drive(seats, frozenset(liars), seed)
    for _ in range(60):
        if not drive.step():
            break


def test_every_kind_of_step_was_met() -> None:
    rest = {Kind.RESULT, Kind.ENDED}
    for seed in range(60):
        drive = Drive(4 + seed % 3, frozenset({3}) if seed % 2 else frozenset(), seed)
        while drive.step():
            pass
        if set(Kind) - set(seen) == rest:
            break
    assert set(Kind) - set(seen) == rest


# The one key share by which a dealer could leave others without a legal input.


def reveal_of(drive: Drive, seat: int, poly: tuple[int, ...]) -> bytes:
    """A key.reveal of this polynomial, well made otherwise."""
    vector = tuple(key_sharing.feldman_vector(poly))
    context = drive.table.context(2, seat, "key")
    proof = sigma_proofs.prove_key(context, poly[0], vector[0], drive.rng)
    key_shares = tuple(b"" if s == seat else bytes(80) for s in range(drive.table.seats))
    return step_bodies.encode_body(KeyReveal(vector, proof, key_shares))


def before_reveal(poly: tuple[int, ...], seats: int = 4) -> Drive:
    """A table before key.reveal whose seat 1 has committed to this polynomial."""
    drive = Drive(seats, frozenset(), 1)
    drive.secrets[1] = replace(drive.secrets[1], polynomial=poly)
    assert drive.step()
    return drive


@pytest.mark.parametrize("victim", [0, 2, 3])
def test_a_key_sharing_with_a_root_at_another_seat_is_refused(victim: int) -> None:
    poly = with_roots(7, [victim + 1], 3)
    drive = before_reveal(poly)
    with pytest.raises(Fault) as found:
        transition.check(drive.node, 1, reveal_of(drive, 1, poly))
    assert (found.value.code, found.value.seat) == ("bad-key-sharing", 1)


def test_a_root_at_the_own_seat_or_elsewhere_harms_nobody() -> None:
    for root in (2, 9):
        poly = with_roots(7, [root], 3)
        drive = before_reveal(poly)
        transition.check(drive.node, 1, reveal_of(drive, 1, poly))


def test_the_hash_the_proof_and_then_the_key_sharing_are_looked_at() -> None:
    poly = with_roots(7, [1], 3)
    drive = before_reveal(poly)
    read = step_bodies.parse(step_bodies.key_reveal_form(3, 4), reveal_of(drive, 1, poly))
    for changes, code in (
        ({"vector": read.vector[::-1], "key_shares": (b"",) * 4}, "bad-key-hash"),
        ({"proof": bytes(64), "key_shares": (b"",) * 4}, "bad-key-proof"),
        ({"key_shares": (b"",) * 4}, "bad-key-sharing"),
    ):
        with pytest.raises(Fault) as found:
            transition.check(drive.node, 1, step_bodies.encode_body(replace(read, **changes)))  # type: ignore[arg-type]
        assert found.value.code == code


def test_an_honest_seat_draws_again_when_a_key_share_would_be_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = iter([*with_roots(7, [3], 3), 5, 6, 8])
    monkeypatch.setattr(chain_state, "nonzero_scalar", lambda rng: next(drawn))
    assert chain_state.new_secrets(bytes(32), 3).polynomial == (5, 6, 8)


def keys_that_cancel(what: str) -> Drive:
    """Three seats conspire, so that the joint key or the sum of one seat's key shares is zero."""
    drive = Drive(3, frozenset(), 3)
    polys = [(3, 4), (5, 6), ((-8) % ORDER, 11)]
    if what == "total":  # the sum at index 2 is zero
        at = sum(key_sharing.key_share_at(p, 2) for p in polys[:2])
        polys[2] = (7, (-at - 7) * pow(2, -1, ORDER) % ORDER)
    drive.secrets = [replace(s, polynomial=p) for s, p in zip(drive.secrets, polys, strict=True)]
    return drive


@pytest.mark.parametrize("what", ["joint", "total"])
def test_keys_that_together_carry_no_table_end_it_and_name_nobody(what: str) -> None:
    drive = keys_that_cancel(what)
    assert drive.step()
    assert drive.step()
    assert drive.node.want.kind is Kind.ENDED
    assert drive.node.convictions == ()
    assert (drive.node.keys.joint == group.IDENTITY) is (what == "joint")


def test_secrets_do_not_show() -> None:
    assert "polynomial" not in repr(Secrets(bytes(32), (1, 2), bytes(32)))
