"""A protocol for games of several players with hidden cards and choices, which all players referee.

A driver is the program that runs a seat: it reads frames and the clock, passes them to a
`SeatMachine`, and carries out the effects that the machine returns. It needs only the names of this
module, and a game needs only `protocol.game_interface`. Other packages import nothing else of this
package. `docs/another-game.md` shows a whole driver:

    machine = SeatMachine(Table(header, game), os.urandom, seat, identity, seed)
    machine.start(now)                  # then, as things happen:
    machine.link_up(peer, now)          # a peer with this key is linked; link_down likewise
    machine.receive(frame, now, peer)   # Invalid: drop the link, no seat is to blame
    machine.tick(now)                   # a few times a second
    machine.choose(choice, now)         # after ChoiceAsked; IllegalMove names the rule
    for effect in machine.take(): ...   # after each call: put Records on disk, then Send

Long computations are made within a call, unless a driver asks to run them itself:

    machine.hand_out()                  # once, before start
    while (job := machine.job):         # after each call: no rule runs until it is finished
        machine.finish(job, job.run(), now)

The modules behind the names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from . import measure as measure
    from . import transcript as transcript
    from .chain.chain_state import Kind as Kind
    from .chain.chain_state import Node as Node
    from .chain.chain_state import Table as Table
    from .crypto.hashing import Label as Label
    from .crypto.hashing import digest as digest
    from .crypto.hashing import framed as framed
    from .crypto.identities import Identity as Identity
    from .crypto.identities import check_public as check_public
    from .crypto.identities import fingerprint as fingerprint
    from .crypto.identities import verify_signature as verify_signature
    from .errors import Invalid as Invalid
    from .errors import OtherVersion as OtherVersion
    from .fault_codes import FAULTS as FAULTS
    from .seat import effects as effects
    from .seat.seat_machine import SeatMachine as SeatMachine
    from .seat.timeouts import Wait as Wait
    from .wire import codec as codec
    from .wire import peer_frames as peer_frames
    from .wire import table_header as table_header
    from .wire import vouches as vouches
    from .wire.allowed_text import NOT_PLAIN as NOT_PLAIN
    from .wire.allowed_text import is_one_name as is_one_name
    from .wire.allowed_text import is_plain as is_plain
    from .wire.table_header import Header as Header
    from .wire.table_header import SeatEntry as SeatEntry
    from .wire.table_header import Terms as Terms
    from .wire.table_header import Timeouts as Timeouts
    from .wire.vouches import Vouch as Vouch

_MODULES: Final = {
    "": ("transcript", "measure"),
    "seat.seat_machine": ("SeatMachine",),
    "seat.timeouts": ("Wait",),
    "seat": ("effects",),
    "chain.chain_state": ("Table", "Node", "Kind"),
    "wire.table_header": ("Header", "Terms", "Timeouts", "SeatEntry"),
    "wire.vouches": ("Vouch",),
    "wire": ("table_header", "vouches", "codec", "peer_frames"),
    "crypto.identities": ("Identity", "fingerprint", "verify_signature", "check_public"),
    "crypto.hashing": ("Label", "digest", "framed"),
    "wire.allowed_text": ("is_plain", "is_one_name", "NOT_PLAIN"),
    "errors": ("Invalid", "OtherVersion"),
    "fault_codes": ("FAULTS",),
}
WHERE: Final = {name: module for module, names in _MODULES.items() for name in names}
"""The module that contains each public name. Some public names are modules."""

__all__ = list(WHERE)


def __getattr__(name: str) -> Any:
    """Return a public name, after loading its module.

    Raises:
        AttributeError: If the package has no such public name.
    """
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = f"{__name__}.{WHERE[name]}".rstrip(".")
    try:
        found = import_module(f"{place}.{name}")
    except ModuleNotFoundError as error:
        # Another module that is missing is an error of the installation, and not hidden.
        if error.name != f"{place}.{name}":
            raise
        found = getattr(import_module(place), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names, sorted."""
    return sorted(WHERE)
