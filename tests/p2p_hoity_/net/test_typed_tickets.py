"""Tests of tickets as people paste them: one is found in any text, several are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import fails
from support.pasted import decorated, wide

from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.net.typed_tickets import MOST_TICKETS, is_like_a_ticket, read_ticket

TICKETS = st.builds(
    Ticket,
    st.binary(min_size=32, max_size=32),
    st.lists(st.sampled_from(["10.0.0.1:9", "[::1]:80", "a.example:4646"]), unique=True).map(tuple),
    st.binary(min_size=32, max_size=32),
    st.just(("relay.example:4646",)),
    st.sampled_from([b"", b"s" * 16]),
)


@given(st.data(), TICKETS)
def test_a_ticket_is_found_in_what_is_pasted(data: st.DataObject, ticket: Ticket) -> None:
    word = encode_ticket(ticket)
    size = data.draw(st.integers(20, len(word)))
    between = data.draw(st.sampled_from(["", " ", "\n", "\r\n> ", "-\n", "=\r\n", "\n| "]))
    broken = between.join(word[at : at + size] for at in range(0, len(word), size))
    text = data.draw(decorated(data.draw(wide(broken)) if not between else broken))
    assert read_ticket(text) == ticket, text
    assert is_like_a_ticket(text)


@given(TICKETS, TICKETS)
def test_of_several_tickets_none_is_taken(one: Ticket, other: Ticket) -> None:
    first, second = encode_ticket(one), encode_ticket(other)
    assert read_ticket(f"hoity join {first}\nor: hoity watch {first}") == one
    if first != second:
        for between in ("\n", " or ", ", hoity join "):
            fails(TicketError, "several-tickets", read_ticket, f"{first}{between}{second}")


def test_prose_around_a_ticket_is_left_out_and_a_slip_stays_a_slip() -> None:
    word = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32))
    ticket = decode_ticket(word)
    for text in (
        f"Here it is: {word} see you at eight",
        f"hoity3 tickets look like this: {word}. Have fun!",
        f"Ana wrote:\n> join me\n> {word[:60]}\n> {word[60:]}\n> see you",
        f"https://chat.example/{word}",
    ):
        assert read_ticket(text) == ticket, text
    wrong = [
        (f"{word}x", "ticket-letters-too-many"),
        (word[:-3], "ticket-letters-missing"),
        (f"hoity join {word[:-3]}.", "ticket-letters-missing"),
        (f"{word[:50]}1{word[51:]}", "ticket-mistyped-letter"),
        (f"hoity join {word[:50]}b{'c' if word[51] != 'c' else 'd'}{word[52:]}", "ticket-mistyped"),
        (f"hoity join hoity9{word[6:]}", "ticket-of-other-version"),
        ("hoity join Ana", "no-ticket"),
        ("hoity join", "ticket-of-other-version"),
        ("", "no-ticket"),
        ("hoity3pasted", "ticket-mistyped"),
        ("hoity3zzzzz", "ticket-mistyped|ticket-letters-missing"),
        (f"x{word}", "no-ticket"),
    ]
    for text, code in wrong:
        fails(TicketError, code, read_ticket, text)


def test_at_no_more_places_than_that_is_a_ticket_looked_for() -> None:
    word = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32))
    assert read_ticket("hoity3 " * (MOST_TICKETS - 1) + word) == decode_ticket(word)
    fails(TicketError, "", read_ticket, "hoity3 " * MOST_TICKETS + word)


@pytest.mark.parametrize(
    ("text", "is_like"),
    [("HOITY3abc", True), ("see hoity9", True), ("xhoity3", False), ("hoity join 7-a-b", False)],
)
def test_what_begins_as_tickets_do_is_like_one(text: str, is_like: bool) -> None:
    assert is_like_a_ticket(text) == is_like
