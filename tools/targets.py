"""The targets of `python3 tasks.py`: what each does, and how it is listed."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from .environments import ROOT, folders, pip, program, ready, undirected

CODE = ["protocol", "p2p_hoity", "cli", "training", "tests", "tools", "bench", "tasks.py"]

WORKERS = ["-n", str(os.cpu_count() or 1), "--dist", "worksteal"]
"""One worker for each core: another one would read all tests once more, and the checks of types and
of the wheel run beside them. A worker that has no tests left takes some of another one."""
QUICK = [
    "tests/p2p_hoity_/rules",
    "tests/p2p_hoity_/editions",
    "tests/protocol_/crypto",
    "tests/protocol_/wire",
    "tests/protocol_/chain/test_transition_stopped.py",
    "tests/protocol_/chain/test_transition.py",
    "tests/project",
    "tests/cli_/words",
    # These take long: one starts a cluster, one plays with bots that pause for people, three run or
    # read all that a page imports, one runs scripts, one makes large files, one counts sequences of
    # choices, and the others draw many random cases.
    "--ignore=tests/project/test_games_elsewhere.py",
    "--deselect=tests/project/test_programs_page.py::test_the_programs_play_a_whole_game",
    "--deselect=tests/project/test_trio_stand_in.py::test_a_game_is_played_above_the_stand_in",
    "--deselect=tests/project/test_page_modules.py::"
    "test_the_tests_of_the_building_blocks_pass_above_the_stand_in",
    "--deselect=tests/project/test_page_modules.py::"
    "test_what_is_imported_later_is_in_the_list_or_known_to_be_of_no_use",
    "--deselect=tests/project/test_bounds.py::"
    "test_what_is_at_a_bound_passes_and_what_is_above_it_does_not",
    "--deselect=tests/project/test_bench_scripts.py",
    "--ignore=tests/project/test_fuzz_corpus.py",
    "--ignore=tests/p2p_hoity_/rules/test_perft.py",
    "--ignore=tests/p2p_hoity_/rules/test_properties.py",
]
"""The tests of `check`."""
NIGHTLY = {
    "exhaustive": (),
    "simulate": ("--games", "1000"),
    "agree": (),
    "fuzz": ("-runs=200000",),
}
"""The targets that `nightly` runs, with their arguments."""
BYTECODE = folders()[0 if os.access(ROOT, os.W_OK) else -1] / ".pytest_cache" / "bytecode"
"""The folder of the bytecode that test processes compile. The folders of the code stay clean."""
COMPILED_APART = (
    ("tests/p2p_hoity_", "tests/processes"),
    ("tests/protocol_", "tests/cli_", "tests/project", "tests/independent", "training/tests"),
)
"""Two parts of the tests that take about the same time to compile."""
LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv*", ".*_cache", "__pycache__", ".hypothesis", "dist", "build")
)
ELSEWHERE = {
    "TZ": "Pacific/Kiritimati",
    "PYTHONHASHSEED": "7",
    # Python then takes a text whose encoding nobody names for ASCII.
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}
"""Variables of another person, who builds the same."""
DIST = ROOT / "dist"


def run(command: Sequence[str], **more: object) -> None:
    """Run a command; stop with its exit code if it fails."""
    print("$ " + " ".join(command), flush=True)
    # What it leaves running goes on using its environment.
    kept = {"cwd": ROOT, "close_fds": False, **more}
    done = subprocess.run(command, check=False, **kept)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(done.returncode)


def stamp() -> str:
    """What the play environment was made from: made again when the code changed or was moved."""
    files = sorted(
        p
        for name in CODE[:3]
        for p in (ROOT / name).rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    )
    newest = max((p.stat().st_mtime_ns for p in [*files, ROOT / "pyproject.toml"]), default=0)
    return f"{sys.version}\n{ROOT}\n{newest}\n"


@cache
def tester() -> Path:
    """The test environment, made of what it needs: scripts run the code of the checkout itself."""
    needs = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return ready(".venv-test", ".[dev,browser]", f"{sys.version}\n{ROOT}\n{needs}")


def play(args: Sequence[str]) -> None:
    """Play a whole game against bots (arguments go to `hoity play`)."""
    hoity(["play", *args])


def hoity(args: Sequence[str]) -> None:
    """Run any hoity command."""
    player = ready(".venv", ".", stamp())
    env = {"HOITY_CALLED_AS": called_as(), **os.environ}
    command = [program(player, "hoity"), *args]
    if os.name != "nt":
        sys.stdout.flush()
        os.execve(command[0], command, env)  # So a signal to this process reaches the game.
    process = subprocess.Popen(command, env=env)
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            continue  # the game has heard it too, and says how to go on
    sys.exit(code)


def called_as() -> str:
    """Return how this file is started from where the person stands, quoted for the shell."""
    if os.name == "nt":
        return subprocess.list2cmdline(["python", sys.argv[0], "hoity"])
    python = sys.orig_argv[0]
    name = Path(python).name
    # A launcher may have put a whole path in place of the name that was typed.
    return shlex.join([name if shutil.which(name) == python else python, sys.argv[0], "hoity"])


def test(args: Sequence[str]) -> None:
    """Run all that CI runs: lint, types, all tests and the wheel."""
    lint()
    with beside("types"), beside("wheel"):
        # The check of types has one process, which would go on alone after all tests.
        if hasattr(os, "nice"):
            os.nice(5)
        pytest(args)


@contextmanager
def beside(target: str) -> Iterator[None]:
    """Run another target in a process of its own meanwhile, and print its output when it is done.

    Raises:
        SystemExit: if the other target fails.
    """
    with tempfile.TemporaryFile() as said:
        command = [sys.executable, str(ROOT / "tasks.py"), target]
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        try:
            yield
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            said.seek(0)
            print(said.read().decode(errors="replace"), end="", flush=True)
    if code:
        sys.exit(code)


def check(args: Sequence[str]) -> None:
    """Run lint, types and the tests that cost little, or the tests that are named."""
    lint()
    with beside("types"):
        pytest(args or QUICK)


def pytest(args: Sequence[str]) -> None:
    """Run pytest in the test environment, on all cores.

    Everything that tests import is compiled once before, by two processes. Otherwise each worker
    would compile it.
    """
    keep_bytecode()
    whole = [program(tester(), "python"), "-m", "pytest"]
    if not compiled(ROOT / "tests").exists():
        collect = [*whole, "--collect-only", "--quiet", "-p", "no:cacheprovider"]
        parts = [
            subprocess.Popen([*collect, *part], cwd=ROOT, stdout=subprocess.DEVNULL)
            for part in COMPILED_APART
        ]
        for process in parts:
            process.wait()
    run([*whole, *WORKERS, *args])


def compiled(folder: Path) -> Path:
    """Return the folder that holds the bytecode of a folder."""
    return BYTECODE / folder.relative_to(folder.anchor)


def keep_bytecode() -> None:
    """Let all processes from now on share what they compile."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(BYTECODE)


