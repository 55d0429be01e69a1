"""The options of the commands, a dataclass for each concern, with their help.

A command has these dataclasses as parameters, and hands them on as they are: `takes_options` makes
Typer build them. Nothing heavy is imported here.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import Field, dataclass, field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, get_type_hints

from typer import Argument, BadParameter, Option

from ..words.translation import N_

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

TABLE: Final = N_("Table")
BOTS: Final = N_("Bots")
GUESTS: Final = N_("Who may come")
NETWORK: Final = N_("Network")
SEAT: Final = N_("Your seat")
OUTPUT: Final = N_("Output")
"""The headings of a long help. Each stands where the first of its options does."""

# From dataclasses to the options of a command.


@dataclass(frozen=True)
class Without:
    """Beside a dataclass of options in an annotation: the fields that a command does not offer."""

    names: tuple[str, ...]


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command have dataclasses of options as parameters.

    Args:
        command: A function whose parameters Typer knows, or whose types are such dataclasses.

    Returns:
        The command as Typer reads it: with the fields of each dataclass as options of its own.
    """
    shown: list[Parameter] = []
    built: dict[str, tuple[type[Any], list[str]]] = {}
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        kind: Any = getattr(hint, "__origin__", hint)
        is_options = is_dataclass(kind)
        if not is_options:
            shown.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        left_out = {name for one in getattr(hint, "__metadata__", ()) for name in one.names}
        offered = [one for one in fields(kind) if one.name not in left_out]
        of_fields = get_type_hints(kind, include_extras=True)
        shown += [_parameter(kind, one, of_fields[one.name]) for one in offered]
        built[parameter.name] = kind, [one.name for one in offered]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, names) in built.items():
            given[name] = kind(**{one: given.pop(one) for one in names})
        command(**given)

    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _parameter(kind: type[Any], of: Field[Any], hint: Any) -> Parameter:
    """Return a field as a parameter, under the heading of its class unless it has one itself."""
    told = of.metadata.get("option")
    if told is None:
        hint, told = hint.__origin__, hint.__metadata__[0]
    shown = copy(told)
    if shown.default is ...:  # no name was given, which the library takes for a default at first
        shown.default = "--" + of.name.replace("_", "-")
    shown.rich_help_panel = told.rich_help_panel or kind.HEADING
    shown_as = Annotated[hint, shown]
    return Parameter(of.name, Parameter.KEYWORD_ONLY, default=of.default, annotation=shown_as)


def option(
    default: Any, words: str | None, *names: str, heading: str | None = None, **more: Any
) -> Any:
    """Return a field of a dataclass of options.

    Args:
        default: Its value where the option is not typed.
        words: Its help; none if it is not shown.
        names: How the option is typed, if not by the name of the field.
        heading: Where the help stands, if not under the heading of the class.
        more: Whatever else Typer takes.
    """
    shown = Option(*names, help=words, hidden=words is None, rich_help_panel=heading, **more)
    return field(default=default, metadata={"option": shown})


# Words that a shell completes, by the names of files alone: nothing is opened.

LAST: Final = "last"
"""Stands for the newest game."""


def open_games(incomplete: str) -> list[str]:
    """Return the games that can be taken up again and whose names begin in this way."""
    return _games(incomplete, lambda home: home.journals.glob("*.journal"))


def transcripts(incomplete: str) -> list[str]:
    """Return the games with a transcript; files are completed by the shell itself."""
    return _games(incomplete, lambda home: home.transcripts.glob("*.hoity"))


def codes(incomplete: str) -> list[str]:
    """Return how a code may go on, word by word, each by its first letters."""
    from p2p_hoity.table.spoken_codes import MOST_WORDS, WORDS, beginning_with

    number, *words = incomplete.split("-")
    if not number.isdecimal() or not 0 < len(words) <= MOST_WORDS:
        return []
    before = "-".join((number, *words[:-1]))
    behind = "-" if len(words) < WORDS else ""
    return [f"{before}-{word}{behind}" for word in beginning_with(words[-1].lower())]


