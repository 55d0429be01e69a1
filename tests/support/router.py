"""A small router of its own making that speaks PCP and NAT-PMP, for tests; run by itself it maps
ports for real with nftables.

It shares no code with the product: what it reads and writes is put together from the RFCs here.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

PCP_MAP = struct.Struct("!BBHI16s12sB3xHH16s")
PCP_ANSWER = struct.Struct("!BBBBII12s12sB3xHH16s")
LAN_SIDE = struct.Struct("!BBHHHI")


def mapped(four: str) -> bytes:
    """An IPv4 address as PCP writes it."""
    return bytes(10) + b"\xff\xff" + socket.inet_aton(four)


@dataclass
class Router:
    """What it speaks, what its address outside is, and what it has opened: (port inside) → (client,
    port outside, lifetime). `spoil` may change an answer's bytes, or drop it with None."""

    external: str = "203.0.113.7"
    pcp: bool = True
    natpmp: bool = True
    lifetime: int = 7200
    code: int = 0
    shift: int = 10000
    began: float = field(default_factory=time.monotonic)
    spoil: Callable[[bytes], bytes | None] = lambda answer: answer
    opened: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    heard: list[bytes] = field(default_factory=list)
    nonces: set[bytes] = field(default_factory=set)

    @property
    def epoch(self) -> int:
        """Seconds since it started."""
        return int(time.monotonic() - self.began)

    def answer(self, data: bytes, client: str) -> bytes | None:
        """What it says to one datagram."""
        self.heard.append(data)
        if data[0] == 2:
            said = self._pcp(data, client) if self.pcp else self._too_new(data)
        else:
            said = self._natpmp(data, client) if self.natpmp else None
        return None if said is None else self.spoil(said)

    def _too_new(self, data: bytes) -> bytes | None:
        """What RFC 6886 asks of a router that knows no other version (section 3.5)."""
        return struct.pack("!BBHI", 0, 128, 1, self.epoch) if self.natpmp else None

    def _pcp(self, data: bytes, client: str) -> bytes | None:
        if len(data) != PCP_MAP.size:
            return None
        _, opcode, _, lifetime, own, nonce, protocol, inside, wish, _ = PCP_MAP.unpack(data)
        if opcode != 1 or protocol != 6 or own != mapped(client):
            return None
        self.nonces.add(nonce)
        outside = self._open(client, inside, wish, lifetime)
        given = min(lifetime, self.lifetime)
        head = (2, 0x81, 0, self.code, given, self.epoch, bytes(12))
        return PCP_ANSWER.pack(*head, nonce, 6, inside, outside, mapped(self.external))

    def _natpmp(self, data: bytes, client: str) -> bytes | None:
        if data == b"\0\0":
            head = struct.pack("!BBHI", 0, 128, self.code, self.epoch)
            return head + socket.inet_aton(self.external)
        if len(data) != LAN_SIDE.size or data[:2] != b"\0\x02":
            return None
        _, _, _, inside, wish, lifetime = LAN_SIDE.unpack(data)
        outside = self._open(client, inside, wish, lifetime)
        given = min(lifetime, self.lifetime)
        head = (0, 130, self.code, self.epoch, inside, outside, given)
        return struct.pack("!BBHIHHI", *head)

    def _open(self, client: str, inside: int, wish: int, lifetime: int) -> int:
        if self.code:
            return 0
        if not lifetime:
            self.opened.pop(inside, None)
            return 0
        before = self.opened.get(inside)
        outside = before[1] if before else (inside + self.shift - 1024) % 64000 + 1024
        self.opened[inside] = (client, outside, lifetime)
        return outside


class Served:
    """A router that answers on a real UDP socket of this machine, in a thread."""

    def __init__(self, router: Router, host: str = "127.0.0.1", port: int = 0) -> None:
        self.router = router
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, port))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self.run, daemon=True)

    def run(self) -> None:
        """Answer until the empty datagram."""
        while True:
            data, client = self._socket.recvfrom(2048)
            if not data:
                return
            said = self.router.answer(data, client[0])
            if said is not None:
                self._socket.sendto(said, client)

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as farewell:
            farewell.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()


class NftRouter(Router):
    """A router whose mappings are rules of nftables in the namespace that it runs in."""

    def answer(self, data: bytes, client: str) -> bytes | None:
        """The same, and the rules say what is open."""
        before = dict(self.opened)
        said = super().answer(data, client)
        if self.opened != before:
            self._apply()
            print(json.dumps({"open": list(self.opened)}), flush=True)
        return said

    def _apply(self) -> None:
        rules = ["flush chain ip hoity opened"]
        for inside, (client, outside, _) in self.opened.items():
            rules.append(f"add rule ip hoity opened tcp dport {outside} dnat to {client}:{inside}")
        subprocess.run(["nft", "-f", "-"], input="\n".join(rules), check=True, text=True)


SETUP = """
table ip hoity {
  chain opened { }
  chain come { type nat hook prerouting priority -100; iifname "wan" jump opened; }
  chain go { type nat hook postrouting priority 100; oifname "wan" masquerade; }
}
"""


def main(external: str, inside: str, *spoken: str) -> None:
    """Run in a namespace whose interface `wan` has the address external; `spoken` protocols."""
    subprocess.run(["nft", "-f", "-"], input=SETUP, check=True, text=True)
    router = NftRouter(external, "pcp" in spoken, "natpmp" in spoken)
    print(json.dumps({"ready": True}), flush=True)
    Served(router, inside, 5351).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
