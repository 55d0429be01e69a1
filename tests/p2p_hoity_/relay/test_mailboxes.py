"""Tests of the mailboxes of a relay: one guest each, few and short frames, and bounds on all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.relays import serve_relay
from support.running import running

from p2p_hoity.coded_errors import because
from p2p_hoity.net.addresses import Address, relay_address
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.mailbox_numbers import NUMBER
from p2p_hoity.net.network_errors import NetError, RefusedError
from p2p_hoity.net.relay_client import MOST_FRAME, MOST_FRAMES, Conversation, conversation, speak
from p2p_hoity.relay import mailboxes
from p2p_hoity.relay.mailboxes import Numbers
from p2p_hoity.relay.relay_limits import RelayLimits

pytestmark = pytest.mark.usefixtures("either_door")


class Post:
    """A relay, and conversations through it."""

    def __init__(self, network: MemoryNetwork, place: str) -> None:
        self.network = network
        self.relay: Address = relay_address(place)

    @asynccontextmanager
    async def host(self) -> AsyncIterator[tuple[Conversation, int]]:
        async with conversation(self.network, self.relay, b"", Limits()) as talk:
            yield talk, int.from_bytes(await talk.receive(), "big")

    def guest(self, number: int, first: bytes = b"first") -> Any:
        wish = number.to_bytes(NUMBER, "big") + first
        return conversation(self.network, self.relay, wish, Limits())


@asynccontextmanager
async def post(**limits: Any) -> AsyncIterator[Post]:
    network, given = MemoryNetwork(), RelayLimits(**limits)
    serve = partial(serve_relay, "relay", 0, limits=given, network=network)
    async with running() as nursery:
        (place,) = await nursery.start(serve)
        yield Post(network, place)


async def refused(post: Post, number: int | None) -> str:
    """Why the relay gives no mailbox, or none under this number."""
    with pytest.raises(RefusedError) as error:
        async with post.host() if number is None else post.guest(number):
            pass
    return str(error.value.fields["why"].code)


async def test_frames_pass_between_a_host_and_its_first_guest(autojump_clock: Any) -> None:
    async with post() as there, there.host() as (host, number):
        assert 1 <= number <= 9
        async with there.guest(number) as guest:
            assert await host.receive() == b"first"
            host.post(b"second")
            assert await guest.receive() == b"second"
            guest.post(b"third")
            assert await host.receive() == b"third"
            host.post(b"x" * MOST_FRAME)
            assert await guest.receive() == b"x" * MOST_FRAME
        await ends_in(NetError, "", host.receive())
    async with post() as there, there.host() as (host, number), there.guest(number):
        assert await refused(there, number) == "verdict-unknown"
        assert await host.receive() == b"first"


async def test_nobody_waits_without_a_host_or_a_first_message(autojump_clock: Any) -> None:
    async with post() as there:
        assert await refused(there, 77) == "verdict-unknown"
        assert await refused(there, 2**32 - 1) == "verdict-unknown"
        async with there.host() as (_, number):
            pass
        await trio.sleep(1)
        assert await refused(there, number) == "verdict-unknown"
    async with post() as there, there.host() as (_, number):
        for size in range(1, NUMBER + 1):
            wish = number.to_bytes(NUMBER, "big")[:size]
            error = await ends_in(NetError, "", speak(there.network, there.relay, wish))
            assert not isinstance(error, RefusedError)
        async with there.guest(number):
            pass


async def test_a_host_says_its_last_word_and_none_before_a_guest(autojump_clock: Any) -> None:
    async with post() as there, there.host() as (host, number), there.guest(number) as guest:
        await host.receive()
        host.post(b"last")
        await trio.sleep(0.1)
        host._link.close(because(mailboxes.MailboxEnd.OVER))
        assert await guest.receive() == b"last"
        await ends_in(NetError, "", guest.receive())
    async with post() as there, there.host() as (host, number):
        host.post(b"hello?")
        await ends_in(NetError, "", host.receive())
        assert await refused(there, number) == "verdict-unknown"


async def test_more_frames_than_it_takes_or_one_too_long_end_it(autojump_clock: Any) -> None:
    async with post() as there, there.host() as (host, number), there.guest(number) as guest:
        for _ in range(MOST_FRAMES):  # and the first one
            guest.post(b"more")
        heard: list[bytes] = []
        with suppress(NetError):
            while True:
                heard.append(await host.receive())
        assert 0 < len(heard) <= MOST_FRAMES
    async with post() as there, there.host() as (host, number):
        wide = Limits(frame=2 * MOST_FRAME)
        async with there.guest(number) as guest:
            await host.receive()
            guest._link._limits = wide
            guest.post(b"x" * (MOST_FRAME + 1))
            await ends_in(NetError, "", host.receive())


async def test_a_conversation_and_a_mailbox_last_only_so_long(autojump_clock: Any) -> None:
    life = post(mailbox_talk=30.0)
    async with life as there, there.host() as (host, number), there.guest(number):
        await host.receive()
        began = trio.current_time()
        await ends_in(NetError, "", host.receive())
        assert 29 < trio.current_time() - began < 31
    async with post(mailbox_life=900.0) as there, there.host() as (host, number):
        began = trio.current_time()
        await ends_in(NetError, "", host.receive())
        assert 899 < trio.current_time() - began < 901
        assert await refused(there, number) == "verdict-unknown"


async def test_mailboxes_are_bounded_for_each_machine_and_in_all(autojump_clock: Any) -> None:
    async with post(mailboxes=3, mailboxes_per_source=2) as there:
        async with there.host(), there.host() as (_, second):
            assert await refused(there, None) == "verdict-full"
            there.network.caller = "another"
            async with there.host():
                assert await refused(there, None) == "verdict-full"
            there.network.caller = "caller"
            async with there.guest(second):
                pass
        await trio.sleep(10)
        async with there.host(), there.host():
            pass


async def test_tries_of_one_machine_are_bounded_and_hold_up_nobody(autojump_clock: Any) -> None:
    async with post(guesses=(3, 0.1)) as there, there.host() as (host, number):
        for _ in range(3):
            assert await refused(there, number + 10) == "verdict-unknown"
        for _ in range(20):  # asking on is not held against it
            assert await refused(there, number) == "verdict-full"
        there.network.caller = "another"
        async with there.guest(number):
            assert await host.receive() == b"first"
        there.network.caller = "caller"
        await trio.sleep(10)
        assert await refused(there, number) == "verdict-unknown"


async def test_full_a_relay_has_one_of_the_most_crowded_address_make_room(
    autojump_clock: Any,
) -> None:
    async with post(mailboxes=4) as there, running() as nursery:
        ended = list[int]()

        async def wait() -> None:
            async with there.host() as (host, number):
                with suppress(NetError):
                    await host.receive()
                ended.append(number)

        for _ in range(4):
            nursery.start_soon(wait)
        await trio.sleep(1)
        assert await refused(there, None) == "verdict-full"
        there.network.caller = "another"
        async with there.host() as (host, number), there.host():
            await trio.sleep(1)
            assert len(ended) == 2
            assert await refused(there, None) == "verdict-full"
            there.network.caller = "a third"
            async with there.guest(number):
                assert await host.receive() == b"first"


async def test_who_names_numbers_in_vain_makes_numbers_longer_for_a_while(
    autojump_clock: Any,
) -> None:
    async with post() as there:
        for number in range(60):
            there.network.caller = f"stranger{number}"
            assert await refused(there, number + 100) == "verdict-unknown"
        there.network.caller = "caller"
        numbers = list[int]()
        for _ in range(4):
            async with there.host() as (host, number):
                numbers.append(number)
                there.network.caller = "guest"
                async with there.guest(number):
                    assert await host.receive() == b"first"
                there.network.caller = "caller"
        assert 99 < max(numbers) <= 9999
        await trio.sleep(10 * mailboxes.MEMORY)
        async with there.host() as (_, number):
            assert number <= 9


@given(st.floats(0.001, 1000), st.floats(1, 5000))
def test_who_guesses_at_any_rate_finds_a_number_rarely_while_it_is_good(
    rate: float, seconds: float
) -> None:
    """Misses at a constant rate; the chance is that of all guesses in a memory to come."""
    numbers, misses = Numbers(), min(int(rate * seconds), 3000)
    for miss in range(misses):
        numbers.miss(miss * seconds / misses)
    seen = numbers.misses(seconds)
    drawn = [numbers.draw(set(), 0, seconds) for _ in range(20)]
    assert seen <= misses
    if 20 * seen > 9:
        assert max(drawn) > seen / 2
    coming = rate * mailboxes.MEMORY
    if seconds > 3 * mailboxes.MEMORY and misses < 3000 and coming > 20:
        assert coming / (mailboxes.SPARE * seen) < 1 / 10


def test_numbers_are_short_while_there_are_few_rest_and_are_given_again() -> None:
    numbers, taken = Numbers(), set[int]()
    for _ in range(4):
        taken.add(numbers.draw(taken, len(taken), 0.0))
    assert len(taken) == 4
    assert max(taken) <= 9
    for _ in range(2000):
        taken.add(numbers.draw(taken, len(taken), 0.0))
    assert len(taken) == 2004
    assert max(taken) <= 9999
    numbers = Numbers()
    numbers.rest(5, 0.0)
    assert 5 not in {numbers.draw(set(), 0, mailboxes.REST - 1) for _ in range(200)}
    assert 5 in {numbers.draw(set(), 0, mailboxes.REST + 1) for _ in range(200)}
    numbers = Numbers()
    for number in range(10 * mailboxes.MOST_RESTING):
        numbers.rest(number, 0.0)
    assert len(numbers._resting) == mailboxes.MOST_RESTING
