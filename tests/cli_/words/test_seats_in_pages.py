"""The words about seats in pages: who is told what, and from how many seats on it is a danger."""

import pytest

from cli.words.seats_in_pages import page_lines
from p2p_hoity.presentation.screen_updates import InPages

SEE = "They are enough to see every hidden card and choice."
STOP = "They are enough to stop the game."
SPLIT = "They are enough to split the table, but the proof of it remains."
ONE = (
    "Ana plays in a page of a.example. Whoever runs this server could change the page, and then "
    "see the cards of this seat and play for it."
)


def several(number: int, seats: int, who: str) -> str:
    return (
        f"{number} of {seats} seats play in pages of a.example: {who}. Whoever runs this server "
        "could change the pages, and then play for all of these seats."
    )


@pytest.mark.parametrize(
    ("names", "seats", "quorum", "told"),
    [
        ((), 4, 3, []),
        (("Ana",), 4, 3, [ONE]),
        (("Me",), 4, 3, []),
        (("Me",), 2, 2, []),
        (("Me", "Ana"), 2, 2, [f"{several(2, 2, 'Me, Ana')} {SEE}"]),
        (("Ana", "Bo"), 3, 2, [f"{several(2, 3, 'Ana, Bo')} {SEE}"]),
        (("Ana", "Bo"), 4, 3, [f"{several(2, 4, 'Ana, Bo')} {STOP} {SPLIT}"]),
        (("Ana", "Bo"), 5, 4, [f"{several(2, 5, 'Ana, Bo')} {STOP}"]),
        (("Ana", "Bo", "Cy"), 5, 4, [f"{several(3, 5, 'Ana, Bo, Cy')} {STOP} {SPLIT}"]),
        (("Ana", "Bo", "Me"), 4, 3, [f"{several(3, 4, 'Ana, Bo, Me')} {SEE}"]),
        (("Ana", "Bo"), 6, 4, [f"{several(2, 6, 'Ana, Bo')} {SPLIT}"]),
        (("Ana", "Bo", "Cy"), 6, 4, [f"{several(3, 6, 'Ana, Bo, Cy')} {STOP} {SPLIT}"]),
    ],
)
def test_pages_of_one_server_count_as_one_hand(
    names: tuple[str, ...], seats: int, quorum: int, told: list[str]
) -> None:
    """[L-90]"""
    update = InPages(dict.fromkeys(names, "a.example"), seats, quorum, "Me")
    assert page_lines(update) == told
    assert page_lines(update, update) == []


def test_a_server_is_one_whatever_its_port() -> None:
    servers = {"Ana": "a.example", "Bo": "a.example.", "Cy": "a.example:8443", "Di": "[::1]:80"}
    one, other = page_lines(InPages(servers, 6, 4, None))
    assert one.startswith(several(3, 6, "Ana, Bo, Cy"))
    assert "of [::1]." in other


def test_each_server_is_told_apart_and_only_if_its_seats_have_changed() -> None:
    first = InPages({"Ana": "a.example", "Bo": "b.example"}, 5, 4, None)
    assert [line[:30] for line in page_lines(first)] == [
        "Ana plays in a page of a.examp",
        "Bo plays in a page of b.exampl",
    ]
    then = InPages({"Ana": "a.example", "Bo": "b.example", "Cy": "a.example"}, 5, 4, None)
    assert page_lines(then, first) == [f"{several(2, 5, 'Ana, Cy')} {STOP}"]
    assert page_lines(first, then) == [ONE]
