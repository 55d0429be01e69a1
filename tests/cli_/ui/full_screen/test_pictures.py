"""The kept pictures: what they show is what the application draws now."""

import html
import re
from collections import defaultdict

import pytest
from support.cli_stage import tool

pictures = tool("pictures")
TEXT = re.compile(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>')


def words(svg: str) -> list[str]:
    """The lines of text of a picture."""
    rows: dict[float, list[tuple[float, str]]] = defaultdict(list)
    for x, y, text in TEXT.findall(svg):
        rows[float(y)].append((float(x), html.unescape(text).replace("\xa0", " ")))
    return ["".join(text for _x, text in sorted(rows[y])).rstrip() for y in sorted(rows)]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_kept_picture_shows_what_is_drawn_now(name: str) -> None:
    kept = (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    shown = words(kept)
    assert len(shown) > 15
    assert shown == words(pictures.drawn(name))
