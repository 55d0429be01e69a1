"""Seats in pages are told to everybody at the table, with the server of their page ([L-90])."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.player_table import PlayerTable

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.seats_in_pages import PageTeller

SERVER = "relay.example"


@pytest.mark.parametrize("pages", [{}, {1: SERVER}, {0: SERVER, 2: "other.example:4680"}])
async def test_all_are_told_which_seats_play_in_pages(
    pages: dict[int, str], three: PlayerTable
) -> None:
    three.how = lambda number: {"page": pages.get(number)}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(three.host)
        for number in (1, 2):
            nursery.start_soon(three.join, number)
    servers = {f"P{number}": server for number, server in pages.items()}
    for guest in three.guests:
        told = guest.heard(updates.InPages)
        assert [one.servers for one in told[-1:]] == ([servers] if pages else [])
        assert {(one.seats, one.quorum, one.mine) for one in told[-1:]} <= {(3, 2, guest.name)}
    for guest in three.guests:
        started = next(i for i, one in enumerate(guest.told) if isinstance(one, updates.Started))
        early = [one.servers for one in guest.told[:started] if isinstance(one, updates.InPages)]
        # The host knows all of them, and the guests at first only the host.
        known = servers if guest.name == "P0" else {k: v for k, v in servers.items() if k == "P0"}
        assert early[-1:] == ([known] if known else [])


def test_a_claim_outlasts_its_link_and_is_never_withdrawn() -> None:
    told: list[Any] = []
    links: dict[bytes, str | None] = {b"me": None}
    hub = SimpleNamespace(me=b"me", page=links.get, linked=lambda peer: peer in links)
    teller = PageTeller(hub, told.append, 3, 2)  # type: ignore[arg-type]
    names = {b"me": "Ada", b"ana": "Ana"}
    first = updates.InPages({"Ana": SERVER}, 3, 2, "Ada")

    def heard() -> list[Any]:
        teller.tell(names)
        found, told[:] = told[:], []
        return found

    assert heard() == []
    links[b"ana"] = SERVER
    assert heard() == [first]
    assert heard() == []
    del links[b"ana"]
    assert heard() == []
    for other in (None, "other.example", SERVER):
        links[b"ana"] = other
        assert heard() == []
    del names[b"ana"]
    assert heard() == [replace(first, servers={})]
