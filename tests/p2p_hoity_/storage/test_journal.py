"""Tests of the journal: what is on disk, what a crash may cost, who may open it."""

import errno
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.journals import FIRST, fill_disk, fresh, look, play_on, read, write
from support.sampling import times

from p2p_hoity.storage import file_store, journal, journal_format, private_files, rollback_marks
from p2p_hoity.storage.journal_format import MAGIC
from p2p_hoity.storage.player_key import VaultError


def test_what_was_appended_is_read_again_by_its_owner_alone(tmp_path: Path) -> None:
    path = write(tmp_path, b"one", b"two")
    assert read(path) == (True, FIRST, [b"one", b"two"])
    path = write(tmp_path / "other", b"one")
    play_on(path, b"two")
    assert read(path) == (True, FIRST, [b"one", b"two"])
    path = write(tmp_path / "third")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    fails(journal.JournalError, "journal-exists", fresh, tmp_path / "third")


def test_a_flipped_bit_ends_the_journal_and_in_the_first_record_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, b"one", b"two")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    assert read(path)[2] == [b"one"]
    path = write(tmp_path / "other", b"one")
    data = bytearray(path.read_bytes())
    data[data.index(FIRST.header)] ^= 4
    path.write_bytes(bytes(data))
    fails(journal.JournalError, "journal-empty", journal.read_first, path)
    fails(journal.JournalError, r"journal-unusable .*journal-empty", journal.reopen, path)


def test_a_bit_flipped_anywhere_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path, b"one", b"two", b"three")
    whole = path.read_bytes()
    for at in range(whole.index(FIRST.header) + len(FIRST.encode()), len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        current, first, records = read(path)
        assert (current, first) == (False, FIRST)
        assert records in ([], [b"one"], [b"one", b"two"])


def test_an_old_copy_or_a_missing_mark_is_noticed_and_one_that_lags_is_fine(tmp_path: Path) -> None:
    path = write(tmp_path, b"one")
    old = path.read_bytes()
    play_on(path, b"two")
    path.write_bytes(old)
    assert read(path)[0] is False
    path = write(tmp_path / "other", b"one")
    rollback_marks.path_of(path).unlink()
    assert read(path)[0] is False
    path = write(tmp_path / "third", b"one")
    mark = rollback_marks.path_of(path).read_bytes()
    play_on(path, b"two")
    rollback_marks.path_of(path).write_bytes(mark)
    assert read(path)[0] is True


def with_a_mark_that_lags(folder: Path, passphrase: str | None = None) -> tuple[Path, list[int]]:
    """A journal of four records whose mark names the first of them, and where each begins."""
    path = write(folder, b"one", passphrase=passphrase)
    mark = rollback_marks.path_of(path).read_bytes()
    ends = [path.stat().st_size]
    book, _, records = journal.reopen(path, passphrase)
    assert list(records) == [b"one"]
    for record in (b"two", b"three" * 3000, b"four"):
        book.append(record)
        book.sync()
        ends.append(path.stat().st_size)
    book.close()
    rollback_marks.path_of(path).write_bytes(mark)
    return path, ends


def put_back(mark: Path, said: bytes) -> None:
    """Write a mark as its owner alone can."""
    mark.write_bytes(said)
    mark.chmod(0o600)


@pytest.mark.parametrize(("passphrase", "step"), [(None, 1), ("secret", 29)])
def test_damage_before_a_whole_record_shows_by_that_record(
    tmp_path: Path, passphrase: str | None, step: int
) -> None:
    """The mark does not tell: the last record that it knows is there."""
    path, (two, three, four, end) = with_a_mark_that_lags(tmp_path, passphrase)
    whole, mark = path.read_bytes(), rollback_marks.path_of(path)
    said, kept = mark.read_bytes(), [b"one", b"two", b"three" * 3000, b"four"]
    assert read(path, passphrase) == (True, FIRST, kept)
    places = [(at, 2) for at in (*range(three, three + 30), four - 1)]
    for at, records in (*((at, 1) for at in range(two, three)), *places)[::step]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        put_back(mark, said)
        assert read(path, passphrase) == (False, FIRST, kept[:records]), at
        assert not mark.exists()
        assert path.read_bytes() == whole[: two if records == 1 else three]
        assert read(path, passphrase)[0] is False
    for size in (*range(two, three), three + 3, four - 1, *range(four, end))[::step]:
        path.write_bytes(whole[:size])
        put_back(mark, said)
        assert read(path, passphrase)[0] is True, size
    for at in range(four, end, step):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        put_back(mark, said)
        assert read(path, passphrase)[0] is True, (
            "the last record may be one that was being written"
        )


def test_what_is_cut_off_behind_damage_is_kept_beside_the_journal_and_goes_with_it(
    tmp_path: Path,
) -> None:
    """The dropped records may be the only proof of what another seat has signed."""
    path, (two, three, _, end) = with_a_mark_that_lags(tmp_path)
    whole, copy = path.read_bytes(), path.with_suffix(".damaged")
    path.write_bytes(whole[: end - 1])
    assert read(path)[0] is True
    assert not copy.exists(), "a record that was being written proves nothing"
    damaged = whole[:two] + bytes([whole[two] ^ 4]) + whole[two + 1 :]
    path.write_bytes(damaged)
    assert read(path)[2] == [b"one"]
    assert path.read_bytes() == whole[:two]
    assert copy.read_bytes() == damaged
    assert b"three" in copy.read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    path.write_bytes(whole[: three - 1] + b"\0" + whole[three:])
    read(path)
    assert copy.read_bytes() == damaged, "the first copy has most"
    journal.forget(path)
    assert not copy.exists(), "it has secrets of the seat"


def test_several_damaged_records_and_bytes_that_are_none_behind_the_end(tmp_path: Path) -> None:
    path, (two, three, four, end) = with_a_mark_that_lags(tmp_path)
    whole, mark = path.read_bytes(), rollback_marks.path_of(path)
    said = mark.read_bytes()
    spoilt = bytearray(whole)
    for at in (three - 1, four - 1):
        spoilt[at] ^= 1
    tails = {
        bytes(spoilt): False,
        whole + bytes(4096): True,
        whole + bytes(range(256)) * 64: True,
        whole[:two] + bytes(end - two): True,
    }
    for data, is_current in tails.items():
        path.write_bytes(data)
        put_back(mark, said)
        assert read(path)[0] is is_current


def test_a_passphrase_seals_every_record_and_the_first_in_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, b"a very secret record", passphrase="open sesame")
    assert b"secret" not in path.read_bytes()
    assert read(path, "open sesame")[2] == [b"a very secret record"]
    path = write(tmp_path / "other", b"one", passphrase=SEALED)
    head, parts = pieces(path.read_bytes())
    path.write_bytes(head + parts[1])
    fails(journal.JournalError, r"\(passphrase-wrong", read, path, SEALED)


