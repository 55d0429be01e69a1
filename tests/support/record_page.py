"""Record the scenes that a page is tested on, from whole games.

Run it as `python tests/support/record_page.py`. Each game is played by `hoity play --json` with
bots at the other seats. A file of `tests/data/page` has a scene on each line, `{"scene": NAME,
"messages": […]}`: the last board that was told before, and what is to be seen. The first scene,
`table`, belongs to all others of its game.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCENES = ROOT / "tests" / "data" / "page"
GAMES = {"two": (1, "en"), "four": (3, "en"), "six": (5, "de")}
LATE = 24
"""From this message on a scene replaces an earlier one: the boards have more to show then."""

Line = dict[str, Any]


def played(bots: int, language: str) -> list[Line]:
    """All messages of a game in which this seat goes where it can show the most."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as marks:
        kept = {"HOITY_HOME": home, "HOITY_MARKS": marks, "PYTHONPATH": str(ROOT)}
        words = ["-m", "cli", "play", "--bots", str(bots), "--json", "--lang", language]
        game = subprocess.Popen(
            [sys.executable, *words],
            env={**os.environ, **kept},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        told = list(_told(game))
        game.wait()
    return told


def _told(game: "subprocess.Popen[str]") -> Iterator[Line]:
    assert game.stdin
    assert game.stdout
    asked = 0
    for text in game.stdout:
        line = json.loads(text)
        if line["type"] == "question":
            asked += 1
            answer = {"type": "answer", "question": line["id"], "choice": _choice(line, asked)}
            print(json.dumps(answer), file=game.stdin, flush=True)
        yield line


def _choice(question: Line, asked: int) -> Any:
    """The first entry for pieces, else each in turn, so that every kind of question comes."""
    entries = question["entries"]
    if question["kind"] in ("exhibit", "theft"):
        return entries[0]["choice"]
    return entries[asked * 7 // 3 % len(entries)]["choice"]


def scenes(told: list[Line]) -> dict[str, list[Line]]:
    """The scenes of a game by their names."""
    found: dict[str, list[Line]] = {}
    board: Line | None = None
    sayings: list[Line] = []
    for number, line in enumerate(told):
        name = _name(line)
        if name and (name not in found or number < LATE or _is_richer(line, found[name][-1])):
            found[name] = [one for one in (board, *sayings[-6:], line) if one]
        if "board" in line:
            board = line
        if line["type"] == "log":
            sayings.append(line)
    return found


def _name(line: Line) -> str | None:
    if line["type"] == "question":
        return f"question-{line['kind']}"
    if line["type"] == "beat":
        return f"beat-{line['happenings'][0]['type']}" if line["happenings"] else None
    return line["type"] if line["type"] in ("table", "ending", "taken", "clock") else None


def _is_richer(line: Line, before: Line) -> bool:
    """Whether more can be chosen, or more is on the board."""
    if line["type"] == "question":
        return len(line["slots"]) + len(line["entries"]) > len(before["slots"]) + len(
            before["entries"]
        )
    return line["type"] == "beat" and _shown(line) > _shown(before)


def _shown(beat: Line) -> int:
    seats = beat["board"]["seats"]
    return sum(len(seat["shown"] or ()) + (seat["action"] is not None) for seat in seats)


def main() -> None:
    """Play the games and replace the files."""
    SCENES.mkdir(parents=True, exist_ok=True)
    for name, (bots, language) in GAMES.items():
        told = played(bots, language)
        lines = [{"scene": scene, "messages": said} for scene, said in scenes(told).items()]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path = SCENES / f"{name}.jsonl.gz"
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
        print(path, len(told), "messages", len(lines), "scenes", path.stat().st_size, "bytes")
        if "--raw" in sys.argv:
            raw = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in told)
            Path(f"/tmp/raw-{name}.jsonl").write_text(raw, encoding="utf-8")


if __name__ == "__main__":
    main()
