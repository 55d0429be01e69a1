"""The header: what is agreed on comes back byte for byte; each check has its negative."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import TABLE, VALUES, outcome
from support.cases import each, fails
from support.machine_table import identity, make_table
from support.sampling import times
from support.toy_game import ToyGame

from protocol.errors import Invalid
from protocol.wire import codec, table_header
from protocol.wire.table_header import Header, Terms, parse_header

HEADER = make_table(ToyGame(3), 3)[0].header


def _value() -> list[Any]:
    terms, roster = codec.decode(HEADER.encode(), table_header.MAX_HEADER)
    return [list(terms), [list(entry) for entry in roster]]


def test_a_header_comes_back_with_the_same_id_of_which_the_order_of_seats_is_a_part() -> None:
    read = parse_header(HEADER.encode())
    assert read == HEADER
    assert read.table_id == HEADER.table_id != Header(HEADER.terms, HEADER.roster[::-1]).table_id


@pytest.mark.parametrize(("seats", "quorum"), [(2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5)])
def test_the_quorum_is_the_declared_default(seats: int, quorum: int) -> None:
    assert table_header.default_quorum(seats) == quorum


def _changing(field: int, value: Any, part: Callable[[Any], list[Any]]) -> Callable[[Any], None]:
    return lambda whole: part(whole).__setitem__(field, value)


_terms = partial(_changing, part=lambda whole: whole[0])
_entry = partial(_changing, part=lambda whole: whole[1][1])

CHANGES: dict[str, Callable[[list[Any]], Any]] = {
    "host of another length": _terms(1, b"h" * 31),
    "host outside the group": _terms(1, bytes([2]) + bytes(31)),
    "short nonce": _terms(2, b"n"),
    "one seat": _terms(4, 1),
    "seventeen seats": _terms(4, 17),
    "quorum above the seats": _terms(5, 4),
    "quorum no number": _terms(5, True),
    "three patiences": _terms(6, (1, 1, 1)),
    "timeout of 0": _terms(6, (0, 30_000, 5_000, 120_000)),
    "timeout of 2^40 ms": _terms(6, (2**40, 30_000, 5_000, 120_000)),
    "back-off above its cap": _terms(6, (300_000, 30_000, 9_000, 8_000)),
    "returns above 255": _terms(7, 256),
    "a term too many": lambda whole: whole[0].append(0),
    "a seat too few": lambda whole: whole[1].pop(),
    "no nickname": _entry(1, ""),
    "a nickname too long": _entry(1, "x" * 25),
    "a nickname with a newline": _entry(1, "a\nb"),
    "a nickname of bytes": _entry(1, b"a"),
    "a nickname with what renders as nothing": _entry(1, "ada\u3164"),
    "another nickname than signed": _entry(1, "mallory"),
    "another nonce than signed": _entry(2, b"x" * 32),
    "another id than signed": _entry(0, identity(5).public),
    "a cut signature": _entry(3, b"s" * 63),
    "a field too many": lambda whole: whole[1][1].append(0),
    "a roster of text": lambda whole: whole.__setitem__(1, "roster"),
    "a field beside": lambda whole: whole.append(0),
}


@each(CHANGES.values())
def test_a_changed_header_is_refused(change: Callable[[list[Any]], Any]) -> None:
    whole = _value()
    change(whole)
    fails(Invalid, "", parse_header, codec.encode(whole))


def test_a_signature_is_for_these_terms() -> None:
    whole = _value()
    whole[0][3] = [["another game", 1]]
    fails(Invalid, "bad-signature", parse_header, codec.encode(whole))
    other = Terms(identity(0).public, b"o" * 32, (("toy", 1),), 3, 2)
    entry = table_header.sit(other, identity(1), "seat 1", b"n" * 32)
    table_header.parse_entry(other, entry.value())
    fails(Invalid, "bad-signature", table_header.parse_entry, HEADER.terms, entry.value())


def test_cut_and_trailing_bytes_are_refused() -> None:
    data = HEADER.encode()
    for end in range(0, len(data), 7):
        fails(Invalid, "", parse_header, data[:end])
    fails(Invalid, "", parse_header, data + b"\x00")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=120))
def test_any_bytes_give_a_header_or_invalid(data: bytes) -> None:
    fails(Invalid, "", parse_header, data)


@settings(max_examples=times(15, 1000), deadline=None)
@given(st.integers(0, 7), VALUES)
def test_terms_with_any_value_in_a_field_are_terms_or_invalid(at: int, value: Any) -> None:
    fields = list(TABLE.header.terms.value())
    fields[at] = value
    terms, code, _ = outcome(lambda: table_header.parse_terms(tuple(fields)))
    assert code in (None, "bad-header", "bad-point")
    assert code or terms.value() == tuple(fields)


def test_the_host_signs_the_table_as_its_guests_have_it() -> None:
    host, terms, table_id = identity(0), HEADER.terms, HEADER.table_id
    signature = table_header.sign_roster(HEADER, host)
    table_header.check_roster(terms, table_id, signature)
    other = Terms(host.public, b"o" * 32, terms.game, 3, 2)
    for wrong in (
        (terms, bytes(32), signature),
        (other, table_id, signature),
        (terms, table_id, table_header.sign_roster(HEADER, identity(1))),
        (terms, table_id, signature[:-1]),
    ):
        fails(Invalid, "bad-signature", table_header.check_roster, *wrong)
