"""What stands beside each seat: who is awaited and since when, and who has sealed."""

import pytest
from support.moments import Shown, asked_for, begun

from cli.table_view.seats import author_of, letters, names_of, seat_rows, short_card, status
from cli.table_view.stage import Stage
from cli.words import translation
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending, Said
from p2p_hoity.rules import ActionCard, ActionKind
from p2p_hoity.rules.happenings import ActionShown, Sale
from protocol import Kind

WORDS = {
    "en": ("thinking…", "link lost", "waiting for Ada, Bruno"),
    "de": ("überlegt…", "keine Verbindung", "gewartet wird auf Ada, Bruno"),
    "es": ("pensando…", "sin conexión", "esperando a Ada, Bruno"),
}
SIZES = [(80, 24), (120, 30), (160, 45)]


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize(
    ("waited", "time"),
    [(-0.5, ""), (0.0, ""), (0.4, ""), (0.999, ""), (1.0, "0:01"), (1.9, "0:01"), (61.0, "1:01")],
)
def test_a_time_stands_beside_who_is_awaited_once_a_second_is_over(
    language: str, waited: float, time: str
) -> None:
    translation.speak(language)
    shown = begun(4).step(4).there(Attending.LINKED, Attending.LINKED, Attending.UNLINKED)
    shown.wait({1, 2}, waited, 300.0 - waited)
    thinking, lost, waiting = WORDS[language]
    for width, height in SIZES:
        words = shown.text(width, height)
        assert "0:00" not in words
        for said in (thinking, lost, waiting):
            (line,) = [line for line in shown.lines(width, height) if said in line]
            after = line.partition(said)[2]
            assert after.lstrip(" ·").startswith(time) if time else not after.strip(" ·│"), line
    shown.there(Attending.LINKED, Attending.LEFT, Attending.LEFT)
    assert "0:00" not in shown.text()


def statuses(shown: Shown) -> list[str]:
    """Return what stands beside each seat, without its clock."""
    return [status(shown.stage, seat).words.split(" 0:")[0] for seat in range(4)]


def test_who_has_sealed_stays_sealed_until_the_choice_is_shown() -> None:
    shown, all_seats, done = asked_for(begun(), "place", 2), {0, 1, 2, 3}, "sealed ✓"
    shown.hear(updates.ChoiceTaken("place", 0))
    shown.wait({0, 1})  # one's own is on its way
    assert statuses(shown) == [done, "thinking…", done, done]
    for kind in (Kind.BARRIER, Kind.REVEAL):
        shown.wait(all_seats, kind=kind)
        assert statuses(shown) == [done] * 4
    shown.there(LINKED, LOST)
    assert statuses(shown) == [done, "link lost", done, done]
    shown.there().step()
    while not isinstance(rules.expected(shown.driver.state), rules.Seal):
        shown.step()
    shown.wait(all_seats, kind=Kind.SEAL)
    assert statuses(shown) == ["…", *["thinking…"] * 3]
    assert shown.stage.scene.sealed is None


def test_what_is_sealed_for_the_castle_stays_sealed_while_the_hall_is_open() -> None:
    shown = begun(seed=2, edition="reference-manual")
    while not (still := shown.view.state.sealed) or shown.view.state.phase.name != "WINDOW":
        shown.step()
    shown.wait({shown.view.state.buyer or 0})
    assert [seat for seat, one in enumerate(statuses(shown)) if one == "sealed ✓"] == [*still]


LINKED, LOST = updates.Attending.LINKED, updates.Attending.UNLINKED


def test_who_has_written_is_named_and_onlookers_by_their_own_word() -> None:
    stage = begun(3).stage
    assert author_of(stage, Said(0, "Iris", "x")) == "You"
    assert author_of(stage, Said(2, "Bruno", "x")) == "Bruno"
    assert author_of(stage, Said(None, "ABCD-EFGH", "x")) == "ABCD-EFGH"
    assert names_of(stage, {2, 0}) == "You, Bruno"
    assert names_of(Stage(), {2, 0}) == "1, 3"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Iris", "Ada", "Bruno"), ("I", "A", "B")),
        (("Ada", "anna", "AA"), ("A", "N", "3")),
        (("…", "漢字b", "7up"), ("1", "B", "7")),
    ],
)
def test_each_seat_has_a_letter_that_no_earlier_one_has_or_its_number(
    names: tuple[str, ...], found: tuple[str, ...]
) -> None:
    assert letters(names, str.isascii) == found


def test_a_row_says_where_a_seat_is_what_it_has_shown_and_what_it_got() -> None:
    assert seat_rows(Stage()) == []
    shown = begun(4).until(ActionShown)
    rows = seat_rows(shown.stage)
    played = {item.seat: item.card for item in shown.driver.record if isinstance(item, ActionShown)}
    assert [row.seat for row in rows] == [0, 1, 2, 3]
    assert {row.seat: row.action for row in rows if row.action is not None} == played
    assert {row.place for row in rows if row.seat in played} == {"Hall"}
    assert {row.gained for row in rows} == {""}
    shown.until(Sale)
    (sale,) = (item for item in shown.driver.record if isinstance(item, Sale))
    gained = {row.seat: row.gained for row in seat_rows(shown.stage) if row.gained}
    assert gained == {sale.seat: f"{sale.paid.number}→{sale.took.letter}{sale.took.year}"}


def test_a_card_is_a_letter_and_its_number_or_has_its_whole_name() -> None:
    cash, detective = (ActionCard(0, kind, number, "red") for kind, number in CARDS)
    assert (short_card(cash), short_card(cash, wide=True)) == ("C10", "Cash 10")
    assert (short_card(detective), short_card(detective, wide=True)) == ("D", "Detective")


CARDS = ((ActionKind.CASH, 10), (ActionKind.DETECTIVE, None))
