"""How long a player waits for `play`: from the start of the program to its first question.

The program is started as a player starts it, with bots, and with a folder of files of its own that
is removed afterwards. The time is wall time, since the bots compute in processes of their own and
the table waits for the slowest of its seats.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Final

from p2p_hoity.installation import is_one_file
from protocol.units import Seconds

from ..words.error_sentences import of_system
from ..words.translation import _
from .own_program import own_command, own_environment

BOTS: Final = 3
WORDS: Final = ("play", "--bots", str(BOTS), "--json", "--until-eof")
"""The command that is measured. It ends with its input, so also if this process is killed."""
LATEST: Final[Seconds] = 60.0
"""The time after which the program is ended if it has asked nothing, in seconds."""
ENDING: Final[Seconds] = 10.0
"""The time that the program has to end when its input has ended, in seconds."""


class NoQuestion(Exception):
    """An error whose text says that the program could not be started, or that it asked nothing."""


def first_question() -> Seconds:
    """Return the time from a start of the program until `play` asks its first question.

    Raises:
        NoQuestion: If the program does not get so far.
        KeyboardInterrupt: If this process is asked to end, by whatever signal.
    """
    from .ending_signals import ending_calls  # It loads trio, which `hoity rules` does not need.

    made = partial(tempfile.TemporaryDirectory, prefix="hoity-bench-", ignore_cleanup_errors=True)
    try:
        with ending_calls(_interrupt), made() as folder:
            return _measured(_environment(Path(folder)))
    except OSError as error:
        words = _("The command play could not be started: {words}")
        raise NoQuestion(words.format(words=of_system(error))) from error


def _interrupt() -> None:
    raise KeyboardInterrupt


def _environment(folder: Path) -> Mapping[str, str]:
    """Return the environment of a player who has no settings and whose files are in a folder."""
    own = {name: it for name, it in own_environment().items() if not name.startswith("HOITY_")}
    if is_one_file():
        # Otherwise it would run from what this process has unpacked, and start faster.
        own["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    return {**own, "HOITY_HOME": str(folder / "home"), "HOITY_MARKS": str(folder / "marks")}


def _measured(environment: Mapping[str, str]) -> Seconds:
    """Start the program, return the time until its first question, and end it."""
    start = time.perf_counter()
    process = subprocess.Popen(
        own_command(*WORDS),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    limit = Timer(LATEST, process.terminate)
    limit.daemon = True
    limit.start()
    try:
        last = _read_until_asked(process.stdout or ())
        taken = time.perf_counter() - start
    finally:
        limit.cancel()
        _end(process)
    if last is None:
        return taken
    if taken >= LATEST:
        raise NoQuestion(
            _("The command play asked nothing in {seconds} s.").format(seconds=int(taken))
        )
    words = _("The command play ended before its first question, with exit code {code}: {words}")
    raise NoQuestion(words.format(code=process.returncode, words=last))


def _read_until_asked(output: Iterable[bytes]) -> str | None:
    """Read up to the first question and return None, or return the last line without one."""
    last = "–"
    for line in output:
        try:
            if json.loads(line)["type"] == "question":
                return None
        except (ValueError, TypeError, KeyError):  # no object of the game, but words
            last = line.decode(errors="replace").strip() or last
    return last


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program: close its input, and if it does not end in time, force it to."""
    for act in (process.terminate, process.kill):
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=ENDING)  # It closes the input, and reads what is left.
            return
        act()
    process.communicate()
