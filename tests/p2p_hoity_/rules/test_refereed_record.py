"""Tests of whether the record alone referees a whole game: with the rulebook and JSON."""

import json

import pytest
from support.rules_driver import Referee
from support.unruly_games import TABLES, play_unruly

from p2p_hoity.editions.load_edition import load


class Clerk:
    """Follows a game from its record and checks every resolution by the rulebook."""

    def __init__(self, setup):
        self.setup = setup
        self.hands = [{c["id"]: c for c in hand} for hand in setup["hands"]]
        self.seats = len(self.hands)
        self.figures = [0] * self.seats
        self.held = [set(slots) for slots in setup["collectibles"]]
        self.windows = [[p["slot"] for p in window] for window in setup["windows"]]
        self.faces = {p["slot"]: p for w in setup["windows"] for p in w if p["letter"]}
        self.register, self.cells, self.thefts = [], [], []
        self.begin({"round": 0})

    def begin(self, event):
        place = event.get("place")
        self.places = {s: place for s in event.get("seats", ()) if place}
        self.played, self.exhibits = {}, {}
        self.before = list(self.figures)
        self.round = event["round"]

    def read(self, event):
        getattr(self, event["type"].replace("-", "_"), lambda e: None)(event)

    def round_began(self, event):
        assert event["round"] == self.round + 1
        self.begin(event)

    def place_shown(self, event):
        self.places[event["seat"]] = event["place"]

    def action_shown(self, event):
        seat, card = event["seat"], event["card"]
        assert self.places[seat] == event["place"]
        assert self.hands[seat].pop(card["id"]) == card
        hall = {"Cash", "Thief"} | ({"Detective"} if self.setup["detective_in_hall"] else set())
        castle = {"Exhibit", "Thief", "Detective"}
        assert card["kind"] in (hall if event["place"] == "Auction Hall" else castle)
        self.played[seat] = card

    def playing(self, place, kind):
        return [s for s, c in self.played.items() if self.places[s] == place and c["kind"] == kind]

    def sale(self, event):
        bids = self.playing("Auction Hall", "Cash")
        winner = max(bids, key=lambda seat: self.played[seat]["number"])
        assert (event["seat"], event["paid"]) == (winner, self.played.pop(winner))
        assert event["took"] == self.faces[self.windows[event["window"]].pop(0)]
        self.held[winner].add(event["took"]["slot"])

    def cash_stolen(self, event):
        assert self.playing("Auction Hall", "Thief") == [event["seat"]]
        self.hands[event["seat"]][event["cash"]["id"]] = event["cash"]

    def cash_paid(self, event):
        assert len(self.playing("Auction Hall", "Thief")) != 1
        self.register.append(event["cash"])

    def turned_up(self, event):
        assert self.windows[event["window"]][0] == event["piece"]["slot"]
        self.faces[event["piece"]["slot"]] = event["piece"]

    def returned(self, event):
        if self.played.get(event["seat"]) == event["card"]:
            del self.played[event["seat"]]
        else:
            assert event["card"] == self.leaving.pop(0)
        self.hands[event["seat"]][event["card"]["id"]] = event["card"]

    def exhibit_shown(self, event):
        seat, pieces = event["seat"], event["pieces"]
        self.check_exhibit(seat, pieces)
        assert self.played[seat]["kind"] == "Exhibit"
        better = [strength(shown) for shown in self.exhibits.values()]
        assert all(s < strength(pieces) for s in better)
        assert event["placing"] == len(better) + 1
        self.exhibits[seat] = pieces
        self.exhibited = {s: [p["slot"] for p in e] for s, e in self.exhibits.items()}

    def check_exhibit(self, seat, pieces):
        letters = sorted({p["letter"] for p in pieces})
        assert len(pieces) >= 3
        assert "".join(letters) in "ABCDEF"
        for p in pieces:
            assert p["slot"] in self.held[seat]
            assert self.faces.setdefault(p["slot"], p) == p

    def figure_moved(self, event):
        seat, why = event["seat"], event["why"]
        assert self.figures[seat] == event["start"]
        assert event["fields"] == self.due(seat, why)
        last = len(self.setup["octagons"]) - 1 + self.setup["banquet_fields"]
        self.figures[seat] = min(event["start"] + event["fields"], last)
        assert self.figures[seat] == event["end"]

    def due(self, seat, why):
        if why == "Detective":
            return self.ranks[seat]
        if "final" in why:
            return {"best final exhibit": 8, "second-best final exhibit": 4}[why]
        octagon = self.setup["octagons"][max(self.before)]
        placing = list(self.exhibits).index(seat)
        assert why == ("best exhibit", "second-best exhibit")[placing]
        return octagon[placing]

    def stolen(self, event):
        slot, owner, thief = event["piece"]["slot"], event["owner"], event["seat"]
        self.thefts.append(self.played[thief]["number"])
        assert self.thefts == sorted(self.thefts, reverse=True)
        self.exhibited[owner].remove(slot)
        self.held[owner].remove(slot)
        self.held[thief].add(slot)

    def detective_ranked(self, event):
        assert self.playing("Castle", "Thief")
        assert event["seat"] in self.playing("Castle", "Detective")
        first = not getattr(self, "ranks", None)
        track = self.before if self.setup["detective_rank"] == "before" else self.figures
        if first:
            self.ranks = [1 + sum(other > mine for other in track) for mine in track]
        assert event["rank"] == self.ranks[event["seat"]]

    def imprisoned(self, event):
        assert self.playing("Castle", "Detective")
        thief = self.played.pop(event["seat"])
        assert thief == event["thief"]
        cells = [thief, *self.cells]
        self.cells, self.leaving = cells[: self.setup["cells"]], cells[self.setup["cells"] :]
        assert event["cells"] == self.cells

    def round_ended(self, event):
        assert event["figures"] == self.figures
        assert not self.played
        self.thefts, self.ranks = [], None

    def hand_opened(self, event):
        assert {p["slot"] for p in event["pieces"]} == self.held[event["seat"]]
        for p in event["pieces"]:
            if p["letter"]:
                assert self.faces.setdefault(p["slot"], p) == p

    def final_exhibit(self, event):
        self.check_exhibit(event["seat"], event["pieces"])

    def standing_made(self, event):
        assert event["field"] == self.figures[event["seat"]]
        ahead = sum(field > event["field"] for field in self.figures)
        assert event["rank"] > ahead


