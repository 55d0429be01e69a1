"""Strangers who try the codes of a relay from many addresses, in memory on a virtual clock.

    python -m soak.guessers [SECONDS] [SOURCES] [HOSTS]

The strangers know no code. They try numbers as fast as the relay lets each address, look up how
long numbers are by waiting for a guest themselves, and break off at each code that they find.
Guests who were told a code type it 20 seconds later. One JSON line for each minute, and one at the
end: how many codes were shown and burned, and how many guests got their ticket.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio
import trio.testing
from support.memory_network import MemoryNetwork
from support.relays import serve_relay

from p2p_hoity.net.addresses import Address, parse_address
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.mailbox_numbers import NUMBER
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import conversation, speak
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.net.transport import StreamListener, cut
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import CodeEnd
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.table.gathering.invite_by_code import CodeKeeper, ticket_by_code
from p2p_hoity.table.gathering.spoken_codes import CodeError, parse_code

TYPING: Final = 20.0
"""Seconds from the moment a code is shown to the one at which a guest has typed it."""
EVERY: Final = 60.0
"""Seconds between two guests of one host."""
SPYING: Final = 5.0
"""Seconds between two looks at how long numbers are."""
WORD: Final = encode_ticket(Ticket(b"h" * 32, ("192.0.2.1:4646",), b"t" * 32, (), b"s" * 16))


class From:
    """The network as one machine has it."""

    def __init__(self, network: MemoryNetwork, machine: str) -> None:
        self._network, self._machine = network, machine

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream as this machine."""
        self._network.caller = self._machine
        return await self._network.open(address)

    def outlet(self) -> None:
        """Nothing."""

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Nowhere."""
        raise NotImplementedError


@dataclass
class Attack:
    """What is known of one attack."""

    place: str
    network: MemoryNetwork = field(default_factory=MemoryNetwork)
    counts: Counter[str] = field(default_factory=Counter)
    most: int = 9
    _numbers: Iterator[int] = field(default_factory=lambda: iter(()))

    @property
    def relay(self) -> Address:
        """Where the relay is."""
        return parse_address(self.place)

    # Strangers.

    def number(self) -> int:
        """The next number that strangers try: each once, in any order, then all anew."""
        found = next(self._numbers, None)
        if found is None or found > self.most:
            tried = random.sample(range(1, self.most + 1), min(self.most, 20_000))
            self._numbers = iter(tried)
            found = next(self._numbers)
        return found

    async def spy(self) -> None:
        """Look up how long numbers are just now."""
        while True:
            with suppress(NetError):
                here = From(self.network, "spy")
                async with conversation(here, self.relay, b"", Limits()) as talk:
                    given = int.from_bytes(await talk.receive(), "big")
                    most = 10 ** len(str(given)) - 1
                    if most > self.most or random.random() < 0.01:
                        self.most, self._numbers = most, iter(())
            await trio.sleep(SPYING)

    async def guess(self, source: int) -> None:
        """Try numbers from one address, at the pace that the relay allows it."""
        limits, here = RelayLimits(), From(self.network, f"stranger{source}")
        tries = 0
        await trio.sleep(random.uniform(0, 1 / limits.guesses[1]))
        while True:
            wish = self.number().to_bytes(NUMBER, "big") + b"no first message"
            with suppress(NetError):
                await cut(await speak(here, self.relay, wish))
            self.counts["tries"] += 1
            tries += 1
            await trio.sleep(0.1 if tries < limits.guesses[0] else 1 / limits.guesses[1])

    # Hosts and guests.

    async def host(self, number: int, nursery: trio.Nursery) -> None:
        """One host whose table fills, and a guest of it from time to time."""
        shown: list[updates.OfferedCode] = []

        def hear(update: updates.Update) -> None:
            if isinstance(update, updates.OfferedCode):
                self.counts["shown"] += 1
                self.counts["burned"] += update.after is CodeEnd.WRONG
                shown[:] = [update]
            elif isinstance(update, updates.NoCode):
                self.counts[update.reason.code] += 1
                shown.clear()

        here = From(self.network, f"host{number}")
        nursery.start_soon(CodeKeeper([self.place], lambda: WORD, hear, here).run)
        while True:
            await trio.sleep(EVERY)
            code = shown[-1] if shown else None
            await trio.sleep(TYPING)
            self.counts["guests"] += 1
            if code is not None:
                with suppress(CodeError):
                    typed = parse_code(f"{code.code}@{code.relay}")
                    await ticket_by_code(typed, From(self.network, f"guest{number}"))
                    self.counts["seated"] += 1
                    self.counts["longest"] = max(self.counts["longest"], len(code.code))


async def attack(seconds: float, sources: int, hosts: int) -> None:
    """Attack a relay at which so many hosts show codes."""
    network = MemoryNetwork()
    async with trio.open_nursery() as nursery:
        (place,) = await nursery.start(partial(serve_relay, "relay", 0, network=network))
        there = Attack(place, network)
        for number in range(hosts):
            nursery.start_soon(there.host, number, nursery)
        await trio.sleep(1)
        nursery.start_soon(there.spy)
        for source in range(sources):
            nursery.start_soon(there.guess, source)
        began = trio.current_time()
        while (passed := trio.current_time() - began) < seconds:
            await trio.sleep(min(EVERY, seconds - passed))
            passed = trio.current_time() - began
            print(json.dumps({"after_s": round(passed), **there.counts}), flush=True)
        nursery.cancel_scope.cancel()


def main(words: Sequence[str]) -> None:
    """Run one attack."""
    seconds, sources, hosts = map(float, [*words, *("300", "200", "4")[len(words) :]])
    clock = trio.testing.MockClock(autojump_threshold=0.0)
    trio.run(attack, seconds, int(sources), int(hosts), clock=clock)


if __name__ == "__main__":
    main(sys.argv[1:])
