"""Tests of the store over a pool of slots: a crash, a full disk or garbage costs no other file.

What all stores do is tested in `test_file_store.py`.
"""

import errno
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.journals import FIRST
from support.memory_slots import CHANGES, Kept, MemorySlots, PowerFailure, lost, over, whole
from support.memory_store import MemoryStore
from support.no_disk import no_disk
from support.player_table import CALM, PlayerTable, past_round
from support.sampling import times

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import journal
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.slot_store import (
    BLOCK,
    CONTENT,
    LONGEST_PATH,
    SlotFile,
    SlotStore,
)

PLACE, OTHER = Path("/home/a.mark"), Path("/home/b.mark")
JOURNAL = Path("/home/journals/a.journal")
BROKEN = OSError(errno.EIO, "it is broken")


def pool_with(**files: bytes) -> MemorySlots:
    """Return a pool with files, all on disk."""
    pool = MemorySlots()
    store = SlotStore(pool)
    for name, data in files.items():
        store.put(Path("/home", f"{name}.mark"), data)
    return pool


def again(pool: MemorySlots, kept: Kept = lost) -> SlotStore:
    """Return the store as the next start of the program finds it."""
    return SlotStore(pool.after_crash(kept))


def content(store: SlotStore, place: Path = PLACE) -> bytes | None:
    """Return the bytes of a file, None if there is none."""
    return store.get(place) if store.has(place) else None


def changes_of(work: Callable[[MemorySlots], object], make: Callable[[], MemorySlots]) -> range:
    """Return the moments at which the work can be interrupted, and that after its end."""
    pool = make()
    before = pool.changes
    work(pool)
    return range(pool.changes - before + 1)


def remains(pool: MemorySlots) -> list[MemorySlots]:
    """Return what a crash can leave: the first or the last bytes of each unflushed change."""
    ends = [*range(80), *range(CONTENT, CONTENT + 4)]
    ways: list[Kept] = [lambda size, end=end: (0, min(end, size)) for end in ends]
    ways += [lambda size, end=end: (min(end, size), size) for end in ends]
    disks = {tuple(pool.after_crash(kept).disk) for kept in ways}
    return [MemorySlots(disk=disk) for disk in sorted(disks)]


@st.composite
def losses(draw: st.DrawFn) -> Kept:
    """Return what a crash leaves of each unflushed change: nothing, all, or some bytes."""

    def kept(size: int) -> tuple[int, int]:
        start, end = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
        return draw(st.sampled_from([lost(size), whole(size), (0, end), (start, end)]))

    return kept


@pytest.mark.parametrize("old", [None, b"old, and longer than the new one"])
def test_a_crash_in_a_put_leaves_the_old_or_the_new_file(old: bytes | None) -> None:
    def make() -> MemorySlots:
        return pool_with(b=b"other") if old is None else pool_with(b=b"other", a=old)

    def put(pool: MemorySlots) -> None:
        SlotStore(pool).put(PLACE, b"new")

    found = set[bytes | None]()
    for moment in changes_of(put, make):
        pool = make()
        pool.fail_after(moment, PowerFailure())
        with suppress(PowerFailure):
            put(pool)
        for left in remains(pool):
            store = SlotStore(left)
            found.add(content(store))
            assert store.get(OTHER) == b"other"
            store.put(PLACE, b"next")
            assert content(again(left)) == b"next"
    assert found == {old, b"new"}
    assert content(again(pool)) == b"new", "it was on disk before `put` returned"


def test_a_crash_in_an_append_leaves_the_journal_as_it_was_or_with_the_record() -> None:
    def make() -> MemorySlots:
        pool = MemorySlots()
        journal.create(JOURNAL, FIRST, None, SlotStore(pool)).close()
        return pool

    def write(pool: MemorySlots) -> None:
        book, _, _ = journal.reopen(JOURNAL, None, SlotStore(pool))
        book.append(b"one")
        book.sync()

    moments, counts = changes_of(write, make), set[int]()
    for moment in moments:
        pool = make()
        pool.fail_after(moment, PowerFailure())
        with suppress(PowerFailure):
            write(pool)
        for left in remains(pool):
            book, first, records = journal.reopen(JOURNAL, None, SlotStore(left))
            found = [*records]
            assert (first, found in ([], [b"one"]), book.current) == (FIRST, True, True)
            counts.add(len(found))
            assert found or moment < moments[-1], "it is on disk before `sync` returns"
    assert counts == {0, 1}


