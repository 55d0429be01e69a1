"""A replay as lines and objects: when choices were sealed, every why, and where it stops."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support import table_contract
from support.cli_stage import tool
from support.paths import VECTORS
from support.shell import Shell

from cli.commands import replay
from cli.commands.replay import Sealing, sealings, show, told
from cli.table_view.film import film_of
from cli.ui.full_screen.replay_screen import ReplayApp
from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation.table_messages import FILMED, type_of
from p2p_hoity.rules import Place, Why, happenings
from protocol import transcript

ITEMS: list[happenings.Happening] = [
    happenings.RoundBegan(1, (0, 1), (), None),
    happenings.PlaceShown(0, Place.CASTLE),
    happenings.NoSale(1),
]


def types(sealed: list[Sealing]) -> list[str]:
    return [str(line["type"]) for line in replay._lines(ITEMS, sealed)]


def test_a_sealing_stands_before_what_had_not_happened_yet_and_says_who() -> None:
    one, two, end = (Sealing(at, 9 + at, "place", (0, 1)) for at in (0, 1, 3))
    wanted = ["sealed", "round-began", "sealed", "place-shown", "no-sale", "sealed"]
    assert types([one, two, end]) == wanted
    assert types([]) == ["round-began", "place-shown", "no-sale"]
    lines = list(replay._lines(ITEMS, [Sealing(1, 12, "action", (1,))]))
    assert lines[1] == {"type": "sealed", "round": 1, "step": 12, "kind": "action", "seats": [1]}
    assert [line["index"] for line in lines if "index" in line] == [0, 1, 2]
    assert list(sealings(None)) == []


def test_the_schema_and_the_document_have_every_why_and_know_objects_whole() -> None:
    schema = tool("schemas")
    listed = {why for whys in schema.WHY.values() for why in whys}
    assert listed == set(Why)
    text = (Path(schema.TARGET).parent / "replay.md").read_text(encoding="utf-8")
    for kind, whys in schema.WHY.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{kind}`")][-1:]
        assert all(f"`{why}`" in row for why in whys), kind
    for found in (schema.edition(), schema.sealed()):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


def test_a_replay_fits_its_schema(hoity: Shell, game: Path) -> None:
    done = hoity.done(0, "replay", game, "--json")
    module = tool("schemas")
    for path, text in module.texts().items():
        assert path.read_text(encoding="utf-8") == text, path
    schema = Draft202012Validator(module.whole())
    for line in done.lines:
        assert schema.is_valid(line), line
        assert not schema.is_valid({**line, "more": 1}) or "index" not in line
    happened = [line for line in done.lines[1:-1] if line["type"] != "sealed"]
    assert [line["index"] for line in happened] == list(range(len(happened)))
    assert done.lines[-1]["verdict"] == "ok"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["six-uberplay-2004", "small-four-returned", ""])
def test_every_choice_shown_was_sealed_before(hoity: Shell, game: Path, name: str) -> None:
    path = VECTORS / "transcripts" / f"{name}.hoity" if name else game
    kinds = {"place-shown": "place", "action-shown": "action"}
    owed, shown = set[tuple[str, int]](), set[tuple[str, int]]()
    for line in hoity("replay", path, "--json").lines:
        if line["type"] == "sealed":
            parts = ["place", "action"] if line["kind"] == "turn" else [line["kind"]]
            owed |= {(kind, seat) for kind in parts for seat in line["seats"]}
        elif line["type"] in kinds:
            shown.add((kinds[line["type"]], line["seat"]))
            owed.remove((kinds[line["type"]], line["seat"]))
    assert {kind for kind, _ in shown} == {"place", "action"}
    assert not owed & shown  # what is left was never opened: of an absent seat, or an exhibit


def test_a_replay_in_words_and_one_of_nothing(hoity: Shell, game: Path, tmp_path: Path) -> None:
    done = hoity.done(0, "replay", game)
    assert done.out.index("Round 1\n") < done.out.index("Round 2\n")
    assert "Rank 1:" in done.out
    assert "checked: " in done.out
    assert "took 0 ms" not in done.out
    empty = tmp_path / "empty.hoity"
    empty.write_bytes(b"")
    done = hoity.done(1, "replay", empty, "--json")
    assert [(line["verdict"], line["problem"]) for line in done.lines] == [("unreadable", "empty")]
    assert "unreadable" in done.err


@pytest.mark.parametrize("leaves", [False, True])
def test_a_replay_waits_between_rounds_and_may_be_left_there(
    hoity: Shell, game: Path, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    asked: list[int] = []
    typed = iter(["\n", "what\n", "Q\n"] if leaves else ["\n"] * 99)

    class Keys:
        def readline(self) -> str:
            asked.append(1)
            return next(typed)

    monkeypatch.setattr(sys, "stdin", Keys())
    done = hoity.done(0, "replay", game, "--step")
    if leaves:
        assert "Round 2\n" in done.out
        assert "Round 3\n" not in done.out
        assert "checked:" not in done.out
        return
    lines = hoity("replay", game, "--json").lines
    assert len(asked) == sum(line["type"] == "round-began" for line in lines) > 1


@pytest.mark.parametrize(("where", "rounds"), [(0.98, True), (0.85, True), (0.3, False)])
def test_a_replay_stops_where_it_does_not_hold(
    hoity: Shell, game: Path, where: float, rounds: bool
) -> None:
    whole = hoity("replay", game, "--json").lines
    data = bytearray(game.read_bytes())
    in_bytes = data.index(b"\xc4\x40", int(len(data) * where)) + 10  # of 64, signed or a signature
    data[in_bytes] ^= 1
    game.write_bytes(data)
    done = hoity("replay", game, "--json")
    *told, last = done.lines
    assert (done.code, last["verdict"], last["problem"]) == (1, "fault", "bad-signature")
    assert last["step"] > 0
    assert told == whole[: len(told)]
    assert len(told) < len(whole) - 1
    assert any(line["type"] == "round-began" for line in told) == rounds
    assert "step" in hoity("replay", game).out + hoity("replay", game).err


def verified() -> transcript.Report:
    """The report on a kept game."""
    data = (VECTORS / "transcripts" / "four-uberplay-2004.hoity").read_bytes()
    return transcript.verify(data, read_game, lambda: 0.0)


def test_a_file_gives_every_happening_once() -> None:
    report = verified()
    assert report.ok
    film = film_of(Path("game"), report)
    assert [item for moment in film.moments for item in moment.items] == told(report)


def test_a_screen_that_fails_has_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the lines are told instead."""

    async def fails(app: ReplayApp) -> None:
        app._exception = RuntimeError("drawn badly")

    async def is_left(app: ReplayApp) -> None:
        return

    monkeypatch.setattr(ReplayApp, "run_async", fails)
    report = verified()
    assert not show(Path("game"), report)
    monkeypatch.setattr(ReplayApp, "run_async", is_left)
    assert show(Path("game"), report)


