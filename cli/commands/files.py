"""The command lines without a table: verify, replay, id, rules and bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..words.lingo import N_
from . import options as opt

FilesArgument = Annotated[
    list[Path], typer.Argument(metavar="FILE…", help=N_("Transcripts of finished games."))
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help=N_("The transcript of a game."))]


def verify(files: FilesArgument, as_json: opt.JsonOption = False) -> None:
    """Check transcripts."""
    from .verify import verify_files

    raise typer.Exit(verify_files(files, as_json))


def replay(
    file: FileArgument,
    step: Annotated[
        bool, typer.Option("--step", help=N_("Wait for Enter after every round."))
    ] = False,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
) -> None:
    """Look at a game again."""
    from .replay import replay_file

    raise typer.Exit(replay_file(file, step, as_json, plain))


def rules(
    edition: opt.EditionOption = "uberplay-2004",
) -> None:
    """The rules in one screen."""
    from .rules import show

    raise typer.Exit(show(edition))


def bench(
    cards: Annotated[
        int,
        typer.Option("--cards", metavar="N", min=24, max=128, help=N_("How many Collectibles.")),
    ] = 51,
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds", metavar="N", min=1, max=99, help=N_("How often each part is timed.")
        ),
    ] = 5,
    as_json: opt.JsonOption = False,
) -> None:
    """What this machine needs."""
    from .bench import bench as measure

    raise typer.Exit(measure(cards, rounds, as_json))


def id_new(
    name: opt.NameOption = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=N_("Seal the key under a passphrase."))
    ] = False,
    as_json: opt.JsonOption = False,
) -> None:
    """Make a key."""
    from .identity import new

    raise typer.Exit(new(name, passphrase, as_json))


def id_show(as_json: opt.JsonOption = False) -> None:
    """Show fingerprint and nickname."""
    from .identity import show

    raise typer.Exit(show(as_json))


def id_export(
    secret: Annotated[
        Path | None,
        typer.Option(
            "--secret", metavar="FILE", help=N_("Copy the key itself, secret too, to this file.")
        ),
    ] = None,
) -> None:
    """Print the public key."""
    from .identity import export

    raise typer.Exit(export(secret))
