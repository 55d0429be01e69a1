"""Processes that need not read the program: each is forked from a server that has read it.

`start` asks the server of this process for a child that runs a module with a command line, as
`python -m MODULE WORDS…` would: with its own environment, standard streams, umask, folder, signal
handlers and exit code. Only the half second in which Python reads the modules is saved. The
server starts with the first child, and ends with whoever started it, along with all children.
"""

import atexit
import ctypes
import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

PRELOADED = ("support.seat", "cli.commands.relay", "cli.commands.verify")
"""What the server reads before the first child."""
CLONE_NEWNET = 0x40000000


def enter(namespace: str) -> None:
    """Move this thread into a network namespace; the threads that it starts are there too."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/var/run/netns/{namespace}") as place:
        if libc.setns(place.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")


class ForkedProcess:
    """A child of the server, with the part of `subprocess.Popen` that tests use.

    Its number and at the end its exit code come as lines on a socket of its own.
    """

    def __init__(self, told: socket.socket, stdout: IO[str]) -> None:
        self.stdout, self.returncode = stdout, None
        self._told = told
        self.pid = self._number(None)

    returncode: int | None

    def _number(self, timeout: float | None) -> int:
        if not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        line = b""
        while not line.endswith(b"\n"):
            piece = self._told.recv(1)
            if not piece:
                raise RuntimeError("the fork server has ended")
            line += piece
        return int(line)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended; minus the signal that ended it."""
        if self.returncode is None:
            self.returncode = self._number(timeout)
            self._told.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code if it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class _Server:
    """The server of this process, as its clients see it."""

    def __init__(self) -> None:
        self.control, there = socket.socketpair()
        command = [sys.executable, "-m", "support.fork_server", str(there.fileno())]
        self.process = subprocess.Popen(command, pass_fds=[there.fileno()])
        there.close()
        self.owner = os.getpid()
        atexit.register(self.end)

    def end(self) -> None:
        """End the server and all children."""
        if os.getpid() == self.owner:
            self.control.close()
            self.process.wait()


_servers: list[_Server] = []


def start(
    module: str,
    words: Sequence[str],
    environment: Mapping[str, str],
    streams: tuple[int, int],
    namespace: str = "",
) -> ForkedProcess:
    """Start a module in a child whose output is piped.

    Args:
        module: What `python -m` would be given.
        words: Its command line.
        environment: All variables of the child.
        streams: The descriptors of its standard input and standard error.
        namespace: The network namespace in which it runs; empty for that of this process.
    """
    if not _servers or _servers[-1].owner != os.getpid():
        _servers.append(_Server())
    here, there = socket.socketpair()
    reader, writer = os.pipe()
    given = [there.fileno(), streams[0], writer, streams[1]]
    socket.send_fds(_servers[-1].control, [b"."], given)
    there.close()
    os.close(writer)
    umask = os.umask(0)
    os.umask(umask)
    wanted = {"module": module, "words": list(words), "environment": dict(environment)}
    where = {"namespace": namespace, "folder": os.getcwd(), "umask": umask}
    here.sendall(json.dumps({**wanted, **where}).encode() + b"\n")
    return ForkedProcess(here, open(reader, encoding="utf-8"))


def _serve(control: socket.socket) -> dict[str, Any]:
    """Fork children until the control socket closes; returns only in a child, with its task."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _report(children)
        if control not in ready:
            continue
        data, given, _, _ = socket.recv_fds(control, 1, 4)
        if not data:
            break
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for one in (control, *children.values()):
                one.close()
            os.close(woken)
            os.close(wake)
            return _become(*given)
        children[child] = socket.socket(fileno=given[0])
        for one in given[1:]:
            os.close(one)
        children[child].sendall(b"%d\n" % child)
    for one in children:
        os.kill(one, signal.SIGKILL)
    for one in children:
        os.waitpid(one, 0)
    sys.exit()


def _report(children: dict[int, socket.socket]) -> None:
    """Tell the exit codes of the children that have ended."""
    for child in list(children):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            told = children.pop(child)
            with suppress(BrokenPipeError):  # nobody waits for it any more
                told.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
            told.close()


def _become(told: int, *streams: int) -> dict[str, Any]:
    """Take on, in a new child, the environment and the streams of its task, and return it."""
    with open(told, "rb") as line:
        task: dict[str, Any] = json.loads(line.readline())
    for number, one in enumerate(streams):
        os.dup2(one, number)
        os.close(one)
    kinds = (
        ("stdin", "r", "strict"),
        ("stdout", "w", "strict"),
        ("stderr", "w", "backslashreplace"),
    )
    for number, (name, mode, errors) in enumerate(kinds):
        raw = io.FileIO(number, mode, closefd=False)
        buffer = io.BufferedReader(raw) if mode == "r" else raw
        text = io.TextIOWrapper(buffer, "utf-8", errors, write_through=mode == "w")
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    os.environ.clear()
    os.environ.update(task["environment"])
    os.chdir(task["folder"])
    os.umask(task["umask"])
    if task["namespace"]:
        enter(task["namespace"])
    return task


def _main() -> None:
    for name in PRELOADED:
        __import__(name)
    gc.collect()
    gc.freeze()
    task = _serve(socket.socket(fileno=int(sys.argv[1])))
    sys.modules.pop(task["module"], None)  # it is read anew, as the main module
    sys.argv = ["", *task["words"]]
    runpy.run_module(task["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
