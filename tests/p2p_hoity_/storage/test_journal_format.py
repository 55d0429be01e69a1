"""Tests of how a journal is written: its first record, its sealed ones, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cases import each, fails
from support.journals import FIRST, fresh, look, read, write

from p2p_hoity.storage import journal, journal_format
from p2p_hoity.storage.journal_format import (
    MAGIC,
    VERSION,
    EarlierRecord,
    SeatRecord,
    decode_seat_record,
    new_form,
)
from p2p_hoity.storage.player_key import VaultError
from protocol import Invalid, Vouch, codec

FULL = replace(
    FIRST,
    addresses=(("a:1", "b:2"), (), ("relay+c:3",)),
    relays=("c:3",),
    is_open=True,
    hidden=True,
    relay_only=True,
    vouches=(None, Vouch(b"i" * 32, b"s" * 32, b"g" * 64), None),
)


FIELDS = codec.decode(FIRST.encode(), 1 << 16)[1:]


SEALED = "open sesame"


@pytest.mark.parametrize("record", [FIRST, FULL])
def test_what_is_read_is_what_was_written(record: SeatRecord) -> None:
    assert decode_seat_record(record.encode()) == record
    assert record.identity.public == record.table.roster[record.seat].id


def test_it_shows_no_secret() -> None:
    shown = repr(replace(FIRST, secret=b"ticket-secret"))
    assert "ssss" not in shown
    assert repr(FIRST.key)[2:20] not in shown
    assert FIRST.key.hex()[:16] not in shown
    assert "ticket-secret" not in shown


@pytest.mark.parametrize(
    "value",
    [
        ("header", 1, b"s" * 32),
        (FIRST.header, 1, b"s" * 32, ((), (), ()), ":0", (), 0, bytes(64), b"", False),
        (VERSION + 1, FIRST.header, 1),
        (),
        7,
    ],
    ids=["text", "of before", "a later version", "nothing", "no row"],
)
def test_a_record_of_another_version_is_refused_in_words(value: Any, tmp_path: Path) -> None:
    data = codec.encode(value)
    with pytest.raises(EarlierRecord):
        decode_seat_record(data)
    book = fresh(tmp_path)
    book.close()
    book.path.unlink()
    made = new_form(None)
    sealed = made.check(1, made.start, data)
    book.path.write_bytes(MAGIC + made.head + len(data).to_bytes(4, "big") + sealed + data)
    book.path.chmod(0o600)
    fails(journal.JournalError, "journal-of-other-version", look, book.path)
    fails(journal.JournalError, r"unusable .*journal-of-other-version", journal.reopen, book.path)


@pytest.mark.parametrize(
    "fields",
    [
        (FIRST.header,),
        (FIRST.header, 3, *FIELDS[2:]),
        (FIRST.header, 2, *FIELDS[2:]),
        (*FIELDS[:3], bytes(32), *FIELDS[4:]),
        (*FIELDS[:-1], (None, None)),
    ],
    ids=["too few fields", "no such seat", "another seat", "another key", "too few vouches"],
)
def test_a_malformed_record_is_refused(fields: tuple[Any, ...]) -> None:
    with pytest.raises(Invalid, match="record"):
        decode_seat_record(codec.encode((VERSION, *fields)))


@each(range(len(FIELDS)))
def test_a_field_of_another_type_is_refused(number: int) -> None:
    _version, *fields = codec.decode(FIRST.encode(), 1 << 16)
    assert len(fields) == 14
    for wrong in (None, "text" if isinstance(fields[number], int) else 7, (7,)):
        data = codec.encode((VERSION, *fields[:number], wrong, *fields[number + 1 :]))
        with pytest.raises(Invalid, match="record"):
            decode_seat_record(data)


def test_every_torn_tail_is_cut_off_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, b"one", b"two")
    whole = path.read_bytes()
    last = len(b"two") + 4 + journal_format.CHECK
    for size in range(len(whole) - last, len(whole)):
        path.write_bytes(whole[:size])
        _, first, records = read(path)
        assert (first, records) == (FIRST, [b"one"])


def test_neither_the_repr_nor_the_form_shows_a_secret(tmp_path: Path) -> None:
    book = fresh(tmp_path, "open sesame")
    assert "sesame" not in repr(book)
    assert "box" not in repr(book)
    book.close()
    assert "key" not in repr(journal_format.new_form(SEALED))


def test_no_record_is_sealed_without_the_passphrase_or_elsewhere(tmp_path: Path) -> None:
    form = journal_format.new_form(SEALED)
    before, after = form.start, b"x" * journal_format.CHECK
    sealed = form.seal(1, before, b"one")
    assert form.open(1, before, sealed) == b"one"
    for number, check in ((2, before), (1, after)):
        fails(VaultError, "", form.open, number, check, sealed)
    path = write(tmp_path, b"one", passphrase=SEALED)
    with path.open("rb") as file:
        assert file.read(len(MAGIC)) == MAGIC
        guessed = journal_format._form(file.read(journal_format.HEAD), b"", True)
        assert guessed.next(file, 1, guessed.start) is None
