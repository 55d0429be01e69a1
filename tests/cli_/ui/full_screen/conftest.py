"""What holds for every test of the screen: a home of its own, and colours."""

from pathlib import Path

import pytest
from support.at_screen import idle


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(autouse=True)
def _soon_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let keys follow each other as soon as the application is idle."""
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", idle)
