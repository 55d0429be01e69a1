"""Tests of the lesson: whatever the player chooses, all of it is explained once it has happened."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.rules_driver import card
from support.sampling import times

from p2p_hoity import rules
from p2p_hoity.lesson_script import MINE, OPPONENTS, PLAN, ROUNDS, SEATS, Lesson, Topic

ALWAYS = {
    Topic.WELCOME,
    Topic.SECRETS,
    Topic.PLACES,
    Topic.SALE,
    Topic.REGISTER,
    Topic.EXHIBITS,
    Topic.OCTAGON,
    Topic.THIEVES,
    Topic.DETECTIVE,
    Topic.PRISON,
}


@dataclass
class Played:
    """A lesson that was played: what was asked, what happened, what was explained."""

    lesson: Lesson = field(default_factory=Lesson)
    asked: list[rules.Kind] = field(default_factory=list)
    items: list[rules.Happening] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)
    behind: dict[Topic, rules.Happening] = field(default_factory=dict)

    def step(self, choice: rules.Choice | None = None) -> None:
        for part in self.lesson.step(choice):
            self.items += part.items
            if part.topic is not None:
                self.topics.append(part.topic)
                self.behind[part.topic] = part.items[-1]

    def ask(self) -> rules.Kind | None:
        kind = self.lesson.question
        if kind is not None:
            self.asked.append(kind)
            topic = self.lesson.before(kind)
            self.topics += [topic] if topic else []
        return kind

    def of(self, kind: type[rules.Happening]) -> list[rules.Happening]:
        return [item for item in self.items if isinstance(item, kind)]


def play(picks: list[int]) -> Played:
    """Each choice is the legal one of the next number, counted round; then the first."""
    played, numbers = Played(), iter(picks)
    while not played.lesson.is_over:
        kind = played.ask()
        if kind is None:
            played.step()
        else:
            legal = played.lesson.view.legal(kind)
            played.step(legal[next(numbers, 0) % len(legal)])
    return played


@given(st.lists(st.integers(0, 23), max_size=12))
@settings(max_examples=times(40, 300))
def test_whatever_is_chosen_all_is_explained_once_when_it_has_happened(picks: list[int]) -> None:
    played = play(picks)
    assert len(played.topics) == len(set(played.topics))
    assert set(played.topics) >= ALWAYS
    assert len(played.of(rules.happenings.RoundBegan)) <= len(PLAN)
    assert len(played.asked) <= 3 * len(PLAN)
    assert isinstance(played.items[0], rules.happenings.Setup)
    last = rules.happenings.RoundEnded | rules.happenings.TurnedUp | rules.happenings.Returned
    assert isinstance(played.items[-1], last)
    for topic, kind in {
        Topic.REGISTER: rules.happenings.CashPaid,
        Topic.OCTAGON: rules.happenings.FigureMoved,
        Topic.PRISON: rules.happenings.Imprisoned,
        Topic.SALE: rules.happenings.Sale,
    }.items():
        assert isinstance(played.behind[topic], kind)
    home = [it.card for it in played.items if isinstance(it, rules.happenings.Returned)]
    assert any(card.kind is rules.ActionKind.CASH for card in home)  # the second-largest
    state = played.lesson.view.state
    assert state.register
    assert state.prison
    assert (Topic.ROBBERY in played.topics) == bool(played.of(rules.happenings.CashStolen))


def test_every_sale_robbed_means_one_round_more() -> None:
    played = Played()
    while not played.lesson.is_over:
        kind = played.ask()
        if kind == "place":
            played.step(int(rules.Place.AUCTION_HALL))
        elif kind == "action":
            played.step(card(played.lesson.view.state, MINE, rules.ActionKind.THIEF))
        else:
            assert kind is None
            played.step()
    assert len(played.of(rules.happenings.RoundBegan)) == ROUNDS + 1
    assert len(played.of(rules.happenings.CashStolen)) == 1
    assert Topic.REGISTER in played.topics


def test_it_is_the_same_every_time_and_behind_the_end_there_is_nothing() -> None:
    assert play([1, 2, 0, 1]).items == play([1, 2, 0, 1]).items
    played = play([])
    fails(rules.UnexpectedEvent, "over", played.step)


def test_the_player_wants_what_is_for_sale_and_sees_no_more_than_a_seat_does() -> None:
    """Three make an exhibit, and the C in the first window joins all but one."""
    played = Played()
    played.step()
    view = played.lesson.view
    own = {view.piece(slot).letter for slot in view.mine()}
    assert own == {"A", "B", "D"}
    assert view.state.piece(view.state.windows[0][0]).letter == "C"
    assert len(OPPONENTS) == SEATS - 1
    assert all(not view.held(seat) for seat in range(1, SEATS))


def test_a_choice_that_is_owed_is_asked_for_and_an_illegal_one_refused() -> None:
    played = Played()
    played.step()
    fails(rules.UnexpectedEvent, "has not chosen", played.step)
    played.step(int(rules.Place.CASTLE))
    played.step()
    while played.lesson.question != "action":
        played.step()
    cash = card(played.lesson.view.state, MINE, rules.ActionKind.CASH)
    fails(rules.IllegalMove, "", played.step, cash)
    played.step(played.lesson.view.legal("action")[0])
