"""Programs answer the question they mean: each has an id, and a late answer hits no other one."""

import json
from typing import Any

import pytest
import trio
from support.at_prompt import program_window
from support.cli_stage import referee, until
from support.running import running
from support.sampling import seed
from support.screened import Company, short
from support.unruly_games import TABLES

from cli.exit_codes import Trouble
from cli.ui.json_window import JsonWindow
from cli.ui.lines.stdin_lines import STRAYS
from cli.ui.screen_options import ScreenOptions
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene_json import update_json
from p2p_hoity.rules import View

Written = list[dict[str, Any]]


def asked() -> View:
    """What seat 0 sees when it chooses a Place."""
    return until(referee(3, 1), "place", 0)


def program(written: Written, **how: Any) -> JsonWindow:
    return program_window(ScreenOptions([].append, **how), written.append)


async def answered(*lines: str, questions: int = 2) -> tuple[Any, Written]:
    """The choice for the last of some questions, and the lines about what was refused."""
    written: Written = []
    player, seen = program(written), asked()
    for _question in range(questions):
        player.tell(updates.Choosing(seen, "place", False))
    assert [line["id"] for line in written] == list(range(1, questions + 1))
    async with running(player.hear):
        for line in lines:
            await player.typed.send(line)
        with trio.move_on_after(1):
            return await player.choose(seen, "place", False), written[questions:]
    return None, written[questions:]


@pytest.mark.parametrize(
    "line",
    ["1", " 1 ", '{"id": 2, "choice": 1}', '{"choice":1,"id":2}', ' {"id" : 2 , "choice" : 1} '],
)
async def test_an_answer_is_a_choice_alone_or_with_the_id(line: str) -> None:
    assert await answered(line) == (1, [])


async def test_a_late_answer_is_refused_and_answers_nothing(autojump_clock: Any) -> None:
    late = '{"id": 1, "choice": 0}'
    assert await answered(late) == (None, [REFUSED])
    choice, refused = await answered(late, "1", late)
    assert (choice, refused) == (1, [REFUSED])
    choice, refused = await answered(*[late] * 50, '{"id": 2, "choice": 1}')
    assert (choice, refused) == (1, [REFUSED] * 50)
    choice, refused = await answered('{"id": 1, "choice": "nonsense"}', "0")
    assert (choice, refused) == (0, [REFUSED])


REFUSED = {
    "type": "refused",
    "kind": "place",
    "code": "old-question",
    "fields": {"id": 1},
    "reason": "the question with the id 1 is not open any more",
}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"id": 3, "choice": 1}', "no-such-question"),
        ('{"id": 0, "choice": 1}', "no-such-question"),
        ('{"id": -1, "choice": 1}', "no-such-question"),
        ('{"id": 1' + "0" * 4000 + ', "choice": 1}', "no-such-question"),
        ('{"id": 1e400, "choice": 1}', "no-such-question"),
        ('{"id": NaN, "choice": 1}', "no-such-question"),
        ('{"id": 2.0, "choice": 1}', "no-such-question"),
        ('{"id": true, "choice": 1}', "no-such-question"),
        ('{"id": false, "choice": 1}', "no-such-question"),
        ('{"id": null, "choice": 1}', "no-such-question"),
        ('{"id": "2", "choice": 1}', "no-such-question"),
        ('{"id": [2], "choice": 1}', "no-such-question"),
        ('{"id": {"id": 2}, "choice": 1}', "no-such-question"),
        ('{"id": 1' + "0" * 5000 + ', "choice": 1}', "not-a-place"),
        ('{"id": 2}', "not-a-place"),
        ('{"id": 1}', "not-a-place"),
        ('{"choice": 1}', "not-a-place"),
        ('{"id": 2, "choice": 1, "more": 1}', "not-a-place"),
        ('{"Id": 2, "choice": 1}', "not-a-place"),
        ('{"id": 2, "choice": null}', "not-a-place"),
        ('{"id": 2, "choice": true}', "not-a-place"),
        ('{"id": 2, "choice": {"id": 2, "choice": 1}}', "not-a-place"),
        ('{"id": 2, "choice": 7}', "not-a-place"),
        ('[{"id": 2, "choice": 1}]', "not-a-place"),
        ("{}", "not-a-place"),
    ],
)
async def test_a_wrong_id_or_form_is_refused_and_the_question_stays_open(
    line: str, code: str
) -> None:
    choice, refused = await answered(line, '{"id": 2, "choice": 0}')
    assert choice == 0
    assert [(one["type"], one["code"]) for one in refused] == [("refused", code)]
    assert json.dumps(refused, allow_nan=False)


