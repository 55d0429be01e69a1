"""How nodes tell one another what they lack: requests and their answers, and what is passed on.

If each seat passed on all that it hears, each would bring every other each message five times at a
full table of six. So a node names with every `Sync` whom it hears itself. What is lost all the same
is asked for within a second ([L-6]): passing on saves bytes and time, and decides nothing ([L-66]).

SPEC: [M-7], [L-6], [L-66].
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeVar

from ..bounds import Quota
from ..chain.chain_state import Node
from ..consensus import fault_evidence, followed_chain
from ..consensus.message_store import MessageStore
from ..wire import peer_frames
from ..wire.peer_frames import Carry, Sync, encode_frame
from ..wire.signed_messages import Close, Halt, Message, Say
from . import departure_notices, end_notices, fault_judge
from .effects import Send
from .seat_state import FIRST, Core

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
    have = [m.hash[: peer_frames.SHORT] for m in core.store.since(core.view.epoch, first)]
    near = tuple(sorted(core.near))
    core.send(peer_frames.Sync(core.view.epoch, first, tuple(have[:MAX_HAVE]), near), peer)


def ask_again(core: Core) -> None:
    """Ask all links for what is lacking."""
    store = core.store
    if store.wants or store.wanted_closes:
        hashes, closes = core.asked_last
        hashes = _in_turn(store.wants, hashes, MAX_FETCH)
        closes = _in_turn(store.wanted_closes, closes, MAX_CLOSES)
        core.asked_last = hashes, closes
        core.send(peer_frames.Fetch(hashes, closes), None)
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
        core.send(peer_frames.Own(inquiry.cursors.get(seat, FIRST)), core.table.ids[seat])


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """What to ask for after `last`: all in turn, lest what nobody has crowd out the rest."""
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])


def _look_for_two_chains(core: Core) -> None:
    if core.has_begun and followed_chain.unknown_digests(core.store, core.view):
        for proof in followed_chain.find_two_chains(core.store, core.view):
            fault_judge.convict(core, proof)


def answer(core: Core, frame: peer_frames.FrameBody, peer: bytes | None) -> None:
    """Answer a frame that is a request ([L-6])."""
    match frame:
        case peer_frames.Fetch(hashes, closes):
            _carry_part(core, _fetched(core, hashes, closes), peer)
        case peer_frames.Sync(epoch, step, have, _):
            _carry_part(core, _lacking(core, epoch, step, set(have)), peer)
            departure_notices.tell(core, peer)
            end_notices.tell(core, peer)
        case peer_frames.Own(after):
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
    found = [m for m in held if m.hash[: peer_frames.SHORT] not in have]
    on_chain = fault_evidence.ancestry(core.tip)
    return sorted((m for m in found if _is_offered(core, m, on_chain)), key=_rank)


def _is_offered(core: Core, message: Message, on_chain: Mapping[bytes, Node]) -> bool:
    say = message.statement
    if message.seat == core.seat:
        return True
    if isinstance(say, Halt):
        return is_called_for(core, say)
    if not isinstance(say, Say):
        return True
    return say.on in on_chain and is_of_use(core, message, on_chain[say.on])


def _rank(message: Message) -> tuple[bool, int, int]:
    say = message.statement
    step = say.step if isinstance(say, Say) else 0
    return isinstance(say, Say), MessageStore.epoch_of(message), step


def _answer_own(core: Core, after: bytes, peer: bytes | None) -> None:
    """What this seat has signed, as far as it is held, and what shows how far the wishes go.

    SPEC: [L-6].
    """
    if peer not in core.table.ids:
        core.send(peer_frames.Told(after), peer)
        return
    seat, store = core.table.ids.index(peer), core.store
    if after == FIRST:
        _carry_part(core, (*store.highest_wishes(), *core.votes.far.values()), peer)
    own = sorted((m for m in store.by_seat(seat) if m.hash > after), key=lambda m: m.hash)
    left = _carry_part(core, own, peer)
    told = own if left is None else own[: own.index(left)]
    core.send(peer_frames.Told(told[-1].hash if told else after, left is not None), peer)


def hear(core: Core, peer: bytes | None) -> None:
    """A frame has come from a linked node itself."""
    seat = _seat(core, peer)
    if seat in core.links:
        core.near.add(seat)


def note(core: Core, told: Sync, peer: bytes | None) -> None:
    """A linked node says whose words it hears from themselves."""
    if peer is not None:
        core.spared[peer] = frozenset(told.near)


def link_up(core: Core, peer: bytes) -> None:
    """A new link: nothing has come over it yet, either way."""
    core.near.discard(_seat(core, peer))
    core.spared.pop(peer, None)


def link_down(core: Core, peer: bytes) -> None:
    """Its words come past others now, who are told at once."""
    core.spared.pop(peer, None)
    if _seat(core, peer) in core.near:
        core.near.discard(_seat(core, peer))
        core.near_changed = True


def goes_round(core: Core, message: Message) -> bool:
    """Return whether a message that was just stored is passed on to the linked nodes now.

    An input is once its step lies on the followed chain of this epoch: until then nobody can tell
    what it is good for, and a faulty seat could fill the links of the others with such inputs. A
    halt is once t seats wish its epoch, since no honest one is signed before, unless it is too
    long. Each is sent to whoever asks for it by its hash.

    SPEC: [M-7].
    """
    statement = message.statement
    if isinstance(statement, Halt):
        return is_called_for(core, statement)
    if not isinstance(statement, Say):
        return True
    node = core.view.path.get(statement.on) if statement.epoch == core.view.epoch else None
    return node is not None and node.step == statement.step and is_of_use(core, message, node)


def is_of_use(core: Core, message: Message, node: Node) -> bool:
    """Return whether others may need an input that was said at a node of the followed chain.

    They need the first input of a seat that speaks there, and of all else what first proves the
    seat at fault. A faulty seat could sign a second input for each step of the chain otherwise.

    SPEC: [M-7].
    """
    seat, say = message.seat, message.statement
    if isinstance(say, Say) and say.step == node.step and seat in node.want.speakers:
        versions = core.store.versions(message.identity)
        if versions and versions[0].hash == message.hash:
            return True
    proof = core.proofs.get(seat)
    return seat not in core.tip.banned and (proof is None or message.hash in proof.hashes)


def is_called_for(core: Core, halt: Halt) -> bool:
    """Return whether t seats wish the epoch of a halt, as far as is known here, and it is no longer
    than an honest one may be."""
    return halt.epoch <= core.votes.common_wish() and not core.votes.is_too_long(halt)


def pass_on(core: Core, message: Message, peer: bytes | None) -> None:
    """Pass on a message that was just stored, now or once its step is on the followed chain.

    Args:
        core: The node's state.
        message: The message.
        peer: The id of the node that it came from, 32 bytes.
    """
    if goes_round(core, message):
        _send(core, message, peer)
    elif isinstance(message.statement, Say):
        core.deferred.add(message.hash)


def _send(core: Core, message: Message, peer: bytes | None) -> None:
    frame = encode_frame(Carry(message.encode()))
    core.emit(Send(frame, but=not_to(core, message, peer)))


def pass_deferred(core: Core) -> None:
    """Pass on the inputs stored before the followed chain came to their step."""
    for message in core.store.says(core.view.epoch, core.tip.step) if core.deferred else ():
        say = message.statement
        if message.hash in core.deferred and isinstance(say, Say) and say.on == core.tip.digest:
            core.deferred.discard(message.hash)
            if is_of_use(core, message, core.tip):
                _send(core, message, None)


def not_to(core: Core, message: Message, peer: bytes | None) -> frozenset[bytes]:
    """The nodes that a message need not be passed on to: whom it came from, and of a say those who
    hear its author themselves ([M-7]). Votes go round in any case: they are few, and in need."""
    known = frozenset() if peer is None else frozenset((peer,))
    if not isinstance(message.statement, Say):
        return known
    return known.union(p for p, seats in core.spared.items() if message.seat in seats)


def _seat(core: Core, peer: bytes | None) -> int:
    return core.table.ids.index(peer) if peer in core.table.ids else -1
