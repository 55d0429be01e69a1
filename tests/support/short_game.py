"""The edition of all tests for which a game is only a vehicle: few Collectibles, a short track."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from p2p_hoity.editions import load_edition
from p2p_hoity.editions.load_edition import DEFAULT, load
from p2p_hoity.rules.edition import Castle, Edition

CASTLES = (Castle(3, 1, 1), Castle(2, 1, 1))
BANQUET_FIELDS = 1
OF_A_LETTER = 4
"""The fewest Collectibles of a letter that a game may have."""
ALL = 99
"""More of a letter than any edition has."""


@cache
def short_edition(of_a_letter: int = OF_A_LETTER) -> Edition:
    """Return the default edition with the first Collectibles of each letter, on a short track."""
    full = load(DEFAULT)
    few = [
        piece
        for letter in "ABCDEF"
        for piece in [one for one in full.collectibles if one.letter == letter][:of_a_letter]
    ]
    short = replace(full, name=f"small-{of_a_letter}", collectibles=tuple(few))
    return replace(short, castles=CASTLES, banquet_fields=BANQUET_FIELDS)


def short_file(folder: Path, of_a_letter: int = OF_A_LETTER, edition: str = DEFAULT) -> Path:
    """Write that edition, or another one cut down so, into a file, for `--edition`."""
    text = Path(load_edition.__file__).with_name(f"{edition}.toml").read_text(encoding="utf-8")
    track = ", ".join(str([one.larger, one.smaller, one.fields]) for one in CASTLES)
    for line, new in (
        (r"^name = .*?$", f'name = "small-{of_a_letter}"'),
        (r"^banquet_fields = .*?$", f"banquet_fields = {BANQUET_FIELDS}"),
        (r"^castles = \[.*?^\]", f"castles = [{track}]"),
    ):
        text, number = re.subn(line, new, text, flags=re.DOTALL | re.MULTILINE)
        assert number == 1, line
    kept = dict.fromkeys("ABCDEF", 0)
    lines = []
    for line in text.splitlines():
        found = re.match(r'  \{ letter = "(.)"', line)
        if found:
            kept[found[1]] += 1
        if not found or kept[found[1]] <= of_a_letter:
            lines.append(line)
    file = folder / f"small-{of_a_letter}.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
