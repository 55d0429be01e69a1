"""Tests of codes: a host and its guests with a relay that may lie, on a virtual clock."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.player_table import PlayerTable
from support.relays import serve_relay
from support.running import running

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.mailbox_numbers import NUMBER
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.protocol_versions import RELAY_VERSIONS
from p2p_hoity.net.relay_client import conversation, speak
from p2p_hoity.net.relay_tls import TlsStream, credentials, secure_from
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.net.transport import cut, encode_frame, read_frame
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import CodeEnd
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.table.gathering import invite_by_code
from p2p_hoity.table.gathering.invite_by_code import ANSWER, CodeKeeper, ticket_by_code
from p2p_hoity.table.gathering.spake2_exchange import GuestExchange, HostExchange
from p2p_hoity.table.gathering.spoken_codes import LIFE, CodeError, SpokenCode, parse_code

SOME = pytest.mark.sampled(1)

TICKET = Ticket(b"h" * 32, ("192.0.2.1:4646",), b"t" * 32, (), b"s" * 16)
WORD = encode_ticket(TICKET)
WRONG = ("lantern", "walrus")


# Relays that lie: each speaks TLS and its challenge, and then does as it likes.

Lie = Callable[[TlsStream, bytes], Awaitable[None]]
SEED = bytes([7]) * 32


WELCOME = Verdict.WELCOME.encode()


class Desk:
    """A host's codes, as its screen is told of them, and guests that ask."""

    def __init__(self, network: MemoryNetwork, places: list[str]) -> None:
        self.network, self.places = network, places
        self.told: list[updates.Update] = []
        self._more = trio.Event()

    def hear(self, update: updates.Update) -> None:
        self.told.append(update)
        self._more.set()

    async def next(self) -> Any:
        """The next thing told."""
        while not self.told:
            self._more = trio.Event()
            await self._more.wait()
        return self.told.pop(0)

    async def code(self) -> updates.OfferedCode:
        told = await self.next()
        assert isinstance(told, updates.OfferedCode), told
        return told

    async def ask(self, code: SpokenCode) -> Ticket:
        return await ticket_by_code(code, self.network)

    async def refused(self, code: SpokenCode) -> str:
        return (await ends_in(CodeError, "", self.ask(code))).code


def spoken(code: updates.OfferedCode) -> SpokenCode:
    """As the guest types it."""
    return parse_code(f"{code.code}@{code.relay}")


def wrong(code: updates.OfferedCode) -> SpokenCode:
    """The right number with other words."""
    return replace(spoken(code), words=WRONG)


@asynccontextmanager
async def desk(relays: int = 1) -> AsyncIterator[tuple[Desk, list[trio.CancelScope]]]:
    """A host with a code at honest relays, each of which can be ended."""
    network, scopes = MemoryNetwork(), []

    async def serve(number: int, task_status: Any) -> None:
        with trio.CancelScope() as scope:
            scopes.append(scope)
            await _relay(network, 4646 + number, task_status)

    async with running() as nursery:
        places = [(await nursery.start(serve, number))[0] for number in range(relays)]
        there = Desk(network, places)
        nursery.start_soon(CodeKeeper(places, lambda: WORD, there.hear, network).run)
        yield there, scopes


async def _relay(network: MemoryNetwork, port: int, task_status: Any) -> None:
    await serve_relay("relay", port, network=network, task_status=task_status)


@pytest.mark.parametrize("end", [CodeEnd.USED, CodeEnd.WRONG, CodeEnd.OLD])
async def test_a_code_is_good_for_one_guess_and_for_some_minutes(end: CodeEnd) -> None:
    async with desk() as (there, _):
        first = await there.code()
        began = trio.current_time()
        assert (first.after, first.seconds) == (None, LIFE)
        if end is CodeEnd.USED:
            assert await there.ask(spoken(first)) == TICKET
        elif end is CodeEnd.WRONG:
            assert await there.refused(wrong(first)) == "code-wrong"
        second = await there.code()
        assert second.after is end
        if end is CodeEnd.OLD:
            assert LIFE - 1 < trio.current_time() - began < LIFE + 2
        assert spoken(second).words != spoken(first).words
        assert await there.refused(spoken(first)) == "code-unknown-there"
        assert await there.ask(spoken(second)) == TICKET