WORKS = ("put", "grow", "cut", "remove")
WORK = st.lists(
    st.tuples(
        st.sampled_from(WORKS),
        st.sampled_from([PLACE, OTHER]),
        st.binary(max_size=20),
    ),
    min_size=1,
    max_size=8,
)


TROUBLES: dict[str, tuple[Exception | None, tuple[str, ...]]] = {
    "crash": (PowerFailure(), CHANGES),
    "fail": (BROKEN, CHANGES),
    "full": (None, ("write",)),
}


def done(files: dict[Path, bytes], kind: str, place: Path, data: bytes) -> dict[Path, bytes]:
    """Return the files of a store after some work."""
    before = files.get(place, b"")
    match kind:
        case "put":
            after = {place: data}
        case "grow":
            after = {place: before + data}
        case "cut":
            after = {place: before[: len(data)]}
        case _:
            return {path: old for path, old in files.items() if path != place}
    return files | after


def do(store: SlotStore, kind: str, place: Path, data: bytes) -> None:
    """Do some work, and put it on disk."""
    if kind == "put":
        store.put(place, data)
    elif kind == "remove":
        store.remove(place, settle=True)
    else:
        with closing(store.append(place, new=not store.has(place))) as file:
            old = file.read()
            if kind == "grow":
                file.write(data)
            else:
                file.seek(min(len(data), len(old)))
                file.truncate()
            file.sync()


@settings(max_examples=times(60, 600))
@given(WORK, st.integers(0, 60), st.sampled_from([*TROUBLES]), losses())
def test_any_work_that_is_interrupted_is_done_or_not_and_costs_no_other_file(
    work: list[tuple[str, Path, bytes]], moment: int, how: str, kept: Kept
) -> None:
    pool, files = MemorySlots(), dict[Path, bytes]()
    store, number = SlotStore(pool), 0
    error, kinds = TROUBLES[how]
    pool.fail_after(moment, error, 5, kinds)
    with suppress(PowerFailure, OSError):
        for one in work:
            do(store, *one)
            files, number = done(files, *one), number + 1
    mine = work[number][1] if number < len(work) else None
    after = done(files, *work[number]) if mine else files
    left = again(pool, kept)
    for place in (PLACE, OTHER):
        found, possible = content(left, place), [files.get(place), after.get(place)]
        if place == mine and work[number][0] == "grow":
            old, new = possible[0] or b"", possible[1] or b""
            assert found is None or (found[: len(old)] == old and len(found) <= len(new))
        else:
            assert found in possible
    assert {slot for slot in range(4) if left._slots.size(slot)} == {
        file.slot for file in left._files.values()
    }


@given(st.lists(st.binary(max_size=60) | st.binary(max_size=9).map(lambda end: bytes(8188) + end)))
def test_garbage_in_every_slot_is_free_space(garbage: list[bytes]) -> None:
    header = pool_with(a=b"one").disk[0]
    pool = MemorySlots(disk=[*garbage, header[:BLOCK] + b"?" * 9, header[:90], header[1:]])
    store = SlotStore(pool)
    assert store.list(PLACE.parent, "") == [PLACE]
    assert (store.get(PLACE), store.info(PLACE).size) == (b"", 0), "somebody has cut it off"
    store.remove(PLACE)
    assert not any(pool.disk), "what was left of files is nowhere"
    for number in range(pool.count):
        store.put(Path(f"/{number}"), b"%d" % number)
    assert [again(pool).get(Path(f"/{number}")) for number in range(pool.count)] == [
        b"%d" % number for number in range(pool.count)
    ]


def test_a_header_with_any_wrong_byte_is_of_no_file() -> None:
    pool = pool_with(a=b"one", b=b"two")
    header = pool.disk[0][:BLOCK].rstrip(b"\0")
    assert header.endswith(os.fsencode(PLACE))
    for at in range(len(header)):
        torn = over(pool.disk[0], at, bytes([header[at] ^ 1]))
        store = SlotStore(MemorySlots(disk=[torn, *pool.disk[1:]]))
        assert (content(store), content(store, OTHER)) == (None, b"two")
        store.put(PLACE, b"new")
        assert content(again(store._slots)) == b"new"


