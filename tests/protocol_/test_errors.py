"""Errors in received data: their codes, and the fields of a body in which they are."""

import pytest

from protocol.crypto import group
from protocol.errors import FieldPlace, Invalid, within
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