@pytest.mark.parametrize("proves", [True, False])
async def test_who_breaks_off_has_had_the_one_guess(proves: bool) -> None:
    """It has seen the host's message, and left before its own proof, or before that already."""
    async with desk() as (there, _):
        first = await there.code()
        guest = GuestExchange(wrong(first))
        wish = spoken(first).number.to_bytes(NUMBER, "big") + guest.first
        relay = parse_address(first.relay)
        async with conversation(there.network, relay, wish, Limits()) as talk:
            if proves:
                guest.prove(await talk.receive())
            else:
                assert (await there.code()).after is CodeEnd.WRONG
        if proves:
            assert (await there.code()).after is CodeEnd.WRONG
        assert await there.refused(spoken(first)) == "code-unknown-there"


@pytest.mark.parametrize("proves", [True, False])
async def test_who_proves_late_and_closes_later_still_has_used_the_code(proves: bool) -> None:
    """Only the proof has to come in time, not the goodbye after it."""
    async with desk() as (there, _):
        first = await there.code()
        guest = GuestExchange(spoken(first))
        wish = spoken(first).number.to_bytes(NUMBER, "big") + guest.first
        relay = parse_address(first.relay)
        async with conversation(there.network, relay, wish, Limits()) as talk:
            second = await talk.receive()
            await trio.sleep(invite_by_code.EXCHANGE - 1)
            if proves:
                talk.post(guest.prove(second))
                assert guest.open(await talk.receive()) == WORD
            await trio.sleep(2)
        assert (await there.code()).after is (CodeEnd.USED if proves else CodeEnd.WRONG)


async def test_of_two_guests_at_once_one_has_the_ticket() -> None:
    async with desk() as (there, _):
        code = spoken(await there.code())
        got: list[Any] = []

        async def ask() -> None:
            try:
                got.append(await there.ask(code))
            except CodeError as error:
                got.append(error.code)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(ask)
        assert sorted(got, key=str) == sorted([TICKET, "code-unknown-there"], key=str)


async def test_after_wrong_guesses_codes_have_more_words_and_still_lead_to_the_ticket() -> None:
    async with desk() as (there, _):
        for number in range(invite_by_code.WRONG[0]):
            there.network.caller = f"caller{number}"  # of many machines
            code = await there.code()
            assert len(spoken(code).words) == 2
            assert await there.refused(wrong(code)) == "code-wrong"
        told = await there.next()
        assert isinstance(told, updates.NoCode)
        assert (told.reason.code, told.reason.fields["words"]) == ("codes-guessed-at", 3)
        code = await there.code()
        assert code.after is CodeEnd.WRONG
        assert len(spoken(code).words) == 3
        assert await there.ask(spoken(code)) == TICKET
        assert len(spoken(await there.code()).words) == 3


@SOME
async def test_codes_burned_one_after_the_other_come_more_slowly_and_never_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(invite_by_code, "WRONG", (3, 20))
    waits = []
    async with desk() as (there, _):
        for number in range(25):
            there.network.caller = f"caller{number}"
            began = trio.current_time()
            while not isinstance(code := await there.next(), updates.OfferedCode):
                pass
            waits.append(round(trio.current_time() - began))
            assert await there.refused(wrong(code)) == "code-wrong"
        assert len(spoken(code).words) == 4
        assert waits[: invite_by_code.IN_A_ROW + 1] == [0] * (invite_by_code.IN_A_ROW + 1)
        assert waits[invite_by_code.IN_A_ROW + 1 :][:7] == [1, 2, 4, 8, 16, 32, 60]
        assert set(waits[-5:]) == {60}
        assert await there.ask(spoken(await there.code())) == TICKET
        there.network.caller = "another"
        again = await there.code()
        began = trio.current_time()
        assert await there.refused(wrong(again)) == "code-wrong"
        await there.code()
        assert trio.current_time() - began < 1


@SOME
async def test_strangers_from_many_addresses_cost_a_few_codes_and_not_the_last_one() -> None:
    """They know how long numbers are just now, and try them all from every address."""
    draw = random.Random(1)
    async with desk() as (there, _):
        code, burned = await there.code(), 0
        for source in range(40):
            there.network.caller = f"stranger{source}"
            for _ in range(int(RelayLimits().guesses[0])):
                number = draw.randint(1, 10 ** len(str(spoken(code).number)) - 1)
                wish = number.to_bytes(NUMBER, "big") + b"no first message"
                with suppress(NetError):
                    await cut(await speak(there.network, parse_address(there.places[0]), wish))
                await trio.sleep(0.01)
                while there.told:
                    code, burned = await there.code(), burned + 1
        assert 0 < burned <= 5
        there.network.caller = "guest"
        assert await there.ask(spoken(code)) == TICKET


