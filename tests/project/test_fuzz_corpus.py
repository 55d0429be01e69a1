"""What the fuzzer starts from is sound, and of every kind that a game says."""

from pathlib import Path

from soak.fuzz_corpus import BODIES, PARSERS, main
from support.machine_table import make_table
from support.toy_game import ToyGame

from protocol.wire import frames, header, messages


def test_the_fuzzer_starts_from_sound_inputs(tmp_path: Path) -> None:
    main(str(tmp_path))
    inputs = [path.read_bytes() for path in tmp_path.iterdir()]
    by_name: dict[str, list[bytes]] = {}
    for data in inputs:
        by_name.setdefault(list(PARSERS)[data[0]], []).append(data[1:])
    other = {"value", "payload", "message", "frame", "header", "file", "edition", "talk", "again"}
    assert set(by_name) == other | set(BODIES.values())
    table, _ = make_table(ToyGame(4), 4)
    assert [messages.parse(data, table.id, table.ids).encode() for data in by_name["message"]]
    kinds = {frames.Carry, frames.Fetch, frames.Sync, frames.Own, frames.Told}
    assert {type(frames.parse_frame(data)) for data in by_name["frame"]} == kinds
    assert header.parse_header(by_name["header"][0]) == table.header
