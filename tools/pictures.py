"""Draw the kept pictures of the full screen, from the running application: docs/pictures/*.svg."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.moments import MOMENTS  # noqa: E402

from cli.ui.full_screen.paged_app import PagedApp  # noqa: E402

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


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        print(f"docs/pictures/{name}.svg")


if __name__ == "__main__":
    main()
