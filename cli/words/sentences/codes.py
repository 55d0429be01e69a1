"""Why a code leads to no ticket, and why a host has none, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

CODES: Final = {
    "no-code": N_(
        "{text} is no code; a code is a number and two words or more, as in 7-lantern-walrus"
    ),
    "code-of-no-word": N_("{text} is no word of a code; ask the host to say it again"),
    "code-misspelt": N_("{text} is no word of a code; perhaps {meant}? Nothing was tried yet"),
    "code-with-bad-relay": N_("what stands behind the @ is no relay: {why}"),
    "code-unknown-there": N_(
        "nobody waits under the number {number} at {relay}: a code is good for one try and some"
        " minutes. Ask the host for the one it shows now"
    ),
    "code-relay-busy": N_(
        "{relay} takes no more tries from your address just now; wait a minute, and ask the host"
        " for the code it shows then"
    ),
    "code-relay-unreached": N_(
        "the relay {relay} cannot be asked ({why}); a ticket from the host does without it"
    ),
    "code-unanswered": N_(
        "who waits under the number {number} at {relay} did not answer: ask the host for the code"
        " it shows now"
    ),
    "code-wrong": N_(
        "the words are not the host's, and the code is burned: ask the host for the one it shows"
        " now. If they were typed right, the relay may have tried to listen; take another relay,"
        " or the ticket"
    ),
    "code-without-ticket": N_("the host gave no ticket for the code: {why}"),
    "code-message-malformed": N_(
        "what answers under this number is no host of ours: ask the host for the code it shows"
        " now, or for the ticket"
    ),
    "codes-relay-lost": N_(
        "There is no code now: the relay {relay} fails ({why}). It is tried again; the ticket"
        " works without it"
    ),
    "codes-guessed-at": N_(
        "Strangers try codes at {relay}: from now on yours have {words} words. The ticket works"
        " without a code"
    ),
    "mailbox-over": N_("the relay has ended the conversation"),
    "mailbox-made-room": N_("the relay is full, and had too many hosts of this address"),
    "mailbox-spoken-to-early": N_("the host spoke before a guest was there"),
    "mailbox-too-much-said": N_("more was said than an exchange takes"),
}
