"""Asking linked nodes for what is lacking, and answering what they ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from typing import TypeVar

from . import follow, frames
from .desk import Desk
from .messages import Back, Close, Message, Say

T = TypeVar("T", bytes, int)
MAX_FETCH = 512
"""Messages asked for by hash in one frame."""
MAX_CLOSES = 64
MAX_HAVE = 2048
MAX_ANSWER = 4096


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
    if desk.silent_until is not None:
        desk.send(frames.Own(), None)
    if not (desk.finished and not desk.awaited()):
        sync(desk, None)
        _look_for_two_chains(desk)


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """What to ask for after `last`: all in turn, lest what nobody has crowd out the rest."""
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])


def _look_for_two_chains(desk: Desk) -> None:
    if desk.has_begun and follow.unknown_digests(desk.store, desk.view):
        for proof in follow.find_two_chains(desk.store, desk.view):
            desk.convict(proof)


def answer(desk: Desk, frame: frames.FrameBody, peer: bytes | None) -> None:
    """Answer a frame that is a request."""
    match frame:
        case frames.Fetch(hashes, closes):
            _answer_fetch(desk, hashes, closes, peer)
        case frames.Sync(epoch, step, have):
            _answer_sync(desk, epoch, step, set(have), peer)
        case frames.Own():
            _answer_own(desk, peer)


def _answer_fetch(
    desk: Desk, hashes: tuple[bytes, ...], closes: tuple[int, ...], peer: bytes | None
) -> None:
    for digest in hashes[:MAX_FETCH]:
        found = desk.store.find(digest)
        if found is not None:
            desk.carry(found, peer)
    for epoch in closes[:MAX_CLOSES]:
        for message in desk.store.of_epoch(Close, epoch):
            _carry_close(desk, message, peer)


def _carry_close(desk: Desk, message: Message, peer: bytes | None) -> None:
    close = message.statement
    for digest in close.halts if isinstance(close, Close) else ():
        halt = desk.store.find(digest)
        if halt is not None:
            desk.carry(halt, peer)
    desk.carry(message, peer)


def _answer_sync(desk: Desk, epoch: int, step: int, have: set[bytes], peer: bytes | None) -> None:
    for message in _recent(desk, epoch, step)[:MAX_ANSWER]:
        if message.hash[: frames.SHORT] not in have:
            desk.carry(message, peer)


def _answer_own(desk: Desk, peer: bytes | None) -> None:
    if peer in desk.table.ids:
        for message in desk.store.by_seat(desk.table.ids.index(peer)):
            desk.carry(message, peer)
    desk.send(frames.Told(), peer)
