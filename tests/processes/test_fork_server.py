"""A process that is forked from a server is like one that a Python of its own runs.

Run as a module, this file tells about its process, and ends it in one of the ways.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.terminals import CAN_FORK, start

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="nothing is forked on this system")
HERE = "processes.test_fork_server"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)
ENDS = {"exit": 7, "error": 1, "interrupt": -signal.SIGINT, "kill": -signal.SIGKILL}


def tell(how: str) -> None:
    """Print what a process can find out about itself, then end it."""
    facts = {
        "words": sys.argv[1:],
        "typed": sys.stdin.read(),
        "umask": os.umask(0),
        "folder": os.getcwd(),
        "variables": dict(os.environ),
        "signals": [str(signal.getsignal(number)) for number in SIGNALS],
        "name": __name__,
    }
    print(json.dumps(facts))
    print("complaint", file=sys.stderr)
    if how == "error":
        raise KeyError(how)
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(7)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ENDS)
def test_a_fork_is_like_any(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    umask = os.umask(0o27)
    try:
        forked, own = (
            start(tmp_path, how, module=HERE, typed="ä\n", fresh=fresh, MORE="x")
            for fresh in (False, True)
        )
    finally:
        os.umask(umask)
    assert forked.end() == own.end() == ENDS[how]
    assert forked.lines == own.lines
    assert forked.last["umask"] == 0o27
    assert ("Traceback" in forked.errors()) == (how in ("error", "interrupt"))
    assert forked.errors().splitlines()[:1] == own.errors().splitlines()[:1] == ["complaint"]


def test_no_process_outlives_who_started_it(tmp_path: Path) -> None:
    """Neither the server nor its children, even if nobody could tell them."""
    words = f"start(Path({str(tmp_path)!r}), 'relay', '--listen', '127.0.0.1:0', '--json')"
    script = f"""
from pathlib import Path
from support.terminals import start
relay = {words}
relay.read_until('addresses')
print(relay.process.pid, flush=True)
relay.end()
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        os.kill(pid, 0)
        starter.kill()
        starter.stdout.read()  # the server has it open until its children have ended
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


if __name__ == "__main__":
    tell(sys.argv[1])
