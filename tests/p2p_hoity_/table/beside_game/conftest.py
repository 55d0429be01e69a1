"""A home of games, with the key of its player."""

from pathlib import Path

import pytest
from support.kept_home import player

from p2p_hoity.storage.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home without games."""
    found = Home(tmp_path / "home")
    player(found)
    return found
