"""Firefox, driven by WebDriver BiDi over a socket: as much of it as a game at the page needs."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import Ping, Request, TextMessage

PATIENCE = 30
ENTER = "\ue007"


def free_port() -> int:
    """A port of loopback that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class Firefox:
    """A window of Firefox.

    Attributes:
        problems: The errors and warnings of the page.
    """

    def __init__(self, port: int) -> None:
        self.problems: list[str] = []
        self._link = _connected(port)
        self._socket = WSConnection(ConnectionType.CLIENT)
        self._number, self._text = 0, ""
        request = Request(host=f"127.0.0.1:{port}", target="/session")
        self._link.sendall(self._socket.send(request))
        self._read()
        self._call("session.new", capabilities={})
        self._call("session.subscribe", events=["log.entryAdded"])
        (tree, *_) = self._call("browsingContext.getTree")["contexts"]
        self._context = tree["context"]

    def _read(self) -> Iterator[dict[str, Any]]:
        self._socket.receive_data(self._link.recv(1 << 20))
        found = []
        for event in self._socket.events():
            if isinstance(event, Ping):
                self._link.sendall(self._socket.send(event.response()))
            elif isinstance(event, TextMessage):
                self._text += event.data
                if event.message_finished:
                    found.append(json.loads(self._text))
                    self._text = ""
        return iter(found)

    def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        told = json.dumps({"id": self._number, "method": method, "params": params})
        self._link.sendall(self._socket.send(TextMessage(told)))
        while True:
            for message in self._read():
                if message.get("method") == "log.entryAdded":
                    entry = message["params"]
                    self.problems += [entry["text"]] if entry["level"] in ("error", "warn") else []
                if message.get("id") == self._number:
                    assert message["type"] == "success", message
                    return message["result"]

    def open(self, address: str) -> None:
        """Go to an address."""
        self._call("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        target = {"context": self._context}
        found = self._call("script.evaluate", expression=script, target=target, awaitPromise=False)
        assert found["type"] == "success", found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": keys}]
        self._call("input.performActions", context=self._context, actions=actions)


def _connected(port: int) -> socket.socket:
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        with suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        time.sleep(0.1)
    raise AssertionError("Firefox does not listen")


@contextmanager
def firefox(program: str, profile: Path, environment: Mapping[str, str]) -> Iterator[Firefox]:
    """A Firefox without a screen, with a profile of its own."""
    port = free_port()
    words = [program, "--headless", "--profile", str(profile), f"--remote-debugging-port={port}"]
    process = subprocess.Popen(
        words, env={**environment, "HOME": str(profile)}, stderr=subprocess.DEVNULL
    )
    try:
        yield Firefox(port)
    finally:
        process.terminate()
        process.wait(PATIENCE)