async def test_a_relay_that_restarts_gets_a_fresh_code() -> None:
    async with desk() as (there, scopes):
        first = await there.code()
        scopes[0].cancel()
        lost = await there.next()
        assert isinstance(lost, updates.NoCode)
        assert lost.reason.code == "codes-relay-lost"
        await trio.sleep(100)
        assert there.told == []  # said once, however often it is tried
        assert await there.refused(spoken(first)) == "code-relay-unreached"
        async with running() as nursery:
            await nursery.start(_relay, there.network, 4646)
            second = await there.code()
            assert second.after is CodeEnd.LOST
            assert spoken(second).words != spoken(first).words
            assert await there.ask(spoken(second)) == TICKET


async def test_another_relay_of_the_table_takes_over_and_without_any_it_is_told() -> None:
    async with desk(2) as (there, scopes):
        assert (await there.code()).relay == there.places[0]
        scopes[0].cancel()
        assert isinstance(await there.next(), updates.NoCode)
        second = await there.code()
        assert second.relay == there.places[1]
        assert await there.ask(spoken(second)) == TICKET
    code = SpokenCode(7, WRONG, "nowhere:1")
    await ends_in(CodeError, "code-relay-unreached", ticket_by_code(code, MemoryNetwork()))


@asynccontextmanager
async def lying(lie: Lie, keeps: bool = False) -> AsyncIterator[tuple[Desk, str]]:
    """A relay that gives every wish to a lie, and perhaps a host who keeps a code there."""
    network = MemoryNetwork()
    (listener,) = await network.listen("liar", 1)

    async def attend(raw: trio.abc.Stream) -> None:
        try:
            stream = await secure_from(raw, credentials(SEED))
            await stream.send_all(encode_frame(RELAY_VERSIONS.challenge(bytes(16))))
            wish = await read_frame(stream, 256)
            await lie(stream, wish[2:])
        except (NetError, trio.BrokenResourceError, trio.ClosedResourceError):
            return
        finally:
            await cut(raw)

    async def serve() -> None:
        while True:
            raw, _ = await listener.accept()
            nursery.start_soon(attend, raw)

    async with running(serve) as nursery:
        there = Desk(network, ["liar:1"])
        if keeps:
            nursery.start_soon(CodeKeeper(there.places, lambda: WORD, there.hear, network).run)
        yield there, "liar:1"


async def say(stream: TlsStream, *frames: bytes) -> None:
    for frame in frames:
        await stream.send_all(encode_frame(frame))


async def hear(stream: TlsStream) -> bytes:
    """The next frame that is no heartbeat."""
    while not (frame := await read_frame(stream, 10_000)):
        pass
    return frame


async def test_a_relay_between_them_has_one_guess_at_each_and_both_notice() -> None:
    """It plays the guest to the host, and the host to the guest, with words of its own."""
    outcomes: list[str] = []

    async def lie(stream: TlsStream, wish: bytes) -> None:
        guess = SpokenCode(7, WRONG)
        await say(stream, WELCOME)
        if wish:
            host = HostExchange(guess, WORD)
            await say(stream, host.answer(wish[NUMBER:]))
            try:
                host.give(await hear(stream))
            except CodeError:
                outcomes.append("guest does not know these words")
            return
        await say(stream, (7).to_bytes(NUMBER, "big"))
        guest = GuestExchange(guess)
        await say(stream, guest.first)
        await say(stream, guest.prove(await hear(stream)))
        try:
            await hear(stream)
        except NetError:
            outcomes.append("host does not know these words")
            await trio.sleep_forever()

    async with lying(lie, keeps=True) as (there, _):
        first = await there.code()
        assert (await there.code()).after is CodeEnd.WRONG
        assert await there.refused(spoken(first)) == "code-wrong"
        assert outcomes[0] == "host does not know these words"
        assert outcomes[-1] == "guest does not know these words"


