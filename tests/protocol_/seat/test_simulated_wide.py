"""The wide catalogue of the simulator: each lie, each habit, and what finds it out."""

import random
from dataclasses import replace

import pytest
from support.cases import fails
from support.inspection import alter, inspect
from support.machine_table import make_table
from support.mutants import MUTANTS, planted
from support.sampling import sample
from support.sim.cheap import cheap_blocks
from support.sim.homes import known
from support.sim.invariants import ANSWER, Checker, Violation
from support.sim.lies import Liar
from support.sim.plan import DEPARTURES, HABITS, Wide, draw_plan
from support.sim.tables import CATALOGUE, World, play
from support.sim.tricks import RUBBISH, TRICKS, WAYS, huge_requests, rooted, rubbish, victim
from support.toy_game import ToyGame

from protocol.chain import transition
from protocol.crypto import key_sharing
from protocol.seat.resume_inquiry import Inquiry
from protocol.wire import signed_messages
from protocol.wire.signed_messages import EpochRequest, NewEpoch, StepInput

NAMES = (*TRICKS, *WAYS, *HABITS, *DEPARTURES)


def test_wide_plans_use_the_whole_catalogue() -> None:
    plans = [draw_plan(f"plan-{number}", wide=True) for number in range(400)]
    wide = [(plan, plan.wide) for plan in plans if plan.wide is not None]
    assert len(wide) == len(plans)
    assert {lie for plan, _ in wide for lie in plan.lies} == set(CATALOGUE)
    assert {way for _, w in wide for way in w.ways} == {*WAYS, "false-departures"}
    assert any(w.leaving_seats for _, w in wide)
    assert any(w.hub in plan.liars for plan, w in wide)
    assert any(w.hub is not None and w.hub not in plan.liars for plan, w in wide)
    for habit in HABITS[1:]:
        assert any(getattr(w, habit) for _, w in wide)
    assert any(len(plan.liars) == 2 for plan in plans)
    assert all(w.silent is not None for _, w in wide if "roots" in w.ways)


@pytest.mark.parametrize("name", NAMES)
def test_one_thing_alone_may_be_asked_for(name: str) -> None:
    plans = [draw_plan(f"only-{number}", only=name) for number in range(20)]
    for plan in plans:
        wide = plan.wide or Wide()
        here = {*plan.lies, *wide.ways} | {
            h for h in (*HABITS, "leaving_seats") if getattr(wide, h) not in (None, frozenset(), ())
        }
        expected = here & set(NAMES) - {name}
        # What an entry brings along: a hub that cuts links, thinkers for rubbish, a mute seat.
        assert expected <= {"hub", "thinkers", "mute"}
    assert any(
        name in (*p.lies, *p.wide.ways) or getattr(p.wide, name, None) is not None
        for p in plans
        if p.wide
    )


def test_the_wide_catalogue_leaves_the_plain_games_as_they_were() -> None:
    for number in range(50):
        plain, wide = (draw_plan(f"as-{number}", wide=w) for w in (False, True))
        kept = replace(wide, wide=None, liars=plain.liars, lies=plain.lies)
        assert kept == plain
        assert plain.wide is None
        assert plain.liars <= wide.liars


# What the lies are.


def test_rooted_polynomials_are_zero_for_as_many_seats_as_can_be() -> None:
    poly = rooted(random.Random(1), 1, 5, 4)
    key_shares = [key_sharing.key_share_at(poly, seat + 1) for seat in range(5)]
    assert (len(poly), key_shares.count(0)) == (4, 3)
    assert 0 not in (key_shares[1], poly[0])


def test_a_cutting_faulty_seat_cuts_one_link_after_the_other() -> None:
    cut = [victim("seed", 2, now / 2, 4) for now in range(200)]
    assert set(cut) == {None, 0, 1, 3}
    assert cut[0] == cut[11]


@pytest.fixture
def liar() -> Liar:
    world = World(draw_plan("liar", 4, True, only="rubbish"))
    return next(iter(world.liars.values()))


