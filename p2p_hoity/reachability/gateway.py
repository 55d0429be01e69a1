"""The router of this network: whom to ask for a way in."""

from __future__ import annotations

import importlib
import ipaddress
import sys
from pathlib import Path
from typing import Final

from ..net.addresses import own_networks

ROUTES: Final = Path("/proc/net/route")
UP_AND_GATEWAY: Final = 0x3


def gateway() -> str | None:
    """The IPv4 address of the default router, as the system has it, or else as homes number
    theirs: the first address of our private network; None if there is none to be asked."""
    if sys.platform == "linux":
        try:
            return of_routes(ROUTES.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
    return _of_system() or _first_of_home()


def of_routes(table: str) -> str | None:
    """The default route of least metric in Linux's /proc/net/route; ValueError if it is none."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 8:
            continue
        target, router, flags, metric, mask = (fields[at] for at in (1, 2, 3, 6, 7))
        is_default = int(target, 16) == int(mask, 16) == 0
        if is_default and int(flags, 16) & UP_AND_GATEWAY == UP_AND_GATEWAY:
            number = int(router, 16).to_bytes(4, sys.byteorder)
            found.append((int(metric), str(ipaddress.IPv4Address(number))))
    return min(found)[1] if found else None


def _of_system() -> str | None:
    try:
        netifaces = importlib.import_module("netifaces")
    except ImportError:  # it has no wheel here
        return None
    default = netifaces.gateways().get("default", {}).get(netifaces.AF_INET)
    return str(default[0]) if default else None


def _first_of_home() -> str | None:
    homes = (n for n in own_networks() if n.version == 4 and n.is_private and n.prefixlen < 31)
    first = next(homes, None)
    return None if first is None or first.is_link_local else str(first.network_address + 1)
