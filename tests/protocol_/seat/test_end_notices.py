"""End notices: who signs them, over which links they count, and whom they are passed on to."""

import pytest
from support.ended_star import HUB, STEP, ended_star
from support.inspection import forget_end, identity_of
from support.machine_table import MachineTable

from protocol.errors import Invalid
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_notices import OVER, EndNotice


def hear(table: MachineTable, notice: EndNotice, source: int, seat: int = HUB) -> None:
    """Let a seat receive a notice from a linked one."""
    frame = peer_frames.encode_frame(notice)
    table.machine(seat).receive(frame, table.now, table.table.ids[source])


def test_over_a_new_link_a_seat_tells_anew_and_nobody_else_for_it() -> None:
    """It may be an older copy of itself. The first such link begins the wait anew."""
    table = ended_star()
    hub, two = table.machine(HUB), table.table.ids[2]
    notice = signed_notices.sign_notice(
        table.who[2], table.table.id, signed_notices.EndNotice(2, OVER)
    )
    hub.link_up(two, table.now, again=True)
    assert hub.may_leave()
    table.now += STEP - 1
    hub.link_up(two, table.now)
    assert not hub.may_leave()
    hear(table, notice, 1)
    assert not hub.may_leave()
    table.now += 2
    hub.tick(table.now)
    assert not hub.may_leave()
    hear(table, notice, 2)
    assert hub.may_leave()


def test_only_the_seat_itself_signs_its_notice_at_its_table() -> None:
    table = ended_star()
    hub, table_id = table.machine(HUB), table.table.id
    forget_end(hub, 3)
    hub.link_down(table.table.ids[3], table.now)
    one, three = identity_of(table.machine(1)), identity_of(table.machine(3))
    for forged in (
        signed_notices.sign_notice(one, table_id, signed_notices.EndNotice(3, OVER)),
        signed_notices.sign_notice(three, bytes(32), signed_notices.EndNotice(3, OVER)),
        signed_notices.sign_notice(three, table_id, signed_notices.EndNotice(3, OVER, 1)),
        signed_notices.sign_notice(three, table_id, signed_notices.EndNotice(9, OVER)),
        EndNotice(
            3,
            OVER,
            None,
            signed_notices.sign_notice(
                three, table_id, signed_notices.EndNotice(3, "silent-seat")
            ).signature,
        ),
    ):
        with pytest.raises(Invalid):
            hear(table, forged, 1)
    hear(
        table,
        signed_notices.sign_notice(three, table_id, signed_notices.EndNotice(3, "silent-seat", 1)),
        1,
    )
    assert not hub.may_leave()
    hear(table, signed_notices.sign_notice(three, table_id, signed_notices.EndNotice(3, OVER)), 1)
    assert hub.may_leave()
