"""The features: the tables of all numbers that the learned bot's network is given, in their order.

`observation.py` computes the tables OWN and OTHER, and `move_candidates.py` computes CANDIDATE. The
vectorised code of the training computes the same numbers. Where a thing does not exist, its number
is 0. The tables use these words:

- *others*: the other seats at the table. *Active*: present and not sitting this round out.
- *known* pieces of a seat: those whose letter the deciding seat knows. It knows all its own pieces.
- *age* of a piece: 1 - seniority / number of Collectibles. It is 1 for the oldest piece, and 0 if
  there is no piece.
- *run*: the largest unbroken run of letters among the known pieces of a seat, even below three
  pieces. Of two equally large runs, the one that has the oldest piece counts. *Size*: the number
  of pieces in the run.
- *gain* of a letter for a seat: by how much one more piece of the letter enlarges the seat's run.
  *Loss*: by how much one piece less of the letter makes the run smaller.
- *may have*: the largest run that is possible if the seat's hidden pieces fill gaps and add to it.
- The Cash, Thieves, Detective and Exhibit of a seat are the cards in its hand, not on the table.
- CASH and THIEF are the largest numbers on such cards in the edition (24 and 12).
- *clipped*: limited to the range from -1 to 1.
- *share of others*: a number of other seats divided by the number of all other seats, active or
  not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

VERSION = 1
"""The version of this table. A file of weights names the version for which it was trained."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Some adjacent numbers of the network's input that belong together.

    Attributes:
        count: How many numbers the feature has.
        meaning: What the numbers mean, and by what each is divided.
    """

    name: str
    count: int
    meaning: str


OWN = (
    Feature("decision", 6, "one-hot: place, action, turn, window, exhibit, theft"),
    Feature("seats", 5, "one-hot: 2, 3, 4, 5, 6"),
    Feature("variant", 2, "surprise; confrontation"),
    Feature("switches", 3, "Actions together; Detective in the Hall; Detective's rank before"),
    Feature("round", 2, "smaller of round and 60, / 30; whether it is odd"),
    Feature("figure", 2, "own field / 50; rank / 6 (competition rank on the track, 1 is first)"),
    Feature(
        "leader",
        4,
        "its field / 50; fields to the first Banquet field (at least 0) / 38; 1 - those fields / 10"
        " (at least 0); (own field - furthest other) / 20, clipped",
    ),
    Feature("octagon", 2, "larger / 5, smaller / 5 of the leader's field as the round began"),
    Feature("letters", 6, "own pieces by letter A to F / 5"),
    Feature("open letters", 6, "own pieces that are open to all, by letter / 5"),
    Feature("ages", 6, "age of the own oldest piece by letter"),
    Feature("run", 4, "own run: size / 10; 1 if at least 3; age of its oldest; 1 if all open"),
    Feature("run letters", 6, "1 for each letter in the own run"),
    Feature("more runs", 2, "size of the next largest whole run / 10; run of own open pieces / 10"),
    Feature("pieces", 2, "own pieces / 15; own pieces not open to all / 4"),
    *(
        Feature(
            f"window {w}",
            10,
            "top: letter one-hot (6), age; pieces left / 24; own gain / 4; largest other gain / 4",
        )
        for w in (1, 2)
    ),
    Feature("unseen", 6, "Collectibles by letter that the seat does not know the place of / 10"),
    Feature(
        "cash",
        5,
        "number / 4; largest / CASH; next / CASH; sum / 50; share of others whose largest is less",
    ),
    Feature("thieves", 3, "number / 2; higher / THIEF; lower (the only one is both) / THIEF"),
    Feature("single cards", 2, "Detective in hand; Exhibit in hand"),
    Feature(
        "prison",
        3,
        "own Thieves in it / 2; cells to go of the own next to leave / seats; all in it / seats",
    ),
    Feature("own place", 2, "in the Castle; in the Auction Hall"),
    Feature("own action", 4, "shown: Cash; Thief; Detective; Exhibit"),
    Feature("others where", 3, "share of others in Castle; in Hall; active in no Place yet"),
    Feature(
        "others' actions",
        6,
        "share of others that show: Hall Cash, Thief, Detective; Castle Thief, Detective, Exhibit",
    ),
    Feature("rivals", 2, "share of others whose run is smaller than own; who may have a larger"),
)
"""The features of the deciding seat and of the table."""

OTHER = (
    Feature("figure", 3, "field / 50; (field - own field) / 20, clipped; rank / 6"),
    Feature("pieces", 2, "pieces / 15; hidden / 4"),
    Feature("letters", 6, "known pieces by letter / 5"),
    Feature("run", 4, "run / 10; 1 if at least 3; age of its oldest; may have / 10"),
    Feature("cash", 3, "number / 4; largest / CASH; 1 if larger than own largest"),
    Feature("thieves", 2, "number / 2; highest / THIEF"),
    Feature("single cards", 2, "Detective in hand; Exhibit in hand"),
    Feature("prison", 1, "its Thieves in prison / 2"),
    Feature("place", 2, "in the Castle; in the Auction Hall"),
    Feature("action", 4, "shown: Cash; Thief; Detective; Exhibit"),
    Feature("exhibit", 1, "pieces left in the exhibit it shows / 10"),
    Feature("active", 1, "1 if active"),
    Feature("gains", 2, "gain of the top of window 1 / 4; of window 2 / 4"),
)
"""The features of each other seat, by rising seat."""

CANDIDATE = (
    Feature("place", 2, "place, turn: Castle; Auction Hall"),
    Feature("card", 4, "action, turn: Cash; Thief; Detective; Exhibit"),
    Feature(
        "cash",
        3,
        "if Cash: number / CASH; share of the other own Cash that is less; share of others who are"
        " active, not in the Castle, and hold larger",
    ),
    Feature(
        "thief",
        2,
        "if Thief: number / THIEF; share of others who are active, not in the Hall, and hold a"
        " higher",
    ),
    Feature(
        "exhibit",
        8,
        "if exhibit: pieces / 10; 1 if as large as the own run; age of its oldest; share open to"
        " all; letters / 6; 1 if smaller than its span's pieces; pieces that are of the own run"
        " / 10; (pieces - largest run of other seats that show Exhibit in the Castle) / 5, clipped",
    ),
    Feature(
        "piece",
        10,
        "if window or theft: age; own gain / 4; 1 if in or next to the own run's letters; own of"
        " its letter / 5; most any other (not its owner) gains / 4; window: pieces left / 24;"
        " theft: owner's loss / 4, (owner's field - own) / 20 clipped, owner's of its letter / 5,"
        " pieces left in the exhibit / 10",
    ),
)
"""The features of each candidate, which is one of the options of a decision.

The order of the candidates is, by the kind of choice:

- place: Castle, Auction Hall.
- action: by card, rising.
- turn: by Place and card, rising.
- window: 1, 2.
- theft: for each exhibit by itself, the oldest piece of each letter.
- exhibit: by span of letters (A-A, A-B, … A-F, B-B, …), for each that is unbroken and has at least
  3 pieces. The first candidate is all pieces of the span. The second one is the oldest piece of
  each letter, filled up to 3 with the oldest other pieces. It is left out if it is not smaller.
"""


def length(table: Iterable[Feature]) -> int:
    """Return how many numbers a table of features has."""
    return sum(feature.count for feature in table)
