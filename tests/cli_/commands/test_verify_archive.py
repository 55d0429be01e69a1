"""Many transcripts: the same verdicts in any order, by any number of processes, after any break."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.limits import LIMIT
from support.paths import VECTORS
from support.shell import Done, Shell

from cli import printing
from cli.commands import verify_archive
from cli.commands.verify_archive import all_in
from cli.exit_codes import Trouble
from p2p_hoity import worker_processes
from protocol import transcript

SOME = pytest.mark.sampled(3)
COPIED = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="what a test changes reaches only processes that are begun as copies",
)
QUICK = (
    "body-changed", "body-left-out", "byte-after-the-end", "another-game", "body-not-shortest",
    "body-without-a-signature",
)  # fmt: skip


@dataclass(frozen=True)
class Verified(Done):
    """What `verify` did."""

    @property
    def verdicts(self) -> dict[str, Any]:
        """What was found of each file, by its name, but for how long it took."""
        assert len({line["file"] for line in self.lines}) == len(self.lines)
        return {Path(line["file"]).name: {**line, "timings": None} for line in self.lines}

    @property
    def codes(self) -> dict[str, str | None]:
        """What is wrong with each file."""
        found = self.verdicts.items()
        return {name: line["problem"] and line["problem"]["code"] for name, line in found}


Verify = Callable[..., Verified]


@pytest.fixture
def verify(hoity: Shell) -> Verify:
    """The command."""

    def do(*words: object) -> Verified:
        done = hoity("verify", *words)
        return Verified(done.code, done.out, done.err)

    return do


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound game, and others each with something else that does not hold."""
    folder = tmp_path / "games"
    (folder / "below").mkdir(parents=True)
    (folder / "sound.hoity").write_bytes((VECTORS / "example.hoity").read_bytes())
    for name in QUICK:
        data = (VECTORS / "failures" / f"{name}.hoity").read_bytes()
        (folder / "below" / f"{name}.hoity").write_bytes(data)
    (folder / "empty.hoity").write_bytes(b"")
    return folder


@SOME
def test_a_folder_has_the_same_verdicts_by_any_processes(verify: Verify, folder: Path) -> None:
    alone = verify(folder, "--json", "--jobs", 1)
    assert alone.code == 1
    assert len(alone.verdicts) == len(QUICK) + 2
    assert [line["file"] for line in alone.lines] == sorted(line["file"] for line in alone.lines)
    for jobs in ("2", "3"):
        many = verify(folder, "--json", "--jobs", jobs)
        assert (many.code, many.verdicts) == (1, alone.verdicts)
    assert verify(folder, "--json").verdicts == alone.verdicts


@SOME
@pytest.mark.parametrize("seed", range(3))
def test_in_any_order_verdicts_are_of_each_alone(verify: Verify, folder: Path, seed: int) -> None:
    paths = sorted(folder.rglob("*.hoity"))
    draw = random.Random(seed)
    some = draw.sample(paths, draw.randrange(2, len(paths)))
    each = dict[str, Any]()
    for path in some:
        each |= verify(path, "--json", "--jobs", 1).verdicts
    many = verify(*some, "--json", "--jobs", 2)
    assert many.verdicts == each
    assert many.code == max(line["problem"] is not None for line in each.values())


def test_in_words_what_is_ok_is_counted_and_the_rest_is_told(verify: Verify, folder: Path) -> None:
    done = verify(folder, "--jobs", 2)
    assert done.code == 1
    assert f"{folder / 'below' / 'another-game.hoity'}: not ok" in done.out
    assert f"{folder / 'empty.hoity'}: unreadable" in done.out
    assert f"{folder / 'sound.hoity'}" not in done.out
    assert done.out.splitlines()[-1].startswith(f"Files: {len(QUICK) + 2}. Ok: 1, ")
    assert done.err == ""  # no terminal, no progress
    sound = folder / "sound.hoity"
    before = sound.read_bytes()
    done = verify(folder, "--verdicts", sound)
    assert done.code == 2
    assert "something else" in done.err
    assert sound.read_bytes() == before


@SOME
def test_what_is_told_by_other_processes_is_in_the_language_spoken(
    verify: Verify, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "can_copy", lambda: False)
    in_german = verify(folder / "empty.hoity", "--lang", "de").out.splitlines()
    many = verify(folder / "empty.hoity", folder / "empty.hoity", "--lang", "de", "--jobs", 2)
    assert many.out.splitlines()[: len(in_german)] == in_german


