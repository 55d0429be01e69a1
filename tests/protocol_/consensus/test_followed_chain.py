"""The chain that a seat follows: which inputs count, and which steps are complete."""

from dataclasses import replace

import pytest
from support.driven_chain import DrivenChain
from support.inspection import chosen_inputs, has_proof, inspect, secrets_of
from support.machine_table import waiting_table
from support.models.epochs import Model
from support.models.promises import grown, inputs_of, signed

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.chain.transition import body_of_choice
from protocol.consensus import followed_chain
from protocol.consensus.message_store import MessageStore
from protocol.wire import signed_messages
from protocol.wire.signed_messages import EpochRequest, Message, StepInput
from protocol.wire.step_bodies import EMPTY

pytestmark = pytest.mark.usefixtures("cheap")


def test_the_version_seen_first_is_followed() -> None:
    table = waiting_table()
    node = table.machine().tip
    secrets = secrets_of(table.machine(1))
    bodies = [body_of_choice(node, 1, 1, secrets, lambda n, x=x: x * n) for x in (b"a", b"b")]  # type: ignore[misc]
    one, two = (table.tell_first(1, StepInput(0, node.step, node.digest, body)) for body in bodies)
    chosen = chosen_inputs(table.machine())
    assert chosen[1].hash == one.hash != two.hash
    assert inspect(table.machine()).proofs[1].code == "equivocation"
    assert has_proof(table.machine())


def test_a_step_is_complete_once_all_that_owe_an_input_gave_a_legal_one(model: Model) -> None:
    store, followed = grown(model, inputs_of(model, 0, 1, 2))
    assert followed.tip is model.base
    illegal = signed(model, 3, StepInput(0, model.base.step, model.base.digest, b"c"))
    elsewhere = signed(model, 3, StepInput(0, model.base.step, b"x" * 32, b"a"))
    for message in (illegal, elsewhere):
        assert grown(model, [*inputs_of(model, 0, 1, 2), message])[1].tip is model.base
    store.add(model.step_input(model.base, 3, b"b"))
    grown_by = followed_chain.grow(store, followed, None)
    assert grown_by is not None
    before, after = grown_by
    assert (before, after) == (model.base, followed.tip)
    assert followed.path == {node.digest: node for node in (before, after)}
    assert after.slots == (b"a", b"a", b"a", b"b")


def test_of_several_inputs_of_a_seat_the_first_legal_one_counts(model: Model) -> None:
    bodies = [StepInput(0, model.base.step, model.base.digest, body) for body in (b"c", b"b", b"a")]
    several = [signed(model, 3, one) for one in bodies]
    store, followed = grown(model, inputs_of(model, 0))
    for message in several[:2]:
        store.add(message)
    chosen = followed_chain.chosen_inputs(store, followed)
    assert {seat: message.statement.body for seat, message in chosen.items()} == {0: b"a", 3: b"b"}  # type: ignore[union-attr]
    assert followed_chain.chosen_inputs(store, followed, only_known=True) == chosen
    model.base.derived.clear()
    assert followed_chain.chosen_inputs(store, followed, only_known=True) == {}


def test_the_version_on_which_the_own_seat_has_built_goes_first(model: Model) -> None:
    """To leave it would be a fault. An onlooker follows what came first."""
    first = [*inputs_of(model, 0, 1, 2, 3), model.step_input(model.base, 3, b"b")]
    slots = (b"a", b"a", b"a", b"b")
    other = transition.append(model.base, slots)
    own = inputs_of(model, 0, node=other)
    assert grown(model, [*first, *own], seat=0)[1].path.keys() >= {other.digest}
    for seat in (None, 1):
        assert other.digest not in grown(model, [*first, *own], seat=seat)[1].path


def test_a_seat_whose_last_input_is_off_the_chain_gives_no_further_one(model: Model) -> None:
    first = inputs_of(model, 0, 1, 2, 3)
    store, followed = grown(model, first)
    assert followed_chain.keeps_own_inputs(store, followed, 0)
    assert followed_chain.keeps_own_inputs(MessageStore(), followed, 0), "it has given none"
    store.add(signed(model, 0, StepInput(0, followed.tip.step, b"x" * 32, b"a")))
    assert not followed_chain.keeps_own_inputs(store, followed, 0)
    followed.base = replace(followed.base, step=followed.tip.step + 1)
    assert followed_chain.keeps_own_inputs(store, followed, 0), "it is of before the base"


def before_the_deal() -> tuple[DrivenChain, Node]:
    """Return a chain before the deal, and the node before the deck is confirmed."""
    drive = DrivenChain(3)
    confirming = drive.stand_before(Kind.DECK_OK)
    drive.stand_before(Kind.DEAL)
    return drive, confirming


def said(drive: DrivenChain, node: Node, body: bytes, on: bytes = b"", epoch: int = 0) -> Message:
    """Return an input of seat 1 at a node."""
    statement = StepInput(epoch, node.step, on or node.digest, body)
    return signed_messages.sign(drive.who[1], drive.table.id, 1, statement)


def test_the_deck_is_confirmed_by_a_legal_input_to_deck_ok() -> None:
    drive, node = before_the_deal()
    assert followed_chain.confirms_deck(node, said(drive, node, EMPTY))
    assert not followed_chain.confirms_deck(node, said(drive, node, b"\x90"))
    assert not followed_chain.confirms_deck(node, said(drive, node, EMPTY, on=b"x" * 32))
    assert not followed_chain.confirms_deck(drive.node, said(drive, drive.node, EMPTY))
    request = signed_messages.sign(drive.who[1], drive.table.id, 1, EpochRequest(1))
    assert not followed_chain.confirms_deck(node, request)


def test_of_a_seats_inputs_to_the_first_deal_the_first_on_its_node_counts() -> None:
    drive, confirming = before_the_deal()
    node, store = drive.node, MessageStore()
    stray, first, second = (
        said(drive, node, body, on) for body, on in ((b"s", b"x" * 32), (b"1", b""), (b"2", b""))
    )
    assert followed_chain.first_on(store, node, first)
    store.add(stray)
    assert followed_chain.first_on(store, node, first), "another one names no node"
    store.add(first)
    assert followed_chain.first_on(store, node, first)
    assert not followed_chain.first_on(store, node, second)
    assert not followed_chain.first_on(store, node, stray)
    assert not followed_chain.first_on(store, node, said(drive, node, b"1", epoch=1))
    assert not followed_chain.first_on(store, confirming, said(drive, confirming, EMPTY))