def coverage(args: Sequence[str]) -> None:
    """Measure which lines and branches the tests reach, in all processes that they start.

    Tests of which modules a command loads fail here, since the measurement loads its own.
    """
    measure = [program(tester(), "python"), "-m", "coverage"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "COVERAGE_FILE": str(Path(folder) / "data")}
        tests = [*measure, "run", "-m", "pytest", *WORKERS, *args]
        code = subprocess.run(tests, cwd=ROOT, env=env, check=False).returncode
        run([*measure, "combine", "--quiet"], env=env)
        run([*measure, "report", "--ignore-errors", "--skip-covered", "--precision=2"], env=env)
    sys.exit(code)


def lint() -> None:
    """Check style and format."""
    python = program(tester(), "python")
    run([python, "-m", "ruff", "check", *CODE])
    run([python, "-m", "ruff", "format", "--check", *CODE])


def types(args: Sequence[str]) -> None:
    """Check types."""
    run([program(tester(), "python"), "-m", "mypy"])


def wheel(args: Sequence[str]) -> None:
    """Build the wheel twice, unpack it elsewhere, then play and verify a game with it there."""
    tester()
    keep_bytecode()
    with tempfile.TemporaryDirectory() as folder:
        outside = Path(folder)
        copied = outside / "copy"
        shutil.copytree(ROOT, copied, ignore=LEFT_OUT, copy_function=shutil.copyfile)
        built = build(ROOT, outside / "one")
        env = {**os.environ, **ELSEWHERE}
        if digest(built) != digest(build(copied, outside / "two", env=env, umask=0o077)):
            sys.exit("Two builds of the wheel differ.")
        print(f"Both builds of the wheel are the same: SHA-256 {digest(built)}", flush=True)
        unpacked = outside / "unpacked"
        pip(tester(), "install", "--no-compile", "--no-deps", "--target", str(unpacked), str(built))
        env = {**os.environ, "HOITY_HOME": str(outside / "home"), "PYTHONPATH": str(unpacked)}
        game = str(outside / "game.hoity")
        hoity = str(next((unpacked / "bin").glob("hoity*")))
        play = [hoity, "play", "--bots", "1", "--auto", "--transcript", game]
        run(play, cwd=folder, env=env, stdout=subprocess.DEVNULL)
        run([hoity, "verify", game], cwd=folder, env=env)
        shutil.rmtree(compiled(outside), ignore_errors=True)


