"""What mails, chats, telephones and terminals put around a text, and inside it."""

from hypothesis import strategies as st

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
        options = draw(st.sampled_from(OPTIONS))
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
