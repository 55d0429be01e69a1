"""Files with complaints of the setup, a bad body of the deal, or an escrow that others open.

The rules are those of 7.1 and 7.6. A file with a problem ends with the step in which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from support.forgeries import bodies as make
from support.stream import stream
from vectors.making.judged import Judged, fails, sound
from vectors.making.scripted import Script, dealt
from vectors.making.tables import Plan

from protocol.chain import sealed_choices
from protocol.chain.chain_state import Kind
from protocol.crypto import commitments, escrow
from protocol.wire import codec, step_bodies
from protocol.wire.step_bodies import EMPTY

THIEF, DETECTIVE = 4, 6
"""Places of Action cards in their colour; the first four are Cash."""
CASTLE, HALL = 0, 1


def ended(node: Any) -> bool:
    """Return False: a game goes on to its end."""
    return False


def fields_of(body: bytes) -> list[Any]:
    """Return the fields of a body."""
    return list(codec.decode(body, step_bodies.MAX_BODY))


def with_field(body: bytes, at: int, change: Callable[[Any], Any]) -> bytes:
    """Return a body with one field changed."""
    fields = fields_of(body)
    fields[at] = change(fields[at])
    return codec.encode(tuple(fields))


def last_step(script: Script, seat: int, body: bytes) -> bytes:
    """Return the file that ends with the next step, in which one seat gives this body."""
    bodies = {s: script.body(s) for s in script.tip.want.speakers}
    return script.end_with({**bodies, seat: body}).file()


# The setup (7.1).


def _complained(*unsound: tuple[int, int]) -> Script:
    """Return a table at `key.ok` where the key shares of these (dealer, holder) do not open."""
    script = Script(Plan("judged complaints", "small-4", 3)).step()
    said = {}
    for dealer in range(3):
        holders = [holder for giver, holder in unsound if giver == dealer]
        said[dealer] = with_field(
            script.body(dealer),
            2,
            lambda shares, spoilt=holders: tuple(
                make.flip(share) if holder in spoilt else share
                for holder, share in enumerate(shares)
            ),
        )
    return script.step(said)


def _complaint(script: Script, seat: int, blamed: int, secret: bytes | None = None) -> bytes:
    return codec.encode((blamed, secret or script.secrets[seat].box))


def complaint(blames: dict[int, int], goes_on: bool) -> Callable[[], bytes]:
    """Return what makes the file of a setup with complaints; `goes_on`: a step stands behind."""

    def file() -> bytes:
        script = _complained(*((blamed, seat) for seat, blamed in blames.items()))
        bodies = {seat: _complaint(script, seat, blamed) for seat, blamed in blames.items()}
        script.step(bodies)
        return (script.end_with(dict.fromkeys(range(3), EMPTY)) if goes_on else script).file()

    return file


def _false_complaint(is_sound: bool) -> bytes:
    script = _complained(*(() if is_sound else ((2, 0),)))
    secret = None if is_sound else script.secrets[1].box
    return last_step(script, 0, _complaint(script, 0, 2, secret))


SHARING = (2, 3, "bad-key-sharing")
BLAMES = {
    "0": ({0: 2}, "Seat 0 complains of a key share of seat 2 that does not open"),
    "1": ({1: 2}, "Seat 1 complains of a key share of seat 2 that does not open"),
    "21": (
        {1: 2, 2: 0},
        "Seat 1 complains of seat 2, and seat 2 of seat 0, both rightly: the complaint of the "
        "lowest seat counts",
    ),
}
SETUP: dict[str, Judged] = {
    **{
        f"setup-complaint-{name}": fails(
            complaint(blames, False), "not-final", 4, None, SHARING, what=f"{what} (7.1)."
        )
        for name, (blames, what) in BLAMES.items()
    },
    **{
        f"setup-complaint-{name}-and-on": fails(
            complaint(blames, True),
            "left-over",
            4,
            None,
            SHARING,
            what=f"{what}, and a step stands after the end of the table.",
        )
        for name, (blames, what) in BLAMES.items()
    },
    "setup-complaint-bad-other-key": fails(
        lambda: _false_complaint(False),
        "false-complaint",
        3,
        0,
        what="Seat 0 complains of a key share that does not open, and shows another seat's "
        "transport secret.",
    ),
    "setup-complaint-bad-sound": fails(
        lambda: _false_complaint(True),
        "false-complaint",
        3,
        0,
        what="Seat 0 complains of a key share that is sound.",
    ),
}

# The deal (7.6).


@cache
def _before_deal() -> Script:
    return Script(Plan("judged deal", "small-4", 3)).play(lambda node: node.want.kind is Kind.DEAL)


def deals(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """Return what makes the file that ends with the deal, with a change of seat 1's body."""

    def file() -> bytes:
        script = _before_deal().branch()
        return last_step(script, 1, change(script.body(1)))

    return file


