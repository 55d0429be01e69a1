"""Bots as copies (forks) of the player's process, so that each has its modules loaded.

A start of Python costs half a second and 30 MB for each bot, a copy some milliseconds and less
memory. The copies are made before this process loads the player's key, opens a journal or locks a
file, and wait for their tasks. So a bot holds nothing of the player, and after a kill no bot keeps
a lock of the player's.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NoReturn

import trio

from p2p_hoity.editions import load_edition as editions
from p2p_hoity.worker_processes import can_copy

PRELOADED: Final = ("cli.commands.join", "cli.ui.json_window", "encodings.idna", "ifaddr")
"""What bots use, and the process of the player may not have imported."""
SECRET: Final = frozenset({"HOITY_PASSPHRASE", "HOITY_TICKET"})
"""Environment variables that are not passed on to bots, unless they are set for them."""
SIZE: Final = 4
"""The bytes of the size of a task, which stands before the task."""


class CopiedBot:
    """A bot that is a copy of this process, with the part of `trio.Process` that a crew uses.

    Attributes:
        returncode: The exit code, or minus the number of the signal that ended it. None as long as
            it is not known.
    """

    def __init__(self, pid: int, stdin: int) -> None:
        self.pid, self.stdin = pid, trio.lowlevel.FdStream(stdin)
        self.returncode: int | None = None
        self._waiting = trio.Lock()

    async def wait(self) -> int:
        """Wait until the bot has ended."""
        # Only one task may collect the exit code, because the system gives it once.
        async with self._waiting:
            if self.returncode is None:
                ended = os.pidfd_open(self.pid)
                try:
                    await trio.lowlevel.wait_readable(ended)
                finally:
                    os.close(ended)
                _pid, status = os.waitpid(self.pid, 0)
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def terminate(self) -> None:
        """Ask the bot to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End the bot at once."""
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        # The id of a process that was waited for may belong to another one by now.
        if self.returncode is None:
            os.kill(self.pid, number)


@dataclass(frozen=True)
class Copy:
    """A copy of this process that waits for its task.

    Attributes:
        control: The socket on which it gets the task. It ends if the socket closes before.
    """

    control: socket.socket
    pid: int

    def begin(self, words: Sequence[str], environment: Mapping[str, str], stderr: int) -> CopiedBot:
        """Let it play a bot, by the words after `hoity`, in exactly this environment.

        Raises:
            OSError: If the copy has ended.
        """
        task = json.dumps({"words": list(words), "environment": dict(environment)}).encode()
        stdin, ours = os.pipe()
        try:
            size = len(task).to_bytes(SIZE, "little")
            socket.send_fds(self.control, [size], [stdin, stderr])
            self.control.sendall(task)
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(stdin)
            self.control.close()
        return CopiedBot(self.pid, ours)

    def dismiss(self) -> None:
        """End it without a task."""
        self.control.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def copies(number: int) -> list[Copy]:
    """Make copies of this process, before it holds anything that bots must not have.

    There are none where processes cannot be copied, or where the environment holds a secret, which
    a copy would keep in its memory. There are fewer if the system has no room for more.
    """
    if not number or not can_copy() or not hasattr(os, "pidfd_open") or SECRET & set(os.environ):
        return []
    _prepare()
    gc.collect()
    gc.freeze()  # Otherwise the first search for cycles would copy all pages into each bot.
    made: list[Copy] = []
    with suppress(OSError):
        while len(made) < number:
            ours, theirs = socket.socketpair()
            pid = os.fork()
            if pid == 0:
                # A copy ends when its socket closes, so no other copy may keep that open.
                for one in (ours, *(copy.control for copy in made)):
                    one.close()
                _wait_for_task(theirs)
            theirs.close()
            made.append(Copy(ours, pid))
    return made


def _prepare() -> None:
    """Load what each bot would otherwise load for itself, since copies share it."""
    for name in PRELOADED:
        import_module(name)
    import_module("cli.app").prepare("join")
    for name in editions.NAMES:
        editions.load(name)


# In a copy


def _wait_for_task(control: socket.socket) -> NoReturn:
    """Wait for the task, and do it. End if there is none."""
    try:
        os.setsid()  # Ctrl-C at the terminal is for the player's process.
        _use_streams(*(os.open(os.devnull, os.O_RDWR) for _ in range(3)))
        size, given, _flags, _address = socket.recv_fds(control, SIZE, 2)
        left, task = int.from_bytes(size, "little"), b""
        while len(task) < left and (more := control.recv(left - len(task))):
            task += more
        if left and len(task) == left:
            _become(json.loads(task), *given)
    finally:
        # A copy never returns into the code of the player's process.
        os._exit(1)


def _become(task: dict[str, Any], stdin: int, stderr: int) -> None:
    """Run the command of a bot in this process, as `python -m cli` would, and end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _use_streams(stdin, os.open(os.devnull, os.O_RDWR), stderr)
    # No file, socket or pipe of the player's process stays open in a bot.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(task["environment"])
    sys.argv = ["hoity", *task["words"]]
    code: object = 0
    try:
        runpy.run_module("cli", run_name="__main__")
    except SystemExit as end:
        code = end.code
    # By hand, because `_exit` skips the exit handlers, which belong to the player's process.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _use_streams(*streams: int) -> None:
    """Take these descriptors for the standard input, output and error."""
    for number, one in enumerate(streams):
        os.dup2(one, number)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        errors = "backslashreplace" if name == "stderr" else None
        # They stay open until the process ends, so no context closes them.
        text = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
