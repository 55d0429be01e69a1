"""A multi-party protocol for any game with hidden cards and choices, refereed by all who take part.

A driver needs what stands here, a game what stands in `protocol.game_interface`, and nothing above
this package imports anything else of it. A driver reads frames and the clock, hands them to a
`SeatMachine`, and carries out the effects that the machine leaves: `docs/another-game.md` shows one
in full.

    machine = SeatMachine(Table(header, game), os.urandom, seat, identity, seed)
    machine.start(now)                  # then, as things happen:
    machine.link_up(peer, now)          # a node with this key is linked; link_down likewise
    machine.receive(frame, now, peer)   # Invalid: drop the link, no seat is to blame
    machine.tick(now)                   # a few times a second
    machine.choose(choice, now)         # when Asked; IllegalMove names the rule
    for effect in machine.take(): ...   # after each call: put Records on disk, then Send

What takes long is done where it comes up, unless a driver asks to have it handed out and runs it:

    machine.hand_out()                  # once, before start
    while (job := machine.job):         # after each call; rules rest until it is finished
        machine.finish(job, job.run(), now)

What stands here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from . import measure, transcript
    from .chain.chain_state import Kind, Node, Table
    from .crypto.hashing import Label, digest, framed
    from .crypto.identities import SIGNATURE_SIZE, Identity, fingerprint, verify_signature
    from .errors import Invalid, OtherVersion
    from .fault_codes import FAULTS
    from .seat import effects
    from .seat.seat_machine import SeatMachine
    from .seat.timeouts import Wait
    from .wire import codec, peer_frames, table_header
    from .wire.allowed_text import NOT_PLAIN, is_one_name, is_plain
    from .wire.table_header import Header, Patience, SeatEntry, Terms

WHERE: Final = {
    "SeatMachine": "seat.seat_machine",
    "Wait": "seat.timeouts",
    "effects": "seat",
    "Table": "chain.chain_state",
    "Node": "chain.chain_state",
    "Kind": "chain.chain_state",
    "Header": "wire.table_header",
    "Terms": "wire.table_header",
    "Patience": "wire.table_header",
    "SeatEntry": "wire.table_header",
    "table_header": "wire",
    "Identity": "crypto.identities",
    "fingerprint": "crypto.identities",
    "verify_signature": "crypto.identities",
    "SIGNATURE_SIZE": "crypto.identities",
    "Label": "crypto.hashing",
    "digest": "crypto.hashing",
    "framed": "crypto.hashing",
    "codec": "wire",
    "is_plain": "wire.allowed_text",
    "is_one_name": "wire.allowed_text",
    "NOT_PLAIN": "wire.allowed_text",
    "peer_frames": "wire",
    "Invalid": "errors",
    "OtherVersion": "errors",
    "FAULTS": "fault_codes",
    "transcript": "",
    "measure": "",
}
"""Each public name and the module it stands in; a name may be a module itself."""

__all__ = [  # noqa: RUF022 - in the order of use
    "SeatMachine",
    "Wait",
    "effects",
    "Table",
    "Node",
    "Kind",
    "Header",
    "Terms",
    "Patience",
    "SeatEntry",
    "table_header",
    "Identity",
    "fingerprint",
    "verify_signature",
    "SIGNATURE_SIZE",
    "Label",
    "digest",
    "framed",
    "codec",
    "is_plain",
    "is_one_name",
    "NOT_PLAIN",
    "peer_frames",
    "Invalid",
    "OtherVersion",
    "FAULTS",
    "transcript",
    "measure",
]


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for, and kept."""
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _load(name)
    return found


def _load(name: str) -> Any:
    place = f"{__name__}.{WHERE[name]}".rstrip(".")
    try:
        return import_module(f"{place}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{place}.{name}":
            raise
        return getattr(import_module(place), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
