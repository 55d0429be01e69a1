"""Whatever is printed is broken between words, and cannot move, hide or reorder any."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.paths import ROOT
from support.sampling import times
from support.shell import Shell

from cli import exit_codes, printing
from cli.printing import write_line
from cli.ui.lines.line_screen import LineScreen
from p2p_hoity.coded_errors import Reason
from p2p_hoity.editions.load_edition import EditionError, parse
from p2p_hoity.net.addresses import AddressCode
from p2p_hoity.net.network_errors import AddressError
from p2p_hoity.presentation import screen_updates as updates
from protocol.wire.allowed_text import FORBIDDEN

# Lines.

LINE = "  Fields and octagons: 0:3/1  1-5:4/2  6-12:3/2  13-20:2/1  21-24 Banquet"


def test_a_long_line_is_broken_between_words_and_a_number_stays_with_its_word() -> None:
    lines = printing.wrapped(LINE, 40)
    assert len(lines) == 2
    assert all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Fields")
    assert lines[1].startswith("    ")
    assert printing.wrapped(LINE, len(LINE)) == [LINE]
    assert printing.wrapped(LINE * 9, None) == [LINE * 9]
    assert printing.wrapped("Bruno holds Cash 4,000, Thief 6, Exhibit", 22) == [
        "Bruno holds",
        "  Cash 4,000, Thief 6,",
        "  Exhibit",
    ]
    words = "say hoity resume and then go on as ever with what was begun some time ago by you"
    assert max(map(len, printing.wrapped(words, 30))) <= 30


@given(st.lists(st.from_regex(r"[a-z-]{1,60}", fullmatch=True), min_size=1), st.integers(20, 99))
def test_no_word_is_ever_broken(words: list[str], columns: int) -> None:
    lines = printing.wrapped(" ".join(words), columns)
    assert " ".join(lines).split() == words
    longest = max(map(len, words))
    assert all(len(line) <= max(columns, longest + 2) for line in lines)


def test_columns_bounds_a_line_also_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for columns, width in (("3", 20), ("", None), ("x", None), ("40", 40)):
        monkeypatch.setenv("COLUMNS", columns)
        assert printing.width() == width
    printing.say(LINE)
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2
    assert max(map(len, out)) <= 40


def test_a_command_is_kept_whole() -> None:
    for command in (
        "hoity resume c1abbcb534cd5a75",
        "hoity resume --claim c1abbcb534cd5a75",
        "hoity verify /tmp/a/transcripts/11f09588ecb62e63.hoity",
        "hoity join TICKET",
        "/usr/bin/python -m pip install prometheus-client",
    ):
        told = f"Left. The game is kept, and to go on say {command} and then wait"
        lines = printing.wrapped(told, 44)
        assert len(lines) > 1
        assert any(command in line for line in lines)


def test_a_command_is_not_broken_as_it_is_typed_in_a_checkout() -> None:
    told = "The game is kept: python3 tasks.py hoity resume 0123456789abcdef"
    assert printing.wrapped(told, 60)[-1].strip() == told.partition(": ")[2]


def test_a_quoted_path_in_a_command_is_not_broken() -> None:
    command = "hoity verify --certificate '/a b/it'\"'\"'s c.hoity'"
    told = f"The certificate is in a folder. Check it with: {command}"
    assert printing.wrapped(told, 30)[-1].strip() == command


# What may reach a terminal.

CLI = ROOT / "cli"
ATTACKS = [
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x1b]52;c;ZWNobyBoaQ==\x07",
    "\x9b2J",
    "\u202egnp.exe",
    "a\u2066b\u2069",
    "a\u200bb\u034f\u3164\u2800",
    "x\nx.hoity: ok. Everything in it is valid.",
    "x\r\x1b[1A",
    "\ud83d\udcff",
    "\U000e0041",
    "Z" + "\u0308\u0301" * 12,
    "\u0489" * 9,
]
TOWER = re.compile(r"[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{3}")
"""Three of the commonest marks on one letter."""
ANY = st.text(st.characters(), max_size=60) | st.sampled_from(ATTACKS)


def unfit(text: str) -> list[str]:
    """What may not be printed of this, line ends left out."""
    hidden = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    acting = [
        letter
        for letter in text.replace("\n", "")
        if unicodedata.category(letter) in hidden
        or any(low <= ord(letter) <= high for low, high in FORBIDDEN)
    ]
    return acting + TOWER.findall(text)


def test_the_check_finds_what_it_looks_for() -> None:
    assert all(unfit(attack.replace("ok", "")) or "\n" in attack for attack in ATTACKS)
    assert not unfit("Überplay “ñandú” 名前 😀 …")


@settings(max_examples=times(60, 300))
@given(ANY, st.sampled_from([None, "20", "80"]))
def test_any_line_is_printed_fit_for_a_terminal(words: str, columns: str | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if columns is not None:
            patch.setenv("COLUMNS", columns)
        for print_it in (printing.say, printing.complain, printing.ask):
            assert not unfit(_printed(partial(print_it, words)))
        assert not unfit(_printed(lambda: printing.complain_as_set([words, words])))
    assert "\n" not in printing.shown(words)


def _printed(act: Callable[[], object]) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        act()
    return out.getvalue()


@settings(max_examples=times(60, 300))
@given(st.dictionaries(ANY, ANY | st.integers() | st.lists(ANY), max_size=4))
def test_any_object_is_one_fit_line_that_reads_back_the_same(value: dict[str, object]) -> None:
    line = _printed(lambda: write_line(value))
    assert not unfit(line)
    assert line.count("\n") == 1
    assert json.loads(line) == json.loads(json.dumps(value))


@settings(max_examples=times(80, 200))
@given(ANY)
def test_any_error_is_told_in_lines_of_its_own_only(words: str) -> None:
    errors = (
        exit_codes.Trouble(words),
        AddressError(AddressCode.NO_PORT, text=words),
        RuntimeError(words),
        OSError(2, words, words),
    )
    for error in errors:
        said = _printed(partial(exit_codes.report, error))
        traced = _printed(partial(exit_codes.show_where, error))
        assert not unfit(said + traced)
        assert said.count("\n") == 1


@settings(max_examples=times(40, 100))
@given(ANY, ANY)
def test_what_a_link_says_of_a_peer_is_shown_fit(name: str, reason: str) -> None:
    screen = LineScreen(printing.say)
    unlinked = updates.Unlinked(name, Reason(AddressCode.NO_MACHINE, {"text": reason}))
    said = _printed(lambda: screen(unlinked))
    joined = _printed(lambda: screen(updates.Joined((name, reason), 3)))
    assert not unfit(said + joined)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if "\ud83d" not in a])
def test_no_word_of_a_command_line_reaches_the_terminal_raw(attack: str, hoity: Shell) -> None:
    for words in (
        [attack],
        ["verify", attack],
        ["verify", "--json", attack],
        ["verify", f"--{attack}"],
        ["replay", attack],
        ["join", attack],
        ["join", attack, "--debug"],
        ["play", "--variant", attack],
        ["play", "--edition", attack],
        ["play", "--name", attack],
        ["play", "--transcript", f"{attack}/{attack}/x", "--seats", attack],
        ["host", "--listen", attack],
        ["host", "--relay", attack],
        ["id", "new", "--name", attack],
        ["resume", attack],
        ["--lang", attack, "rules"],
    ):
        done = hoity(*words)
        assert done.code != 0, words
        assert not unfit(done.out + done.err), words
        assert not any(line.startswith("x.hoity: ok") for line in done.err.splitlines())


def test_a_file_named_like_a_verdict_adds_no_line(hoity: Shell, tmp_path: Path) -> None:
    path = tmp_path / "x\nfine.hoity: ok. Everything in it is valid."
    path.write_bytes(b"nonsense")
    done = hoity.done(1, "verify", path)
    assert not any(line.startswith("fine") for line in done.out.splitlines())


def test_a_path_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\x1b[2J"
    done = subprocess.run(
        [sys.executable, "-m", "cli", "verify", "--json", name], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert not unfit(done.stdout.decode() + done.stderr.decode())
    assert json.loads(done.stdout)["problem"]["code"] == "no-file"
    assert "bug in the program" not in done.stderr.decode()


def test_a_key_of_an_edition_is_named_fit_and_a_trouble_keeps_its_lines() -> None:
    for attack in ("\\u001b]0;t\\u0007", "a\\nb", "\\u202e", "\\u3164"):
        with pytest.raises(EditionError) as caught:
            parse(f'name = "x"\n"{attack}" = 1\n', "mine.toml")
        assert not unfit(str(caught.value))
        assert "\n" not in str(caught.value)
    words = exit_codes.told(exit_codes.Trouble(["one", "two\nthree"])).words
    assert words == "one\ntwo\\nthree"


def test_nothing_else_in_the_command_line_prints() -> None:
    allowed = {"printing.py"}
    for path in sorted(CLI.rglob("*.py")):
        if path.name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            assert called not in ("print", "input", "typer.echo", "typer.secho"), path
            assert not called.endswith(
                (".write", "print_exc", ".writelines", "print_exception")
            ) or (called in ("self.write", "self._write", "screen.write", "self._driver.write")), (
                path,
                called,
            )


# The terminal.


@pytest.mark.parametrize("at_terminal", [True, False])
def test_a_terminal_has_room_copies_and_is_given_ink_and_a_pipe_nothing(
    at_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: at_terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: not at_terminal)
    assert printing.room() == ((80, 24) if at_terminal else None)
    assert printing.copy("hoity3") is at_terminal
    assert capsys.readouterr().out == ("\x1b]52;c;aG9pdHkz\x07" if at_terminal else "")
    printing.picture(["█"])
    out = capsys.readouterr().out
    assert out.startswith("\x1b[97;40m") is at_terminal
    assert "█" in out
    assert printing.is_watched() is not at_terminal


@pytest.mark.parametrize(
    ("plain", "term", "streams", "size", "full"),
    [
        (False, "xterm", 3, (80, 24), True),
        (True, "xterm", 3, (80, 24), False),
        (False, "dumb", 3, (80, 24), False),
        (False, "", 3, (80, 24), False),
        (False, "xterm", 2, (80, 24), False),
        (False, "xterm", 3, (79, 24), False),
        (False, "xterm", 3, (80, 23), False),
    ],
)
def test_the_full_screen_needs_a_terminal_that_is_one_on_all_sides_and_large_enough(
    plain: bool,
    term: str,
    streams: int,
    size: tuple[int, int],
    full: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(printing, "terminal_size", lambda: os.terminal_size(size))
    for number, stream in enumerate(("stdin", "stdout", "stderr")):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda n=number: n < streams)
    assert printing.is_full(plain) is full
    is_cramped = not plain and term == "xterm" and streams == 3 and not full
    assert printing.size_if_too_small(plain) == (size if is_cramped else None)
