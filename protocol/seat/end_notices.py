"""The end notices of the seats: by it a seat says that the game's end is final for it."""

from __future__ import annotations

from ..units import PeerId
from ..wire.signed_notices import OVER, EndNotice, check_notice
from .seat_state import SeatState
from .signer import SigningState


def take(state: SeatState, notice: EndNotice, peer: PeerId | None) -> bool:
    """Store an end notice from a peer, and return whether to pass it on as new ([E-29]).

    Raises:
        Invalid: If the notice is not signed by the seat that it names, for this table.
    """
    # A notice that ends setup means nothing to a game that has begun. Known ones are not verified
    # again, which costs a signature.
    seat, is_late = notice.seat, state.has_begun and not notice.is_over
    if seat == state.seat or is_late or state.judge.is_known_end(notice):
        return False
    check_notice(notice, state.table.id, state.table.ids)
    if notice.is_over and seat in state.peers.links and peer != state.table.ids[seat]:
        # Its seat may have signed it before it restored a backup.
        return False
    state.judge.keep_end(notice)
    return True


def tell_end(state: SeatState) -> bool:
    """Tell all peers by a signed notice once the game's end is final for this seat ([E-29]).

    As a rule (`seat_machine.Rule`) it returns that no other one has to run again.
    """
    # Once: `announce_end` keeps the own notice among `ends`.
    is_told = state.seat is None or state.seat in state.judge.ends
    if not is_told and state.signer.state is SigningState.FINISHED:
        state.signer.announce_end(OVER)
    return False
