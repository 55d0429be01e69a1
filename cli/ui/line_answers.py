"""What a person may type as an answer, and how a line is read as one."""

from __future__ import annotations

from collections.abc import Callable

from p2p_hoity import rules

from ..words.cards import Names
from ..words.choices import Question, own_pieces, own_slots
from ..words.lingo import _
from ..words.refusals import choose_again

Say = Callable[[str], None]


def offered(question: Question, view: rules.View, kind: rules.Kind, names: Names) -> list[str]:
    """The numbered options, and for an exhibit how to pick one's own."""
    lines = [f"  {number}  {option.words}" for number, option in enumerate(question.options, 1)]
    if kind == "exhibit":
        text = _("  p  your own pick, as in: p 1 2 4, of {pieces}")
        lines.append(text.format(pieces=own_pieces(view, names)))
    return lines


def read(
    line: str, question: Question, view: rules.View, kind: rules.Kind, say: Say
) -> rules.Choice | None:
    """The value a line stands for; None, and why is said, if it is no answer."""
    if kind == "exhibit" and line.lower().startswith("p"):
        return _picked(line[1:], view, say)
    most = len(question.options)
    if line.isdecimal() and 1 <= int(line) <= most:
        return question.options[int(line) - 1].value
    say(_("A number from 1 to {most}, please; ? helps.").format(most=most))
    return None


def _picked(text: str, view: rules.View, say: Say) -> rules.Choice | None:
    slots, words = own_slots(view), text.replace(",", " ").split()
    if not all(word.isdecimal() and 1 <= int(word) <= len(slots) for word in words):
        say(_("Numbers from 1 to {most}, please.").format(most=len(slots)))
        return None
    choice = tuple(sorted({slots[int(word) - 1] for word in words}))
    try:
        view.check("exhibit", choice)
    except rules.IllegalMove as error:
        say(choose_again(error.code, error.fields))
        return None
    return choice
