"""A process that starts bots as copies of itself (forks), so that each has its modules loaded.

A start of Python costs half a second and 30 MB for each bot, a copy some milliseconds and a third
of that. The server is forked before this process loads the player's key, opens a journal or locks
a file. So a bot holds nothing of the player, and after a kill no bot keeps a lock of the player's.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NoReturn

import trio

from p2p_hoity.worker_processes import can_copy

PRELOADED: Final = ("cli.app", "cli.commands.join", "cli.ui.json_screen", "p2p_hoity.net.hub")
"""What bots use, and the process of the player may not have imported."""
SECRET: Final = frozenset({"HOITY_PASSPHRASE", "HOITY_TICKET"})
"""Environment variables that are not passed on to bots, unless they are set for them."""
NUMBER: Final = 4
"""The bytes of a number on the pipe of a bot: its process id, and at last its exit code."""
UNKNOWN: Final = -signal.SIGKILL
"""The exit code of a bot whose server was killed."""


class CopiedBot:
    """A bot that the server has started, with the part of `trio.Process` that a crew uses.

    Attributes:
        pid: The process id.
        stdin: The standard input of the bot.
        returncode: The exit code, or minus the number of the signal that ended it. None as long as
            it is not known.
    """

    def __init__(self, stdin: int, told: int) -> None:
        """Wait for the server to tell the process id, which takes it some milliseconds.

        Args:
            stdin: The descriptor of the writing end of the standard input.
            told: The descriptor of the reading end of the pipe on which the server tells.

        Raises:
            OSError: If the server has ended.
        """
        self.stdin = trio.lowlevel.FdStream(stdin)
        self.returncode: int | None = None
        self._told, self._waiting = told, trio.Lock()
        found = os.read(told, NUMBER)
        if not found:
            os.close(told)
            raise OSError("the server of bots has ended")
        self.pid = int.from_bytes(found, "little", signed=True)

    async def wait(self) -> int:
        """Wait until the bot has ended.

        Returns:
            The exit code.
        """
        async with self._waiting:
            if self.returncode is None:
                await trio.lowlevel.wait_readable(self._told)
                found = os.read(self._told, NUMBER)
                os.close(self._told)
                self.returncode = int.from_bytes(found, "little", signed=True) if found else UNKNOWN
        return self.returncode

    def terminate(self) -> None:
        """Ask the bot to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End the bot at once."""
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


@dataclass
class BotServer:
    """The server, as the process of the player sees it.

    Attributes:
        control: The socket on which bots are asked for. The server ends when it closes.
        pid: The process id of the server.
    """

    control: socket.socket
    pid: int

    def start(self, words: Sequence[str], environment: Mapping[str, str], stderr: int) -> CopiedBot:
        """Start a bot.

        Args:
            words: The words of its command line after `hoity`.
            environment: All its environment variables.
            stderr: The descriptor of its standard error.

        Returns:
            The bot.

        Raises:
            OSError: If the server has ended, or the system has no room for a process.
        """
        task = json.dumps({"words": list(words), "environment": dict(environment)}).encode()
        (stdin, ours), (told, theirs) = os.pipe(), os.pipe()
        try:
            given = [stdin, stderr, theirs]
            socket.send_fds(self.control, [len(task).to_bytes(NUMBER, "little")], given)
            self.control.sendall(task)
        finally:
            os.close(stdin)
            os.close(theirs)
        return CopiedBot(ours, told)

    def close(self) -> None:
        """End the server. Bots that still run go on."""
        self.control.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def start_server() -> BotServer | None:
    """Start the server, before this process holds anything that bots must not have.

    Returns:
        The server. None where processes cannot be copied, or the environment holds a secret, which
        a copy would keep in its memory.
    """
    if not can_copy() or not hasattr(os, "pidfd_open") or SECRET & set(os.environ):
        return None
    ours, theirs = socket.socketpair()
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        return None
    if pid:
        theirs.close()
        return BotServer(ours, pid)
    ours.close()
    try:
        _serve(theirs)
    finally:
        os._exit(1)


# In the server


def _serve(control: socket.socket) -> NoReturn:
    """Start bots until the control socket closes."""
    os.setsid()  # Ctrl-C at the terminal is for the player's process.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _use_streams(*(os.open(os.devnull, os.O_RDWR) for _ in range(3)))
    for name in PRELOADED:
        import_module(name)
    gc.collect()
    gc.freeze()  # Otherwise the first search for cycles would copy all pages into each bot.
    pipes = dict[int, int]()
    with selectors.DefaultSelector() as ready:
        ready.register(control, selectors.EVENT_READ)
        while True:
            for key, _events in ready.select():
                if key.fileobj is control:
                    _start_one(control, ready, pipes)
                else:
                    ready.unregister(key.fileobj)
                    os.close(key.fd)
                    _report(key.data, pipes.pop(key.data))


def _start_one(
    control: socket.socket, ready: selectors.BaseSelector, pipes: dict[int, int]
) -> None:
    """Read a request for a bot, and start it. End if the player's process has ended.

    `pipes` has the pipe of each running bot by its process id, and is changed.
    """
    size, given, _flags, _address = socket.recv_fds(control, NUMBER, 3)
    if not size:
        os._exit(0)
    left, task = int.from_bytes(size, "little"), b""
    while len(task) < left:
        task += control.recv(left - len(task)) or os._exit(0)
    stdin, stderr, told = given
    pid = os.fork()
    if pid == 0:
        try:
            _become(json.loads(task), stdin, stderr)
        finally:
            os._exit(1)
    os.close(stdin)
    os.close(stderr)
    ready.register(os.pidfd_open(pid), selectors.EVENT_READ, pid)
    pipes[pid] = told
    _tell(told, pid)


def _report(pid: int, told: int) -> None:
    """Tell the exit code of a bot that has ended."""
    _found, status = os.waitpid(pid, 0)
    _tell(told, os.waitstatus_to_exitcode(status))
    os.close(told)


def _tell(told: int, number: int) -> None:
    with suppress(BrokenPipeError):  # Nobody waits for this bot any more.
        os.write(told, number.to_bytes(NUMBER, "little", signed=True))


# In a bot


def _become(task: dict[str, Any], stdin: int, stderr: int) -> None:
    """Run the command of a bot in this process, as `python -m cli` would, and end."""
    os.setsid()
    _use_streams(stdin, os.open(os.devnull, os.O_RDWR), stderr)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(task["environment"])
    sys.argv = ["hoity", *task["words"]]
    code: object = 0
    try:
        runpy.run_module("cli", run_name="__main__")
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _use_streams(*streams: int) -> None:
    """Take these descriptors for the standard input, output and error."""
    for number, one in enumerate(streams):
        os.dup2(one, number)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        errors = "backslashreplace" if name == "stderr" else None
        text = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
