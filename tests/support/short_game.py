"""An edition whose game is over soon: the default one, on a short track."""

from __future__ import annotations

import re
from pathlib import Path

from p2p_hoity import editions

CASTLES = "[2, 1, 2], [3, 2, 2], [3, 1, 2]"


def short_edition(folder: Path, of_a_letter: int = 9, times: int = 1) -> Path:
    """The file of such an edition, for `--edition`: about eight rounds, so many times, and at
    most so many Collectibles of each letter (4 are the fewest that a game may have)."""
    text = Path(editions.__file__).with_name(f"{editions.DEFAULT}.toml").read_text(encoding="utf-8")
    track = f"castles = [{', '.join([CASTLES] * times)}]"
    short, number = re.subn(r"^castles = \[.*?^\]", track, text, flags=re.DOTALL | re.MULTILINE)
    assert number == 1
    for letter in "ABCDEF":
        lines = [line for line in short.splitlines() if f'letter = "{letter}"' in line]
        for line in lines[of_a_letter:]:
            short = short.replace(line + "\n", "")
    file = folder / "short.toml"
    file.write_text(short, encoding="utf-8")
    return file
