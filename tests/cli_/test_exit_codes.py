"""Every error ends a command with its exit code, its code for programs, and its sentence."""

from typing import Any

import pytest
from support.cases import each
from support.shell import Shell

from cli import exit_codes
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.storage.journal import JournalCode, JournalError
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.peer_error import PeerError

CUT = NetError(NetCode.CUT)
FIELDS: dict[str, dict[str, Any]] = {
    "journal-in-use": {"journal": "j"},
    "system-error": {"number": 13, "path": "x"},
    "program-mistake": {"kind": "RuntimeError"},
}


@each(
    [
        (
            NetError(NetCode.NOBODY_LISTENS),
            3,
            "nobody-listens",
            "no program accepts connections there",
        ),
        (PeerError(JoinCode.CUTS), 3, "host-cuts-links", "the host closes every link"),
        (PeerError(JoinCode.FULL), 1, "table-full", "the table is full"),
        (JournalError(JournalCode.IN_USE, journal="j"), 2, "journal-in-use", "j is in use"),
        (exit_codes.Trouble("words", 130), 130, "refused", "words"),
        (KeyboardInterrupt(), 130, "interrupted", "Interrupted."),
        (PermissionError(13, "not allowed", "x"), 1, "system-error", "x: not allowed"),
        (MemoryError(), 1, "no-memory", "This machine does not have enough memory for that."),
        (RuntimeError("odd"), 1, "program-mistake", "bug in the program"),
        (ExceptionGroup("g", [ValueError(), CUT]), 3, "connection-cut", "connection was cut"),
        (ExceptionGroup("g", [ExceptionGroup("h", [CUT])]), 3, "connection-cut", "was cut"),
        (BaseExceptionGroup("g", [KeyboardInterrupt(), CUT]), 130, "interrupted", "Interrupted."),
    ]
)
def test_errors_have_words_codes(case: tuple[BaseException, int, str, str]) -> None:
    error, number, code, words = case
    told = exit_codes.told(error)
    assert words in told.words
    assert (told.exit_code, told.code, told.fields) == (number, code, FIELDS.get(code, {}))


@pytest.mark.parametrize(
    ("words", "code", "fields"),
    [
        (("join", "nonsense", "--json"), "no-ticket", {"prefix": "hoity3"}),
        (("resume", "--json"), "no-game", {}),
        (("replay", "no-such-file", "--json"), "no-file", {}),
        (("watch", "hoity3", "--json"), "ticket-cut-short", None),
        (("play", "--bogus", "--json"), "usage", {}),
        (("verify", "--json"), "usage", {}),
        (("nonsense", "--json"), "usage", {}),
    ],
)
def test_a_program_is_told_an_error_by_its_code(
    hoity: Shell, words: tuple[str, ...], code: str, fields: dict[str, Any] | None
) -> None:
    done = hoity(*words)
    told = done.lines[-1]
    assert (told["type"], told["code"], told["exit"]) == ("error", code, done.code)
    assert fields is None or told["fields"] == fields
    assert told["words"] in " ".join(done.err.split())
    assert hoity(*words[:-1]).out == ""
