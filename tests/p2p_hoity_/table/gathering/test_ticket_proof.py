"""What a ticket's secret proves: for one link, one host, one guest and one table, both ways."""

from dataclasses import replace

import pytest

from p2p_hoity.table.gathering.ticket_proof import Capability

SECRET, TERMS = b"0123456789abcdef", b"t" * 32
HELD = Capability(TERMS, SECRET)
LINK, HOST, GUEST = b"l" * 32, b"d" * 32, b"g" * 32


def test_who_holds_the_ticket_is_let_in_and_sees_that_the_host_gave_it() -> None:
    assert HELD.admits(HELD.guest_proof(LINK, HOST, GUEST), LINK, HOST, GUEST)
    assert HELD.trusts(HELD.host_proof(LINK, HOST, GUEST), LINK, HOST, GUEST)
    assert not HELD.admits(HELD.host_proof(LINK, HOST, GUEST), LINK, HOST, GUEST)
    assert not HELD.trusts(HELD.guest_proof(LINK, HOST, GUEST), LINK, HOST, GUEST)
    opened = replace(HELD, is_open=True)
    assert HELD.trusts(opened.host_proof(LINK, HOST, GUEST), LINK, HOST, GUEST)
    assert SECRET.decode() not in repr(HELD)
    for proof in (b"", b"x", bytes(32), bytes(64)):
        assert not HELD.admits(proof, LINK, HOST, GUEST)
        assert not HELD.trusts(proof, LINK, HOST, GUEST)


@pytest.mark.parametrize(
    ("other", "place"),
    [
        (replace(HELD, secret=b"x" * 16), (LINK, HOST, GUEST)),
        (replace(HELD, terms=b"u" * 32), (LINK, HOST, GUEST)),
        (HELD, (b"m" * 32, HOST, GUEST)),
        (HELD, (LINK, b"e" * 32, GUEST)),
        (HELD, (LINK, HOST, b"h" * 32)),
    ],
    ids=["secret", "table", "link", "host", "guest"],
)
def test_no_other_proof_is_worth_it(other: Capability, place: tuple[bytes, bytes, bytes]) -> None:
    assert not HELD.admits(other.guest_proof(*place), LINK, HOST, GUEST)
    assert not HELD.trusts(other.host_proof(*place), LINK, HOST, GUEST)


@pytest.mark.parametrize("proof", [b"", bytes(32)])
def test_without_a_secret_everyone_gets_in_or_nobody(proof: bytes) -> None:
    assert Capability(TERMS, b"", is_open=True).admits(proof, LINK, HOST, GUEST)
    assert not Capability(TERMS).admits(proof, LINK, HOST, GUEST)
    assert Capability(TERMS).guest_proof(LINK, HOST, GUEST) == b""
    assert Capability(TERMS).trusts(b"", LINK, HOST, GUEST)
