"""The `hoity` command: how it builds its subcommands, chooses its language and reports errors."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from p2p_hoity.installation import is_one_file
from p2p_hoity.shell_words import quoted

from . import completion, plain_letters, printing
from . import version as installed
from .commands import command_lines
from .exit_codes import (
    OK,
    READER_GONE,
    USAGE,
    ToldError,
    Trouble,
    leaves,
    report,
    show_where,
    write_error,
)
from .help import READERS, SpokenCommand, SpokenGroup, UsageError, complain, complaint, translate
from .local import settings
from .words import translation
from .words.translation import N_, NAMES, _

FUNCTIONS: Final = {name: name for name in NAMES} | {
    "id": "id_itself",
    "new": "id_new",
    "show": "id_show",
    "export": "id_export",
}
"""The function in `command_lines` for each command. Its docstring is the command's help."""
SAID: Final = {
    name: " ".join((getattr(command_lines, function).__doc__ or "").split())
    for name, function in FUNCTIONS.items()
}
"""The help and the example of each command. Both are empty if Python runs with `-OO`."""
HELP: Final = {name: said.partition(" Example: ")[0] for name, said in SAID.items()}
EXAMPLES: Final = {name: said.partition(" Example: ")[2] for name, said in SAID.items()}
ABOUT: Final = N_(
    "Hoity Toity among strangers, without a server that anybody has to trust. `hoity learn` "
    "explains a first round, `hoity play` is a game against bots, and `hoity host` opens a "
    "table for people. `hoity` alone, on a terminal, is a menu of all this."
)
LIBRARY_HELP: Final = (N_("Show this message and exit."),)
LANGUAGE: Final = "HOITY_LANG"
"""The environment variable for the language. `--lang` comes before it."""
EMPTY: Final = re.compile(r"(--[\w-]+=)?[\s\u200b-\u200f\u2060\ufeff]*")
"""The pattern of an empty word or value, which would mean this folder or the only game."""
GLOBAL_FLAGS: Final = N_(
    "For every command: --lang CODE (or HOITY_LANG in the environment), --debug. Exit codes: 0 "
    "ok, 1 game or transcript not ok, 2 wrong usage, 3 network failed, 130 interrupted."
)


def _version(wanted: bool) -> None:
    """Print the version of the program and end."""
    if wanted:
        source = _("run from its source, not installed")
        printing.say(f"hoity {installed() or f'({source})'}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help=N_("Print the version.")),
    ] = False,
    install: completion.InstallOption = None,
    show: completion.ShowOption = None,
) -> None:
    """Take the options that stand before any command."""


def build(first: str = "") -> typer.Typer:
    """Build the application with all commands, or only with the one that the first word names.

    Its help is still in English. Building commands is most of the work of a start.
    """
    app = _typer(help=ABOUT, epilog=GLOBAL_FLAGS)
    app.callback()(_root)
    for name in [first] if first in NAMES else NAMES:
        if name == "id":
            app.add_typer(_keys(), name=name)
        else:
            _add(app, name)
    return app


_PREPARED: Final = dict[str, Any]()
"""Commands that were built before they are typed."""


def prepare(name: str) -> None:
    """Build a command that copies of this process will run."""
    _PREPARED[name] = typer.main.get_command(build(name))


def _keys() -> typer.Typer:
    """Build the command group `hoity id`, whose commands are about the player's key."""
    keys = _typer(
        help=HELP["id"],
        short_help=HELP["id"],
        epilog=f"Example: {EXAMPLES['id']}",
        no_args_is_help=False,
        invoke_without_command=True,
    )
    keys.callback()(command_lines.id_itself)
    for name in ("new", "show", "export"):
        _add(keys, name)
    return keys


def _typer(**given: Any) -> typer.Typer:
    """Build a group of commands with this program's defaults, and `given` as further settings."""
    return typer.Typer(
        cls=SpokenGroup,
        rich_markup_mode=None,
        **{"add_completion": False, "no_args_is_help": True, **given},
    )


def _add(app: typer.Typer, name: str) -> None:
    words, example = HELP[name], f"Example: {EXAMPLES[name]}"
    function = getattr(command_lines, FUNCTIONS[name])
    app.command(name, cls=SpokenCommand, help=words, short_help=words, epilog=example)(function)


