"""The memory that a hostile file costs who judges it: little more than the file itself."""

import io
import tracemalloc

from support.cases import each
from support.hostile_files import MADE

from p2p_hoity.game_adapter import read_game
from protocol.transcript.transcript_format import opened
from protocol.transcript.verifier import reached, verify

SIZE = 4_000_000
OVERHEAD = 2_500_000
"""Bytes that all else may take, whatever the file."""


@each(MADE.keys() - {"small_items"}, str)
def test_a_file_takes_no_more_memory_than_its_own_bytes_and_some(kind: str) -> None:
    file = io.BytesIO(MADE[kind](SIZE))
    size = len(file.getbuffer())
    tracemalloc.start()
    try:
        whole = opened(file)
        report = verify(whole, read_game)
        reached(whole, read_game, report)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not report.ok
    held = 0 if kind.startswith("long") else size
    assert peak <= held + OVERHEAD
