"""Every update of a table has its sentences for people, and its object for programs."""

from support.at_prompt import written_of

from cli.ui.lines.line_screen import LineScreen
from p2p_hoity.coded_errors import because
from p2p_hoity.net.network_errors import NetCode
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import (
    SCOPES,
    ReachCode,
    Scope,
)

TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


MOVED = updates.Moved(Scope.LAN, (because(SCOPES[Scope.LAN]), because(ReachCode.OTHERWISE)), TICKET)


def test_the_ticket_of_one_who_moved_is_shown() -> None:
    lines: list[str] = []
    LineScreen(lines.append)(MOVED)
    assert lines.count(TICKET) == 1
    assert any("not everybody can reach you" in line for line in lines)
    assert "hoity resume --relay" in lines[-1]
    moved, taken = written_of(MOVED, updates.TicketTaken("Bob"))
    assert (moved["type"], moved["reach"], moved["ticket"]) == ("moved", "lan", TICKET)
    assert taken == {"type": "ticket-taken", "name": "Bob"}


def test_a_relay_that_is_lost_or_found_again_is_told() -> None:
    lines: list[str] = []
    lost = updates.RelayState("r.example:1", because(NetCode.CUT))
    found = updates.RelayState("r.example:1", None)
    for update in (lost, found):
        LineScreen(lines.append)(update)
    assert "r.example:1 does not work at the moment (the connection was cut)" in lines[0]
    assert "r.example:1 works again" in lines[1]
    first, second = written_of(lost, found)
    assert first["type"] == second["type"] == "relay-state"
    assert (first["relay"], first["waits"], first["code"]) == ("r.example:1", False, NetCode.CUT)
    assert second == {"type": "relay-state", "relay": "r.example:1", "waits": True}
