"""Tests of guests: how they reach the host, what they refuse to sign, and what they are told."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing
from support.boxes import with_colours
from support.cases import ends_in
from support.kept_home import keep_journal, player, table_of
from support.memory_network import MemoryNetwork
from support.player_table import Guest, PlayerTable, hosted, short_track, yes
from support.sampling import BAD_MOMENTS

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Event, Frame, Hub, LinkUp
from p2p_hoity.net.network_errors import NetCode, NobodyError, RefusedError
from p2p_hoity.net.socks_proxy import ProxyCode
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.watch_table import Onlooker
from p2p_hoity.table.gathering import host_table, join_table
from p2p_hoity.table.gathering import lobby as frames
from p2p_hoity.table.gathering.join_table import ANSWER, FULL_PAUSE, HostLink
from p2p_hoity.table.gathering.lobby import Roster, Seated, Seating
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.task_groups import beside
from protocol.crypto.identities import Identity
from protocol.wire import table_header

SOME = pytest.mark.sampled(1)

HOME, MAPPED = "192.168.1.5:4646", "81.2.69.142:14646"


class WithoutTheSecret(Capability):
    """A host that took over the host's key, but not the ticket."""

    shown = b""

    def admits(self, *_: bytes) -> bool:
        return True

    def host_proof(self, *_: bytes) -> bytes:
        return self.shown


@pytest.mark.parametrize("shown", [b"x" * 32, b""])
async def test_a_host_that_cannot_show_the_ticket_is_left(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch, shown: bytes
) -> None:
    monkeypatch.setattr(host_table, "Capability", WithoutTheSecret)
    monkeypatch.setattr(WithoutTheSecret, "shown", shown)
    async with hosted(pair):
        await ends_in(PeerError, "host-impostor", pair.join(1))


async def test_a_host_that_says_anothers_terms_is_left(pair: PlayerTable) -> None:
    """A host can name anyone in its terms; the guest compares with the link and the ticket."""
    pair.terms = replace(pair.terms, host=Identity(b"famous" * 5 + b"xx").public)
    async with hosted(pair):
        await ends_in(PeerError, "other-host", pair.join(1))


