"""What people paste is read as what it was before a mail, a chat or a terminal had it."""

from contextlib import suppress
from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails

from p2p_hoity import pasted_text
from p2p_hoity.editions.load_edition import NAMES, EditionError, load
from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.network_errors import AddressError, TicketError
from p2p_hoity.net.socks_proxy import parse_proxy
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.net.typed_addresses import typed_address
from p2p_hoity.net.typed_tickets import is_like_a_ticket, read_ticket
from p2p_hoity.table.gathering.number_words import number_words
from p2p_hoity.table.gathering.spoken_codes import (
    MOST_WORDS,
    WORDS,
    CodeError,
    SpokenCode,
    is_code,
    parse_code,
    word_list,
)

TICKETS = st.builds(
    Ticket,
    st.binary(min_size=32, max_size=32),
    st.lists(st.sampled_from(["10.0.0.1:9", "[::1]:80", "a.example:4646"]), unique=True).map(tuple),
    st.binary(min_size=32, max_size=32),
    st.just(("relay.example:4646",)),
    st.sampled_from([b"", b"s" * 16]),
)
RELAYS = ("", "127.0.0.1:4646", "[2001:db8::1]:80", "relay.example.org:4646")
CODES = st.builds(
    SpokenCode,
    st.integers(1, 999_999_999),
    st.lists(st.sampled_from(word_list()), min_size=WORDS, max_size=MOST_WORDS).map(tuple),
    st.sampled_from(RELAYS),
)
PROMPTS = ("", "$ ", "> ", "# ", "ana@box:~/games$ ", "PS C:\\Users\\Ana> ", "C:\\> ", "❯ ")
PROGRAMS = (
    "hoity join",
    "hoity.exe watch",
    "hoity  join --yes",
    "HOITY JOIN",
    "sudo hoity --lang de join",
    "py -m cli watch",
    "python3 tasks.py hoity join",
    "python -P -m cli join",
    "~/.local/bin/hoity join",
    "pipx run hoity join",
    "HOITY_HOME=~/second hoity join",
)
AROUND = (
    ("", ""),
    ("", "."),
    ("", ","),
    ("", " !"),
    ("(", ")"),
    ("[", "]"),
    ("<", ">"),
    ("'", "'"),
    ('"', '".'),
    ("„", "“"),
    ("«", "»"),
    ("「", "」"),
    ("`", "`"),
    ("```\n", "\n```"),
    ("**", "**"),
    ("*", "*,"),
    ("• ", ""),
    ("> ", ""),
    ("> > ", ""),
    ("hoity:", ""),
    ("<hoity:", ">"),
    ("\ufeff", ""),
    ("\u200e", "\u200f"),
    ("\u2066", "\u2069"),
    ("\x1b[200~", "\x1b[201~"),
    ("\xa0", "\xa0"),
    ("Code: ", ""),
    ("Código: ", "。"),
    ("¿", "?"),
    ("&lt;", "&gt;"),
    ("~~", "~~"),
    ("||", "||"),
    ("  \t", "\r\n"),
)
OPTIONS = ("", " --yes", " --name Ana", " –yes", " # here", " && echo")
UNSEEN = "\u200b\u200c\u200d\u2060\xad\ufeff\u200e\u202c\ufe0f\u180e"


@st.composite
def decorated(draw: st.DrawFn, text: str) -> str:
    """A text in a command, between marks, with what nobody sees inside."""
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(UNSEEN)) + text[at:]
    before, behind = draw(st.sampled_from(AROUND))
    text = f"{before}{text}{behind}"
    if draw(st.booleans()):
        program = draw(st.sampled_from(PROGRAMS))
        options = draw(
            st.sampled_from(["", " --yes", " --name Ana", " –yes", " # here", " && echo"])
        )
        if not text.startswith(">"):
            text = f"{draw(st.sampled_from(PROMPTS))}{program} {text}{options}"
    return text