@pytest.mark.parametrize(
    ("problem", "mark", "tone"),
    [
        (None, "proofs ✓", "good"),
        ("not-final", "not over · proofs ✓", "warn"),
        ("bad-signature", "not ok ✗", "bad"),
    ],
)
def test_the_verdict_has_the_mark_of_a_table(problem: str | None, mark: str, tone: str) -> None:
    report = verified()
    if problem is not None:
        wrong = transcript.Problem(problem, "wrong", 7, None, "steps", 99)
        report = replace(report, verdict="fault", problem=wrong)
    found = film_of(Path("game"), report).verdict
    assert (found.mark.words, found.mark.tone) == (mark, tone)
    assert found.lines[0].startswith("game: ok." if problem is None else "game: not ok")


def test_a_film_has_the_messages_of_a_table_and_replaces_no_file(
    hoity: Shell, game: Path, tmp_path: Path
) -> None:
    target = tmp_path / "game.film"
    done = hoity.done(0, "replay", game, "--film", target)
    assert str(target) in done.out
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        table_contract.check(line)
    assert {line["type"] for line in lines} <= {type_of(kind) for kind in FILMED}
    first, state, *beats, last = lines
    assert (first["type"], first["seat"], last["type"]) == ("table", None, "ending")
    assert (state["type"], state["board"]) == ("state", beats[0]["board"])
    assert "not final" not in last["words"]
    happened = [one for beat in beats for one in beat["happenings"]]
    replayed = hoity("replay", game, "--json").lines[1:-1]
    for line in replayed:
        line.pop("index", None)
    bare = [one for one in replayed if one["type"] != "sealed"]
    assert [one["type"] for one in happened] == [one["type"] for one in bare]
    assert "exists already" in hoity.told(2, "replay", game, "--film", target)
    assert "--film can be used neither" in hoity.told(2, "replay", game, "--film", "x", "--json")
