"""The shelf list: every committed file by name, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import side
from .playing import TRANSCRIPTS, Recipe

Made = Iterator[tuple[str, bytes]]


def _transcript(name: str, recipe: Recipe) -> Callable[[], Made]:
    def make() -> Made:
        data = recipe.file()
        label = {
            "what": recipe.what,
            "made_from": side.game_of(recipe.plan),
            **side.expected(data),
            "chain": side.chain_of(data),
        }
        yield f"transcripts/{name}.hoity", data
        yield f"transcripts/{name}.json", side.text(label)

    return make


FILES: dict[str, Callable[[], Made]] = {
    f"transcripts/{name}": _transcript(name, recipe) for name, recipe in TRANSCRIPTS.items()
}
"""Name to what makes the file and the label beside it."""
