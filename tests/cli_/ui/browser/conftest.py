"""A browser, the page that plays, and a relay that serves it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.firefox import free_port
from support.live_page import chromium
from support.page_peers import PagedHost, paged_host
from support.site_pages import built


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page. All workers share it."""
    base = tmp_path_factory.getbasetemp()
    return built((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "page", "page")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of the module."""
    with chromium() as found:
        yield found


@pytest.fixture
def table(page: Path, tmp_path: Path) -> Iterator[PagedHost]:
    """A relay that serves the page."""
    with paged_host(tmp_path, page, free_port()) as made:
        yield made
