"""Find the router through which this computer reaches the internet."""

from __future__ import annotations

import importlib
import ipaddress
import sys
from pathlib import Path
from typing import Final

from .interfaces import Kind, interfaces, ranked

ROUTES: Final = Path("/proc/net/route")
UP_AND_GATEWAY: Final = 0x3


def gateway() -> str | None:
    """Return the IPv4 address of the default router, None if there is no router to ask.

    If the system does not tell it, guess the first address of the private network, which is the
    router in most homes.
    """
    if sys.platform == "linux":
        try:
            return of_routes(ROUTES.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
    return _of_system() or _first_of_home()


def of_routes(table: str) -> str | None:
    """Return the IPv4 router of the default route with the lowest metric, None if there is none.

    Args:
        table: The content of /proc/net/route. A text of another form raises ValueError.
    """
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 8:
            continue
        target, router, flags, metric, mask = (fields[at] for at in (1, 2, 3, 6, 7))
        # VPNs add the route 0.0.0.0/1, which is not the default route, with the same target.
        is_default = int(target, 16) == int(mask, 16) == 0
        if is_default and int(flags, 16) & UP_AND_GATEWAY == UP_AND_GATEWAY:
            # The kernel prints the four bytes as a number of its own byte order.
            number = int(router, 16).to_bytes(4, sys.byteorder)
            found.append((int(metric), str(ipaddress.IPv4Address(number))))
    return min(found)[1] if found else None


def _of_system() -> str | None:
    """Return the default router by the package netifaces, None without the package or a router."""
    try:
        netifaces = importlib.import_module("netifaces")
    except ImportError:  # The package has no wheel for this system.
        return None
    default = netifaces.gateways().get("default", {}).get(netifaces.AF_INET)
    return str(default[0]) if default else None


def _first_of_home() -> str | None:
    """Return the first address of this computer's private IPv4 network, None if it has none."""
    homes = (
        own.network
        for own in ranked(interfaces())
        if own.kind is Kind.CARDS and own.network.version == 4 and own.network.is_private
    )
    first = next(homes, None)
    # A link-local network has no router: its first address would be any other computer.
    return None if first is None or first.is_link_local else str(first.network_address + 1)
