"""The page that plays as a package of its own, so that whoever runs a relay needs no Node.js.

It is written here, and nothing in it is compressed again. So its bytes depend on no version of a
build tool or of zlib.
"""

from __future__ import annotations

import hashlib
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

from .browser_build import LICENCES, version

NAME = "p2p_hoity_page"
WHEEL = "Wheel-Version: 1.0\nGenerator: p2p-hoity\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
METADATA = """\
Metadata-Version: 2.4
Name: p2p-hoity-page
Version: {version}
Summary: The page by which guests play Hoity Toity in a browser, for hoity relay --web
License-Expression: {licence}
License-File: {file}
"""
MOMENT = (1980, 1, 1, 0, 0, 0)
FILE = 0o100644 << 16
"""The kind and the permissions of a file, as an archive has them."""


def write(page: Path, folder: Path) -> Path:
    """Write the wheel of a built page into a folder, and return it."""
    name = f"{NAME}-{version()}"
    about = f"{name}.dist-info"
    files = {
        f"{NAME}/{path.relative_to(page).as_posix()}": path.read_bytes()
        for path in page.rglob("*")
        if path.is_file()
    }
    (licences,) = page.glob(f"*/{LICENCES}")
    text = licences.read_text("utf-8")
    metadata = METADATA.format(version=version(), licence=_expression(text), file=LICENCES)
    files |= {
        f"{about}/METADATA": metadata.encode(),
        f"{about}/WHEEL": WHEEL.encode(),
        f"{about}/licenses/{LICENCES}": text.encode(),
    }
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD").encode()
    wheel = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.create_system, entry.external_attr = 3, FILE  # As on Unix, wherever it is made.
            archive.writestr(entry, content)
    return wheel


def _expression(licences: str) -> str:
    """Return the licences of all parts, as one expression of SPDX."""
    table = licences.split("\n\n")[1]
    return " AND ".join(sorted({line.split()[1] for line in table.splitlines()}))


def _record(files: dict[str, bytes], name: str) -> str:
    """Return the list of all files with their digests, itself without one."""
    lines = [f"{name},,"]
    for path, content in files.items():
        digest = urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join((*sorted(lines), ""))