def strength(pieces):
    by_age = sorted((p["year"], p["letter"]) for p in pieces)
    return (-len(pieces), [year for year, _ in by_age], [letter for _, letter in by_age])


def told(referee):
    return json.loads(json.dumps([event.as_json() for event in referee.record]))


def follow(record):
    clerk = Clerk(record[0])
    for event in record[1:]:
        clerk.read(event)
    return clerk


@pytest.mark.parametrize(("name", "seats", "variant"), TABLES)
def test_a_game_can_be_refereed_from_its_record_alone(name, seats, variant):
    referee = play_unruly(name, seats, variant, seed=40 + seats)
    record = told(referee)
    clerk = follow(record)
    state = referee.state
    assert tuple(clerk.figures) == state.figures
    assert [sorted(hand) for hand in clerk.hands] == [list(hand) for hand in state.hands]
    assert [tuple(sorted(held)) for held in clerk.held] == list(state.collectibles)
    assert [c["id"] for c in clerk.register] == list(state.register)
    assert [c["id"] for c in clerk.cells] == list(state.prison)
    assert [list(window) for window in state.windows] == clerk.windows


def test_the_clerk_notices_a_tampered_record():
    referee = Referee.seat(load(), 4, 8)
    referee.play()
    for kind, field, wrong in (
        ("figure-moved", "fields", 9),
        ("sale", "seat", -1),
        ("imprisoned", "cells", []),
        ("exhibit-shown", "placing", 7),
        ("round-ended", "figures", [0, 0, 0, 1]),
    ):
        record = told(referee)
        event = next(e for e in record if e["type"] == kind)
        event[field] = wrong
        with pytest.raises(AssertionError):
            follow(record)
