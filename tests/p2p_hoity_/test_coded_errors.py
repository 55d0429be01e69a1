"""Tests of codes: what a member is equal to, its exit code, and how its fields are told."""

import pytest

from p2p_hoity.coded_errors import (
    NETWORK,
    NOT_OK,
    USAGE,
    Code,
    CodedError,
    NetworkCode,
    NotRegularError,
    Reason,
    SystemCode,
    because,
    of_protocol,
    of_system,
)
from protocol import Invalid


class Usual(Code):
    """Codes with the usual exit code, but one."""

    ONE = "one", "no gap"
    TWO = "two", "{first} and {second}, not {first}"
    BAD = "bad", "not valid", NOT_OK


class OfNetwork(NetworkCode):
    """Codes of the network."""

    DOWN = "down", "{why}"


def test_a_code_is_its_word_and_knows_its_template_and_exit_code() -> None:
    assert Usual.TWO == "two"
    assert Usual.__members__["TWO"] is Usual.TWO
    assert (Usual.ONE.template, Usual.ONE.fields) == ("no gap", frozenset())
    assert Usual.TWO.fields == {"first", "second"}
    assert [code.exit_code for code in Usual] == [USAGE, USAGE, NOT_OK]
    assert OfNetwork.DOWN.exit_code == NETWORK
    assert [str(code) for code in Usual] == ["one", "two", "bad"]


def test_reasons_are_told_with_their_causes_in_ascii() -> None:
    inner = because(Usual.ONE)
    assert str(because(Usual.TWO, first=3, second="é\n")) == r"two first=3 second='\xe9\n'"
    assert str(because(OfNetwork.DOWN, why=inner)) == "down why=(one)"
    assert str(because(OfNetwork.DOWN, why=(inner, 7))) == "down why=[(one), 7]"
    assert inner == Reason("one") != because(Usual.BAD)
    assert hash(because(Usual.TWO, first=[])) == hash(because(Usual.TWO))


def test_an_error_has_its_code_its_reason_and_its_fields() -> None:
    error = CodedError(Usual.TWO, first=1, second=2)
    assert (error.code, error.fields) == (Usual.TWO, {"first": 1, "second": 2})
    assert error.reason == because(Usual.TWO, first=1, second=2)
    assert str(error) == "two first=1 second=2"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(28, "No space left"), because(SystemCode.NUMBERED, number=28)),
        (OSError("odd"), because(SystemCode.REFUSED)),
        (OSError(0, "odd"), because(SystemCode.REFUSED)),
        (NotRegularError(6, "a pipe"), because(SystemCode.NO_REGULAR_FILE)),
    ],
)
def test_an_error_of_the_system_is_told_by_its_number(error: OSError, reason: Reason) -> None:
    assert of_system(error) == reason


def test_an_error_of_the_protocol_is_told_by_its_code_alone() -> None:
    assert of_protocol(Invalid("bad-frame", "seven bytes")) == Reason("bad-frame")
