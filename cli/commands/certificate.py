"""The checking and saving of result certificates at the command line.

A certificate is made from the transcript of a finished game, and can be checked without the
transcript.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from p2p_hoity.game_adapter import read_game
from p2p_hoity.storage.private_files import NAMED, open_at_once
from protocol import Invalid, transcript

from ..exit_codes import NOT_OK, OK, USAGE, Trouble
from ..local.mistaken_files import Kind, explained, indented, kind_of
from ..printing import say, write_line
from ..words import certificates
from ..words.error_sentences import of_system
from ..words.translation import _, command_line
from .typed_paths import typed_path

MOST: Final = transcript.MAX_CERTIFICATE + 1
"""The most bytes that are read of a file: one more than a certificate may have."""


def check_all(words: list[str], as_json: bool) -> int:
    """Check certificates, print what each of them proves, and return NOT_OK if one is invalid."""
    return max([_check(typed_path(word), as_json) for word in words], default=OK)


def _check(path: Path, as_json: bool) -> int:
    """Check a certificate, print the verdict, and return the exit code."""
    try:
        data = NAMED.get(path, MOST)
    except OSError as error:
        text = _("{path} cannot be read: {why}. Name an existing file.")
        raise Trouble(text.format(path=path, why=of_system(error)), USAGE) from error
    try:
        found, header = transcript.check_certificate(data)
    except Invalid as error:
        if as_json:
            write_line({"file": str(path), "verdict": "fault", "problem": error.code})
        else:
            is_one = kind_of(data) in (None, Kind.CERTIFICATE)
            say(certificates.refused(path, error.code, is_one))
            say(*indented(explained(path, Kind.CERTIFICATE, data, error.code)))
        return NOT_OK
    if as_json:
        write_line({"file": str(path), "verdict": "ok", **certificates.as_object(found, header)})
    else:
        say(*certificates.in_words(path, found, header))
    return OK


def save(source: Path, target: Path) -> int:
    """Save the certificate of a finished game in a new file.

    Raises:
        Trouble: If the transcript is not valid to its end, the new file exists, or a file cannot be
            read or written.
    """
    try:
        with open(source, "rb", opener=open_at_once) as file:
            whole = transcript.opened(file)
        report = transcript.verify(whole, read_game)
        if not report.ok:
            text = _(
                "{file} gives no certificate, since it is not a valid transcript of a finished "
                "game. See: {command}"
            )
            command = command_line("verify", source)
            raise Trouble(text.format(file=source, command=command), NOT_OK)
        NAMED.put(target.absolute(), transcript.certify(whole, report).encode(), once=True)
    except FileExistsError as error:
        text = _("{path} exists already; name another file.")
        raise Trouble(text.format(path=target), USAGE) from error
    except OSError as error:
        text = _("{path} cannot be read: {why}. Name an existing file.")
        raise Trouble(text.format(path=error.filename, why=of_system(error)), USAGE) from error
    say(
        _("The certificate is in {path}. Check it with: {command}").format(
            path=target, command=command_line("verify", "--certificate", target)
        )
    )
    return OK
