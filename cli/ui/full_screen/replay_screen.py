"""The replay on the full screen: stepping, jumping, playing, and seeing what one seat knew."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual import events

from ...table_view.film import Film
from ...words.translation import _
from .key_bindings import key_of
from .paged_app import PagedApp

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.25)
"""The seconds for which a step is shown while the replay runs, from slow to fast."""


PAGES: Final = {
    "i": "pieces",
    "l": "log",
    "r": "rules",
    "p": "links",
    "o": "proofs",
    "?": "replay",
}


class ReplayApp(PagedApp):
    """The full screen of a replay. `speed` is the index in `SPEEDS`, None if it stands still."""

    page_keys: ClassVar = {key: f"page('{name}')" for key, name in PAGES.items()}

    def __init__(self, film: Film) -> None:
        super().__init__(film.stage())
        self.film = film
        if film.verdict is not None:
            self.desk.verdict, self.desk.checked = film.verdict.mark, film.verdict.lines
        self.desk.is_replay = True
        self.speed: int | None = None
        self._run = 0
        self._show()

    def _show(self) -> None:
        """Draw the moment of the recorded game at which the replay is."""
        self.stage = self.film.stage()
        names = [entry.nickname for entry in self.film.table.header.roster]
        eyes = _("everyone") if self.film.eyes is None else names[self.film.eyes]
        text = _("{at}/{all} · {who} (s) · ← → step · PgUp PgDn round · Space runs, + − · ? · q")
        self.desk.hint = text.format(at=self.film.at + 1, all=len(self.film.moments), who=eyes)
        self.redraw()

    async def on_key(self, event: events.Key) -> None:
        """Handle a key: move through the recorded game, open a page, or leave the replay."""
        if len(self.screen_stack) > 1:
            await self.key_over_a_page(event)
            return
        event.prevent_default()
        key = key_of(event)
        act = MOVES.get(key) or MOVES.get(event.key)
        if act is not None:
            act(self)
            self._show()
        elif key in ("q", "escape"):
            self.exit()
        elif key in PAGES:
            await self.action_page(PAGES[key])

    async def action_menu(self, first: str = "") -> None:
        """Leave without a question, because nothing can be lost here."""
        self.exit()

    def move(self, number: int) -> None:
        """Go forward, or back by a negative number. This stops a running replay."""
        self.speed = None
        self.film.step(number)

    def toggle_run(self) -> None:
        """Let the replay run, or stop it."""
        self.speed = 2 if self.speed is None else None
        self._start_run()

    def change_speed(self, faster: int) -> None:
        """Let the replay run faster (1) or slower (-1)."""
        now = 2 if self.speed is None else self.speed
        self.speed = min(max(0, now + faster), len(SPEEDS) - 1)
        self._start_run()

    def _start_run(self) -> None:
        """Start the timer for the next moment of a running replay."""
        # An earlier timer, which has a lower number, then does nothing.
        self._run += 1
        if self.speed is not None:
            self.set_timer(SPEEDS[self.speed], lambda run=self._run: self._go_on(run))

    def _go_on(self, run: int) -> None:
        """Show the next moment, unless a later timer has replaced this one or the replay stands."""
        if run != self._run or self.speed is None:
            return
        before = self.film.at
        self.film.step(1)
        self._show()
        # At the last moment the replay stops.
        if self.film.at != before:
            self._start_run()


MOVES: Final[dict[str, Callable[[ReplayApp], None]]] = {
    "right": lambda app: app.move(1),
    "n": lambda app: app.move(1),
    "left": lambda app: app.move(-1),
    "b": lambda app: app.move(-1),
    "pagedown": lambda app: app.film.jump(True),
    "pageup": lambda app: app.film.jump(False),
    "home": lambda app: app.move(-len(app.film.moments)),
    "end": lambda app: app.move(len(app.film.moments)),
    "s": lambda app: app.film.look(),
    " ": ReplayApp.toggle_run,
    "space": ReplayApp.toggle_run,
    "+": lambda app: app.change_speed(1),
    "-": lambda app: app.change_speed(-1),
}
"""The function of each key that moves through the game."""
