"""What holds for every test: it begins in English, whatever a test before it spoke."""

from collections.abc import Iterator

import pytest

from cli import lingo


@pytest.fixture(autouse=True)
def _in_english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "en")
    lingo.speak("en")
    yield
    lingo.speak("en")
