"""A small UPnP Internet Gateway Device, for tests: it is found by multicast, describes itself, and
maps ports in a table of its own. Run by itself it prints as JSON what is open after each change.

It shares no code with the product; what it says follows UPnP Device Architecture 1.0 and IGD 1.0.
"""

import json
import re
import socket
import struct
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Self

SERVICE = "urn:schemas-upnp-org:service:WANIPConnection:1"
DEVICE = "urn:schemas-upnp-org:device:InternetGatewayDevice:1"
ENVELOPE = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body>'
    "</s:Envelope>"
)
DESCRIPTION = f"""<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor>
</specVersion><device><deviceType>{DEVICE}</deviceType><friendlyName>r</friendlyName>
<manufacturer>m</manufacturer><modelName>m</modelName><UDN>uuid:1</UDN><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType><UDN>uuid:2</UDN><serviceList>
<service><serviceType>urn:schemas-upnp-org:service:WANCommonInterfaceConfig:1</serviceType>
<serviceId>c</serviceId><controlURL>/cif</controlURL><eventSubURL>/e</eventSubURL>
<SCPDURL>/s</SCPDURL></service></serviceList><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType><UDN>uuid:3</UDN>
<serviceList><service><serviceType>{SERVICE}</serviceType><serviceId>i</serviceId>
<controlURL>/control</controlURL><eventSubURL>/e</eventSubURL><SCPDURL>/s</SCPDURL></service>
</serviceList></device></deviceList></device></deviceList></device></root>"""


def filled(size: int, before: str, piece: Callable[[int], str], after: str) -> bytes:
    """A document of `size` bytes at most, with as many pieces as fit; each knows its number."""
    pieces, left = list[str](), size - len(before) - len(after)
    while len(text := piece(len(pieces))) <= left:
        pieces.append(text)
        left -= len(text)
    return (before + "".join(pieces) + after).encode()


class Table:
    """What is open: port outside → (address and port inside, seconds).

    `external`: the address outside, or the error code for a question for it; `refusal`: the error
    code that every wish gets; `taken`: ports that others hold; `lasting`: the error code for a
    wish with an end, of a device that takes only such without one; `conflicts`: error codes for
    ports; `replaces`: whether a wish for a port that is open already is granted.
    """

    def __init__(
        self,
        external: str | int,
        refusal: int = 0,
        taken: tuple[int, ...] = (),
        lasting: int = 0,
        conflicts: dict[int, int] | None = None,
        replaces: bool = True,
    ) -> None:
        self.external, self.refusal, self.taken = external, refusal, taken
        self.lasting, self.conflicts, self.replaces = lasting, conflicts or {}, replaces
        self.opened: dict[int, tuple[str, int, int]] = {}
        self.leases: list[int] = []

    def act(self, action: str, said: dict[str, str]) -> dict[str, str] | int:
        """The answer to an action: its fields, or an error code."""
        if action == "GetStatusInfo":
            return {
                "NewConnectionStatus": "Connected",
                "NewLastConnectionError": "",
                "NewUptime": "9",
            }
        if action == "GetExternalIPAddress":
            is_code = isinstance(self.external, int)
            return self.external if is_code else {"NewExternalIPAddress": self.external}
        port = int(said.get("NewExternalPort", "0"))
        if action == "GetSpecificPortMappingEntry":
            return self._told(port)
        if action == "AddPortMapping":
            return self._add(port, said)
        if action == "DeletePortMapping" and self.opened.pop(port, None):
            self._show()
            return {}
        return 714

    def _show(self) -> None:
        print(json.dumps({"open": list(self.opened)}), flush=True)

    def _told(self, port: int) -> dict[str, str] | int:
        if port in self.taken:
            inside, client = port, "192.168.77.99"
        elif port in self.opened:
            client, inside, _ = self.opened[port]
        else:
            return 714
        names = ("InternalPort", "InternalClient", "Enabled", "PortMappingDescription")
        values = (str(inside), client, "1", "x")
        told = {f"New{name}": value for name, value in zip(names, values, strict=True)}
        return {**told, "NewLeaseDuration": "9"}

    def _add(self, port: int, said: dict[str, str]) -> dict[str, str] | int:
        lease = int(said["NewLeaseDuration"])
        self.leases.append(lease)
        if self.refusal or bool(lease) == bool(self.lasting):
            return self.refusal or self.lasting or 402
        if port in self.conflicts or (port in self.opened and not self.replaces):
            return self.conflicts.get(port, 718)
        self.opened[port] = (said["NewInternalClient"], int(said["NewInternalPort"]), lease)
        self._show()
        return {}


Answering = Callable[[BaseHTTPRequestHandler], None]


def handler(
    table: Table, describe: Answering | None = None, act: Answering | None = None
) -> type[BaseHTTPRequestHandler]:
    """What answers over HTTP; `describe` and `act` in the place of a sound description and of sound
    answers to actions."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if describe is None:
                self._say(200, DESCRIPTION)
            else:
                describe(self)

        def do_POST(self) -> None:
            if act is not None:
                act(self)
                return
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            action = self.headers["SOAPAction"].strip('"').rpartition("#")[2]
            found = table.act(action, dict(re.findall(r"<(New\w+)[^>]*>([^<]*)</", body)))
            if isinstance(found, int):
                fault = f"<UPnPError><errorCode>{found}</errorCode></UPnPError>"
                self._say(500, ENVELOPE.format(f"<s:Fault>{fault}</s:Fault>"))
                return
            fields = "".join(f"<{name}>{value}</{name}>" for name, value in found.items())
            inner = f'<u:{action}Response xmlns:u="{SERVICE}">{fields}</u:{action}Response>'
            self._say(200, ENVELOPE.format(inner))

        def _say(self, code: int, text: str) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            return

    return Handler


class Served:
    """A device that answers over HTTP on loopback, in a thread; as `handler`."""

    def __init__(self, table: Table, *answering: Answering | None) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler(table, *answering))
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()  # waits for all that are still being answered
        self._thread.join()


def found_at(url: str, device: str = DEVICE) -> bytes:
    """What a device answers to a search."""
    said = f"HTTP/1.1 200 OK\r\nST: {device}\r\nUSN: uuid:1::{device}\r\n"
    return f"{said}LOCATION: {url}\r\nEXT:\r\n\r\n".encode()


def discoverable(host: str, port: int) -> None:
    """Answer searches on the interface of host until the process ends."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.bind(("", 1900))
        group = struct.pack("4s4s", socket.inet_aton("239.255.255.250"), socket.inet_aton(host))
        heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        while True:
            data, client = heard.recvfrom(2048)
            if b"M-SEARCH" in data and DEVICE.encode() in data:
                heard.sendto(found_at(f"http://{host}:{port}/d.xml"), client)


def main(external: str, host: str, lasting: str = "0", *taken: str) -> None:
    """Serve on an address of this machine."""
    table = Table(external, 0, tuple(map(int, taken)), int(lasting))
    server = HTTPServer((host, 0), handler(table))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"ready": True}), flush=True)
    discoverable(host, server.server_port)


if __name__ == "__main__":
    main(*sys.argv[1:])