def two_of_one_path() -> list[bytes]:
    """Return the slots of an older and a newer file with one path, as a crash leaves them."""
    pool = pool_with(a=b"older")
    (older,) = filter(None, pool.disk)
    SlotStore(pool).put(PLACE, b"newer")
    (newer,) = filter(None, pool.disk)
    assert older != newer
    return [older, newer]


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_slots_with_one_path_the_higher_generation_counts(order: int) -> None:
    pool = MemorySlots(disk=[b"", *two_of_one_path()[::order], b""])
    store = SlotStore(pool)
    assert store.list(PLACE.parent, "") == [PLACE]
    assert content(store) == b"newer"
    assert len([*filter(None, pool.disk)]) == 1, "the other one is free, on disk"
    store.put(PLACE, b"newest")
    assert content(again(pool)) == b"newest"
    store.remove(PLACE, settle=True)
    assert content(again(pool)) is None


@pytest.mark.parametrize(("kind", "before"), [("truncate", 0), ("flush", 2)])
def test_an_older_file_that_cannot_be_removed_never_comes_back(kind: str, before: int) -> None:
    pool = pool_with(a=b"older", b=b"other")
    store = SlotStore(pool)
    pool.fail_after(before, BROKEN, kinds={kind})
    store.put(PLACE, b"newer")
    assert content(store) == b"newer", "it is there, so that it would be wrong to say it failed"
    for work in (store.remove, lambda place: store.put(place, b"newest")):
        fails(OSError, "broken", work, PLACE)
        assert content(store) == content(again(pool, whole)) == b"newer"
    pool.fail_after(1, BROKEN, kinds={kind})
    fails(OSError, "broken", store.remove, PLACE)
    pool.mend()
    store.remove(PLACE, settle=True)
    assert content(again(pool)) is None


def test_a_pool_in_which_nothing_can_be_written_can_be_read() -> None:
    opened = MemorySlots(disk=two_of_one_path())
    opened.fail_after(0, BROKEN)
    store = SlotStore(opened)
    assert content(store) == b"newer"
    fails(OSError, "broken", store.remove, PLACE)
    opened.mend()
    store.remove(PLACE)
    assert content(again(opened)) is None


def test_a_failed_put_does_not_win_over_what_is_written_later() -> None:
    pool = pool_with(a=b"old")
    store = SlotStore(pool)
    with closing(store.append(PLACE)) as file:
        pool.fail_after(3, BROKEN)
        fails(OSError, "broken", store.put, PLACE, b"new")
        assert content(again(pool, whole)) == b"new", "its header may be on disk"
        file.read()
        pool.mend()
        file.write(b" and more")
        pool.fail_after(0, BROKEN, kinds={"truncate"})
        fails(OSError, "broken", file.sync)
        pool.mend()
        file.sync()
        assert content(again(pool)) == content(again(pool, whole)) == b"old and more"


def test_a_full_pool_loses_nothing() -> None:
    pool = pool_with(a=b"a", b=b"b", c=b"c", d=b"d")
    store, new = SlotStore(pool), Path("/home/new")
    for work in (store.put, store.append, store.lock):
        more: Any = {store.put: {"data": b""}, store.append: {"new": True}, store.lock: {}}[work]
        assert fails(OSError, "space", work, new, **more).errno == errno.ENOSPC
    assert fails(OSError, "space", store.put, PLACE, b"more").errno == errno.ENOSPC
    with closing(store.append(PLACE)) as file:
        file.write(b"appended")
        file.sync()
    found = again(pool)
    assert found.list(PLACE.parent, "") == [Path(f"/home/{name}.mark") for name in "abcd"]
    assert (found.get(PLACE), found.get(OTHER)) == (b"appended", b"b")
    store.remove(OTHER)
    store.put(PLACE, b"more")
    assert content(again(pool)) == b"more"


@pytest.mark.parametrize("error", [None, OSError(errno.ENOSPC, "no more space")])
@pytest.mark.parametrize("times", [1, 9])
@pytest.mark.parametrize(
    ("write", "part"), [(0, 0), (0, 1), (0, CONTENT), (0, CONTENT + 2), (1, 0), (1, 1), (1, 50)]
)
def test_where_space_runs_out_a_put_changes_nothing(
    error: OSError | None, times: int, write: int, part: int
) -> None:
    """The first write has the bytes, and the second one the header, which takes no more space."""
    pool = pool_with(a=b"old")
    store = SlotStore(pool)
    pool.fail_after(write, error, part, {"write"}, times)
    told = fails(OSError, "space", store.put, PLACE, b"new")
    assert told.errno == errno.ENOSPC
    assert content(store) == content(again(pool, whole)) == b"old"
    assert len([*filter(None, pool.seen)]) == 1, "the space is free again"
    pool.mend()
    store.put(PLACE, b"new")
    assert content(store) == content(again(pool)) == b"new"


