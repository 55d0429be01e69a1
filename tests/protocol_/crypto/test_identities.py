"""Signatures: the published vectors, and every signature a looser check would let through."""

from functools import partial
from hashlib import sha512
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl import bindings
from nacl.exceptions import BadSignatureError
from support.cases import fails
from support.forged_points import (
    UnfixedLibsodium,
    of_a_key_outside_the_group,
    order_eight,
    with_the_cofactor_only,
    with_the_identity,
)

from protocol.crypto import group, identities
from protocol.crypto.group import BASE, IDENTITY
from protocol.crypto.hashing import ORDER, Label
from protocol.crypto.identities import (
    Identity,
    check_public,
    fingerprint,
    sign_bytes,
    signed_bytes,
    verify_bytes,
    verify_signature,
)
from protocol.errors import Invalid

# RFC 8032, section 7.1, tests 1 to 3: seed, public key, message, R, S.
RFC_8032 = """
9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a ""
e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb
3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c 72
92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7
fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025 af82
6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
"""

# Chalkias, Garillot, Nikolaenko 2020, "Taming the many EdDSAs": public key, message, R, S.
# Each has small-order or mixed-order parts, S not reduced, or a non-canonical R.
TAMING = """
c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa
8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6
c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a
0000000000000000000000000000000000000000000000000000000000000000
c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa
9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79
f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43
a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04
f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43
aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab
c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa
8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e
cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d
9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79
9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f
87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009
cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d
e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c
160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed512
5ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09
cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d
e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c
21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7
e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405
442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623
85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40
e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e
547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514
442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623
85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40
8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa1942
7e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22
f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43
fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a
edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607
"""


def rows(text: str, words: int) -> list[tuple[bytes, ...]]:
    """Return the bytes of so many words at a time, which are hex; `""` is empty."""
    found = [bytes.fromhex(word.strip('"')) for word in text.split()]
    return list(zip(*[iter(found)] * words, strict=True))


KEY = Identity(bytes(range(32)))
OTHER = Identity(b"\7" * 32)


@pytest.mark.parametrize(("seed", "public", "message", "r", "s"), rows(RFC_8032, 5))
def test_rfc_8032_vectors(seed: bytes, public: bytes, message: bytes, r: bytes, s: bytes) -> None:
    assert Identity(seed).public == public
    assert sign_bytes(Identity(seed), message) == r + s
    verify_bytes(public, message, r + s)


@pytest.mark.parametrize(("public", "message", "r", "s"), rows(TAMING, 4))
def test_signatures_that_implementations_disagree_on_are_rejected(
    public: bytes, message: bytes, r: bytes, s: bytes
) -> None:
    fails(Invalid, "", verify_bytes, public, message, r + s)


def equation(public: bytes, message: bytes, signature: bytes, cofactor: int) -> bool:
    """Return whether the equation of RFC 8032, 5.1.7, holds, both sides times the cofactor."""
    point, response = signature[:32], int.from_bytes(signature[32:], "little")
    challenge = int.from_bytes(sha512(point + public + message).digest(), "little") % ORDER
    right = group.add(point, added(challenge, public))
    return added(cofactor, group.mul_base(response)) == added(cofactor, right)


def added(times: int, point: bytes) -> bytes:
    """Return a multiple by additions alone, which take points of any order."""
    result = IDENTITY
    for bit in bin(times)[2:]:
        result = group.add(result, result)
        result = group.add(result, point) if bit == "1" else result
    return result


