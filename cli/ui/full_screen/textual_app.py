"""The table of a player or an onlooker as a Textual application, which handles keys and clicks."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from p2p_hoity import rules
from p2p_hoity.presentation.screen_updates import Choosing, Started, Update
from p2p_hoity.presentation.staging import Remark
from p2p_hoity.rules import View
from protocol.units import Quota

from ...local.settings import Settings
from ...printing import is_small
from ...table_view.main_menu import options
from ...table_view.paced_messages import is_late
from ...table_view.question_menu import menu
from ...table_view.stage import Stage
from ...words.chat_phrases import PHRASES, meant
from ...words.translation import N_, _, yes_or_no
from .info_pages import Choices, content_of, phrases
from .key_bindings import KEYS, NUMBERS, Hands, key_of
from .paged_app import PagedApp

DARK, LIGHT = "textual-dark", "textual-light"
MOST_TALK: Final[Quota] = 200
DURING_A_REVEAL: Final = ("page(", "talk", "menu")
"""The beginnings of the actions that keys have during a reveal."""


class TableApp(PagedApp):
    """The table of a seat or of an onlooker. `is_asking` is set once the question was shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True)
    ]

    def __init__(self, hands: Hands, rings: bool = True) -> None:
        super().__init__(Stage())
        self.hands, self.rings = hands, rings
        self._watched = True
        self.is_asking = False
        self._beating = False
        self._usual: bool | None = None

    def furnish(self, settings: Settings, bell: bool) -> None:
        """Apply the person's stored settings. `bell` is whether the command allows the bell."""
        self.rings = bell and settings.bell is not False
        self.stage.staged = settings.staged is not False
        self.theme = LIGHT if settings.light else DARK

    # Display

    def compose(self) -> ComposeResult:
        """Show the board, and over its end the phrases and the line for chat, hidden at first."""
        yield from super().compose()
        talk = Input(max_length=MOST_TALK, id="talk")
        listed = Static(id="phrases")
        talk.display = listed.display = False
        yield Vertical(listed, talk, id="talking")

    def remark(self, words: str) -> None:
        """Add a line to the log of this screen alone."""
        self.stage.hear(Remark(words))
        self.redraw()

    # Updates

    def hear(self, update: Update) -> None:
        """Take in an update, and begin to show what it reveals."""
        now = self.stage.scene.clock if self.stage.scene.is_clock_of_step else None
        # With little time left, nothing may keep the question from being seen.
        if now is not None and is_late(now):
            self.stage.hurry()
        self.stage.hear(update)
        if isinstance(update, Started):
            # Whoever has waited for the last seat elsewhere is called before the first choice.
            self._ring(N_("► the table is complete"))
            self.desk.has_replied = False
            if self.desk.autopilot:
                self._hand_over(False)  # A person plays the next game again.
        if self.stage.is_revealing and not self._beating:
            self._beating = True
            self._next_beat()
        if self.stage.alarm is not None:
            self.call_later(self.show_alarm)
        self.call_later(self.redraw)

    def _next_beat(self) -> None:
        """Show the next part of a reveal (its next beat), and set a timer for the one after it."""
        seconds = self.stage.advance()
        if seconds > 0:
            self.set_timer(seconds, self._next_beat)
        else:
            self._beating = False
        self.redraw()

    def ask(self, view: View, kind: rules.Kind, again: bool) -> None:
        """Open a question."""
        if self.stage.names is not None:
            self.stage.hear(Choosing(view, kind, again))  # The question before may have closed it.
            self.desk.menu = menu(view, kind, self.stage.names, again)
            # A key that was typed for what was shown before must not answer.
            self.is_asking = False
            self.call_after_refresh(self._question_shown)
            self._ring()
        self.redraw()

    def on_mount(self) -> None:
        """Let keys answer a question that was opened behind a page, once the page is closed."""
        self.screen_change_signal.subscribe(
            self, lambda _screen: self.call_after_refresh(self._question_shown)
        )

    def _question_shown(self) -> None:
        """Let keys answer the open question, unless a page lies over it."""
        if self.desk.menu is not None and len(self.screen_stack) == 1:
            self.is_asking = True

    def close_question(self, view: View) -> None:
        """Close a question. If another question has replaced it, that question stays open."""
        self.stage.withdraw(view)
        if self.desk.menu is not None and self.desk.menu.view is not view:
            return
        self.is_asking = False
        self.desk.menu = None
        self.stage.close_question()
        self.redraw()

    def ask_plainly(self, words: str, usual: bool | None = None) -> None:
        """Ask a question with yes or no, or change the words of the open one. "" closes it.

        `usual` is the answer that Enter means once the question is on the screen.
        """
        if words and not self.desk.answers:
            self._ring()
            self.call_after_refresh(self._let_enter_mean, usual)
        if not words:
            self._usual = None
        self.desk.answers = words
        self.redraw()

    def _let_enter_mean(self, usual: bool | None) -> None:
        if self.desk.answers:
            self._usual = usual

    def explain(self, words: str) -> None:
        """Show an explanation of the lesson until Enter is typed. "" removes it."""
        self.desk.lesson = words
        self.redraw()

    def _ring(self, why: str = N_("► your turn")) -> None:
        """Ring, and set the title to what the person is called for, unless somebody looks."""
        if self.rings and not self._watched:
            self.bell()
        self._entitle(_(why) if not self._watched else "")

    def _entitle(self, why: str) -> None:
        """Set the title of the terminal's window by an escape sequence. "" clears it."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(f"\x1b]2;{why} · {self.TITLE}\x07" if why else "\x1b]2;\x07")

    def on_app_blur(self) -> None:
        """Note that the window has lost the focus."""
        self._watched = False

    def on_app_focus(self) -> None:
        """Note that the window has the focus."""
        self._watched = True
        self._entitle("")

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Run the action of a key. During a reveal most other keys than those of pages hurry it."""
        if len(self.screen_stack) > 1:
            await self.key_over_a_page(event)
            self.redraw()
            return
        if self.query_one("#talk", Input).display:
            if event.key == "escape":
                self._close_talk()
            return
        event.prevent_default()
        key = key_of(event)
        action = KEYS.get(key.lower()) or KEYS.get(event.key)
        if self.stage.is_revealing and not (action or "").startswith(DURING_A_REVEAL):
            self.action_hurry()
            return
        yes = self._yes_of(key)
        if event.key == "enter" and self.desk.answers and not self.desk.hint:
            yes = self._usual
        if yes is not None:
            self.action_reply(yes)
            self.redraw()
            return
        if action is not None:
            await self.run_action(action)
            self.redraw()

    def _yes_of(self, key: str) -> bool | None:
        """Return what a key answers to the open question with yes or no, None for nothing."""
        return yes_or_no(key, None) if self.desk.answers else None

    def over_a_page(self, key: str) -> str | None:
        """Return the action of a key. Besides those of pages, a key may answer a question."""
        if (yes := self._yes_of(key)) is not None:
            return f"reply({yes})"
        found, number = self.desk.menu, NUMBERS.get(key, 0)
        if found is not None and found.has(number) and self._hears:
            return KEYS[key]
        return super().over_a_page(key)

    # Actions of keys and clicks

    def action_hurry(self) -> None:
        """Show everything that waits to be revealed, all at once."""
        self.stage.hurry()
        self.redraw()

    def action_reply(self, yes: bool) -> None:
        """Answer the open question with yes or no."""
        self.desk.answers, self.desk.has_replied, self._usual = "", True, None
        self.hands.reply(yes)

    def action_choose(self, how: str, *number: int) -> None:
        """Call a method of the open `Menu` by its name, such as `pick` or `toggle`."""
        if self.desk.menu is not None and self._hears:
            getattr(self.desk.menu, how)(*number)

    def action_seal(self) -> None:
        """Do what Enter does now: seal the choice, go on in a lesson, come back, or leave."""
        found = self.desk.menu
        if self.desk.hint:
            self.hands.leave()
        elif self.desk.lesson and not self.stage.is_revealing:
            self.desk.lesson = ""
            self.hands.reply(True)
        elif self.stage.scene.is_away:
            self.hands.come_back()
        elif found is not None and self._hears:
            found.complaint = found.why_not()
            choice = found.choice
            if not found.complaint and choice is not None:
                # Closed first, so that a second Enter cannot answer again.
                self.desk.menu = None
                self.hands.answer(choice, found.view)

    async def action_bot(self) -> None:
        """Take the seat back from the bot, or open the menu to give the seat to a bot."""
        if self.desk.autopilot:
            self._hand_over(False)
        elif self.desk.lesson is None:
            await self.action_menu("bot")

    def _hand_over(self, to_bot: bool) -> None:
        """Give the seat to a bot, or take it back."""
        self.desk.autopilot = to_bot
        self.hands.hand_over(to_bot)
        if to_bot:
            self.desk.menu = None
        self.redraw()

    def action_wait(self) -> None:
        """Ask for more time for the awaited seats."""
        self.hands.wait_longer()

    # Chat

    def action_talk(self) -> None:
        """Open the line for chat, and above it the phrases with their numbers."""
        field, listed = self.query_one("#talk", Input), self.query_one("#phrases", Static)
        shown = phrases(self.size.width - 2)
        listed.update(content_of(shown, not self.current_theme.dark))
        listed.display = True
        field.placeholder = _("say something, or the number of a phrase, 1 to {most}").format(
            most=len(PHRASES)
        )
        field.display = True
        field.focus()

    def _close_talk(self) -> None:
        """Close the line for chat."""
        self.query_one("#phrases", Static).display = False
        field = self.query_one("#talk", Input)
        field.value, field.display = "", False
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send the chat message that was typed."""
        words = event.value.strip()
        self._close_talk()
        if words:
            self.hands.talk(meant(words))

    # Menu

    async def action_interrupt(self) -> None:
        """Open the menu at the first Ctrl-C, and leave at the second."""
        if isinstance(self.screen, Choices):
            self.screen.dismiss("leave")
        else:
            await self.action_menu()

    @property
    def _hears(self) -> bool:
        """True if the open question can be seen, so that a key may answer it."""
        is_seen = not is_small(self.size.width, self.size.height)
        return self.is_asking and is_seen and not self.stage.is_revealing

    async def action_menu(self, first: str = "") -> None:
        """Open the menu with the entry `first` highlighted, or close it if it is open."""
        if self.desk.hint:
            self.hands.leave()
            return
        if isinstance(self.screen, Choices):
            self.screen.dismiss("")
            return
        shown = options(self.stage, self.desk, self.rings)
        await self.push_screen(Choices(_("Menu"), shown, first), self._chosen)

    def _chosen(self, name: str | None) -> None:
        """Do what was chosen in the menu, by the name of the entry, such as `leave` or `mute 2`."""
        word, _space, number = (name or "").partition(" ")
        if word == "leave":
            self.hands.leave()
        elif word == "bot":
            self._hand_over(not self.desk.autopilot)
        elif word == "pace":
            self.stage.hurry()
            self.stage.staged = not self.stage.staged
        elif word == "bell":
            self.rings = not self.rings
        elif word == "theme":
            self.theme = LIGHT if self.current_theme.dark else DARK
        elif word == "mute":
            self.desk.muted ^= {int(number)}
        if word in ("pace", "bell", "theme"):
            self.hands.keep(not self.current_theme.dark, self.rings, self.stage.staged)
        self.redraw()