@pytest.mark.parametrize("passphrase", [None, "", "wrong"])
def test_a_wrong_passphrase_says_so(tmp_path: Path, passphrase: str | None) -> None:
    path = write(tmp_path, b"one", passphrase="right")
    with pytest.raises(journal.JournalError, match=r"passphrase-wrong|file-sealed"):
        journal.reopen(path, passphrase)
    assert look(path, "right") == (FIRST, [b"one"])
    fails(VaultError, "", look, path, passphrase)


@pytest.mark.parametrize("data", [b"", b"hoity", b"x" * 100, MAGIC, MAGIC + b"\0"])
def test_a_foreign_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.journal"
    private_files.PrivateFiles(path.parent).put(path, data)
    fails(journal.JournalError, "", journal.reopen, path)


def test_a_file_that_is_missing_or_open_to_others_or_a_link_is_refused(tmp_path: Path) -> None:
    fails(journal.JournalError, "journal-unopened", journal.reopen, tmp_path / "none.journal")
    path = write(tmp_path, b"one")
    path.chmod(0o644)
    fails(file_store.NotPrivateError, "chmod 600", journal.reopen, path)
    path = write(tmp_path / "other", b"one")
    path.rename(tmp_path / "other" / "elsewhere")
    path.symlink_to(tmp_path / "other" / "elsewhere")
    fails(journal.JournalError, "journal-unopened", journal.reopen, path)


def test_no_journal_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = fresh(tmp_path)
    book.remove()
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]
    fill_disk(monkeypatch)
    fails(journal.JournalError, f"number={errno.ENOSPC}", fresh, tmp_path)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_full_disk_costs_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = fresh(tmp_path)
    book.append(b"one")
    book.sync()

    fill_disk(monkeypatch)
    book.append(b"two")
    fails(journal.JournalError, f"number={errno.ENOSPC}", book.sync)
    monkeypatch.undo()
    book._file.close()
    assert read(book.path)[2][:1] == [b"one"]


def raise_it(error: Exception) -> Any:
    raise error


