"""Copies of a process that tell what they draw and hold: `python -m support.told_copies LOCK`.

The process makes the copies, then holds a lock on the file LOCK and a secret in its environment.
"""

import fcntl
import json
import os
import random
import runpy
import signal
import ssl
import sys
import tempfile
from typing import Any

import nacl.utils
import trio

from cli.local import bot_copies
from cli.local.bot_copies import Copy


def act(module: str, run_name: str) -> None:
    """Do what the word of the command says, in place of a bot."""
    word = sys.argv[1]
    if word == "exit":
        sys.exit(3)
    if word == "wait":
        sys.stdin.read()
        return
    drawn = (os.urandom(16), nacl.utils.random(16), ssl.RAND_bytes(16), random.randbytes(16))
    others = [one for one in os.listdir("/proc/self/fd") if int(one) > 2]
    told = {
        "drawn": [one.hex() for one in drawn],
        "held": [one for one in others if os.path.exists(f"/proc/self/fd/{one}")],
        "environ": dict(os.environ),
        "session": os.getsid(0) == os.getpid(),
        "words": sys.argv[1:],
    }
    print(json.dumps(told), file=sys.stderr)


async def ended(copy: Copy, word: str, stop: int = 0) -> tuple[int, dict[str, Any]]:
    """Return the exit code of a copy with this command, and what it has printed."""
    with tempfile.TemporaryFile("w+b") as said:
        bot = copy.begin([word], {"HOITY_HOME": "/home", "OWN": word}, said.fileno())
        if stop:
            os.kill(bot.pid, stop)
        async with trio.open_nursery() as nursery:  # A crew waits in two tasks.
            nursery.start_soon(bot.wait)
            code = await bot.wait()
        bot.terminate()
        bot.kill()
        said.seek(0)
        return code, json.loads(said.read() or b"{}")


async def _all(made: list[Copy]) -> list[tuple[int, dict[str, Any]]]:
    told = [await ended(made.pop(), "tell") for _ in range(2)]
    return [*told, await ended(made.pop(), "exit"), await ended(made.pop(), "wait", signal.SIGKILL)]


def main() -> None:
    """Make the copies, then hold what they must not have, and print what they tell."""
    runpy.run_module = act  # type: ignore[assignment]
    made = bot_copies.copies(5)
    with open(sys.argv[1], "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ["HOITY_PASSPHRASE"] = "typed later"
        print(json.dumps(trio.run(_all, made)))
    made.pop().dismiss()


if __name__ == "__main__":
    main()
