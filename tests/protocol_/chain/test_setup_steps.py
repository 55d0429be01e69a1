"""Setup: keys, key shares, complaints and shuffles, and keys by which no table can play."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain, with_roots
from support.forgeries.bodies import exchanged

from protocol.chain import transition
from protocol.chain.chain_state import Conviction, Kind, Node
from protocol.crypto import group, key_sharing, sigma_proofs
from protocol.crypto.hashing import ORDER
from protocol.fault_codes import Fault
from protocol.wire import codec, step_bodies
from protocol.wire.step_bodies import Complaint, KeyReveal, encode_body

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


# Each step by itself


def refused(node: Node, seat: int, body: bytes, code: str, place: str | None) -> None:
    """Check that a body is a fault with this code, in this field."""
    found = fails(Fault, code, transition.check, node, seat, body)
    assert place == (found.place and str(found.place))


def test_setup_goes_through_its_steps_in_order() -> None:
    drive, kinds = DrivenChain(3), list[Kind]()
    while not kinds or kinds[-1] is not Kind.DEAL:
        kinds.append(drive.node.want.kind)
        speakers = drive.node.want.speakers
        assert speakers == ({len(kinds) - 4} if kinds[-1] is Kind.SHUFFLE else {0, 1, 2})
        drive.step(all_speak=True)
    first = [Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK]
    assert kinds == [*first, *[Kind.SHUFFLE] * 3, Kind.DECK_OK, Kind.DEAL]


def test_a_transport_key_of_low_order_is_refused() -> None:
    drive = DrivenChain(3)
    body = drive.honest_body(0)
    hashed, _ = codec.decode(body, len(body))  # type: ignore[misc]
    refused(drive.node, 0, codec.encode((hashed, bytes(32))), "bad-key", "box")


def test_each_other_seat_gets_a_key_share_of_its_size() -> None:
    drive = DrivenChain(3)
    node, body = drive.stand_before(Kind.KEY_REVEAL), drive.honest_body(0)
    vector, proof, shares = codec.decode(body, len(body))  # type: ignore[misc]
    assert [len(share) for share in shares] == [0, 80, 80]
    one, other = shares[1:]
    for place, wrong in enumerate(((one, one, other), (b"", b"", other), (b"", one, other + b"0"))):
        refused(node, 0, codec.encode((vector, proof, wrong)), "bad-body", f"key_shares[{place}]")
    strict = DrivenChain(2)
    node, body = strict.stand_before(Kind.KEY_REVEAL), strict.honest_body(0)
    assert codec.decode(body, len(body))[2] == (), "at a strict table no key is shared"  # type: ignore[index]


def test_a_complaint_shows_the_secret_and_blames_one_whose_key_share_is_wrong() -> None:
    drive = DrivenChain(3)
    node, secret = drive.stand_before(Kind.KEY_OK), drive.secrets[1].box
    refused(node, 1, encode_body(Complaint(0, secret)), "false-complaint", "blamed")
    refused(node, 1, encode_body(Complaint(0, b"\1" * 32)), "false-complaint", "secret")
    for blamed in (1, 3):
        refused(node, 1, encode_body(Complaint(blamed, secret)), "bad-body", "blamed")
    strict = DrivenChain(2)
    complaint = encode_body(Complaint(0, strict.secrets[1].box))
    refused(strict.stand_before(Kind.KEY_OK), 1, complaint, "bad-body", "blamed")


def test_a_key_share_that_does_not_fit_is_complained_of_and_convicts_its_dealer() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.KEY_OK)
    mine = node.keys.key_shares[0]
    keys = replace(node.keys, key_shares=((b"", bytes(80), mine[2]), *node.keys.key_shares[1:]))
    drive.node = replace(node, keys=keys)
    said = {seat: drive.honest_body(seat) for seat in range(3)}
    assert said[1] == encode_body(Complaint(0, drive.secrets[1].box))
    assert len(said[2]) > len(said[1]), "the others commit to their coins"
    after = transition.append(drive.node, transition.slots_of(drive.node, said))
    assert after.convictions == (Conviction(3, 0, "bad-key-sharing"),)
    assert after.want.kind is Kind.ENDED


def test_a_shuffle_keeps_the_cards_and_its_proof_is_of_the_deck_before() -> None:
    drive = DrivenChain(3)
    node = drive.stand_before(Kind.SHUFFLE)
    body = drive.honest_body(0)
    deck, proof = codec.decode(body, len(body))  # type: ignore[misc]
    assert transition.check(node, 0, body) != node.keys.deck
    refused(node, 0, codec.encode((exchanged(deck), proof)), "bad-shuffle", "proof")
    card = group.IDENTITY + deck[32:]
    refused(node, 0, codec.encode((card, proof)), "bad-shuffle", "deck[0]")
    refused(node, 0, codec.encode((deck[64:], proof)), "bad-body", "deck")
    drive.step(all_speak=True)
    assert drive.node.keys.shuffles == 1
    fails(Fault, "bad-shuffle", transition.check, drive.node, 1, body)