@st.composite
def wide(draw: st.DrawFn, text: str) -> str:
    """A text whose letters are capitals or wide here and there."""
    kind = draw(st.sampled_from(["as it is", "capitals", "first", "wide"]))
    if kind == "wide":
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    if kind == "capitals":
        return text.upper()
    return text[:1].upper() + text[1:] if kind == "first" else text


@given(st.data(), TICKETS)
def test_a_ticket_is_found_in_what_is_pasted(data: st.DataObject, ticket: Ticket) -> None:
    word = encode_ticket(ticket)
    size = data.draw(st.integers(20, len(word)))
    between = data.draw(st.sampled_from(["", " ", "\n", "\r\n> ", "-\n", "=\r\n", "\n| "]))
    broken = between.join(word[at : at + size] for at in range(0, len(word), size))
    text = data.draw(decorated(data.draw(wide(broken)) if not between else broken))
    assert read_ticket(text) == ticket, text
    assert is_like_a_ticket(text)


@given(st.data(), CODES)
def test_a_code_is_found_in_what_is_pasted(data: st.DataObject, code: SpokenCode) -> None:
    gap = data.draw(st.sampled_from(["-", "–", "—", "\u2011", "−", "－", " - ", "_", "・ー"[1]]))
    typed = gap.join([str(code.number), *code.words])
    if code.relay:
        relay = data.draw(st.sampled_from(["{}", "http://{}", "https://{}/", "{}/"]))
        typed += "@" + relay.format(code.relay)
    text = data.draw(decorated(data.draw(wide(typed))))
    assert parse_code(text) == code, text
    assert is_code(text)


@given(CODES, CODES)
def test_two_codes_never_become_one(one: SpokenCode, other: SpokenCode) -> None:
    """What is a code as it is typed is never cleaned, and several codes are none."""
    assert parse_code(str(one)) == SpokenCode(one.number, one.words)
    if one.relay:
        fails(CodeError, "", parse_code, f"{one}@{one.relay} {other}")


@each(
    [
        "7-vacuum-avalanche. See you",
        "7-vacuum-avalanche, avalanche",
        "7-vacuum-avalanche --yes",
        "7-vacuum-avalanche walrus",
        "7-vacuum-avalanche\nlantern",
        "7-vacuum-avalanche (walrus)",
        "7-vacuum ava",
    ]
)
def test_a_word_behind_a_code_does_not_become_a_part_of_it(text: str) -> None:
    """A code of three words is another one, and a wrong one would be used up."""
    fails(CodeError, "no-code|code-of-no-word", parse_code, text)


@each(["7 vacuum-avalanche", "7-vacuum\navalanche", "7. Vacuum, avalanche", "7  vacuum avalanche"])
def test_two_whole_words_may_have_different_gaps(text: str) -> None:
    assert parse_code(text) == SpokenCode(7, ("vacuum", "avalanche"))


@given(TICKETS, TICKETS)
def test_of_several_tickets_none_is_taken(one: Ticket, other: Ticket) -> None:
    first, second = encode_ticket(one), encode_ticket(other)
    assert read_ticket(f"hoity join {first}\nor: hoity watch {first}") == one
    if first != second:
        for between in ("\n", " or ", ", hoity join "):
            fails(TicketError, "several-tickets", read_ticket, f"{first}{between}{second}")


def test_prose_around_a_ticket_is_left_out_and_a_slip_stays_a_slip() -> None:
    word = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32))
    ticket = decode_ticket(word)
    for text in (
        f"Here it is: {word} see you at eight",
        f"hoity3 tickets look like this: {word}. Have fun!",
        f"Ana wrote:\n> join me\n> {word[:60]}\n> {word[60:]}\n> see you",
        f"https://chat.example/{word}",
    ):
        assert read_ticket(text) == ticket, text
    wrong = [
        (f"{word}x", "ticket-letters-too-many"),
        (word[:-3], "ticket-letters-missing"),
        (f"hoity join {word[:-3]}.", "ticket-letters-missing"),
        (f"{word[:50]}1{word[51:]}", "ticket-mistyped-letter"),
        (f"hoity join {word[:50]}b{'c' if word[51] != 'c' else 'd'}{word[52:]}", "ticket-mistyped"),
        (f"hoity join hoity9{word[6:]}", "ticket-of-other-version"),
        ("hoity join Ana", "no-ticket"),
        ("hoity join", "ticket-of-other-version"),
        ("", "no-ticket"),
        ("hoity3pasted", "ticket-mistyped"),
        ("hoity3zzzzz", "ticket-mistyped|ticket-letters-missing"),
        (f"x{word}", "no-ticket"),
    ]
    for text, code in wrong:
        fails(TicketError, code, read_ticket, text)


