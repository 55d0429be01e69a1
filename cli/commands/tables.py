"""The command lines of a table: play, host, join, tables, resume, watch and relay."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..printing import say
from ..words.translation import N_, _
from . import options as opt

if TYPE_CHECKING:
    from .take_seat import Manner


def _manner(
    auto: bool,
    as_json: bool,
    transcript: Path | None,
    name: str | None,
    plain: bool,
    no_talk: bool,
    again: bool | None,
    no_bell: bool,
) -> Manner:
    """How a host sits: it has set the terms itself, so it is not asked about them."""
    from .take_seat import Manner

    talk = (not no_talk, again, not no_bell)
    return Manner(auto, True, as_json, False, plain, transcript, name, *talk)


def play(
    bots: opt.OpponentsOption = None,
    auto: opt.AutoOrNotOption = None,
    edition: opt.EditionOption = "uberplay-2004",
    variant: opt.VariantOption = None,
    action_choice: opt.ActionChoiceOption = None,
    detective_in_hall: opt.DetectiveInHallOption = None,
    detective_rank: opt.DetectiveRankOption = None,
    quorum: opt.QuorumOption = None,
    patience: opt.PatienceOption = None,
    transcript: opt.TranscriptOption = None,
    name: opt.NameOption = None,
    yes: opt.YesOption = False,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
    no_talk: opt.NoTalkOption = False,
    again: opt.AgainOption = None,
    no_bell: opt.NoBellOption = False,
) -> None:
    """A game against bots."""
    from .play import Ask, Opening, host, levels_typed, loopback

    stands_in = auto is None and not sys.stdin.isatty()
    if stands_in and not as_json:
        say(_("This is no terminal: if the input ends before your first answer, a bot plays."))
    against = levels_typed(bots)
    counted = bots is None or bots.strip().isdecimal()
    waits = patience or (300.0 if auto else 3600.0)
    switches = (action_choice, detective_in_hall, detective_rank)
    ask = Ask(len(against) + 1, edition, variant, *switches, quorum, waits)
    asks_level = counted and not (auto or as_json)
    opening = Opening(ask, against, loopback(None), asks_level, show_ticket=False)
    manner = _manner(bool(auto), as_json, transcript, name, plain, no_talk, again, no_bell)
    manner = replace(manner, stands_in=stands_in)
    raise typer.Exit(host(manner, opening))


def host(
    seats: opt.SeatsOption = 4,
    bots: opt.BotsOption = "0",
    listen: opt.ListenOption = opt.USUAL,
    relay: opt.RelayOption = None,
    relay_only: opt.RelayOnlyOption = False,
    advertise: opt.AdvertiseOption = None,
    proxy: opt.ProxyOption = None,
    no_map: opt.NoMapOption = False,
    lan: opt.LanOption = opt.LanChoice.CLOSED,
    auto: opt.AutoOption = False,
    edition: opt.EditionOption = "uberplay-2004",
    variant: opt.VariantOption = None,
    action_choice: opt.ActionChoiceOption = None,
    detective_in_hall: opt.DetectiveInHallOption = None,
    detective_rank: opt.DetectiveRankOption = None,
    quorum: opt.QuorumOption = None,
    patience: opt.PatienceOption = 300.0,
    step_patience: opt.StepPatienceOption = 30.0,
    transcript: opt.TranscriptOption = None,
    name: opt.NameOption = None,
    yes: opt.YesOption = False,
    qr: opt.QrOption = False,
    asks: opt.AskOption = False,
    no_watch: opt.NoWatchOption = False,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
    no_talk: opt.NoTalkOption = False,
    again: opt.AgainOption = None,
    no_bell: opt.NoBellOption = False,
) -> None:
    """Open a table."""
    from p2p_hoity.table.play_table import Lan

    from ..local.relays import relays_of
    from .play import Ask, Opening, levels_typed
    from .play import host as open_table
    from .reaching import for_guests, reach_of

    switches = (action_choice, detective_in_hall, detective_rank)
    ask = Ask(seats, edition, variant, *switches, quorum, patience or 300.0, step_patience)
    ways = (advertise, proxy, no_map, relay_only)
    reach = reach_of(listen, relays_of(relay), Lan(lan.value), *ways)
    hired = levels_typed(bots, 0)
    reach = for_guests(reach, len(hired))
    opening = Opening(ask, hired, reach, as_qr=qr, asks=asks, watched=not no_watch)
    manner = _manner(auto, as_json, transcript, name, plain, no_talk, again, no_bell)
    raise typer.Exit(open_table(manner, opening))


def join(
    ctx: typer.Context,
    ticket: opt.WhereArgument = None,
    auto: opt.AutoOption = False,
    yes: opt.YesOption = False,
    name: opt.NameOption = None,
    listen: opt.ListenOption = opt.USUAL,
    relay: opt.RelayOption = None,
    relay_only: opt.RelayOnlyOption = False,
    advertise: opt.AdvertiseOption = None,
    proxy: opt.ProxyOption = None,
    no_map: opt.NoMapOption = False,
    transcript: opt.TranscriptOption = None,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
    no_talk: opt.NoTalkOption = False,
    again: opt.AgainOption = None,
    no_bell: opt.NoBellOption = False,
    until_eof: opt.UntilEofOption = False,
) -> None:
    """Sit down at a table."""
    from ..local.player_setup import at_terminal
    from ..words.usage import missing
    from .join import join as sit_down
    from .reaching import again_by
    from .take_seat import Manner

    talk = (not no_talk, again, not no_bell)
    manner = Manner(auto, yes, as_json, until_eof, plain, transcript, name, *talk)
    word = " ".join(ticket or ())
    if not word and (as_json or not at_terminal()):
        raise missing(ctx, "ticket")
    # The seat may be kept here.
    reach = again_by(listen, relay, advertise, proxy, no_map, relay_only)
    raise typer.Exit(sit_down(manner, word, reach))


def resume(
    game: opt.OptionalGameArgument = None,
    auto: opt.AutoOption = False,
    yes: opt.YesOption = False,
    listen: opt.ListenAnewOption = None,
    relay: opt.RelayAnewOption = None,
    relay_only: opt.RelayOnlyOption = False,
    advertise: opt.AdvertiseOption = None,
    proxy: opt.ProxyOption = None,
    no_map: opt.NoMapOption = False,
    transcript: opt.TranscriptOption = None,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
    no_talk: opt.NoTalkOption = False,
    again: opt.AgainOption = None,
    no_bell: opt.NoBellOption = False,
    until_eof: opt.UntilEofOption = False,
    claim: Annotated[
        bool,
        typer.Option("--claim", help=N_("Do not sit down: save the game as far as it was played.")),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help=N_("Do not sit down: the game is over, and this is the file of another seat."),
        ),
    ] = None,
) -> None:
    """Take your seat again."""
    from .reaching import again_by
    from .resume import claim as save_as_claim
    from .resume import finish
    from .resume import resume as sit_again
    from .take_seat import Manner

    if claim:
        raise typer.Exit(save_as_claim(game, transcript, as_json))
    if file is not None:
        raise typer.Exit(finish(game, file, transcript, as_json))
    talk = (not no_talk, again, not no_bell)
    manner = Manner(auto, True, as_json, until_eof, plain, transcript, None, *talk)
    reach = again_by(listen, relay, advertise, proxy, no_map, relay_only)
    raise typer.Exit(sit_again(manner, game, reach))


def watch(
    ticket: opt.TicketArgument,
    transcript: opt.TranscriptOption = None,
    proxy: opt.ProxyOption = None,
    as_json: opt.JsonOption = False,
    plain: opt.PlainOption = False,
    no_talk: opt.NoTalkOption = False,
    again: opt.AgainOption = None,
    relay: opt.CodeRelayOption = None,
    since: opt.FromOption = opt.Since.START,
) -> None:
    """Look on without a seat."""
    from .watch import watch as look_on

    manner = (as_json, plain, not no_talk, again)
    where = (relay, proxy, since is opt.Since.NOW)
    raise typer.Exit(look_on(" ".join(ticket), transcript, *manner, *where))


def tables(
    seconds: opt.LookOption = 3.0,
    as_json: opt.JsonOption = False,
) -> None:
    """Tables on this LAN."""
    from .look import look_around

    raise typer.Exit(look_around(seconds, as_json))


def relay(
    listen: opt.ListenOption = ":4646",
    seats: opt.WaitingOption = 6_000,
    calls: opt.CallsOption = 15_000,
    same_address: opt.SameAddressOption = 256,
    drain: opt.DrainOption = 30.0,
    log: opt.LogOption = False,
    log_addresses: opt.LogAddressesOption = False,
    metrics: opt.MetricsOption = None,
    as_json: opt.JsonOption = False,
    use: opt.UseOption = None,
) -> None:
    """A blind relay for others, or the one that the player uses."""
    if use is not None:
        from .relay import use as keep

        raise typer.Exit(keep(use, as_json))
    from .relay import Keeping, limits_of
    from .relay import relay as serve

    keeping = Keeping(drain, log or log_addresses, log_addresses, metrics, as_json)
    raise typer.Exit(serve(listen, limits_of(seats, calls, same_address), keeping))
