"""The numbers that are typed behind the scripts of this folder, checked before anything runs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range, for `type` of an argument."""

    def read(word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"a whole number from {least} to {most} is needed, not {word!r}"
            )
        return number

    return read


def seconds(word: str) -> float:
    """Return a number of seconds above 0; for `type` of an argument."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is needed, not {word!r}")
    return number
