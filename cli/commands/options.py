"""The options of the commands: a dataclass for each concern, with the help texts.

A command function has these dataclasses as parameters. `takes_options` makes Typer build them from
what is typed. The help text of an option documents its field. None means that it is not typed. This
module imports nothing that loads slowly.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from typer import Argument, BadParameter, Option

from ..words.translation import N_
from .option_classes import Without, option
from .typed_paths import edition_given

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

TABLE: Final = N_("Table")
BOTS: Final = N_("Bots")
GUESTS: Final = N_("Who may come")
NETWORK: Final = N_("Network")
SEAT: Final = N_("Your seat")
OUTPUT: Final = N_("Output")
"""The last of the headings of a long help text. Each stands where the first of its options does."""

# Completion by the shell, from the names of files alone: no file is opened

LAST: Final = "last"
"""The word that a player types instead of an id for the newest game."""
GAME: Final = re.compile(r"([0-9a-f]{16})\s.*|([0-9a-f]{4,16})[\w.]*\.(?:hoity|journal)", re.DOTALL)
"""The pattern of a line that begins with the id of a game, and of the name of a game's file."""


def typed_id(word: str) -> str:
    """Return the id of a game, or LAST, as it is stored, from what a player has typed or pasted.

    The word may be in capitals, in quotation marks, or in a command. It may also be a line of
    `hoity games`, or the name of the game's file. The word itself is returned if nothing is left of
    it.
    """
    from p2p_hoity.pasted_text import after_command, bare, visible

    text = bare(after_command(visible(word))).lower()
    found = GAME.fullmatch(text)
    return (found[1] or found[2]) if found is not None else text or word


def open_games(incomplete: str) -> list[str]:
    """Complete a typed word to the ids of unfinished games, or to `last`."""
    return _games(incomplete, lambda home: home.journals.glob("*.journal"))


def transcripts(incomplete: str) -> list[str]:
    """Complete a word to the ids of games with a transcript, or to `last`. The shell adds files."""
    return _games(incomplete, lambda home: home.transcripts.glob("*.hoity"))


def bots(incomplete: str) -> list[str]:
    """Complete the last of some levels of bots with commas between, or a number of bots."""
    from p2p_hoity.bots import LEVELS

    before, comma, last = incomplete.rpartition(",")
    offered = LEVELS if comma else (*LEVELS, *map(str, range(1, 6)))
    return [f"{before}{comma}{one}" for one in offered if one.startswith(last)]


def editions(incomplete: str) -> list[str]:
    """Complete a word to the name of an edition. The shell adds files."""
    from p2p_hoity.editions.load_edition import NAMES

    return [name for name in NAMES if name.startswith(incomplete)]


def codes(incomplete: str) -> list[str]:
    """Complete the last word of a partly typed spoken code, such as `7-ma`.

    A hyphen follows if the code needs more words.
    """
    from p2p_hoity.table.gathering.spoken_codes import MOST_WORDS, WORDS, beginning_with

    number, *words = incomplete.split("-")
    if not number.isdecimal() or not 0 < len(words) <= MOST_WORDS:
        return []
    before = "-".join((number, *words[:-1]))
    behind = "-" if len(words) < WORDS else ""
    return [f"{before}-{word}{behind}" for word in beginning_with(words[-1].lower())]


def _games(incomplete: str, files: Callable[[Home], Iterable[Path]]) -> list[str]:
    """Return the ids, by which the files are named, and `last` that begin with a word, sorted."""
    from p2p_hoity.storage.home import FolderError, home

    names: set[str] = set()
    with suppress(OSError, FolderError):
        names = {path.name.partition(".")[0] for path in files(home())}
    return sorted(name for name in (*names, LAST) if names and name.startswith(incomplete))


# Options of several commands


class NoSeconds(BadParameter):
    """The error for an option that takes seconds and was given NaN."""


def missing(ctx: Any, name: str) -> Any:
    """Return Typer's error that says that an argument is missing, to be raised."""
    (param,) = [one for one in ctx.command.params if one.name == name]
    library = sys.modules[BadParameter.__module__]
    return library.MissingParameter(ctx=ctx, param=param, param_hint="'TICKET'")


def _number(number: float | None) -> float | None:
    """Return a number of seconds, or raise an error if it is NaN, which Typer would accept."""
    if number is not None and math.isnan(number):
        raise NoSeconds("no number")
    return number


def seconds(least: float, most: int) -> dict[str, Any]:
    """Return the further arguments of `option` for an option that takes seconds."""
    return {"metavar": "SECONDS", "min": least, "max": most, "callback": _number}


