"""What can fail about addresses, tickets, connections and links, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

SYSTEM: Final = {
    "system-refused": N_("the system refused"),
    "no-regular-file": N_("it is no regular file"),
}
ADDRESSES: Final = {
    "address-without-port": N_("{text} has no port: write it as host:port"),
    "address-bad-port": N_("{text} has no port from {least} to {most} after the colon"),
    "address-bad-brackets": N_("{text} has no IPv6 address between the brackets"),
    "address-without-brackets": N_("{text}: write an IPv6 address in brackets, as [::1]:4711"),
    "address-without-machine": N_("{text} names no machine: write it as host:port"),
}
TICKETS: Final = {
    "no-ticket": N_(
        "this is not a ticket: a ticket starts with {prefix}; a nickname needs a terminal"
    ),
    "ticket-of-other-version": N_(
        "this ticket is from another version: host and guest need the same one"
    ),
    "ticket-mistyped-letter": N_(
        "this ticket is mistyped: {letter} is in no ticket;"
        " ask the host for it again and copy the whole word"
    ),
    "ticket-cut-short": N_(
        "this ticket is cut short; ask the host for it again and copy the whole word, in 'quotation"
        " marks' if it comes in several lines"
    ),
    "ticket-letters-missing": N_(
        "this ticket is cut short (letters missing: {number}); ask the host for it again and copy"
        " the whole word, in 'quotation marks' if it comes in several lines"
    ),
    "ticket-letters-too-many": N_(
        "this ticket is too long (letters too many: {number});"
        " ask the host for it again and copy the whole word"
    ),
    "ticket-mistyped": N_(
        "this ticket is mistyped; ask the host for it again and copy the whole word"
    ),
    "ticket-made-short": N_("this ticket was made wrongly: it ends too soon"),
    "ticket-made-long": N_("this ticket was made wrongly: it says more than a ticket can"),
    "ticket-made-with-other-secret": N_(
        "this ticket was made wrongly: its secret has another length"
    ),
    "ticket-made-with-many-addresses": N_(
        "this ticket was made wrongly: it has too many addresses"
    ),
    "ticket-made-with-other-address": N_(
        "this ticket was made wrongly: it has an unknown kind of address"
    ),
    "ticket-made-with-bad-address": N_("this ticket was made wrongly: {why}"),
    "ticket-fields-of-other-size": N_(
        "a ticket needs a host id and a digest of the terms, 32 bytes each"
    ),
    "ticket-secret-of-other-size": N_("the secret of a ticket has 16 bytes"),
    "ticket-with-many-addresses": N_(
        "a ticket has room for {most} addresses of a kind, not {number}"
    ),
    "ticket-with-bad-address": "{why}",
    "ticket-secret-announced": N_("a secret is not for all to hear"),
}
CONNECTIONS: Final = {
    "port-in-use": N_("the port is already in use"),
    "no-such-address": N_("this machine has no such address"),
    "not-allowed": N_("the system does not allow it"),
    "nobody-listens": N_("nobody listens there"),
    "connection-cut": N_("the connection was cut"),
    "no-answer": N_("no answer"),
    "no-answer-in-time": N_("no answer in time"),
    "no-way-to-machine": N_("there is no way to that machine"),
    "no-way-to-network": N_("there is no way to that network"),
    "network-down": N_("the network is down"),
    "process-full": N_("this process has too many connections open"),
    "machine-full": N_("this machine has too many connections open"),
    "no-such-address-family": N_("this machine does not speak that kind of address"),
    "other-tls": N_("it does not speak our kind of TLS"),
    "unknown-machine-name": N_("that name is not known here"),
    "no-machine-name": N_("that is not a name of a machine"),
    "unreached": N_("{address} cannot be reached: {why}"),
    "cannot-listen": N_("cannot listen on {address}: {why}"),
    "connection-failed": N_("the connection failed: {why}"),
    "at-address": "{address}: {why}",
    "no-way": "{reasons}",
    "no-address": N_("no address is known"),
    "slow-answer": N_("{address} did not answer in {seconds} s"),
    "not-let-in": N_("it did not let us in in time"),
    "no-link": N_("no link within {seconds} s to {addresses}"),
    "no-room-here": N_("we take no link with it, or have no room for one more"),
    "not-dialled": N_("{address} is in no network of ours: it is not dialled"),
    "not-by-relay": N_("{address} is none of your relays: with --relay-only it is not dialled"),
    "door-shut": N_("nothing is listened for there any more"),
    "frame-too-large": N_("it announced a frame of {length} bytes, more than {most}"),
    "connection-ended": N_("it closed the connection"),
    "someone-else-answers": N_("someone else answers there: the key is not the expected one"),
    "certificate-of-other-kind": N_("its certificate is not for an Ed25519 key"),
    "lan-quiet": N_("this network cannot be asked for tables"),
    "lan-quiet-because": N_("this network cannot be asked for tables: {why}"),
    "lan-carries-nothing": N_("this network does not carry our announcement"),
}
LINKS: Final = {
    "verdict-not-proven": N_("it did not believe our signature"),
    "verdict-full": N_("it has no room for more links"),
    "verdict-duplicate": N_("it already has a link with us"),
    "verdict-refused": N_("it does not want a link with us"),
    "verdict-unknown": N_("nobody with that id or number waits at this relay"),
    "verdict-no-answer": N_("the one who waits at this relay did not answer"),
    "verdict-elsewhere": N_("another process with our key is linked with it"),
    "no-verdict": N_("it gave no verdict we know"),
    "handshake-of-other-version": N_("it speaks another language, or another version of ours"),
    "answer-of-other-size": N_("its answer to the challenge has the wrong length"),
    "answer-by-ourselves": N_("it claims to be ourselves"),
    "answer-without-proof": N_("its signature does not prove its id"),
    "answer-without-address": N_("its answer is not one address"),
    "link-closed": N_("it closed the link"),
    "link-closed-here": N_("we closed it"),
    "link-too-slow": N_("it does not read as fast as we have to send"),
    "link-silent": N_("nothing was heard of it for {seconds} s"),
    "link-unread": N_("it read nothing we sent for {seconds} s"),
    "link-replaced": N_("a better link to the same peer took its place"),
    "link-made-room": N_("it made room for another"),
    "punch-of-other-form": N_("it does not speak of meeting directly as we do"),
    "punch-not-met": N_("no direct way was found"),
    "relay-came-again": N_("the same id came to wait here again"),
    "no-metrics-library": N_("metrics need the package {name}: install it with {command}"),
    "no-cluster-library": N_("a cluster needs the package {name}: install it with {command}"),
    "cluster-unreached": N_("no Dask scheduler answers at {address}: name it as tcp://HOST:8786"),
    "cluster-empty": N_("the cluster at {address} has no worker: begin some, as by dask worker"),
    "cluster-gone": N_("the cluster at {address} has gone, and left work undone"),
    "cluster-otherwise": N_(
        "the cluster at {address} cannot do this ({kind}): all its machines need the same version"
        " of p2p-hoity as this one"
    ),
    "relay-made-room": N_("the relay is full, and had too many seats of this address"),
    "relay-spoken-to": N_("a seat that waits has nothing to say here"),
    "table-not-shown": N_("it did not show which table it plays at, or the ticket"),
    "seat-full": N_("it has its fill of onlookers"),
    "seat-unwatched": N_("it lets nobody look on"),
    "frame-unreadable": N_("what came over it cannot be read at this table ({why})"),
    "table-unsigned": N_("it shows no table that our host has signed ({why})"),
    "ticket-not-shown": N_("it did not show the ticket"),
    "no-consent": N_("it sent what is no consent to these terms ({why})"),
    "sat-unasked": N_("it sat down unasked, or again and again"),
}
NETWORK: Final = {**SYSTEM, **ADDRESSES, **TICKETS, **CONNECTIONS, **LINKS}
