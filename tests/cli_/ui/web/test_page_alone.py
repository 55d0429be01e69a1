"""The page alone, in a browser, on messages that were recorded from games or made by hand."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.page_browser import (
    PAGE,
    SIZES,
    Browser,
    browser,
    greeting,
    needs_browser,
    packed_size,
    recorded,
)
from support.page_scenes import MARKUP, SCENES, TALK
from support.sampling import sample
from support.table_contract import check

from cli.words.page_labels import labels
from p2p_hoity.presentation.table_messages import Ask, AskForm, Checked, Closed, Refused, Taken
from p2p_hoity.presentation.window_messages import Settled, Story

pytestmark = pytest.mark.sampled(12)

AXE = os.environ.get("HOITY_AXE", "")
LARGEST = 60_000
GAMES = {"two": "en", "four": "en", "six": "de"}
LEAST_TARGET = 44
MAY_SCROLL = {"ending", "again"}
NARROW = {"two-question-turn", "six-question-action", "six-question-theft", "six-question-exhibit",
          "six-question-window", "six-beat-exhibit-shown", "six-ending"}  # fmt: skip
"""Scenes with much text, and with much on the board."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of the module."""
    with browser() as found:
        yield found


def _scenes() -> Iterator[tuple[str, list, dict]]:
    for game, language in GAMES.items():
        for scene, told in recorded(game).items():
            if game == "six" or not scene.startswith("beat"):
                yield f"{game}-{scene}", told, {"language": language}
    for scene, (told, changed) in SCENES.items():
        yield scene, told, changed


# Without a browser


def _code() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(PAGE.glob("*.js")))


def test_each_label_is_used_and_each_used_label_exists() -> None:
    code = _code()
    called = set(re.findall(r"\bt\(\"(\w+)\"", code))
    assert called <= set(labels())
    named = {name for name in labels() if re.search(rf"\"{name}\"|\b{name}:", code)}
    spoken = {"cash", "thief", "detective", "exhibit", "absent", "left", "unlinked"}
    assert set(labels()) - named <= spoken


