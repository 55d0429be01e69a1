"""Scenes of a page that no game with `--json` gives, made from the classes of the messages."""

import json
from dataclasses import replace
from typing import Any

from p2p_hoity.presentation.message_records import Terms, Told
from p2p_hoity.presentation.table_messages import (
    Alarm,
    Ask,
    AskForm,
    Clock,
    Lobby,
    Log,
    Said,
)
from p2p_hoity.presentation.window_messages import (
    Bye,
    Deal,
    Explain,
    FilmPosition,
    Sheet,
    Story,
    StyledText,
)
from support.page_browser import recorded

Line = dict[str, Any]

LONG_NAME = "Donaudampfschiffskapitän"
MARKUP = "<img src=x onerror=alert(1)><b>bold</b>"
RIGHT_TO_LEFT = "שלום עולם"
TICKET = "hoity3abnzgr4khgxd3ziebp2ebdmux3ohbbbvulusz76erpnoyh4kimhuudfd63sdlb7hv65m2qwaq77scw2y"
QR = "".join(
    f"M{x} {y}h1v1h-1z" for x in range(29) for y in range(29) if (x * 7 + y * 11 + x * y) % 3
)
PROMISES = (
    "No seat can see a card before it is dealt to it, unless all seats work together.",
    "Every shuffle is proven. Whoever cheats is named, with a proof that anybody can check.",
)
TERMS = (
    "Edition: uberplay-2004, 51 Collectibles",
    "A choice may take 5 minutes, any other step 30 seconds.",
    "The game goes on while 1 seat is gone. It may come back up to 3 times.",
    "Onlookers are let in. They see what all seats see.",
)


def _ask(form: AskForm, words: str, seconds: float | None = None, **fields: Any) -> Line:
    return Ask(7, form, words, fields, seconds).as_json()


def _told(*messages: Any) -> list[Line]:
    return [message.as_json() for message in messages]


def _changed(game: str, scene: str, change: Any) -> list[Line]:
    """A recorded scene whose last board, or whose table, was changed."""
    told = json.loads(json.dumps(recorded(game)[scene]))
    change(told)
    return told


def _long_names(told: list[Line]) -> None:
    names = [LONG_NAME, MARKUP[:24], RIGHT_TO_LEFT, "W" * 24, "i", "A B C D E F G H I J K L"]
    for seat, name in zip(told[0]["seats"], names, strict=True):
        seat["nickname"] = name


def _many_pieces(told: list[Line]) -> None:
    """All that can lie in a row: seven pieces of one letter, 40 in all."""
    own = told[-2]["board"]["seats"][told[0]["seat"]]
    cards = told[0]["edition"]["collectibles"]
    sevens = [one for letter in "ABCDEF" for one in [c for c in cards if c["letter"] == letter][:7]]
    own["pieces"] = [
        [n, one["letter"], one["year"], n % 5 == 0] for n, one in enumerate(sevens[:40])
    ]
    own["best"] = list(range(40))


def _attendance(told: list[Line]) -> None:
    seats = told[-1]["board"]["seats"]
    states = [
        ("left", "left for now"),
        ("absent", "absent"),
        ("unlinked", "link lost"),
        ("banned", "CHEATED"),
    ]
    for seat, (presence, status) in zip(seats[1:], states, strict=False):
        seat.update(presence=presence, status=status)


def _board(game: str = "four", scene: str = "question-action") -> list[Line]:
    return [one for one in recorded(game)[scene] if one["type"] != "question"]


TALK = _told(
    Said(1, "Ada", "Well played.", 1, False),
    Said(None, "onlooker", MARKUP, None, False),
    Said(2, RIGHT_TO_LEFT, RIGHT_TO_LEFT + " (3)", None, False),
)
WAITING = Clock(
    4, (1, 2), 12.0, 288.0, "Then the game goes on without them, if enough agree."
).as_json()
TERMS_RECORD = Terms(
    host=None, seats=4, quorum=3, edition="uberplay-2004", variant=None, switches={}, secrecy=3,
    progress=1, no_fork=1, choice_seconds=300.0, step_seconds=30.0, rejoins=3, watched=True,
)  # fmt: skip
HOSTED = Lobby(
    names=("Ada", LONG_NAME), seats=4, ticket=TICKET, code="17-opal-saxophone", reach="lan",
    reasons=(Told("no-port", {}, "The router does not open ports when asked."),),
    terms=TERMS_RECORD, lines=TERMS,
)  # fmt: skip
LEVELS = [
    {"level": "easy", "words": "easy"},
    {"level": "fair", "words": "fair"},
    {"level": "normal", "words": "normal"},
    {"level": "hard", "words": "hard"},
]
SHEET = Sheet(
    "rules",
    "Rules",
    tuple(
        (StyledText(f"{number}  ", "dim"), StyledText("Everyone picks a Place first. ", "plain"),
         StyledText("Ada", "seat.red"), StyledText(" ✓", "good"))
        for number in range(1, 30)
    ),
)  # fmt: skip
FILM = FilmPosition(
    120,
    57,
    (3, 20, 41, 66, 90),
    None,
    StyledText("Verified: every signature, proof, commitment and rule.", "good"),
)

