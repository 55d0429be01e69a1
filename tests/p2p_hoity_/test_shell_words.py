"""Tests of what a person is told to type: it arrives as the word that was meant."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from p2p_hoity.shell_words import _on_windows, command, quoted

WORDS = [
    "plain-word_1.hoity",
    "my game's.hoity",
    'a "b" c',
    "$HOME `id` !x *?[a]",
    "a\nb\tc\x1b",
    "back\\slash\n'",
    "ü 漢 e\u0301",
    os.fsdecode(b"not\xff utf-8"),
    "7-lantern-walrus@[2001:db8::1]:4646",
    "",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_shell_makes_the_same_words_of_them() -> None:
    typed = " ".join(map(quoted, WORDS))
    words = ["bash", "-c", f"printf '%s\\0' {typed}"]
    done = subprocess.run(words, check=True, capture_output=True)
    assert done.stdout.split(b"\0")[:-1] == [os.fsencode(word) for word in WORDS]
    assert all(letter.isprintable() for letter in typed)


@pytest.mark.parametrize("name", ["-x", "~x", "$x", "%x%"])
def test_a_path_is_no_option_and_no_home_folder(name: str) -> None:
    assert quoted(Path(name)).strip("'") == os.path.join(".", name)
    assert quoted(Path("/a") / name).strip("'") == f"/a/{name}"


def test_an_empty_word_is_left_out() -> None:
    assert command("hoity", "", "verify", Path("a b")) == "hoity verify 'a b'"


@pytest.mark.parametrize(
    ("word", "cmd", "powershell"),
    [
        (r"C:\games\a.hoity", r"C:\games\a.hoity", r"C:\games\a.hoity"),
        (r"C:\my game's.hoity", '"C:\\my game\'s.hoity"', '"C:\\my game\'s.hoity"'),
        ("a&b", '"a&b"', '"a&b"'),
        ("it's $5", '"it\'s $5"', "'it''s $5'"),
    ],
)
def test_cmd_and_powershell_get_their_own_quotes(
    monkeypatch: pytest.MonkeyPatch, word: str, cmd: str, powershell: str
) -> None:
    monkeypatch.setenv("PROMPT", "$P$G")
    assert _on_windows(word) == cmd
    monkeypatch.delenv("PROMPT")
    assert _on_windows(word) == powershell