def test_rubbish_fills_an_epoch_once_and_only_where_nothing_was_said(liar: Liar) -> None:
    mine = liar.sign(EpochRequest(1))
    assert rubbish(liar, mine) == [(mine, liar.others)]
    alter(liar.machine, epoch=3, base=replace(inspect(liar.machine).base, step=12))
    inputs = [message for message, _ in rubbish(liar, mine)][1:]
    statements = [message.statement for message in inputs]
    assert all(isinstance(s, StepInput) and s.epoch == 3 and s.step < 12 for s in statements)
    assert len({message.identity for message in inputs}) == len(inputs) > 1
    assert 0.9 * RUBBISH < sum(len(m.payload) for m in inputs) < 1.1 * RUBBISH
    assert rubbish(liar, mine) == [(mine, liar.others)]


def test_a_lie_that_comes_back_is_passed_on_as_it_is(liar: Liar) -> None:
    new_epoch = liar.sign(NewEpoch(liar.seat or 4, (b"x" * 32,)))
    assert CATALOGUE["two-new-epochs"](liar, new_epoch) == [(new_epoch, liar.others)]


def test_huge_requests_are_well_formed(liar: Liar) -> None:
    table, far = liar.machine.table, set()
    for _ in range(100):
        *_, (message, to) = huge_requests(liar, liar.sign(EpochRequest(1)))
        assert signed_messages.parse(message.encode(), table.id, table.ids) == message
        assert to <= liar.others
        far.add(type(message.statement))
    assert len(far) == 5


# What finds out.


def _checker(seats: int = 3, liars: tuple[int, ...] = (2,)) -> Checker:
    checker = Checker(make_table(ToyGame(seats), seats)[0], frozenset(liars))
    checker.is_wide = True
    return checker


def test_the_checker_finds_an_answer_that_no_link_takes() -> None:
    checker = _checker()
    checker.answered(0, ANSWER)
    fails(Violation, "answers one question", checker.answered, 0, ANSWER + 1)


def test_the_checker_finds_a_seat_that_is_mute_for_ever() -> None:
    checker = _checker()
    machine = World(draw_plan("mute", 3, False)).processes[0].machine
    checker.request = 3
    alter(machine, floor=5)
    checker.watch(0, machine)
    alter(machine, floor=6)
    fails(Violation, "from epoch 6 on only", checker.watch, 0, machine)


@pytest.mark.parametrize(("seats", "liars"), [(4, ()), (5, (3, 4))])
def test_the_checker_finds_a_card_seen_on_a_chain_that_was_replaced(
    seats: int, liars: tuple[int, ...]
) -> None:
    """Two liars may see one card more, and are banned for it."""
    checker = _checker(seats, liars)
    tip = transition.begin(checker.table)
    slot = checker.secrets.stock()[-1]
    checker.secrets.shares |= {(slot, seat) for seat in range(seats - len(liars))}
    checker.judge_looks([tip])
    checker.secrets.due[slot].add(b"elsewhere")
    if liars:
        checker.judge_looks([replace(tip, banned=frozenset({4}))])
    fails(Violation, "replaced", checker.judge_looks, [tip])


def test_the_checker_finds_a_reveal_in_vain() -> None:
    checker = _checker(4, ())
    first = transition.begin(checker.table)
    tip = replace(first, step=2, digest=b"seen", parent=first, slots=(b"",) * 4)
    checker.revealed[0, 1] = b"seen"
    checker.judge_reveals([tip])
    checker.revealed[0, 1] = b"replaced"
    fails(Violation, "in vain", checker.judge_reveals, [tip])


KEPT = ("huge-requests", "unresolved-promise", "mute", "cut", "hub")
ONCE = {
    "roots": "wide-1",
    "restored": "wide-8",
    "clone": "wide-10",
    "thinkers": "wide-0",
    "rubbish": "wide-1",
    "huge-requests": "wide-6",
    "cut": "wide-9",
}
"""By name a game that failed before there was a rule against it."""


@pytest.mark.parametrize("name", sample(KEPT, 1, "what is kept"))
def test_what_the_catalogue_adds_breaks_no_promise(name: str) -> None:
    assert play("q-1", only=name)["games"] == 1