def test_what_only_one_equation_accepts_is_rejected_before_a_library_is_asked() -> None:
    """A receiver whose library multiplies by the cofactor comes to the same ([C-8], [C-9])."""
    message = b"message"
    honest = sign_bytes(KEY, message)
    forged = with_the_cofactor_only(KEY.seed, KEY.public, message)
    assert [equation(KEY.public, message, honest, c) for c in (1, 8)] == [True, True]
    assert [equation(KEY.public, message, forged, c) for c in (1, 8)] == [False, True]
    verify_bytes(KEY.public, message, honest)
    fails(Invalid, "bad-signature", verify_bytes, KEY.public, message, forged)
    public = group.add(KEY.public, order_eight())
    tried = ((b"%d" % n, KEY.seed) for n in count())
    made = ((m, of_a_key_outside_the_group(seed, public, m)) for m, seed in tried)
    said, signature = next((m, s) for m, s in made if s is not None)
    assert [equation(public, said, signature, c) for c in (1, 8)] == [True, True]
    fails(Invalid, "bad-point", verify_bytes, public, said, signature)


def test_the_check_of_libsodium_is_tried_with_signatures_that_others_accept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A libsodium that accepted one of them would get a check of R beside its own."""
    assert Identity(bytes(32)).public == identities.TRIED_KEY
    *mixed, small = map(bytes.fromhex, identities.TRIED)
    for forged in mixed:
        assert equation(identities.TRIED_KEY, b"", forged, 8)
        assert not equation(identities.TRIED_KEY, b"", forged, 1)
    assert small[:32] == IDENTITY
    assert equation(identities.TRIED_KEY, b"", small, 1)
    for accepted in map(bytes.fromhex, identities.TRIED):
        monkeypatch.setattr(bindings, "crypto_sign_open", partial(accepts_only, accepted))
        assert not identities.opens_strictly()
    monkeypatch.undo()
    assert identities.opens_strictly()


def accepts_only(accepted: bytes, signed: bytes, public: bytes) -> bytes:
    """What a libsodium does that accepts this signature and refuses others."""
    if signed != accepted:
        raise BadSignatureError
    return b""


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("unfixed", [False, True])
def test_no_equation_makes_up_for_r_outside_the_group(
    unfixed: bool, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S fits each of them where the equation is multiplied by the cofactor, or R is the identity.

    A libsodium before 1.0.21 takes R + (0, -1) for a point of the group, and A + (0, -1).
    """
    if unfixed:
        with_unfixed_libsodium(monkeypatch)
    monkeypatch.setattr(identities, "IS_STRICT", strict)
    for order in (2, 4, 8):
        forged = with_the_cofactor_only(KEY.seed, KEY.public, b"message", order)
        assert equation(KEY.public, b"message", forged, 8)
        fails(Invalid, "bad-signature", verify_bytes, KEY.public, b"message", forged)
    forged = with_the_identity(KEY.seed, KEY.public, b"message")
    assert [equation(KEY.public, b"message", forged, c) for c in (1, 8)] == [True, True]
    fails(Invalid, "bad-signature", verify_bytes, KEY.public, b"message", forged)
    public = group.add(KEY.public, group.ORDER_TWO)
    made = [of_a_key_outside_the_group(KEY.seed, public, b"%d" % n, 2) for n in range(20)]
    said, signature = next((b"%d" % n, s) for n, s in enumerate(made) if s is not None)
    assert [equation(public, said, signature, c) for c in (1, 8)] == [True, True]
    fails(Invalid, "bad-point", verify_bytes, public, said, signature)
    verify_bytes(KEY.public, b"message", sign_bytes(KEY, b"message"))


def with_unfixed_libsodium(patch: pytest.MonkeyPatch) -> None:
    """Let libsodium be one before 1.0.21, and the product find that out."""
    for name in ("multiply", "is_valid_point"):
        patch.setattr(group.Libsodium, name, staticmethod(getattr(UnfixedLibsodium, name)))
    found = group._libsodium()
    patch.setattr(identities, "LIBSODIUM", found)
    identities._is_valid_key.cache_clear()
    assert isinstance(found, group.EarlierLibsodium)


def test_what_is_signed() -> None:
    label = b"p2p-table/3/sign-step-input"
    assert (
        signed_bytes(Label.STEP_INPUT, b"data") == len(label).to_bytes(8, "big") + label + b"data"
    )


