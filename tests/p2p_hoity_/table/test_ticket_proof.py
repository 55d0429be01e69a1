"""What a ticket's secret proves: for one link, one door, one guest and one table, both ways."""

from dataclasses import replace

import pytest

from p2p_hoity.table.ticket_proof import Capability

SECRET, TERMS = b"0123456789abcdef", b"t" * 32
HELD = Capability(TERMS, SECRET)
LINK, DOOR, GUEST = b"l" * 32, b"d" * 32, b"g" * 32


def test_who_holds_the_ticket_is_let_in_and_sees_that_the_host_gave_it() -> None:
    assert HELD.admits(HELD.guest_proof(LINK, DOOR, GUEST), LINK, DOOR, GUEST)
    assert HELD.trusts(HELD.door_proof(LINK, DOOR, GUEST), LINK, DOOR, GUEST)
    assert not HELD.admits(HELD.door_proof(LINK, DOOR, GUEST), LINK, DOOR, GUEST)
    assert not HELD.trusts(HELD.guest_proof(LINK, DOOR, GUEST), LINK, DOOR, GUEST)
    opened = replace(HELD, is_open=True)
    assert HELD.trusts(opened.door_proof(LINK, DOOR, GUEST), LINK, DOOR, GUEST)
    assert SECRET.decode() not in repr(HELD)
    for proof in (b"", b"x", bytes(32), bytes(64)):
        assert not HELD.admits(proof, LINK, DOOR, GUEST)
        assert not HELD.trusts(proof, LINK, DOOR, GUEST)


@pytest.mark.parametrize(
    ("other", "place"),
    [
        (replace(HELD, secret=b"x" * 16), (LINK, DOOR, GUEST)),
        (replace(HELD, terms=b"u" * 32), (LINK, DOOR, GUEST)),
        (HELD, (b"m" * 32, DOOR, GUEST)),
        (HELD, (LINK, b"e" * 32, GUEST)),
        (HELD, (LINK, DOOR, b"h" * 32)),
    ],
    ids=["secret", "table", "link", "door", "guest"],
)
def test_no_other_proof_is_worth_it(other: Capability, place: tuple[bytes, bytes, bytes]) -> None:
    assert not HELD.admits(other.guest_proof(*place), LINK, DOOR, GUEST)
    assert not HELD.trusts(other.door_proof(*place), LINK, DOOR, GUEST)


@pytest.mark.parametrize("proof", [b"", bytes(32)])
def test_without_a_secret_everyone_gets_in_or_nobody(proof: bytes) -> None:
    assert Capability(TERMS, b"", is_open=True).admits(proof, LINK, DOOR, GUEST)
    assert not Capability(TERMS).admits(proof, LINK, DOOR, GUEST)
    assert Capability(TERMS).guest_proof(LINK, DOOR, GUEST) == b""
    assert Capability(TERMS).trusts(b"", LINK, DOOR, GUEST)
