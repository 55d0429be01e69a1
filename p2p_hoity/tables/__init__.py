"""A peer's entry points: open a table, sit down at one, take a seat again, look on."""

from __future__ import annotations

from ..session.driver import Outcome
from ..session.updates import Screen
from .by_code import ticket_by_code
from .door import Admit
from .finishing import finish_from
from .fresh_tickets import FreshError, check_fresh, hand_over
from .hosting import host_table
from .joining import Accept, join_table, kept_seat
from .resuming import OpenGame, claim_game, find_game, open_games, resume_table
from .seating import Lan, PeerError, Reach, Seat, journal_path, open_hub, transcript_path
from .watching import Onlooker, watch_table

__all__ = [
    "Accept",
    "Admit",
    "FreshError",
    "Lan",
    "Onlooker",
    "OpenGame",
    "Outcome",
    "PeerError",
    "Reach",
    "Screen",
    "Seat",
    "check_fresh",
    "claim_game",
    "find_game",
    "finish_from",
    "hand_over",
    "host_table",
    "join_table",
    "journal_path",
    "kept_seat",
    "open_games",
    "open_hub",
    "resume_table",
    "ticket_by_code",
    "transcript_path",
    "watch_table",
]
