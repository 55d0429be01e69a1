"""Every committed file by name, and how it is made."""

from collections.abc import Callable, Iterator
from typing import Any

from vectors import make_crypto
from vectors.making import connections, differences, posts, side, worked
from vectors.making.bounded import BOUNDED
from vectors.making.breakages import BROKEN
from vectors.making.broken import Broken
from vectors.making.expelled import EXPELLED, Expelled
from vectors.making.judged import Judged
from vectors.making.judged_bases import BASES
from vectors.making.judged_bytes import BYTES
from vectors.making.judged_faulty import FAULTY
from vectors.making.judged_forks import FORKS
from vectors.making.judged_forms import FORMS
from vectors.making.judged_readings import READINGS
from vectors.making.judged_rules import RULES
from vectors.making.judged_setup import SETUP_AND_ESCROWS
from vectors.making.message_failures import MESSAGE_FAILURES
from vectors.making.playing import TRANSCRIPTS, Recipe
from vectors.making.refused import REFUSED, Refused

from protocol.transcript.transcript_format import MAX_FILE

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


def _filed(name: str, one: Broken | Refused | Expelled) -> Callable[[], Made]:
    """The file and its label; ValueError unless the code comes out that the maker declares."""

    def make() -> Made:
        data = one.file()
        label: dict[str, Any] = {"what": one.what, "code": one.code}
        if not isinstance(one, Broken):
            label |= {"seat": one.seat, "made_from": side.game_of(one.plan)}
        found = side.expected(data)
        named = [each for each in (found["problem"], *found["faults"]) if each is not None]
        due = [each for each in named if each["code"] == one.code]
        if not due or label.get("seat", due[0]["seat"]) != due[0]["seat"]:
            raise ValueError(f"{name} gives {named}")
        if not isinstance(one, Expelled):
            label["changed"] = differences.changed(one.sound(), data)
        place = {"step": due[0]["step"], "seat": due[0]["seat"]}
        yield f"failures/{name}.hoity", data
        yield f"failures/{name}.json", side.text({**label, **place, **found})

    return make


def _message(name: str) -> Callable[[], Made]:
    return lambda: iter([(f"failures/{name}.json", side.text(MESSAGE_FAILURES[name]()))])


def _too_large() -> Made:
    label = {
        "what": "The file is one byte larger than any may be: this byte, so many times.",
        "code": "too-large",
        "repeat": "00",
        "times": MAX_FILE + 1,
        "verdict": "unreadable",
    }
    yield "failures/too-large-file.json", side.text(label)


JUDGED: dict[str, Judged] = {
    **BYTES,
    **FORMS,
    **FAULTY,
    **FORKS,
    **BASES,
    **SETUP_AND_ESCROWS,
    **RULES,
    **READINGS,
}
"""Name to what makes the file and states its verdict."""


def _judged(name: str, one: Judged) -> Callable[[], Made]:
    def make() -> Made:
        data = one.file()
        one.check(data)
        yield f"judged/{name}.hoity", data

    return make


def _verdicts() -> Made:
    labels = {name: one.label() for name, one in sorted(JUDGED.items())}
    yield "judged/verdicts.json", side.text(labels)


def _bounds() -> Made:
    for one in BOUNDED.values():
        one.check()
    yield "bounds.json", side.text({name: one.label() for name, one in sorted(BOUNDED.items())})


FILES: dict[str, Callable[[], Made]] = {
    "crypto": lambda: iter([("crypto.json", make_crypto.text().encode())]),
    "links": lambda: iter([("links.json", side.text(connections.book()))]),
    "messages": lambda: iter([("messages.json", side.text(posts.book()))]),
    "worked": lambda: iter([("worked.json", side.text(worked.book()))]),
    **{f"transcripts/{name}": _transcript(name, one) for name, one in TRANSCRIPTS.items()},
    "failures/too-large-file": _too_large,
    **{f"failures/{n}": _filed(n, one) for n, one in {**BROKEN, **REFUSED, **EXPELLED}.items()},
    **{f"failures/{name}": _message(name) for name in MESSAGE_FAILURES},
    **{f"judged/{name}": _judged(name, one) for name, one in JUDGED.items()},
    "judged/verdicts": _verdicts,
    "bounds": _bounds,
}
"""Name to what makes the file and the label beside it."""