def onefile(args: Sequence[str]) -> None:
    """Build the program as one file for this system, and play with it."""
    maker = ready(".venv-onefile", ".[relay,onefile]", stamp())
    run([program(maker, "python"), "tools/onefile.py", *args])


def release(args: Sequence[str]) -> None:
    """Build all that a release consists of for this system into `dist`, with its checksums."""
    shutil.rmtree(DIST, ignore_errors=True)
    onefile([str(DIST)])
    (made,) = DIST.iterdir()
    system = f"{platform.system()}-{platform.machine()}".lower()
    made.rename(DIST / f"{made.stem}-{system}{made.suffix}")
    run([program(tester(), "python"), "-m", "hatchling", "build", "--directory", str(DIST)])
    with tempfile.TemporaryDirectory() as folder:
        tool("-m", "tools.page")([str(Path(folder) / "page")])
        (page,) = Path(folder).glob("*.whl")
        shutil.move(page, DIST)
    lines = [f"{digest(file)}  {file.name}" for file in sorted(DIST.iterdir())]
    (DIST / "SHA256SUMS").write_text("\n".join((*lines, "")), encoding="ascii")
    print("\n".join(lines))


def exhaustive(args: Sequence[str]) -> None:
    """Run all tests with all cases, the long ones included."""
    pytest(["--nightly", "-o", "faulthandler_timeout=1800", *args])


def nightly(args: Sequence[str]) -> None:
    """Run the exhaustive targets (or those that are named), and print what came of each.

    Raises:
        SystemExit: if a target fails. The others run all the same. Also if there is no such target.
    """
    if unknown := set(args) - set(NIGHTLY):
        sys.exit(f"nightly has no target {', '.join(sorted(unknown))}: {', '.join(NIGHTLY)}")
    results = []
    for name in args or NIGHTLY:
        began = time.monotonic()
        command = [sys.executable, str(ROOT / "tasks.py"), name, *NIGHTLY[name]]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        results.append((name, code, time.monotonic() - began))
    for name, code, seconds in results:
        print(f"{name:10} {'failed' if code else 'passed':7} {seconds:6.0f} s", flush=True)
    if any(code for _, code, _ in results):
        sys.exit(1)


def with_tests() -> dict[str, str]:
    """Return the variables of a process that imports the checkout and its test support."""
    own = [str(ROOT), str(ROOT / "tests"), str(ROOT / "training")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(own)}


def build(source: Path, folder: Path, **how: object) -> Path:
    """Return the wheel of a checkout, built into a folder. `how` is what `run` takes besides."""
    # As pip does when it makes an environment, without what pip itself takes.
    build_tool = [program(tester(), "python"), "-m", "hatchling", "build", "--target", "wheel"]
    whole = [*build_tool, "--directory", str(folder)]
    run(whole, cwd=source, stdout=subprocess.DEVNULL, **how)
    (built,) = folder.glob("*.whl")
    return built


