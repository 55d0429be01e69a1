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
from .option_classes import takes_options
from .typed_paths import path_given

# Commands for a table


@takes_options
def play(
    table: Annotated[opt.BotTableOptions, opt.NO_SEATS],
    seat: opt.PlayOptions,
    output: opt.OutputOptions,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="N|LEVELS",
            autocompletion=opt.bots,
            help=N_(
                "How many bots play against you (by default 3), or a level for each with commas "
                "between: easy (beginner), fair (casual), normal (experienced), hard (expert)."
            ),
            rich_help_panel=opt.BOTS,
        ),
    ] = None,
) -> None:
    """Play a whole game against bots. Each bot is a real peer on this machine.

    Example: hoity play --bots 3
    """
    from .play import Opening, host, levels_typed, loopback

    if seat.auto is None and not sys.stdin.isatty() and not (output.as_json or output.web):
        say(_("This is no terminal: if the input ends before your first answer, a bot plays."))
    against = levels_typed(bots)
    counted = bots is None or bots.strip().isdecimal()
    waits = table.patience or (300.0 if seat.auto else 3600.0)
    table = replace(table, seats=len(against) + 1, patience=waits)
    asks_level = counted and not (seat.auto or output.as_json)
    opening = Opening(table, against, loopback(), asks_level=asks_level, show_ticket=False)
    raise typer.Exit(host(seat, output, opening))


@takes_options
def host(
    table: opt.TableOptions,
    guests: opt.GuestOptions,
    network: opt.NetworkOptions,
    seat: opt.SeatOptions,
    output: opt.OutputOptions,
    bots: Annotated[
        str,
        typer.Option(
            metavar="N|LEVELS",
            autocompletion=opt.bots,
            help=N_(
                "How many seats bots take, or a level for each bot with commas between: easy "
                "(beginner), fair (casual), normal (experienced), hard (expert)."
            ),
            rich_help_panel=opt.BOTS,
        ),
    ] = "0",
) -> None:
    """Open a table, print its ticket, and start when it is full.

    Example: hoity host --seats 4 --bots 1
    """
    from ..local.settings import relays_of
    from .play import Opening, levels_typed
    from .play import host as open_table
    from .reach_options import for_guests, reach_of

    reach = reach_of(replace(network, relay=relays_of(network.relay)), guests.lan)
    hired = levels_typed(bots, 0)
    opening = Opening(table, hired, for_guests(reach, len(hired)), guests)
    raise typer.Exit(open_table(seat, output, opening))


@takes_options
def join(
    ctx: typer.Context,
    network: opt.NetworkOptions,
    seat: opt.SeatOptions,
    output: opt.OutputOptions,
    ticket: opt.WhereArgument = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            "-y",
            help=N_("Accept the terms without being asked."),
            rich_help_panel=opt.SEAT,
        ),
    ] = False,
) -> None:
    """Show the terms of a table, ask for your consent, sit down and play.

    Example: hoity join TICKET
    """
    from ..local.player_setup import at_terminal
    from .join import join as sit_down
    from .reach_options import again_by

    word = " ".join(ticket or ())
    # The page does not ask which table: that question comes before it.
    if not word and (output.as_json or not at_terminal()):
        raise opt.missing(ctx, "ticket")
    # This machine may store a seat at the table, which is then resumed.
    raise typer.Exit(sit_down(seat, output, word, again_by(network), asks_terms=not yes))


@takes_options
def resume(
    network: opt.NetworkAnew,
    seat: Annotated[opt.SeatOptions, opt.NO_NAME],
    output: opt.OutputOptions,
    ends: opt.ResumeOptions,
    game: opt.OptionalGameArgument = None,
) -> None:
    """Take your seat again after a crash, a reboot or Ctrl-C.

    Example: hoity resume
    """
    from . import resume as resuming
    from .reach_options import again_by

    if ends.claim:
        raise typer.Exit(resuming.claim(game, output))
    if ends.file is not None:
        raise typer.Exit(resuming.finish(game, ends.file, output))
    raise typer.Exit(resuming.resume(seat, output, game, again_by(network)))


@takes_options
def watch(
    ticket: opt.TicketArgument,
    seat: Annotated[opt.SeatOptions, opt.ONLOOKER],
    how: opt.WatchOptions,
    output: opt.OutputOptions,
) -> None:
    """Watch a table without a seat.

    Example: hoity watch TICKET
    """
    from .watch import watch as look_on

    raise typer.Exit(look_on(" ".join(ticket), how, seat, output))


def tables(
    wait: Annotated[
        float, typer.Option(help=N_("Seconds to search."), **opt.seconds(0.1, 60))
    ] = 3.0,
    as_json: opt.JsonOption = False,
) -> None:
    """List the open tables on this LAN.

    Example: hoity tables --json
    """
    from .join import look_around

    raise typer.Exit(look_around(wait, as_json))


@takes_options
def relay(how: opt.RelayOptions) -> None:
    """Run a relay for others, which cannot read what it carries.

    Example: hoity relay --listen 0.0.0.0:4646
    """
    from . import relay as relays

    raise typer.Exit(relays.relay(how) if how.use is None else relays.use(how.use, how.as_json))


@takes_options
def learn(web: opt.WebOptions, plain: opt.PlainOption = False) -> None:
    """Play a first round that is explained meanwhile, against scripted players.

    Example: hoity learn
    """
    from .learn import learn as teach

    raise typer.Exit(teach(plain, web))


