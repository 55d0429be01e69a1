"""Full screens of real processes in real terminals: how they are left, and which size they have."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.paths import VECTORS
from support.sampling import sample
from support.terminals import environment

fcntl = pytest.importorskip("fcntl", reason="there are no such terminals")
import pty  # noqa: E402 - only where there are terminals
import termios  # noqa: E402

pytestmark = pytest.mark.sampled(1)

SMALL = b"needs 80"
"""What a screen says that is too small for the table."""
MODES = (b"1049", b"1000", b"1003", b"2004")
"""The alternate screen, two kinds of mouse reports, and bracketed paste."""


class Window:
    """A terminal with a process, and all that the process has written."""

    def __init__(self, controller: int, process: subprocess.Popen[bytes]) -> None:
        self.controller, self.process, self.shown = controller, process, b""

    def size(self, columns: int, rows: int) -> None:
        """Give the window another size, as a person who drags its edge."""
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, wanted: bytes) -> None:
        """Read until this is written, or to the end if it is empty."""
        deadline = time.monotonic() + 60
        while not wanted or wanted not in self.shown:
            if not select.select([self.controller], [], [], deadline - time.monotonic())[0]:
                raise TimeoutError(f"{wanted!r} is missing in {self.shown[-2000:]!r}")
            try:
                read = os.read(self.controller, 65536)
            except OSError:  # The last process at the terminal has ended.
                read = b""
            if not read:
                assert not wanted, self.shown[-2000:]
                return
            self.shown += read

    def left_on(self) -> list[bytes]:
        """The modes of the terminal that were turned on and not off again."""
        return [
            mode
            for mode in MODES
            if self.shown.rfind(b"\x1b[?%sh" % mode) > self.shown.rfind(b"\x1b[?%sl" % mode)
        ]


@contextmanager
def window(
    home: Path,
    *words: str,
    columns: int = 100,
    rows: int = 30,
    controls: bool = True,
    **variables: str,
) -> Iterator[Window]:
    """Run a command of the program in a terminal of its own, which may send it signals."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(controller, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment(home, TERM="xterm-256color", **variables),
        start_new_session=True,
        preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controls else None,
    )
    os.close(terminal)
    one = Window(controller, process)
    try:
        yield one
    finally:
        process.kill()
        process.wait()
        os.close(one.controller)


GAME = str(VECTORS / "example.hoity")
SCREENS = {
    "the lesson": (("learn",), b"Welcome"),
    "a replay": (("replay", GAME), b"PgUp"),
}


@pytest.mark.parametrize(
    ("screen", "number"),
    [
        ("the lesson", signal.SIGTERM),
        ("a replay", signal.SIGINT),
        ("a replay", getattr(signal, "SIGHUP", signal.SIGTERM)),
        ("a replay", getattr(signal, "SIGQUIT", signal.SIGTERM)),
    ],
)
def test_a_signal_closes_the_screen_and_leaves_the_terminal_as_it_was(
    screen: str, number: int, tmp_path: Path
) -> None:
    words, wanted = SCREENS[screen]
    with window(tmp_path, *words) as one:
        one.read_until(wanted)
        assert one.left_on()
        # Twice, as `timeout` does that signals the process and then its group.
        one.process.send_signal(number)
        one.process.send_signal(number)
        one.read_until(b"Interrupted")
        one.read_until(b"")
        assert one.process.wait(30) == 130
        assert one.left_on() == []


@pytest.mark.parametrize("controls", [True, False])
@pytest.mark.parametrize("screen", sample(SCREENS, 1, "screens"))
def test_a_screen_ends_with_its_terminal(screen: str, controls: bool, tmp_path: Path) -> None:
    """Also where no SIGHUP comes, as in a container whose window is closed."""
    words, wanted = SCREENS[screen]
    with window(tmp_path, *words, controls=controls) as one:
        one.read_until(wanted)
        os.close(one.controller)  # The system sends SIGHUP to a process that it controls.
        assert one.process.wait(30) == 130
        one.controller = os.open(os.devnull, os.O_RDONLY)


def test_a_lesson_ends_with_the_command_before_which_it_is_played(tmp_path: Path) -> None:
    with window(tmp_path, "play", "--name", "Ana") as one:
        one.read_until(b"first: ")
        os.write(one.controller, b"learn\n")
        one.read_until(b"Welcome")
        one.process.send_signal(signal.SIGTERM)
        one.read_until(b"Interrupted")
        one.read_until(b"")
        assert one.process.wait(30) == 130
        assert one.left_on() == []


def test_the_window_has_its_own_size_and_not_that_of_the_environment(tmp_path: Path) -> None:
    with window(tmp_path, "learn", COLUMNS="200", LINES="60") as one:
        one.read_until(b"Welcome")
        rows = [int(row) for row in re.findall(rb"\x1b\[(\d+);\d+H", one.shown)]
        assert max(rows) <= 30
        assert SMALL not in one.shown
        one.size(70, 20)
        one.read_until(SMALL)
