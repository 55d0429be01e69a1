"""Tests of tickets: one word, read back exactly, or refused with what happened to it."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails

from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket, spelled

HOST = bytes(range(32))
TERMS = bytes(range(100, 132))
TICKET = Ticket(
    HOST,
    ("192.0.2.7:4711", "[2001:db8::1]:4711", "box.example:1"),
    TERMS,
    ("relay.example:99",),
    b"0123456789abcdef",
)
WORD = encode_ticket(TICKET)

PORTS = st.integers(1, 65535)
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,20}(\.[a-z]{2,5})?", fullmatch=True)
SIX = st.ip_addresses(v=6).map(lambda ip: f"[{ip}]")
HOSTS = st.ip_addresses(v=4).map(str) | SIX | NAMES
PLACES = st.builds("{}:{}".format, HOSTS, PORTS)
TICKETS = st.builds(
    Ticket,
    st.binary(min_size=32, max_size=32),
    st.lists(PLACES, min_size=1, max_size=8, unique=True).map(tuple),
    st.binary(min_size=32, max_size=32),
    st.lists(PLACES, max_size=4, unique=True).map(tuple),
    st.just(b"") | st.binary(min_size=16, max_size=16),
)


@given(TICKETS, st.binary(max_size=120))
def test_a_ticket_is_read_back_exactly_and_any_payload_gives_one_or_words(ticket, payload):
    assert decode_ticket(encode_ticket(ticket)) == ticket
    for word in (encode_payload(payload), encode_payload(OPEN + payload)):
        try:
            ticket = decode_ticket(word)
        except TicketError:
            continue
        assert decode_ticket(encode_ticket(ticket)) == ticket


def test_a_ticket_is_one_word_spelled_in_one_way_that_hides_its_secret():
    assert WORD.startswith("hoity3")
    assert WORD.isalnum()
    assert WORD.lower() == WORD
    assert TICKET.dial_addresses() == (*TICKET.addresses, "relay+relay.example:99")
    assert decode_ticket(WORD).secret == b"0123456789abcdef"
    assert "0123456789abcdef" not in repr(TICKET)
    assert b"0123456789abcdef".hex() not in repr(TICKET)
    # Base32 leaves bits over in the last letter, which could carry anything.
    for length in range(1, 6):
        word = encode_ticket(Ticket(HOST, (f"{'x' * length}:1",), TERMS))
        for letter in "abcdefghijklmnopqrstuvwxyz234567".replace(word[-1], ""):
            fails(TicketError, "mistyped", decode_ticket, word[:-1] + letter)


@pytest.mark.parametrize(
    "copied",
    [WORD.upper(), f"  {WORD}\n", f"'{WORD}'", f"{WORD[:70]}\r\n{WORD[70:]}"],
)
def test_what_copying_does_to_a_word_is_forgiven(copied):
    assert decode_ticket(copied) == TICKET


@given(
    st.integers(0, len(WORD) - 1),
    st.integers(6, len(WORD) - 1),
    st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"),
)
def test_a_ticket_cut_short_and_one_wrong_letter_or_two_swapped_are_noticed(length, place, letter):
    with pytest.raises(TicketError, match=r"cut-short|letters-missing" if length > 5 else "ticket"):
        decode_ticket(WORD[:length])
    at = min(place, len(WORD) - 2)
    swapped = WORD[:at] + WORD[at + 1] + WORD[at] + WORD[at + 2 :]
    for wrong in {WORD[:place] + letter + WORD[place + 1 :], swapped} - {WORD}:
        fails(TicketError, r"(mistyped|letters-missing|too-many)", decode_ticket, wrong)


@each(
    [
        ("", "no-ticket prefix='hoity3'"),
        ("hello", "no-ticket prefix='hoity3'"),
        ("hoity", "ticket-cut-short"),
        ("hoity1" + WORD[6:], "ticket-of-other-version"),
        ("hoity2" + WORD[6:], "ticket-of-version-two"),
        ("hoity4" + WORD[6:], "ticket-of-other-version"),
        (WORD[:40] + "8" + WORD[41:], "mistyped-letter letter='8'"),
        (WORD[:40] + "\x1b" + WORD[41:], r"mistyped-letter letter='\\x1b'"),
        (WORD + "a", "letters-too-many number=1"),
        (WORD + "a" * 9000, "letters-too-many number="),
    ]
)
def test_each_mishap_has_its_code(case):
    text, words = case
    fails(TicketError, words, decode_ticket, text)


OPEN = HOST + TERMS + b"\0"
FOUR = bytes([4, 6, 1, 1, 1, 1, 0, 1])
"""The address 1.1.1.1:1."""


def encode_payload(payload):
    """A well-spelled word around any payload, as someone hostile would make it."""
    checksum = hashlib.sha256(b"hoity ticket 3" + payload).digest()[:4]
    body = len(payload).to_bytes(2, "big") + payload + checksum
    return "hoity3" + base64.b32encode(body).decode().rstrip("=").lower()


def entry(kind, value=b""):
    return bytes([kind, len(value)]) + value


def open_payload(addresses, relays=(), tail=b""):
    """The payload of a ticket without a secret, with these addresses and relays."""
    lists = (bytes([len(those)]) + b"".join(those) for those in (addresses, relays))
    return OPEN + b"".join(lists) + tail


@each(
    [
        (HOST + TERMS, "ticket-made-short"),
        (HOST + TERMS + b"\x10" + bytes(15), "ticket-made-short"),
        (HOST + TERMS + b"\x0f" + bytes(17), "ticket-made-with-other-secret"),
        (HOST + TERMS + b"\x11" + bytes(19), "ticket-made-with-other-secret"),
        (OPEN + b"\0", "ticket-made-short"),
        (open_payload([FOUR], tail=b"\1"), "ticket-made-short"),
        (open_payload([FOUR], tail=b"\1\2x"), "ticket-made-short"),
        (OPEN + b"\1" + FOUR[:-1], "ticket-made-short"),
        (open_payload([entry(9, bytes([n])) for n in range(9)]), "ticket-made-with-many-addresses"),
        (
            open_payload([FOUR], [entry(9, bytes([n])) for n in range(5)]),
            "ticket-made-with-many-addresses",
        ),
        (
            open_payload([entry(4, b"\1\1\1\1\0\0")]),
            "ticket-made-with-bad-address why=.address-bad-port",
        ),
        (open_payload([entry(1, b"\x1b[2J\0\1")]), "ticket-made-with-bad-address"),
        (open_payload([entry(1, b"\xff.example\0\1")]), "ticket-made-with-bad-address"),
        (open_payload([entry(1, b"1.1.1.1\0\1")]), "ticket-made-with-other-spelling"),
        (open_payload([entry(1, b"Box.example\0\1")]), "ticket-made-with-other-spelling"),
        (open_payload([entry(4, b"\1\1\1\1\1\0\1")]), "ticket-made-with-other-spelling"),
        (open_payload([entry(6, b"\1\1\1\1\0\1")]), "ticket-made-with-other-spelling"),
        (open_payload([entry(4)]), "ticket-made-with-other-spelling"),
        (open_payload([entry(1)]), "ticket-made-with-bad-address"),
        (open_payload([entry(1, b"\1")]), "ticket-made-with-bad-address"),
        (open_payload([FOUR, FOUR]), "ticket-made-with-address-twice"),
        (open_payload([FOUR, entry(9), entry(9)]), "ticket-made-with-address-twice"),
        (open_payload([]), "ticket-without-known-address"),
        (open_payload([entry(2, b"wss://a.example:443")]), "ticket-without-known-address"),
        (open_payload([], [entry(2, b"wss://a.example/h")]), "ticket-made-with-bad-address"),
        (open_payload([], [entry(2, b"wss://a.example")]), "ticket-made-with-bad-address"),
        (open_payload([], [entry(2, b"wss://a.example:0")]), "ticket-made-with-bad-address"),
        (open_payload([], [entry(2, b"https://a.example:443")]), "ticket-made-with-bad-address"),
        (
            open_payload([], [entry(2, b"wss://b\xfccher.example:443")]),
            "ticket-made-with-bad-address",
        ),
        (open_payload([], [entry(2)]), "ticket-made-with-bad-address"),
        (open_payload([], [entry(2, b"a.example:443")]), "ticket-made-with-other-spelling"),
        (open_payload([], [entry(2, b"WSS://a.example:443")]), "ticket-made-with-other-spelling"),
        (open_payload([], [entry(2, b"wss://a.example:0443")]), "ticket-made-with-other-spelling"),
        (open_payload([], [entry(2, b"relay+wss://a.b:443")]), "ticket-made-with-other-spelling"),
        (open_payload([entry(0)], [entry(9)]), "ticket-without-known-address"),
        (open_payload([FOUR], tail=entry(2)), "ticket-with-unknown-entry kind=2"),
        (
            open_payload([FOUR], tail=entry(1) + entry(254, b"x")),
            "ticket-with-unknown-entry kind=254",
        ),
        (open_payload([FOUR], tail=entry(1) + entry(1)), "ticket-made-with-bad-entries"),
        (open_payload([FOUR], tail=entry(3) + entry(1)), "ticket-made-with-bad-entries"),
        (open_payload([FOUR], tail=entry(0)), "ticket-made-with-bad-entries"),
        (
            open_payload([FOUR], tail=b"".join(entry(2 * n + 1) for n in range(17))),
            "ticket-made-with-bad-entries",
        ),
        (
            open_payload([FOUR], tail=b"".join(entry(2 * n + 1, bytes(255)) for n in range(16))),
            "ticket-made-long",
        ),
    ]
)
def test_a_ticket_made_wrongly_is_refused(case):
    payload, words = case
    fails(TicketError, words, decode_ticket, encode_payload(payload))


@pytest.mark.parametrize(
    ("payload", "ways"),
    [
        (open_payload([FOUR]), ("1.1.1.1:1",)),
        (open_payload([entry(2, b"wss://a.example/h"), FOUR]), ("1.1.1.1:1",)),
        (open_payload([], [entry(2, b"wss://a.example:443")]), ("relay+wss://a.example:443",)),
        (
            open_payload([], [entry(2, b"ws://[::1]:80"), FOUR]),
            ("relay+ws://[::1]:80", "relay+1.1.1.1:1"),
        ),
        (open_payload([FOUR, entry(0), entry(255, bytes(255))]), ("1.1.1.1:1",)),
        (open_payload([entry(9)], [entry(9), FOUR]), ("relay+1.1.1.1:1",)),
        (open_payload([FOUR], [entry(9)]), ("1.1.1.1:1",)),
        (open_payload([FOUR], [FOUR]), ("1.1.1.1:1", "relay+1.1.1.1:1")),
        (open_payload([FOUR], tail=entry(1) + entry(255, bytes(255))), ("1.1.1.1:1",)),
        (
            open_payload([FOUR], tail=b"".join(entry(2 * n + 1) for n in range(16))),
            ("1.1.1.1:1",),
        ),
    ],
)
def test_what_a_later_version_adds_is_skipped_and_the_word_stays_the_same(payload, ways):
    word = encode_payload(payload)
    assert decode_ticket(word).dial_addresses() == ways
    assert spelled(f" '{word.upper()}'\n") == word


@pytest.mark.parametrize(
    "ticket",
    [
        Ticket(b"short", (), TERMS),
        Ticket(HOST, (), b"short"),
        Ticket(HOST, ("no port",), TERMS),
        Ticket(HOST, tuple(f"1.2.3.{n}:5" for n in range(9)), TERMS),
        Ticket(HOST, (), TERMS, tuple(f"r{n}.example:5" for n in range(5))),
        Ticket(HOST, (), TERMS, (), b"short"),
    ],
)
def test_what_no_word_can_hold_is_refused(ticket):
    fails(TicketError, "", encode_ticket, ticket)
