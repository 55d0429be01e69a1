"""Every committed file by name, and how it is made."""

from collections.abc import Callable, Iterator

from vectors import make_crypto
from vectors.making import posts, side
from vectors.making.failing import FAILURES
from vectors.making.playing import TRANSCRIPTS, Recipe

Made = Iterator[tuple[str, bytes]]


def _transcript(name: str, recipe: Recipe) -> Callable[[], Made]:
    def make() -> Made:
        data = recipe.file()
        label = {
            "what": recipe.what,
            "made_from": side.game_of(recipe.plan),
            **side.described(data),
        }
        yield f"transcripts/{name}.hoity", data
        yield f"transcripts/{name}.json", side.text(label)

    return make


FILES: dict[str, Callable[[], Made]] = {
    "crypto": lambda: iter([("crypto.json", make_crypto.text().encode())]),
    "messages": lambda: iter([("messages.json", side.text(posts.book()))]),
    **{f"transcripts/{name}": _transcript(name, one) for name, one in TRANSCRIPTS.items()},
    **{f"failures/{name}": make for name, make in FAILURES.items()},
}
"""Name to what makes the file and the label beside it."""
