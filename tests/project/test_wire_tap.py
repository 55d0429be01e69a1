"""Tests of the tap: what it writes down, and that two statements of one identity are noticed."""

from pathlib import Path

import pytest
from support import wire_tap
from support.machine_table import make_table
from support.toy_game import ToyGame

from protocol.errors import Invalid
from protocol.wire import peer_frames, signed_messages
from protocol.wire.signed_messages import StepInput

TABLE, WHO = make_table(ToyGame(3), 3)
P, H, S = wire_tap.POSTED, wire_tap.HEARD, wire_tap.SIGNED


def tapped(path: Path, *pieces: tuple[bytes, bytes]) -> Path:
    """A tap's file."""
    with path.open("ab") as file:
        for letter, data in pieces:
            file.write(letter + len(data).to_bytes(4, "big") + data)
    return path


def input_of(seat: int, step: int, body: bytes = b"body") -> bytes:
    """Return a signed step input as it is sent."""
    made = signed_messages.sign(WHO[seat], TABLE.id, seat, StepInput(0, step, b"d" * 32, body))
    return made.encode()


def carried(message: bytes) -> bytes:
    return peer_frames.encode_frame(peer_frames.Carry(message))


def test_one_statement_an_identity_however_often_it_travels_or_is_lost(tmp_path: Path) -> None:
    one = tapped(tmp_path / "1", (P, carried(input_of(1, 4))), (P, carried(input_of(1, 5))))
    two = tapped(tmp_path / "2", (H, carried(input_of(1, 4))), (P, carried(input_of(0, 4))))
    found = wire_tap.gather([one, two], TABLE)
    assert found.signed_twice() == []
    assert found.figures(1) == {"statements": 2, "signed_anew": 0}
    assert found.figures(0) == {"statements": 1, "signed_anew": 0}
    lost, kept = (S, input_of(1, 4, b"lost")), (S, input_of(1, 4))
    file = tapped(tmp_path / "3", lost, kept, (P, carried(input_of(1, 4))))
    found = wire_tap.gather([file], TABLE)
    assert found.signed_twice() == []
    assert found.figures(1) == {"statements": 1, "signed_anew": 1}


@pytest.mark.parametrize("letter", [P, H])
def test_two_statements_of_one_identity_are_noticed(tmp_path: Path, letter: bytes) -> None:
    one = tapped(tmp_path / "1", (P, carried(input_of(1, 4))))
    two = tapped(tmp_path / "2", (letter, carried(input_of(1, 4, b"other"))))
    assert wire_tap.gather([one, two], TABLE).signed_twice() == [(1, 1, 0, 4)]


def test_only_whole_statements_of_the_game_count_and_none_that_is_forged(tmp_path: Path) -> None:
    lobby = b"\x92\xa4seat\x01"
    file = tapped(tmp_path / "1", (H, lobby), (P, peer_frames.encode_frame(peer_frames.Own())))
    assert wire_tap.gather([file], TABLE).wire == {}
    file = tapped(tmp_path / "2", (P, b"whole"), (P, b"half of it"))
    file.write_bytes(file.read_bytes()[:-3])
    assert list(wire_tap.pieces(file)) == [(P, b"whole")]
    forged = bytearray(input_of(1, 4))
    forged[-1] ^= 1
    file = tapped(tmp_path / "3", (H, carried(bytes(forged))))
    with pytest.raises(Invalid, match="signature"):
        wire_tap.gather([file], TABLE)