async def test_a_relay_that_reflects_and_replays_burns_codes_and_learns_nothing() -> None:
    kept: list[bytes] = []

    async def lie(stream: TlsStream, wish: bytes) -> None:
        await say(stream, WELCOME, (7).to_bytes(NUMBER, "big"))
        first = kept[0] if kept else GuestExchange(SpokenCode(7, WRONG)).first
        await say(stream, first)
        answer = await hear(stream)
        kept.append(b"A" + answer[1:])  # the host's own point, as if it were a guest's
        await say(stream, answer[1:])
        kept.append(await hear(stream))  # nothing comes

    async with lying(lie, keeps=True) as (there, _):
        assert (await there.code()).after is None
        for _ in range(3):
            assert (await there.code()).after is CodeEnd.WRONG
        assert len([one for one in kept if len(one) > 33]) == 0


@pytest.mark.parametrize(
    "number", [b"", b"\0", (10**9).to_bytes(4, "big"), b"\xff" * 4, b"\0" * 5, b"7-lantern"]
)
async def test_a_relay_that_gives_no_number_is_none(number: bytes) -> None:
    async def lie(stream: TlsStream, wish: bytes) -> None:
        await say(stream, WELCOME, *([number] if number else []))
        await trio.sleep_forever()

    async with lying(lie, keeps=True) as (there, _):
        told = await there.next()
        assert isinstance(told, updates.NoCode)
        assert told.reason.code == "codes-relay-lost"


async def test_one_number_for_two_hosts_burns_a_code_and_no_more() -> None:
    """The relay sends the guest to whichever host it likes."""
    hosts: list[tuple[TlsStream, trio.Event]] = []

    async def lie(stream: TlsStream, wish: bytes) -> None:
        await say(stream, WELCOME)
        if not wish:
            await say(stream, (7).to_bytes(NUMBER, "big"))
            done = trio.Event()
            hosts.append((stream, done))
            await done.wait()
            return
        other, done = hosts[1]
        await say(other, wish[NUMBER:])
        await say(stream, await hear(other))
        await say(other, await hear(stream))
        await ends_in(NetError, "", hear(other))
        done.set()

    async with lying(lie, keeps=True) as (there, place), running() as nursery:
        mine = await there.code()
        second = Desk(there.network, [place])
        theirs = encode_ticket(replace(TICKET, terms=b"u" * 32))
        nursery.start_soon(CodeKeeper([place], lambda: theirs, second.hear, there.network).run)
        assert (await second.code()).after is None
        assert await there.refused(spoken(mine)) == "code-wrong"
        assert (await second.code()).after is CodeEnd.WRONG
        assert there.told == []


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ((), "code-unanswered"),
        ((b"",), "code-unanswered"),
        ((b"B",), "code-message-malformed"),
        ((b"B" + bytes(32),), "code-message-malformed"),
        ((b"x" * 8192,), "code-message-malformed"),
        ((b"x" * 8193,), "code-unanswered"),
    ],
)
async def test_a_relay_that_answers_nonsense_is_told(frames: tuple[bytes, ...], code: str) -> None:
    async def lie(stream: TlsStream, wish: bytes) -> None:
        await say(stream, WELCOME, *frames)
        await trio.sleep_forever()

    async with lying(lie) as (there, place):
        began = trio.current_time()
        assert await there.refused(SpokenCode(7, WRONG, place)) == code
        assert trio.current_time() - began <= ANSWER


async def test_a_host_that_knows_the_words_and_gives_nonsense() -> None:
    async def lie(stream: TlsStream, wish: bytes) -> None:
        host = HostExchange(SpokenCode(7, WRONG), "hoity3nonsense")
        await say(stream, WELCOME, host.answer(wish[NUMBER:]))
        await say(stream, host.give(await hear(stream)))
        await trio.sleep_forever()

    async with lying(lie) as (there, place):
        assert await there.refused(SpokenCode(7, WRONG, place)) == "code-without-ticket"


# At a table.


async def test_a_whole_game_by_code(pair: PlayerTable) -> None:

    async def by_code() -> None:
        await pair.until_heard(updates.OfferedCode, 0)
        ticket = await ticket_by_code(
            spoken(pair.guests[0].heard(updates.OfferedCode)[0]), pair.network
        )
        assert ticket == pair.ticket
        await pair.join(1)

    pair.how = lambda number: {} if number else {"relays": ("relay:4646",)}
    async with running() as nursery:
        await nursery.start(_relay, pair.network, 4646)
        await pair.play({1: by_code})
    assert all(guest.outcome and guest.outcome.standings for guest in pair.guests)
    assert "lantern" not in str(pair.guests[0].told)
    last = pair.guests[0].heard(updates.OfferedCode)[-1]
    assert last.after in (None, CodeEnd.USED)
