"""The command `relay`, which runs a relay for others, or remembers a relay for the player."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from typing import Final

import trio

from p2p_hoity.net.link_limits import open_files
from p2p_hoity.net.typed_addresses import typed_relay
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import LogWriter, Watch
from p2p_hoity.relay.relay_metrics import exposition, need_libraries, serve_metrics
from p2p_hoity.relay.relay_server import Relay
from p2p_hoity.relay.web_door import WebDoor
from p2p_hoity.storage.home import home
from p2p_hoity.table.gathering.spoken_codes import USUAL_PORT, parse_relay
from p2p_hoity.table.open_links import LOOPBACK
from protocol.units import Seconds

from ..exit_codes import INTERRUPTED, OK, ctrl_c_means
from ..local import settings
from ..local.ending_signals import ENDING_SIGNALS, once
from ..local.seat_checks import check_home
from ..printing import say, write_line
from ..words.translation import INSTALLED, _, figures
from .options import RelayOptions
from .reach_options import listening
from .web_door_options import page_folder, web_door

FILES_A_CALL: Final = 2
SPARE_FILES: Final = 256
RARELY: Final = (20_000, 20, 500)
"""The thresholds for `gc.set_threshold`, with which a full collection happens rarely."""
LAST_LINES: Final[Seconds] = 0.1
"""The time that is left to write the last log lines before the program ends, in seconds."""


def relay(how: RelayOptions) -> int:
    """Run a relay until a signal arrives, and then drain it: no new connections are accepted.

    Return INTERRUPTED if a second signal ended the draining.
    """
    place = listening(how.listen, example=f"0.0.0.0:{USUAL_PORT}")
    if how.metrics is not None:
        # A wrong address is refused before the relay opens a port.
        _metrics_place(how.metrics)
        need_libraries()
    most = [min(number, how.same_address) for number in (how.seats, how.calls)]
    limits = RelayLimits(how.seats, most[0], how.calls, most[1])
    door = None if how.web is None else listening(how.web, "--web", "127.0.0.1:4680")
    web = web_door(how)
    lacking = open_files(limits.seats + FILES_A_CALL * limits.splices + SPARE_FILES)
    # With thousands of connections a full collection takes half a second, in which no byte is
    # forwarded.
    gc.set_threshold(*RARELY)
    with ctrl_c_means(lambda: _("Interrupted: the relay is closed.")):
        return trio.run(_serve, place, door, web, limits, how, lacking)


def _metrics_place(typed: str) -> tuple[str, int]:
    return listening(typed, "--metrics", "127.0.0.1:9464")


async def _serve(
    place: tuple[str, int],
    door: tuple[str, int] | None,
    web: WebDoor | None,
    limits: RelayLimits,
    how: RelayOptions,
    lacking: int | None,
) -> int:
    """Run the relay, its log and its metrics until it has ended, and return the exit code.

    `lacking` is the number of connections that the system allows, if that is too few, or else None.
    """
    writer = LogWriter(sys.stderr) if how.log or how.log_addresses else None
    watch = Watch(writer.put if writer else None, how.log_addresses)
    relay, stop = Relay(limits, watch, web=web), trio.Event()
    async with trio.open_nursery() as nursery:
        if writer is not None:
            nursery.start_soon(writer.run)

        async def until_drained(task_status: trio.TaskStatus[list[str]]) -> None:
            await relay.serve(*place, stop=stop, drain=how.drain, web=door, task_status=task_status)
            await trio.sleep(LAST_LINES)
            nursery.cancel_scope.cancel()

        # Before the relay listens, so that each signal from then on drains it.
        with trio.open_signal_receiver(*ENDING_SIGNALS) as received:
            signals = once(received)
            found = await nursery.start(until_drained)
            metrics: list[str] = []
            if how.metrics is not None:
                host, port = _metrics_place(how.metrics)
                page = exposition(relay, watch)
                metrics = await nursery.start(serve_metrics, host or LOOPBACK, port, page)
            _announce(found, relay.web_addresses, metrics, lacking, how)
            await anext(signals)
            stop.set()
            _say_that_it_drains(how, relay.calls.spliced)
            await anext(signals)
        nursery.cancel_scope.cancel()
        return INTERRUPTED
    return OK


def _announce(
    found: list[str],
    doors: list[str],
    metrics: list[str],
    lacking: int | None,
    how: RelayOptions,
) -> None:
    """Print where the relay listens, how it is used, and whether the system limits it."""
    if how.as_json:
        write_line({"type": "relay", "addresses": found, "metrics": metrics, "web": doors})
        return
    say(
        _(
            "The relay listens at {addresses}. It sees who is connected and how many bytes "
            "pass, never the content."
        ).format(addresses=", ".join(found))
    )
    if metrics:
        words = _("Its metrics are at http://{address}/metrics.")
        say(words.format(address=metrics[0]))
    if doors:
        words = _("It serves the web at {addresses}. A host uses it with: --relay {url}")
        url = typed_relay((how.web_url or [""])[0]).place
        say(words.format(addresses=", ".join(doors), url=url))
        if (folder := page_folder(how)) is not None:
            say(_("Guests play in their browser by the page in {folder}.").format(folder=folder))
    words = _("A host uses this relay with: {hoity} host --relay HOST:PORT. Ctrl-C ends the relay.")
    say(words.format(hoity=INSTALLED))
    if lacking is not None:
        words = _("This system allows the relay no more than {number} connections.")
        say(words.format(number=lacking))


def _say_that_it_drains(how: RelayOptions, splices: int) -> None:
    """Print that the relay refuses connections, and how many pairs of peers are still connected."""
    if how.as_json:
        write_line({"type": "drains", "splices": splices, "seconds": how.drain})
        return
    words = _(
        "The relay accepts nobody any more. Pairs still connected: {number}. It ends with the "
        "last of them, after {seconds} seconds at the latest, or at once on a second signal."
    )
    say(words.format(number=splices, seconds=figures(how.drain)))


def use(address: str, as_json: bool) -> int:
    """Remember a relay (HOST:PORT) for the player's tables and codes, or forget it by `none`."""
    chosen = None if settings.is_none(address) else parse_relay(address)
    check_home(home())
    settings.keep(home(), replace(settings.load(), relay=chosen))
    if as_json:
        write_line({"type": "use", "relay": chosen})
    elif chosen is None:
        say(_("No relay is remembered any more."))
    else:
        words = _(
            "This relay is remembered: your tables can be reached through {relay}, and their "
            "codes are valid there."
        )
        say(words.format(relay=chosen))
    return OK