def _games(incomplete: str, files: Callable[[Home], Iterable[Path]]) -> list[str]:
    from p2p_hoity.storage.home import home

    names: set[str] = set()
    with suppress(OSError):
        names = {path.name.partition(".")[0] for path in files(home())}
    return sorted(name for name in (*names, LAST) if names and name.startswith(incomplete))


# What several commands take.


class NoSeconds(BadParameter):
    """A number that is none of seconds."""


def missing(ctx: Any, name: str) -> Any:
    """Return the library's complaint that the argument of this name is missing."""
    (param,) = [one for one in ctx.command.params if one.name == name]
    library = sys.modules[BadParameter.__module__]
    return library.MissingParameter(ctx=ctx, param=param, param_hint="'TICKET'")


def _number(number: float | None) -> float | None:
    """Refuse what is no number, which no range refuses."""
    if number is not None and math.isnan(number):
        raise NoSeconds("no number")
    return number


def seconds(least: float, most: int) -> dict[str, Any]:
    """Return what makes an option take seconds within bounds."""
    return {"metavar": "SECONDS", "min": least, "max": most, "callback": _number}


def count(least: int, most: int) -> dict[str, Any]:
    """Return what makes an option take a whole number within bounds."""
    return {"metavar": "N", "min": least, "max": most}


PLACE: Final = "HOST:PORT"
"""What an option takes that is an address with its port."""


JsonOption = Annotated[bool, Option("--json", help=N_("One JSON object a line, for programs."))]
PlainOption = Annotated[
    bool,
    Option(
        "--plain",
        envvar="HOITY_PLAIN",
        show_envvar=False,
        help=N_(
            "The line prompt instead of the full screen, for screen readers and pipes;"
            " HOITY_PLAIN=1 in the environment means it for every command."
        ),
    ),
]
NameOption = Annotated[
    str | None, Option("--name", metavar="NAME", help=N_("Your nickname at this table."))
]
EditionOption = Annotated[
    str,
    Option(
        "--edition",
        metavar="NAME|FILE",
        help=N_("uberplay-2004, reference-manual, or your own edition file."),
    ),
]
USUAL_EDITION: Final = "uberplay-2004"
ProxyOption = Annotated[
    str | None,
    Option(
        "--proxy",
        metavar="URL",
        envvar="HOITY_PROXY",
        show_envvar=False,
        help=N_(
            "Dial by a SOCKS5 proxy, as socks5://127.0.0.1:9050 for Tor, and name no address of"
            " this machine; one with a password goes into HOITY_PROXY."
        ),
    ),
]
ListenOption = Annotated[
    str,
    Option(
        "--listen",
        metavar=PLACE,
        help=N_("Where to listen; port 0 is any free port, as is a default that is in use."),
    ),
]


def _ticket(metavar: str, words: str) -> Any:
    return Argument(
        metavar=metavar,
        envvar="HOITY_TICKET",
        show_envvar=False,
        show_default=False,
        help=words,
        autocompletion=codes,
    )


TicketArgument = Annotated[
    list[str], _ticket("TICKET|CODE", N_("The ticket, or the code, that the host gave you."))
]
WhereArgument = Annotated[
    list[str] | None,
    _ticket(
        "[TICKET|CODE|NICK]",
        N_(
            "The ticket, or the code, that the host gave you, or the nickname of a host on this"
            " LAN; without it you pick from the LAN's tables."
        ),
    ),
]
"""A list, because a ticket copied over a line's end comes in several words."""

GAME_HELP: Final = N_("The game's id or how it begins; last is the newest.")
GameArgument = Annotated[str, Argument(metavar="GAME", help=GAME_HELP, autocompletion=open_games)]
OptionalGameArgument = Annotated[
    str | None,
    Argument(metavar="[GAME]", help=GAME_HELP, show_default=False, autocompletion=open_games),
]

# What is printed, and how.


