"""The Noise handshake: the published vectors, and another implementation at the other end."""

from collections.abc import Callable

import pytest
from noise.connection import Keypair, NoiseConnection
from support.cases import each, fails

from p2p_hoity.net.noise import (
    KEY,
    MESSAGE,
    NAME,
    Ciphers,
    CipherState,
    DiallerHandshake,
    ListenerHandshake,
    NoiseError,
)

PUBLISHED = {
    "prologue": "4a6f686e2047616c74",
    "dialler": "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
    "static": "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
    "known": "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
    "listener": "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
    "hash": "eae5f014a9a3ea7ff24a9adf24720fe7809bcb173c878fcd86df1345766626e4"
    "a4850ca01c6fd8195cc5faf7aa48476fa4522d0166d7e9103921f60792492584",
}
"""Entry Noise_NK_25519_ChaChaPoly_SHA512 of the vectors of cacophony (`vectors/cacophony.txt`)."""
MESSAGES = [
    (
        "4c756477696720766f6e204d69736573",
        "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
        "4bc2296c8eea30b5482161d29ace420ef8b63c1e6f026b61150c535870d604d9",
    ),
    (
        "4d757272617920526f746862617264",
        "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
        "15059cc8b9a76e12fd9b33b9e07f3c66e8732a6bf06b6bc1b2c6fb40b0782d",
    ),
    ("462e20412e20486179656b", "18ecb8118b223145bae7829f9c8d91be8221175d0bf585f2e99e60"),
    ("4361726c204d656e676572", "6a19c0843276fd4c37a1b0053d0ce7c3724a4ece8f7cfed15a3a2a"),
    (
        "4a65616e2d426170746973746520536179",
        "47afae3fd6d853c3be2835fcb249e7a31821782635112f4828e6edba09fe9334d5",
    ),
    (
        "457567656e2042f6686d20766f6e2042617765726b",
        "4ebc1f72fca0525982f97530426bd3cff9eaa8a84f4b3fbb8ad420079cd27b367c77594a44",
    ),
]


def given(name: str) -> bytes:
    """A value of the published vectors."""
    return bytes.fromhex(PUBLISHED[name])


def once(name: str) -> Callable[[int], bytes]:
    """Draw this value."""
    return lambda size: given(name)


def both() -> tuple[DiallerHandshake, ListenerHandshake]:
    """The two sides of the published handshake."""
    return (
        DiallerHandshake(given("prologue"), given("known"), once("dialler")),
        ListenerHandshake(given("prologue"), given("static"), once("listener")),
    )


def sessions() -> tuple[Ciphers, Ciphers]:
    """What both sides of the published handshake end with, if their payloads are the same."""
    dialler, listener = both()
    first, second = ((bytes.fromhex(a), bytes.fromhex(b)) for a, b in MESSAGES[:2])
    assert dialler.first(first[0]) == first[1]
    assert listener.read(first[1]) == first[0]
    sealed, at_listener = listener.answer(second[0])
    assert sealed == second[1]
    payload, at_dialler = dialler.finish(second[1])
    assert payload == second[0]
    return at_dialler, at_listener


def test_the_published_vectors_come_out() -> None:
    at_dialler, at_listener = sessions()
    assert at_dialler.handshake_hash == at_listener.handshake_hash == given("hash")
    ends = (at_dialler, at_listener)
    for number, (payload, sealed) in enumerate(MESSAGES[2:]):
        sender, receiver = ends[number % 2], ends[1 - number % 2]
        assert sender.sending.encrypt(bytes.fromhex(payload)).hex() == sealed
        assert receiver.receiving.decrypt(bytes.fromhex(sealed)).hex() == payload


def test_each_message_opens_once_and_in_its_place() -> None:
    at_dialler, at_listener = sessions()
    sealed = at_dialler.sending.encrypt(b"one")
    assert at_listener.receiving.decrypt(sealed) == b"one"
    fails(NoiseError, "", at_listener.receiving.decrypt, sealed)
    at_dialler, at_listener = sessions()
    at_dialler.sending.encrypt(b"lost")
    fails(NoiseError, "", at_listener.receiving.decrypt, at_dialler.sending.encrypt(b"two"))
    at_dialler, at_listener = sessions()
    # What one end has sent is none of the other direction.
    fails(NoiseError, "", at_dialler.receiving.decrypt, at_dialler.sending.encrypt(b"one"))


@each([b"", b"x", bytes(15), bytes(16), bytes(100)])
def test_what_is_no_ciphertext_is_refused(data: bytes) -> None:
    fails(NoiseError, "", CipherState(bytes(KEY)).decrypt, data)


def test_a_cipher_has_an_end() -> None:
    cipher = CipherState(bytes(KEY))
    cipher.n = 2**64 - 1
    fails(NoiseError, "", cipher.encrypt, b"one more")


@pytest.mark.parametrize("bit", range(0, 8 * MESSAGE, 7))
def test_each_bit_of_a_message_counts(bit: int) -> None:
    dialler, listener = both()
    first = dialler.first()
    changed = (int.from_bytes(first, "big") ^ 1 << bit).to_bytes(MESSAGE, "big")
    fails(NoiseError, "", listener.read, changed)
    dialler, listener = both()
    listener.read(dialler.first())
    second, _ = listener.answer()
    changed = (int.from_bytes(second, "big") ^ 1 << bit).to_bytes(MESSAGE, "big")
    fails(NoiseError, "", dialler.finish, changed)


# Another implementation at the other end.


def other(role: str) -> NoiseConnection:
    """A side of the other implementation, with the keys of the published vectors."""
    made = NoiseConnection.from_name(NAME)
    made.set_prologue(given("prologue"))
    if role == "dialler":
        made.set_as_initiator()
        made.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, given("known"))
    else:
        made.set_as_responder()
        made.set_keypair_from_private_bytes(Keypair.STATIC, given("static"))
    made.start_handshake()
    return made


def converse(session: Ciphers, made: NoiseConnection) -> None:
    """Exchange messages both ways, and change the keys of each direction between them."""
    assert made.get_handshake_hash() == session.handshake_hash
    for _ in range(3):
        assert made.decrypt(session.sending.encrypt(b"to you")) == b"to you"
        assert session.receiving.decrypt(made.encrypt(b"to me")) == b"to me"
        session.sending.rekey()
        made.rekey_inbound_cipher()
        assert made.decrypt(session.sending.encrypt(b"to you")) == b"to you"
        made.rekey_outbound_cipher()
        session.receiving.rekey()
        assert session.receiving.decrypt(made.encrypt(b"to me")) == b"to me"


def test_another_implementation_listens() -> None:
    dialler, made = DiallerHandshake(given("prologue"), given("known")), other("listener")
    made.read_message(dialler.first())
    _, session = dialler.finish(bytes(made.write_message()))
    converse(session, made)


def test_another_implementation_dials() -> None:
    listener, made = ListenerHandshake(given("prologue"), given("static")), other("dialler")
    listener.read(bytes(made.write_message()))
    second, session = listener.answer()
    made.read_message(second)
    converse(session, made)
