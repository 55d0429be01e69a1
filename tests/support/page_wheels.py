"""A page of a few files, and the package that is made of it."""

import zipfile
from pathlib import Path

from tools.browser_build import BUILD, LICENCES
from tools.page_wheel import write


def small_page(folder: Path) -> Path:
    """Write a page into a new folder, and return the folder."""
    inner = folder / "0123456789abcdef"
    inner.mkdir(parents=True)
    (folder / "index.html").write_bytes(b"<!doctype html>the page")
    (folder / "index.html.gz").write_bytes(b"compressed")
    (inner / "start.js").write_bytes(b"let it = 1;\n" * 4000)
    (inner / LICENCES).write_bytes((BUILD / LICENCES).read_bytes())
    return folder


def unpacked(folder: Path) -> Path:
    """Return a new folder in which the package of such a page is found."""
    wheel = write(small_page(folder / "page"), folder)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"
