"""What a ticket is good for, what a router or a proxy says, and what to do, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

TICKET: Final = {
    "reach-anywhere": N_("This ticket works from anywhere."),
    "reach-six": N_(
        "From elsewhere this ticket works over IPv6 only, and only if your router lets calls in."
    ),
    "reach-lan": N_("This ticket works only on your own network."),
    "reach-machine": N_("This ticket works only on this very machine."),
    "reach-nowhere": N_("This ticket names no way to you: nobody can join with it."),
    "reach-hidden": N_(
        "All goes through the proxy: no address of this machine is named, no router is asked, and"
        " this network is told nothing."
    ),
    "reach-relay-only": N_(
        "You are reached through the relay alone: it learns your address, and the others learn none"
        " of yours. No router is asked, and this network is told nothing."
    ),
    "reach-take-relay": N_(
        "For guests elsewhere open the table with a relay that all can reach: --relay HOST:PORT."
    ),
    "reach-forward": N_(
        "Or forward TCP port {port} of your router to this machine, and open the table with"
        " --listen :{port} --advertise HOST:{port}."
    ),
    "reach-resume-otherwise": N_(
        "For others elsewhere leave, and take your seat again where they reach you: hoity resume"
        " --relay HOST:PORT, or with a forwarded port hoity resume --advertise HOST:PORT."
    ),
}
ROUTER: Final = {
    "router-asked": N_(
        "Your router is being asked to let guests in; if it does, you get a better ticket."
    ),
    "router-opened": N_(
        "Your router lets guests in at {address}, until this table is closed here."
    ),
    "router-behind-another": N_(
        "Your router's own address is {address}, which the internet does not know: another router,"
        " perhaps your provider's, stands before it (double NAT)."
    ),
    "router-seen-otherwise": N_(
        "Your router says that it is {address}, the relay sees {seen}: guests may need the relay."
    ),
    "router-unknown": N_("No router of this network was found to be asked for a way in."),
    "router-leads-elsewhere": N_(
        "The router could only let guests in at {host}, where this table does not listen."
    ),
    "router-silent": N_("The router does not answer when it is asked for a way in."),
    "router-does-not-open": N_("The router opens no ways in by itself."),
    "router-refuses": N_("The router was asked for a way in and refuses: {why}."),
    "router-not-allowed": N_("its settings do not allow it"),
    "router-offline": N_("it has no connection to the internet"),
    "router-full": N_("it has no room for one more"),
    "router-another-between": N_("another router stands between"),
    "router-cannot": N_("it cannot (code {number})"),
}
PROXY: Final = {
    "bad-proxy": N_("a proxy is written socks5://HOST:PORT, or socks5://NAME:PASSWORD@HOST:PORT"),
    "proxy-unreached": N_("the proxy {proxy} cannot be reached: {why}"),
    "proxy-refused": N_("{address}, by the proxy: {why}"),
    "proxy-failed": N_("it has failed"),
    "proxy-forbids": N_("it does not allow it"),
    "proxy-lets-not-in": N_("it does not speak SOCKS5, or does not take your name and password"),
    "not-dialled-by-proxy": N_(
        "{address} could lead into a network behind the proxy: it is not dialled"
    ),
    "proxy-listens-here-only": N_(
        "cannot listen on {address}: with a proxy only this machine is listened to"
    ),
}
REACHING: Final = {**TICKET, **ROUTER, **PROXY}
