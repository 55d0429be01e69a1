"""Floods: well-signed messages and questions without end, by kind.

Each flood is an endless iterator of frames. The seat that sends them plays on meanwhile.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import trio

from p2p_hoity.net.hub import Hub
from p2p_hoity.table.beside_game.chat import pass_on, speak
from protocol.crypto.identities import Identity
from protocol.wire import codec, peer_frames
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    PrepareVote,
    Rejoin,
    Statement,
    StepInput,
)
from protocol.wire.step_bodies import MAX_BODY
from support.inspection import identity_of, store_of, view_of
from support.liars.tales import Liar
from support.machine_table import carried

QUEUE: Final = 1 << 18
"""Bytes that may wait on one link before no more is added."""
BATCH: Final = 16
LARGEST: Final = 1 << 20
"""Bytes of the largest frame that a flooder sends."""

Frames = Iterator[bytes]


def _carry(liar: Liar, statement: Statement) -> bytes:
    return carried(liar.sign(statement))


def far_inputs(liar: Liar) -> Frames:
    """Yield inputs to steps and epochs far ahead, each new and in two versions."""
    for number in itertools.count():
        epoch = (0, 1, 2, 2**31)[number % 4]
        step = liar.machine.tip.step + 9 + number
        for _ in range(2):
            yield _carry(liar, StepInput(epoch, step, os.urandom(32), os.urandom(200)))


def storable_inputs(liar: Liar, size: int = 200) -> Frames:
    """Yield inputs to steps near enough to be stored, on chains that nobody knows."""
    body = os.urandom(size - 8)
    for number in itertools.count():
        step = number // 4 % (liar.machine.tip.step + 8) + 1
        epoch = view_of(liar.machine).epoch + 1
        yield _carry(liar, StepInput(epoch, step, os.urandom(32), body + os.urandom(8)))


def largest_inputs(liar: Liar) -> Frames:
    """Yield the same inputs with the longest bodies there are."""
    return storable_inputs(liar, MAX_BODY)


def requests(liar: Liar) -> Frames:
    """Yield requests of ever higher epochs, with votes, new-epoch messages and rejoins for them."""
    for number in itertools.count(1):
        yield _carry(liar, EpochRequest(number))
        for _ in range(2):
            yield _carry(liar, PrepareVote(number, os.urandom(32)))
            yield _carry(liar, CommitVote(number, os.urandom(32)))
            yield _carry(liar, NewEpoch(number, tuple(os.urandom(32) for _ in range(3))))
        yield _carry(liar, Rejoin(number % 256))


def promises(liar: Liar) -> Frames:
    """Yield epoch promises of the largest size, which list messages that nobody has."""
    names = tuple(sorted(os.urandom(32) for _ in range(4096)))
    for number in itertools.count(1):
        inputs = tuple(sorted({*names[1:], os.urandom(32)}))
        yield _carry(liar, EpochPromise(number // 2 % 4 + 1, None, inputs, None, names[:3000], ()))


def again(liar: Liar) -> Frames:
    """Yield all messages of the table again and again, and an incomplete new-epoch message."""
    yield _carry(liar, NewEpoch(1, tuple(os.urandom(32) for _ in range(3))))
    while True:
        for message in list(store_of(liar.machine)):
            yield carried(message)


def asks(liar: Liar) -> Frames:
    """Yield every kind of question, each for all that there is."""
    while True:
        yield peer_frames.encode_frame(peer_frames.Sync(0, 0, ()))
        yield peer_frames.encode_frame(peer_frames.Own())
        known = [message.hash for message in store_of(liar.machine)]
        yield peer_frames.encode_frame(peer_frames.Fetch(tuple(known[:512]), tuple(range(64))))


def talk(liar: Liar) -> Frames:
    """Yield talk without end: signed, forged, malformed, and of a whole crowd of onlookers."""
    table, seat = liar.machine.table.id, liar.seat
    for number in itertools.count(1):
        word = speak(table, identity_of(liar.machine), seat, number, f"spam {number}")
        yield word.encode()
        yield replace(word, author=liar.machine.table.ids[(seat + 1) % 2]).encode()
        yield word.encode()[:-1]
        guest = speak(table, Identity(os.urandom(32)), seat, number, number % 12)
        yield pass_on(guest, identity_of(liar.machine), number).encode()


def large_frames(liar: Liar) -> Frames:
    """Yield frames of every kind beside the game, each as long as a frame was ever allowed."""
    words = ("talk", "passed", "again", "no-more", "roster", "offer", "table", "something")
    frames_of = [codec.encode((word, bytes(LARGEST - 32))) for word in words]
    yield from itertools.cycle(frames_of)


def large_questions(liar: Liar) -> Frames:
    """Yield the longest questions there are, far more of them than are answered."""
    yield from itertools.repeat(
        peer_frames.encode_frame(peer_frames.Sync(0, 0, (bytes(16),) * 4096))
    )


def large_again(liar: Liar) -> Frames:
    """Yield one message of the largest size, which is stored, again and again."""
    yield from itertools.repeat(next(storable_inputs(liar, MAX_BODY)))


ASIDE: Final = frozenset({"everything", "talk", "large_frames", "large_questions", "large_again"})
"""The floods that are no part of `everything`."""


def everything(liar: Liar) -> Frames:
    """Yield the frames of all floods of the game in turn."""
    kinds = [flood(liar) for name, flood in FLOODS.items() if name not in ASIDE]
    while True:
        for kind in kinds:
            yield from itertools.islice(kind, BATCH)


FLOODS: dict[str, Callable[[Liar], Frames]] = {
    f.__name__: f
    for f in (
        far_inputs,
        storable_inputs,
        largest_inputs,
        requests,
        promises,
        again,
        asks,
        talk,
        large_frames,
        large_questions,
        large_again,
        everything,
    )
}


def _queued(hub: Hub, peer: bytes) -> int:
    """Return the bytes posted to a peer that the system has not taken yet; 0 without a link."""
    standing = hub._admission.get(peer)
    return standing.link._queued_bytes if standing else 0


async def pour(liar: Liar, hub: Hub, kind: str, counts: dict[str, int]) -> None:
    """Send every frame to each of the others as fast as they read, from the deal on."""
    while not liar.machine.has_begun:
        await trio.sleep(0.05)
    flood = FLOODS[kind](liar)
    while True:
        for frame in itertools.islice(flood, BATCH):
            for peer in hub.links():
                if _queued(hub, peer) < QUEUE:
                    hub.post(peer, frame)
                    counts["frames"] = counts.get("frames", 0) + 1
                    counts["bytes"] = counts.get("bytes", 0) + len(frame)
        await trio.sleep(0 if any(_queued(hub, p) < QUEUE for p in hub.links()) else 0.01)
