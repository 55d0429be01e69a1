"""The help texts, and the errors about a mistyped command line, in the chosen language."""

from __future__ import annotations

import functools
import re
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
"""Typer's error for words that it does not understand. Its module differs between versions."""
LIBRARY: Final = sys.modules[UsageError.__module__]
NoSuchOption: Final[type[Any]] = LIBRARY.NoSuchOption
MissingParameter: Final[type[Any]] = LIBRARY.MissingParameter
BadOptionUsage: Final[type[Any]] = LIBRARY.BadOptionUsage


def complaint(error: Any) -> str:
    """Return what is wrong with a command line, for unknown errors in Typer's own English."""
    if isinstance(error, NoSuchOption):
        if not error.possibilities:
            return _("No such option: {option}").format(option=error.option_name)
        text = _("No such option: {option} (Possible options: {options})")
        options = ", ".join(sorted(error.possibilities))
        return text.format(option=error.option_name, options=options)
    if isinstance(error, BadOptionUsage):
        params = error.ctx.command.params if error.ctx is not None else []
        names = {name: param for param in params for name in (*param.opts, *param.secondary_opts)}
        text = _("Option {option} requires an argument.")
        if getattr(names.get(error.option_name), "is_flag", False):
            text = _("Option {option} does not take a value.")
        return text.format(option=repr(error.option_name))
    if not isinstance(error, typer.BadParameter):
        return str(error.format_message())
    bad: Any = error
    hint = bad.param_hint or bad.param.get_error_hint(bad.ctx)
    name = hint if isinstance(hint, str) else " / ".join(map(repr, hint))
    if isinstance(error, MissingParameter):
        return _missing(bad.param, name)
    return _("Invalid value for {name}: {why}").format(name=name, why=_wanted(bad))


def _missing(param: Any, name: str) -> str:
    """Return the message that a parameter is missing, and where the player finds its value."""
    is_argument = param.param_type_name == "argument"
    text = _("Missing argument {name}.") if is_argument else _("Missing option {name}.")
    told = text.format(name=name)
    if param.name in ("game", "file", "files"):
        return told + " " + _("`hoity games` lists your games.")
    if param.name == "ticket":
        words = _(
            "The host's `{hoity} host` prints it; `hoity tables` lists the tables of this LAN."
        )
        return told + " " + words.format(hoity=INSTALLED)
    return told


def _wanted(error: Any) -> str:
    """Return which values a parameter takes, from Typer's error about a wrong one."""
    kind = error.param.type
    if isinstance(error, NoSeconds):
        return _("a number of seconds is needed")
    if getattr(kind, "choices", None):
        choices = [str(getattr(choice, "value", choice)) for choice in kind.choices]
        return _("one of {choices} is needed").format(choices=", ".join(choices))
    if getattr(kind, "min", None) is not None and kind.max is not None:
        return _("a number from {least} to {most} is needed").format(least=kind.min, most=kind.max)
    if isinstance(kind, type(LIBRARY_INT)):
        return _("a whole number is needed")
    return str(error.message)


LIBRARY_INT: Final = sys.modules[UsageError.__module__.rpartition(".")[0] + ".types"].INT
METAVARS: Final = frozenset({N_("[OPTIONS]"), N_("COMMAND [ARGS]...")})
PLACEHOLDERS: Final = frozenset(
    {
        N_("CODE"),
        N_("FILE"),
        N_("FOLDER"),
        N_("GAME"),
        N_("LEVELS"),
        N_("NAME"),
        N_("NICK"),
        N_("SECONDS"),
        N_("SHELL"),
        N_("TICKET"),
    }
)
"""The words that stand for a value on a command line, such as GAME in `GAME|FILE`."""
SEVERAL: Final = 3
"""The number of headings from which on a help text is divided by them."""
READERS: Final = 100
"""The greatest width of a help text, in columns. Wider text is hard to read."""


def _path(context: Any) -> str:
    """Return the command of a context as the player types it here, such as `hoity id new`."""
    _program, *words = context.command_path.split()
    return command_line(*words)


