"""Every file that must be refused, or that names a faulty seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from vectors.making import side
from vectors.making.breakages import BROKEN
from vectors.making.broken import Broken
from vectors.making.expelled import EXPELLED, Expelled
from vectors.making.message_failures import MESSAGE_FAILURES
from vectors.making.refused import REFUSED, Refused

from protocol.transcript.format import MAX_FILE

Made = Iterator[tuple[str, bytes]]


def _labelled(name: str, label: dict[str, Any], data: bytes) -> Made:
    """The file and its label; ValueError unless the code comes out that the maker declares."""
    found = side.expected(data)
    named = [one for one in (found["problem"], *found["faults"]) if one is not None]
    due = [one for one in named if one["code"] == label["code"]]
    if not due or label.get("seat", due[0]["seat"]) != due[0]["seat"]:
        raise ValueError(f"{name} gives {named}")
    place = {"step": due[0]["step"], "seat": due[0]["seat"]}
    yield f"failures/{name}.hoity", data
    yield f"failures/{name}.json", side.text({**label, **place, **found})


def _filed(name: str, one: Broken | Refused | Expelled) -> Callable[[], Made]:
    def make() -> Made:
        label: dict[str, Any] = {"what": one.what, "code": one.code}
        if not isinstance(one, Broken):
            label |= {"seat": one.seat, "made_from": side.game_of(one.plan)}
        yield from _labelled(name, label, one.file())

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


FAILURES: dict[str, Callable[[], Made]] = {
    "too-large-file": _too_large,
    **{name: _filed(name, one) for name, one in {**BROKEN, **REFUSED, **EXPELLED}.items()},
    **{name: _message(name) for name in MESSAGE_FAILURES},
}
"""Name to what makes its files."""