@pytest.mark.parametrize("error", [None, OSError(errno.ENOSPC, "no more space")])
@pytest.mark.parametrize("part", [0, 1, 20])
def test_where_space_runs_out_an_open_file_keeps_what_it_has(
    error: OSError | None, part: int
) -> None:
    pool = pool_with(a=b"one")
    store = SlotStore(pool)
    with closing(store.append(PLACE)) as file:
        file.read()
        pool.fail_after(0, error, part, kinds={"write"})
        told = fails(OSError, "space", file.write, b" and what is too long to be written")
        assert (told.errno, file.tell(), content(store)) == (errno.ENOSPC, 3, b"one")
        file.seek(2)
        file.truncate()
        file.sync()
        assert content(again(pool)) == b"on", "to cut off takes no space, nor has the time to fit"
        pool.mend()
        assert file.write(b"ly") == 2
        file.sync()
    assert content(again(pool)) == b"only"
    pool.fail_after(0, error, kinds={"write"})
    store.remove(PLACE)
    assert content(again(pool)) is None, "nor does removing a secret take space"


def test_a_journal_on_a_full_disk_is_stopped_and_has_every_record_that_it_promised() -> None:
    pool = MemorySlots()
    book = journal.create(JOURNAL, FIRST, None, SlotStore(pool))
    book.append(b"one")
    book.sync()
    pool.fail_after(0, None, 7, kinds={"write"})
    fails(journal.JournalError, "journal-stopped", book.append, b"two")
    book.close()
    pool.mend()
    book, _, records = journal.reopen(JOURNAL, None, again(pool, whole))
    assert ([*records], book.current) == ([b"one"], True)