@given(st.text(max_size=300))
def test_any_text_is_a_ticket_a_code_an_address_or_an_error(text: str) -> None:
    for read, error in (
        (read_ticket, TicketError),
        (parse_code, CodeError),
        (typed_address, AddressError),
    ):
        with suppress(error):
            read(text)
    assert pasted_text.unwrapped(pasted_text.unwrapped(text)) == pasted_text.unwrapped(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("seven-vacuum-avalanche", 7),
        ("Seven Vacuum Avalanche", 7),
        ("hoity join seven-vacuum-avalanche", 7),
        ("twenty-one vacuum avalanche", 21),
        ("twenty six vacuum avalanche", 26),
        ("sieben vacuum avalanche", 7),
        ("Fünf-vacuum-avalanche", 5),
        ("fuenfunddreissig vacuum avalanche", 35),
        ("dreiunddreißig vacuum avalanche", 33),
        ("siete vacuum avalanche", 7),
        ("treinta y uno vacuum avalanche", 31),
        ("veintitrés vacuum avalanche", 23),
    ],
)
def test_the_number_of_a_code_may_be_a_word(text: str, number: int) -> None:
    assert parse_code(text) == SpokenCode(number, ("vacuum", "avalanche"))
    assert is_code(text)


def test_number_words_are_no_words_of_codes_and_shortened_words_do_not_follow_them() -> None:
    assert sorted(set(number_words().values())) == list(range(1, 100))
    assert not set(word_list()) & {part for word in number_words() for part in word.split("-")}
    for text in (
        "seven-vac-ava",
        "seven of nine",
        "One Big Cat",
        "seven-vacuum",
        "twenty-six-vacuum",
    ):
        assert not is_code(text), text
        fails(CodeError, "no-code", parse_code, text)


@each(
    [
        ("http://relay.example.org:4647", "relay.example.org:4647"),
        ("https://relay.example.org:4646/", "relay.example.org:4646"),
        ("HTTPS://Relay.Example.org:4646", "relay.example.org:4646"),
        ("hoity://192.0.2.7:80", "192.0.2.7:80"),
        ("https://[2001:db8::1]:80/", "[2001:db8::1]:80"),
        ("bücher.example:4647", "xn--bcher-kva.example:4647"),
        ("BÜCHER.example:4647", "xn--bcher-kva.example:4647"),
        ("http://bu\u0308cher.example:4647/", "xn--bcher-kva.example:4647"),
        ("straße.example:1", "xn--strae-oqa.example:1"),
        ("例え。テスト:80", "xn--r8jz45g.xn--zckzah:80"),
        ("relay.example.org：４６４７", "relay.example.org:4647"),
        ("ｒｅｌａｙ．ｅｘａｍｐｌｅ:4647", "relay.example:4647"),
        ("relay.exam\u200bple.org:4647\u200e", "relay.example.org:4647"),
        ("relay.example.org:4647.", "relay.example.org:4647"),
        ("(relay.example.org:4647),", "relay.example.org:4647"),
        ("“relay.example.org:4647”", "relay.example.org:4647"),
        ("`[::1]:4647`", "[::1]:4647"),
        ("([::1]:4647)", "[::1]:4647"),
        ("_relay:4647", "_relay:4647"),  # a name, and not a mark of Markdown
        ("relay+a.example:1", "relay+a.example:1"),
        # Names that look like others are shown as what they are.
        ("аpple.example:1", "xn--pple-43d.example:1"),
        ("paypaⅼ.example:1", "paypal.example:1"),
    ]
)
def test_an_address_may_be_written_as_people_write_it(case: tuple[str, str]) -> None:
    text, plain = case
    address = typed_address(text)
    assert str(address) == plain
    assert str(address).isascii()
    assert parse_address(str(address)) == address


