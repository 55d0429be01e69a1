"""The command lines without a table: verify, replay, id, rules, learn and bench."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..exit_codes import USAGE, Trouble
from ..words.translation import N_, _
from . import complete
from . import options as opt

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="GAME|FILE|FOLDER…",
        help=N_(
            "Transcripts: files, folders with *.hoity in them and below, or games of this machine"
            " by id; last is the newest."
        ),
        autocompletion=complete.transcripts,
    ),
]
FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME|FILE",
        help=N_("A transcript: a file, or a game of this machine by its id; last is the newest."),
        autocompletion=complete.transcripts,
    ),
]


JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        max=1024,
        help=N_("How many processes judge; one for each core unless you say otherwise."),
    ),
]
VerdictsOption = Annotated[
    Path | None,
    typer.Option(
        "--verdicts",
        metavar="FILE",
        help=N_(
            "Keep the verdicts in this file, a JSON object a line, and pass over files that it has"
            " one of: a run that was broken off goes on."
        ),
    ),
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="SCHEDULER",
        help=N_("The workers of this Dask cluster judge, as of tcp://HOST:8786; extra: cluster."),
    ),
]
SendOption = Annotated[
    bool,
    typer.Option("--send", help=N_("With --dask: send the files to workers that lack them.")),
]


def verify(
    files: FilesArgument,
    as_json: opt.JsonOption = False,
    jobs: JobsOption = None,
    verdicts: VerdictsOption = None,
    dask: DaskOption = None,
    send: SendOption = False,
) -> None:
    """Check transcripts."""
    from .game_names import all_of

    if (send and dask is None) or (jobs is not None and dask is not None):
        raise Trouble(_("--send goes with --dask, and --jobs without it."), USAGE)
    paths = all_of(files)
    if len(paths) == 1 and verdicts is None and dask is None and not os.path.isdir(paths[0]):
        from .verify import verify_file

        raise typer.Exit(verify_file(paths[0], as_json, jobs))
    from .verify_archive import Wishes, verify_all

    raise typer.Exit(verify_all(paths, Wishes(as_json, jobs, verdicts, dask, send)))


def replay(
    file: FileArgument,
    step: Annotated[
        bool, typer.Option("--step", help=N_("Wait for Enter after every round."))
    ] = False,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
) -> None:
    """Look at a game again."""
    from .game_names import transcript
    from .replay import replay_file

    raise typer.Exit(replay_file(transcript(file), step, as_json, plain))


def games(as_json: opt.JsonOption = False) -> None:
    """All games of this machine."""
    from .list_games import list_games

    raise typer.Exit(list_games(as_json))


def forget(
    game: opt.GameArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Do not ask."))] = False,
) -> None:
    """Forget an unfinished game."""
    from .list_games import forget as forget_it

    raise typer.Exit(forget_it(game, yes))


def rules(
    edition: opt.EditionOption = "uberplay-2004",
) -> None:
    """The rules in one screen."""
    from .rules_and_bench import show

    raise typer.Exit(show(edition))


def learn(plain: opt.PlainOption = False) -> None:
    """A first round, explained."""
    from .learn import learn as teach

    raise typer.Exit(teach(plain))


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
    from .rules_and_bench import bench as measure

    raise typer.Exit(measure(cards, rounds, as_json))


def id_itself(ctx: typer.Context) -> None:
    """Without a further word: what `show` shows."""
    if ctx.invoked_subcommand is None:
        id_show()


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
