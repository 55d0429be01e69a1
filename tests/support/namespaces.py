"""Machines of a small internet on this one: network namespaces, cables, routers with NAT.

Needs root, Linux, iproute2 and nftables; `why_not` says what is missing. No address here leaves
the machine: the namespaces have no way out.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from support import terminals

PROGRAMS = ("ip", "nft")


@cache
def why_not() -> str:
    """What this machine lacks for such an internet; empty for nothing."""
    if sys.platform != "linux":
        return "network namespaces are Linux's"
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    for program in PROGRAMS:
        if shutil.which(program) is None:
            return f"the program {program} is not installed"
    name = f"hoity-try-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if tried.returncode:
        return f"this machine makes no network namespace: {tried.stderr.strip()}"
    chain = "add table ip t; add chain ip t c { type nat hook postrouting priority 100; }"
    nat = subprocess.run(
        ["ip", "netns", "exec", name, "nft", chain], capture_output=True, text=True
    )
    run("ip", "netns", "del", name)
    return f"this machine has no NAT: {nat.stderr.strip()}" if nat.returncode else ""


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


@dataclass
class Machine:
    """One namespace: a machine, or a router."""

    name: str

    def run(self, *words: str) -> str:
        """Run a program there to its end."""
        return run("ip", "netns", "exec", self.name, *words)

    def start(self, home: Path, *words: str, **how: Any) -> terminals.Terminal:
        """Start a command there, as `terminals.start` does."""
        return terminals.start(home, *words, namespace=self.name, **how)


@dataclass
class Internet:
    """A hub of cables; machines have public addresses, homes stand behind routers."""

    prefix: str
    folder: Path
    made: list[str] = field(default_factory=list)
    wire: tuple[str, ...] = ()
    """How slow each cable to the internet is, as options of `slow_wire`; it has delay at both ends
    of a way. None: a plain cable."""
    _cables: int = 0
    _wires: list[terminals.Terminal] = field(default_factory=list)

    def _machine(self, name: str) -> Machine:
        full = f"{self.prefix}{name}"
        run("ip", "netns", "add", full)
        self.made.append(full)
        run("ip", "-n", full, "link", "set", "lo", "up")
        return Machine(full)

    def _hub(self) -> Machine:
        if not self.made:
            hub = self._machine("hub")
            run("ip", "-n", hub.name, "link", "add", "net", "type", "bridge")
            run("ip", "-n", hub.name, "link", "set", "net", "up")
        return Machine(self.made[0])

    def _plug_in(self, machine: Machine, *addresses: str) -> None:
        """A cable from a machine to the internet, as `wan`."""
        hub, self._cables = self._hub(), self._cables + 1
        end = f"c{self._cables}"
        if self.wire:
            self._slowly(hub, end, machine, addresses)
            return
        cable = ("type", "veth", "peer", "name", "wan", "netns", machine.name)
        run("ip", "-n", hub.name, "link", "add", end, *cable)
        run("ip", "-n", hub.name, "link", "set", end, "master", "net", "up")
        for address in addresses:
            more = ("nodad",) if ":" in address else ()
            run("ip", "-n", machine.name, "addr", "add", address, "dev", "wan", *more)
        run("ip", "-n", machine.name, "link", "set", "wan", "up")

    def _slowly(self, hub: Machine, end: str, machine: Machine, addresses: Sequence[str]) -> None:
        """The same by a slow wire; the hub routes, since a TUN has no place on a bridge."""
        hub.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        self._stretch("slow_wire", hub.name, end, machine.name, "wan", *self.wire)
        run("ip", "-n", hub.name, "link", "set", end, "up")
        for address in (one.partition("/")[0] for one in addresses if ":" not in one):
            self._lead_out(machine, address)
            run("ip", "-n", hub.name, "route", "add", f"{address}/32", "dev", end)

    def machine(self, name: str, *addresses: str) -> Machine:
        """A machine with public addresses, as `8.0.0.1/8`."""
        self._hub()
        made = self._machine(name)
        self._plug_in(made, *addresses)
        return made

    def mesh(self, seconds: float, *addresses: str) -> list[Machine]:
        """Machines with these addresses, each so far from every other; there is no hub."""
        machines = [self._machine(f"m{number}") for number in range(len(addresses))]
        ends = [
            word
            for machine, address in zip(machines, addresses, strict=True)
            for word in (machine.name, address)
        ]
        self._stretch("mesh", str(seconds), *ends)
        for machine, address in zip(machines, addresses, strict=True):
            self._lead_out(machine, address)
        return machines

    def _stretch(self, kind: str, *words: str) -> None:
        """Start a wire, and wait until it stands."""
        wire = terminals.start(self.folder, *words, module=f"support.{kind}")
        self._wires.append(wire)
        wire.read_until("wire")

    def _lead_out(self, machine: Machine, address: str) -> None:
        run("ip", "-n", machine.name, "link", "set", "wan", "up")
        run("ip", "-n", machine.name, "addr", "add", f"{address}/32", "dev", "wan")
        run("ip", "-n", machine.name, "route", "add", "default", "dev", "wan")

    def home(self, name: str, public: str, rules: str = "", inside: str = "192.168.1") -> Machine:
        """Make a machine at home: its router has a public address and masks it, after `rules`."""
        router = self.machine(f"{name}r", public)
        made = self._machine(name)
        cable = ("type", "veth", "peer", "name", "eth0", "netns", made.name)
        run("ip", "-n", router.name, "link", "add", "lan", *cable)
        run("ip", "-n", router.name, "addr", "add", f"{inside}.1/24", "dev", "lan")
        run("ip", "-n", router.name, "link", "set", "lan", "up")
        run("ip", "-n", made.name, "addr", "add", f"{inside}.2/24", "dev", "eth0")
        run("ip", "-n", made.name, "link", "set", "eth0", "up")
        run("ip", "-n", made.name, "route", "add", "default", "via", f"{inside}.1")
        router.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        if rules:
            router.run("nft", rules)
        return made

    def router(self, name: str) -> Machine:
        """The router of a home."""
        return Machine(f"{self.prefix}{name}r")

    def clear(self) -> None:
        for wire in self._wires:
            wire.kill()
        for name in reversed(self.made):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def nat(masking: str = "masquerade", unexpected: str = "drop") -> str:
    """What a home's router does: `masquerade` keeps the port if it is free, `masquerade random`
    takes another for each connection; what nobody inside has asked for is dropped or rejected."""
    reject = "drop" if unexpected == "drop" else "reject with tcp reset"
    return f"""
    add table ip home
    add chain ip home out {{ type nat hook postrouting priority 100; }}
    add rule ip home out oifname "wan" {masking}
    add chain ip home in {{ type filter hook input priority 0; }}
    add rule ip home in iifname "wan" ct state established,related accept
    add rule ip home in iifname "wan" meta l4proto tcp {reject}
    add chain ip home through {{ type filter hook forward priority 0; }}
    add rule ip home through iifname "wan" ct state established,related accept
    add rule ip home through iifname "wan" drop
    """


@contextmanager
def internet(*wire: str) -> Iterator[Internet]:
    """Make an internet of one's own, gone afterwards; `wire`: how slow its cables are.

    The test is skipped where none can be made.
    """
    if why_not():
        pytest.skip(why_not())
    with TemporaryDirectory(prefix="hoity-wires-") as folder:
        made = Internet(f"h{os.getpid() % 10**6}", Path(folder), wire=wire)
        try:
            yield made
        finally:
            made.clear()


REFUSED, LOST = "reject with tcp reset", "drop"
"""What comes of a packet at a wall: who sends it is told, or nobody is."""


def machines(net: Internet, number: int) -> list[Machine]:
    """Make machines with a public address each, see `address`."""
    return [net.machine(f"m{n}", f"{address(n)}/8") for n in range(number)]


def address(number: int) -> str:
    """Return where the machine with this number is."""
    return f"8.0.0.{number + 1}"


def part(
    places: Sequence[Machine], pairs: Iterable[tuple[int, int]], name: str, packets: str = LOST
) -> None:
    """Let these pairs of machines not reach each other from now on."""
    for pair in pairs:
        for one, two in (pair, reversed(pair)):
            rules = f"""
            add table ip {name}
            add chain ip {name} out {{ type filter hook output priority 0; }}
            add rule ip {name} out ip daddr {address(two)} meta l4proto tcp {packets}
            """
            places[one].run("nft", rules)


def join(places: Sequence[Machine], name: str) -> None:
    """Bring together what was parted under this name."""
    for place in places:
        place.run("nft", f"add table ip {name}; delete table ip {name}")


def move(place: Machine, old: str, new: str) -> None:
    """Give a machine another address; both as `8.0.0.1/8`."""
    place.run("ip", "addr", "del", old, "dev", "wan")
    place.run("ip", "addr", "add", new, "dev", "wan")


@contextmanager
def relay(
    net: Internet, home: Path, *addresses: str, listen: str = ":4646"
) -> Iterator[terminals.Terminal]:
    """Run a relay on a machine of its own, by default at `RELAY`."""
    machine = net.machine("relay", *(addresses or ("8.9.0.1/8",)))
    running = machine.start(home, "relay", "--listen", listen, "--json")
    try:
        running.read_until("addresses")
        yield running
    finally:
        running.kill()


RELAY = "8.9.0.1:4646"
"""Where nobody else is."""