@each(
    [
        ("https://relay.example.org", "address-without-port"),
        ("https://relay.example.org/", "address-without-port"),
        ("relay.example.org:", "address-without-port"),
        ("relay.example.org:x", "address-bad-port"),
        ("https://relay.example.org:4646/path", "address-with-more"),
        ("http://relay.example.org:4646?x=1", "address-with-more"),
        ("http://me@relay.example.org:4646", "address-with-more"),
        ("c℀.example:1", "address-without-machine"),
        ("ü\u200db.example:1", "address-without-machine"),
        ("bü cher.example:1", "address-without-machine"),
        ("relay.exam ple:1", "address-without-machine"),
        ("socks5://relay.example.org:4646", ""),
        ("relay.example.org:٣", "address-bad-port"),
        ("" + "ü" * 80 + ".example:1", "address-without-machine"),
        ("::1:4647", "address-without-brackets"),
    ]
)
def test_what_is_no_address_is_refused_in_words(case: tuple[str, str]) -> None:
    text, code = case
    fails(AddressError, code, typed_address, text)


@given(
    st.one_of(
        st.sampled_from(["relay.example.org", "192.0.2.7", "_x.example"]),
        st.integers(0, 2**128 - 1).map(lambda number: f"[{IPv6Address(number)}]"),
    ),
    st.integers(1, 65535),
    st.sampled_from(
        [around for around in AROUND if ":" not in around[0] and "\n" not in around[0]]
    ),
)
def test_an_address_between_marks_is_the_address(
    host: str, port: int, around: tuple[str, str]
) -> None:
    text = f"{host}:{port}"
    if not host.startswith("_"):
        assert typed_address(f"{around[0]}{text}{around[1]}".strip("> ")) == parse_address(text)
    assert typed_address(text) == parse_address(text)


@each(
    [
        ("relay.example.org", "relay.example.org:4646"),
        ("bücher.example.", "xn--bcher-kva.example:4646"),
        ("[::1]", "[::1]:4646"),
        ("<[::1]>", "[::1]:4646"),
    ]
)
def test_the_usual_port_is_added_to_a_machine_alone(case: tuple[str, str]) -> None:
    text, plain = case
    assert str(typed_address(text, usual_port=4646)) == plain
    fails(AddressError, "", typed_address, "https://relay.example.org", usual_port=4646)


@each(
    [
        "'socks5://127.0.0.1:9050'",
        '"socks5://127.0.0.1:9050/"',
        "<socks5h://127.0.0.1:9050>",
        "\ufeffsocks5://127.0.0.1:9050.",
        "ｓｏｃｋｓ５：／／127.0.0.1:9050",
    ]
)
def test_a_proxy_may_stand_between_marks(text: str) -> None:
    assert str(parse_proxy(text)) == "127.0.0.1:9050"


def test_a_password_of_a_proxy_is_taken_as_it_is() -> None:
    proxy = parse_proxy("socks5://_ana_:a.b!@bücher.example:1080")
    assert (proxy.name, proxy.password, proxy.host) == ("_ana_", "a.b!", "xn--bcher-kva.example")


@each(
    [
        "Uberplay-2004",
        " uberplay–2004. ",
        "`uberplay-2004`",
        "“uberplay\u20112004”",
        "uberplay-\u200b2004",
        "ＵＢＥＲＰＬＡＹ－２００４",
    ]
)
def test_an_edition_is_found_by_its_name_as_typed(text: str) -> None:
    assert load(text) is load(NAMES[0])


def test_an_edition_of_another_name_is_still_a_file() -> None:
    with pytest.raises(EditionError):
        load("uberplay")