def test_what_cannot_be_judged_is_told_and_the_rest_is(verify: Verify, folder: Path) -> None:
    with (folder / "huge.hoity").open("wb") as file:
        file.truncate(1 << 40)
    (folder / "gone.hoity").symlink_to(folder / "nowhere")
    (folder / "circle").symlink_to(folder)
    done = verify(folder, folder / "not-there", "--json", "--jobs", 2)
    assert done.code == 2
    names = ("gone.hoity", "circle", "not-there")
    assert {done.codes[name] for name in names} == {"no-file"}
    assert done.codes["huge.hoity"] == "too-large"
    assert len(done.codes) == len(QUICK) + 2 + 4
    assert all(name in done.err for name in names)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
@pytest.mark.parametrize("jobs", [1, 2])
def test_pipes_that_are_named_are_read(verify: Verify, folder: Path, jobs: int) -> None:
    read, write = os.pipe()
    os.write(write, b"hello")
    os.close(write)
    done = verify(f"/dev/fd/{read}", folder / "empty.hoity", "--json", "--jobs", jobs)
    os.close(read)
    assert done.codes == {str(read): "wrong-magic", "empty.hoity": "empty"}


# Hostile files.


@pytest.fixture
def wicked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that ends every process that judges it."""
    path, real, own = folder / "below" / "wicked.hoity", transcript.verify, os.getpid()
    path.write_bytes(b"wicked")

    def ends(file: transcript.OpenedFile, *rest: Any) -> Any:
        if file.error is not None and file.error.code == "wrong-magic" and os.getpid() != own:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(file, *rest)

    monkeypatch.setattr(transcript, "verify", ends)
    return path


@SOME
@COPIED
def test_a_file_that_ends_its_process_is_told(verify: Verify, folder: Path, wicked: Path) -> None:
    done = verify(folder, "--json", "--jobs", 2)
    assert done.codes["wicked.hoity"] == "not-judged"
    told = verify(folder, "--jobs", 2).out
    assert "ended twice" in told
    assert told.splitlines()[-1].endswith(" not checked: 1")
    wicked.unlink()
    others = {name: line for name, line in done.verdicts.items() if name != "wicked.hoity"}
    assert others == verify(folder, "--json", "--jobs", 1).verdicts


# Going on.


def test_a_second_run_judges_only_what_is_new(verify: Verify, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "verdicts"
    first = verify(folder, "--json", "--verdicts", kept)
    assert Verified(0, kept.read_text(), "").verdicts == first.verdicts
    (folder / "new.hoity").write_bytes(b"hello")
    second = verify(folder, "--json", "--verdicts", kept)
    assert second.codes == {"new.hoity": "wrong-magic"}
    third = verify(folder, "--verdicts", kept)
    assert third.code == first.code == 1
    total = len(QUICK) + 3
    assert third.out.splitlines() == [third.out.strip()]
    assert third.out.startswith(f"Files: {total}. Ok: 1, ")
    assert third.out.strip().endswith(f"; {total} of them were checked in an earlier run")


@SOME
def test_after_breaks_verdicts_are_as_of_one_run(
    verify: Verify, folder: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "verdicts"
    whole = verify(folder, "--json", "--verdicts", kept)
    data = kept.read_bytes()
    for end in random.Random(1).sample(range(len(data)), 5):
        kept.write_bytes(data[:end])
        verify(folder, "--json", "--verdicts", kept, "--jobs", 2)
        assert Verified(0, kept.read_text(), "").verdicts == whole.verdicts


@SOME
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_says_how_to_go_on(folder: Path, tmp_path: Path, jobs: str) -> None:
    game = (VECTORS / "transcripts" / "six-uberplay-2004.hoity").read_bytes()
    for number in range(60):
        (folder / f"z{number}.hoity").write_bytes(game)
    kept = tmp_path / "verdicts"
    words = ["verify", str(folder), "--json", "--verdicts", str(kept), "--jobs", jobs]
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # whose processes all hear Ctrl-C, as those of a terminal do
        env={**os.environ, "HOITY_HOME": str(tmp_path / "home")},
    )
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert "continue from there" in err
    assert "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["code"] == "refused"
    told = kept.read_bytes().splitlines()
    assert 0 < len(told) < 60
    assert f"Files checked so far: {len(told)}." in err


# Progress.


def test_a_terminal_shows_progress(
    verify: Verify, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "is_watched", lambda: True)
    monkeypatch.setattr(verify_archive, "OFTEN", 1e-9)
    total = len(QUICK) + 2
    done = verify(folder, "--jobs", 1, "--json")
    shown = [words for words in done.err.split("\r") if words.strip("\x1b[K")]
    assert len(shown) == total
    assert shown[-1].startswith(f"{total} of {total} files, ")
    assert done.err.endswith("\r\x1b[K")
    assert len(done.verdicts) == total


def test_verify_does_itself_what_a_process_left_undone(
    hoity: Shell, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> Any:
        raise worker_processes.ProcessEnded

    monkeypatch.setattr(worker_processes, "process_pool", lambda _: nullcontext(gone))
    done = hoity.done(0, "verify", game, "--json")
    assert [line["verdict"] for line in done.lines] == ["ok"]


POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def found(*paths: Path) -> tuple[list[Path], dict[Path, str]]:
    """(files, what is said of others)."""
    all_of_them = list(all_in(paths))
    files = [one for one in all_of_them if isinstance(one, Path)]
    return files, {one[0]: str(one[1]) for one in all_of_them if not isinstance(one, Path)}


def test_files_come_by_name_and_from_below_and_whatever_is_named(tmp_path: Path) -> None:
    names = ["a/1.hoity", "a/b/2.hoity", "a/c.hoity", "b.hoity/x.hoity", "z.hoity"]
    paths = [made(tmp_path / name) for name in names]
    made(tmp_path / "a/notes.txt")
    made(tmp_path / "hoity")
    assert found(tmp_path) == (paths, {})
    assert found(paths[4], tmp_path / "a", paths[0]) == ([paths[4], *paths[:3], paths[0]], {})
    named = [made(tmp_path / "a/notes.txt"), tmp_path / "not-there"]
    assert found(*named) == (named, {})


def test_a_folder_without_any_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    files, told = found(tmp_path)
    assert files == []
    assert "no *.hoity file" in told[tmp_path]
    (trouble,) = (one for _, one in all_in([tmp_path]) if isinstance(one, Trouble))  # type: ignore[misc]
    assert trouble.exit_code == 2


@POSIX
def test_named_links_are_followed_and_other_links_to_folders_are_told(tmp_path: Path) -> None:
    game = made(tmp_path / "games" / "a.hoity")
    circle = tmp_path / "games" / "circle"
    circle.symlink_to(tmp_path)
    files, told = found(tmp_path)
    assert (files, list(told)) == ([game], [circle])
    assert "not followed" in told[circle]
    circle.unlink()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "games")
    assert found(link) == ([link / "a.hoity"], {})
    (link / "b.hoity").symlink_to(game)  # links to files are files, even to none
    (link / "c.hoity").symlink_to(tmp_path / "nowhere")
    (link / "d.hoity").symlink_to(link / "d.hoity")
    assert found(link) == ([link / f"{letter}.hoity" for letter in "abcd"], {})


@POSIX
def test_what_is_no_regular_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = made(tmp_path / "a.hoity")
    os.mkfifo(tmp_path / "pipe.hoity")
    (tmp_path / "zero.hoity").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.hoity")
        files, told = found(tmp_path)
    assert files == [game]
    assert [path.name for path in told] == ["pipe.hoity", "socket.hoity", "zero.hoity"]
    assert all("is not a regular file" in words for words in told.values())


@POSIX
def test_a_closed_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, game = tmp_path / "closed", made(tmp_path / "open" / "a.hoity")
    made(closed / "b.hoity")
    real = os.scandir

    def scandir(path: Path) -> object:  # root may read every folder
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    files, told = found(tmp_path)
    assert files == [game]
    assert "Permission denied" in told[closed]


@POSIX
def test_folders_may_be_deeper_than_any_recursion(tmp_path: Path) -> None:
    depth = 300
    deep = tmp_path.joinpath(*["d"] * depth)
    game = made(deep / "a.hoity")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(250)
    try:
        files = list(all_in([tmp_path]))
    finally:
        sys.setrecursionlimit(limit)
    assert files == [game]
