"""What tests of the page share: a folder of the player's files that is nobody's."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which a page may store settings."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOITY_HOME", str(home))
    return home
