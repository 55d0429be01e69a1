"""What the cryptography of a step has just proved, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from protocol import Kind, Node

from .card_names import Names
from .translation import N_, _

CHECKED: Final[Mapping[Kind, str]] = {
    Kind.KEY_COMMIT: N_("every seat has committed to its key; the shuffles follow"),
    Kind.KEY_REVEAL: N_("keys opened, proofs of knowledge checked"),
    Kind.KEY_OK: N_("backups confirmed by every seat, coin committed"),
    Kind.DECK_OK: N_("every seat confirms the deck"),
    Kind.DEAL: N_("cards dealt, proofs of all shares checked"),
    Kind.SEAL: N_("choices sealed, commitments and escrows checked"),
    Kind.REVEAL: N_("sealed choices opened, each equal to its commitment"),
    Kind.SHOW: N_("exhibit shown, proofs of its shares checked"),
    Kind.OPEN: N_("Collectible turned up, proofs of its shares checked"),
    Kind.OVER: N_("every seat confirms that the game is over"),
    Kind.FINAL: N_("all hands opened, proofs of their shares checked"),
    Kind.RESULT: N_("standings confirmed by every seat"),
}

Nickname = Callable[[int], str]


def proved(before: Node, seconds: float, names: Names) -> str | None:
    """What the step after `before` proved, and how long the check took; None if nothing new."""
    kind = before.want.kind
    if kind == Kind.SHUFFLE:
        return _shuffled(before, seconds, names)
    if kind not in CHECKED:
        return None
    return _(CHECKED[kind]) + _took(seconds)


def _shuffled(before: Node, seconds: float, names: Names) -> str:
    who = min(before.want.speakers, default=0)
    if who == names.mine:
        return _("deck shuffled by you, proof sent")
    text = _("deck shuffled by {who}, proof checked")
    return text.format(who=names.seat(who)) + _took(seconds)


def _took(seconds: float) -> str:
    return _(", {ms} ms").format(ms=round(seconds * 1000)) if seconds > 0 else ""