def test_a_number_that_stands_for_an_error_is_not_taken_for_bytes_that_were_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chromium returns 2³² − 8 where the disk is full."""
    pool = pool_with(a=b"old")
    store = SlotStore(pool)
    with closing(store.append(PLACE)) as file:
        monkeypatch.setattr(pool, "write", lambda slot, data, at: 2**32 - 8)
        for work in (lambda: store.put(PLACE, b"new"), lambda: file.write(b"new")):
            assert fails(OSError, "space", work).errno == errno.ENOSPC
    assert content(store) == content(again(pool)) == b"old"


def test_the_longest_path_fits_in_a_header_and_no_longer_one() -> None:
    pool = MemorySlots()
    store, longest = SlotStore(pool), Path("/" + "é" * ((LONGEST_PATH - 1) // 2) + "e")
    assert len(str(longest).encode()) == LONGEST_PATH
    store.put(longest, b"content")
    assert (again(pool).get(longest), again(pool).list(Path("/"), "e")) == (b"content", [longest])
    for work in (lambda path: store.put(path, b""), lambda path: store.append(path, new=True)):
        told = fails(OSError, "too long", work, longest.with_name(longest.name + "e"))
        assert told.errno == errno.ENAMETOOLONG


def test_a_path_through_other_folders_is_that_of_the_same_file() -> None:
    store = SlotStore(MemorySlots())
    store.put(Path("/home/journals/../a.mark"), b"one")
    assert store.get(PLACE) == store.get(Path("/else/../home/./a.mark")) == b"one"
    assert store.real(Path("/home/journals/../a.mark")) == PLACE
    folder = Path("/home/journals/..")
    assert store.list(folder, ".mark") == [folder / "a.mark"]


def test_a_copy_that_is_put_back_is_another_file_also_in_the_same_slot() -> None:
    pool = MemorySlots()
    store = SlotStore(pool)
    with closing(store.append(PLACE, new=True)) as file:
        number = file.number
    with closing(again(pool).append(PLACE)) as file:
        assert file.number == number < 2**64
    slots = [*map(bool, pool.disk)]
    store.remove(PLACE)
    pool = pool.after_crash(lost)
    store = SlotStore(pool)
    with closing(store.append(PLACE, new=True)) as file:
        assert (file.number != number, [*map(bool, pool.disk)]) == (True, slots)

    journal.create(JOURNAL, FIRST, None, store).close()
    assert journal.reopen(JOURNAL, None, again(store._slots))[0].current
    copy = store.get(JOURNAL)
    store.remove(JOURNAL)
    store = again(store._slots)
    store.put(JOURNAL, copy)
    assert not journal.reopen(JOURNAL, None, store)[0].current


def test_the_time_of_the_last_change_outlives_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9, 10**10, 10**9))
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    pool = pool_with(a=b"one")
    store = SlotStore(pool)
    made = store.info(PLACE)
    assert made == again(pool).info(PLACE)
    for change in (lambda file: file.write(b"more"), SlotFile.truncate):
        with closing(store.append(PLACE)) as file:
            before = store.info(PLACE).changed
            change(file)
            assert before < store.info(PLACE).changed
            file.sync()
            assert store.info(PLACE) == again(pool).info(PLACE)
            change(file)
        assert store.info(PLACE) == again(pool, whole).info(PLACE)
    for at in range(BLOCK, BLOCK + 24):
        slot = next(slot for slot in range(4) if pool.seen[slot])
        torn = over(pool.seen[slot], at, bytes([pool.seen[slot][at] ^ 1]))
        assert SlotStore(MemorySlots(disk=[torn])).info(PLACE).changed == made.changed


def test_a_closed_file_is_refused_and_no_longer_locked() -> None:
    store = SlotStore(pool_with(a=b"one"))
    file = store.append(PLACE)
    assert store.lock(PLACE, wait=True) is None, "this program holds it, and would wait forever"
    file.close()
    for use in (file.read, file.tell, file.truncate, file.sync, lambda: file.seek(0)):
        fails(ValueError, "closed", use)
    fails(ValueError, "closed", file.write, b"")
    with closing(store.append(PLACE)):
        file.close()
        fails(BlockingIOError, "", store.append, PLACE)


def test_a_gap_in_a_file_is_filled_with_zeros_also_if_the_file_is_gone() -> None:
    store = SlotStore(pool_with(a=b"one"))
    with closing(store.append(PLACE)) as file:
        for remove in (lambda: None, lambda: store.remove(PLACE)):
            remove()
            file.seek(5)
            assert (file.read(), file.write(b"x")) == (b"", 1)
            file.seek(0)
            assert file.read() == b"one\0\0x"
            file.seek(3)
            file.truncate()


def test_one_thread_at_a_time_uses_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = pool_with(a=b"one")
    store, used = SlotStore(pool), set[str]()

    def is_free() -> bool:
        found = store.guard.acquire(blocking=False)
        if found:
            store.guard.release()
        return found

    def watch(name: str) -> None:
        use = getattr(pool, name)

        def call(*given: Any) -> Any:
            used.add(name)
            assert not other.submit(is_free).result()
            return use(*given)

        monkeypatch.setattr(pool, name, call)

    with ThreadPoolExecutor(1) as other:
        for name in ("size", "read", "write", "truncate", "flush"):
            watch(name)
        for work in WORKS:
            do(store, work, PLACE, b"two")
        store.put(PLACE, b"three")
        store.append(PLACE).close()
        with closing(store.append(PLACE)) as file:
            file.write(b"never synced")
            store.remove(PLACE)
        store.put(PLACE, b"three")
        with closing(store.append(PLACE)) as file:
            file.write(b"THREE")
        assert (store.get(PLACE), store.info(PLACE).size) == (b"THREE", 5)
    assert used == {"size", "read", "write", "truncate", "flush"}


async def test_a_seat_comes_back_from_what_a_power_failure_has_left(
    autojump_clock: trio.testing.MockClock,
) -> None:
    pool = MemorySlots(8)
    table = PlayerTable(Path("/nowhere"), 2, CALM, thinking=0.5, store=MemoryStore())
    guest = table.guests[1]
    guest.home = Home(guest.home.path, SlotStore(pool))

    async def crash() -> None:
        assert await table.sit_until(1, past_round(2))
        guest.home = Home(guest.home.path, again(pool))
        await table.resume(1)

    with no_disk():
        await table.play({1: crash})
    assert table.ended_alike()
    assert guest.round > 2
    assert guest.heard(updates.GameOver)
    kept: Any = guest.home.files
    assert guest.transcript == again(kept._slots).get(guest.end.transcript)
    assert again(kept._slots).list(guest.home.journals, "") == []
