"""Tests of dialling: the race between several ways to a peer, and how often one is tried."""

from itertools import pairwise

import pytest
import trio
import trio.testing
from support.cases import ends_in

from p2p_hoity.coded_errors import because
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.dialler import PeerDialler, Secured, race
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError, RefusedError

LIMITS = Limits()
PEER = b"p" * 32
NEAR, FAR, RELAY = Address("near", 1), Address("far", 1), Address("relay", 1, Scheme.RELAY)


class Ways:
    """Attempts that take a given time, or fail after it when it is below zero."""

    def __init__(self, **seconds):
        self.seconds = seconds
        self.begun = {}
        self.far_ends = {}

    async def attempt(self, address):
        self.begun[address.host] = trio.current_time()
        seconds = self.seconds[address.host]
        await trio.sleep(abs(seconds))
        if seconds < 0:
            raise NetError(NetCode.NOBODY_LISTENS)
        near, self.far_ends[address.host] = trio.testing.memory_stream_pair()
        return Secured(near, bytes(32), address)

    async def race(self, *addresses):
        return await race(self.attempt, addresses, LIMITS)


async def test_the_first_to_succeed_counts_and_no_stream_is_left_of_another(autojump_clock):
    assert (await Ways(near=3, far=1).race(NEAR, FAR)).address == FAR
    ways = Ways(near=-0.1, relay=0)
    began = trio.current_time()
    assert (await ways.race(NEAR, RELAY)).address == RELAY
    assert trio.current_time() - began == pytest.approx(0.1)
    ways = Ways(near=4, far=4, relay=4)
    began = trio.current_time()
    await ways.race(RELAY, NEAR, FAR)
    assert {host: at - began for host, at in ways.begun.items()} == pytest.approx(
        {"near": 0, "far": LIMITS.stagger, "relay": LIMITS.stagger + LIMITS.relay_stagger}
    )
    failure = await ends_in(NetError, "", Ways(near=-1, far=60).race(NEAR, FAR))
    told = "no-way reasons=[(nobody-listens), (slow-answer address='far:1' seconds=5.0)]"
    assert str(failure) == told
    both = trio.Event()
    far_ends = []

    async def attempt(address):
        await both.wait()
        near, far = trio.testing.memory_stream_pair()
        far_ends.append((address, far))
        return Secured(near, bytes(32), address)

    async def release():
        await trio.sleep(1)
        both.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(release)
        secured = await race(attempt, [NEAR, FAR], LIMITS)
    (cut,) = [far for address, far in far_ends if address != secured.address]
    assert await cut.receive_some() == b""
    near, far = trio.testing.memory_stream_pair()

    async def hanging(address):
        if address == FAR:
            await trio.sleep_forever()
        cancelling.cancel()
        return Secured(near, bytes(32), address)

    with trio.CancelScope() as cancelling:
        await race(hanging, [FAR, NEAR], LIMITS)
    assert cancelling.cancelled_caught
    assert await far.receive_some() == b""


