"""The functions that JavaScript calls in the worker of the page that checks files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from p2p_hoity.presentation.table_messages import Message

from ...words import translation
from .file_window import FileWindow

_window: Final = FileWindow()


def speak(language: str) -> None:
    """Choose the language by its code."""
    translation.speak(language)


def judge(name: str, data: Any, progress: Callable[[int, int], None]) -> None:
    """Check a file, whose bytes are those of an array of JavaScript."""
    _window.judge(name, data.to_bytes(), progress)


def verdict() -> str:
    """Return the verdict on the last file as JSON, `null` for no file."""
    found = _window.verdict()
    return "null" if found is None else found.as_json()


def whole() -> str:
    """Return all that a replay of the last file has to know, as a JSON array of messages."""
    return _told(_window.whole())


def answers(text: str) -> str:
    """Return what the replay is told after what it has sent, as a JSON array of messages."""
    return _told(_window.answers(text))


def picture() -> str:
    """Return a name for the picture of the last game and its SVG text as JSON, or `null`."""
    return json.dumps(_window.picture())


def _told(messages: Iterable[Message]) -> str:
    return json.dumps([message.as_json() for message in messages], ensure_ascii=False)