def test_after_a_record_that_could_not_be_written_the_journal_is_no_old_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk was full for one record, and then had room again."""
    book = fresh(tmp_path)
    book.append(b"one")
    with monkeypatch.context() as patch:
        full = OSError(errno.ENOSPC, "No space left on device")
        patch.setattr(book._file, "write", lambda entry: raise_it(full))
        fails(journal.JournalError, f"number={errno.ENOSPC}", book.append, b"two")
    book.close()
    again, _, records = journal.reopen(book.path)
    assert list(records) == [b"one"]
    assert again.current
    assert not again.is_older
    again.close()


def test_a_journal_that_cannot_be_opened_for_any_reason_is_not_left_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = fresh(tmp_path)
    book.close()
    errors = [
        file_store.NotPrivateError(private_files.PrivateCode.NO_MODES, path="marks"),
        OSError(errno.EIO, "Input/output error"),
    ]
    for error in errors:
        with monkeypatch.context() as patch:
            patch.setattr(rollback_marks, "read", lambda *_, error=error: raise_it(error))
            with pytest.raises((journal.JournalError, file_store.NotPrivateError)) as caught:
                journal.reopen(book.path)
        assert caught.value
        assert not journal.is_open(book.path)


@settings(max_examples=times(20, 50))
@given(data=st.binary(max_size=200))
def test_any_bytes_are_judged(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.journal"
    private_files.PrivateFiles(path.parent).put(path, MAGIC + b"\0" + data)
    try:
        book, _, records = journal.reopen(path)
    except journal.JournalError:
        return
    assert all(isinstance(record, bytes) for record in records)
    book.close()


def test_a_mark_is_there_before_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked: list[bool] = []
    write_record = journal.Journal._write

    def look(book: journal.Journal, entry: bytes, last: bytes) -> None:
        marked.append(book.mark.exists())
        write_record(book, entry, last)

    monkeypatch.setattr(journal.Journal, "_write", look)
    fresh(tmp_path).close()
    assert marked == [True]


def test_a_mark_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = fresh(tmp_path)
    old = book.mark.read_bytes()

    def crash(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", crash)
    book.append(b"one")
    fails(journal.JournalError, f"number={errno.ENOSPC}", book.sync)
    assert book.mark.read_bytes() == old
    monkeypatch.undo()
    book._file.close()
    assert read(book.path)[0] is True


SEALED = "open sesame"


def pieces(data: bytes) -> tuple[bytes, list[bytes]]:
    """(magic and head, the records with their lengths and checks)."""
    at = len(MAGIC) + journal_format.HEAD
    head, found = data[:at], []
    while at < len(data):
        end = at + 4 + journal_format.CHECK + int.from_bytes(data[at : at + 4], "big")
        found.append(data[at:end])
        at = end
    return head, found


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("order", "left"),
    [
        ([0, 1, 2, 3], [b"one", b"two", b"three"]),
        ([0, 1, 2], [b"one", b"two"]),  # cut at the end
        ([0, 2, 3], []),  # one taken out
        ([0, 1, 3], [b"one"]),
        ([0, 2, 1, 3], []),  # two swapped
        ([0, 1, 1, 2, 3], [b"one"]),  # one said twice
        ([0], []),
    ],
)
def test_gone_or_moved_records_show(tmp_path: Path, order: list[int], left: list[bytes]) -> None:
    path = write(tmp_path, b"one", b"two", b"three", passphrase=SEALED)
    head, parts = pieces(path.read_bytes())
    path.write_bytes(head + b"".join(parts[i] for i in order))
    assert read(path, SEALED) == (order == [0, 1, 2, 3], FIRST, left)


def test_no_record_of_another_journal_under_the_same_passphrase_counts(tmp_path: Path) -> None:
    other = write(tmp_path / "other", b"one", b"two", passphrase=SEALED)
    path = write(tmp_path / "own", b"one", b"two", passphrase=SEALED)
    head, parts = pieces(path.read_bytes())
    path.write_bytes(head + parts[0] + pieces(other.read_bytes())[1][1] + parts[2])
    assert read(path, SEALED) == (False, FIRST, [])
    path.write_bytes(other.read_bytes())  # the whole of another game in its place
    assert read(path, SEALED)[0] is False


def test_a_plain_journal_or_one_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, b"one")
    fails(journal.JournalError, r"\(file-not-sealed", read, path, SEALED)
    assert read(path)[0] is True
    path = tmp_path / "x.journal"
    private_files.PrivateFiles(path.parent).put(path, b"hoity-journal-1\n\0")
    fails(journal.JournalError, r"\(no-journal", journal.reopen, path)


def test_a_look_reads_what_is_there_and_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, b"one", b"two")
    torn = path.read_bytes()[:-1]
    path.write_bytes(torn)
    book, _, _ = journal.reopen(path)
    assert look(path) == (FIRST, [b"one"])
    book.close()
    path.write_bytes(torn)
    assert look(path) == (FIRST, [b"one"])
    assert path.read_bytes() == torn


def test_an_open_journal_is_neither_reopened_nor_forgotten(tmp_path: Path) -> None:
    book = fresh(tmp_path)
    assert journal.is_open(book.path)
    for use in (journal.reopen, journal.forget):
        fails(journal.JournalError, r"\bjournal-in-use", use, book.path)
    book.close()
    assert read(book.path)[0]
    assert not journal.is_open(book.path)
    journal.forget(book.path)
    assert not book.path.exists()
    assert not rollback_marks.path_of(book.path).exists()
    fails(journal.JournalError, "journal-unopened", journal.forget, book.path)
