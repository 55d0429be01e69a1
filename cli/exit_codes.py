"""Errors become words and an exit code here, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from traceback import format_exception
from typing import Any, Final

from p2p_hoity import coded_errors

from .printing import complain, complain_as_set, shown, write_line
from .words.translation import _

OK: Final = 0
NOT_OK: Final = coded_errors.NOT_OK
USAGE: Final = coded_errors.USAGE
NETWORK: Final = coded_errors.NETWORK
INTERRUPTED: Final = 130
READER_GONE: Final = 141


class Trouble(Exception):
    """Something to tell the player; the text says what happened and what to do next.

    One line, or several given as such: a line's end inside one is shown as what it is, so that no
    name or path can add a line of its own.
    """

    def __init__(self, words: str | Sequence[str], exit_code: int = NOT_OK) -> None:
        lines = (words,) if isinstance(words, str) else words
        super().__init__("\n".join(map(shown, lines)))
        self.exit_code = exit_code


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions inside a group, or the exception itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def interrupted(error: BaseException) -> bool:
    """Return whether Ctrl-C is among the causes."""
    return any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(error))


@contextmanager
def ctrl_c_means(words: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C inside, also out of trio's groups, becomes a Trouble with the words of that moment."""
    try:
        yield
    except (KeyboardInterrupt, BaseExceptionGroup) as error:
        if not interrupted(error):
            raise
        raise Trouble(words(), INTERRUPTED) from error


@dataclass(frozen=True)
class ToldError:
    """An error as it is told: in words, line by line, by its exit code, and to a program by a code
    with fields."""

    words: str
    exit_code: int
    code: str
    fields: dict[str, Any] = field(default_factory=dict)


def told(error: BaseException) -> ToldError:
    """Return what is told of an error, by the first of its causes that is known; an unknown one is
    the program's own mistake."""
    if interrupted(error):
        return ToldError(_("Interrupted."), INTERRUPTED, "interrupted")
    found = list(leaves(error))
    known = next(filter(None, map(_known, found)), None)
    if known is not None:
        return known
    words = _("This is a bug in the program: {kind}: {text}. {advice}")
    advice = _("A game can be resumed with `hoity resume`. --debug shows where the error happened.")
    kind = type(found[0]).__name__
    whole = shown(words.format(kind=kind, text=str(found[0]), advice=advice))
    return ToldError(whole, NOT_OK, "program-mistake", {"kind": kind})


def _known(leaf: BaseException) -> ToldError | None:
    """Return what is told of an error that has words or a code, or comes from the system."""
    from .words.error_sentences import as_json, of_system, sentence

    if isinstance(leaf, Trouble):
        return ToldError(str(leaf), leaf.exit_code, "refused")
    if isinstance(leaf, coded_errors.CodedError):
        reason = as_json(leaf.reason)
        words = shown(sentence(leaf.reason))
        return ToldError(words, leaf.code.exit_code, reason["code"], reason["fields"])
    if isinstance(leaf, OSError):
        where = f"{leaf.filename}: " if leaf.filename else ""
        words = _("The system reports an error: {what}.").format(what=f"{where}{of_system(leaf)}")
        fields = {"number": leaf.errno, "path": leaf.filename}
        return ToldError(shown(words), NOT_OK, "system-error", fields)
    if isinstance(leaf, MemoryError):
        return ToldError(
            _("This machine does not have enough memory for that."), NOT_OK, "no-memory"
        )
    return None


def report(error: BaseException, as_json: bool = False) -> int:
    """Say the error on standard error, to a program as an object on standard output too; the exit
    code.
    """
    found = told(error)
    for line in f"hoity: {found.words}".split("\n"):
        complain(line)
    if as_json:
        told_so = {"code": found.code, "fields": found.fields}
        whole = {"type": "error", **told_so, "words": found.words, "exit": found.exit_code}
        write_line(whole)
    return found.exit_code


def show_where(error: BaseException) -> int:
    """Say on standard error where the program was when the error came; the exit code."""
    complain_as_set("".join(format_exception(error)).splitlines())
    return told(error).exit_code
