"""The exit codes of the program, and how errors are reported to a person or a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """An error that tells the player, in one line or several, what happened and what to do next.

    Attributes:
        code: The word by which programs recognize the error.
        fields: The details of the error by their names, for programs.
    """

    def __init__(
        self,
        words: str | Sequence[str],
        exit_code: int = NOT_OK,
        code: str = "refused",
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        lines = (words,) if isinstance(words, str) else words
        # Each line is escaped by itself, so that no name or path in it can add a line.
        super().__init__("\n".join(map(shown, lines)))
        self.exit_code, self.code, self.fields = exit_code, code, dict(fields or {})


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Find the exceptions in a group, at any depth, or the exception itself if it is no group."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def interrupted(error: BaseException) -> bool:
    """Return whether an error is, or contains, the KeyboardInterrupt that Ctrl-C raises."""
    return any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(error))


@contextmanager
def ctrl_c_means(words: Callable[[], str]) -> Iterator[None]:
    """Turn Ctrl-C inside the context, even in exception groups, into a Trouble with these words.

    Raises:
        Trouble: If Ctrl-C is typed. Only then are the words asked for.
    """
    try:
        yield
    except (KeyboardInterrupt, BaseExceptionGroup) as error:
        if not interrupted(error):
            raise
        raise Trouble(words(), INTERRUPTED) from error


@dataclass(frozen=True)
class ToldError:
    """The report of an error, both for people and for programs.

    Attributes:
        code: A word by which programs recognize the error, such as `interrupted`.
        fields: The details of the error by their names, for programs.
    """

    words: str
    exit_code: int
    code: str
    fields: dict[str, Any] = field(default_factory=dict)


def told(error: BaseException) -> ToldError:
    """Return the report of an error, in a group that of the first error that has a message.

    An error without one is a bug in the program.
    """
    # First, because the other errors of a group may come of the Ctrl-C.
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
    """Return the report of an error that is no bug of this program, or else None."""
    from .words.error_sentences import as_json, of_system, sentence

    if isinstance(leaf, Trouble):
        return ToldError(str(leaf), leaf.exit_code, leaf.code, leaf.fields)
    if isinstance(leaf, coded_errors.CodedError):
        reason = as_json(leaf.reason)
        notes = filter(None, getattr(leaf, "__notes__", ()))
        words = "\n".join(map(shown, (sentence(leaf.reason), *notes)))
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
    """Print an error on the standard error, if wanted also as JSON on the standard output."""
    found = told(error)
    for line in f"hoity: {found.words}".split("\n"):
        complain(line)
    if as_json:
        write_error(found)
    return found.exit_code


def write_error(found: ToldError) -> None:
    """Print an error as JSON on the standard output."""
    told_so = {"code": found.code, "fields": found.fields}
    write_line({"type": "error", **told_so, "words": found.words, "exit": found.exit_code})


def show_where(error: BaseException) -> int:
    """Print the traceback of an error on the standard error. Return the exit code of the error."""
    complain_as_set("".join(format_exception(error)).splitlines())
    return told(error).exit_code
