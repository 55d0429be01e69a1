"""No message that a page in a browser shows names a command to type, or a path of its storage."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.paths import ROOT
from support.source import nodes_of, short

from cli.ui.browser.page_sentences import IN_PAGE
from cli.words import translation
from cli.words.error_sentences import sentence
from p2p_hoity.coded_errors import because
from p2p_hoity.storage.journal import JournalCode
from tools.page_modules import PAGE

OF_A_TERMINAL = re.compile(
    rf"\bhoity ({'|'.join(translation.NAMES)})\b|\{{hoity\}}|(?<![\w-])--[a-z]|Ctrl-C|HOITY_[A-Z]"
    r"|\bterminal\b|\{path\}|\{journal\}|\{command\}"
)
NEVER = {
    # The line prompt and JSON lines, files that a person names, and the command itself.
    "cli/exit_codes.py": "",
    "cli/local/mistaken_files.py": "",
    "cli/local/new_files.py": "",
    "cli/ui/json_window.py": "",
    "cli/ui/lines/line_question.py": "",
    "cli/ui/lines/line_ticket.py": "",
    "cli/ui/lines/line_window.py": "",
    "cli/ui/saved_picture.py": "",
    "cli/ui/screen_options.py": "",
    "cli/words/certificates.py": "",
    # Where the file of the game is: a page saves it instead.
    "cli/words/end_sentences.py": r"Transcript: |Check it with: |See it again: |--picture ",
    # The host's page, and the page of `--web`.
    "cli/words/page_labels.py": "Give this ticket|Transcript: |The program has ended|This address",
    "cli/words/table_terms.py": "CODE |TICKET |In a terminal|This game began without --relay-only",
    # The player's folders, keys and passphrases on a disk.
    "p2p_hoity/storage/home.py": "",
    "p2p_hoity/storage/player_key.py": "",
    "p2p_hoity/storage/private_files.py": "",
    "p2p_hoity/storage/journal.py": ".* in use|there is already a journal|the marks of journals",
    # Addresses of one's own, proxies, and relays that a person has chosen.
    "p2p_hoity/reachability/advertised_addresses.py": "",
    "p2p_hoity/reachability/pcp_and_nat_pmp.py": "",
    "p2p_hoity/table/open_links.py": "Write --listen|cannot listen on",
    "p2p_hoity/table/gathering/join_table.py": (
        "this is your own table|you still have your seat|{why}; start it"
    ),
    # What only `resume`, `games` and `forget` say, and what a page does not take.
    "p2p_hoity/table/beside_game/chat.py": r"talk is switched off here \(--no-talk\)",
    "p2p_hoity/table/beside_game/unfinished_games.py": "",
    "p2p_hoity/table/playing/reconnect_moved_seat.py": "this ticket does not belong",
}
"""The messages that no page shows, by module: how they begin, all of the module if empty."""


def texts() -> Iterator[tuple[str, str]]:
    """Yield the modules of the page with each of their texts that is no docstring."""
    for name in PAGE.listed():
        path = ROOT.joinpath(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if file.exists() and name != "cli.ui.browser.page_sentences":
            yield from ((short(file), text) for text in _texts_in(file))


def _texts_in(file: Path) -> Iterator[str]:
    nodes = nodes_of(file)
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        match node:
            case ast.Constant(str(text)) if " " in text and id(node) not in alone:
                yield text


def test_what_names_a_command_or_a_path_is_said_otherwise_in_a_page() -> None:
    found = {(file, text) for file, text in texts() if OF_A_TERMINAL.search(text)}
    shown = {text for file, text in found if file not in NEVER or not re.match(NEVER[file], text)}
    assert shown - set(IN_PAGE) == set()
    assert {file for file, _ in found} >= set(NEVER)


def test_every_sentence_of_a_page_stands_for_a_message_that_there_is() -> None:
    assert set(IN_PAGE) <= {text for _, text in texts()}
    for before, instead in IN_PAGE.items():
        assert not OF_A_TERMINAL.search(instead)
        assert set(re.findall(r"\{\w+\}", instead)) <= set(re.findall(r"\{\w+\}", before))


def test_a_page_says_so_in_every_language() -> None:
    reason = because(JournalCode.STOPPED, path="/hoity/journals/a", why="No space left on device")
    said = {}
    try:
        for language in translation.LANGUAGES:
            translation.speak(language)
            translation.say_instead({})
            assert "/hoity/journals/a" in sentence(reason)
            translation.say_instead(IN_PAGE)
            said[language] = sentence(reason)
    finally:
        translation.say_instead({})
        translation.speak("en")
    assert len({*said.values()}) == len(translation.LANGUAGES)
    assert not any("hoity" in words for words in said.values())
