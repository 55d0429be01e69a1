"""Tests of the targets' environments: made once, by one command at a time, and made whole."""

import ast
import importlib
import io
import os
import re
import subprocess
import sys
import threading
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.limits import LIMIT
from support.paths import ROOT

SOURCE = ROOT / "tools" / "targets.py"


@pytest.fixture(autouse=True)
def _variables_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a target forgets for its process, other tests of this process need."""
    for name in importlib.import_module("tools.environments").MISLEADING:
        if name in os.environ:
            monkeypatch.setenv(name, os.environ[name])


@pytest.fixture
def environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module, in which making an environment costs nothing."""
    module: Any = importlib.import_module("tools.environments")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "made", [], raising=False)
    monkeypatch.setattr(module, "said", [], raising=False)

    def make(environment: Path, what: str) -> None:
        module.made.append(what)

    monkeypatch.setattr(module, "make", make)
    monkeypatch.setattr(module, "runs", lambda _: True)
    monkeypatch.setattr(module, "print", lambda text, **_: module.said.append(text), raising=False)
    monkeypatch.setattr(module, "cache_folder", lambda _: tmp_path / "cache")
    held: list[int] = []
    monkeypatch.setattr(module, "held_now", held, raising=False)
    monkeypatch.setattr(module.os, "set_inheritable", lambda number, _: held.append(number))
    yield module
    let_go(module)


def let_go(environments: Any) -> None:
    """End the processes that use environments, as it were."""
    while environments.held_now:
        os.close(environments.held_now.pop())


@pytest.fixture
def targets() -> Any:
    """The module of the targets."""
    return importlib.import_module("tools.targets")


def test_an_environment_is_made_once_for_each_that_it_is_made_from(environments: Any) -> None:
    for what in "12":
        assert environments.ready(".venv", what, "version 1") == environments.ROOT / ".venv"
    assert environments.made == ["1"]
    let_go(environments)
    assert environments.ready(".venv", "2", "version 2") == environments.ROOT / ".venv"
    assert environments.made == ["1", "2"]


@pytest.mark.skipif(os.name == "nt", reason="there an open file cannot be removed")
def test_an_environment_in_use_stays_and_goes_when_nobody_uses_it(environments: Any) -> None:
    root = environments.ROOT
    first = environments.ready(".venv", ".", "version 1")
    (first / "module.py").touch()
    let_go(environments)
    second = environments.ready(".venv", ".", "version 1")
    assert first == second
    beside = environments.ready(".venv", ".", "version 2")
    assert beside == root / ".venv-2"
    assert (first / "module.py").exists()
    # Both go on being found, each by what it was made from.
    assert environments.ready(".venv", ".", "version 1") == first
    assert environments.ready(".venv", ".", "version 2") == beside
    assert environments.made == [".", "."]
    let_go(environments)
    assert environments.ready(".venv", ".", "version 3") == first
    assert not (first / "module.py").exists()
    assert not beside.exists()
    last = 2 * environments.MOST_BESIDE
    for number in range(1, last):
        environments.ready(".venv", ".", f"version 3.{number}")
    with pytest.raises(SystemExit, match="all environments there are in use"):
        environments.ready(".venv", ".", f"version 3.{last}")


@pytest.mark.skipif(os.name == "nt", reason="there the first process waits for the game")
def test_a_program_that_takes_the_place_of_this_one_still_uses_its_environment(
    environments: Any, tmp_path: Path
) -> None:
    environment = environments.ready(".venv", ".", "version 1")
    let_go(environments)
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
        "from tools import environments\n"
        "environments.runs = lambda _: True\n"
        "assert environments.used(Path(sys.argv[2]), 'version 1')\n"
        "os.execv('/bin/cat', ['cat'])\n"
    )
    words = [sys.executable, "-c", script, str(ROOT), str(environment)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"playing")
        process.stdin.flush()
        assert process.stdout.read(7) == b"playing"
        assert not environments.removed(environment)
        process.stdin.close()
    assert environments.removed(environment)


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_what_was_not_made_here_is_left(environments: Any, what: str) -> None:
    place = environments.ROOT / ".venv"
    if what == "file":
        place.touch()
    elif what == "folder":
        (place / "bin").mkdir(parents=True)
    else:
        place.symlink_to(environments.ROOT / "gone")
    assert environments.ready(".venv", ".", "version 1") == environments.ROOT / ".venv-2"
    assert os.path.lexists(place)


