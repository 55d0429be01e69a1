"""Tests of the file of vouches: read whole, for its table alone, and not needed by any game."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.cases import fails
from support.memory_store import MemoryStore

from p2p_hoity.storage.kept_vouches import encode_vouches, keep_vouches, place_of, read_vouches
from protocol import Header, Identity, Invalid, Vouch, codec, table_header, vouches


def test_a_file_of_vouches_is_read_whole_and_for_its_table_alone(tmp_path: Path) -> None:
    key, player = Identity(b"k" * 32), Identity(b"p" * 32)
    terms = table_header.Terms(key.public, bytes(32), (("toy", 1),), 2, 2)
    entry, vouch = vouches.vouched_entry(terms, key, player, "Ada", b"s" * 32)
    other = table_header.sit(terms, Identity(b"o" * 32), "Bob", bytes(32))
    header = Header(terms, (entry, other))
    data = encode_vouches(header.table_id, (vouch, None))
    assert read_vouches(data, header) == (player.public, None)
    for size in range(len(data)):
        fails(Invalid, "bad-encoding", read_vouches, data[:size], header)
    fails(Invalid, "bad-encoding", read_vouches, data + b"\xc0", header)
    turned = Header(terms, (entry, replace(other, nickname="Rob")))
    for wrong, code in (
        (encode_vouches(turned.table_id, (vouch, None)), "bad-vouch"),
        (encode_vouches(header.table_id, (None, vouch)), "bad-vouch"),
        (encode_vouches(header.table_id, (vouch,)), "bad-vouch"),
        (encode_vouches(header.table_id, (replace(vouch, salt=bytes(32)), None)), "bad-vouch"),
        (codec.encode(("hoity-vouches", 2, header.table_id, ())), "bad-vouch"),
        (codec.encode(("hoity-journal", 3, header.table_id, ())), "bad-vouch"),
        (bytes(5_000), "bad-encoding"),
    ):
        fails(Invalid, code, read_vouches, wrong, header)


def test_a_table_has_one_file_if_anybody_has_vouched_and_a_full_disk_ends_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, vouch = b"\xabc" * 16, Vouch(b"i" * 32, b"s" * 32, b"g" * 64)
    files = MemoryStore()
    place = place_of(tmp_path, table)
    assert place == tmp_path / "ab63ab63ab63ab63.vouches"
    keep_vouches(files, tmp_path, table, (None, None))
    assert not files.has(place)
    keep_vouches(files, tmp_path, table, (vouch, None))
    assert files.get(place) == encode_vouches(table, (vouch, None))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "put", full)
    keep_vouches(files, tmp_path, table, (None, vouch))
    assert files.get(place) == encode_vouches(table, (vouch, None))
