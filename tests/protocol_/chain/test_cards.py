"""Cards in the slots of the deck: who may show them, and how shares are proven and opened."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain
from support.forgeries.bodies import plus_one
from support.machine_table import seeded

from protocol.chain import cards
from protocol.chain.chain_state import Kind, Node
from protocol.errors import Invalid

pytestmark = pytest.mark.usefixtures("cheap")

RNG = seeded("cards")


@pytest.fixture
def drive() -> DrivenChain:
    """Return three seats whose hands are dealt, before they choose a card to show."""
    found = DrivenChain(3)
    found.stand_before(Kind.SEAL, "card")
    return found


def others_share(node: Node, slot: int) -> bool:
    """Return whether all seats but the one that holds a card have given their shares of it."""
    return {seat for of, seat in node.shares if of == slot} == {0, 1, 2} - {slot // 2}


def test_a_card_of_the_own_hand_is_hidden_until_its_seat_gives_its_share(
    drive: DrivenChain,
) -> None:
    node, (one, other) = drive.node, drive.table.layout.hands[1]
    assert others_share(node, one)
    assert cards.hidden_of(node, 1, (other, one)) == (other, one)
    assert cards.hidden_of(node, 0, (one,)) == (), "it is in no hand of seat 0"
    shown = replace(node, shares={**node.shares, (one, 1): b""})
    assert cards.hidden_of(shown, 1, (other, one)) == (other,)
    assert cards.hidden_of(node, 1, one) == ()


def test_a_seat_shows_open_cards_and_those_of_its_own_hand_each_once() -> None:
    drive = DrivenChain(3)
    node, layout = drive.stand_before(Kind.SEAL, "bid"), drive.table.layout
    hands, (top,) = layout.hands, layout.tops
    assert top in node.cards
    cards.check_showable(node, 1, (*hands[1], top))
    cards.check_showable(node, 1, ())
    hidden = layout.cards - 1
    assert hidden not in node.cards
    for choice in (hands[0], (hidden,), (top, top), hands[1][0]):
        fails(Invalid, "illegal-choice", cards.check_showable, node, 1, choice)


def test_shares_hold_for_their_node_seat_kind_and_slots_alone(drive: DrivenChain) -> None:
    node, slots = drive.node, drive.table.layout.hands[0]
    batch = cards.own_shares(node, 1, slots)
    data = batch.write(drive.secrets[1].key, RNG)
    assert list(batch.check(data)) == [(slot, 1) for slot in slots]
    for other in (
        replace(batch, seat=0),
        replace(batch, kind="help-1"),
        replace(batch, slots=slots[::-1]),
        replace(batch, public=node.keys.share_key(0)),
        replace(batch, node=replace(node, step=node.step + 1)),
    ):
        fails(Invalid, "bad-share", other.check, data)
    fails(Invalid, "bad-share", batch.check, plus_one(data))
    fails(Invalid, "bad-body", batch.check, data[:-1])
    fails(Invalid, "bad-body", batch.check, b"")


def test_a_batch_of_no_shares_is_empty(drive: DrivenChain) -> None:
    batch = cards.own_shares(drive.node, 1, ())
    assert batch.write(drive.secrets[1].key, RNG) == b""
    assert batch.check(b"") == {}
    fails(Invalid, "bad-body", batch.check, bytes(64))


def test_a_card_is_open_once_the_shares_of_all_are_known(drive: DrivenChain) -> None:
    node, slot = drive.node, drive.table.layout.hands[1][0]
    own = cards.own_shares(node, 1, (slot,))
    more = own.check(own.write(drive.secrets[1].key, RNG))
    assert cards.opened_cards(node, (slot,), {}) == {}
    (card,) = cards.opened_cards(node, (slot, slot + 1), more).values()
    assert card == cards.hand(node, 1, drive.secrets[1], {})[slot]
    lacking = {key: share for key, share in node.shares.items() if key != (slot, 2)}
    assert cards.opened_cards(replace(node, shares=lacking), (slot,), more) == {}


def test_a_seat_reads_its_own_hand_alone_and_each_card_once(drive: DrivenChain) -> None:
    node, hands = drive.node, drive.table.layout.hands
    found = [cards.hand(node, seat, drive.secrets[seat], {}) for seat in range(3)]
    assert [tuple(one) for one in found] == list(hands)
    assert len({card for one in found for card in one.values()}) == 6
    known = dict.fromkeys((node.keys.deck[slot] for slot in hands[1]), 99)
    assert set(cards.hand(node, 1, drive.secrets[1], known).values()) == {99}
    lacking = {key: share for key, share in node.shares.items() if key != (hands[1][0], 0)}
    short = replace(node, shares=lacking)
    assert cards.hand(short, 1, drive.secrets[1], {}) == {hands[1][1]: found[1][hands[1][1]]}
    assert cards.hand(DrivenChain(3).node, 1, drive.secrets[1], {}) == {}
