"""Tests of the tables of features: each says what it is, and the network is as wide as they are."""

from p2p_hoity.bots.learned.features import CANDIDATE, OTHER, OWN, Feature, length
from p2p_hoity.bots.learned.policy_network import Shape


def test_every_feature_says_what_it_is():
    for features in (OWN, OTHER, CANDIDATE):
        assert all(feature.count > 0 and len(feature.meaning) > 10 for feature in features)


def test_a_table_is_as_long_as_its_features_together():
    assert length(()) == 0
    assert length([Feature("one", 2, ""), Feature("two", 3, "")]) == 5
    assert (length(OWN), length(OTHER), length(CANDIDATE)) == (
        Shape().own,
        Shape().other,
        Shape().candidate,
    )
    assert (length(OWN), length(OTHER), length(CANDIDATE)) == (114, 33, 29)
