"""Complaints of the command-line library, by the class and attributes of its exceptions."""

from __future__ import annotations

import sys
from typing import Any, Final

import typer

from .commands import INSTALLED
from .translation import _

UsageError: Final[type[Any]] = typer.BadParameter.__mro__[1]
"""What the library raises for words it does not understand; by its child, because the module it
lies in differs between versions."""
LIBRARY: Final = sys.modules[UsageError.__module__]
NoSuchOption: Final[type[Any]] = LIBRARY.NoSuchOption
MissingParameter: Final[type[Any]] = LIBRARY.MissingParameter
BadOptionUsage: Final[type[Any]] = LIBRARY.BadOptionUsage


class SpareWords(UsageError):  # type: ignore[misc]
    """Words that a command has no use for."""

    def __init__(self, words: list[str], ctx: Any) -> None:
        super().__init__(repr(words), ctx)
        self.words = words


class NoSuchCommand(UsageError):  # type: ignore[misc]
    """A word that is no command; `alike` are some that it may have been meant for."""

    def __init__(self, word: str, alike: list[str], ctx: Any) -> None:
        super().__init__(repr(word), ctx)
        self.word, self.alike = word, alike


class NoSeconds(typer.BadParameter):
    """A number that is none of seconds."""


def missing(ctx: Any, name: str) -> Any:
    """The library's complaint that the argument of this name is missing."""
    (param,) = [one for one in ctx.command.params if one.name == name]
    return MissingParameter(ctx=ctx, param=param, param_hint="'TICKET'")


def complaint(error: Any) -> str:
    """What is wrong with the words of a command line; what the library has in a class that is not
    known here is said as it says it, in English."""
    for kind, say in SAYERS.items():
        if isinstance(error, kind):
            return str(say(error))
    return str(error.format_message())


def _spare(error: SpareWords) -> str:
    return _("Got unexpected extra argument(s) ({words})").format(words=" ".join(error.words))


def _no_command(error: NoSuchCommand) -> str:
    told = _("No such command {name!r}.").format(name=error.word)
    if not error.alike:
        return told
    names = ", ".join(map(repr, error.alike))
    return _("{complaint} Did you mean {name}?").format(complaint=told, name=names)


def _no_option(error: Any) -> str:
    if not error.possibilities:
        return _("No such option: {option}").format(option=error.option_name)
    text = _("No such option: {option} (Possible options: {options})")
    return text.format(option=error.option_name, options=", ".join(sorted(error.possibilities)))


def _option_usage(error: Any) -> str:
    """An option with a value though it is a switch, or without one though it is none."""
    params = error.ctx.command.params if error.ctx is not None else []
    names = {name: param for param in params for name in (*param.opts, *param.secondary_opts)}
    text = _("Option {option} requires an argument.")
    if getattr(names.get(error.option_name), "is_flag", False):
        text = _("Option {option} does not take a value.")
    return text.format(option=repr(error.option_name))


def _missing(error: Any) -> str:
    is_argument = error.param.param_type_name == "argument"
    text = _("Missing argument {name}.") if is_argument else _("Missing option {name}.")
    told = text.format(name=_name(error))
    if str(error.param.metavar).startswith("GAME"):
        return told + " " + _("`hoity games` lists your games.")
    if "TICKET" in str(error.param.metavar):
        words = _(
            "The host's `{hoity} host` prints it; `hoity tables` lists the tables of this LAN."
        )
        return told + " " + words.format(hoity=INSTALLED)
    return told


def _bad(error: Any) -> str:
    text = _("Invalid value for {name}: {why}")
    return text.format(name=_name(error), why=_wanted(error))


def _name(error: Any) -> str:
    hint = error.param_hint or error.param.get_error_hint(error.ctx)
    return hint if isinstance(hint, str) else " / ".join(map(repr, hint))


def _wanted(error: Any) -> str:
    """What such a parameter takes."""
    kind = error.param.type
    if isinstance(error, NoSeconds):
        return _("a number of seconds is needed")
    if getattr(kind, "choices", None):
        return _("one of {choices} is needed").format(choices=", ".join(_choices(kind)))
    if getattr(kind, "min", None) is not None and kind.max is not None:
        return _("a number from {least} to {most} is needed").format(least=kind.min, most=kind.max)
    if isinstance(kind, type(LIBRARY_INT)):
        return _("a whole number is needed")
    return str(error.message)


LIBRARY_INT: Final = sys.modules[UsageError.__module__.rpartition(".")[0] + ".types"].INT


def _choices(kind: Any) -> list[str]:
    return [str(getattr(choice, "value", choice)) for choice in kind.choices]


SAYERS: Final[dict[type[Any], Any]] = {
    SpareWords: _spare,
    NoSuchCommand: _no_command,
    NoSuchOption: _no_option,
    BadOptionUsage: _option_usage,
    MissingParameter: _missing,
    typer.BadParameter: _bad,
}
"""In this order: a missing parameter is a bad one to the library."""
