"""docs/programs.md: its samples fit the contract, it lists all of it, and its bot plays a game."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import table_contract
from support.paths import ROOT
from support.sampling import AT_WORK
from support.short_game import short_file
from support.terminals import environment

from cli.table_view.message_parts import EVENTS
from cli.ui.json_answers import READERS, NotUnderstood, read_line
from cli.ui.web.window_requests import WINDOW_READERS, read_request
from p2p_hoity.presentation.table_messages import MESSAGES, NAME, type_of
from p2p_hoity.presentation.window_messages import WINDOW_MESSAGES

PAGE = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The one block of code of this kind."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def first_cells(heading: str) -> list[str]:
    """The words in code in the first column of the tables below a heading."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ")]
    return re.findall(r"`([^`]*)`", "\n".join(row.split(" | ")[0] for row in rows))


def test_the_samples_fit_the_contract() -> None:
    samples = [json.loads(line) for line in (block("json") + block("jsonl")).splitlines()]
    for sample in samples:
        table_contract.check(sample)
    assert {line["type"] for line in samples} == {type_of(kind) for kind in MESSAGES}
    assert samples[0]["schema"] == NAME
    of_windows = [json.loads(line) for line in block("ndjson").splitlines()]
    for sample in of_windows:
        table_contract.check(sample)
    assert [line["type"] for line in of_windows] == [
        *("entered", "page", "story", "deal", "explain", "settled"),
        *("sheet", "saved", "film-position", "bye"),
    ]
    assert {line["type"] for line in of_windows} == {type_of(kind) for kind in WINDOW_MESSAGES}


def test_every_type_event_and_answer_is_listed() -> None:
    assert set(first_cells("What is printed")) == {type_of(kind) for kind in MESSAGES}
    assert set(first_cells("Events of a `log`")) == {*EVENTS.values(), "stand-in"}
    part = PAGE.partition("Besides the messages above a window gets these:")[2]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", part, re.MULTILINE)[: len(WINDOW_MESSAGES)]) == {
        type_of(kind) for kind in WINDOW_MESSAGES
    }
    sent = re.findall(r'^\| `(\{"type".*?\})` \|', part, re.MULTILINE)
    assert {json.loads(one)["type"] for one in sent} == set(WINDOW_READERS) - set(READERS)
    for line in sent:
        read_request(line)
    lines = [one.replace("…]", "4]").replace('"choice": …', '"choice": 1') for one in READ]
    assert {json.loads(line)["type"] for line in lines} == set(READERS)
    for line in lines:
        read_line(line)
        with pytest.raises(NotUnderstood):
            read_line(line.replace("}", ', "more": 1}'))


READ = [one for one in first_cells("What is read") if one.startswith("{")]


def test_a_field_that_the_schema_does_not_know_is_no_message() -> None:
    line = json.loads(block("json").splitlines()[0])
    for wrong in ({**line, "more": 1}, {k: v for k, v in line.items() if k != "language"}):
        with pytest.raises(AssertionError):
            table_contract.check(wrong)


@AT_WORK
@pytest.mark.parametrize(
    ("language", "most"),
    [("python", 40), pytest.param("python3", 60, marks=pytest.mark.nightly)],
)
def test_the_programs_play_a_whole_game(language: str, most: int, tmp_path: Path) -> None:
    source = block(language)
    assert sum(1 for line in source.splitlines() if line.strip()) <= most
    path = tmp_path / "bot.py"
    path.write_text(source.replace('["hoity", ', '[sys.executable, "-m", "cli", '), "utf-8")
    # Little time and one bot, since bots pause for people for a part of the time.
    more = ("--edition", str(short_file(tmp_path)), "--patience", "5", "--bots", "easy")
    words = (sys.executable, str(path), *more)
    done = subprocess.run(
        words,
        env=environment(tmp_path / "home"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(r"(You win|.* wins?|Shared first rank: .*)\b.*\n", done.stdout), done
    assert "Traceback" not in done.stderr
