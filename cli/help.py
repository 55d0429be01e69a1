"""Help and complaints about the command line in the language spoken, at any width."""

from __future__ import annotations

import functools
from difflib import get_close_matches
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from . import printing
from .exit_codes import INTERRUPTED, USAGE, Trouble
from .option_groups import GROUPS, MANY, OTHERS, heading_of
from .words.commands import as_typed, command_line
from .words.translation import N_, _
from .words.usage import NoSuchCommand, SpareWords, UsageError, complaint

METAVARS: Final = frozenset({N_("[OPTIONS]"), N_("COMMAND [ARGS]...")})
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
        """Write the options, under several headings if there are many."""
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*GROUPS, OTHERS)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                rows[heading_of(param.name or "")].append(record)
        if sum(map(len, rows.values())) < MANY:
            super().format_options(ctx, formatter)
            return
        for heading, records in rows.items():
            if records:
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
