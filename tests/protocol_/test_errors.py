"""Errors in received data: their codes, and the fields of a body in which they are."""

import pytest

from protocol.crypto import group
from protocol.errors import FieldPlace, Invalid, OtherVersion, coded, within
from protocol.wire import step_bodies

OF_TWO = group.BASE + group.BASE


def test_the_innermost_index_stands_in_the_field_named_around_it() -> None:
    for outer, place in ((None, "shares[1]"), (2, "helps[2]")):
        with pytest.raises(Invalid) as caught, within("helps" if outer else "shares", outer):
            step_bodies.split(group.BASE + bytes(32) + group.BASE)
        assert str(caught.value.place) == place
    with pytest.raises(Invalid) as caught, within("opening"), within("choice", 0):
        raise Invalid("bad-body", "reason")
    assert caught.value.place == FieldPlace("choice", 0)
    with within("shares"):
        assert step_bodies.split(OF_TWO) == (group.BASE, group.BASE)


def test_an_error_has_a_code_a_note_and_a_place() -> None:
    error = Invalid("bad-body", "too long", FieldPlace("shares", 2))
    assert str(error) == "bad-body: too long"
    assert (error.code, error.reason, str(error.place)) == ("bad-body", "too long", "shares[2]")
    assert str(FieldPlace("proof")) == "proof"
    assert Invalid("bad-body", "").place is None


def test_another_version_is_a_bad_header_that_names_both() -> None:
    error = OtherVersion("hoity/9", "hoity/1")
    assert (error.code, error.theirs, error.ours) == ("bad-header", "hoity/9", "hoity/1")
    assert "'hoity/9'" in str(error)


def test_another_code_keeps_the_note_and_the_place() -> None:
    with pytest.raises(Invalid) as caught, coded("bad-share"):
        raise Invalid("bad-proof", "no", FieldPlace("shares"))
    assert str(caught.value) == "bad-share: no"
    assert caught.value.place == FieldPlace("shares")
    with coded("bad-share"):
        pass


def test_only_invalid_data_gets_a_code_or_a_place() -> None:
    for block in (coded("bad-share"), within("shares")):
        with pytest.raises(KeyError) as caught, block:
            raise KeyError("a bug")
        assert not hasattr(caught.value, "place")
    with pytest.raises(Invalid) as kept, within("outer", 1), within("inner"):
        raise Invalid("bad-body", "reason")
    assert kept.value.place == FieldPlace("inner"), "the innermost block knows the field best"
