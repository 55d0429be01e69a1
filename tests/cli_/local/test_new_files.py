"""New files that the player names: none is replaced."""

import os
from pathlib import Path

import pytest
from support.cases import fails

from cli.exit_codes import Trouble
from cli.local.new_files import check_new, write_new


def test_a_new_file_is_written_and_no_other_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new"
    check_new(path)
    assert write_new(path, "one")
    assert path.read_text() == "one"
    for act in (lambda: check_new(path), lambda: write_new(path, "two")):
        fails(Trouble, "exists already", act)
    assert path.read_text() == "one"
    fails(Trouble, "is a folder", check_new, tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    fails(Trouble, "exists already", check_new, tmp_path / "link")
    fails(Trouble, "cannot be written", write_new, path / "inside", "x")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such device")
def test_a_device_is_written_to(tmp_path: Path) -> None:
    check_new(Path("/dev/null"))
    assert not write_new(Path("/dev/null"), "one")
