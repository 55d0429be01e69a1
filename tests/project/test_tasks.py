"""Tests of the targets' environments: made once, by one command at a time, and made whole."""

import re
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.cli_stage import tool
from support.limits import LIMIT
from support.paths import ROOT


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, in a checkout of its own, in which making costs nothing."""
    module: Any = tool("tasks", ".")
    module.ROOT, module.made, module.said = tmp_path, [], []

    def make(environment: Path, what: str) -> None:
        environment.mkdir(exist_ok=True)
        module.made.append(what)

    monkeypatch.setattr(module, "make", make)
    monkeypatch.setattr(module, "print", lambda text, **_: module.said.append(text), raising=False)
    return module


def test_an_environment_is_made_once_for_each_that_it_is_made_from_or_fresh(tasks: Any) -> None:
    for _ in range(2):
        tasks.ready(tasks.ROOT / ".venv", "1", "version 1")
    assert tasks.made == ["1"]
    tasks.ready(tasks.ROOT / ".venv", "2", "version 2")
    tasks.ready(tasks.ROOT / ".venv", "3", "version 2", fresh=True)
    assert tasks.made == ["1", "2", "3"]


def test_a_broken_off_one_is_made_again(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tasks.make

    def break_off(environment: Path, what: str) -> None:
        make(environment, what)
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "make", break_off)
    with pytest.raises(KeyboardInterrupt):
        tasks.ready(tasks.ROOT / ".venv", ".", "version 1")
    monkeypatch.setattr(tasks, "make", make)
    tasks.ready(tasks.ROOT / ".venv", ".", "version 1")
    assert tasks.made == [".", "."]


def test_a_second_command_waits_and_says_so(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    environment, told = tasks.ROOT / ".venv", threading.Event()
    monkeypatch.setattr(tasks, "print", lambda text, **_: (tasks.said.append(text), told.set()))
    second = threading.Thread(target=tasks.ready, args=(environment, "second", "version 1"))
    with tasks.held(environment):
        second.start()
        assert told.wait(LIMIT)
        assert tasks.said == ["Another command makes .venv: waiting for it."]
        tasks.make(environment, "first")
        (environment / "made-from").write_text("version 1")
    second.join(LIMIT)
    assert tasks.made == ["first"]


def test_two_environments_are_made_at_once_and_every_script_is_there(tasks: Any) -> None:
    with tasks.held(tasks.ROOT / ".venv"):
        tasks.ready(tasks.ROOT / ".venv-test", ".[dev]", "version 1")
    assert tasks.made == [".[dev]"]
    source = (ROOT / "tasks.py").read_text(encoding="utf-8")
    words = source.split('"')
    scripts = [word for word in words if word.startswith(("tests/", "tools/"))]
    scripts += [f"tests/{word.replace('.', '/')}.py" for word in words if word.startswith("soak.")]
    assert len(scripts) > 5
    assert [script for script in scripts if not (ROOT / script).exists()] == []


def test_where_pip_fails_a_sentence_says_what_to_do(
    tasks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = SimpleNamespace(returncode=1, stderr="a\nERROR: no such package\nb")
    monkeypatch.setattr(tasks.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setattr(tasks, "ready", lambda *_: None)
    monkeypatch.setattr(tasks, "test_stamp", str)
    for target in (tasks.fuzz, tasks.wheel):
        with pytest.raises(SystemExit, match=r"^ERROR: no such package\nA package .* could not be"):
            target([])


@pytest.mark.parametrize(
    ("words", "out", "code"),
    [
        ((), "Play:", None),
        (("--help",), "Play:", None),
        (("wheel", "--help"), "python3 tasks.py wheel: build the wheel", None),
        (("nightly", "-h"), "python3 tasks.py nightly: in at most", None),
        (("nothing",), "", 2),
    ],
)
def test_the_list_is_what_one_asks_for_and_a_target_that_is_none_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    out: str,
    code: int | None,
) -> None:
    module: Any = tool("tasks", ".")
    monkeypatch.setattr(sys, "argv", ["tasks.py", *words])
    ended = None
    try:
        module.main()
    except SystemExit as end:
        ended = end.code
    said = capsys.readouterr()
    assert ended == code
    assert out in said.out
    assert ("There is no target nothing." in said.err) == (code == 2)
    assert (said.out == "") == (code == 2)


def test_a_target_says_itself_what_it_takes_if_its_script_can(tasks: Any) -> None:
    source = (ROOT / "tasks.py").read_text(encoding="utf-8")
    found = re.findall(r'"(\w+)": \(\s*tool\("-m", "soak\.(\w+)"\)', source)
    assert len(found) > 10
    for target, script in found:
        text = (ROOT / "tests" / "soak" / f"{script}.py").read_text(encoding="utf-8")
        assert ("ArgumentParser" in text) == (target in tasks.OWN_HELP), target
    assert set(dict(found)) | {"play", "hoity"} >= tasks.OWN_HELP


@pytest.mark.parametrize("code", [0, 1, 130])
def test_a_game_is_told_how_it_was_started_and_its_exit_code_is_kept(
    tasks: Any, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(tasks, "program", lambda *_: sys.executable)
    monkeypatch.setattr(tasks, "ready", lambda *_: None)
    monkeypatch.setattr(tasks, "stamp", lambda: "")
    is_told = "__import__('os').environ['HOITY_CALLED_AS'].endswith(' tasks.py hoity')"
    with pytest.raises(SystemExit) as ended:
        tasks.hoity(["-c", f"raise SystemExit({code} if {is_told} else 99)"])
    assert ended.value.code == code
