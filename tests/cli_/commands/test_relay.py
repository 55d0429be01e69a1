"""Tests of `hoity relay`: its caps are options, and the system is asked for room."""

import resource
import sys
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from support.page_wheels import unpacked
from support.shell import Shell

from cli.app import run
from cli.commands import relay, web_door_options
from p2p_hoity.net import link_limits
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_server import Relay

doors: list[Any] = []
"""The doors for WebSockets of the relays that were opened."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[RelayLimits]:
    """The caps of each relay that was opened; it ends at once."""
    found: list[RelayLimits] = []
    doors.clear()

    class Served(Relay):
        def __init__(self, limits: RelayLimits, *more: Any, web: Any) -> None:
            super().__init__(limits, *more, web=web)
            found.append(limits)
            doors.append(web)

        async def serve(self, *_: Any, web: Any, task_status: Any, **more: Any) -> None:
            self.web_addresses = [] if web is None else [f"{web[0]}:{web[1]}"]
            task_status.started(["127.0.0.1:4646"])

    monkeypatch.setattr(relay, "Relay", Served)
    monkeypatch.setattr(relay, "open_files", lambda wanted: None)
    return found


def test_the_caps_of_a_relay_are_options(served: list[RelayLimits]) -> None:
    assert run(["relay", "--seats", "12", "--calls", "30", "--same-address", "7"]) == 0
    assert run(["relay"]) == 0
    few, usual = served
    assert (few.seats, few.seats_per_source, few.splices, few.splices_per_source) == (12, 7, 30, 7)
    assert usual == RelayLimits()


@pytest.mark.parametrize(
    "words",
    [
        ["--seats", "0"],
        ["--calls", "-1"],
        ["--calls", "many"],
        ["--metrics", "nowhere"],
        ["--drain", "-1"],
        ["--drain", "nan"],
    ],
    ids=" ".join,
)
def test_caps_places_and_times_are_checked(served: list[RelayLimits], words: list[str]) -> None:
    assert run(["relay", *words]) == 2
    assert served == []


def test_what_the_system_cannot_hold_is_said_and_metrics_need_their_library(
    monkeypatch: pytest.MonkeyPatch, hoity: Shell, served: list[RelayLimits]
) -> None:
    monkeypatch.setattr(relay, "open_files", lambda wanted: 1024)
    assert "no more than 1024 connections" in hoity.told(0, "relay")
    assert "http://127.0.0.1:" in hoity.told(0, "relay", "--metrics", ":0")
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    told = hoity.told(2, "relay", "--metrics", "127.0.0.1:0")
    assert f"{sys.executable} -m pip install prometheus-client" in told
    assert len(served) == 2
    assert hoity("relay").code == 0


@pytest.mark.parametrize(
    ("wanted", "lacking", "asked"), [(500, None, []), (2000, None, [2000]), (9000, 4096, [4096])]
)
def test_as_much_room_is_asked_for_as_there_may_be(
    monkeypatch: pytest.MonkeyPatch, wanted: int, lacking: int | None, asked: list[int]
) -> None:
    done: list[int] = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: done.append(pair[0]))
    assert link_limits.open_files(wanted) == lacking
    assert done == asked


def test_a_program_is_told_which_relay_is_remembered_and_a_person_in_words(hoity: Shell) -> None:
    use = ("relay", "--use")
    assert hoity.done(0, *use, "r.example", "--json").lines == [
        {"type": "use", "relay": "r.example:4646"}
    ]
    assert hoity.done(0, *use, "none", "--json").lines == [{"type": "use", "relay": None}]
    assert "reached through r.example:4646" in hoity.told(0, *use, "r.example")
    assert "No relay is remembered any more." in hoity.told(0, *use, "none")


WEB = ("relay", "--web", "127.0.0.1:4680", "--web-url", "wss://Relay.Example/")


def test_a_relay_for_the_web_says_how_it_is_used(hoity: Shell, served: list[RelayLimits]) -> None:
    told = hoity.told(0, *WEB, "--web-origin", "https://Page.example:443/")
    assert "at 127.0.0.1:4680" in told
    assert "--relay wss://relay.example:443" in told
    (door,) = doors
    assert [url.place for url in door.urls] == ["wss://relay.example:443"]
    assert (door.origins, door.tls) == ({"https://page.example"}, None)
    assert hoity.done(0, *WEB, "--json").lines[0]["web"] == ["127.0.0.1:4680"]
    assert hoity.done(0, "relay", "--json").lines[0]["web"] == []


def test_an_installed_page_of_the_same_version_is_served_unless_another_one_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hoity: Shell, served: list[RelayLimits]
) -> None:
    assert "Guests play" not in hoity.told(0, *WEB)
    assert doors[0].page is None
    place = unpacked(tmp_path)
    monkeypatch.syspath_prepend(place)
    assert f"by the page in {place / 'p2p_hoity_page'}." in hoity.told(0, *WEB)
    assert {"/", "/0123456789abcdef/start.js"} < doors[1].page.files.keys()
    monkeypatch.setattr(web_door_options, "version", lambda: "9.9")
    told = hoity.told(2, *WEB)
    assert "The installed p2p-hoity-page is of version" in told
    assert "this program of version 9.9. Install the one of this version" in told
    assert hoity("relay").code == 0
    page = tmp_path / "page"
    assert f"by the page in {page}." in hoity.told(0, *WEB, "--web-page", str(page))
    assert hoity.done(0, *WEB, "--web-page", str(page), "--json").lines[0]["type"] == "relay"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--web", "127.0.0.1:4680"], "--web-url"),
        (["--web", "nowhere", "--web-url", "wss://a.example"], "--web"),
        (["--web-url", "wss://a.example"], "Without --web"),
        (["--web-origin", "https://a.example"], "Without --web"),
        (["--web", ":1", "--web-url", "a.example:443"], "wss://NAME"),
        (["--web", ":1", "--web-url", "https://a.example:443"], "wss://NAME"),
        (["--web", ":1", "--web-url", "wss://a.example/path"], "more than"),
        ([*WEB[1:], "--web-origin", "a.example"], "https://NAME"),
        ([*WEB[1:], "--web-origin", "https://a.example/path"], "https://NAME"),
        ([*WEB[1:], "--web-key", "key.pem"], "--web-cert"),
        ([*WEB[1:], "--web-cert", "none.pem"], "none.pem"),
        ([*WEB[1:], "--web-page", "nowhere"], "nowhere has no page that can be read"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else one,
)
def test_what_does_not_fit_together_is_refused(
    words: list[str], told: str, hoity: Shell, served: list[RelayLimits]
) -> None:
    assert told in hoity.told(2, "relay", *words)
    assert served == []


def test_a_certificate_and_its_key_are_taken_and_no_password_is_asked_for(
    tmp_path: Path, hoity: Shell, served: list[RelayLimits]
) -> None:
    made = trustme.CA().issue_cert("localhost")
    key = load_pem_private_key(made.private_key_pem.bytes(), None)
    locked = BestAvailableEncryption(b"password")
    for name, content in (
        ("c.pem", made.cert_chain_pems[0].bytes()),
        ("k.pem", made.private_key_pem.bytes()),
        ("locked.pem", key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked)),
    ):
        (tmp_path / name).write_bytes(content)
    files = ("--web-cert", str(tmp_path / "c.pem"), "--web-key")
    assert hoity(*WEB, *files, str(tmp_path / "k.pem")).code == 0
    assert doors[0].tls is not None
    assert "c.pem" in hoity.told(2, *WEB, *files, str(tmp_path / "locked.pem"))
    assert "c.pem" in hoity.told(2, *WEB, *files, str(tmp_path / "c.pem"))
