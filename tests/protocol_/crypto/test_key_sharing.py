"""Key shares: any t replace a key, fewer tell nothing, and each is encrypted to one seat."""

from hashlib import sha512
from itertools import combinations
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.forged_points import forgeries
from support.reference_crypto import source

from protocol.crypto import key_sharing
from protocol.crypto.group import IDENTITY, mul, mul_base
from protocol.crypto.hashing import ORDER, Context, framed
from protocol.crypto.key_sharing import (
    ENCRYPTED_SHARE_SIZE,
    check_x25519_public,
    combine,
    decrypt_key_share,
    encrypt_key_share,
    feldman_vector,
    key_share_at,
    polynomial,
    public_key_share_at,
    verify_key_share,
    x25519_keypair,
    x25519_public,
)
from protocol.errors import Invalid

CONTEXT = Context(b"\5" * 32, 2, 1, "piece")
SECRET = 192837465
POLY = polynomial(SECRET, 3, source(b"poly"))
VECTOR = feldman_vector(POLY)
BASE = mul_base(777)

# RFC 7748, section 6.1.
ALICE = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
ALICE_PUBLIC = bytes.fromhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
BOB = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
BOB_PUBLIC = bytes.fromhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")

P = 2**255 - 19
LOW_ORDER = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    P - 1,
]


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 5), st.integers(0, ORDER - 1), st.binary(max_size=4))
def test_any_t_key_shares_replace_the_key(t: int, secret: int, seed: bytes) -> None:
    poly = polynomial(secret, t, source(seed))
    shares = {i: mul(key_share_at(poly, i), BASE) for i in range(1, 7)}
    for chosen in list(combinations(shares, t))[:4]:
        assert combine({i: shares[i] for i in chosen}, t) == mul(secret, BASE)
    assert combine(shares, t) == mul(secret, BASE)


def test_fewer_than_t_key_shares_do_not_nor_a_wrong_index_or_share() -> None:
    shares = {i: mul(key_share_at(POLY, i), BASE) for i in (1, 4)}
    fails(ValueError, "needs 3 key shares", combine, shares, 3)
    assert combine(shares, 2) != mul(SECRET, BASE)
    fails(ValueError, "needs 0 key shares", combine, shares, 0)
    shares = {i: mul(key_share_at(POLY, i), BASE) for i in (1, 2, 3)}
    assert combine({1: shares[1], 2: shares[2], 4: shares[3]}, 3) != mul(SECRET, BASE)
    assert combine({**shares, 3: shares[1]}, 3) != mul(SECRET, BASE)


def test_key_shares_of_a_sum_are_sums_of_key_shares() -> None:
    other = polynomial(55, 3, source(b"other"))
    totals = {i: mul(key_share_at(POLY, i) + key_share_at(other, i), BASE) for i in (2, 3, 5)}
    assert combine(totals, 3) == mul(SECRET + 55, BASE)


def test_the_vector_promises_each_key_share() -> None:
    assert VECTOR[0] == mul_base(SECRET)
    for i in range(1, 7):
        assert public_key_share_at(VECTOR, i) == mul_base(key_share_at(POLY, i))
        verify_key_share(VECTOR, i, key_share_at(POLY, i))


def test_other_key_shares_are_rejected() -> None:
    good = key_share_at(POLY, 2)
    swapped = (VECTOR[0], VECTOR[2], VECTOR[1])
    others = [(vector, 2, good) for vector in (VECTOR[:2], swapped)]
    others += [(VECTOR, 2, value) for value in (good + 1, -good, 0)]
    for vector, i, value in (*others, (VECTOR, 3, good)):
        fails(Invalid, "bad-key-sharing", verify_key_share, vector, i, value)


def test_index_0_is_the_secret_and_never_dealt() -> None:
    for call in (lambda: key_share_at(POLY, 0), lambda: public_key_share_at(VECTOR, 0)):
        fails(ValueError, "begin with 1", call)
    fails(ValueError, "begin with 1", combine, {0: BASE, 1: BASE, 2: BASE}, 3)
    fails(ValueError, "at least 1", polynomial, SECRET, 0, source(b""))


def test_a_vector_outside_the_group_is_rejected() -> None:
    forged = [bad for bad in forgeries(VECTOR[1]).values() if bad != IDENTITY]
    for bad in (*forged, b""):
        fails(Invalid, "bad-point", public_key_share_at, (VECTOR[0], bad, VECTOR[2]), 2)
    assert public_key_share_at((VECTOR[0], IDENTITY, VECTOR[2]), 2) != public_key_share_at(
        VECTOR, 2
    )


