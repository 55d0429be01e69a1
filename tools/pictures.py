"""Draw the kept pictures of the full screen, of a game and of the page: docs/pictures.

Without a browser those of the page stay as they are.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.moments import MOMENTS  # noqa: E402
from support.page_browser import CHROMIUM, browser, recorded  # noqa: E402
from support.paths import VECTORS  # noqa: E402

from cli.pictures.game_picture import game_picture  # noqa: E402
from cli.pictures.picture_facts import PictureFacts  # noqa: E402
from cli.ui.full_screen.paged_app import PagedApp  # noqa: E402
from p2p_hoity.game_adapter import read_game  # noqa: E402
from protocol import transcript  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
PICTURES: dict[str, tuple[str, tuple[int, int], bool]] = {
    "table": ("action-castle", (100, 30), False),
    "small": ("exhibit", (80, 24), False),
    "light": ("six-seats", (120, 36), True),
    "theft": ("theft", (100, 30), False),
    "over": ("over", (100, 30), False),
}
"""By name: the moment, columns and rows, and whether it is light."""


async def _drawn(moment: str, size: tuple[int, int], light: bool) -> str:
    shown = MOMENTS[moment]()
    app = PagedApp(shown.stage)
    async with app.run_test(size=size) as pilot:
        app.theme = "textual-light" if light else "textual-dark"
        app.desk = shown.desk
        app.redraw()
        await pilot.pause()
        picture = app.export_screenshot(title="Hoity Toity")
    return re.sub(r"@font-face\s*{[^}]*}\s*", "", picture)  # no font is fetched from elsewhere


def drawn(name: str) -> str:
    """One picture as SVG."""
    return asyncio.run(_drawn(*PICTURES[name]))


GAME = "game"
"""The name of the picture of a game."""
PLAYED = VECTORS / "transcripts" / "four-uberplay-2004.hoity"


def drawn_game() -> str:
    """The picture of a kept game, as `hoity replay --picture` saves it."""
    facts = PictureFacts.of_report(transcript.verify(PLAYED.read_bytes(), read_game), "2025-11-27")
    if facts is None:
        raise ValueError(f"{PLAYED} shows no game")
    return game_picture(facts)


PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "page": ("four", "question-exhibit", "wide", "light", ""),
    "page-theft": ("six", "question-theft", "wide", "dark", ""),
    "page-phone": ("four", "question-action", "phone", "light", "2"),
    "page-end": ("four", "ending", "wide", "dark", ""),
}
"""By name: the recorded game, the scene, the size, light or dark, and the keys that are pressed."""


def draw_pages() -> None:
    """Draw the kept pictures of the page."""
    with browser() as chromium:
        for name, (game, scene, size, scheme, keys) in PAGES.items():
            told, language = recorded(game)[scene], "de" if game == "six" else "en"
            with chromium.window(told, size, scheme, language) as opened:
                opened.press(*keys)
                opened.page.screenshot(path=str(FOLDER / f"{name}.png"))
            print(f"docs/pictures/{name}.png")


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        print(f"docs/pictures/{name}.svg")
    (FOLDER / f"{GAME}.svg").write_text(drawn_game(), encoding="utf-8")
    print(f"docs/pictures/{GAME}.svg")
    if CHROMIUM.exists():
        draw_pages()


if __name__ == "__main__":
    main()
