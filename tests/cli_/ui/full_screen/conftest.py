"""What holds for every test of the full screen, and a seat at it."""

import pytest
from support.at_screen import screen_window

from cli.ui.full_screen.full_window import FullWindow
from cli.ui.screen_options import ScreenOptions


@pytest.fixture(autouse=True)
def _at_screen(screen: None) -> None:
    """Every test has what a full screen needs."""


@pytest.fixture
def window() -> FullWindow:
    """A seat at a screen that is not drawn yet."""
    return screen_window(ScreenOptions(lambda reason: None))