async def test_wrong_ids_count_as_strays_and_late_answers_do_not() -> None:
    written: Written = []
    player = program(written)
    for line in ['{"id": 9, "choice": 1}'] * STRAYS + ["1"]:
        await player.typed.send(line)
    player.typed.close()
    await player.hear()
    with pytest.raises(Trouble, match="were no choice"):
        await player.choose(asked(), "place", False)
    assert [line["code"] for line in written] == ["no-such-question"] * STRAYS
    mixed = ['{"id": 9, "choice": 1}', '{"id": 1, "choice": 1}'] * (STRAYS - 1)
    assert (await answered(*mixed, "1"))[0] == 1


async def test_a_late_answer_does_not_say_that_there_is_no_other_game() -> None:
    written: Written = []
    player = program(written, again=True)
    player.tell(updates.Choosing(asked(), "place", False))
    async with running(player.hear):
        for line in ('{"id": 1, "choice": 0}', "true", '{"id": 5, "choice": 0}'):
            await player.typed.send(line)
        assert await player.again(60.0) is True
        assert await player.again(60.0) is False
    assert written[1:] == [REFUSED]


def test_ids_rise_in_each_process_and_are_never_used_again() -> None:
    """Also when the same question is asked again, and in the next game of the same people."""
    written: Written = []
    player, seen = program(written, again=True), asked()
    for _game in range(3):
        for again in (False, True, False):
            player.tell(updates.Choosing(seen, "place", again))
            player.tell(updates.ChoiceRefused("place", "not-a-place", {}))
        player.tell(updates.GameOver(None, None, (), None))  # type: ignore[arg-type]
    ids = [line["id"] for line in written if line["type"] == "choosing"]
    assert ids == list(range(1, 10))
    assert all("id" not in line for line in written if line["type"] != "choosing")


@pytest.mark.parametrize("with_ids", [False, True])
@pytest.mark.parametrize(
    ("seats", "variant"), sorted({one[1:] for one in TABLES}, key=str)[::2], ids=str
)
async def test_a_whole_game_is_written_as_before_but_for_the_ids(
    seats: int, variant: Any, with_ids: bool, autojump_clock: Any
) -> None:
    """Every other line and key is as `update_json` and `as_json` have it, in the same order."""
    written: list[str] = []
    heard: Written = []
    company = Company(seats, int(seed()), variant, edition=short())

    def read(line: dict[str, Any]) -> None:
        written.append(json.dumps(line))
        if line["type"] == "choosing":
            said = line["choices"][-1]
            answer = {"id": line["id"], "choice": said} if with_ids else said
            player.typed.send_nowait(json.dumps(answer))

    player = program_window(ScreenOptions([].append), read)

    def tell(update: updates.Update) -> None:
        if isinstance(update, updates.Happened):
            heard.extend(item.as_json() for item in update.items)
        elif not isinstance(update, updates.Clock | updates.GameOver):
            heard.append(update_json(update, dict))
        player.tell(update)

    async with running(player.hear):
        assert await company.play(player, tell) == "finished"
    lines = [json.loads(line) for line in written if '"type": "hand"' not in line][:-1]
    ids = [line.pop("id") for line in lines if line["type"] == "choosing"]
    assert ids == list(range(1, len(company.asked) + 1))
    assert [json.dumps(line) for line in lines] == [json.dumps(line) for line in heard]
