"""Asking linked nodes for what is lacking, and answering what they ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TypeVar

from ..consensus import evidence, view
from ..consensus.message_store import Store
from ..wire import frames
from ..wire.messages import Back, Close, Message, Say
from .core import Desk
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


def sync(desk: Desk, peer: bytes | None) -> None:
    """Tell a linked node (None: all) where we stand, so that it sends what we lack."""
    first = min(desk.final_step(), desk.tip.step)
    have = [m.hash[: frames.SHORT] for m in _recent(desk, desk.view.epoch, first)]
    desk.send(frames.Sync(desk.view.epoch, first, tuple(have[:MAX_HAVE])), peer)


def _recent(desk: Desk, epoch: int, step: int) -> list[Message]:
    """What a node that stands at this step of this epoch may lack."""
    return [message for message in desk.store if _is_recent(message, epoch, step)]


def _is_recent(message: Message, epoch: int, step: int) -> bool:
    statement = message.statement
    if isinstance(statement, Say):
        older = statement.epoch > 0 and statement.epoch >= epoch
        return older or (statement.epoch, statement.step) >= (epoch, step)
    return isinstance(statement, Back) or statement.epoch >= max(1, epoch)


def ask_again(desk: Desk) -> None:
    """Ask all links for what is lacking."""
    store = desk.store
    if store.wants or store.wanted_closes:
        hashes, closes = desk.asked_last
        hashes = _in_turn(store.wants, hashes, MAX_FETCH)
        closes = _in_turn(store.wanted_closes, closes, MAX_CLOSES)
        desk.asked_last = hashes, closes
        desk.send(frames.Fetch(hashes, closes), None)
    ask_own(desk)
    if not (desk.finished and not desk.awaited()) or _is_wished_on(desk):
        sync(desk, None)
        _look_for_two_chains(desk)


def _is_wished_on(desk: Desk) -> bool:
    """Whether a present seat wishes an epoch beyond this one: it may not know of the end."""
    wishes = desk.ballot.wishes()
    return any(wishes.get(seat, 0) > desk.view.epoch for seat in desk.tip.present)


def ask_own(desk: Desk) -> None:
    """Ask every linked seat that has not told yet for this seat's own statements."""
    for seat in sorted(desk.links):
        ask_own_of(desk, seat)


def ask_own_of(desk: Desk, seat: int) -> None:
    """Ask one seat, if it has not told yet, from where its telling stands."""
    inquiry = desk.inquiry
    if inquiry is not None and seat not in inquiry.told:
        desk.send(frames.Own(inquiry.cursors.get(seat, FIRST)), desk.table.ids[seat])


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """What to ask for after `last`: all in turn, lest what nobody has crowd out the rest."""
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])


def _look_for_two_chains(desk: Desk) -> None:
    if desk.has_begun and view.unknown_digests(desk.store, desk.view):
        for proof in view.find_two_chains(desk.store, desk.view):
            desk.convict(proof)


def answer(desk: Desk, frame: frames.FrameBody, peer: bytes | None) -> None:
    """Answer a frame that is a request."""
    match frame:
        case frames.Fetch(hashes, closes):
            _carry_part(desk, _fetched(desk, hashes, closes), peer)
        case frames.Sync(epoch, step, have):
            _carry_part(desk, _lacking(desk, epoch, step, set(have)), peer)
        case frames.Own(after):
            _answer_own(desk, after, peer)


def _carry_part(desk: Desk, messages: Iterable[Message], peer: bytes | None) -> Message | None:
    """Send as many as one answer may hold; the first that had no room. It is asked for again."""
    room = MAX_ANSWER
    for message in messages:
        room -= len(message.payload) + OVERHEAD
        if room < 0:
            return message
        desk.carry(message, peer)
    return None


def _fetched(desk: Desk, hashes: tuple[bytes, ...], closes: tuple[int, ...]) -> Iterator[Message]:
    found = (desk.store.find(digest) for digest in hashes[:MAX_FETCH])
    yield from (message for message in found if message is not None)
    for epoch in closes[:MAX_CLOSES]:
        for message in desk.store.of_epoch(Close, epoch):
            yield from _with_halts(desk, message)


def _with_halts(desk: Desk, message: Message) -> Iterator[Message]:
    close = message.statement
    for digest in close.halts if isinstance(close, Close) else ():
        halt = desk.store.find(digest)
        if halt is not None:
            yield halt
    yield message


def _lacking(desk: Desk, epoch: int, step: int, have: set[bytes]) -> list[Message]:
    """What a node may lack, what opens the later epochs first, what may lead nowhere last."""
    held = (*_recent(desk, epoch, step), *desk.ballot.far.values())
    found = (m for m in held if m.hash[: frames.SHORT] not in have)
    on_chain = set(evidence.ancestry(desk.tip))
    return sorted(found, key=lambda message: _rank(message, on_chain))


def _rank(message: Message, on_chain: Set[bytes]) -> tuple[int, int, int]:
    statement = message.statement
    if isinstance(statement, Say):
        return 1 if statement.on in on_chain else 2, statement.epoch, statement.step
    return 0, Store.epoch_of(message), 0


def _answer_own(desk: Desk, after: bytes, peer: bytes | None) -> None:
    """What this seat has signed, as far as it is held, and what shows how far the wishes go."""
    if peer not in desk.table.ids:
        desk.send(frames.Told(after), peer)
        return
    seat, store = desk.table.ids.index(peer), desk.store
    if after == FIRST:
        _carry_part(desk, (*store.highest_wishes(), *desk.ballot.far.values()), peer)
    own = sorted((m for m in store.by_seat(seat) if m.hash > after), key=lambda m: m.hash)
    left = _carry_part(desk, own, peer)
    told = own if left is None else own[: own.index(left)]
    desk.send(frames.Told(told[-1].hash if told else after, left is not None), peer)
