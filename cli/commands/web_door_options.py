"""The options of `relay` about its door for WebSockets."""

from __future__ import annotations

import re
import ssl
from importlib import metadata
from pathlib import Path
from typing import Final

from p2p_hoity.net.typed_addresses import typed_relay
from p2p_hoity.relay.page_sender import PageSender, read_page
from p2p_hoity.relay.web_door import WebDoor

from .. import version
from ..exit_codes import USAGE, Trouble
from ..words.error_sentences import of_system
from ..words.translation import _
from .options import RelayOptions

ORIGIN: Final = re.compile(r"https?://[a-z0-9.\-]+(:\d{1,5})?", re.IGNORECASE)
PACKAGE: Final = "p2p-hoity-page"
"""The package that `tasks.py page` makes of a page."""


def web_door(how: RelayOptions) -> WebDoor | None:
    """Return the door for WebSockets by the options typed, None without one.

    Raises:
        Trouble: If the options do not fit together, or a file cannot be read.
    """
    others = (how.web_url, how.web_origin, how.web_cert, how.web_key, how.web_page)
    if how.web is None:
        if any(others):
            raise Trouble(_("Without --web the other options of the web mean nothing."), USAGE)
        return None
    urls = [typed_relay(typed) for typed in how.web_url or ()]
    if not urls:
        words = _("--web needs --web-url, the address by which it is reached: wss://relay.example")
        raise Trouble(words, USAGE)
    for typed, url in zip(how.web_url or (), urls, strict=True):
        if not url.is_web:
            raise Trouble(_("Write --web-url as wss://NAME, not {text}.").format(text=typed), USAGE)
    origins = [_origin(typed) for typed in how.web_origin or ()]
    return WebDoor(urls, frozenset(origins), _context(how), _sender(page_folder(how)))


def _origin(typed: str) -> str:
    """Return an origin as browsers write it: without the usual port."""
    origin = typed.rstrip("/").lower()
    if not ORIGIN.fullmatch(origin):
        words = _("Write --web-origin as https://NAME, not {text}.")
        raise Trouble(words.format(text=typed), USAGE)
    usual = ":443" if origin.startswith("https:") else ":80"
    return origin.removesuffix(usual)


def page_folder(how: RelayOptions) -> Path | None:
    """Return the folder of the page that is served: one that is named, or the installed one.

    Raises:
        Trouble: If the installed one is of another version.
    """
    if how.web_page is not None:
        return how.web_page
    try:
        installed = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    if installed.version != version():
        words = _(
            "The installed {package} is of version {other}, this program of version {own}. "
            "Install the one of this version, or name another page: --web-page FOLDER"
        )
        told = {"package": PACKAGE, "other": installed.version, "own": version() or "?"}
        raise Trouble(words.format(**told), USAGE)
    return Path(str(installed.locate_file(PACKAGE.replace("-", "_"))))


def _sender(folder: Path | None) -> PageSender | None:
    """Return what sends the files of a page, None without one."""
    if folder is None:
        return None
    try:
        return PageSender(read_page(folder))
    except OSError as error:
        words = _(
            "{folder} has no page that can be read ({why}). Build one with: python3 tasks.py page"
        )
        raise Trouble(words.format(folder=folder, why=of_system(error)), USAGE) from error


def _context(how: RelayOptions) -> ssl.SSLContext | None:
    """Return the TLS context of the door, None if a proxy before it has the certificate."""
    if how.web_cert is None:
        if how.web_key is not None:
            raise Trouble(_("--web-key needs --web-cert."), USAGE)
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(how.web_cert, how.web_key, password="")
    except (OSError, ssl.SSLError) as error:
        words = _("The certificate {file} and its key cannot be used: {why}")
        raise Trouble(words.format(file=how.web_cert, why=error), USAGE) from error
    return context