def _global_words(words: Sequence[str]) -> tuple[list[str], str | None, bool]:
    """Return the other words, the language of `--lang` or None, and whether `--debug` is typed."""
    rest: list[str] = []
    asked, debug, waiting = None, False, False
    for word in words:
        if waiting:
            asked, waiting = word, False
        elif word == "--lang":
            waiting = True
        elif word.startswith("--lang="):
            asked = word.partition("=")[2]
        elif word == "--debug":
            debug = True
        else:
            rest.append(word)
    return rest, "" if waiting else asked, debug


def _kept_language() -> str:
    """Return the language of HOITY_LANG, unchecked, or else the stored one or the locale's."""
    named = os.environ.get(LANGUAGE, "")
    return named.strip() or settings.load().language or translation.language_of(os.environ)


def run(words: Sequence[str]) -> int:
    """Run a command line, without the name of the program, and report every error."""
    rest, asked, debug = _global_words(words)
    try:
        translation.speak(_kept_language() if asked is None else asked, asked is not None)
    except ValueError as error:
        named = LANGUAGE if asked is None else "--lang"
        printing.complain(f"hoity: {named}: {error}")
        return USAGE
    try:
        code = _run(rest)
        sys.stdout.flush()
        return code
    except BaseException as error:  # noqa: BLE001 - here every error ends
        if any(isinstance(leaf, BrokenPipeError) for leaf in leaves(error)):
            # The reader of our output has gone, so nothing more is printed. The exit code is the
            # one of a shell in this case, because what was not read may not be ok.
            _to_nowhere()
            return READER_GONE
        try:
            # Otherwise the interpreter would try to write again as it ends what a full device has
            # not taken, and end with an exit code of its own.
            sys.stdout.flush()
        except OSError:
            _to_nowhere()
        if isinstance(error, UsageError):
            if "--json" in rest:
                write_error(ToldError(complaint(error), USAGE, "usage"))
            return complain(error)
        if debug and not isinstance(error, SystemExit):
            return show_where(error)
        return report(error, as_json="--json" in rest)


def _usual(words: Sequence[str]) -> list[str]:
    """Return a command line with the long words for `help`, `-h` and `-V`, which many people type.

    `-h` is read at the beginning and at the end only, since in between it may be a value.
    """
    if words[:1] == ["help"]:
        return [*words[1:2], "--help"]
    if words[:1] == ["-V"]:
        return ["--version"]
    found = list(words)
    for at in {0, len(found) - 1} if found else ():
        if found[at] == "-h":
            found[at] = "--help"
    return found


def _run(words: Sequence[str]) -> int:
    """Run a command line, and return its code. Typer's `main` has other messages and exit codes."""
    completing = completion.VARIABLE in os.environ
    if not (words or completing) and sys.stdin.isatty() and sys.stdout.isatty():
        from .commands.start_menu import show  # It loads more than help needs.

        return show(_run)
    if not completing:
        words = _usual(words)
        _check_words(words)
    first = words[0] if words and not completing else ""
    command = _PREPARED.get(first) or typer.main.get_command(build(first))
    columns = min(READERS, printing.width() or READERS)
    try:
        if completing:
            # One answer to fish is an exit code, which Typer gives by SystemExit.
            return completion.complete(command, os.environ[completion.VARIABLE])
        translate(command)
        whole = completion.with_shell(words)
        with command.make_context("hoity", whole, terminal_width=columns) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except SystemExit as end:  # Typer ends completion in this way.
        return end.code if isinstance(end.code, int) else OK
    return OK


def _check_words(words: Sequence[str]) -> None:
    """Raise Trouble if a word of a command line is empty."""
    before = "hoity"
    for word in words:
        if (found := EMPTY.fullmatch(word)) is not None:
            told = _("The word after {before} is empty. Is a variable of your shell not set?")
            raise Trouble(told.format(before=found[1] or before), USAGE)
        if word.startswith("-") or before == "hoity":  # Others may be long, such as tickets.
            before = word


def _to_nowhere() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the `hoity` command and end the process."""
    # A standard stream that is closed is replaced by the null device. Otherwise the next file that
    # is opened, a key or a journal, would take its number, and output would be written there.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    plain_letters.register()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=plain_letters.NAME)
    if is_one_file():  # It need not be on the path of programs, nor keep its name.
        os.environ.setdefault(translation.CALLED_AS, quoted(sys.argv[0]))
    os.environ["LANGUAGE"] = _global_words(sys.argv[1:])[1] or _kept_language()
    code = run(sys.argv[1:])
    gc.freeze()  # The interpreter would search all objects for cycles, several times.
    sys.exit(code)