def test_a_broken_off_one_is_made_again(environments: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make = environments.make

    def break_off(environment: Path, what: str) -> None:
        make(environment, what)
        raise KeyboardInterrupt

    monkeypatch.setattr(environments, "make", break_off)
    with pytest.raises(KeyboardInterrupt):
        environments.ready(".venv", ".", "version 1")
    monkeypatch.setattr(environments, "make", make)
    assert environments.ready(".venv", ".", "version 1") == environments.ROOT / ".venv"
    assert environments.made == [".", "."]


def test_one_whose_python_does_not_start_is_made_again(
    environments: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments.ready(".venv", "1", "version 1")
    let_go(environments)
    answers = [
        False,
        False,
        True,
    ]  # asked before this command may make it, then, and when it is new
    monkeypatch.setattr(environments, "runs", lambda _: answers.pop(0))
    assert environments.ready(".venv", "2", "version 1") == environments.ROOT / ".venv"
    assert environments.made == ["1", "2"]


@pytest.mark.skipif(os.name == "nt", reason="a link is made more easily")
def test_a_python_that_is_gone_or_broken_does_not_start(tmp_path: Path) -> None:
    module: Any = importlib.import_module("tools.environments")
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    assert module.runs(tmp_path)
    for other in ("/gone/python", "/bin/false", str(tmp_path)):
        python.unlink()
        python.symlink_to(other)
        assert not module.runs(tmp_path)


def test_a_second_command_waits_and_says_so(
    environments: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, said = threading.Event(), environments.said
    monkeypatch.setattr(environments, "print", lambda text, **_: (said.append(text), told.set()))
    second = threading.Thread(target=environments.ready, args=(".venv", "second", "version 1"))
    with environments.held(environments.ROOT, ".venv"):
        second.start()
        assert told.wait(LIMIT)
        assert said == ["Another command makes .venv: waiting for it."]
        environments.made.append("first")
        environment = environments.ROOT / ".venv"
        environment.mkdir()
        (environment / "made-from").write_text("version 1")
    second.join(LIMIT)
    assert environments.made == ["first"]


def test_two_environments_are_made_at_once_and_every_script_is_there(environments: Any) -> None:
    with environments.held(environments.ROOT, ".venv"):
        environments.ready(".venv-test", ".[dev]", "version 1")
    assert environments.made == [".[dev]"]
    words = SOURCE.read_text(encoding="utf-8").split('"')
    scripts = [word for word in words if word.startswith(("tests/", "tools/"))]
    scripts += [f"tests/{word.replace('.', '/')}.py" for word in words if word.startswith("soak.")]
    assert len(scripts) > 5
    assert [script for script in scripts if not (ROOT / script).exists()] == []


def unwritable(environments: Any, monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Let no file be made in folders, as where they are another user's."""
    held = environments.held

    def refuse(folder: Path, name: str) -> Any:
        if folder in folders:
            raise PermissionError(13, "Permission denied")
        return held(folder, name)

    monkeypatch.setattr(environments, "held", refuse)


def test_a_checkout_that_cannot_be_written_has_its_environments_in_the_users_cache(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unwritable(environments, monkeypatch, tmp_path)
    place = environments.ready(".venv", "1", "version 1")
    assert place.is_relative_to(tmp_path / "cache")
    assert environments.ready(".venv", "2", "version 1") == place
    assert environments.said == [f"Preparing {place}: this takes a minute, once."]
    # Another checkout has another one. Those of a checkout that is gone are removed.
    other = tmp_path / "another checkout"
    other.mkdir()
    unwritable(environments, monkeypatch, other)
    monkeypatch.setattr(environments, "ROOT", other)
    second = environments.ready(".venv", "1", "version 1")
    assert second != place
    let_go(environments)
    other.rmdir()
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    environments.ready(".venv", "1", "version 2")
    assert not second.parent.exists()
    assert place.exists()
    # One that was made while the checkout could be written is used, without any writing.
    whole = tmp_path / ".venv"
    whole.mkdir()
    (whole / "made-from").write_text("version 2")
    assert environments.ready(".venv", "2", "version 2") == whole


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="Linux names the mounts")
def test_where_no_program_runs_or_a_path_has_a_colon_the_cache_is_taken(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert environments.unfit(tmp_path) == ""
    (tmp_path / "cache").mkdir()

    def statvfs(path: Path) -> SimpleNamespace:
        return SimpleNamespace(f_flag=os.ST_NOEXEC if path == tmp_path else 0)

    with monkeypatch.context() as patched:
        patched.setattr(environments.os, "statvfs", statvfs)
        assert environments.ready(".venv", ".", "1").is_relative_to(tmp_path / "cache")
    colon = tmp_path / "a:b"
    colon.mkdir()
    monkeypatch.setattr(environments, "ROOT", colon)
    assert environments.ready(".venv", ".", "1").is_relative_to(tmp_path / "cache")
    monkeypatch.setattr(environments, "cache_folder", lambda _: colon)
    with pytest.raises(SystemExit, match="Rename the folder"):
        environments.ready(".venv", ".", "2")


@pytest.mark.skipif(os.name == "nt", reason="sudo")
def test_what_is_another_users_is_left_and_named_with_the_command_that_removes_it(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = environments.folders()
    for name in (".venv", ".venv-held"):
        (tmp_path / name).mkdir()
    folders[1].mkdir(parents=True)
    unwritable(environments, monkeypatch, *folders)
    with pytest.raises(SystemExit, match=r"Permission denied.\n.*\n.*\nXDG_CACHE_HOME="):
        environments.ready(".venv", ".", "version 1")
    monkeypatch.setattr(environments.os, "geteuid", lambda: -1)
    with pytest.raises(SystemExit) as ended:
        environments.ready(".venv", ".", "version 1")
    command = str(ended.value).splitlines()[-1]
    named = [tmp_path / ".venv", tmp_path / ".venv-held", folders[1].parent]
    assert sorted(command.removeprefix("sudo rm -r ").split()) == sorted(map(str, named))


@pytest.mark.skipif(os.name == "nt" or not os.geteuid(), reason="permissions that count")
@pytest.mark.parametrize("which", [".venv", ".venv-held"])
def test_a_folder_that_cannot_be_read_is_passed_over(environments: Any, which: str) -> None:
    folder = environments.ROOT / which
    folder.mkdir()
    (folder / "made-from").write_text("version 1")
    folder.chmod(0)
    try:
        assert environments.ready(".venv", ".", "version 1") != environments.ROOT / which
    finally:
        folder.chmod(0o700)


def test_a_mark_that_cannot_be_read_counts_as_none(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environments.ready(".venv", ".", "version 1")
    let_go(environments)

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        for way in ("read_text", "exists", "stat"):
            patched.setattr(Path, way, refuse)
        assert not environments.is_whole(tmp_path / ".venv", "version 1")
        assert not environments.used(tmp_path / ".venv", "version 1")
        assert not environments.removed(tmp_path / ".venv")


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="other systems' folders")
def test_a_relative_cache_folder_counts_as_none() -> None:
    environments = importlib.import_module("tools.environments")
    usual = Path.home() / ".cache"
    assert environments.cache_folder({"XDG_CACHE_HOME": "/somewhere"}) == Path("/somewhere")
    assert environments.cache_folder({"XDG_CACHE_HOME": "somewhere"}) == usual
    assert environments.cache_folder({}) == usual


SETTINGS_OF_PIP = """\
:env:.cert='/of/the/environment'
global.cert='/certificates'
global.extra-index-url='file:///one\\nfile:///two'
global.no-build-isolation='true'
global.quiet='3'
global.require-hashes='true'
global.timeout='10'
global.use-feature='fast-deps truststore'
global.user='true'
install.find-links='/wheels'
install.no-deps='true'
install.target='/elsewhere'
install.timeout='20'
wheel.find-links='/other'
"""
"""What `pip config list` prints for files with such settings."""
REDIRECTING = (
    *("USER", "TARGET", "PREFIX", "ROOT", "REQUIRE_VIRTUALENV", "NO_DEPS", "DRY_RUN", "QUIET"),
    *("ONLY_BINARY", "NO_BINARY", "REQUIRE_HASHES", "CONSTRAINT", "BUILD_CONSTRAINT", "REPORT"),
    *("REQUIREMENT", "IGNORE_INSTALLED", "NO_BUILD_ISOLATION", "BREAK_SYSTEM_PACKAGES", "PYTHON"),
    *("ISOLATED", "LOG", "EDITABLE", "ANY_NEW_ONE"),
)
"""Settings by which an installation goes elsewhere or fails."""


def test_pip_installs_here_whatever_it_is_told_and_keeps_its_connections(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[tuple[list[str], dict[str, str]]] = []

    def run(words: list[str], **more: Any) -> SimpleNamespace:
        ran.append((words, more["env"]))
        return SimpleNamespace(returncode=0, stdout=SETTINGS_OF_PIP, stderr="")

    monkeypatch.setattr(environments.subprocess, "run", run)
    for name in list(os.environ):
        if name.upper().startswith("PIP_"):
            monkeypatch.delenv(name)
    for name in REDIRECTING:
        monkeypatch.setenv(f"PIP_{name}", "1")
    monkeypatch.setenv("PIP_PROXY", "http://proxy:1")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "30")
    monkeypatch.setenv("PIP_USE_FEATURE", "fast-deps")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/my/pip.conf")
    environments.pip(tmp_path, "install", ".")
    (asked, first), (_installs, second) = ran
    assert asked[-2:] == ["config", "list"]
    of_pip = {name: value for name, value in first.items() if name.startswith("PIP_")}
    assert of_pip == {"PIP_CONFIG_FILE": "/my/pip.conf", "PIP_QUIET": "0", "PIP_LOG": os.devnull}
    assert {name: value for name, value in second.items() if name.startswith("PIP_")} == {
        "PIP_CERT": "/certificates",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DEFAULT_TIMEOUT": "30",
        "PIP_EXTRA_INDEX_URL": "file:///one\nfile:///two",
        "PIP_FIND_LINKS": "/wheels",
        "PIP_PROXY": "http://proxy:1",
        "PIP_TIMEOUT": "20",
        "PIP_USE_FEATURE": "truststore",
    }


def test_no_variable_leads_python_to_other_modules(
    targets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    misleading = importlib.import_module("tools.environments").MISLEADING
    assert {"PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONWARNINGS"} <= {*misleading}
    for name in misleading:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setattr(sys, "argv", ["tasks.py"])
    targets.main()
    assert not {*targets.os.environ} & {*misleading}
    assert targets.os.environ["PYTHONUTF8"] == "1"
    # A script under PYTHONSAFEPATH does not find its own folder.
    words = [sys.executable, str(ROOT / "tasks.py")]
    env = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=env, cwd="/")
    assert done.stdout.startswith("python3 tasks.py TARGET")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("a\nERROR: No matching distribution found for b\nc", "check the connection"),
        ("ERROR: [Errno 28] No space left on device", "no space left in"),
        ("error: subprocess-exited-with-error\n  x\n  y", "For this reason"),
    ],
)
def test_where_pip_fails_a_sentence_says_what_to_do(
    environments: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, told: str
) -> None:
    monkeypatch.setattr(environments, "pip_settings", lambda *_: {})
    failed = SimpleNamespace(returncode=1, stderr=said)
    monkeypatch.setattr(environments.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(SystemExit) as ended:
        environments.pip(tmp_path / ".venv", "install", "atheris")
    first = next((line for line in said.splitlines() if line.startswith("ERROR")), "error")
    assert str(ended.value).startswith(first)
    assert told in str(ended.value)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/usr/bin/python3: No module named ensurepip", "install the package python3-venv"),
        ("because ensurepip is not\navailable.", "install the package python3-venv"),
        ("Error: [Errno 28] No space left on device", "no space left in"),
        ("Error: [Errno 13] Permission denied: '/a'", "Permission denied: '/a'\nFor this reason"),
    ],
)
def test_where_no_environment_can_be_made_a_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, told: str
) -> None:
    module: Any = importlib.import_module("tools.environments")
    failed = SimpleNamespace(returncode=1, stdout=said, stderr="")
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(SystemExit) as ended:
        module.make(tmp_path / ".venv", ".")
    assert told in str(ended.value)


READ_BY_ALL = (
    *(ast.Module, ast.Expr, ast.Constant, ast.Import, ast.ImportFrom, ast.alias, ast.If, ast.Tuple),
    *(ast.Compare, ast.Lt, ast.Eq, ast.Attribute, ast.Name, ast.Load, ast.Call, ast.BinOp, ast.Mod),
    ast.Subscript,
)
"""Parts of the grammar that every Python since 2.7 has."""


def test_an_old_python_can_read_the_first_file_and_is_told_what_is_needed() -> None:
    text = (ROOT / "tasks.py").read_bytes()
    tree = ast.parse(text.decode("ascii"))
    assert [type(node) for node in ast.walk(tree) if not isinstance(node, READ_BY_ALL)] == []
    is_plain = re.compile(r"[0-9]+|\"|'")  # neither 1_000 nor f"", which the tree shows as values
    tokens = tokenize.tokenize(io.BytesIO(text).readline)
    kinds = (tokenize.NUMBER, tokenize.STRING)
    assert all(is_plain.match(token.string) for token in tokens if token.type in kinds)
    # Nothing of this project is loaded before the version is known.
    names = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.If)]
    first = [ast.unparse(node).splitlines()[0] for node in names]
    assert first[:3] == ["import os", "import sys", "if sys.version_info < (3, 11):"]


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
    module: Any = importlib.import_module("tools.targets")
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


