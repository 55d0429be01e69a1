"""The phrase book: sentences that come up from below in English, marked for the catalogues."""

from __future__ import annotations

from typing import Final

from .lingo import N_, _

SEAT_FAULTS: Final = frozenset(
    {
        N_("signed two different statements of one identity"),
        N_("spoke on two chains in one epoch"),
        N_("sealed or spoke in an epoch that a later halt of its own leaves out"),
        N_("left a say of its own out of a halt"),
        N_("signed a halt that is not well formed"),
        N_("proposed a base that does not follow from its halts"),
        N_("spoke in a step in which nothing was asked of it"),
        N_("said a body that is not of the form of the step"),
        N_("sent a value that is no canonical element of the group"),
        N_("sent a value that is no canonical scalar"),
        N_("sent a transport key of low order"),
        N_("showed another key than it had committed to"),
        N_("did not prove that it knows its key"),
        N_("sealed a backup piece that does not fit its own key"),
        N_("complained of a backup piece that is sound"),
        N_("did not prove its shuffle"),
        N_("did not prove its share of a card"),
        N_("sealed an escrow that does not hold its choice"),
        N_("did not prove its share of an escrow"),
        N_("opened another choice than it had committed to"),
        N_("made a choice the rules forbid"),
    }
)
"""What a seat can be proven guilty of; see protocol.faults."""

FILE_FAULTS: Final = frozenset(
    {
        N_("there is nothing in the file"),
        N_("the file is larger than any game"),
        N_("the file ends in the middle"),
        N_("the file is no transcript"),
        N_("the file is of another version"),
        N_("the bytes are not the one encoding of their value"),
        N_("a part of the file is not of its form"),
        N_("the header does not hold"),
        N_("the terms name no game that is known here"),
        N_("a body has no signature"),
        N_("a signature does not hold for what the file says"),
        N_("something is signed in an epoch that the file does not reach"),
        N_("a message is not of its form"),
        N_("the evidence is not in its order"),
        N_("a seat that was asked has said nothing, and its absence is not shown"),
        N_("no base makes the seat absent here"),
        N_("no base finds the seat at fault here"),
        N_("no base changes who is present here"),
        N_("something that a change of epoch rests on is not in the file"),
        N_("a base does not follow from its halts, or is not that of the chain"),
        N_("two bases of one epoch are sealed: the table is void"),
        N_("the last epoch has not the seals of a quorum"),
        N_("the file holds what nothing needs"),
        N_("the game is not over, or its end is not final"),
    }
)
"""What a file can be refused for; see protocol.unsound."""

PEER_WORDS: Final = frozenset(
    {
        N_("this is your own ticket: give it to the others"),
        N_("the host cannot be reached"),
        N_("the host did not say its terms: ask for a new ticket"),
        N_("the host offers other terms than its ticket names"),
        N_("the table is full: its game has begun"),
        N_("you did not take the seat"),
        N_("the host refused the seat"),
        N_("the table is full"),
        N_("the host's roster is not valid"),
        N_("the host's roster is of another table"),
        N_("the table is full: its game has begun without you"),
        N_("the host speaks otherwise"),
        N_("the links are closed"),
        N_("these terms cannot be played"),
        N_("there is no such game to resume on this machine"),
        N_("the journal is of another key than yours"),
        N_("there is no key yet: make one with `hoity id new`"),
        N_("the passphrase is wrong, or the file is damaged"),
        N_("the file is sealed: give its passphrase (HOITY_PASSPHRASE)"),
        N_("nobody listens there"),
        N_("the connection was cut"),
        N_("no answer"),
        N_("no answer in time"),
        N_("there is no way to that machine"),
        N_("that name is not known here"),
        N_("the port is already in use"),
        N_("stopped"),
        N_("an onlooker"),
        N_("it closed the link"),
        N_("two bases of one epoch are sealed: the table is void, with proof"),
        N_("the letters of an exhibit form an unbroken run"),
    }
)
"""What peers and the network say most often; anything else stays English."""


def said(text: str) -> str:
    """A sentence from below in the language spoken, as far as the phrase book has it.

    "This: because of that" is looked up whole, then part by part.
    """
    known = _(text)
    if known != text or ": " not in text:
        return known
    head, tail = text.split(": ", 1)
    return f"{_(head)}: {said(tail)}"
