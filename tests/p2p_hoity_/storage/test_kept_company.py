"""Who sat at a table that is over: kept in private, read back whole, and needed by no verdict."""

import json
from pathlib import Path

import pytest
from support.journals import fill_disk

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import (
    MAX_FILE,
    Company,
    keep_company,
    place_of_company,
    read_company,
)
from p2p_hoity.storage.private_files import CHECKED

GAME = "0123456789abcdef"
COMPANY = Company(1, ("easy", None, None))


def test_what_is_kept_is_read_back_and_is_its_owners_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert read_company(home, GAME, 3) is None
    keep_company(home, GAME, COMPANY)
    assert read_company(home, GAME, 3) == COMPANY
    assert read_company(home, GAME[::-1], 3) is None
    place = place_of_company(home, GAME)
    assert not CHECKED or place.stat().st_mode & 0o077 == 0
    keep_company(home, GAME, Company(0, (None, None, None)))
    assert read_company(home, GAME, 3) == Company(0, (None, None, None))


def test_the_company_of_a_table_of_another_size_is_not_taken(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    keep_company(home, GAME, COMPANY)
    assert [read_company(home, GAME, seats) for seats in (0, 2, 4)] == [None] * 3


ODD = [
    b"",
    b"[]",
    b"7",
    b"\xff",
    b"[" * 900,
    json.dumps({"seat": 1}).encode(),
    json.dumps({"seat": None, "levels": [None] * 3}).encode(),
    json.dumps({"seat": 3, "levels": [None] * 3}).encode(),
    json.dumps({"seat": -1, "levels": [None] * 3}).encode(),
    json.dumps({"seat": 1, "levels": [None] * 2}).encode(),
    json.dumps({"seat": 1, "levels": 3}).encode(),
    json.dumps({"seat": 1e999, "levels": [None] * 3}).encode(),
    json.dumps({"seat": 1, "levels": ["x" * MAX_FILE] * 3}).encode(),
]


@pytest.mark.parametrize("data", ODD)
def test_a_file_of_anything_else_is_none(tmp_path: Path, data: bytes) -> None:
    home = Home(tmp_path / "home")
    home.files.put(place_of_company(home, GAME), data)
    assert read_company(home, GAME, 3) is None


@pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")
def test_a_file_of_others_is_none(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    keep_company(home, GAME, COMPANY)
    place_of_company(home, GAME).chmod(0o644)
    assert read_company(home, GAME, 3) is None
    home.path.chmod(0o755)
    keep_company(home, GAME, COMPANY)


def test_a_full_disk_ends_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "home")
    fill_disk(monkeypatch)
    keep_company(home, GAME, COMPANY)
    assert read_company(home, GAME, 3) is None
