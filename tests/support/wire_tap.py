"""A recorder of one seat: every frame it posts or hears and every statement it signs.

The tap writes before the frame is queued, so that a SIGKILL leaves out nothing that was sent.
A piece of the file: one letter, four bytes of length, the bytes.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2p_hoity.net.hub import Hub
from p2p_hoity.table.playing.frame_kinds import is_of_game
from p2p_hoity.table.playing.session import Session
from protocol.chain.chain_state import Table
from protocol.wire import peer_frames, signed_messages

POSTED, HEARD, SIGNED = b"P", b"H", b"S"


def tap(path: Path) -> None:
    """Write down what this process signs, posts and hears from now on; the file is added to."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(letter: bytes, data: bytes) -> None:
        os.write(file, letter + len(data).to_bytes(4, "big") + data)

    before(Hub, "post", lambda hub, peer, data, once=False: note(POSTED, data))
    before(Session, "_on_frame", lambda session, peer, data: note(HEARD, data))
    sign = signed_messages.sign

    def signed(*args: Any) -> signed_messages.Message:
        message = sign(*args)
        note(SIGNED, message.encode())
        return message

    signed_messages.sign = signed


def before(owner: type, name: str, act: Callable[..., Any]) -> None:
    """Have a method do this first, with all that it is given."""
    method = getattr(owner, name)

    def doing(*given: Any) -> Any:
        act(*given)
        return method(*given)

    setattr(owner, name, doing)


def pieces(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """(letter, bytes) of a tap's file; what a kill cut off at its end was never posted."""
    data, at = path.read_bytes(), 0
    while at + 5 <= len(data):
        end = at + 5 + int.from_bytes(data[at + 1 : at + 5], "big")
        if end <= len(data):
            yield data[at : at + 1], data[at + 5 : end]
        at = end


@dataclass
class Statements:
    """The statements of all seats of a table by identity: those on the wire, and all signed."""

    wire: dict[tuple[int, ...], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    signed: dict[tuple[int, ...], set[bytes]] = field(default_factory=lambda: defaultdict(set))

    def signed_twice(self) -> list[tuple[int, ...]]:
        """The identities of which two different statements were on the wire: never any."""
        return sorted(key for key, said in self.wire.items() if len(said) > 1)

    def figures(self, seat: int) -> dict[str, int]:
        """Of one seat: its statements on the wire, and those signed anew after a kill had lost
        the first before it was on the disk or on the wire."""
        own = [key for key in self.wire if key[1] == seat]
        lost = [key for key, made in self.signed.items() if key[1] == seat and len(made) > 1]
        return {"statements": len(own), "signed_anew": len(lost)}


def gather(files: Iterable[Path], table: Table) -> Statements:
    """Every statement in these tap files, its signature checked."""
    wire, signed = set[bytes](), set[bytes]()
    for file in files:
        for letter, data in pieces(file):
            if letter == SIGNED:
                signed.add(data)
            elif is_of_game(data):
                frame = peer_frames.parse_frame(data)
                if isinstance(frame, peer_frames.Carry):
                    wire.add(frame.message)
    found = Statements()
    for kept, raws in ((found.wire, wire), (found.signed, signed)):
        for raw in raws:
            message = signed_messages.parse(raw, table.id, table.ids)
            kept[message.identity].add(message.payload)
    return found