def test_no_template_has_what_the_policy_forbids() -> None:
    texts = _code() + (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(
        r"[^.]style=[\"$]|styleMap|unsafeHTML|innerHTML|\beval\(|new Function", texts
    )
    assert not re.search(r"<script>|\son\w+=\"|https?://(?!www\.w3\.org)", texts)


def test_the_page_is_small() -> None:
    assert packed_size() <= LARGEST


def test_each_scene_fits_the_contract() -> None:
    for _name, told, changed in _scenes():
        for message in [*greeting(changed.get("language", "en")), *told]:
            check(message)


# In a browser


@needs_browser
def test_each_scene_is_drawn_without_an_error_and_a_wide_window_does_not_scroll(
    chromium: Browser,
) -> None:
    with chromium.window() as window:
        for name, told, changed in sample(_scenes(), 40, "scenes"):
            language = changed.get("language", "en")
            rest = {key: value for key, value in changed.items() if key != "language"}
            window.tell([*greeting(language, **rest), *told], checked=False)
            shown, height = window.page.evaluate(
                "[document.getElementById('app').innerText, document.documentElement.scrollHeight]"
            )
            assert not window.problems, (name, window.problems)
            assert len(shown) > 40, name
            assert height <= 900 or MAY_SCROLL & set(name.split("-")), name


@needs_browser
def test_it_enters_with_the_secret_and_enters_again_with_the_token(chromium: Browser) -> None:
    with chromium.window(recorded("four")["question-place"]) as window:
        assert window.sent[0] == {"type": "enter", "secret": "secret-of-this-window"}
        assert "#" not in window.page.url
        window.sockets[-1].close(code=1011)
        window.wait_for_sent(2)
        assert window.sent[1] == {"type": "enter", "token": "token-of-this-window"}
        window.page.wait_for_selector(".notice")
        assert window.page.locator(".rows tbody tr").count() == 4
        window.tell([*greeting(), *recorded("four")["question-place"]])
        assert window.page.locator(".notice").count() == 0


@needs_browser
def test_a_browser_that_cannot_read_the_modules_is_told_so(chromium: Browser) -> None:
    with chromium.window() as window:
        page = window.page.context.new_page()
        page.clock.install()
        page.route("**/main.js", lambda route: route.fulfill(status=404))
        page.goto(window.page.url)
        page.clock.fast_forward(5000)
        assert "too old" in page.inner_text("#start")


@needs_browser
def test_a_wrong_secret_is_told_so(chromium: Browser) -> None:
    with chromium.window() as window:
        window.page.evaluate("sessionStorage.clear()")
        window.sockets[-1].close(code=4001)
        window.page.wait_for_selector(".alone p")
        assert "terminal" in window.page.inner_text("main.alone")


@needs_browser
def test_after_the_end_of_the_program_it_does_not_connect_again(chromium: Browser) -> None:
    with chromium.window(SCENES["bye"][0]) as window:
        window.sockets[-1].close(code=1000)
        window.page.wait_for_timeout(700)
        assert len(window.sent) == 1
        assert "hoity resume" in window.page.inner_text(".notice")


@needs_browser
def test_another_window_has_the_table_until_a_click(chromium: Browser) -> None:
    with chromium.window(recorded("four")["question-place"]) as window:
        window.sockets[-1].close(code=4002)
        window.page.get_by_role("button", name=labels()["take_over"]).click()
        window.wait_for_sent(2)
        assert window.newest() == {
            "type": "enter",
            "token": "token-of-this-window",
            "take": True,
        }


PICKED = [
    ("four", "question-place", 1, ["2"]),
    ("four", "question-place", 0, ["ArrowDown"]),
    ("four", "question-action", 2, ["ArrowDown", "ArrowDown", "ArrowDown"]),
    ("two", "question-turn", 5, ["6"]),
    ("six", "question-window", 0, ["1"]),
]


@pytest.mark.sampled(2)
@needs_browser
@pytest.mark.parametrize(("game", "scene", "entry", "keys"), PICKED)
def test_keys_answer_a_question_with_a_list(
    chromium: Browser, game: str, scene: str, entry: int, keys: list[str]
) -> None:
    told = recorded(game)[scene]
    question = told[-1]
    with chromium.window(told) as window:
        window.press("Enter")
        assert len(window.sent) == 1, "nothing is sealed that was not picked"
        window.press(*keys, "Enter")
        choice = question["entries"][entry]["choice"]
        assert window.newest() == {"type": "answer", "question": question["id"], "choice": choice}
        assert window.page.locator("#choice").count() == 1, "it is sealed once the node says so"
        window.tell([Taken(1, question["id"], question["kind"], choice).as_json()])
        assert window.page.locator("#choice").count() == 0
        assert not window.problems


@needs_browser
def test_keys_mark_the_pieces_of_an_exhibit(chromium: Browser) -> None:
    told = recorded("six")["question-exhibit"]
    question = told[-1]
    with chromium.window(told) as window:
        window.press("2")
        best = {
            "type": "check",
            "question": question["id"],
            "picked": question["entries"][1]["choice"],
        }
        assert window.newest() == best
        window.press("Enter")
        assert window.newest() == best, "only what the node calls legal is sealed"
        window.press("ArrowRight", "Space")
        picked = window.newest()["picked"]
        assert len(set(picked) ^ set(best["picked"])) == 1
        assert picked == sorted(picked)
        window.tell([Checked(question["id"], False, "too small").as_json()])
        assert window.page.locator(".seal:disabled").count() == 1
        window.press("Space")
        window.tell([Checked(question["id"], True, "12 pieces, oldest 1502").as_json()])
        assert "oldest 1502" in window.page.inner_text(".say")
        window.press("Enter")
        assert window.newest() == {
            "type": "answer",
            "question": question["id"],
            "choice": best["picked"],
        }


@needs_browser
def test_keys_mark_one_piece_of_each_exhibit_for_a_thief(chromium: Browser) -> None:
    told = recorded("six")["question-theft"]
    question = told[-1]
    first, second = question["groups"]
    with chromium.window(told) as window:
        slot = "document.activeElement.dataset.slot"
        window.page.locator(".loot button").first.focus()
        window.press("Space")
        one = int(window.page.evaluate(slot))
        window.press("ArrowRight", "Space")
        other = int(window.page.evaluate(slot))
        assert {one, other} <= set(first)
        assert window.newest()["picked"] == [other], "of a group only one is marked"
        window.page.locator(f".rows button[data-slot='{second[-1]}']").click()
        assert window.newest()["picked"] == [other, second[-1]]
        window.tell([Checked(question["id"], True, "your Thief takes two").as_json()])
        window.press("Enter")
        assert window.newest()["choice"] == [other, second[-1]]


@needs_browser
def test_a_refusal_is_said_and_leaves_the_question_open(chromium: Browser) -> None:
    told = recorded("four")["question-place"]
    with chromium.window(told) as window:
        window.press("1", "Enter")
        window.tell([Refused(told[-1]["id"], "not-of-form", {}, "that is no Place").as_json()])
        assert "that is no Place" in window.page.inner_text("#choice")
        window.press("2", "Enter")
        assert window.newest()["type"] == "answer"
        window.tell([Closed(told[-1]["id"]).as_json()])
        assert window.page.locator("#choice").count() == 0


@needs_browser
def test_any_key_and_a_click_hurry_a_reveal(chromium: Browser) -> None:
    with chromium.window(recorded("four")["beat-exhibit-shown"]) as window:
        window.press("Enter")
        window.page.locator("section.beat").click(position={"x": 20, "y": 20})
        assert [one["type"] for one in window.sent[1:]] == ["hurry", "hurry"]


@needs_browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_piece_that_is_bought_glides_unless_motion_is_reduced(
    chromium: Browser, motion: str
) -> None:
    told = [one for one in recorded("six")["question-window"] if one["type"] != "question"]
    before = told[-1]
    after = json.loads(json.dumps(before))
    bought = after["board"]["windows"][0]["top"]
    after["board"]["windows"][0]["top"] = None
    after["board"]["seats"][2]["pieces"].append(bought)
    moving = (
        "document.getAnimations().filter(one => !one.animationName && !one.transitionProperty)"
        ".flatMap(one => one.effect.target.dataset.key ?? [])"
    )
    with chromium.window(told, motion=motion) as window:
        window.tell([after])
        wanted = [f"p{bought[0]}"] if motion == "no-preference" else []
        assert window.page.evaluate(moving) == wanted


@needs_browser
def test_an_explanation_goes_on_before_anything_is_sealed(chromium: Browser) -> None:
    question = recorded("four")["question-place"][-1]
    with chromium.window([*SCENES["explain"][0], question], mode="learn") as window:
        window.press("1", "Enter")
        assert window.newest() == {"type": "reply", "ask": 3, "yes": True}
        window.press("Enter")
        assert window.newest()["type"] == "answer"


@needs_browser
def test_leaving_asks_in_a_dialog_and_gives_the_focus_back(chromium: Browser) -> None:
    ask = Ask(9, AskForm.LEAVE, "Leave for now?", {}, None).as_json()
    with chromium.window(recorded("four")["question-place"]) as window:
        window.press("Escape")
        window.page.get_by_role("button", name=labels()["leave"]).click()
        assert window.newest() == {"type": "leave"}
        window.tell([ask])
        assert "Leave for now?" in window.page.inner_text("dialog")
        window.press("Escape")
        assert window.newest() == {"type": "reply", "ask": 9, "yes": False}
        window.tell([Settled(9).as_json()])
        assert window.page.locator("dialog[open]").count() == 0
        window.press("1", "Enter")
        assert window.newest()["type"] == "answer"


@needs_browser
def test_the_first_run_is_answered(chromium: Browser) -> None:
    with chromium.window(SCENES["setup"][0]) as window:
        window.page.get_by_role("textbox").fill("Ada")
        window.page.get_by_role("radio", name="hard").check()
        window.page.get_by_role("button", name=labels()["play_bots"]).click()
        answers = {"nickname": "Ada", "language": "en", "level": "hard", "lesson": False}
        assert window.newest() == {"type": "setup", "ask": 7, **answers}
        assert not window.problems


@needs_browser
def test_a_replay_is_led_by_keys(chromium: Browser) -> None:
    told, changed = SCENES["replay"]
    with chromium.window(told, **changed) as window:
        window.press("ArrowRight", "PageUp", "s", "End")
        ways = [{"at": 58}, {"at": 41}, {"eyes": 0}, {"at": 119}]
        assert window.sent[1:] == [{"type": "seek", **way} for way in ways]


@needs_browser
def test_a_replay_runs_faster_or_slower(chromium: Browser) -> None:
    told, changed = SCENES["replay"]
    with chromium.window(told, **changed) as window:
        shown = []
        for key in ("+", "+", "+", "-", "+"):
            window.press(key)
            shown.append(window.page.locator(".eyes .plain").inner_text().split()[-1])
        assert shown == ["2", "4", "0.25", "0.25", "0.5"]
        window.press(" ")
        window.page.wait_for_function("document.querySelector('.go[aria-pressed=true]') !== null")


@needs_browser
def test_a_reveal_that_the_story_has_is_not_told_twice(chromium: Browser) -> None:
    told = recorded("six")["beat-sale"]
    with chromium.window(
        [*told[:-1], Story(tuple(told[-1]["words"])).as_json(), told[-1]]
    ) as window:
        assert window.page.locator(".log li").count() == len(told[-1]["words"])


@needs_browser
def test_a_replay_goes_back_from_its_end(chromium: Browser) -> None:
    told = [*SCENES["replay"][0], recorded("six")["ending"][-1]]
    with chromium.window(told, mode="replay") as window:
        assert window.page.locator(".standings").count() == 1
        window.press("ArrowLeft")
        assert window.newest() == {"type": "seek", "at": 56}
        window.tell(SCENES["replay"][0][-2:])
        assert window.page.locator(".standings").count() == 0


@needs_browser
def test_markup_in_names_and_talk_is_text(chromium: Browser) -> None:
    with chromium.window([*SCENES["names"][0], *TALK]) as window:
        assert MARKUP in window.page.inner_text(".log")
        assert window.page.locator("img").count() == 0
        assert window.page.locator("bdi").count() > 6
        assert not window.problems


TARGETS = f"""() => [
    ...document.querySelectorAll("button, input, select, a, label.opt")
].filter(one => {{
    const box = one.getBoundingClientRect();
    const cover = one.closest("label.opt");
    return box.width && !one.matches(".skip") && (!cover || cover === one)
        && (box.width < {LEAST_TARGET} || box.height < {LEAST_TARGET});
}}).map(one => one.className + " " + one.textContent.trim().slice(0, 20))"""


WIDER = """() => {
    const root = document.documentElement;
    return ["200%", "100%"].map(scale => {
        root.style.fontSize = scale;
        return root.scrollWidth - root.clientWidth;
    });
}"""


CONTRAST = """() => ["light", "dark"].flatMap(theme => {
    document.documentElement.dataset.theme = theme;
    const light = rgb => {
        const linear = one => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4;
        const [r, g, b] = rgb.map(linear);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const seen = colour => {
        paint.clearRect(0, 0, 1, 1); paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
        return a < 255 ? null : [r / 255, g / 255, b / 255];
    };
    const ground = one => {
        for (; one; one = one.parentElement) {
            const found = seen(getComputedStyle(one).backgroundColor);
            if (found) return found;
        }
    };
    const shape = one => [...one.parentElement.children].reverse().find(
        other => other.matches("polygon, circle, path") && getComputedStyle(other).fill !== "none");
    const found = new Set();
    for (const one of document.querySelectorAll("#app *, #app text")) {
        if (![...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
        if (!one.getClientRects().length || one.closest(".sr, option, :disabled")) continue;
        const style = getComputedStyle(one);
        const text = one.closest("text");
        const behind = text && !text.matches(".axis")
            ? seen(getComputedStyle(shape(text)).fill)
            : ground(one.closest("svg")?.parentElement ?? one);
        const inks = [seen(text ? style.fill : style.color), behind];
        const [more, less] = inks.map(light).sort((a, b) => b - a);
        const ratio = (more + .05) / (less + .05);
        if (ratio < 4.5)
            found.add(`${one.tagName}.${one.getAttribute("class")} ${ratio.toFixed(2)}`);
    }
    return [...found];
})"""
"""Every text, and also single letters and figures of the track, of which axe cannot tell it."""


@pytest.mark.sampled(1)
@needs_browser
@pytest.mark.parametrize("size", SIZES)
def test_each_window_is_wide_enough_and_can_be_read(chromium: Browser, size: str) -> None:
    """Also at 200 % text. On a phone each target is large."""
    with chromium.window(size=size) as window:
        for name, told, changed in _scenes():
            if name in NARROW or name in SCENES:
                window.tell([*greeting(changed.get("language", "en")), *told], checked=False)
                assert max(window.page.evaluate(WIDER)) <= 0, name
                assert size != "phone" or window.page.evaluate(TARGETS) == [], name
                assert size != "wide" or window.page.evaluate(CONTRAST) == [], name


AXE_RUN = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations", "incomplete"]});
    const unsure = found.incomplete.filter(one => one.id !== "color-contrast");
    const told = one => [one.id, ...one.nodes.slice(0, 2).map(node => node.html.slice(0, 160))];
    return [...found.violations, ...unsure].map(told);
}"""


@needs_browser
@pytest.mark.skipif(not AXE, reason="HOITY_AXE does not name the file axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "wide"])
def test_axe_finds_nothing(chromium: Browser, size: str, scheme: str) -> None:
    wanted = {*SCENES, *NARROW, "four-question-place", "four-question-action"}
    with chromium.window(size=size, scheme=scheme) as window:
        window.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
        for name, told, changed in _scenes():
            if name in wanted:
                rest = {key: one for key, one in changed.items() if key != "language"}
                window.tell(
                    [*greeting(changed.get("language", "en"), **rest), *told], checked=False
                )
                assert window.page.evaluate(AXE_RUN) == [], json.dumps([name, size, scheme])
