"""Tests of guests that ask a host for a seat, as a program and a full screen are told."""

import json
import sys

import pytest
from support.at_prompt import program_window
from support.running import running
from support.shell import Shell

from cli.exit_codes import Trouble
from cli.printing import write_line
from cli.ui.screen_options import ScreenOptions
from cli.words.presence_sentences import seat_request

Shown = pytest.CaptureFixture[str]


async def test_a_program_answers_by_the_key_until_it_is_gone_and_strays_say_nothing(
    capsys: Shown,
) -> None:
    seat = program_window(ScreenOptions(lambda reason: None, auto=True), write_line)
    send = seat.typed
    async with running(seat.hear):
        for said in ("y", '{"admit":"OTHER"}', "[1", '{"admit":"KEY","x":1}', '{"admit": "KEY"}'):
            await send.send(said)
        assert await seat.admit("Bob", "KEY") is True
        await send.send('{"refuse":"KEY"}')
        assert await seat.admit("Bob", "KEY") is False
        for said in ('{"admit":null}', '{"refuse":null,"request":2}', '{"admit":null,"request":3}'):
            await send.send(said)
        assert await seat.admit("Bob", None) is True
        await send.send('{"admit":null,"request":3}')  # of the guest of this nickname before
        await send.send('{"refuse":null,"request":4}')
        assert await seat.admit("Bob", None) is False
        await send.aclose()
        with pytest.raises(Trouble, match="input ended"):
            await seat.admit("Bob", "KEY")
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    first_request = {"nickname": "Bob", "fingerprint": "KEY", "request": 1}
    assert first == {"type": "seat-request", **first_request}


def test_with_nobody_to_ask_no_table_opens(monkeypatch: pytest.MonkeyPatch, hoity: Shell) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert "--ask needs somebody who answers" in hoity.told(2, "host", "--ask")
    assert seat_request("Bob", "ABCD-EFGH").startswith("Bob, key ABCD-EFGH,")
    assert "shows no key" in seat_request("Bob", None)
