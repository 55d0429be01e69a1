"""The option `--web`: the page on which a command is shown, and the first questions on it.

Nothing of the page is loaded without this option.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from p2p_hoity.pasted_text import is_unseen, stripped
from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home

from ..exit_codes import USAGE, Trouble, ctrl_c_means
from ..local import settings
from ..local.player_setup import chosen_name, is_new, refused_nickname
from ..words.translation import LANGUAGES, _, level_word
from .options import OutputOptions, ReplayOptions, WebOptions

if TYPE_CHECKING:
    from ..ui.web.page_host import PageHost


def page_of(home: Home, mode: Mode, options: WebOptions) -> PageHost | None:
    """Return the page on which a command is shown, None if it is shown elsewhere.

    Raises:
        Trouble: If another kind of screen is wanted as well, or the page cannot be served.
    """
    if not options.web:
        return None
    if isinstance(options, OutputOptions | ReplayOptions) and options.as_json:
        words = _("{option} and {other} are two kinds of screen. Leave one of them out.")
        raise Trouble(words.format(option="--web", other="--json"), USAGE)
    from ..ui.web.page_host import PageHost

    return PageHost(home, mode, options.web_port or 0, options.web_port is None)


@contextmanager
def closed_after(page: PageHost | None) -> Iterator[None]:
    """Close a page at the end of the context."""
    try:
        yield
    finally:
        if page is not None:
            page.close()


def set_up(home: Home, page: PageHost, asks_name: bool, asks_level: bool) -> bool:
    """Ask a new player on the page what the terminal asks in the first run, and store it.

    Args:
        asks_name: Whether a new player is asked for a nickname.
        asks_level: Whether the level of the bots is asked for if none is stored.

    Returns:
        Whether the player wants the lesson first.
    """
    from p2p_hoity.bots import DEFAULT_LEVEL, LEVELS

    from ..ui.web.page_setup import PageSetup, SetupForm

    known = settings.load(home)
    levels = LEVELS if asks_level and known.bots is None else ()
    if not ((asks_name and is_new(home)) or levels):
        return False
    shown = tuple((level, level_word(level)) for level in levels)
    usual = DEFAULT_LEVEL if levels else None
    form = SetupForm(chosen_name(home), shown, usual)
    with ctrl_c_means(lambda: _("Interrupted.")):
        found = PageSetup(page, form, refused_nickname).ask()
    settings.change(
        home,
        nickname=stripped(found.nickname or "", is_unseen) or None,
        language=found.language if found.language in LANGUAGES else known.language,
        bots=found.level if found.level in LEVELS else known.bots,
    )
    return found.lesson and bool(levels)
