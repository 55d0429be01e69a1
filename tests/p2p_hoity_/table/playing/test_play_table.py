"""Tests of what is kept of the events that come before a table is known."""

from support.sampling import BAD_MOMENTS

from p2p_hoity.net.hub import Frame
from p2p_hoity.table.playing.play_table import Backlog


@BAD_MOMENTS
async def test_strangers_cannot_fill_what_waits_for_a_table() -> None:
    large, small = (bytes(1 << 20), 50, Backlog.BYTES >> 20), (b"x", 5000, Backlog.FRAMES)
    for frame, times, most in (large, small):
        waiting = Backlog()
        for _ in range(times):
            waiting.keep(Frame(b"p" * 32, frame))
        assert len(waiting.frames) == most
