"""One question and one answer over HTTP/1.1, with a bound on all that is read (by h11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import trio

from ..net.errors import TROUBLE
from ..net.network import cut

LONGEST: Final = 1 << 16
"""Bytes of a whole answer, its head and its framing included; descriptions of routers have some
thousands."""
HEAD: Final = 1 << 13
"""Bytes of the head of an answer, and of anything else that is read in one piece."""
CHUNK: Final = 4096

Headers = Sequence[tuple[str, str]]


class HttpError(Exception):
    """There is no answer that could be read: none came, it is too long, or it is no HTTP."""


@dataclass(frozen=True)
class Question:
    """What is asked: the method, the target with its host, more headers, and the body."""

    method: str
    host: str
    target: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What came: the number of the status, and the body."""

    status: int
    body: bytes


async def ask(stream: trio.abc.Stream, question: Question) -> Answer:
    """Ask over a fresh stream, which is closed afterwards.

    A redirection is an answer like any other: nothing is dialled because of it. The time is the
    caller's to bound; who cancels this ends all reading.

    Raises:
        HttpError: If no answer can be read.
    """
    import h11

    talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
    try:
        await stream.send_all(_encoded(talk, question))
        return await _read(stream, talk)
    except (h11.ProtocolError, *TROUBLE) as error:
        raise HttpError from error
    finally:
        await cut(stream)


def _encoded(talk: Any, question: Question) -> bytes:
    import h11

    always = [
        ("Host", question.host),
        ("Connection", "close"),
        ("Content-Length", str(len(question.body))),
    ]
    asked = h11.Request(
        method=question.method, target=question.target, headers=[*always, *question.headers]
    )
    parts = (asked, h11.Data(data=question.body), h11.EndOfMessage())
    return b"".join(talk.send(part) or b"" for part in parts)


async def _read(stream: trio.abc.Stream, talk: Any) -> Answer:
    import h11

    status, body, received = 0, bytearray(), 0
    while True:
        event = talk.next_event()
        if event is h11.NEED_DATA:
            data = bytes(await stream.receive_some(CHUNK))
            received += len(data)
            if received > LONGEST:
                raise HttpError
            talk.receive_data(data)
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return Answer(status, bytes(body))
        elif not isinstance(event, h11.InformationalResponse):
            raise HttpError
