"""Two colluding liars: one signs two inputs to a step, the other builds on both chains.

The pact is a file between their homes. The accomplice writes there a second version of its
sealed choice, which it withholds from the others. The liar gives one input on the chain of that
version, in a step in which it owes none, and goes on with the others on theirs. Then the accomplice
shows its second version to all.
"""

import json
import os
from pathlib import Path
from typing import Any

from p2p_hoity.storage.home import home
from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.wire import step_bodies
from protocol.wire.signed_messages import Message, StepInput
from support.inspection import player_choices, secrets_of, view_of
from support.liars.tales import Liar, Told, sealing


def pact() -> Path:
    """Return the path of the file between the two."""
    return home().path.parent / "pact"


def _written() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pact().read_text()) if pact().exists() else {}
    return found


def _write(**words: Any) -> None:
    new = pact().with_suffix(".new")
    new.write_text(json.dumps({**_written(), **words}))
    new.replace(pact())


def two_versions(liar: Liar, message: Message) -> Told | None:
    """Seal a second choice, as the accomplice. Only the liar is shown it at once."""
    word = _written()
    if "spoken" in word:
        return _show_later(liar, message, word)
    found = sealing(liar, message)
    if found is not None:
        step_input, node = found
        choice = player_choices(liar.machine)[node.step, node.want.name].choice
        body = transition.body_of_choice(
            node, liar.seat, choice, secrets_of(liar.machine), os.urandom
        )
        _write(
            seat=liar.seat,
            epoch=step_input.epoch,
            step=step_input.step,
            on=step_input.on.hex(),
            body=body.hex(),
        )
    return None


def _show_later(liar: Liar, message: Message, word: dict[str, Any]) -> Told | None:
    step_input = message.statement
    if isinstance(step_input, StepInput) and step_input.step < word["spoken"] + 2:
        return None
    on, body = bytes.fromhex(word["on"]), bytes.fromhex(word["body"])
    return [liar.sign(StepInput(word["epoch"], word["step"], on, body)), message]


def speak_on_the_other(liar: Liar, node: Node) -> Message | None:
    """Give an input, as the liar, on the chain of the second version, where none is owed."""
    if node.want.kind is not Kind.CHOOSE or liar.seat in node.want.speakers:
        return None
    word, view = _written(), view_of(liar.machine)
    if word.get("epoch") != view.epoch:
        return None
    split = view.path.get(bytes.fromhex(word["on"]))
    if split is None:
        return None
    _write(spoken=node.step)
    other = other_chain(node, split, word["seat"], bytes.fromhex(word["body"]))
    return liar.sign(StepInput(view.epoch, node.step, other, step_bodies.encode_choice(0)))


def other_chain(node: Node, split: Node, seat: int, body: bytes) -> bytes:
    """Return the digest of the chain to `node`, had `seat` given `body` in the step at `split`.

    All other inputs are the same. There is no reconfiguration between the two nodes.
    """
    steps = []
    at = node
    while at.digest != split.digest:
        assert at.slots is not None
        assert at.parent is not None
        steps.append(at.slots)
        at = at.parent
    digest = split.digest
    for number, slots in enumerate(reversed(steps)):
        said = [body if number == 0 and s == seat else slot for s, slot in enumerate(slots)]
        digest = transition.digest_after_step(digest, said)
    return digest
