"""Asking linked nodes for what is lacking, and answering what they ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeVar

from ..bounds import Quota
from ..chain.state import Node
from ..consensus import evidence, view
from ..consensus.message_store import MessageStore
from ..wire import frames
from ..wire.messages import Close, Halt, Message, Say
from . import accusations, end_notices, leaving, passing
from .core import Core
from .inquiry import FIRST

T = TypeVar("T", bytes, int)
MAX_FETCH: Final[Quota] = 512
"""Messages asked for by hash in one frame."""
MAX_CLOSES: Final[Quota] = 64
MAX_HAVE: Final[Quota] = 4000
MAX_ANSWER: Final[Quota] = 1 << 20
"""Bytes of one answer: what a link's queue always has room for. The rest is asked for again."""
OVERHEAD = 128
"""Bytes that a message's signature and frame add, at most."""


def sync(core: Core, peer: bytes | None) -> None:
    """Tell a linked node (None: all) where we stand, so that it sends what we lack ([L-6])."""
    first = min(core.final_step(), core.tip.step)
    have = [m.hash[: frames.SHORT] for m in core.store.since(core.view.epoch, first)]
    near = tuple(sorted(core.near))
    core.send(frames.Sync(core.view.epoch, first, tuple(have[:MAX_HAVE]), near), peer)


def ask_again(core: Core) -> None:
    """Ask all links for what is lacking."""
    store = core.store
    if store.wants or store.wanted_closes:
        hashes, closes = core.asked_last
        hashes = _in_turn(store.wants, hashes, MAX_FETCH)
        closes = _in_turn(store.wanted_closes, closes, MAX_CLOSES)
        core.asked_last = hashes, closes
        core.send(frames.Fetch(hashes, closes), None)
    ask_own(core)
    if not (core.finished and end_notices.all_have_ended(core)) or core.near_changed:
        core.near_changed = False
        sync(core, None)
        _look_for_two_chains(core)


def ask_own(core: Core) -> None:
    """Ask every linked seat that has not told yet for this seat's own statements ([L-6])."""
    for seat in sorted(core.links):
        ask_own_of(core, seat)


def ask_own_of(core: Core, seat: int) -> None:
    """Ask one seat, if it has not told yet, from where its telling stands."""
    inquiry = core.inquiry
    if inquiry is not None and seat not in inquiry.told:
        core.send(frames.Own(inquiry.cursors.get(seat, FIRST)), core.table.ids[seat])


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """What to ask for after `last`: all in turn, lest what nobody has crowd out the rest."""
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])


def _look_for_two_chains(core: Core) -> None:
    if core.has_begun and view.unknown_digests(core.store, core.view):
        for proof in view.find_two_chains(core.store, core.view):
            accusations.convict(core, proof)


def answer(core: Core, frame: frames.FrameBody, peer: bytes | None) -> None:
    """Answer a frame that is a request ([L-6])."""
    match frame:
        case frames.Fetch(hashes, closes):
            _carry_part(core, _fetched(core, hashes, closes), peer)
        case frames.Sync(epoch, step, have, _):
            _carry_part(core, _lacking(core, epoch, step, set(have)), peer)
            leaving.tell(core, peer)
            end_notices.tell(core, peer)
        case frames.Own(after):
            _answer_own(core, after, peer)


def _carry_part(core: Core, messages: Iterable[Message], peer: bytes | None) -> Message | None:
    """Send as many as one answer may hold; the first that had no room. It is asked for again.

    SPEC: [L-30].
    """
    room = MAX_ANSWER
    for message in messages:
        room -= len(message.payload) + OVERHEAD
        if room < 0:
            return message
        core.carry(message, peer)
    return None


def _fetched(core: Core, hashes: tuple[bytes, ...], closes: tuple[int, ...]) -> Iterator[Message]:
    found = (core.store.find(digest) for digest in hashes[:MAX_FETCH])
    yield from (message for message in found if message is not None)
    for epoch in closes[:MAX_CLOSES]:
        for message in core.store.of_epoch(Close, epoch):
            yield from _with_halts(core, message)


def _with_halts(core: Core, message: Message) -> Iterator[Message]:
    close = message.statement
    for digest in close.halts if isinstance(close, Close) else ():
        halt = core.store.find(digest)
        if halt is not None:
            yield halt
    yield message


def _lacking(core: Core, epoch: int, step: int, have: set[bytes]) -> list[Message]:
    """Return what a node may lack: what opens a later epoch first, then inputs on this chain.

    Inputs that lie elsewhere are sent only by their hash: most of them lead nowhere.
    """
    held = (*core.store.since(epoch, step), *core.votes.far.values())
    found = [m for m in held if m.hash[: frames.SHORT] not in have]
    on_chain = evidence.ancestry(core.tip)
    return sorted((m for m in found if _is_offered(core, m, on_chain)), key=_rank)


def _is_offered(core: Core, message: Message, on_chain: Mapping[bytes, Node]) -> bool:
    say = message.statement
    if message.seat == core.seat:
        return True
    if isinstance(say, Halt):
        return passing.is_called_for(core, say)
    if not isinstance(say, Say):
        return True
    return say.on in on_chain and passing.is_of_use(core, message, on_chain[say.on])


def _rank(message: Message) -> tuple[bool, int, int]:
    say = message.statement
    step = say.step if isinstance(say, Say) else 0
    return isinstance(say, Say), MessageStore.epoch_of(message), step


def _answer_own(core: Core, after: bytes, peer: bytes | None) -> None:
    """What this seat has signed, as far as it is held, and what shows how far the wishes go.

    SPEC: [L-6].
    """
    if peer not in core.table.ids:
        core.send(frames.Told(after), peer)
        return
    seat, store = core.table.ids.index(peer), core.store
    if after == FIRST:
        _carry_part(core, (*store.highest_wishes(), *core.votes.far.values()), peer)
    own = sorted((m for m in store.by_seat(seat) if m.hash > after), key=lambda m: m.hash)
    left = _carry_part(core, own, peer)
    told = own if left is None else own[: own.index(left)]
    core.send(frames.Told(told[-1].hash if told else after, left is not None), peer)