class Links:
    """The links of a node that dials: each attempt ends as it is told, and is noted."""

    def __init__(self, *outcomes: NetError | float) -> None:
        self.outcomes = list(outcomes)
        self.dialled: list[tuple[float, list[Address]]] = []
        self.told: list[bytes] = []
        self.until = 0.0

    async def unlinked(self, peer: bytes) -> None:
        await trio.sleep_until(self.until)

    async def link(self, addresses: list[Address], peer: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self.dialled.append((trio.current_time(), addresses))
        outcome = self.outcomes.pop(0) if self.outcomes else NetError(NetCode.CUT)
        if isinstance(outcome, NetError):
            raise outcome
        self.until = trio.current_time() + outcome

    async def elsewhere(self, peer: bytes) -> None:
        self.told.append(peer)

    def pauses(self) -> list[float]:
        return [later - before for (before, _), (later, _) in pairwise(self.dialled)]


async def dialling(links: Links, seconds: float, *addresses: Address) -> PeerDialler:
    dialler = PeerDialler(PEER, links, LIMITS)
    for address in addresses or (NEAR,):
        dialler.add(address)
    with trio.move_on_after(seconds):
        await dialler.run()
    return dialler


async def test_a_peer_that_is_not_there_is_dialled_ever_more_slowly(autojump_clock):
    links = Links()
    dialler = await dialling(links, 300)
    pauses = links.pauses()
    assert 0.5 * LIMITS.first_pause <= pauses[0] <= LIMITS.first_pause
    assert max(pauses) > LIMITS.longest_pause / 2
    assert max(pauses) <= LIMITS.longest_pause
    assert dialler.trouble == because(NetCode.CUT)


async def test_a_link_that_has_lasted_is_dialled_again_soon_and_one_that_flickers_is_not(
    autojump_clock,
):
    failing = [NetError(NetCode.CUT)] * 5
    lasted = LIMITS.silence + 1
    lasting = Links(*failing, lasted)
    assert (await dialling(lasting, 200)).trouble is not None
    (since,) = [at for number, (at, _) in enumerate(lasting.dialled) if number == len(failing)]
    again = next(at for at, _ in lasting.dialled if at > since)
    assert again - since - lasted <= LIMITS.first_pause
    flickering = Links(*failing, 0.0)
    await dialling(flickering, 200)
    assert flickering.pauses()[len(failing)] > LIMITS.first_pause


async def test_a_new_address_is_dialled_at_once_and_the_oldest_of_too_many_is_forgotten(
    autojump_clock,
):
    many = [Address(f"host{number}", 1) for number in range(LIMITS.addresses_per_peer + 1)]
    links = Links()
    dialler = PeerDialler(PEER, links, LIMITS)
    for address in [*many[:-1], many[0]]:
        dialler.add(address)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dialler.run)
        await trio.sleep(60)
        at = trio.current_time()
        dialler.add(many[-1])
        await trio.testing.wait_all_tasks_blocked()
        dialler.stop()
    assert links.dialled[0][1] == many[:-1]
    assert links.dialled[-1] == (at, many[1:])


async def test_who_is_linked_elsewhere_is_told_and_who_is_full_is_left_alone(autojump_clock):
    links = Links(RefusedError(NetCode.CUT, elsewhere=True), RefusedError(NetCode.CUT, full=True))
    await dialling(links, 120)
    assert links.told == [PEER]
    assert links.pauses()[0] <= LIMITS.first_pause
    assert links.pauses()[1] >= LIMITS.full_pause


@pytest.mark.parametrize("later", [0.0, 0.9])
async def test_a_pause_may_become_longer_while_it_lasts_and_never_shorter(
    autojump_clock, monkeypatch, later
):
    """The peer says once more that it has no room, soon or late in the pause."""
    drawn = iter([2.0, 1.0])
    monkeypatch.setattr("random.uniform", lambda low, high: next(drawn, high))
    links = Links()
    dialler = PeerDialler(PEER, links, LIMITS)
    dialler.add(NEAR)
    dialler.leave_alone()
    again = later * 2 * LIMITS.full_pause
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dialler.run)
        await trio.sleep(again)
        dialler.leave_alone()
        await trio.sleep(5 * LIMITS.full_pause)
        dialler.stop()
    first = links.dialled[0][0]
    assert first == pytest.approx(max(2 * LIMITS.full_pause, again + LIMITS.full_pause))


async def test_without_any_address_that_is_told(autojump_clock):
    await ends_in(NetError, "no-address", Ways().race())
    nobody = [NobodyError(NetCode.NOBODY_LISTENS), NetError(NetCode.CUT)]

    async def attempt(address: Address) -> Secured:
        raise nobody[address is FAR]

    with pytest.raises(NetError) as caught:
        await race(attempt, [NEAR, NEAR], LIMITS)
    assert caught.value.is_final
    with pytest.raises(NetError) as caught:
        await race(attempt, [NEAR, FAR], LIMITS)
    assert not caught.value.is_final
