"""Asking linked nodes for what is lacking, and answering what they ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TypeVar

from ..consensus import evidence, view
from ..consensus.message_store import MessageStore
from ..wire import frames
from ..wire.messages import Close, Message, Say
from . import accusations, leaving
from .core import Core
from .inquiry import FIRST

T = TypeVar("T", bytes, int)
MAX_FETCH = 512
"""Messages asked for by hash in one frame."""
MAX_CLOSES = 64
MAX_HAVE = 4000
MAX_ANSWER = 1 << 20
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
    if not (core.finished and not core.awaited()) or core.is_wished_on():
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
            _note_have(core, have, peer)
            _carry_part(core, _lacking(core, epoch, step, set(have)), peer)
            leaving.tell(core, peer)
        case frames.Own(after):
            _answer_own(core, after, peer)


def _note_have(core: Core, have: tuple[bytes, ...], peer: bytes | None) -> None:
    if peer in core.table.ids:
        core.have[core.table.ids.index(peer)] = frozenset(have)


def note_way(core: Core, message: Message) -> None:
    """Remember of a say that has just come whether it came past its speaker: without a link with
    it, so from a seat that had one ([E-19])."""
    if isinstance(message.statement, Say) and message.seat not in core.links:
        core.behind[message.seat] = message.statement.step


def all_have_end(core: Core) -> bool:
    """Whether every other present seat that this one must answer to has told that it holds the
    last says; those behind others are theirs, once a link that broke had a grace to come back
    ([E-19])."""
    step, last = core.tip.step, _last_says(core)
    theirs = core.behind if core.clocks.lingered_after_end() else {}
    others = {s for s in core.tip.present if s != core.seat and theirs.get(s) != step}
    return all(seat in core.have and last <= core.have[seat] for seat in others)


def _last_says(core: Core) -> frozenset[bytes]:
    """What a `Sync` of a node that holds the end names: the short hashes of the last says."""
    tip = core.tip
    return frozenset(
        message.hash[: frames.SHORT]
        for message in core.store.says(core.view.epoch, tip.step)
        if isinstance(message.statement, Say) and message.statement.on == tip.digest
    )


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
    """What a node may lack, what opens the later epochs first, what may lead nowhere last."""
    held = (*core.store.since(epoch, step), *core.votes.far.values())
    found = (m for m in held if m.hash[: frames.SHORT] not in have)
    on_chain = set(evidence.ancestry(core.tip))
    return sorted(found, key=lambda message: _rank(message, on_chain))


def _rank(message: Message, on_chain: Set[bytes]) -> tuple[int, int, int]:
    statement = message.statement
    if isinstance(statement, Say):
        return 1 if statement.on in on_chain else 2, statement.epoch, statement.step
    return 0, MessageStore.epoch_of(message), 0


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