def count(least: int, most: int) -> dict[str, Any]:
    """Return the further arguments of `option` for an option that takes a whole number."""
    return {"metavar": "N", "min": least, "max": most}


PLACE: Final = "HOST:PORT"
"""The placeholder in a help text for an address with its port."""


JsonOption = Annotated[
    bool, Option("--json", help=N_("Print one JSON object on each line, for programs."))
]
PlainOption = Annotated[
    bool,
    Option(
        "--plain",
        envvar="HOITY_PLAIN",
        show_envvar=False,
        help=N_(
            "Use the line prompt instead of the full screen, for screen readers and pipes. "
            "HOITY_PLAIN=1 in the environment does this for every command."
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
        callback=edition_given,
        autocompletion=editions,
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
            "Connect through a SOCKS5 proxy, such as socks5://127.0.0.1:9050 for Tor, and tell "
            "nobody an address of this machine. Put a proxy with a password into HOITY_PROXY."
        ),
    ),
]
ListenOption = Annotated[
    str,
    Option(
        "--listen",
        metavar=PLACE,
        help=N_(
            "The address to listen on. Port 0 is any free port, which is also used if the "
            "default port is in use."
        ),
    ),
]


def _ticket(metavar: str, words: str) -> Any:
    """Return an argument for a ticket or code, which the help names `metavar` and describes."""
    return Argument(
        metavar=metavar,
        envvar="HOITY_TICKET",
        show_envvar=False,
        show_default=False,
        help=words,
        autocompletion=codes,
    )


TicketArgument = Annotated[
    list[str], _ticket("TICKET|CODE", N_("The ticket or code that the host gave you."))
]
WhereArgument = Annotated[
    list[str] | None,
    _ticket(
        "[TICKET|CODE|NICK]",
        N_(
            "The ticket or code that the host gave you, or the nickname of a host on this LAN. "
            "Without it you choose from the tables of the LAN."
        ),
    ),
]
"""A list, because a ticket that is copied with a line break arrives as several words."""

GAME_HELP: Final = N_("The id of the game, or its beginning. last is the newest game.")
GameArgument = Annotated[str, Argument(metavar="GAME", help=GAME_HELP, autocompletion=open_games)]
OptionalGameArgument = Annotated[
    str | None,
    Argument(metavar="[GAME]", help=GAME_HELP, show_default=False, autocompletion=open_games),
]

# Output


@dataclass(frozen=True)
class WebOptions:
    """Whether a game is shown as a page in a browser, and how the page is reached."""

    HEADING: ClassVar = OUTPUT
    web: bool = option(
        False, N_("Show the table in your browser. The page is for this computer only.")
    )
    web_port: int | None = option(
        None,
        N_("With --web: serve it at this port, 0 for any, and print its address: open no browser."),
        **count(0, 65_535),
    )


@dataclass(frozen=True)
class ReplayOptions(WebOptions):
    """How a recorded game is shown, or the file in which something of it is saved."""

    step: bool = option(False, N_("Wait for Enter after every round."))
    as_json: JsonOption = False
    plain: PlainOption = False
    picture: Path | None = option(
        None,
        N_(
            "Do not show the game. Save a picture of it in this file: who won, the path of "
            "each figure, what decided it (SVG)."
        ),
        metavar="FILE",
    )
    film: Path | None = option(
        None,
        N_("Do not show the game. Save it in this file as messages for programs (JSON)."),
        metavar="FILE",
    )