def test_a_signature_holds_for_its_key_label_and_bytes_only() -> None:
    signature = KEY.sign(Label.STEP_INPUT, b"data")
    verify_signature(KEY.public, Label.STEP_INPUT, b"data", signature)
    others = [(KEY.public, Label.STEP_INPUT, data) for data in (b"datb", b"data\0", b"")]
    others += [
        (OTHER.public, Label.STEP_INPUT, b"data"),
        (KEY.public, Label.EPOCH_REQUEST, b"data"),
    ]
    for public, label, data in others:
        fails(Invalid, "bad-signature", verify_signature, public, label, data, signature)


ORDER_EIGHT = order_eight()


OUTSIDE = [IDENTITY, bytes(32), ORDER_EIGHT, group.add(KEY.public, ORDER_EIGHT)]


@pytest.mark.parametrize("public", [*OUTSIDE, b"", b"\xff" * 32, KEY.public[:31], None])
def test_keys_outside_the_group_are_rejected(public: bytes) -> None:
    for call in (
        lambda: check_public(public),
        lambda: verify_signature(public, Label.STEP_INPUT, b"", KEY.sign(Label.STEP_INPUT, b"")),
    ):
        fails(Invalid, "bad-point", call)


def test_r_outside_the_group_and_s_above_the_order_are_rejected() -> None:
    signature = KEY.sign(Label.STEP_INPUT, b"data")
    high = (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")
    outside = (IDENTITY, bytes(32), ORDER_EIGHT, group.add(signature[:32], ORDER_EIGHT))
    for bad in (signature[:32] + high, *(r + signature[32:] for r in outside)):
        fails(
            Invalid, "bad-signature", verify_signature, KEY.public, Label.STEP_INPUT, b"data", bad
        )


@pytest.mark.parametrize(
    ("nonce", "torsion"),
    [(0, IDENTITY), (0, ORDER_EIGHT), (0, bytes(32)), (12345, ORDER_EIGHT), (12345, bytes(32))],
)
def test_a_signer_cannot_make_r_outside_the_group(nonce: int, torsion: bytes) -> None:
    """S fits R up to a point of small order, which a check with cofactor lets through."""
    expanded = bytearray(sha512(KEY.seed).digest()[:32])
    expanded[0] &= 248
    expanded[31] = expanded[31] & 127 | 64
    r = group.add(group.mul_base(nonce), torsion)
    hashed = sha512(r + KEY.public + b"message").digest()
    challenge = int.from_bytes(hashed, "little")
    s = nonce + challenge * int.from_bytes(expanded, "little")
    with pytest.raises(Invalid, match="bad-signature"):
        verify_bytes(KEY.public, b"message", r + group.encode_scalar(s))


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=80), st.binary(min_size=64, max_size=64)))
def test_any_bytes_as_signature_are_invalid(data: bytes) -> None:
    fails(Invalid, "bad-signature", verify_signature, KEY.public, Label.STEP_INPUT, b"data", data)


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=32, max_size=32))
def test_any_bytes_as_key_are_invalid_or_another_key(data: bytes) -> None:
    if data != KEY.public:
        fails(
            Invalid,
            "",
            verify_signature,
            data,
            Label.STEP_INPUT,
            b"",
            KEY.sign(Label.STEP_INPUT, b""),
        )


def test_the_seed_is_not_shown_and_fingerprints_are_short_and_apart() -> None:
    assert KEY.seed.hex() not in repr(KEY)
    assert repr(KEY.seed) not in repr(KEY)
    assert Identity(KEY.seed) == KEY
    for seed in (b"", bytes(31), bytes(33)):
        fails(ValueError, "seed of 32 bytes", Identity, seed)
    text = fingerprint(KEY.public)
    assert [len(part) for part in text.split("-")] == [4] * 5
    assert text != fingerprint(OTHER.public)
    assert fingerprint(BASE) == "MEDA-FYV2-PMMN-EJJY-V3KH"
