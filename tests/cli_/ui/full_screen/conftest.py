"""What holds for every test of the screen: a home of its own, and colours."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)
