"""Tests of what a node tells others to dial."""

from __future__ import annotations

import pytest

from p2p_hoity import seating


def test_a_door_open_everywhere_is_told_by_this_machines_own_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def own(port: int) -> list[str]:
        return [f"192.0.2.7:{port}", f"127.0.0.1:{port}"]

    monkeypatch.setattr(seating, "local_addresses", own)
    found = seating.reachable(["0.0.0.0:4646", "[::]:4646"])
    assert found == ["192.0.2.7:4646", "127.0.0.1:4646"]


@pytest.mark.parametrize("address", ["127.0.0.1:7", "[::1]:7", "host.example:4646", "house0:40000"])
def test_a_named_address_is_told_as_it_is(address: str) -> None:
    assert seating.reachable([address]) == [address]


def test_nobody_is_told_to_dial_everywhere() -> None:
    for address in seating.reachable(["0.0.0.0:4646", "[::]:4646"]):
        assert address.rpartition(":")[0] not in seating.EVERYWHERE