SCENES: dict[str, tuple[list[Line], dict[str, Any]]] = {
    "setup": (
        [
            _ask(
                AskForm.SETUP,
                "Welcome. How do you want to play?",
                nickname=None,
                language="en",
                level="normal",
                levels=LEVELS,
                offers_lesson=True,
            )
        ],
        {},
    ),
    "lobby": (_told(HOSTED), {"mode": "host"}),
    "lobby-admit": (
        [
            *_told(HOSTED),
            _ask(
                AskForm.ADMIT,
                "Cleo asks for a seat and shows no key. Let Cleo in?",
                45.0,
                nickname="Cleo",
                fingerprint="4OT3-BTNA-5VIM-PNGL-I2JO",
            ),
        ],
        {"mode": "host"},
    ),
    "lobby-agree": (
        [
            *_told(replace(HOSTED, ticket=None, code=None, reach=None, reasons=())),
            _ask(AskForm.AGREE, "Sit down at this table?"),
        ],
        {"mode": "join"},
    ),
    "deal": (
        [
            *recorded("six")["table"],
            Deal(11, 26, "deck shuffled by Ada, proof checked", PROMISES).as_json(),
        ],
        {},
    ),
    "explain": (
        [
            *_board("four", "question-place"),
            Explain(
                3,
                "Whoever plays the highest Cash in the Auction Hall buys one of the two pieces in "
                "the windows. All Cash goes into the register, which a Thief may take.",
                ("hall", "windows", "register"),
            ).as_json(),
        ],
        {"mode": "learn"},
    ),
    "waiting": (
        [
            *_board("four", "taken"),
            WAITING,
            *TALK,
            Story(("Round 3 · Ada 4 · You 2",)).as_json(),
            *TALK,
        ],
        {},
    ),
    "bot": ([*_board("four", "taken"), WAITING], {"by_bot": True}),
    "sheet": ([*_board(), SHEET.as_json()], {}),
    "ticket": (
        [
            *_board(),
            Sheet(
                "ticket",
                "Ticket",
                ((StyledText("For those who cannot reach you.", "plain"),),),
                TICKET,
                QR,
                29,
            ).as_json(),
        ],
        {},
    ),
    "leave": (
        [*_board(), _ask(AskForm.LEAVE, "Leave for now? The others play on without you.")],
        {},
    ),
    "return": (
        [
            *_board(),
            _ask(
                AskForm.RETURN, "The others have declared you absent. Take your seat again?", 60.0
            ),
        ],
        {},
    ),
    "again": (
        [
            *recorded("four")["ending"],
            _ask(AskForm.AGAIN, "Another game with the same people?", 240.0),
        ],
        {},
    ),
    "ending-two": (recorded("two")["ending"], {}),
    "absence": (_changed("six", "beat-exhibit-shown", _attendance), {}),
    "alarm": (
        [
            *_changed("six", "beat-exhibit-shown", _attendance),
            Alarm(
                3,
                4,
                "equivocation",
                "Bruno cheated: it signed two different statements for one step.",
            ).as_json(),
        ],
        {},
    ),
    "names": (_changed("six", "question-place", _long_names), {"language": "de"}),
    "many": (_changed("six", "question-exhibit", _many_pieces), {"language": "de"}),
    "replay": (
        [*_board("six", "beat-exhibit-shown"), FILM.as_json()],
        {"mode": "replay", "may_talk": False},
    ),
    "bye": (
        [
            *_board(),
            Bye("The program has ended. Go on with: hoity resume 1997ea80 --web").as_json(),
        ],
        {},
    ),
    "log": (
        [
            *_board(),
            Log(2, "left", {"seat": 1, "gave_up": False}, ("Ada has left for now.",)).as_json(),
            *TALK,
        ],
        {},
    ),
}