def digest(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def fuzz(args: Sequence[str]) -> None:
    """Coverage-guided fuzzing; installs atheris into the test environment."""
    python = program(tester(), "python")
    pip(tester(), "install", "atheris")
    with tempfile.TemporaryDirectory() as corpus:
        run([python, "-m", "soak.fuzz_corpus", corpus], env=with_tests())
        runs = args or ["-runs=1000000"]
        run([python, "-m", "soak.fuzz_parsers", *runs, corpus], env=with_tests())


def bench(args: Sequence[str]) -> None:
    """Measure the building blocks, as JSON on standard output."""
    hoity(["bench", "--json", *args])


def tool(*words: str) -> Callable[[Sequence[str]], None]:
    """A target that runs a script of this checkout in the test environment."""

    def target(args: Sequence[str]) -> None:
        run([program(tester(), "python"), *words, *args], env=with_tests())

    return target


Target = tuple[Callable[[Sequence[str]], None], str]
GROUPS: dict[str, dict[str, Target]] = {
    "Play": {
        "play": (play, "play a whole game against bots"),
        "hoity": (hoity, "run any hoity command"),
    },
    "Develop": {
        "check": (check, "lint, types and the quickest tests, for use while you work"),
        "test": (test, "lint, types, all tests and the wheel: what CI runs"),
        "types": (types, "check types"),
        "wheel": (wheel, "build the wheel twice, unpack it elsewhere, play and verify with it"),
        "onefile": (onefile, "build the program as one file for this system: FOLDER"),
        "release": (release, "build wheels, source archive, one file and checksums into dist"),
        "site": (tool("-m", "tools.site"), "build the page that checks files: FOLDER --list"),
        "page": (tool("-m", "tools.page"), "build the playing page and its wheel: FOLDER --list"),
        "liars": (tool("-m", "soak.liars"), "a seat cheats and is caught, for each code: CODE …"),
        "platforms": (
            tool("tools/platforms.py"),
            "what every promised platform would install: WORD",
        ),
        "catalogues": (
            tool("tools/catalogues.py"),
            "compile the languages: --check --update --table --new CODE",
        ),
        "pictures": (tool("tools/pictures.py"), "draw the kept pictures of the screen again"),
        "schema": (tool("tools/schemas.py"), "make the schemas of `--json` again"),
        "vectors": (tool("tests/vectors/make_vectors.py"), "make the test vectors again"),
    },
    "Measure and search": {
        "nightly": (nightly, f"in at most an hour: {', '.join(NIGHTLY)}"),
        "exhaustive": (exhaustive, "all tests with all their cases, the long ones included"),
        "coverage": (coverage, "what the tests reach, in lines and branches"),
        "simulate": (
            tool("-m", "soak.simulate"),
            "whole simulated tables: --games N --seed S --dask ADDRESS",
        ),
        "agree": (tool("training/tests/agree.py"), "the simulator beside the rules: ROUNDS SEED"),
        "fuzz": (fuzz, "a million inputs and more to every parser: -runs=N"),
        "bench": (bench, "measure the building blocks, as JSON"),
        "cores": (
            tool("-m", "soak.own_cores"),
            "what distance costs with a core for each seat: --seats N …",
        ),
        "delays": (tool("-m", "soak.delays"), "what distance costs a step: --seats N --delay MS"),
        "deals": (
            tool("-m", "soak.deals"),
            "how long a deal takes, and stops all else: DEALS SEATS",
        ),
        "games": (tool("-m", "soak.games"), "many whole games of six processes: GAMES"),
        "crashes": (tool("-m", "soak.crashes"), "kill a seat at every write of a game: every FILE"),
        "archive": (
            tool("-m", "soak.many_files"),
            "how fast files are checked: FOLDER FILES --jobs 1,2",
        ),
        "relay": (
            tool("-m", "soak.relay_load"),
            "how many tables a relay carries: TABLES --pairs all",
        ),
        "watchers": (
            tool("-m", "soak.watchers"),
            "what onlookers cost a seat: SECONDS ONLOOKERS …",
        ),
        "links": (tool("-m", "soak.links"), "strangers attack a host's door: SECONDS"),
        "flood": (tool("-m", "soak.flooder"), "a seat floods its table"),
        "guessers": (
            tool("-m", "soak.guessers"),
            "strangers try a relay's codes: SECONDS SOURCES HOSTS",
        ),
    },
}
"""All targets with what they do, under the headings of the list."""
TARGETS = {name: target for group in GROUPS.values() for name, target in group.items()}


def listed() -> str:
    """Return all targets, in groups."""
    lines = ["python3 tasks.py TARGET [ARGS]"]
    for heading, group in GROUPS.items():
        lines += [
            "",
            f"{heading}:",
            *(f"  {name:10} {words}" for name, (_, words) in group.items()),
        ]
    return "\n".join(lines)


ASKING = {"-h", "--help"}
OWN_HELP = {"play", "hoity", "liars", "simulate", "cores", "delays", "archive", "relay"}
"""Targets that say themselves what they take. Of the others the list says all there is."""


def main() -> None:
    """Find the target and run it.

    Raises:
        SystemExit: with 2 if there is no such target, and with the exit code of what a target runs.
    """
    undirected()
    name, *args = sys.argv[1:] or ["--help"]
    if name in ASKING:
        print(listed())
        return
    if name not in TARGETS:
        print(f"There is no target {name}.\n\n{listed()}", file=sys.stderr)
        sys.exit(2)
    act, words = TARGETS[name]
    if ASKING & set(args) and name not in OWN_HELP:
        print(f"python3 tasks.py {name}: {words}")
        return
    try:
        act(args)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"The system reports an error: {error}.")
