"""What is kept for the next table, whoever sends without end."""

from p2p_hoity.coded_errors import because
from p2p_hoity.net.hub import Frame, LinkDown
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.table.playing.frames_in import MOST_FRAMES, EarlyEvents

LIAR, HONEST = b"l" * 32, b"h" * 32


def test_a_node_that_sends_without_end_takes_no_room_from_another() -> None:
    early = EarlyEvents()
    for _ in range(4 * MOST_FRAMES):
        early.keep(Frame(LIAR, b"junk"))
    shown, down = Frame(HONEST, b"its table"), LinkDown(LIAR, because(LinkCode.CLOSED))
    early.keep(shown)
    early.keep(down)
    assert len(early.events) == MOST_FRAMES + 2
    assert early.events[-2:] == [shown, down]
