"""The page around a worker, played by a test: it agrees, answers something, and hurries."""

import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import trio

from cli.ui.browser.worker_page import WorkerPage
from p2p_hoity.storage.home import Home
from support import table_contract

Message = dict[str, Any]
NUMBERS = itertools.count()
ADDRESS = "https://pages.example/"


class PageRobot:
    """A page that does what a worker asks for.

    Attributes:
        page: What the worker has of it.
        heard: All messages.
        given: The files that the browser was to save.
        look: Is told each message first.
        answers_terms: Whether it accepts the terms of a table.
        leaves: Whether it leaves after a game.
    """

    def __init__(
        self, home: Home, look: Callable[[Message], object] = lambda message: None
    ) -> None:
        self.heard: list[Message] = []
        self.given: dict[str, bytes] = {}
        self.look, self.answers_terms, self.leaves = look, True, True
        self._any = random.Random(next(NUMBERS))
        self.page = WorkerPage(home, self._take, self._given, ADDRESS)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.page.take(json.dumps(message))

    def types(self) -> list[str]:
        """The types of all messages."""
        return [one["type"] for one in self.heard]

    async def until(self, wanted: str) -> None:
        """Wait until a message of a type has come."""
        while wanted not in self.types():
            await trio.sleep(0.1)

    def _given(self, name: str, content: bytes) -> None:
        self.given[name] = content

    def _take(self, text: str) -> None:
        message = json.loads(text)
        table_contract.check(message)
        self.heard.append(message)
        self.look(message)
        match message:
            case {"type": "question", "id": number, "entries": [_, *_] as entries}:
                # Two that always took the first one would stand still.
                choice = self._any.choice(entries)["choice"]
                self.say(type="answer", question=number, choice=choice)
            case {"type": "beat"}:
                self.say(type="hurry")
            case {"type": "ask", "form": "agree"} if not self.answers_terms:
                pass
            case {"type": "ask", "id": number, "form": form}:
                self.say(type="reply", ask=number, yes=form != "again")
            case {"type": "ending"} if self.leaves:
                self.say(type="bye")
