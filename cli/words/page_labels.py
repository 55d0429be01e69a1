"""The labels of the page that `--web` serves, in the reader's language.

Sentences about the game come with the messages. Here are the words of the page itself: its
buttons, titles and keys. A label has the name by which the modules of `cli/ui/web/page` ask for
it. They fill in its fields.
"""

from __future__ import annotations

from .translation import _


def labels() -> dict[str, str]:
    """Return all labels by their names."""
    return {**_table(), **_choice(), **_around(), **_menu(), **_end(), **_window()}


def _table() -> dict[str, str]:
    """Return the labels of the table: places, cards, seats."""
    return {
        "absent": _("absent"),
        "banned": _("banned"),
        "best_exhibit": _("best exhibit"),
        "cash": _("Cash"),
        "castle": _("Castle"),
        "detective": _("Detective"),
        "exhibit": _("Exhibit"),
        "field_at": _("field {field}"),
        "hall": _("Auction Hall"),
        "hidden": _("hidden: {number}"),
        "left": _("left for now"),
        "linked_of": _("{linked}/{seats} linked"),
        "none": _("none"),
        "octagon": _("octagon at {field}: +{best} / +{second}"),
        "oldest": _("oldest {year}"),
        "pieces": _("Pieces"),
        "prison": _("Prison"),
        "register": _("Register"),
        "seat": _("SEAT"),
        "secret": _("a piece that only you see"),
        "thief": _("Thief"),
        "thinking": _("thinking"),
        "track": _("track"),
        "unlinked": _("link lost"),
        "window": _("window {number}"),
        "you": _("You"),
    }


def _choice() -> dict[str, str]:
    """Return the labels of a choice, and of waiting for others."""
    return {
        "again": _("This choice has to be made again, since the step is repeated."),
        "best": _("best"),
        "bot_off": _("take your seat back from the bot"),
        "bot_on": _("let a bot play on in your seat"),
        "bot_plays": _("A bot plays your seat."),
        "fold": _("show or hide the choice"),
        "goes_on": _("Go on"),
        "hint": _("Hint"),
        "hurry": _("Show the rest at once"),
        "no": _("No"),
        "mark_exhibit": _("Click pieces in your row, or take one of these."),
        "mark_loot": _("Click one piece of each exhibit."),
        "seal": _("Seal it (no undo)"),
        "sealed": _("sealed ✓"),
        "sealed_awaited": _("sealed; awaited: {who}"),
        "to_choice": _("to your choice"),
        "wait": _("give the awaited players more time"),
        "waiting": _("waiting for {who}"),
        "yes": _("Yes"),
        "your_turn": _("► your turn"),
    }


def _around() -> dict[str, str]:
    """Return the labels before a game: the first run, the lobby, the deal."""
    return {
        "bots": _("Bots"),
        "copied": _("Copied."),
        "copy": _("Copy"),
        "give_own_link": _("Send this link to the others. They sit down in their browser."),
        "give_link": _("Send this link to the others. It works if the relay serves a page."),
        "give_ticket": _("Give this ticket to the others. They type: {hoity} join TICKET"),
        "language": _("Language"),
        "lesson": _("play a first round that is explained"),
        "nickname": _("Your nickname at this table."),
        "nickname_new": _("empty: a new one at each table"),
        "play_bots": _("play against bots"),
        "seated": _("Seated {number} of {seats}"),
        "share": _("Share"),
        "shuffled": _("The cards are shuffled by every seat in turn."),
        "table_fills": _("The table fills"),
    }


def _menu() -> dict[str, str]:
    """Return the labels of the menu, of its pages and of the keys."""
    return {
        "close": _("Close"),
        "hear": _("hear {who} again"),
        "hear_onlookers": _("hear onlookers again"),
        "key_bot": _("let a bot play on, and take the seat back"),
        "key_mark": _("walk over your pieces and mark them; 1–9 marks one of the best exhibits"),
        "key_pick": _("pick an answer; Enter seals it, and there is no undo"),
        "keys": _("Keys"),
        "leave": _("leave for now; take your seat again any time"),
        "leave_lesson": _("leave the lesson"),
        "leave_table": _("leave the table"),
        "light_or_dark": _("switch between light and dark"),
        "links": _("Links and keys"),
        "log": _("Log"),
        "menu": _("Menu"),
        "mute": _("mute {who}"),
        "mute_onlookers": _("mute onlookers"),
        "notify": _("notify me when it is my turn"),
        "numbers": _("What this table promises"),
        "phrases": _("Phrases for the talk:"),
        "proofs": _("Proofs"),
        "recap": _("What has happened"),
        "rules": _("Rules"),
        "send": _("Send"),
        "sound_off": _("turn the bell off"),
        "sound_on": _("turn the bell on"),
        "staged_off": _("show reveals all at once"),
        "staged_on": _("show reveals step by step"),
        "stay": _("stay at the table"),
        "stop_watching": _("stop watching"),
        "talk": _("Talk"),
    }


def _end() -> dict[str, str]:
    """Return the labels of the end and of a replay."""
    return {
        "decided": _("What decided it"),
        "everyone": _("everyone"),
        "eyes": _("what one seat knew then: each seat in turn, then what all knew"),
        "field": _("FIELD"),
        "fields_chart": _("Fields of the score track over the rounds"),
        "last_exhibit": _("LAST EXHIBIT"),
        "name_you": _("{nickname} (you)"),
        "keep": _("save the file of the game"),
        "key_yes_no": _("answer a question with yes or no"),
        "load_again": _("Load this page again"),
        "may_close": _("You may close this window."),
        "over": _("The game is over"),
        "rank": _("RANK"),
        "round": _("Round {round}"),
        "round_back": _("to where the round before begins"),
        "round_on": _("to where the next round begins"),
        "run": _("let it run, or stop it"),
        "save_picture": _("save a picture of the game"),
        "standings": _("Standings"),
        "step_back": _("one step back"),
        "speed": _("faster or slower: {times} times"),
        "step_on": _("one step on"),
        "transcript": _("Transcript: {path}"),
    }


def _window() -> dict[str, str]:
    """Return the labels of the window's connection."""
    return {
        "connecting": _("Connecting …"),
        "ended": _("The program has ended. Go on with: hoity resume --web"),
        "here_only": _("This address is for the machine on which the program runs."),
        "link_used": _(
            "This address was used already. If another tab has the table, go on there. If not, "
            "the terminal soon prints a new address."
        ),
        "lost": _("The connection to your program is lost. Trying again …"),
        "elsewhere": _("Another window has the table."),
        "take_over": _("Take over here"),
    }
