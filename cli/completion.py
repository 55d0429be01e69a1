"""The completion by the shell: for the shell that is named, or else for the one that is found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer import _completion_shared as library
from typer._completion_classes import completion_init
from typer.completion import shell_complete

from . import printing
from .exit_codes import USAGE, Trouble
from .words.translation import INSTALLED, N_, _, command_line

INSTALL: Final = "--install-completion"
SHOW: Final = "--show-completion"
SHELLS: Final = tuple(shell.value for shell in library.Shells)
"""The shells for which the library has completion."""
VARIABLE: Final = "_HOITY_COMPLETE"
"""The environment variable that a shell sets when it calls the program to complete a word."""

ZSH_LINE: Final = b"fpath+=~/.zfunc; autoload -Uz compinit; compinit"
"""The line by which zsh finds the script, as the library writes it."""


def with_shell(words: Sequence[str]) -> list[str]:
    """Return a command line in which no option of completion lacks its shell: "" is the one in use.

    The library knows no option whose value may be left out.
    """
    if not words or words[0] not in (INSTALL, SHOW):
        return list(words)
    option, *rest = words
    shell = rest.pop(0) if rest and not rest[0].startswith("-") else ""
    return [f"{option}={shell}", *rest]


def _shell(named: str) -> str:
    """Return the shell for which completion is wanted ("" for the one in use), or raise Trouble."""
    shell = named.strip().lower() or library._get_shell_name() or ""
    if shell in SHELLS:
        return shell
    known = ", ".join(SHELLS)
    if not shell:
        words = _("It is not known which shell you use. Name it, as in: {command} (or {shells})")
        command = command_line(SHOW, SHELLS[0])
        raise Trouble(words.format(command=command, shells=known), USAGE)
    words = _("There is no completion for the shell {shell}, but for: {shells}")
    raise Trouble(words.format(shell=shell, shells=known), USAGE)


def _script(shell: str) -> str:
    return library.get_completion_script(prog_name=INSTALLED, complete_var=VARIABLE, shell=shell)


def _install_zsh() -> Path:
    """Install completion for zsh, and return the path of the script."""
    path = Path.home() / ".zfunc" / f"_{INSTALLED}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_script("zsh"), encoding="utf-8")
    # The library does not look at ZDOTDIR.
    settings = Path(os.environ.get("ZDOTDIR") or Path.home()) / ".zshrc"
    settings.parent.mkdir(parents=True, exist_ok=True)
    found = settings.read_bytes() if settings.exists() else b""
    lines = [] if ZSH_LINE in found else [ZSH_LINE]
    settings.write_bytes(b"\n".join((found.rstrip(b"\n"), *lines)).lstrip(b"\n") + b"\n")
    return path


def _install_fish() -> Path:
    """Install completion for fish, and return the path of the script."""
    # The library does not look at XDG_CONFIG_HOME.
    named = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(named) if os.path.isabs(named) else Path.home() / ".config"
    path = folder / "fish" / "completions" / f"{INSTALLED}.fish"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_script('fish')}\n", encoding="utf-8")
    return path


def install(ctx: typer.Context, named: str | None) -> None:
    """Install completion for a shell, and end. This is the callback of an option.

    Args:
        named: The shell. "" for the one in use, None if the option is not typed.

    Raises:
        Exit: At the end, because no command follows.
    """
    if named is None or ctx.resilient_parsing:
        return
    shell = _shell(named)
    own = {"zsh": _install_zsh, "fish": _install_fish}.get(shell)
    path = own() if own else library.install(shell, INSTALLED, VARIABLE)[1]
    words = _("Completion for {shell} is installed in {path}. It works in each new terminal.")
    if shutil.which(INSTALLED) is None:
        words = _(
            "Completion for {shell} is installed in {path}. It is for the command {program}, which "
            "is not installed yet. README.md says how to install it."
        )
    printing.say(words.format(shell=shell, path=path, program=INSTALLED))
    raise typer.Exit


def show(ctx: typer.Context, named: str | None) -> None:
    """Print the completion script of a shell, and end. `named` is as for `install`.

    Raises:
        Exit: At the end, because no command follows.
    """
    if named is None or ctx.resilient_parsing:
        return
    shell = _shell(named)
    printing.say_as_set(_script(shell).splitlines())
    raise typer.Exit


def complete(command: Any, instruction: str) -> int:
    """Answer a shell, whose question is in `VARIABLE`, how a word can be completed."""
    completion_init()
    return shell_complete(command, {}, INSTALLED, VARIABLE, instruction)


InstallOption = Annotated[
    str | None,
    typer.Option(
        INSTALL,
        metavar="[SHELL]",
        is_eager=True,
        callback=install,
        help=N_(
            "Install completion for the shell in use, or for the one that you name: bash, zsh, "
            "fish, powershell or pwsh."
        ),
    ),
]
ShowOption = Annotated[
    str | None,
    typer.Option(
        SHOW,
        metavar="[SHELL]",
        is_eager=True,
        callback=show,
        help=N_("Print the completion script of this shell, to install it yourself."),
    ),
]
