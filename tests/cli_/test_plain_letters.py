"""What an output cannot show is spelled: no sign of ours becomes a question mark."""

import io
import re
from pathlib import Path

import pytest
from support.paths import ROOT

from cli import plain_letters
from cli.plain_letters import NAME, UNKNOWN


@pytest.fixture(autouse=True)
def _registered() -> None:
    plain_letters.register()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Round 3 · Ada +2 → 2 …", "Round 3 - Ada +2 -> 2 ..."),
        ("Prison [1 –]  ≤ 4:31 × ✓ ①", "Prison [1 -]  <= 4:31 x + (1)"),
        ("Größe: “Ärger”, ¿quién está?", 'Groesse: "Aerger", quien esta?'),
        ("漢 \ud800", "? ?"),
        ("", ""),
    ],
)
def test_signs_are_spelled_in_ascii(words: str, told: str) -> None:
    assert words.encode("ascii", NAME).decode() == told


def test_what_an_output_can_show_stays() -> None:
    assert "Größe · “x” →".encode("latin-1", NAME).decode("latin-1") == 'Größe · "x" ->'
    words = "→ · ✓ 漢"
    assert words.encode("utf-8", NAME).decode() == words


def test_a_stream_uses_it_and_reading_does_not() -> None:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors=NAME) as stream:
        stream.write("a → b")
        stream.flush()
        assert raw.getvalue() == b"a -> b"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", NAME)


def test_no_sign_of_our_own_texts_is_a_question_mark() -> None:
    texts = [*(ROOT / "cli").rglob("*.py"), *(ROOT / "cli").rglob("*.po")]
    found = {sign for path in texts for sign in literals(path) if not sign.isascii()}
    unknown = {sign for sign in found if UNKNOWN in sign.encode("ascii", NAME).decode()}
    assert unknown <= set("█▀▄░&")  # Pictures, such as a QR code.


def literals(path: Path) -> str:
    """The text in quotation marks of a file of code or of a catalogue."""
    return "".join(re.findall(r'"([^"\n]*)"', path.read_text(encoding="utf-8")))