def test_x25519_is_the_one_of_rfc_7748() -> None:
    assert x25519_public(ALICE) == ALICE_PUBLIC
    assert x25519_public(BOB) == BOB_PUBLIC
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    for secret, public in ((ALICE, BOB_PUBLIC), (BOB, ALICE_PUBLIC)):
        assert key_sharing._exchange(secret, public).hex() == shared
    assert x25519_keypair(lambda size: ALICE[:size]) == (ALICE, ALICE_PUBLIC)


@each([*LOW_ORDER, P, P + 1, P + 9, *[n | 1 << 255 for n in (*LOW_ORDER, P, P + 1, 9)]])
def test_low_order_and_non_canonical_keys_are_rejected(number: int) -> None:
    key = number.to_bytes(32, "little")
    fails(Invalid, "bad-key-sharing", check_x25519_public, key)
    fails(Invalid, "bad-key-sharing", encrypt_key_share, CONTEXT, key, 5, source(b""))
    fails(Invalid, "bad-key-sharing", decrypt_key_share, CONTEXT, BOB, key + bytes(48))


@each([b"", bytes(31), ALICE_PUBLIC + b"\0", None, 5], repr)
def test_keys_of_other_lengths_are_rejected(key: Any) -> None:
    for call in (check_x25519_public, x25519_public):
        fails(Invalid, "bad-key-sharing", call, key)
    fails(Invalid, "bad-key-sharing", decrypt_key_share, CONTEXT, key, bytes(80))


ENCRYPTED = encrypt_key_share(CONTEXT, BOB_PUBLIC, key_share_at(POLY, 2), lambda size: ALICE[:size])


def test_an_encrypted_key_share_opens_for_its_receiver_alone_and_is_fresh() -> None:
    assert len(ENCRYPTED) == ENCRYPTED_SHARE_SIZE == 80
    assert decrypt_key_share(CONTEXT, BOB, ENCRYPTED) == key_share_at(POLY, 2)
    fails(Invalid, "bad-key-sharing", decrypt_key_share, CONTEXT, ALICE, ENCRYPTED)
    assert check_x25519_public(BOB_PUBLIC) == BOB_PUBLIC
    rng = source(b"fresh")
    assert encrypt_key_share(CONTEXT, BOB_PUBLIC, 5, rng) != encrypt_key_share(
        CONTEXT, BOB_PUBLIC, 5, rng
    )


def cipher_by_the_text(secret: bytes, public: bytes) -> ChaCha20Poly1305:
    """Return the cipher of a key share from Alice to Bob, made by SPEC with another library."""
    shared = X25519PrivateKey.from_private_bytes(secret).exchange(
        X25519PublicKey.from_public_bytes(public)
    )
    parts = (CONTEXT.encode(), ALICE_PUBLIC, BOB_PUBLIC, shared)
    return ChaCha20Poly1305(sha512(framed(b"p2p-table/3/key-share-kdf", *parts)).digest()[:32])


def test_an_encrypted_key_share_is_what_the_text_says() -> None:
    assert ENCRYPTED[:32] == ALICE_PUBLIC
    data = cipher_by_the_text(BOB, ENCRYPTED[:32]).decrypt(bytes(12), ENCRYPTED[32:], None)
    assert int.from_bytes(data, "little") == key_share_at(POLY, 2)


def test_a_scalar_that_is_not_canonical_is_no_key_share() -> None:
    """A dealer's tag is right, but what it covers is not below the order."""
    cipher = cipher_by_the_text(ALICE, BOB_PUBLIC)
    for data in (ORDER.to_bytes(32, "little"), b"\xff" * 32):
        encrypted = ALICE_PUBLIC + cipher.encrypt(bytes(12), data, None)
        fails(Invalid, "bad-key-sharing", decrypt_key_share, CONTEXT, BOB, encrypted)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(st.binary(max_size=100), st.binary(min_size=80, max_size=80)),
    st.integers(0, 79),
    st.integers(1, 255),
)
def test_any_bytes_and_any_changed_byte_are_rejected(data: bytes, at: int, change: int) -> None:
    for bad in (data, ENCRYPTED[:at] + bytes([ENCRYPTED[at] ^ change]) + ENCRYPTED[at + 1 :]):
        fails(Invalid, "bad-key-sharing", decrypt_key_share, CONTEXT, BOB, bad)
