"""A link that goes dead without a word, between two network namespaces made here; needs root."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import terminals
from support.liars.table import environment

BOT = ("--auto", "--yes", "--json")
HOST, GUEST = "10.213.7.1", "10.213.7.2"
NOWHERE = "02:00:00:00:00:99"


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


class NamespacePair:
    """Two namespaces with one cable, whose letters can be lost."""

    def __init__(self, name: str) -> None:
        self.namespaces = [f"{name}a", f"{name}b"]
        for namespace in self.namespaces:
            ip("netns", "add", namespace)
        one, two = self.namespaces
        ip("-n", one, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", two)
        for namespace, address in zip(self.namespaces, (HOST, GUEST), strict=True):
            ip("-n", namespace, "addr", "add", f"{address}/24", "dev", "cable")
            ip("-n", namespace, "link", "set", "cable", "up")
            ip("-n", namespace, "link", "set", "lo", "up")

    def start(self, namespace: int, home: Path, *words: str) -> terminals.Terminal:
        process = subprocess.Popen(
            [
                "ip",
                "netns",
                "exec",
                self.namespaces[namespace],
                sys.executable,
                "-m",
                "cli",
                *words,
            ],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=(home / "errors").open("w"),
            text=True,
        )
        return terminals.Terminal(process, home)

    def lose(self) -> None:
        """From now on every packet is lost, and nobody is told."""
        for namespace, other in zip(self.namespaces, (GUEST, HOST), strict=True):
            ip("-n", namespace, "neigh", "replace", other, "lladdr", NOWHERE, "dev", "cable",
               "nud", "permanent")  # fmt: skip

    def heal(self) -> None:
        """Packets arrive again."""
        for namespace, other in zip(self.namespaces, (GUEST, HOST), strict=True):
            ip("-n", namespace, "neigh", "del", other, "dev", "cable")

    def clear(self) -> None:
        for namespace in self.namespaces:
            ip("netns", "del", namespace)


@pytest.fixture
def pair() -> Iterator[NamespacePair]:
    made = NamespacePair(f"hoity{time.monotonic_ns() % 10**6}")
    yield made
    made.clear()


@pytest.mark.nightly
def test_a_half_open_link_is_noticed_and_mended(pair: NamespacePair, tmp_path: Path) -> None:
    words = ("host", "--seats", "2", "--listen", f"{HOST}:0", "--lan", "off", *BOT)
    host = pair.start(0, tmp_path / "host", *words)
    ticket = host.read_until("ticket")["ticket"]
    guest = pair.start(1, tmp_path / "guest", "join", ticket, "--listen", f"{GUEST}:0", *BOT)
    guest.read_until("round", 2)
    pair.lose()
    began = time.monotonic()
    reasons = [seat.read_until("type", "unlinked")["code"] for seat in (host, guest)]
    noticed = time.monotonic() - began
    assert noticed < 12
    assert set(reasons) <= {"link-silent", "link-unread"}
    pair.heal()
    files = terminals.finish([host, guest])
    assert files[0] == files[1]
    print(f"noticed after {noticed:.1f} s: {reasons}")