def _shares(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    return deals(lambda body: with_field(body, 1, change))


def _deal(what: str, code: str, file: Callable[[], bytes]) -> Judged:
    return fails(file, code, 8, 1, what=what)


GATHER: dict[str, Judged] = {
    "gather-coin-31": _deal(
        "Seat 1 opens a coin of 31 bytes: the commitment is checked before the size of the coin.",
        "bad-opening",
        deals(lambda body: with_field(body, 0, lambda opening: (opening[0][:31], opening[1]))),
    ),
    "gather-no-opening": _deal(
        "Seat 1 does not open its coin.",
        "bad-body",
        deals(lambda body: with_field(body, 0, lambda opening: None)),
    ),
    "gather-share-e-zero": _deal(
        "The challenge in the proof of seat 1's shares is 0 (7.4).",
        "bad-share",
        _shares(lambda batch: batch[:-64] + bytes(32) + batch[-32:]),
    ),
    "gather-share-point-and-scalar": _deal(
        "A share is a point outside the group, and the response in the proof is too large: the "
        "points go first.",
        "bad-point",
        _shares(lambda batch: make.plus_order(make.off_group(batch))),
    ),
    "gather-share-scalar": _deal(
        "The response in the proof of seat 1's shares has the order added.",
        "bad-scalar",
        _shares(make.plus_order),
    ),
    "gather-share-swapped": _deal(
        "Seat 1's first two shares are exchanged.",
        "bad-share",
        _shares(lambda batch: batch[32:64] + batch[:32] + batch[64:]),
    ),
}

# Escrows that others open (7.6, apply).


def without(script: Script, seat: int) -> Script:
    """Have a seat made absent in the next step."""
    others = [s for s in sorted(script.tip.want.speakers) if s != seat]
    for other in others:
        script.give_input(other, script.body(other))
    signers = [s for s in range(script.table.seats) if s != seat][: script.table.quorum]
    return script.change(signers, timeout=True)


def seals(script: Script, seat: int, choice: bytes, kind: str = "") -> bytes:
    """Return the body by which a seat seals any bytes as its choice."""
    draw = stream("judged", f"seal {seat} {choice.hex()}")
    name = kind or script.tip.want.name
    return sealed_choices.seal_choice(script.tip, seat, name, choice, script.secrets[seat], draw)


def escrowed(name: str, choice: bytes) -> bytes:
    """Return the file in which seat 2 seals bytes that are no choice, and is gone before it opens
    them."""
    script = dealt(3)
    script.play(lambda node: node.want.kind is Kind.SEAL and node.want.name == name)
    owes = sorted(script.tip.want.owes)
    assert 2 in owes
    return without(script.step({2: seals(script, 2, choice)}), 2).play(ended).file()


def _too_long() -> bytes:
    """Seat 2 commits to an Action card in a form of two bytes, of which its escrow has room for
    one, and is gone before it opens it."""
    script = dealt(3).step().step().step()
    node, draw = script.tip, stream("judged", "two bytes")
    assert node.want.name == "action"
    assert 2 in node.want.owes
    nonce, choice = draw(32), b"\xcc\x05"
    context = node.table.context(node.step, 2, "game action")
    padded = nonce + len(choice).to_bytes(2, "big") + choice[:1]
    commitment = commitments.commit(context, choice, nonce)
    held = escrow.encrypt(context, node.keys.joint, commitment, padded)
    body = step_bodies.encode_body(step_bodies.SealBody(commitment, held))
    return without(script.step({2: body}), 2).play(ended).file()


ESCROW: dict[str, Judged] = {
    "esc-action-not-shortest": sound(_too_long, (2, 12, "bad-escrow")),
    "esc-place-empty": sound(
        lambda: escrowed("place", b""),
        (2, 9, "bad-escrow"),
        what="Seat 2 seals no byte as its Place and is gone; the others open it, it is void at the "
        "step of its sealing, and seat 2 sits the round out (9.5).",
    ),
    "esc-place-garbage": sound(
        lambda: escrowed("place", b"\xc1"),
        (2, 9, "bad-escrow"),
        what="Seat 2 seals a byte that is no value as its Place and is gone.",
    ),
}
SETUP_AND_ESCROWS: dict[str, Judged] = {**SETUP, **GATHER, **ESCROW}
"""Name to file."""
