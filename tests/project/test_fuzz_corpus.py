"""What the fuzzer starts from is sound, and of every kind that a game says."""

from pathlib import Path

from soak.fuzz_corpus import BODIES, PARSERS, main
from support.machine_table import make_table
from support.toy_game import ToyGame

from protocol.wire import peer_frames, signed_messages, table_header


def test_the_fuzzer_starts_from_sound_inputs(tmp_path: Path) -> None:
    main(str(tmp_path))
    inputs = [path.read_bytes() for path in tmp_path.iterdir()]
    by_name: dict[str, list[bytes]] = {}
    for data in inputs:
        by_name.setdefault(list(PARSERS)[data[0]], []).append(data[1:])
    other = {"value", "payload", "message", "frame", "header", "file", "edition", "talk", "again"}
    assert set(by_name) == other | set(BODIES.values())
    table, _ = make_table(ToyGame(4), 4)
    assert [
        signed_messages.parse(data, table.id, table.ids).encode() for data in by_name["message"]
    ]
    kinds = {
        peer_frames.Carry,
        peer_frames.Fetch,
        peer_frames.Sync,
        peer_frames.Own,
        peer_frames.Told,
    }
    assert {type(peer_frames.parse_frame(data)) for data in by_name["frame"]} == kinds
    assert table_header.parse_header(by_name["header"][0]) == table.header
