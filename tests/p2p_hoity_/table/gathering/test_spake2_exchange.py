"""Tests of the exchange behind a code: two who know the words, and those who do not."""

import hashlib
import hmac
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl import bindings as sodium
from nacl.secret import SecretBox
from support.cases import each, fails

from p2p_hoity.net.ticket import MOST_ADDRESSES, MOST_RELAYS, Ticket, encode_ticket
from p2p_hoity.table.gathering.spake2_exchange import MOST_MESSAGE, GuestExchange, HostExchange
from p2p_hoity.table.gathering.spoken_codes import CodeError, SpokenCode

CODE = SpokenCode(7, ("lantern", "walrus"), "relay.example:4646")
OTHER_WORDS = SpokenCode(7, ("lantern", "waffle"))
OTHER_NUMBER = SpokenCode(8, CODE.words)
TICKET = encode_ticket(Ticket(b"h" * 32, ("192.0.2.1:4646",), b"t" * 32, (), b"s" * 16))
# From SPEC 13.8.
M = bytes.fromhex("15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a02312")
N = bytes.fromhex("f04f2e7eb734b2a8f8b472eaf9c3c632576ac64aea650b496a8a20ff00e583c3")
ORDER = 2**252 + 27742317777372353535851937790883648493


NO_POINTS = {
    "nothing": b"",
    "a side alone": b"A",
    "short": b"A" + M[:-1],
    "long": b"A" + M + b"\0",
    "huge": b"A" + b"\x07" * 4096,
    "the identity": b"A" + b"\x01" + bytes(31),
    "of order two": b"A" + b"\xec" + b"\xff" * 30 + b"\x7f",
    "of order four": b"A" + bytes(32),
    "not canonical": b"A" + b"\xee" + b"\xff" * 30 + b"\x7f",
    "not on the curve": b"A" + b"\x02" + bytes(31),
    "of another side": b"S" + M,
}


def fixed(byte: int) -> Callable[[int], bytes]:
    """Randomness that is none."""
    return lambda size: bytes([byte]) * size


def labelled(name: str, *parts: bytes) -> bytes:
    """H of SPEC 2.2, written anew."""
    every = (f"p2p-table/3/{name}".encode(), *parts)
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in every)
    return hashlib.sha512(framed).digest()[:32]