@dataclass(frozen=True)
class OutputOptions(WebOptions):
    """The kind of screen on which a game is shown, and the file for its transcript."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    plain: PlainOption = False
    transcript: Path | None = option(
        None, N_("The file for the transcript of the finished game."), metavar="FILE"
    )

    @property
    def typed(self) -> str:
        """The option for this kind of screen, or "", for commands that are told to the player."""
        if self.web:
            return "--web"
        return "--json" if self.as_json else "--plain" if self.plain else ""


# Seat


@dataclass(frozen=True)
class SeatOptions:
    """The options of one seat: who plays it, its nickname, its chat and its sounds.

    Attributes:
        name: The nickname. None for the stored one, or for a drawn one.
        until_eof: Whether the seat leaves when its standard input ends. This is used for bots.
    """

    HEADING: ClassVar = SEAT
    auto: bool | None = option(False, N_("A bot plays your seat."), heading=BOTS)
    name: NameOption = None
    no_talk: bool = option(False, N_("Neither show nor send what people say."))
    unknown: bool = option(
        False, N_("Show nobody your long-lived key. The others see only your nickname.")
    )
    again: bool | None = option(
        None,
        N_(
            "Ask for another game with the same people, or not. The default is to ask on a "
            "terminal."
        ),
        "--again/--no-again",
        show_default=False,
    )
    no_bell: bool = option(False, N_("Do not ring when it is your turn."), heading=OUTPUT)
    until_eof: bool = option(False, None)


@dataclass(frozen=True)
class PlayOptions(SeatOptions):
    """The options of a seat in a game against bots."""

    auto: bool | None = option(
        None,
        N_("A bot plays your seat. It also takes over if the input ends before your first answer."),
        "--auto/--no-auto",
        heading=BOTS,
        show_default=False,
    )


@dataclass(frozen=True)
class ResumeOptions:
    """The options that end a game whose other players are gone, instead of resuming it."""

    HEADING: ClassVar = SEAT
    claim: bool = option(
        False, N_("Do not sit down. Save the game as far as it was played, as a claim.")
    )
    file: Path | None = option(
        None,
        N_("Do not sit down. The game is over, and this is the file of another seat."),
        "--from",
        metavar="FILE",
    )


NO_NAME: Final = Without(("name",))
ONLOOKER: Final = Without(("auto", "name", "unknown", "no_bell", "until_eof"))
"""The annotation of an onlooker, who can still chat and follow the players to the next table."""

# Table


MAX_TIMEOUT: Final = 2_592_000
"""The longest time that a table may allow for a choice or another step, in seconds."""
CHOICE_TIMEOUT_HELP: Final = N_(
    "Seconds to wait for a choice before the game may go on without the seat."
)


@dataclass(frozen=True)
class TableOptions:
    """The terms that a host asks of its table. The edition decides about rules that are None."""

    HEADING: ClassVar = TABLE
    seats: int = option(4, N_("The number of seats at the table, including yours."), **count(2, 6))
    edition: EditionOption = USUAL_EDITION
    variant: Literal["surprise", "confrontation"] | None = option(
        None, N_("For two seats only. The default is surprise.")
    )
    action_choice: Literal["staged", "together"] | None = option(
        None,
        N_(
            "staged: seats in the Castle choose their Action after the sale; together: all "
            "seats choose at once."
        ),
    )
    detective_in_hall: bool | None = option(
        None,
        N_("Allow a Detective in the Auction Hall, or not."),
        "--detective-in-hall/--no-detective-in-hall",
        show_default=False,
    )
    detective_rank: Literal["after", "before"] | None = option(
        None, N_("A Detective's rank is taken after or before the Exhibits move.")
    )
    quorum: int | None = option(
        None,
        N_(
            "How many seats can go on without the others. The default is 2, 2, 3, 4, 4 for two "
            "to six seats."
        ),
        metavar="T",
    )
    patience: float | None = option(300.0, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))
    step_patience: float = option(
        30.0,
        N_("Seconds to wait for every other step. Slow links need more."),
        **seconds(1, MAX_TIMEOUT),
    )


@dataclass(frozen=True)
class BotTableOptions(TableOptions):
    """The terms of a table for a game against bots. By default a person has more time to choose."""

    patience: float | None = option(None, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))


NO_SEATS: Final = Without(("seats", "step_patience"))


@dataclass(frozen=True)
class GuestOptions:
    """The options about who may come to a table and how the table is announced."""

    HEADING: ClassVar = GUESTS
    lan: Literal["open", "closed", "off"] = option(
        "closed",
        N_(
            "open: the table is announced on the LAN, and everybody there may sit down; closed: "
            "it is announced, and a seat needs the ticket; off: it is not announced."
        ),
    )
    qr: bool = option(False, N_("Show the ticket as a QR code too."))
    asks: bool = option(
        False, N_("Decide about each guest yourself. You see its nickname and key."), "--ask"
    )
    no_watch: bool = option(False, N_("Allow no onlookers. The guests are told."))


# Network

USUAL: Final = ":4647"
"""The usual address. Its port is fixed for firewalls. If it is in use, any free one is taken."""


@dataclass(frozen=True)
class NetworkOptions:
    """The options about how a seat can be reached and how it connects to others.

    Attributes:
        relay: None for the relay that the program remembers.
    """

    HEADING: ClassVar = NETWORK
    listen: ListenOption = USUAL
    relay: list[str] | None = option(
        None,
        N_("A relay through which you can be reached; none: not even the remembered one."),
        metavar=f"{PLACE}|wss://NAME",
    )
    relay_only: bool = option(
        False,
        N_(
            "Connect only to your relays, and be reached only through them: the other seats "
            "learn no address of yours."
        ),
    )
    advertise: list[str] | None = option(
        None,
        N_(
            "The address at which others reach you through a port that you forward. It is first "
            "in the ticket."
        ),
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
    """The network options of a seat that is resumed. It keeps what is not typed."""

    listen: str = option(
        "",
        N_(
            "The address to listen on, if this machine has another address now. Your program "
            "connects to the others."
        ),
        metavar="HOST:PORT",
        show_default=False,
    )
    relay: list[str] | None = option(
        None,
        N_("A relay through which you can be reached from now on; none: no relay."),
        metavar=PLACE,
    )


@dataclass(frozen=True)
class WatchOptions:
    """The options about how an onlooker connects to a table and what it sees.

    Attributes:
        relay: None for the relay that the program remembers.
    """

    HEADING: ClassVar = NETWORK
    relay: list[str] | None = option(None, N_("The relay at which a code is valid."), metavar=PLACE)
    proxy: ProxyOption = None
    since: Literal["start", "now"] = option(
        "start",
        N_("start: the game from its beginning; now: from here on."),
        "--from",
        heading=OUTPUT,
    )


@dataclass(frozen=True)
class RelayOptions:
    """The options of a relay: its limits, how it ends, and what it logs."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = ":4646"
    seats: int = option(6_000, N_("How many seats may wait at the relay."), **count(1, 10**6))
    calls: int = option(15_000, N_("How many pairs may be connected at once."), **count(1, 10**6))
    same_address: int = option(
        256, N_("How many of each may come from one address."), **count(1, 10**6)
    )
    drain: float = option(
        30.0,
        N_("Seconds for which connected pairs may go on once the relay is told to end."),
        **seconds(0, 86_400),
    )
    log: bool = option(
        False, N_("Write a line for each event to standard error, without addresses.")
    )
    log_addresses: bool = option(False, N_("As --log, with addresses."))
    metrics: str | None = option(
        None,
        N_("Serve metrics for Prometheus at this address; without HOST to this machine alone."),
        metavar=PLACE,
    )
    web: str | None = option(
        None,
        N_("Serve browsers, and networks that let only the web pass, at this address."),
        metavar=PLACE,
    )
    web_url: list[str] | None = option(
        None,
        N_("The address by which they reach it, such as wss://relay.example."),
        metavar="URL",
    )
    web_origin: list[str] | None = option(
        None, N_("An origin whose pages may use the relay too."), metavar="ORIGIN"
    )
    web_cert: Path | None = option(
        None, N_("The certificate of --web, if no proxy before it has one."), metavar="FILE"
    )
    web_key: Path | None = option(None, N_("The key of that certificate."), metavar="FILE")
    web_page: Path | None = option(
        None,
        N_("The folder of the page that guests play by, if not that of p2p-hoity-page."),
        metavar="FOLDER",
    )
    as_json: JsonOption = False
    use: str | None = option(
        None,
        N_("Do not run a relay. Remember this one for your tables and codes; none forgets it."),
        metavar=PLACE,
    )


@dataclass(frozen=True)
class VerifyOptions:
    """The options about how transcripts are checked and where the verdicts are stored."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    jobs: int | None = option(
        None,
        N_("How many processes check files. The default is one for each core."),
        **count(1, 1024),
    )
    verdicts: Path | None = option(
        None,
        N_(
            "Write the verdicts into this file, one JSON object on each line, and skip files "
            "that have one. So an interrupted run can be continued."
        ),
        metavar="FILE",
    )
    dask: str | None = option(
        None,
        N_(
            "Let the workers of this Dask cluster check the files, for example tcp://HOST:8786. "
            "Needs the extra: cluster."
        ),
        metavar="SCHEDULER",
    )
    send: bool = option(False, N_("With --dask: send the bytes of the files to the workers."))
    certificate: bool = option(
        False, N_("The files are result certificates: check who won, without the games.")
    )
    vouches: Path | None = option(
        None,
        N_(
            "The file of vouches of this one game, which shows who sat there. Without this "
            "option the file on this machine is used, if there is one."
        ),
        metavar="FILE",
    )
    save_certificate: Path | None = option(
        None,
        N_("Save the result certificate of this one finished game in this file."),
        metavar="FILE",
    )
