"""Passing on: which linked nodes a new message goes to, and which hear its author themselves.

Without it every seat would bring every other each word of all: at a full table of six, five times.
Who hears an author says so with every `Sync`; what is lost for all that is asked for within a
second ([L-6]), so this saves bytes and time and decides nothing ([L-66]).
"""

from __future__ import annotations

from ..chain.state import Node
from ..wire.frames import Carry, Sync, encode_frame
from ..wire.messages import Halt, Message, Say
from .core import Core
from .effects import Send


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
