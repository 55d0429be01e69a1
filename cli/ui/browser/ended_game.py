"""A game that is over, as a page shows it that is opened again: its verdict and its replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from p2p_hoity.storage.home import Home, transcripts

from .file_window import FileWindow
from .worker_page import WorkerPage


def ended_game(home: Home) -> Path | None:
    """Return the file of the newest game that is over, None without one."""
    return next(iter(transcripts(home)), None)


async def show_ended(page: WorkerPage, name: str, data: bytes) -> None:
    """Show a file of a game until the person leaves it."""
    window = FileWindow()
    window.judge(name, data, lambda done, total: None)
    await page.serve_until_left(lambda socket: _talk(page, window, socket))


async def _talk(page: WorkerPage, window: FileWindow, socket: Any) -> None:
    """Tell a page the game, and do what it wants. Return when it is done."""
    for message in window.whole():
        await socket.send(json.dumps(message.as_json()))
    while True:
        text = await socket.receive()
        wish = json.loads(text).get("type")
        if wish == "bye":
            return
        if wish == "save" and (picture := window.picture()) is not None:
            page.save(*picture)
        for message in window.answers(text):
            await socket.send(json.dumps(message.as_json()))
