"""Tests of what a relay notes: counts, and lines that name nobody and fill no disk."""

import io
import re

import pytest
import trio
import trio.testing
from support.busy_relay import CALLER, busy_relay
from support.running import running
from support.street import GUEST, SEAT

from p2p_hoity.relay.relay_log import KEPT_LINES, LATE, LINES, Event, LogWriter, Watch


async def test_all_that_happens_is_counted_and_a_log_names_nobody_unasked(nursery, autojump_clock):
    relay, lines = await busy_relay(nursery)
    events = relay._watch.events
    assert events[Event.CAME] == events[Event.SECURED] == 6
    assert events[Event.SEATED] == events[Event.CALLED] == events[Event.SPLICED] == 1
    assert events[Event.REFUSED] == 2
    assert events[Event.OBSERVED] == 1
    assert events[Event.UNSEATED] == events[Event.PARTED] == 0
    assert relay._watch.refused == {"verdict-full": 1, "verdict-unknown": 1}
    assert relay.calls.carried > 500
    assert [line.split()[1] for line in lines] == ["seated", "spliced", "refused", "refused"]
    text = "\n".join(lines)
    assert re.fullmatch(r"\S+Z refused from=[0-9a-f]{8} verdict=verdict-full", lines[2])
    for hidden in (SEAT.public.hex()[:8], GUEST.public.hex()[:8], CALLER, "secret"):
        assert hidden not in text
    assert Watch()._word(CALLER) != Watch()._word(CALLER)
    _, lines = await busy_relay(nursery, with_addresses=True)
    assert all(f"from={CALLER}" in line for line in lines)


async def test_a_flood_of_events_leaves_few_lines_and_strangers_who_only_come_none(autojump_clock):
    lines = []
    watch = Watch(lines.append)
    for _ in range(10_000):
        watch.note(Event.REFUSED, CALLER, verdict="verdict-full")
    assert len(lines) == LINES[0]
    await trio.sleep(60)
    watch.note(Event.SEATED, CALLER)
    assert f"lines-left-out={10_000 - LINES[0]}" in lines[-1]
    watch.note(Event.SEATED, CALLER)
    assert "left-out" not in lines[-1]
    assert watch.events[Event.REFUSED] == 10_000
    lines = []
    watch = Watch(lines.append)
    for event in (Event.CAME, Event.SECURED, Event.CALLED):
        watch.note(event, CALLER)
    assert lines == []


async def test_lines_are_written_whole_and_a_log_that_nobody_reads_stops_nothing():
    out = io.StringIO()
    writer = LogWriter(out)
    writer.put("one")
    writer.put("two")
    async with running(writer.run):
        while out.getvalue().count("\n") < 2:
            await trio.sleep(0)
    assert out.getvalue() == "one\ntwo\n"

    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    writer = LogWriter(Gone())
    for _ in range(2 * KEPT_LINES):
        writer.put("line")
    assert writer._lines.statistics().current_buffer_used == KEPT_LINES
    async with running(writer.run):
        while writer._lines.statistics().current_buffer_used:
            await trio.sleep(0)


async def test_how_late_the_relay_is_is_counted(nursery, mock_clock):
    watch = Watch()
    nursery.start_soon(watch.look)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(0.25)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(0.25 + 3)
    await trio.testing.wait_all_tasks_blocked()
    assert watch.late[0] == 1
    assert watch.late[LATE.index(5.0)] == 1
    assert watch.lateness == pytest.approx(3)