def test_a_target_says_itself_what_it_takes_if_its_script_can(targets: Any) -> None:
    source = SOURCE.read_text(encoding="utf-8")
    found = re.findall(r'"(\w+)": \(\s*tool\("-m", "soak\.(\w+)"\)', source)
    assert len(found) > 10
    for target, script in found:
        text = (ROOT / "tests" / "soak" / f"{script}.py").read_text(encoding="utf-8")
        assert ("ArgumentParser" in text) == (target in targets.OWN_HELP), target
    assert set(dict(found)) | {"play", "hoity"} >= targets.OWN_HELP


@pytest.mark.parametrize("code", [0, 1, 130])
def test_a_game_is_told_how_it_was_started_and_its_exit_code_is_kept(
    targets: Any, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(targets, "program", lambda *_: sys.executable)
    monkeypatch.setattr(targets, "ready", lambda *_: ROOT)
    monkeypatch.setattr(targets, "stamp", lambda: "")
    monkeypatch.setattr(sys, "argv", ["a folder/tasks.py"])

    def execve(path: str, command: list[str], env: dict[str, str]) -> None:
        assert path == command[0]
        raise SystemExit(subprocess.run(command, env=env, check=False).returncode)

    monkeypatch.setattr(os, "execve", execve)
    quote = '"' if os.name == "nt" else "'"
    end = repr(f" {quote}a folder/tasks.py{quote} hoity")
    is_told = f"__import__('os').environ['HOITY_CALLED_AS'].endswith({end})"
    with pytest.raises(SystemExit) as ended:
        targets.hoity(["-c", f"raise SystemExit({code} if {is_told} else 99)"])
    assert ended.value.code == code