class _Narrow:
    """A base class of commands whose help texts fit the terminal, with translated headings."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the line of the help that shows how the command is typed."""
        # Every subclass has a command of the library as a second base.
        pieces = " ".join(self.collect_usage_pieces(ctx))  # type: ignore[attr-defined]
        pieces = pieces.replace("{", "").replace("}", "")
        formatter.write_usage(_path(ctx), pieces, prefix=_("Usage") + ": ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole help text. Its first column has at most a third of the width."""
        column = max(10, min(30, formatter.width // 3))
        formatter.write_dl = functools.partial(formatter.write_dl, col_max=column)
        # That of the second base, the library's command.
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help(self, ctx: Any) -> str:
        """Return the whole help text, made safe for printing."""
        # That of the second base, the library's command.
        lines = super().get_help(ctx).splitlines()  # type: ignore[misc]
        return "\n".join(map(printing.shown, lines))


class SpokenCommand(_Narrow, TyperCommand):
    """A command with help and errors in the chosen language."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, under their headings if there are at least `SEVERAL`."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            last = next(reversed(rows)) if len(rows) > 1 else "Options"
            heading = getattr(param, "rich_help_panel", None) or last
            if param.param_type_name == "argument":
                heading = "Arguments"
            rows.setdefault(heading, []).append(record)
        found = [(heading, records) for heading, records in rows.items() if records]
        if len(found) < SEVERAL:
            super().format_options(ctx, formatter)
            return
        for heading, records in found:
            with formatter.section(_(heading)):
                formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command, of which none may be left over.

        Raises:
            UsageError: If words are left over.
        """
        # Otherwise the library itself reports surplus words, in English.
        ctx.allow_extra_args = True
        surplus = super().parse_args(ctx, args)
        if surplus:
            words = _("Got unexpected extra argument(s) ({words})")
            raise UsageError(words.format(words=" ".join(surplus)), ctx)
        return surplus


class SpokenGroup(_Narrow, TyperGroup):
    """A group of commands, with errors in the chosen language and its own exit code for Ctrl-C."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name and the command that the first word names, and the other words.

        Raises:
            UsageError: If there is no command of this name.
        """
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            if type(error) is not UsageError:
                raise
            told = _("No such command {name!r}.").format(name=args[0])
            if alike := ", ".join(map(repr, get_close_matches(args[0], self.commands))):
                told = _("{complaint} Did you mean {name}?").format(complaint=told, name=alike)
            raise UsageError(told, ctx) from error

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            Trouble: If Ctrl-C is typed.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Trouble(_("Interrupted."), INTERRUPTED) from error


def translate(command: Any) -> None:
    """Translate the help of a command in place, and of all commands in it if it is a group.

    In examples, commands are written as they are typed on this computer.
    """
    for name in ("help", "short_help", "options_metavar", "subcommand_metavar"):
        if getattr(command, name, None):
            setattr(command, name, _(getattr(command, name)))
    if command.epilog:
        word, colon, example = command.epilog.partition(": ")
        if word == "Example":
            command.epilog = _("Example") + colon + as_typed(_in_language(example))
        else:
            command.epilog = _(command.epilog)
    helping = command.get_help_option(typer.Context(command))
    for parameter in (*command.params, helping):
        if getattr(parameter, "help", None):
            parameter.help = _(parameter.help)
        if parameter.metavar:
            parameter.metavar = _in_language(parameter.metavar)
    for inner in getattr(command, "commands", {}).values():
        translate(inner)


def _in_language(words: str) -> str:
    return re.sub("[A-Z]+", lambda word: _(word[0]) if word[0] in PLACEHOLDERS else word[0], words)


def complain(error: Any) -> int:
    """Print what is wrong with a command line, and which command shows the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        printing.complain_as_set(error.format_message().splitlines())
        return USAGE
    context = getattr(error, "ctx", None)
    if context is not None:
        printing.complain_as_set(context.get_usage().splitlines())
        printing.complain_as_set([_("Help: {command} --help").format(command=_path(context)), ""])
    printing.complain(f"hoity: {complaint(error)}")
    return USAGE
