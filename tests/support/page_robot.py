"""The page around a worker, played by a test: it agrees, answers the first entry, and hurries."""

import json
from collections.abc import Callable
from typing import Any

from cli.ui.browser.worker_page import WorkerPage
from p2p_hoity.storage.home import Home
from support import table_contract

Message = dict[str, Any]


class PageRobot:
    """A page that does what a worker asks for.

    Attributes:
        page: What the worker has of it.
        heard: All messages.
        given: The files that the browser was to save.
        look: Is told each message first.
    """

    def __init__(
        self, home: Home, look: Callable[[Message], object] = lambda message: None
    ) -> None:
        self.heard: list[Message] = []
        self.given: dict[str, bytes] = {}
        self.look = look
        self.page = WorkerPage(home, self._take, self._given)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.page.take(json.dumps(message))

    def types(self) -> list[str]:
        """The types of all messages."""
        return [one["type"] for one in self.heard]

    def _given(self, name: str, content: bytes) -> None:
        self.given[name] = content

    def _take(self, text: str) -> None:
        message = json.loads(text)
        table_contract.check(message)
        self.heard.append(message)
        self.look(message)
        match message:
            case {"type": "question", "id": number, "entries": [first, *_]}:
                self.say(type="answer", question=number, choice=first["choice"])
            case {"type": "beat"}:
                self.say(type="hurry")
            case {"type": "ask", "id": number, "form": form}:
                self.say(type="reply", ask=number, yes=form != "again")
            case {"type": "ending"}:
                self.say(type="bye")
