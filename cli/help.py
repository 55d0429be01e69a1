"""Help, and complaints about the words of a command line, in the language spoken, at any width."""

from __future__ import annotations

import functools
import sys
from difflib import get_close_matches
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from . import printing
from .commands.options import NoSeconds
from .exit_codes import INTERRUPTED, USAGE, Trouble
from .words.translation import INSTALLED, N_, _, as_typed, command_line

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


METAVARS: Final = frozenset({N_("[OPTIONS]"), N_("COMMAND [ARGS]...")})
SEVERAL: Final = 3
"""Headings from which on a help is divided."""
READERS: Final = 100
"""Columns: wider help is hard to read."""


def _path(context: Any) -> str:
    """Return the command whose words are read."""
    _program, *words = context.command_path.split()
    return command_line(*words)


class _Narrow:
    """Help that fits the terminal, under headings in the language spoken."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """The line of what can be typed."""
        pieces = " ".join(self.collect_usage_pieces(ctx))  # type: ignore[attr-defined]
        pieces = pieces.replace("{", "").replace("}", "")
        formatter.write_usage(_path(ctx), pieces, prefix=_("Usage") + ": ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The whole help; the first column takes a third of a narrow terminal at most."""
        column = max(10, min(30, formatter.width // 3))
        formatter.write_dl = functools.partial(formatter.write_dl, col_max=column)
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help(self, ctx: Any) -> str:
        """The whole help as the library prints it by itself: fit to be printed."""
        lines = super().get_help(ctx).splitlines()  # type: ignore[misc]
        return "\n".join(map(printing.shown, lines))


class SpokenCommand(_Narrow, TyperCommand):
    """A command."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, under their headings if these are several."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            panel = getattr(param, "rich_help_panel", None)
            heading = panel or next(reversed(rows), "Options")
            if param.param_type_name == "argument":
                heading = "Arguments"
            rows.setdefault(heading, []).append(record)
        if len(rows) < SEVERAL:
            super().format_options(ctx, formatter)
            return
        for heading, records in rows.items():
            with formatter.section(_(heading)):
                formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse its words; SpareWords if some are left over."""
        ctx.allow_extra_args = True
        spare = super().parse_args(ctx, args)
        if spare:
            raise SpareWords(spare, ctx)
        return spare


class SpokenGroup(_Narrow, TyperGroup):
    """A group of commands; Ctrl-C has its own exit code."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names; NoSuchCommand if there is none."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            if type(error) is not UsageError:
                raise
            raise NoSuchCommand(args[0], get_close_matches(args[0], self.commands), ctx) from error

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Trouble(_("Interrupted."), INTERRUPTED) from error


def translate(command: Any) -> None:
    """Put a command's help, and that of all below it, into the language spoken, and the commands in
    it into the words that are typed here."""
    for name in ("help", "short_help", "options_metavar", "subcommand_metavar"):
        if getattr(command, name, None):
            setattr(command, name, _(getattr(command, name)))
    if command.epilog:
        word, colon, example = command.epilog.partition(": ")
        known = word == "Example"
        command.epilog = _("Example") + colon + as_typed(example) if known else _(command.epilog)
    helping = command.get_help_option(typer.Context(command))
    for parameter in (*command.params, helping):
        if getattr(parameter, "help", None):
            parameter.help = _(parameter.help)
    for inner in getattr(command, "commands", {}).values():
        translate(inner)


def complain(error: Any) -> int:
    """Say what is wrong with the words of a command line, and where help is; the exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":
        printing.complain_as_set(error.format_message().splitlines())
        return USAGE
    context = getattr(error, "ctx", None)
    if context is not None:
        printing.complain_as_set(context.get_usage().splitlines())
        printing.complain_as_set([_("Help: {command} --help").format(command=_path(context)), ""])
    printing.complain(f"hoity: {complaint(error)}")
    return USAGE