@pytest.mark.parametrize(
    ("frame_of", "shown"),
    [
        (lambda number: frames.SeatedNames((f"line {number}",)), updates.Joined),
        (lambda _: frames.Pending(), updates.HostAsked),
    ],
    ids=["names", "asked"],
)
async def test_lines_that_a_host_makes_appear_are_bounded(
    frame_of: Callable[[int], frames.LobbyFrame],
    shown: type[updates.Update],
    three: PlayerTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer = host_table.Lobby._asked

    def flood(lobby: host_table.Lobby, to: bytes, proof: bytes, data: bytes) -> None:
        offer(lobby, to, proof, data)
        for number in range(1000):
            lobby._post(to, frame_of(number))

    monkeypatch.setattr(host_table.Lobby, "_asked", flood)
    async with hosted(three):
        with trio.move_on_after(5):
            await three.join(1)
    assert 0 < len(three.guests[1].heard(shown)) <= join_table.LINES[0] + 5


# Whose seat is safe.


def never(*_: Any) -> None:
    """No journal is found."""


@SOME
async def test_a_kept_seat_is_told_so(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:

    async def leave() -> None:
        await three.sit_until(2, lambda update: isinstance(update, updates.ChainGrew))
        for known in (True, False):  # by the journal that is here, or as the host says
            monkeypatch.setattr(join_table, "kept_seat", join_table.kept_seat if known else never)
            await ends_in(PeerError, "seat-kept", three.join_anew(2))
        await three.resume(2)

    await three.play({2: leave})
    assert three.ended_alike()


def test_a_journal_that_others_can_read_keeps_no_guest_from_another_table(tmp_path: Path) -> None:
    home = Home(tmp_path)
    player(home, 0)
    path = keep_journal(home, table_of(3, 1)).path
    ticket = Ticket(b"h" * 32, (HOME,), bytes(32), (), b"s" * 16)
    for mode in (0o600, 0o644):
        path.chmod(mode)
        assert join_table.kept_seat(home, None, ticket) is None


# Dialling the host.


class FullHost:
    """A hub that calls a full host, which has room after some time and then says nothing."""

    me = b"m" * 32

    def __init__(self, seconds: float) -> None:
        self._report, self.events = trio.open_memory_channel[Any](10)
        self._free = trio.current_time() + seconds

    async def connect(self, addresses: Sequence[str], peer: bytes, timeout: float) -> None:
        await trio.lowlevel.checkpoint()
        if trio.current_time() < self._free:
            raise RefusedError(NetCode.AT, full=True)
        self._report.send_nowait(LinkUp(peer, "192.0.2.1:1", False))

    async def unlinked(self, peer: bytes) -> None:
        await trio.sleep_forever()

    def binding(self, peer: bytes) -> bytes:
        return bytes(32)

    def post(self, peer: bytes, data: bytes) -> bool:
        return True


@pytest.mark.parametrize("seconds", [0, 1000])
async def test_an_onlooker_calls_a_full_host_for_long_and_then_waits_for_its_answer(
    seconds: float, autojump_clock: Any
) -> None:
    told: list[float] = []
    began = trio.current_time()
    ticket = Ticket(b"h" * 32, ("192.0.2.1:1",), bytes(32), (), b"s" * 16)
    link = HostLink(cast(Hub, FullHost(seconds)), ticket, lambda: told.append(began))
    await ends_in(PeerError, "host-without-terms", beside(link.stay_linked, link.first()))
    waited = trio.current_time() - began - seconds
    assert ANSWER <= waited <= ANSWER + 2 * FULL_PAUSE
    assert len(told) == (1 if seconds else 0)


class Crowded(MemoryNetwork):
    """A network whose first connections are cut, as by a full gate."""

    left = 4

    async def open(self, address: Address) -> trio.abc.Stream:
        stream = await super().open(address)
        if self.left:
            self.left -= 1
            await stream.aclose()
        return stream


async def test_a_guest_dials_again_while_the_hosts_door_is_crowded(pair: PlayerTable) -> None:
    pair.network = Crowded()
    await pair.play()
    assert pair.ended_alike()


async def test_who_cuts_links_is_left(pair: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    tick = host_table.Lobby.hear

    def cut(lobby: host_table.Lobby, event: Event) -> None:
        tick(lobby, event)
        if isinstance(event, Frame):
            lobby.hub.drop(event.peer, Reason("no"))

    monkeypatch.setattr(host_table.Lobby, "hear", cut)
    async with hosted(pair):
        await ends_in(PeerError, "host-cuts-links", pair.join(1))


async def test_a_second_process_of_one_key_does_not_take_its_seat(three: PlayerTable) -> None:
    async with hosted(three) as call:
        first = await call(three.guests[1].key)
        first.say(frames.Ask(first.proof(three.ticket)))
        first.sit(three, "P1")
        await first.next(frames.SeatedNames)
        assert (await ends_in(PeerError, "sits-elsewhere", three.join(1))).code.exit_code == 1
        assert first.hub.linked(first.host)
    assert three.guests[0].heard(updates.Joined)[-1].names == ("P0", "P1")


@pytest.mark.parametrize(
    ("addresses", "relay", "code"),
    [
        ((HOME,), (), "host-unreached-lan"),
        (("127.0.0.1:9",), (), "host-unreached-machine"),
        (("[2606:4700::1111]:9",), (), "host-unreached-six"),
        (("93.184.216.34:9", HOME), (), "host-unreached"),
        ((HOME,), ("relay.example.org:9",), "host-unreached"),
    ],
)
async def test_a_guest_is_told_how_far_its_ticket_leads(
    addresses: tuple[str, ...], relay: tuple[str, ...], code: str, tmp_path: Path,
) -> None:  # fmt: skip
    guest, ticket = Guest(tmp_path, "P0"), Ticket(b"h" * 32, addresses, b"t" * 32, relay)
    how = Reach("n:0", network=MemoryNetwork())
    joining = join_table.join_table(guest.seat, guest.keys, ticket, yes, how)
    assert (await ends_in(PeerError, code, joining)).code.exit_code == 3


async def test_a_guest_whose_own_proxy_is_down_is_told_so(tmp_path: Path) -> None:
    class NoProxy(MemoryNetwork):
        async def open(self, address: Any) -> Any:
            await trio.lowlevel.checkpoint()
            nobody = because(NetCode.NOBODY_LISTENS)
            raise NobodyError(ProxyCode.UNREACHED, proxy="127.0.0.1:9050", why=nobody)

    guest, ticket = Guest(tmp_path, "P0"), Ticket(b"h" * 32, (HOME, MAPPED), b"t" * 32)
    how = Reach("n:0", network=NoProxy(), hidden=True)
    joining = join_table.join_table(guest.seat, guest.keys, ticket, yes, how)
    assert (await ends_in(PeerError, "host-unreached-by-proxy", joining)).code.exit_code == 3


@BAD_MOMENTS
async def test_a_host_that_says_nothing_is_told(pair: PlayerTable) -> None:
    host = Hub(pair.guests[0].key, network=pair.network)
    async with trio.open_nursery() as nursery:
        await nursery.start(host.run)
        (address,) = await host.listen("node0", 0)
        nursery.start_soon(_read, host)
        pair.ticket = Ticket(host._identity.public, (address,), b"t" * 32)
        caught = await ends_in(PeerError, "host-without-terms", pair.join(1))
        nursery.cancel_scope.cancel()
    assert caught.code.exit_code == 3


async def _read(hub: Hub) -> None:
    async for _ in hub.events:
        pass


@BAD_MOMENTS
async def test_a_host_that_leaves_before_the_table_is_full_is_told(three: PlayerTable) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(three.sit_until, 0, lambda told: len(getattr(told, "names", ())) == 2)
        await ends_in(PeerError, "host-gone", three.join(1))


async def test_a_guest_too_many_is_told_and_the_others_play(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    table.guests.append(Guest(tmp_path, "late"))
    codes: list[int] = []

    async def too_late() -> None:
        await table.until_heard(updates.Started, 0)
        caught = await ends_in(PeerError, r"table-full|game-begun", table.join(3))
        codes.append(caught.code.exit_code)

    await table.play({3: too_late})
    table.guests.pop()
    assert codes == [1]
    assert table.ended_alike()


async def test_a_guest_may_choose_its_nickname_with_the_terms(pair: PlayerTable) -> None:
    async def accept(*_: object) -> str:
        return "Zoe"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pair.host)
        nursery.start_soon(pair.join, 1, accept)
    (started,) = pair.guests[0].heard(updates.Started)
    assert [one.nickname for one in started.table.header.roster] == ["P0", "Zoe"]


async def test_a_guest_may_refuse_the_terms(pair: PlayerTable) -> None:
    asked: list[Any] = []

    async def no(terms: Any, game: Any, names: Any, host: bytes | None) -> None:
        asked.append((terms, game.edition.name, names, host))

    async with hosted(pair):
        await ends_in(PeerError, "seat-not-taken", pair.join(1, no))
    assert asked == [(pair.terms, "small-4", ("P0",), pair.guests[0].me.identity.public)]


async def test_a_ticket_of_an_earlier_table_is_told_so(pair: PlayerTable) -> None:
    async with hosted(pair):
        pair.ticket = replace(pair.ticket, terms=b"t" * 32)
        await ends_in(PeerError, "ticket-unknown", pair.join(1))
        await ends_in(PeerError, "ticket-unknown", pair.look_on(Onlooker([].append)))


async def test_who_lost_its_journal_hears_that_the_game_has_begun(pair: PlayerTable) -> None:
    guest = pair.guests[1]
    async with hosted(pair, joining=[1]):
        await pair.until_heard(updates.Started, 1)
    (left,) = guest.home.journals.glob("*.journal")
    left.unlink()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pair.resume, 0)
        await ends_in(PeerError, "game-begun", pair.join_anew(1))
        nursery.cancel_scope.cancel()


async def test_old_consent_is_refused(pair: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = pair.guests[1]
    old = table_header.sit(pair.terms, guest.key, guest.name, b"o" * 32)
    honest = Seating.roster

    def replayed(seating: Seating, host: Any) -> Roster:
        seating._seats[guest.key.public] = Seated(old, None, ("node1:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "roster", replayed)
    async with hosted(pair):
        await ends_in(PeerError, "old-consent", pair.join(1))


@pytest.mark.parametrize(
    ("name", "code"), [("p1", "names-alike"), ("Bo\u0301\u0301\u0301b", "name-stacked")]
)
async def test_guests_leave_twins_and_towers_of_marks(
    three: PlayerTable, monkeypatch: pytest.MonkeyPatch, name: str, code: str
) -> None:
    other = table_header.sit(three.terms, Identity(b"o" * 32), name, b"o" * 32)
    honest = Seating.roster

    def doubled(seating: Seating, host: Any) -> Roster:
        seating._seats[other.id] = Seated(other, None, ("node2:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "is_complete", property(lambda self: len(self._seats) == 2))
    monkeypatch.setattr(Seating, "roster", doubled)
    async with hosted(three):
        await ends_in(PeerError, code, three.join(1))


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("red", "Red", "blue"), "colours-alike"),
        (("red", "rеd", "blue"), "colours-alike"),
        (("red", "\u0301blue", "white"), "colour-of-marks"),
        (("red", "blue"), "unplayable-terms why=.bad-game"),
    ],
)
async def test_a_guest_refuses_colours_that_look_alike_or_are_too_few(
    tmp_path: Path, names: tuple[str, ...], code: str
) -> None:
    table = PlayerTable(tmp_path, 3, edition=with_colours(short_track(), *names))
    async with hosted(table):
        await ends_in(PeerError, code, table.join(1))


async def test_a_useless_ticket_is_told(tmp_path: Path) -> None:
    table, began = PlayerTable(tmp_path, 2), trio.current_time()
    table.ticket = Ticket(table.guests[0].key.public, ("node0:1",), b"t" * 32)
    words = r"host-unreached .*nobody-listens"
    assert (await ends_in(PeerError, words, table.join(1))).code.exit_code == 3
    assert trio.current_time() - began < 1
