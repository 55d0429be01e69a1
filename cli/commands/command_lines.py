"""The command lines: what each command takes, and the function that does it.

That function is imported when its command is called, so that help and every other command load
nothing of it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..exit_codes import USAGE, Trouble
from ..printing import say
from ..words.translation import N_, _
from . import options as opt

# At a table.


@opt.takes_options
def play(
    table: Annotated[opt.BotTableOptions, opt.NO_SEATS],
    seat: opt.PlayOptions,
    output: opt.OutputOptions,
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            metavar="N|LEVELS",
            help=N_("How many bots play against you (by default 3), or a level for each."),
            rich_help_panel=opt.BOTS,
        ),
    ] = None,
) -> None:
    """A game against bots."""
    from .play import Opening, host, levels_typed, loopback

    if seat.auto is None and not sys.stdin.isatty() and not output.as_json:
        say(_("This is no terminal: if the input ends before your first answer, a bot plays."))
    against = levels_typed(bots)
    counted = bots is None or bots.strip().isdecimal()
    waits = table.patience or (300.0 if seat.auto else 3600.0)
    table = replace(table, seats=len(against) + 1, patience=waits)
    asks_level = counted and not (seat.auto or output.as_json)
    opening = Opening(table, against, loopback(), asks_level=asks_level, show_ticket=False)
    raise typer.Exit(host(seat, output, opening))


@opt.takes_options
def host(
    table: opt.TableOptions,
    guests: opt.GuestOptions,
    network: opt.NetworkOptions,
    seat: opt.SeatOptions,
    output: opt.OutputOptions,
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            metavar="N|LEVELS",
            help=N_("How many of them bots take, or a level for each: easy,normal,hard."),
            rich_help_panel=opt.BOTS,
        ),
    ] = "0",
) -> None:
    """Open a table."""
    from ..local.settings import relays_of
    from .play import Opening, levels_typed
    from .play import host as open_table
    from .reaching import for_guests, reach_of

    reach = reach_of(replace(network, relay=relays_of(network.relay)), guests.lan)
    hired = levels_typed(bots, 0)
    opening = Opening(table, hired, for_guests(reach, len(hired)), guests)
    raise typer.Exit(open_table(seat, output, opening))


@opt.takes_options
def join(
    ctx: typer.Context,
    network: opt.NetworkOptions,
    seat: opt.SeatOptions,
    output: opt.OutputOptions,
    ticket: opt.WhereArgument = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help=N_("Accept the terms unasked."), rich_help_panel=opt.SEAT),
    ] = False,
) -> None:
    """Sit down at a table."""
    from ..local.player_setup import at_terminal
    from .join import join as sit_down
    from .reaching import again_by

    word = " ".join(ticket or ())
    if not word and (output.as_json or not at_terminal()):
        raise opt.missing(ctx, "ticket")
    # The seat may be kept here.
    raise typer.Exit(sit_down(seat, output, word, again_by(network), asks_terms=not yes))


@opt.takes_options
def resume(
    network: opt.NetworkAnew,
    seat: Annotated[opt.SeatOptions, opt.NO_NAME],
    output: opt.OutputOptions,
    game: opt.OptionalGameArgument = None,
    claim: Annotated[
        bool,
        typer.Option(
            "--claim",
            help=N_("Do not sit down: save the game as far as it was played."),
            rich_help_panel=opt.SEAT,
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help=N_("Do not sit down: the game is over, and this is the file of another seat."),
            rich_help_panel=opt.SEAT,
        ),
    ] = None,
) -> None:
    """Take your seat again."""
    from . import resume as resuming
    from .reaching import again_by

    if claim:
        raise typer.Exit(resuming.claim(game, output))
    if file is not None:
        raise typer.Exit(resuming.finish(game, file, output))
    raise typer.Exit(resuming.resume(seat, output, game, again_by(network)))


@opt.takes_options
def watch(
    ticket: opt.TicketArgument,
    seat: Annotated[opt.SeatOptions, opt.ONLOOKER],
    how: opt.WatchOptions,
    output: opt.OutputOptions,
) -> None:
    """Look on without a seat."""
    from .watch import watch as look_on

    raise typer.Exit(look_on(" ".join(ticket), how, seat, output))


def tables(
    seconds: Annotated[float, opt.seconds("--wait", 0.1, 60, N_("How long to look."))] = 3.0,
    as_json: opt.JsonOption = False,
) -> None:
    """Tables on this LAN."""
    from .join import look_around

    raise typer.Exit(look_around(seconds, as_json))


@opt.takes_options
def relay(how: opt.RelayOptions) -> None:
    """A blind relay for others, or the one that the player uses."""
    from . import relay as relays

    raise typer.Exit(relays.relay(how) if how.use is None else relays.use(how.use, how.as_json))


def learn(plain: opt.PlainOption = False) -> None:
    """A first round, explained."""
    from .learn import learn as teach

    raise typer.Exit(teach(plain))


# With the files of this machine.


@opt.takes_options
def verify(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME|FILE|FOLDER…",
            help=N_(
                "Transcripts: files, folders with *.hoity in them and below, or games of this"
                " machine by id; last is the newest."
            ),
            autocompletion=opt.transcripts,
        ),
    ],
    how: opt.VerifyOptions,
) -> None:
    """Check transcripts."""
    from .verify import transcript_named

    if (how.send and how.dask is None) or (how.jobs is not None and how.dask is not None):
        raise Trouble(_("--send goes with --dask, and --jobs without it."), USAGE)
    paths = list(map(transcript_named, files))
    is_one = len(paths) == 1 and not os.path.isdir(paths[0])
    if is_one and how.verdicts is None and how.dask is None:
        from .verify import verify_file

        raise typer.Exit(verify_file(paths[0], how))
    from .verify_archive import verify_all

    raise typer.Exit(verify_all(paths, how))


def replay(
    file: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE",
            help=N_(
                "A transcript: a file, or a game of this machine by its id; last is the newest."
            ),
            autocompletion=opt.transcripts,
        ),
    ],
    step: Annotated[
        bool, typer.Option("--step", help=N_("Wait for Enter after every round."))
    ] = False,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
) -> None:
    """Look at a game again."""
    from .replay import replay_file
    from .verify import transcript_named

    raise typer.Exit(replay_file(transcript_named(file), step, as_json, plain))


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


def rules(edition: opt.EditionOption = opt.USUAL_EDITION) -> None:
    """The rules in one screen."""
    from .rules_and_bench import show

    raise typer.Exit(show(edition))


def bench(
    cards: Annotated[int, opt.count("--cards", 24, 128, N_("How many Collectibles."))] = 51,
    rounds: Annotated[int, opt.count("--rounds", 1, 99, N_("How often each part is timed."))] = 5,
    as_json: opt.JsonOption = False,
) -> None:
    """What this machine needs."""
    from .rules_and_bench import bench as measure

    raise typer.Exit(measure(cards, rounds, as_json))


# With the player's key.


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