@pytest.mark.parametrize("name", sample(ONCE, 1, "wide games that once failed"))
def test_games_that_once_failed(name: str) -> None:
    """Games that once failed stay sound: zero key shares, restored and copied homes, and others."""
    assert play(ONCE[name], only=name)["games"] == 1


LONG = {"long-1453": 4, "long-2899": 2, "long-4309": None}
"""Games with the whole catalogue, and how many seats have to finish.

A seat that alone stores a proof at the end ends too. A request far ahead that only one seat stores
parts nobody. A seat that was asked and crashed is asked again.
"""


@pytest.mark.parametrize("seed", sample(LONG, 1, "long games"))
def test_games_of_a_long_run_that_once_failed(seed: str) -> None:
    seen = play(seed, wide=True)
    assert seen["games"] == 1
    assert LONG[seed] in (None, seen["finished"])


@pytest.mark.parametrize("seed", sample(["vain-27", "vain-49"], 1, "reveals in vain"))
def test_a_game_in_which_a_reveal_would_be_in_vain_without_a_barrier(
    seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A liar that is everybody's only path cuts one link after the other."""
    without = next(mutant for mutant in MUTANTS if mutant.name == "reveal without a barrier")
    assert play(seed, 4, only="cut")["finished"] > 0
    monkeypatch.setattr(Checker, "_check_reveal", lambda *_: None)
    with planted(without), cheap_blocks(), pytest.raises(Violation, match="in vain"):
        play(seed, 4, only="cut")


# The simulator itself.


def _world(only: str) -> World:
    plan = draw_plan("world", 4, False, only=only)
    world = World(replace(plan, partitions=((0.0, 30.0, frozenset({0})),)))
    world.trouble = 0.0
    return world


def test_links_come_and_go_with_what_cuts_them() -> None:
    world = _world("clone")
    for seat in range(4):
        world._look(seat)
    assert world.processes[0].links == set()
    assert world.processes[1].links == inspect(world.processes[1].machine).links == {2, 3}
    world.now = 30.0
    world.processes[3].up = False
    for seat in range(3):
        world._look(seat)
    assert world.processes[0].links == inspect(world.processes[0].machine).links == {1, 2}


def test_who_comes_back_has_new_links() -> None:
    world = World(draw_plan("back", 3, False))
    one, other, _ = world.processes
    for seat in range(3):
        world._look(seat)
    world.last[1, 0] = world.last[0, 1] = world.last[1, 2] = 99.0
    one.up = False
    world._resume(0)
    assert (1, 0) not in world.last
    assert world.last[0, 1] < 99.0 == world.last[1, 2]
    assert one.links == {1, 2}
    assert other.links == inspect(other.machine).links == {2}


def test_who_asks_without_knowing_what_it_forgot_reaches_the_honest() -> None:
    world = _world("restored")
    process = world.processes[0]
    assert not world.reach(0, 1)
    process.is_blind = True
    assert not world.reach(0, 1)
    alter(process.machine, inquiry=Inquiry(0.0))
    assert world.reach(0, 1)
    assert world.reach(1, 0)
    world.plan = replace(world.plan, liars=frozenset({1}))
    assert not world._is_asking(0, 1)


def test_a_backup_of_a_home_is_known_to_be_one_by_whoever_stores_what_it_lacks() -> None:
    world = World(draw_plan("known", 3, False))
    world.run()
    assert _signed_by(world, 0) <= known(world.processes[0].disk)
    for process in world.processes:
        process.up = True  # they have stood up
    disk = world.processes[0].disk
    last = max(i for i, record in enumerate(disk) if known([record]) & _signed_by(world, 0))
    assert world.homes.is_known(0, last)
    assert not world.homes.is_known(0, last + 1)
    for process in world.processes[1:]:
        process.up = False
    assert not world.homes.is_known(0, last)


def _signed_by(world: World, seat: int) -> set[bytes]:
    return {m.encode() for m in inspect(world.processes[seat].machine).store if m.seat == seat}
