"""The menu of an open question: the choices, what is picked so far, and what Enter would seal.

No single key seals a choice: the player picks something first, and Enter seals it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from p2p_hoity import rules
from p2p_hoity.rules import Choice, View, theft_options

from ..words.board_text import own_slots
from ..words.card_names import Names, grid, run_letters
from ..words.choice_names import ordered, sealing
from ..words.choice_notes import note
from ..words.refusals import refusal
from ..words.translation import _

BEST = 9
"""The number of the best exhibits that a digit can pick."""


@dataclass(frozen=True)
class Entry:
    """An entry of the menu.

    Attributes:
        note: What the choice would bring. "" if there is nothing to say.
    """

    words: str
    note: str
    value: Choice


@dataclass
class Menu:
    """The menu of one question.

    Attributes:
        again: Whether the player is asked again because an earlier choice, which others may have
            seen, no longer counts.
        entries: The choices to pick from. For an exhibit these are the best ones, for a theft none.
        cursor: The index of the entry that is picked. None if no entry is picked.
        picked: The slots (positions in the deck) of the pieces that are marked.
        at: The index in `slots` of the piece at the pointer.
        complaint: The message about the last key. "" if there is none.
        slots: The slots of the pieces that can be marked, in the order of the screen.
    """

    view: View
    kind: rules.Kind
    names: Names
    again: bool = False
    entries: tuple[Entry, ...] = ()
    cursor: int | None = None
    picked: frozenset[int] = frozenset()
    at: int = 0
    complaint: str = ""
    slots: tuple[int, ...] = field(default=())

    @property
    def is_builder(self) -> bool:
        """True if the choice is made by marking pieces, as for an exhibit or a theft."""
        return self.kind in ("exhibit", "theft")

    # Picking

    def has(self, number: int) -> bool:
        """Return whether an entry has a number.

        Args:
            number: The number, from 1.

        Returns:
            Whether there is such an entry.
        """
        return 1 <= number <= len(self.entries)

    def pick(self, number: int) -> None:
        """Pick an entry, or complain if there is none with this number.

        Args:
            number: The number, from 1.
        """
        if not self.has(number):
            self.complaint = _("No answer has the number {number}.").format(number=number)
        else:
            self.cursor, self.complaint = number - 1, ""
            value = self.entries[number - 1].value
            if self.kind == "exhibit" and isinstance(value, tuple):
                self.picked = frozenset(value)

    def pick_window(self, window: int) -> None:
        """Pick a window of the Auction Hall, if the open question is which window to buy from.

        Args:
            window: The window, 0 or 1.
        """
        values = [entry.value for entry in self.entries]
        if self.kind == "window" and window in values:
            self.pick(values.index(window) + 1)

    def move(self, step: int) -> None:
        """Pick the entry below or above the one that is picked.

        Args:
            step: 1 for the entry below, -1 for the entry above.
        """
        if not self.entries:
            return
        start = -1 if step > 0 else 0
        now = start if self.cursor is None else self.cursor
        self.pick((now + step) % len(self.entries) + 1)

    def walk(self, step: int) -> None:
        """Move the pointer to the next Collectible or to the previous one.

        Args:
            step: 1 for the next Collectible, -1 for the previous one.
        """
        if self.slots:
            self.at = (self.at + step) % len(self.slots)

    def toggle(self) -> None:
        """Mark the piece at the pointer, or unmark it if it is marked.

        In a theft the pointer then moves to the next exhibit.
        """
        if self.slots:
            self.mark(self.slots[self.at])
        if self.kind == "theft":
            self.go_on()

    def go_on(self) -> None:
        """Move the pointer to the next exhibit in which no piece is marked, if there is one."""
        if (lacking := self._lacking()) is not None:
            self.at = self.slots.index(lacking[1])

    def mark(self, slot: int) -> None:
        """Mark a piece, or unmark it if it is marked.

        In a theft the mark moves to this piece from any other piece of the same exhibit.

        Args:
            slot: The slot (position in the deck) of the piece.
        """
        if slot not in self.slots:
            return
        self.at, self.cursor, self.complaint = self.slots.index(slot), None, ""
        if self.kind == "theft":
            group = next(found for found in theft_options(self.view.state) if slot in found)
            self.picked = (self.picked - set(group)) | {slot}
        else:
            self.picked ^= {slot}

    def _unmarked(self) -> dict[int, tuple[int, ...]]:
        """Return, by seat, the deck slots of each exhibit that has no piece marked for a theft."""
        shown = enumerate(self.view.state.exhibits)
        return {seat: found for seat, found in shown if found and not self.picked & set(found)}

    def _lacking(self) -> tuple[int, int] | None:
        """Find the next exhibit, from the pointer on, in which no piece is marked.

        Returns:
            The exhibit's seat and one of its deck slots. None if each exhibit has a marked piece.
        """
        ahead = (*self.slots[self.at :], *self.slots[: self.at])
        unmarked = self._unmarked().items()
        return next(((seat, s) for s in ahead for seat, found in unmarked if s in found), None)

    # Result

    @property
    def choice(self) -> Choice | None:
        """The choice that Enter would seal, or None if too little is picked or marked."""
        if self.kind == "exhibit":
            return tuple(sorted(self.picked)) or None
        if self.kind == "theft":
            return self._theft()
        return None if self.cursor is None else self.entries[self.cursor].value

    def _theft(self) -> Choice | None:
        """Return the deck slots that a theft takes, or None if an exhibit has no marked piece."""
        if self._unmarked():
            return None
        groups = theft_options(self.view.state)
        return tuple(slot for group in groups for slot in group if slot in self.picked)

    @property
    def verdict(self) -> str:
        """The words about the marked pieces: what they are worth, or why they are no legal choice.

        Empty for a choice that is not made by marking pieces.
        """
        if self.kind == "exhibit":
            if not self.picked:
                return _("nothing marked yet")
            slots = tuple(sorted(self.picked))
            try:
                self.view.check("exhibit", slots)
            except rules.IllegalMove as error:
                return f"{_letters(self.view, slots)}: {refusal(error.code, error.fields)}"
            return sealing(self.view, "exhibit", slots, self.names)
        if self.kind == "theft":
            taken = self._theft()
            if taken is None:
                here = sealing(self.view, self.kind, (self.slots[self.at],), self.names)
                return _("mark one piece of every exhibit; here: {piece}").format(piece=here)
            pieces = sealing(self.view, self.kind, taken, self.names)
            return _("your Thief takes {pieces}").format(pieces=pieces)
        return ""

    def why_not(self) -> str:
        """Return why the player cannot confirm a choice with Enter yet.

        Returns:
            The reason, or "" if Enter would confirm a choice.
        """
        choice = self.choice
        if self.kind == "theft" and self.picked and (lacking := self._lacking()) is not None:
            who = self.names.seat(lacking[0])
            return _("Not marked yet: a piece of {who}.").format(who=who)
        if choice is None and self.is_builder:
            return _("Nothing is marked yet: Space marks the piece at the cursor.")
        if choice is None:
            return _("Nothing is picked yet.")
        try:
            self.view.check(self.kind, choice)
        except rules.IllegalMove as error:
            return refusal(error.code, error.fields)
        return ""


def menu(view: View, kind: rules.Kind, names: Names, again: bool = False) -> Menu:
    """Return the menu of a question, with its choices.

    Args:
        again: Whether the player is asked again because an earlier choice, which others may have
            seen, no longer counts.

    Returns:
        The menu. For a theft, the last Collectible of an exhibit is already marked, since nothing
        else can be taken from that exhibit.
    """
    found = Menu(view, kind, names, again)
    legal = ordered(view, kind)
    if kind == "exhibit":
        found.entries = tuple(Entry(_letters(view, c), "", c) for c in legal[:BEST])
        found.slots = _as_shown(view, own_slots(view))
    elif kind == "theft":
        groups = theft_options(view.state)
        found.slots = _as_shown(view, [slot for group in groups for slot in group])
        found.picked = frozenset(group[0] for group in groups if len(group) == 1)
        found.go_on()
    else:
        for choice in legal:
            words = sealing(view, kind, choice, names)
            told = words[:1].upper() + words[1:]
            found.entries += (Entry(told, note(view, kind, choice, names), choice),)
    return found


def _as_shown(view: View, slots: Sequence[int]) -> tuple[int, ...]:
    """Return slots (positions of the deck) in the order of their Collectibles on the screen."""
    shown = [mark.slot for row in grid(view).rows for cell in row.cells for mark in cell]
    return tuple(slot for slot in shown if slot in slots)


def _letters(view: View, choice: Choice) -> str:
    """Return the letters of a choice of pieces, such as `AABC`."""
    slots = choice if isinstance(choice, tuple) else ()
    return run_letters(view.piece(slot).letter for slot in slots)
