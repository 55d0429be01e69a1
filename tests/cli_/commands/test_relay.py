"""Tests of `hoity relay`: its caps are options, and the system is asked for room."""

from __future__ import annotations

import resource
from typing import Any

import pytest

from cli.app import run
from cli.commands import relay
from p2p_hoity.net import files
from p2p_hoity.relay.limits import RelayLimits


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[RelayLimits]:
    found: list[RelayLimits] = []

    async def serve(*_: Any, limits: RelayLimits, task_status: Any) -> None:
        found.append(limits)
        task_status.started(["127.0.0.1:4646"])

    monkeypatch.setattr(relay, "serve_relay", serve)
    monkeypatch.setattr(relay, "open_files", lambda wanted: None)
    return found


def test_the_caps_of_a_relay_are_options(served: list[RelayLimits]) -> None:
    assert run(["relay", "--seats", "12", "--calls", "30", "--same-address", "7"]) == 0
    assert run(["relay"]) == 0
    few, usual = served
    assert (few.seats, few.seats_per_source, few.splices, few.splices_per_source) == (12, 7, 30, 7)
    assert usual == RelayLimits()


@pytest.mark.parametrize("words", [["--seats", "0"], ["--calls", "-1"], ["--calls", "many"]])
def test_caps_that_are_none_are_refused(served: list[RelayLimits], words: list[str]) -> None:
    assert run(["relay", *words]) == 2
    assert served == []


def test_what_the_system_cannot_hold_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], served: list[RelayLimits]
) -> None:
    monkeypatch.setattr(relay, "open_files", lambda wanted: 1024)
    assert run(["relay"]) == 0
    assert "1024 connections, no more" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "lacking", "set_to"),
    [
        (1024, 4096, 500, None, None),
        (1024, 4096, 2000, None, 2000),
        (1024, 4096, 9000, 4096, 4096),
    ],
)
def test_as_much_room_is_asked_for_as_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    wanted: int,
    lacking: int | None,
    set_to: int | None,
) -> None:
    done: list[int] = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: done.append(pair[0]))
    assert files.open_files(wanted) == lacking
    assert done == ([] if set_to is None else [set_to])
