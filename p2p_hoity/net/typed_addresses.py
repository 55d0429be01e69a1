"""Read an address that a person has typed: HOST:PORT, a URL, or a name in any language.

What programs send each other is read by `parse_address` alone, which is strict.
"""

from __future__ import annotations

import re
from typing import Final

from ..pasted_text import is_mark, visible
from .address_schemes import PATH, WEB, WEB_PORTS, Scheme
from .addresses import LONGEST_TOLD, Address, AddressCode, parse_address, relay_address
from .network_errors import AddressError

SCHEMES: Final = frozenset({"http", "https", "ws", "wss", "tcp", "tls", "hoity"})
"""The schemes of URLs that people write before an address. They say nothing about it."""
JOINERS: Final = "\u200c\u200d"
"""Characters that nobody sees and that belong to names of some languages."""
_URL: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_IPV6: Final = re.compile(r"\[(?=[^\]]*:[^\]]*:)[0-9a-f:.]+\]", re.IGNORECASE)
_ENDS_IN_IPV6: Final = re.compile(_IPV6.pattern + r"\Z", re.IGNORECASE)


def typed_address(text: str, *, lowest_port: int = 1, usual_port: int | None = None) -> Address:
    """Read an address that a person has typed.

    A name in any language gets its form in ASCII (RFC 5891), which is also the form that is shown:
    two names that look alike differ in it.

    Args:
        usual_port: The port if none was typed. None if one has to be typed. A URL needs one in any
            case, since people expect another port there.

    Raises:
        AddressError: If the text is not an address. The error says what is wrong.
    """
    try:
        # A valid address must never be read in another way, so the strict form is tried first.
        return parse_address(text, lowest_port=lowest_port)
    except AddressError:
        plain = _plain(text, usual_port)
        if plain == text:
            raise
    return parse_address(plain, lowest_port=lowest_port)


def typed_relay(text: str, usual_port: int | None = None) -> Address:
    """Read the address of a relay that a person has typed.

    The relay is reached by WebSocket if the address is a URL with the scheme `wss` or `ws`. Then
    its usual port is that of the web.

    Args:
        usual_port: The port of any other relay if none was typed. None if one has to be typed.

    Raises:
        AddressError: If the text is not an address. The error says what is wrong.
    """
    url = _URL.fullmatch(_bare(visible(text)))
    if url is None or url[1].lower() not in WEB:
        if url is None and "://" in text:
            raise AddressError(AddressCode.NO_MACHINE, text=text[:LONGEST_TOLD])
        return typed_address(text, usual_port=usual_port)
    # A second scheme would be dropped, and the relay reached in another way than was typed.
    if "+" in url[2] or ":/" in url[2]:
        raise AddressError(AddressCode.MORE, text=text[:LONGEST_TOLD])
    scheme = Scheme(url[1].lower())
    place = typed_address(url[2].removesuffix(PATH), usual_port=WEB_PORTS[scheme])
    return relay_address(str(Address(place.host, place.port, scheme)))


def _plain(text: str, usual_port: int | None) -> str:
    """Return a typed address as HOST:PORT, with a name in ASCII.

    An AddressError is raised for a URL with more than a host and a port.
    """
    place = _bare(visible(text))
    if not place.isascii():
        place = _bare(visible(text, JOINERS))
    url = _URL.fullmatch(place)
    if url is not None and url[1].lower() in SCHEMES:
        place = url[2]
    place = place.rstrip("/")
    # Of `user@host` or `host/path` a part would be dropped, and another machine dialled.
    if any(letter in place for letter in "/?#@\\"):
        raise AddressError(AddressCode.MORE, text=text[:LONGEST_TOLD])
    if usual_port is not None and url is None and ":" not in place.rpartition("]")[2]:
        place = f"{place}:{usual_port}"
    host, colon, port = place.rpartition(":")
    return f"{_in_ascii(host, text)}{colon}{port}"


def _bare(text: str) -> str:
    """Return a text without the marks at its ends, which may be the brackets of an IPv6 address."""
    first, last = 0, len(text)
    while first < last and is_mark(text[first]) and not _IPV6.match(text, first):
        if text[first] == ":":  # a port alone
            break
        first += 1
    while last > first and (is_mark(text[last - 1]) or text[last - 1] == "/"):
        if text[last - 1] == "]" and _ENDS_IN_IPV6.search(text[first:last]):
            break
        last -= 1
    return text[first:last]


def _in_ascii(host: str, text: str) -> str:
    """Return the name of a machine in ASCII. An AddressError is raised if it is no such name."""
    if host.isascii():
        return host
    import idna

    try:
        # UTS 46 maps full-width letters to ASCII, also `/` and `@`, which `std3_rules` refuses.
        return idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
    except idna.IDNAError as error:
        raise AddressError(AddressCode.NO_MACHINE, text=text[:LONGEST_TOLD]) from error
