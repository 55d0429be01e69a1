"""What a player has chosen once is kept, and what is no setting counts as not chosen."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.shell import Shell

from cli.local import settings
from cli.local.settings import Settings
from p2p_hoity.storage.home import Home


def test_a_relay_is_kept_and_forgotten_and_what_is_none_not_used(hoity: Shell) -> None:
    assert hoity("relay", "--use", "Relay.Example").code == 0
    assert settings.load(hoity.home).relay == "relay.example:4646"
    assert settings.relays_of(None) == ["relay.example:4646"]
    assert settings.relays_of(["other:1"]) == ["other:1"]
    assert settings.relays_of(["none"]) == []
    done = hoity("relay", "--use", "none", "--json")
    assert (done.code, done.lines[-1]) == (0, {"type": "use", "relay": None})
    assert settings.load(hoity.home).relay is None
    assert hoity("relay", "--use", "no relay").code == 2
    settings.keep(hoity.home, Settings("Ana"))
    for kept in (7, "", None, ["a"]):
        path = hoity.home.path / "settings.json"
        path.write_text(json.dumps({"nickname": "Ana", "relay": kept}))
        assert settings.load(hoity.home).relay in (None, ""), kept
        assert all(settings.relays_of(None)), kept


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"nonsense", b'{"language": "fr", "nickname": 7}', b"\xff", b"[" * 9000]
)
def test_settings_that_are_none_count_as_not_chosen(hoity: Shell, data: bytes) -> None:
    hoity.home.path.mkdir(mode=0o700)
    (hoity.home.path / "settings.json").write_bytes(data)
    assert settings.load(hoity.home) == Settings()
    assert hoity("--help").code == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_settings_are_read_as_people_save_them(hoity: Shell, encoding: str) -> None:
    hoity.home.path.mkdir(mode=0o700)
    (hoity.home.path / "settings.json").write_bytes('{"nickname":\r"Añá"}\r'.encode(encoding))
    assert settings.load(hoity.home) == Settings(nickname="Añá")


@pytest.mark.parametrize("kept", ["best", 7, None, ["easy"]])
def test_a_level_that_is_none_counts_as_not_chosen(tmp_path: Path, kept: Any) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"bots": kept}), encoding="utf-8")
    assert settings.load(Home(tmp_path)).bots is None
