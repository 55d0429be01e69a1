"""The rules of Hoity Toity, as pure functions over a frozen state. There is no cryptography here.

Other packages import only the names that are listed here.
"""

from protocol.game_interface import Cards as Cards
from protocol.game_interface import Choice as Choice
from protocol.game_interface import Choose as Choose
from protocol.game_interface import Expected as Expected
from protocol.game_interface import IllegalMove as IllegalMove
from protocol.game_interface import Seal as Seal
from protocol.game_interface import Show as Show

from .choices import FORMS as FORMS
from .choices import Kind as Kind
from .choices import Place as Place
from .choices import UnexpectedEvent as UnexpectedEvent
from .choices import Why as Why
from .choices import choice_from_wire as choice_from_wire
from .edition import LETTERS as LETTERS
from .edition import ActionCard as ActionCard
from .edition import ActionKind as ActionKind
from .edition import Edition as Edition
from .exhibits import best_exhibit as best_exhibit
from .exhibits import strength as strength
from .game_setup import start as start
from .game_state import HAND as HAND
from .game_state import Standing as Standing
from .game_state import State as State
from .game_state import Variant as Variant
from .game_state import layout as layout
from .happenings import Happening as Happening
from .happenings import Piece as Piece
from .illegal_moves import Rule as Rule
from .legality import best_slots as best_slots
from .legality import check as check
from .legality import default_theft as default_theft
from .legality import theft_options as theft_options
from .phase_machine import apply as apply
from .phase_machine import expected as expected
from .phases import Phase as Phase
from .seat_view import View as View
from .seat_view import view as view
