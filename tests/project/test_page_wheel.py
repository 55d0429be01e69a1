"""The package of the page: what it holds, that pip installs it, and that a relay serves it."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from support.firefox import free_port
from support.page_wheels import small_page
from support.paths import ROOT
from support.site_pages import content
from support.terminals import LISTEN, start

from tools.page_wheel import NAME, write

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
ABOUT = f"{NAME}-{VERSION}.dist-info"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return small_page(tmp_path / "page")


def test_a_wheel_holds_the_folder_and_says_what_it_is(page: Path, tmp_path: Path) -> None:
    wheel = write(page, tmp_path)
    assert wheel.name == f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    files = {f"{NAME}/{name}": one for name, one in content(page).items()}
    about = {f"{ABOUT}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "licenses/licences.txt")}
    assert found.keys() == files.keys() | about
    assert files.items() <= found.items()
    told = Metadata.from_email(found[f"{ABOUT}/METADATA"], validate=True)
    assert (told.name, str(told.version)) == ("p2p-hoity-page", VERSION)
    licences = "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT AND MPL-2.0 AND PSF-2.0"
    assert told.license_expression == licences


def test_the_record_of_a_wheel_has_the_digest_of_each_file(page: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(write(page, tmp_path)) as archive:
        record = io.StringIO(archive.read(f"{ABOUT}/RECORD").decode())
        told = {name: (digest, size) for name, digest, size in csv.reader(record)}
        assert told.pop(f"{ABOUT}/RECORD") == ("", "")
        assert sorted([*told, f"{ABOUT}/RECORD"]) == archive.namelist()
        for name, (digest, size) in told.items():
            one = archive.read(name)
            whole = base64.urlsafe_b64encode(hashlib.sha256(one).digest()).decode()
            assert (digest, int(size)) == (f"sha256={whole.rstrip('=')}", len(one))


def test_the_bytes_of_a_wheel_are_those_of_the_files_alone(page: Path, tmp_path: Path) -> None:
    """Not of their order, their times or who may read them, and no zlib compresses them."""
    other = tmp_path / "other"
    for name, one in reversed(content(page).items()):
        path = other / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one)
        path.chmod(0o700)
        os.utime(path, (1, 1))
    (tmp_path / "again").mkdir()
    first, again = write(page, tmp_path), write(other, tmp_path / "again")
    assert first.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert {one.compress_type for one in archive.infolist()} == {zipfile.ZIP_STORED}


@pytest.mark.nightly
def test_pip_installs_a_wheel_and_a_relay_serves_its_page(page: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--target", str(place)]
    subprocess.run([*pip, str(write(page, tmp_path))], check=True, capture_output=True)
    assert content(place / NAME) == content(page)
    web = f"127.0.0.1:{free_port()}"
    words = ["relay", *LISTEN, "--json", "--web", web, "--web-url", f"ws://{web}"]
    relay = start(tmp_path / "home", *words, fresh=True, PYTHONPATH=str(place))
    try:
        relay.read_until("web")
        with urllib.request.urlopen(f"http://{web}/") as answer:
            assert answer.read() == (page / "index.html").read_bytes()
    finally:
        relay.kill()
