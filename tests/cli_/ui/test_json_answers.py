"""The lines that a program writes: each in one form, and anything else is told by its code."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.ui.json_answers import Answer, BotPlays, Check, NotUnderstood, Reply, read_line
from p2p_hoity.table.playing.player_requests import LeaveForNow, Talk, WaitLonger

RIGHT: list[tuple[str, Any]] = [
    ("1", Answer(None, 1)),
    ("[4, 5, 6]", Answer(None, [4, 5, 6])),
    ('"Castle"', Answer(None, "Castle")),
    ("null", Answer(None, None)),
    ("true", Reply(None, True)),
    (" false ", Reply(None, False)),
    ('{"type": "answer", "question": 7, "choice": "Castle"}', Answer(7, "Castle")),
    ('{"choice": [1], "type": "answer"}', Answer(None, [1])),
    ('{"type": "reply", "ask": 2, "yes": true}', Reply(2, True)),
    ('{"type": "reply", "yes": false}', Reply(None, False)),
    ('{"type": "check", "question": 3, "picked": [9, 4]}', Check(3, (9, 4))),
    ('{"type": "talk", "words": "nice pipes"}', Talk("nice pipes")),
    ('{"type": "talk", "phrase": 3}', Talk(3)),
    ('{"type": "wait"}', WaitLonger()),
    ('{"type": "leave"}', LeaveForNow()),
    ('{"type": "bot", "plays": true}', BotPlays(True)),
]


@pytest.mark.parametrize(("line", "wanted"), RIGHT)
def test_each_message_is_read(line: str, wanted: Any) -> None:
    assert read_line(line) == wanted


@pytest.mark.parametrize(
    ("line", "code", "fields"),
    [
        ("nonsense", "no-json", {}),
        ("[1", "no-json", {}),
        ("[" * 100_000, "no-json", {}),
        ("1" * 5000, "no-json", {}),
        ("{}", "no-type", {}),
        ('{"choice": 1}', "no-type", {}),
        ('{"type": null}', "unknown-type", {"type": None}),
        ('{"type": "answers", "choice": 1}', "unknown-type", {"type": "answers"}),
        ('{"type": ["answer"], "choice": 1}', "unknown-type", {"type": ["answer"]}),
        ('{"type": "answer", "question": true, "choice": 1}', "bad-field", {"field": "question"}),
        ('{"type": "answer", "question": "2", "choice": 1}', "bad-field", {"field": "question"}),
        ('{"type": "answer", "question": 2.0, "choice": 1}', "bad-field", {"field": "question"}),
        ('{"type": "answer", "question": NaN, "choice": 1}', "bad-field", {"field": "question"}),
        ('{"type": "answer", "question": null, "choice": 1}', "bad-field", {"field": "question"}),
        ('{"type": "answer", "question": 2}', "bad-field", {"field": "choice"}),
        ('{"type": "answer", "choice": 1, "more": 1}', "bad-field", {"field": "more"}),
        ('{"type": "reply", "ask": 1}', "bad-field", {"field": "yes"}),
        ('{"type": "reply", "yes": 1}', "bad-field", {"field": "yes"}),
        ('{"type": "check", "question": 1, "picked": 4}', "bad-field", {"field": "picked"}),
        ('{"type": "check", "question": 1, "picked": [true]}', "bad-field", {"field": "picked"}),
        ('{"type": "check", "picked": [1]}', "bad-field", {"field": "question"}),
        ('{"type": "talk"}', "bad-field", {"field": "phrase"}),
        ('{"type": "talk", "words": 3}', "bad-field", {"field": "words"}),
        ('{"type": "talk", "words": "a", "phrase": 1}', "bad-field", {"field": "phrase"}),
        ('{"type": "wait", "long": true}', "bad-field", {"field": "long"}),
        ('{"type": "bot"}', "bad-field", {"field": "plays"}),
    ],
)
def test_anything_else_is_told_by_what_is_wrong(
    line: str, code: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_line(line)
    assert (caught.value.code, caught.value.fields) == (code, fields)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.text() | VALUES.map(json.dumps))
def test_any_line_is_a_message_or_not_understood(line: str) -> None:
    with contextlib.suppress(NotUnderstood):
        read_line(line)