@dataclass(frozen=True)
class OutputOptions:
    """On what kind of screen a game is shown, and where its transcript goes."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    plain: PlainOption = False
    transcript: Path | None = option(
        None, N_("Where the finished transcript goes."), metavar="FILE"
    )

    @property
    def typed(self) -> str:
        """The option by which another command is shown on the same kind of screen."""
        return "--json" if self.as_json else "--plain" if self.plain else ""


# The seat.


@dataclass(frozen=True)
class SeatOptions:
    """Who plays a seat, how it is called, and what it hears and says."""

    HEADING: ClassVar = SEAT
    auto: bool | None = option(False, N_("A bot plays your seat."), heading=BOTS)
    name: NameOption = None
    no_talk: bool = option(False, N_("Neither show nor send what people say."))
    unknown: bool = option(False, N_("Show nobody your key; the others see your nickname alone."))
    again: bool | None = option(
        None,
        N_("Whether to ask for another game with the same people; a terminal is asked."),
        "--again/--no-again",
        show_default=False,
    )
    no_bell: bool = option(False, N_("Do not ring when it is your turn."), heading=OUTPUT)
    until_eof: bool = option(False, None)


@dataclass(frozen=True)
class PlayOptions(SeatOptions):
    """The same for a game against bots, in which a bot may stand in for an input that ends."""

    auto: bool | None = option(
        None,
        N_("A bot plays your seat; it also does if the input ends without an answer."),
        "--auto/--no-auto",
        heading=BOTS,
        show_default=False,
    )


@dataclass(frozen=True)
class ResumeOptions:
    """How a game whose others are gone is ended, instead of sitting down again."""

    HEADING: ClassVar = SEAT
    claim: bool = option(False, N_("Do not sit down: save the game as far as it was played."))
    file: Path | None = option(
        None,
        N_("Do not sit down: the game is over, and this is the file of another seat."),
        "--from",
        metavar="FILE",
    )


NO_NAME: Final = Without(("name",))
ONLOOKER: Final = Without(("auto", "name", "unknown", "no_bell", "until_eof"))
"""An onlooker has no seat, but hears what is said, and may follow to the next table."""

# The table.


MAX_TIMEOUT: Final = 2_592_000
"""Seconds that a choice, or any other step, may be awaited at most."""
CHOICE_TIMEOUT_HELP: Final = N_("How long a choice is awaited.")


@dataclass(frozen=True)
class TableOptions:
    """What a host asks of its table."""

    HEADING: ClassVar = TABLE
    seats: int = option(4, N_("Seats at the table, yours too."), **count(2, 6))
    edition: EditionOption = USUAL_EDITION
    variant: Literal["surprise", "confrontation"] | None = option(
        None, N_("For two seats only; surprise unless you say otherwise.")
    )
    action_choice: Literal["staged", "together"] | None = option(
        None, N_("staged: Castle seats choose after the sale; together: all at once.")
    )
    detective_in_hall: bool | None = option(
        None,
        N_("Whether a Detective may be played in the Auction Hall."),
        "--detective-in-hall/--no-detective-in-hall",
        show_default=False,
    )
    detective_rank: Literal["after", "before"] | None = option(
        None, N_("A Detective's rank is taken after or before the Exhibits move.")
    )
    quorum: int | None = option(
        None,
        N_("How many seats can go on without the others; by default 2, 2, 3, 4, 4."),
        metavar="T",
    )
    patience: float | None = option(300.0, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))
    step_patience: float = option(
        30.0,
        N_("How long every other step is awaited; slow links need more."),
        **seconds(1, MAX_TIMEOUT),
    )


@dataclass(frozen=True)
class BotTableOptions(TableOptions):
    """The same for a game against bots. `patience` is longer where a person plays."""

    patience: float | None = option(None, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))


NO_SEATS: Final = Without(("seats", "step_patience"))


@dataclass(frozen=True)
class GuestOptions:
    """Who may come to a table, and how they hear of it."""

    HEADING: ClassVar = GUESTS
    lan: Literal["open", "closed", "off"] = option(
        "closed",
        N_(
            "open: the LAN is told, and whoever comes may sit down; closed: it is told, and a"
            " seat takes the ticket; off: it is not told."
        ),
    )
    qr: bool = option(False, N_("Show the ticket as a QR code too."))
    asks: bool = option(False, N_("Let in each guest yourself, with its key shown."), "--ask")
    no_watch: bool = option(False, N_("Let nobody look on; the guests are told."))


# The network.

USUAL: Final = ":4647"
"""Where `host` and `join` listen unless they are told otherwise, so that a firewall can let the
port in. If it is taken, another one does."""


@dataclass(frozen=True)
class NetworkOptions:
    """How a seat is reached, and by what it dials."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = USUAL
    relay: list[str] | None = option(
        None, N_("A relay to be reached through; none: not even the one you keep."), metavar=PLACE
    )
    relay_only: bool = option(
        False,
        N_(
            "Dial your relays alone, and be reached through them alone: the other seats learn"
            " no address of yours."
        ),
    )
    advertise: list[str] | None = option(
        None,
        N_("Where others reach you, if you forward a port: first in the ticket."),
        metavar=PLACE,
    )
    proxy: ProxyOption = None
    no_map: bool = option(
        False,
        N_("Do not ask the router to let guests in from the internet."),
        envvar="HOITY_NO_MAP",
        show_envvar=False,
    )


