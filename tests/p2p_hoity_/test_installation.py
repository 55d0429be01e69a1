"""Tests of how this program was installed, and of where and how more of it can be had."""

import sys
from email.message import Message
from importlib import metadata

import pytest

from p2p_hoity.installation import download_place, install_command, is_one_file


@pytest.mark.parametrize("is_frozen", [True, False])
def test_the_program_of_one_file_knows_that_it_is_one(
    is_frozen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", is_frozen, raising=False)
    assert is_one_file() is is_frozen
    monkeypatch.delattr(sys, "frozen")
    assert not is_one_file()


@pytest.mark.parametrize(
    ("urls", "place"),
    [
        (
            ["Source, https://a.example", "Download, https://b.example/x,y "],
            "https://b.example/x,y",
        ),
        (["DOWNLOAD,https://b.example"], "https://b.example"),
        (["Source, https://a.example/Download"], ""),
        ([], ""),
    ],
)
def test_only_the_url_of_that_name_is_the_place_of_downloads(
    urls: list[str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Message()
    for url in urls:
        listed["Project-URL"] = url
    monkeypatch.setattr(metadata, "metadata", lambda name: listed)
    assert download_place() == place


def test_a_program_that_runs_from_its_source_names_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> Message:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", missing)
    assert download_place() == ""


def test_packages_are_installed_for_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/a python")
    assert install_command("p2p-hoity[relay]", "x") == (
        "'/opt/a python' -m pip install 'p2p-hoity[relay]' x"
    )
