"""The door: what a node keeps of what others send, so that no liar can fill its memory.

Kept are: what is wanted by hash and what is one's own; says of the epochs from the one stood in
to one above the promise, a few steps ahead at most; lates, halts, closes and votes from the
epoch stood in to a little above what a quorum wishes, and of each seat the highest late only.
Of anything further ahead only the number is kept, as a wish. Whatever is turned away here is
asked for again, by `Sync`, once it is near.
"""

from __future__ import annotations

from typing import Final

from .desk import Desk
from .messages import Accept, Back, Halt, Late, Message, Say, SealVote

AHEAD: Final = 8
"""How many steps ahead of the followed chain a say may be to be kept."""
EPOCHS_AHEAD: Final = 2
"""How far above the common wish an epoch may be."""


def is_worth_keeping(desk: Desk, message: Message) -> bool:
    """Whether the message is kept; a wish too far ahead is noted as a number."""
    if message.hash in desk.store.wants or message.seat == desk.seat:
        return True
    statement = message.statement
    if isinstance(statement, Back):
        return statement.count <= desk.table.header.terms.returns
    if isinstance(statement, Say):
        return _is_near(desk, statement)
    if isinstance(statement, Late) and statement.epoch <= desk.store.wishes.get(message.seat, 0):
        return False
    if statement.epoch <= desk.ballot.common_wish() + EPOCHS_AHEAD:
        return statement.epoch >= desk.view.epoch
    if isinstance(statement, Late | Halt | Accept | SealVote):
        desk.ballot.note_far(message.seat, statement.epoch)
    return False


def _is_near(desk: Desk, say: Say) -> bool:
    if not desk.view.epoch <= say.epoch <= desk.promise + 1:
        return False
    return say.step <= desk.tip.step + AHEAD
