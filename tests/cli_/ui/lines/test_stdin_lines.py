"""The lines of the standard input, whole however they come, and its end."""

from functools import partial
from itertools import product

import pytest
import trio

from cli.ui.lines import stdin_lines
from cli.ui.lines.stdin_lines import END, forward_input, until_closed


async def test_lines_come_whole_however_they_are_cut_until_the_input_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for pieces, lines in (
        ([b"on", b"e\ntw", "o é\n\nlast".encode()], ["one", "two é", "", "last"]),
        ([b"\xff\xfd\n"], ["\ufffd\ufffd"]),
    ):
        come = iter([*pieces, b""])
        send, receive = trio.open_memory_channel[str](10)
        await forward_input(send, partial(next, come))
        assert [line async for line in receive] == lines
    come = iter([b"ignored", b""])
    monkeypatch.setattr(stdin_lines, "read_stdin", partial(next, come))
    await until_closed()
    assert list(come) == []


async def test_at_a_terminal_each_end_is_told_and_after_two_in_a_row_nothing_is_read() -> None:
    come = iter([b"", b"3\n", b"", b""])
    send, receive = trio.open_memory_channel[str](10)
    await forward_input(send, lambda: next(come), at_terminal=True)
    assert [line async for line in receive] == [END, "3", END, END]


@pytest.mark.parametrize("size", [1, 2, 3, 4096])
@pytest.mark.parametrize(
    ("encoding", "end"),
    [
        *product(("utf-8", "utf-8-sig"), ("\n", "\r\n", "\r")),
        ("utf-16", "\r\n"),
        ("utf-16", "\n"),
    ],
)
async def test_lines_of_a_file_come_as_people_save_it(encoding: str, end: str, size: int) -> None:
    lines = ["1", "Türkis", "", "2"]
    data = "".join(line + end for line in [*lines, "3"]).removesuffix(end).encode(encoding)
    first = max(size, 2)  # a file has its byte order mark in the first bytes that are read
    come = iter([data[:first], *(data[i : i + size] for i in range(first, len(data), size)), b""])
    send, receive = trio.open_memory_channel[str](99)
    await forward_input(send, lambda: next(come))
    assert [line async for line in receive] == [*lines, "3"]
