"""What a node holds and signs: each message is kept once, each own statement signed once."""

from __future__ import annotations

from ..game_interface import Choice
from ..wire import codec, signed_messages
from ..wire.signed_messages import (
    Accept,
    Close,
    Halt,
    Late,
    Message,
    Say,
    SealVote,
    Statement,
    identity_of,
)
from .effects import Record
from .seat_state import SIGNS, Core

Note = tuple[bytes, str, Choice]
"""What the journal keeps of a choice: digest of the node, kind, choice."""


def hold(core: Core, message: Message) -> bool:
    """Keep a message; False if it was known. The next turn of the rules draws what follows."""
    if not core.store.add(message) and not _keep_close(core, message):
        return False
    if message.seat == core.seat:
        _bind(core, message.statement)
    core.fresh.append(message)
    return True


def _keep_close(core: Core, message: Message) -> bool:
    """A liar may have filled the room for its closes with bad ones; others follow this."""
    known = message.hash in core.store
    return not known and core.votes.is_sound(message) and core.store.add(message, sound=True)


def _bind(core: Core, statement: Statement) -> None:
    """What an own statement binds this seat to."""
    if isinstance(statement, Halt | Accept | SealVote | Say):
        core.raise_promise(statement.epoch)
    if isinstance(statement, Say):
        for (step, _), chosen in core.player_choices.items():
            chosen.burnt = chosen.burnt or statement.step > step


# Signing.


def sign(core: Core, statement: Statement, note: Note | None = None) -> bool:
    """Sign, record, send; never a second statement of one identity ([M-5], [M-6])."""
    if core.seat is None or core.who is None or not may_sign(core, core.seat, statement):
        return False
    message = signed_messages.sign(core.who, core.table.id, core.seat, statement)
    hold(core, message)
    record(core, message, note)
    core.carry(message, None)
    return True


def may_sign(core: Core, seat: int, statement: Statement) -> bool:
    """Whether the state of the seat allows this statement, and nothing it has signed forbids it.

    SPEC: [M-5].
    """
    if core.replaying or type(statement) not in SIGNS[core.state]:
        return False
    if isinstance(statement, Late) and not _says_something(core, statement):
        return False
    return not core.store.versions(identity_of(seat, statement)) and not _may_contradict(
        core, statement
    )


def _says_something(core: Core, late: Late) -> bool:
    """A lower wish than one already signed says nothing, and is not kept; after the last epoch
    there is none to wish.
    """
    return core.store.highest_late(core.seat) < late.epoch <= signed_messages.MAX_EPOCH


def _may_contradict(core: Core, statement: Statement) -> bool:
    """Whether something this seat has forgotten could stand against it ([E-22]).

    After an old journal was restored, a liar may be the only one to hold what was signed
    since, and hide it. It was signed in an epoch that some honest seat has wished, so below
    `floor`: nothing is signed there any more, nor a halt that would have to report it.
    """
    if isinstance(statement, Halt):
        return (statement.lock.epoch if statement.lock else 0) < core.floor
    bound = isinstance(statement, Say | Close | Accept | SealVote)
    return bound and statement.epoch < core.floor  # type: ignore[union-attr]


# The journal.


def record(core: Core, message: Message, note: Note | None = None) -> None:
    """Have a message and the secrets behind it put on disk."""
    if core.replaying:
        return
    fresh: tuple[tuple[bytes, bytes, bytes], ...] = ()
    if message.seat == core.seat and core.own_secrets is not None:
        fresh = tuple((c, *o) for c, o in core.own_secrets.unrecorded())
    core.emit(Record(codec.encode((message.encode(), fresh, note))))


def record_floor(core: Core, floor: int | None) -> None:
    """Have the floor put on disk; None while it is not known yet."""
    if not core.replaying:
        core.emit(Record(codec.encode((b"", (), floor))))