@dataclass(frozen=True)
class NetworkAnew(NetworkOptions):
    """How a seat that is taken again is reached: as before, where nothing is typed."""

    listen: str = option(
        "",
        N_("Where to listen, if this machine has another address now; you dial the others."),
        metavar="HOST:PORT",
        show_default=False,
    )
    relay: list[str] | None = option(
        None, N_("A relay to be reached through from now on; none: without any."), metavar=PLACE
    )


@dataclass(frozen=True)
class WatchOptions:
    """How an onlooker comes to a table, and from when on it sees the game."""

    HEADING: ClassVar = NETWORK
    relay: list[str] | None = option(None, N_("The relay that a code is of."), metavar=PLACE)
    proxy: ProxyOption = None
    since: Literal["start", "now"] = option(
        "start",
        N_("start: the game from its beginning; now: from here on."),
        "--from",
        heading=OUTPUT,
    )


@dataclass(frozen=True)
class RelayOptions:
    """Whom a relay takes in, how it ends, and what it tells of itself."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = ":4646"
    seats: int = option(6_000, N_("How many seats may wait."), **count(1, 10**6))
    calls: int = option(15_000, N_("How many pairs may talk at once."), **count(1, 10**6))
    same_address: int = option(256, N_("How many of each from one address."), **count(1, 10**6))
    drain: float = option(
        30.0, N_("How long pairs may still talk once it is told to end."), **seconds(0, 86_400)
    )
    log: bool = option(False, N_("Write a line for each event to standard error; no addresses."))
    log_addresses: bool = option(False, N_("The same, with addresses."))
    metrics: str | None = option(
        None,
        N_("Serve numbers for Prometheus there; without HOST to this machine alone."),
        metavar=PLACE,
    )
    as_json: JsonOption = False
    use: str | None = option(
        None,
        N_("Run none: keep this one for your tables and codes; none forgets it."),
        metavar=PLACE,
    )


@dataclass(frozen=True)
class VerifyOptions:
    """How transcripts are judged, and where the verdicts are kept."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    jobs: int | None = option(
        None,
        N_("How many processes judge; one for each core unless you say otherwise."),
        **count(1, 1024),
    )
    verdicts: Path | None = option(
        None,
        N_(
            "Keep the verdicts in this file, a JSON object a line, and pass over files that it"
            " has one of: a run that was broken off goes on."
        ),
        metavar="FILE",
    )
    dask: str | None = option(
        None,
        N_("The workers of this Dask cluster judge, as of tcp://HOST:8786; extra: cluster."),
        metavar="SCHEDULER",
    )
    send: bool = option(False, N_("With --dask: send the files to workers that lack them."))
    certificate: bool = option(
        False, N_("The files are result certificates: check who won, without the games.")
    )
    vouches: Path | None = option(
        None,
        N_(
            "The file of vouches that a seat kept of this one game: it shows who sat there."
            " Without it the one of this machine is read, if there is one."
        ),
        metavar="FILE",
    )
    save_certificate: Path | None = option(
        None,
        N_("Save the result certificate of this one finished game in this file."),
        metavar="FILE",
    )