# Commands for the files of this machine


@takes_options
def verify(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME|FILE|FOLDER…",
            help=N_(
                "Transcripts: files, folders that contain *.hoity files, or ids of games of "
                "this machine. last is the newest game."
            ),
            autocompletion=opt.transcripts,
        ),
    ],
    how: opt.VerifyOptions,
) -> None:
    """Check transcripts offline: every signature, proof, commitment and rule.

    Example: hoity verify last
    """
    from .verify import transcript_named

    if how.vouches is not None and (len(files) > 1 or how.certificate):
        raise Trouble(_("--vouches takes one transcript."), USAGE)
    if how.certificate:
        from . import certificate

        raise typer.Exit(certificate.check_all(files, how.as_json))
    if (how.send and how.dask is None) or (how.jobs is not None and how.dask is not None):
        raise Trouble(_("--send can be used only with --dask, and --jobs only without it."), USAGE)
    paths = list(map(transcript_named, files))
    is_one = len(paths) == 1 and not os.path.isdir(paths[0])
    if how.save_certificate is not None:
        from . import certificate

        if not is_one:
            raise Trouble(_("--save-certificate takes one transcript."), USAGE)
        raise typer.Exit(certificate.save(paths[0], how.save_certificate))
    if how.vouches is not None and not is_one:
        raise Trouble(_("--vouches takes one transcript."), USAGE)
    if is_one and how.verdicts is None and how.dask is None:
        from .verify import verify_file

        raise typer.Exit(verify_file(paths[0], how))
    from .verify_archive import verify_all

    raise typer.Exit(verify_all(paths, how))


@takes_options
def replay(
    how: opt.ReplayOptions,
    file: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE",
            help=N_(
                "A transcript: a file, or the id of a game of this machine. last is the "
                "newest game."
            ),
            autocompletion=opt.transcripts,
        ),
    ],
) -> None:
    """Show a game again, round by round.

    Example: hoity replay 8daa --step
    """
    from . import replay as replays
    from .verify import transcript_named

    for name, target in (("--picture", how.picture), ("--film", how.film)):
        if target is not None and (how.step or how.as_json):
            words = _("{option} can be used neither with --json nor with --step.")
            raise Trouble(words.format(option=name), USAGE)
    path = transcript_named(file)
    if how.web:
        raise typer.Exit(replays.replay_on_page(path, how))
    code = replays.replay_file(path, how.step, how.as_json, how.plain, how.picture, how.film)
    raise typer.Exit(code)


def games(
    stats: Annotated[
        bool,
        typer.Option(
            "--stats",
            help=N_(
                "Do not list the games. Show your statistics: by number of seats and by company."
            ),
        ),
    ] = False,
    as_json: opt.JsonOption = False,
) -> None:
    """List the games of this machine, finished or not, newest first.

    Example: hoity games --stats
    """
    if stats:
        from .own_statistics import tell_statistics

        raise typer.Exit(tell_statistics(as_json))
    from .list_games import list_games

    raise typer.Exit(list_games(as_json))


def forget(
    game: opt.GameArgument,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help=N_("Do not ask for confirmation."))
    ] = False,
) -> None:
    """Give up your seat in an unfinished game and remove its files.

    Example: hoity forget 8daa
    """
    from .forget import forget as forget_it

    raise typer.Exit(forget_it(game, yes))


def rules(edition: opt.EditionOption = opt.USUAL_EDITION) -> None:
    """Show the rules.

    Example: hoity rules --lang de
    """
    from .rules import show

    raise typer.Exit(show(edition))


def bench(
    cards: Annotated[
        int, typer.Option(help=N_("The number of Collectibles."), **opt.count(24, 128))
    ] = 51,
    rounds: Annotated[
        int, typer.Option(help=N_("How often each part is measured."), **opt.count(1, 99))
    ] = 5,
    as_json: opt.JsonOption = False,
) -> None:
    """Measure how long each part takes here, and the ratio to the raw operations.

    Example: hoity bench --json
    """
    from .bench import bench as measure

    raise typer.Exit(measure(cards, rounds, as_json))


# Commands for the player's key


def id_itself(ctx: typer.Context) -> None:
    """Show or make your key, its fingerprint and your nickname.

    Example: hoity id
    """
    if ctx.invoked_subcommand is None:
        id_show()


def id_new(
    name: opt.NameOption = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=N_("Encrypt the key with a passphrase."))
    ] = False,
    as_json: opt.JsonOption = False,
) -> None:
    """Make your key.

    Example: hoity id new --name Ana
    """
    from .identity import new

    raise typer.Exit(new(name, passphrase, as_json))


def id_show(as_json: opt.JsonOption = False) -> None:
    """Show your fingerprint and nickname.

    Example: hoity id show --json
    """
    from .identity import show

    raise typer.Exit(show(as_json))


def id_export(
    secret: Annotated[
        Path | None,
        typer.Option(
            "--secret",
            metavar="FILE",
            callback=path_given,
            help=N_("Copy the key, including its secret, to this file."),
        ),
    ] = None,
) -> None:
    """Print your public key, or copy the key file.

    Example: hoity id export
    """
    from .identity import export

    raise typer.Exit(export(secret))