def hkdf(data: bytes, info: bytes, size: int) -> bytes:
    """HKDF-SHA-256 (RFC 5869) without salt, written anew."""
    key, made, block = hmac.digest(bytes(32), data, "sha256"), b"", b""
    for number in range(1, -(-size // 32) + 1):
        block = hmac.digest(key, block + info + bytes([number]), "sha256")
        made += block
    return made[:size]


def times(number: int, point: bytes | None = None) -> bytes:
    """A multiple of a point, or of the base, by libsodium."""
    scalar = (number % ORDER).to_bytes(32, "little")
    if point is None:
        return sodium.crypto_scalarmult_ed25519_base_noclamp(scalar)
    return sodium.crypto_scalarmult_ed25519_noclamp(scalar, point)


def test_both_ends_agree_whatever_the_relays_name_or_neither_gets_anything() -> None:
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    assert guest.open(host.give(guest.prove(host.answer(guest.first)))) == TICKET
    guest, host = GuestExchange(SpokenCode(7, CODE.words, "10.0.0.1:9")), HostExchange(CODE, TICKET)
    assert guest.open(host.give(guest.prove(host.answer(guest.first)))) == TICKET
    guest, liar = GuestExchange(CODE), HostExchange(OTHER_WORDS, TICKET)
    proof = guest.prove(liar.answer(guest.first))
    fails(CodeError, "code-wrong", liar.give, proof)
    fails(CodeError, "code-wrong", guest.open, bytes(32) + b"\0" * 80)


def test_the_exchange_is_the_one_of_the_page() -> None:
    """SPEC 13.8 computed anew, by libsodium, beside an exchange with fixed randomness."""
    guest, host = GuestExchange(CODE, fixed(1)), HostExchange(CODE, TICKET, fixed(2))
    words = b"lantern-walrus"
    w = int.from_bytes(hkdf(words, b"SPAKE2 pw", 48), "big") % ORDER
    x, y = (int.from_bytes(bytes([byte]) * 64, "big") % ORDER for byte in (1, 2))
    point_x = sodium.crypto_core_ed25519_add(times(x), times(w, M))
    point_y = sodium.crypto_core_ed25519_add(times(y), times(w, N))
    second = host.answer(guest.first)
    assert (guest.first, second) == (b"A" + point_x, b"B" + point_y)
    ids = (labelled(f"code-{side}", bytes([0, 0, 0, 7])) for side in ("guest", "host"))
    hashed = b"".join(hashlib.sha256(part).digest() for part in (words, *ids))
    key = hashlib.sha256(hashed + point_x + point_y + times(x * y)).digest()
    proof = guest.prove(second)
    assert proof == labelled("code-guest-proof", key)
    box = SecretBox(labelled("code-ticket", key)).encrypt(TICKET.encode(), bytes([2]) * 24)
    assert host.give(proof) == labelled("code-host-proof", key) + box


@each([OTHER_WORDS, OTHER_NUMBER])
def test_other_words_or_another_number_get_nothing(code: SpokenCode) -> None:
    guest, host = GuestExchange(code), HostExchange(CODE, TICKET)
    proof = guest.prove(host.answer(guest.first))
    fails(CodeError, "code-wrong", host.give, proof)


def test_a_host_gives_the_ticket_for_one_proof_of_this_meeting_alone() -> None:
    """Same words, same number, replayed by the relay to a host that draws anew."""
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    proof = guest.prove(host.answer(guest.first))
    fails(CodeError, "code-wrong", host.give, bytes(32))
    fails(CodeError, "code-wrong", host.give, proof)
    fails(CodeError, "code-wrong", HostExchange(CODE, TICKET).give, bytes(32))
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    proof = guest.prove(host.answer(guest.first))
    again = HostExchange(CODE, TICKET)
    again.answer(guest.first)
    fails(CodeError, "code-wrong", again.give, proof)


def test_a_reflected_message_is_none_and_no_other_the_hosts_proof() -> None:
    """Sent back as it is, or under the other side's byte."""
    for byte in (b"A", b"B"):
        guest = GuestExchange(CODE)
        fails(CodeError, "code-message-malformed", guest.prove, byte + guest.first[1:])
    second = HostExchange(CODE, TICKET).answer(GuestExchange(CODE).first)
    fails(CodeError, "code-message-malformed", HostExchange(CODE, TICKET).answer, second)
    # The guest's proof, sent back to it, is not the host's.
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    proof = guest.prove(host.answer(guest.first))
    fails(CodeError, "code-wrong", guest.open, proof + b"\0" * 80)
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    last = bytearray(host.give(guest.prove(host.answer(guest.first))))
    last[-1] ^= 1
    fails(CodeError, "code-wrong", guest.open, bytes(last))


@each(NO_POINTS.values())
def test_what_is_no_first_message_ends_the_exchange(first: bytes) -> None:
    fails(CodeError, "code-message-malformed", HostExchange(CODE, TICKET).answer, first)
    with pytest.raises(CodeError, match="code-message-malformed"):
        GuestExchange(CODE).prove(first.replace(b"A", b"B", 1))


@settings(max_examples=25)
@given(st.binary(max_size=200))
def test_any_bytes_are_answered_by_an_error_of_ours(data: bytes) -> None:
    fails(CodeError, "", HostExchange(CODE, TICKET).answer, data)
    fails(CodeError, "", GuestExchange(CODE).prove, data)
    guest = GuestExchange(CODE)
    guest.prove(HostExchange(CODE, TICKET).answer(guest.first))
    fails(CodeError, "", guest.open, data)


def test_the_longest_ticket_has_room_and_nothing_secret_is_shown() -> None:
    name = ".".join(["a" * 60] * 4) + ":65535"
    places = ((name,) * MOST_ADDRESSES, b"t" * 32, (name,) * MOST_RELAYS)
    word = encode_ticket(Ticket(b"h" * 32, *places, b"s" * 16))
    guest, host = GuestExchange(CODE), HostExchange(CODE, word)
    last = host.give(guest.prove(host.answer(guest.first)))
    assert len(last) <= MOST_MESSAGE
    assert guest.open(last) == word
    guest, host = GuestExchange(CODE), HostExchange(CODE, TICKET)
    host.answer(guest.first)
    assert "lantern" not in repr(guest) + repr(host)
    assert TICKET not in repr(host)
