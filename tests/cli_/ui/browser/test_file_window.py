"""A file that is chosen on a page has the verdict of the command line, and a game to replay."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.paths import VECTORS

from cli.commands import certificate
from cli.commands.verify import judge
from cli.ui.browser.file_window import FileWindow
from cli.words import translation
from p2p_hoity.game_adapter import read_game
from protocol import transcript

FILES = sorted(VECTORS.rglob("*.hoity"))
GAME = VECTORS / "transcripts" / "small-four-returned.hoity"
TIME = re.compile(r"\d+ ms")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Tests speak English, and leave it so."""
    yield
    translation.speak("en")


def quiet(_done: int, _total: int) -> None:
    """Hear of no progress."""


def judged(data: bytes, name: str = "game.hoity") -> FileWindow:
    """A window that has judged a file."""
    window = FileWindow()
    window.judge(name, data, quiet)
    return window


def lines(window: FileWindow) -> list[str]:
    """The lines of a verdict without the time that it took."""
    found = window.verdict()
    assert found is not None
    return [TIME.sub("", line) for line in found.lines]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_verdict_of_the_command_line(path: Path) -> None:
    window = judged(path.read_bytes(), path.name)
    wanted = [TIME.sub("", line).replace(str(path), path.name) for line in judge(path, 1).lines]
    assert lines(window) == wanted


def test_progress_is_told_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    FileWindow().judge("game.hoity", GAME.read_bytes(), lambda *one: told.append(one))
    steps = len(transcript.opened(GAME.read_bytes()).transcript.content.entries)
    assert told == [(number, steps) for number in range(1, steps + 1)]


def tone_of(data: bytes) -> tuple[str, bool]:
    """The tone of a verdict, and whether there is a game to replay."""
    found = judged(data).verdict()
    assert found is not None
    return found.tone, found.has_film


def test_the_tone_tells_a_valid_game_from_an_unfinished_and_an_invalid_one() -> None:
    whole = GAME.read_bytes()
    unfinished = (VECTORS / "transcripts" / "small-three-unfinished.hoity").read_bytes()
    broken = (VECTORS / "failures" / "absence-called-a-fault.hoity").read_bytes()
    assert tone_of(whole) == ("good", True)
    assert tone_of(unfinished)[0] == "warn"
    assert tone_of(broken)[0] == "bad"
    assert tone_of(whole[:-1]) == ("bad", False)
    assert tone_of(b"") == ("bad", False)


def certificate_of(path: Path) -> bytes:
    """The result certificate of a game."""
    whole = transcript.opened(path.read_bytes())
    return transcript.certify(whole, transcript.verify(whole, read_game)).encode()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_certificate_has_the_verdict_of_the_command_line(
    is_damaged: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = certificate_of(GAME)
    data = data[:-1] + bytes([data[-1] ^ 1]) if is_damaged else data
    path = tmp_path / "certificate"
    path.write_bytes(data)
    certificate.check_all([str(path)], False)
    window = judged(data, path.name)
    assert "\n".join(lines(window)) == capsys.readouterr().out.replace(str(path), path.name).strip()
    found = window.verdict()
    assert found is not None
    assert (found.tone, found.has_film) == ("bad" if is_damaged else "good", False)


def test_a_bug_of_the_verifier_is_no_verdict_on_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object, **named: object) -> None:
        raise KeyError

    monkeypatch.setattr(transcript, "verify", fails)
    assert "KeyError" in lines(judged(GAME.read_bytes()))[1]


def test_a_verdict_is_told_anew_in_another_language() -> None:
    window = judged(GAME.read_bytes())
    english = lines(window)
    translation.speak("de")
    german = lines(window)
    assert len(german) == len(english)
    assert german[0] != english[0]


def types(told: list[dict]) -> list[str]:
    return [message["type"] for message in told]


def said(window: FileWindow, **message: object) -> list[dict]:
    """What a window is told after a message."""
    return [one.as_json() for one in window.answers(json.dumps(message))]


def test_a_game_is_led_to_its_end() -> None:
    window = judged(GAME.read_bytes())
    told = [message.as_json() for message in window.whole()]
    assert types(told)[:3] == ["hello", "page", "table"]
    end = said(window, type="seek", at=10**6)
    assert "ending" in types(end)


@pytest.mark.parametrize(
    "sheet", ["proofs", "links", "pieces", "rules", "numbers", "log", "recap", "advice", "ticket"]
)
def test_every_sheet_can_be_read(sheet: str) -> None:
    assert types(said(judged(GAME.read_bytes()), type="open", sheet=sheet)) == ["sheet"]


@pytest.mark.parametrize("text", ["", "[]", '{"type":"nothing"}', '{"type":"seek","at":"x"}', "\0"])
def test_what_is_not_understood_changes_nothing(text: str) -> None:
    assert list(judged(GAME.read_bytes()).answers(text)) == []


def test_without_a_game_there_is_nothing_to_replay() -> None:
    window = FileWindow()
    assert window.verdict() is None
    window.judge("game.hoity", GAME.read_bytes(), quiet)
    window.judge("other", b"other", quiet)
    assert list(window.whole()) == []
    assert said(window, type="seek", at=1) == []
    assert window.picture() is None


def test_the_picture_is_named_after_the_game() -> None:
    found = judged(GAME.read_bytes()).picture()
    assert found is not None
    name, text = found
    assert re.fullmatch(r"hoity-[0-9a-f]{16}\.svg", name)
    assert "<svg" in text[:200]


def test_no_name_of_a_file_hides_other_words() -> None:
    window = judged(b"nothing", "a\u202eb\x1b[31m.hoity")
    assert "\u202e" not in "".join(lines(window))
    assert "\x1b" not in "".join(lines(window))
