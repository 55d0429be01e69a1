"""The menu of an open question: the choices, what is picked so far, and what Enter would seal.

No single key seals a choice: the player picks something first, and Enter seals it. A slot is a
position in the deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from p2p_hoity import rules
from p2p_hoity.rules import Choice, View, theft_options

from ..words.board_text import own_slots
from ..words.card_names import Names, grid, run_letters
from ..words.choice_names import from_whom, ordered, sealing
from ..words.choice_notes import note
from ..words.refusals import refusal
from ..words.translation import _

NAMED = 2
"""The most pieces of a theft whose names are shown in full. More would leave no room for notes."""
BEST = 9
"""The number of the best exhibits that a digit can pick."""


@dataclass(frozen=True)
class Entry:
    """An entry of the menu. `note` says what the choice would bring, "" for nothing to say."""

    words: str
    note: str
    value: Choice


@dataclass
class Menu:
    """The menu of one question.

    Attributes:
        again: Whether an earlier choice, which others may have seen, no longer counts.
        entries: For an exhibit these are the best ones, for a theft there are none.
        cursor: The index of the entry that is picked. None if no entry is picked.
        picked: The slots of the pieces that are marked.
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
        """Return whether an entry has a number, from 1."""
        return 1 <= number <= len(self.entries)

    def pick(self, number: int) -> None:
        """Pick an entry by its number from 1, or complain if there is none."""
        if not self.has(number):
            self.complaint = _("No answer has the number {number}.").format(number=number)
        else:
            self.cursor, self.complaint = number - 1, ""
            value = self.entries[number - 1].value
            if self.kind == "exhibit" and isinstance(value, tuple):
                self.picked = frozenset(value)

    def pick_window(self, window: int) -> None:
        """Pick window 0 or 1 of the Auction Hall, if the question is from which one to buy."""
        values = [entry.value for entry in self.entries]
        if self.kind == "window" and window in values:
            self.pick(values.index(window) + 1)

    def move(self, step: int) -> None:
        """Pick the entry below (1) or above (-1) the one that is picked."""
        if not self.entries:
            return
        start = -1 if step > 0 else 0
        now = start if self.cursor is None else self.cursor
        self.pick((now + step) % len(self.entries) + 1)

    def walk(self, step: int) -> None:
        """Move the pointer to the next piece (1) or to the previous one (-1)."""
        if self.slots:
            self.at = (self.at + step) % len(self.slots)

    def toggle(self) -> None:
        """Mark or unmark the piece at the pointer. In a theft the pointer then moves on."""
        if self.slots:
            self.mark(self.slots[self.at])
        if self.kind == "theft":
            self.go_on()

    def go_on(self) -> None:
        """Move the pointer to the next exhibit in which no piece is marked, if there is one."""
        if (lacking := self._lacking()) is not None:
            self.at = self.slots.index(lacking[1])

    def mark(self, slot: int) -> None:
        """Mark or unmark a piece. In a theft only one piece of each exhibit is marked."""
        if slot not in self.slots:
            return
        self.at, self.cursor, self.complaint = self.slots.index(slot), None, ""
        if self.kind == "theft":
            group = next(found for found in theft_options(self.view.state) if slot in found)
            self.picked = (self.picked - set(group)) | {slot}
        else:
            self.picked ^= {slot}

    def _unmarked(self) -> dict[int, tuple[int, ...]]:
        """Return, by seat, the slots of each exhibit that has no piece marked for a theft."""
        shown = enumerate(self.view.state.exhibits)
        return {seat: found for seat, found in shown if found and not self.picked & set(found)}

    def _lacking(self) -> tuple[int, int] | None:
        """Find the next exhibit without a mark. Return its seat and one of its slots, else None."""
        ahead = (*self.slots[self.at :], *self.slots[: self.at])
        unmarked = self._unmarked().items()
        return next(((seat, s) for s in ahead for seat, found in unmarked if s in found), None)

    # Result

    @property
    def choice(self) -> Choice | None:
        """The choice that Enter would seal, None if too little is picked or marked."""
        if self.kind == "exhibit":
            return tuple(sorted(self.picked)) or None
        if self.kind == "theft":
            return self._theft()
        return None if self.cursor is None else self.entries[self.cursor].value

    def _theft(self) -> tuple[int, ...] | None:
        """Return the slots that a theft takes, None if an exhibit has no marked piece."""
        if self._unmarked():
            return None
        groups = theft_options(self.view.state)
        return tuple(slot for group in groups for slot in group if slot in self.picked)

    @property
    def verdict(self) -> str:
        """What the marked pieces are worth, or why they are not legal. "" for other choices."""
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
                here = sealing(self.view, self.kind, self._looked_at, self.names)
                return _("here: {piece}").format(piece=here)
            pieces = from_whom(self.view, taken, self.names)
            if len(taken) <= NAMED:
                pieces = sealing(self.view, self.kind, taken, self.names)
            return _("your Thief takes {pieces}").format(pieces=pieces)
        return ""

    @property
    def promise(self) -> str:
        """What the loot that is marked, or the piece at the pointer, would bring. "" otherwise."""
        if self.kind != "theft":
            return ""
        loot = self._theft() or self._looked_at
        return note(self.view, self.kind, loot, self.names)

    @property
    def _looked_at(self) -> tuple[int, ...]:
        return (self.slots[self.at],)

    def why_not(self) -> str:
        """Return why Enter cannot seal a choice yet, "" if it can."""
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
    """Return the menu of a question, with its choices."""
    found = Menu(view, kind, names, again)
    legal = ordered(view, kind)
    if kind == "exhibit":
        found.entries = tuple(Entry(_letters(view, c), "", c) for c in legal[:BEST])
        found.slots = _as_shown(view, own_slots(view))
    elif kind == "theft":
        groups = theft_options(view.state)
        found.slots = _as_shown(view, [slot for group in groups for slot in group])
        # From an exhibit of one piece nothing else can be taken.
        found.picked = frozenset(group[0] for group in groups if len(group) == 1)
        found.go_on()
    else:
        for choice in legal:
            words = sealing(view, kind, choice, names)
            told = words[:1].upper() + words[1:]
            found.entries += (Entry(told, note(view, kind, choice, names), choice),)
    return found


def _as_shown(view: View, slots: Sequence[int]) -> tuple[int, ...]:
    shown = [mark.slot for row in grid(view).rows for cell in row.cells for mark in cell]
    return tuple(slot for slot in shown if slot in slots)


def _letters(view: View, choice: Choice) -> str:
    """Return the letters of a choice of pieces, such as `AABC`."""
    slots = choice if isinstance(choice, tuple) else ()
    return run_letters(view.piece(slot).letter for slot in slots)
