"""Tests of seats that are reached through relays alone, which is kept with the game ([L-58])."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.noted_network import Noted
from support.player_table import (
    CALM,
    Guest,
    PlayerTable,
    SilentAir,
    hosted,
    past_round,
    willing,
    yes,
)
from support.relays import serve_relay

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import ReachCode
from p2p_hoity.storage import journal
from p2p_hoity.storage.journal_format import SeatRecord
from p2p_hoity.table.beside_game.unfinished_games import find_game
from p2p_hoity.table.gathering import host_table, lobby
from p2p_hoity.table.gathering.invite_by_code import ticket_by_code
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.spoken_codes import parse_code
from p2p_hoity.table.open_links import Lan, Reach, only_by_relays
from p2p_hoity.table.peer_error import PeerError
from protocol.wire import codec

pytestmark = pytest.mark.sampled(3)

RELAY, OTHER = "relay:1", "other:1"


@dataclass
class Hiding:
    """A table of which some seats hide behind its relay; the first says what more it wants."""

    table: PlayerTable
    alone: set[int]
    notes: dict[int, Noted]
    firsts: list[Any] = field(default_factory=list)
    more: dict[int, dict[str, Any]] = field(default_factory=dict)

    def reach(self, number: int) -> dict[str, Any]:
        more = {"network": self.notes[number], **self.more.get(number, {})}
        plain = Reach(f"node{number}:0", (RELAY,), outside=number == 0)
        return vars(replace(only_by_relays(plain) if number in self.alone else plain, **more))

    async def relays(self, *places: str) -> None:
        """Run these relays."""
        async with trio.open_nursery() as nursery:
            for place in places:
                serve = partial(serve_relay, place.partition(":")[0], 1)
                nursery.start_soon(partial(serve, network=self.table.network))

    async def play(self, instead: Any = None, *beside: Any) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.relays, RELAY, OTHER)
            await self.table.play(instead, *beside)
            nursery.cancel_scope.cancel()

    def addresses_of(self, number: int) -> set[tuple[str, ...]]:
        """What the others keep of where a seat is."""
        who = self.table.guests[number].place
        return {first.addresses[who] for first in self.firsts}


@pytest.fixture
def hiding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Hiding]:
    """Give a way to make such a table."""

    def made(*alone: int, **how: Any) -> Hiding:
        table = PlayerTable(tmp_path, 3, **how)
        here = Hiding(table, set(alone), {n: Noted(table.network) for n in range(3)})
        table.how = here.reach
        create = journal.create

        def noting(path: Path, first: SeatRecord, *rest: Any) -> Any:
            here.firsts.append(first)
            return create(path, first, *rest)

        monkeypatch.setattr(journal, "create", noting)
        return here

    return made


@pytest.mark.parametrize("alone", [(2,), (0,), (0, 1, 2)], ids=["guest", "host", "all"])
async def test_who_hides_dials_its_relay_alone_and_is_named_by_it_alone(
    hiding: Callable[..., Hiding], alone: tuple[int, ...]
) -> None:
    here = hiding(*alone)
    await here.play()
    here.table.judge()
    for number in range(3):
        hides = number in alone
        assert not hides or set(here.notes[number].dialled) == {RELAY}
        assert (here.notes[number].listened == []) is hides
        (named,) = here.addresses_of(number)
        assert (named == (f"relay+{RELAY}",)) is hides
    dialled = {place.partition(":")[0] for note in here.notes.values() for place in note.dialled}
    assert not dialled.intersection(f"node{number}" for number in alone)
    assert ("node0" in dialled) is (0 not in alone)
    assert (here.table.ticket.addresses == ()) is (0 in alone)
    assert here.table.ticket.relay == (RELAY,)


@pytest.mark.parametrize("alone", [(2,), ()], ids=["hides", "does not"])
async def test_a_relay_that_another_seat_names_gets_no_connection(
    hiding: Callable[..., Hiding], alone: tuple[int, ...]
) -> None:
    """It may be run by that seat, which would see where the call comes from."""
    here = hiding(*alone)
    here.more[1] = {"advertised": (f"relay+{OTHER}",), "relays": (), "hidden": True}
    await here.play()
    here.table.judge()
    assert here.addresses_of(1) == {(f"relay+{OTHER}",)}
    assert (OTHER in here.notes[2].dialled) is (not alone)


async def test_it_is_kept_with_the_game_and_with_the_next_one(
    hiding: Callable[..., Hiding],
) -> None:
    here = hiding(2, timeouts=CALM)
    for guest in here.table.guests:
        guest.options["again"], guest.player = True, willing(1)
    bare = replace(Reach("node2:0"), network=here.notes[2], maps=True, lan=Lan.OPEN)

    async def come_back() -> None:
        assert await here.table.sit_until(2, past_round(1))
        guest = here.table.guests[2]
        found = find_game(guest.home, None)
        assert (found.relay_only, found.relays) == (True, (RELAY,))
        for shown in ({"anew": True}, {"advertised": ("node2:9",)}):
            again = here.table.resume(2, how=replace(bare, **shown))
            assert (await ends_in(PeerError, "game-by-relays-alone", again)).code.exit_code == 2
        none = here.table.resume(2, how=replace(bare, relays_anew=True))
        assert (await ends_in(PeerError, "game-by-relays-.*", none)).code.exit_code == 2
        await here.table.resume(2, how=bare)

    with trio.fail_after(3000):
        await here.play({2: come_back})
    assert [len(guest.games()) for guest in here.table.guests] == [2, 2, 2]
    assert set(here.notes[2].dialled) == {RELAY}
    assert here.notes[2].listened == []
    # Where the seats of the next table are is not told again.
    mine = [first for first in here.firsts if first.seat == here.table.guests[2].place]
    assert [first.relay_only for first in mine] == [True, True]


async def test_a_seat_that_hides_since_it_was_resumed_goes_on_to_hide(
    hiding: Callable[..., Hiding],
) -> None:
    here = hiding(timeouts=CALM, thinking=1.0)
    guest, since = here.table.guests[2], Noted(here.table.network)
    bare = Reach("node2:0", network=since)

    async def come_back() -> None:
        assert await here.table.sit_until(2, past_round(1))
        assert not find_game(guest.home, None).relay_only
        scope, wanted = trio.CancelScope(), past_round(3)
        guest.listener = lambda update: scope.cancel() if wanted(update) else None
        with scope:
            await here.table.resume(2, how=only_by_relays(bare))
        assert find_game(guest.home, None).relay_only
        await here.table.resume(2, how=bare)

    with trio.fail_after(3000):
        await here.play({2: come_back})
    here.table.judge()
    assert (set(since.dialled), since.listened) == ({RELAY}, [])
    assert list(guest.home.journals.iterdir()) == []


@pytest.mark.parametrize(
    ("relay", "code"), [((), "ticket-without-relay"), ((OTHER,), "ticket-of-other-relays")]
)
async def test_a_ticket_leads_to_no_relay_that_the_player_has_not_named(
    relay: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    network = Noted(MemoryNetwork())
    guest, ticket = Guest(tmp_path, "P0"), Ticket(b"h" * 32, ("n:1",), b"t" * 32, relay)
    reach = only_by_relays(Reach(":0", (RELAY,), network=network))
    joining = join_table(guest.seat, guest.keys, ticket, yes, reach)
    assert (await ends_in(PeerError, code, joining)).code.exit_code == 2
    assert network.dialled == []


async def test_the_lan_is_told_nothing_and_codes_go_by_the_relay(
    hiding: Callable[..., Hiding], monkeypatch: pytest.MonkeyPatch
) -> None:
    air = SilentAir()
    monkeypatch.setattr(host_table, "announce", air.announce)
    here = hiding(0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.relays, RELAY)
        async with hosted(here.table, joining=[1]):
            await here.table.until_heard(updates.OfferedCode, 0)
            (told,) = here.table.guests[0].heard(updates.Reached)
            assert ReachCode.RELAY_ONLY in {reason.code for reason in told.reasons}
            (code,) = here.table.guests[0].heard(updates.OfferedCode)
            spoken = replace(parse_code(code.code), relay=RELAY)
            ticket = await ticket_by_code(spoken, here.table.network)
            assert (ticket.addresses, ticket.relay) == ((), (RELAY,))
        nursery.cancel_scope.cancel()
    assert air.announced == []
    assert set(here.notes[0].dialled) == {RELAY}
    assert only_by_relays(Reach(lan=Lan.OPEN, maps=True, advertised=("h:1",))) == Reach(
        relay_only=True
    )


async def test_no_frame_holds_an_address_of_who_hides(
    hiding: Callable[..., Hiding], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[bytes] = []
    encode = lobby.encode_lobby

    def noting(frame: Any) -> bytes:
        said.append(encode(frame))
        return said[-1]

    for module in ("host_table", "lobby"):
        monkeypatch.setattr(f"p2p_hoity.table.gathering.{module}.encode_lobby", noting)
    here = hiding(2)
    await here.play()
    sits = [codec.decode(one, 1 << 16) for one in said if one[2:5] == b"sit"]
    assert sorted(bool(one[2] == (f"relay+{RELAY}",)) for one in sits) == [False, True]
    assert not any(b"node2" in one for one in said)
    assert any(b"node1" in one for one in said)
