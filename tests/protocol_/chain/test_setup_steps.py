"""Setup: keys, key shares, complaints and shuffles, and keys by which no table can play."""

from dataclasses import replace

import pytest
from support.driven_chain import DrivenChain, with_roots

from protocol.chain import transition
from protocol.chain.chain_state import Kind
from protocol.crypto import group, key_sharing, sigma_proofs
from protocol.crypto.hashing import ORDER
from protocol.fault_codes import Fault
from protocol.wire import step_bodies
from protocol.wire.step_bodies import KeyReveal

pytestmark = pytest.mark.usefixtures("cheap")


def reveal_of(drive: DrivenChain, seat: int, poly: tuple[int, ...]) -> bytes:
    """A key.reveal of this polynomial, well made otherwise."""
    vector = tuple(key_sharing.feldman_vector(poly))
    context = drive.table.context(2, seat, "key")
    proof = sigma_proofs.prove_key(context, poly[0], vector[0], drive.rng)
    key_shares = tuple(b"" if s == seat else bytes(80) for s in range(drive.table.seats))
    return step_bodies.encode_body(KeyReveal(vector, proof, key_shares))


def before_reveal(poly: tuple[int, ...], seats: int = 4) -> DrivenChain:
    """A table before key.reveal whose seat 1 has committed to this polynomial."""
    drive = DrivenChain(seats, frozenset(), 1)
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


def keys_that_cancel(what: str) -> DrivenChain:
    """Three seats conspire, so that the joint key or the sum of one seat's key shares is zero."""
    drive = DrivenChain(3, frozenset(), 3)
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
