"""Every message is translated, every catalogue is current, and yes is heard in any language."""

import ast
import re
from pathlib import Path

import pytest
from support.cli_stage import tool
from support.paths import ROOT
from support.shell import Shell

from cli.app import HELP, run
from cli.commands.options import OutputOptions
from cli.commands.resume import _command
from cli.words import translation
from cli.words.table_terms import block, if_moved, invitation
from cli.words.translation import CALLED_AS, NAMES, command_line
from p2p_hoity.presentation.screen_updates import OfferedCode

catalogues = tool("catalogues")


def folder_of(path: Path, language: str = "de") -> Path:
    """A folder for a catalogue, as deep as the true ones."""
    found = path / language / "LC_MESSAGES"
    found.mkdir(parents=True)
    return found


def stiff(language: str, message: str, text: str) -> bool:
    """Whether a translation addresses a stranger."""
    for said in OF_OTHERS:
        text = text.replace(said, "")
    his = language == "es" and re.search(r"\byou(r|rs)?\b", message, re.IGNORECASE)
    return bool(STIFF[language].search(text) or (his and HIS.search(text)))


@pytest.mark.parametrize("path", catalogues.catalogues(), ids=lambda p: p.parts[-3])
def test_every_message_is_translated_and_files_are_current(path: Path, tmp_path: Path) -> None:
    assert catalogues.check(path) == []
    copy = folder_of(tmp_path, path.parts[-3]) / "hoity.po"
    head = path.read_text(encoding="utf-8").partition("\n\n")[0]
    catalogues.write(copy, head, catalogues.updated(catalogues.read(path)))
    assert copy.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
    for key, texts in catalogues.entries(catalogues.read(path)).items():
        words = (key,) if isinstance(key, str) else key
        wanted = sorted(re.findall(r"\{.*?\}", words[-1]))
        assert all(sorted(re.findall(r"\{.*?\}", text)) == wanted for text in texts), key
        assert not any(stiff(path.parts[-3], " ".join(words), text) for text in texts), key


STIFF = {
    "de": re.compile(r"\b(Sie|Ihr|Ihre[mnrs]?|Ihnen)\b"),
    "es": re.compile(
        r"\b(ustedes|usted|abra|compruebe|cree|déselo|elija|escriba|espere|guarde|haga|indique"
        r"|pídalo|ponga|pregúntele|pulse|quite|retome|siéntese|tome|vuelva)\b",
        re.IGNORECASE,
    ),
}
"""Words that address a stranger: the game says du and tú."""
HIS = re.compile(r"\b(su|sus|suyo|suya|le|les)\b", re.IGNORECASE)
"""Spanish words that mean a stranger where the English says you, and otherwise someone else."""
OF_OTHERS = (
    "Cada asiento lo decide por su cuenta",
    "Tu clave, su huella y tu apodo.",
    "da a este terminal su propia clave",
    "ves su apodo y su clave",
    "pide a uno de ellos su transcripción",
)
"""What they mean someone else in, although the English says you there too."""


@pytest.mark.parametrize(
    ("language", "message", "text", "found"),
    [
        ("de", "Where do you go?", "Wohin gehen Sie?", True),
        ("de", "Your key.", "Ihr Schlüssel.", True),
        ("de", "they go on", "dann spielen sie ohne dich weiter", False),
        ("es", "Where do you go?", "¿Adónde va usted?", True),
        ("es", "Your seat.", "Su asiento.", True),
        ("es", "Type it.", "Escriba el número.", True),
        ("es", "its key", "conoce su clave", False),
        ("es", "Your key, its fingerprint", "Tu clave, su huella y tu apodo.", False),
    ],
)
def test_an_address_of_strangers_is_seen(
    language: str, message: str, text: str, found: bool
) -> None:
    assert stiff(language, message, text) is found


def test_no_message_stands_inside_an_f_string() -> None:
    """Babel does not look in there."""
    inside = [
        f"{path.relative_to(ROOT)}, line {call.lineno}"
        for path in sorted((ROOT / "cli").rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.func.id in catalogues.MARKS
        if isinstance(call.args[0], ast.Constant)
    ]
    assert inside == []


def test_a_missing_an_unused_and_a_stale_message_are_noticed(tmp_path: Path) -> None:
    path = folder_of(tmp_path) / "hoity.po"
    path.write_text('msgid "no such message"\nmsgstr "x"\n\nmsgid "no such message"\nmsgstr ""\n')
    wrong = "\n".join(catalogues.check(path))
    assert "in no source: 'no such message'" in wrong
    assert "not translated: 'Castle'" in wrong
    assert 'stands twice: msgid "no such message"' in wrong
    assert "is stale" in wrong
    one, other = catalogues.catalogues()
    path.write_bytes(one.read_bytes())
    path.with_suffix(".mo").write_bytes(one.with_suffix(".mo").read_bytes())
    assert not catalogues.is_stale(path)
    path.with_suffix(".mo").write_bytes(other.with_suffix(".mo").read_bytes())
    assert catalogues.is_stale(path)


def test_a_new_catalogue_asks_for_every_message_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = folder_of(tmp_path) / "hoity.po"
    path.write_text('msgid "a"\nnonsense\n')
    with pytest.raises(ValueError, match="line 2"):
        catalogues.read(path)
    path = folder_of(tmp_path, "pl") / "hoity.po"
    catalogues.begin(path)
    found = catalogues.read(path)
    assert set(catalogues.entries(found)) == catalogues.messages()
    assert not any(map(any, catalogues.entries(found).values()))
    assert found.num_plurals == 3


def test_speaking_and_counting() -> None:
    translation.speak("de")
    assert (translation.language(), translation._("Castle")) == ("de", "Schloss")
    translation.speak("es")
    assert translation._("Thief") == "Ladrón"
    assert translation._("there is no such message") == "there is no such message"
    translation.speak("en")
    assert translation._("Castle") == "Castle"
    with pytest.raises(ValueError, match="en, de, es"):
        translation.speak("fr")
    key = ("{number} hour", "{number} hours")
    translation.speak("es")
    assert [translation.count(*key, n) for n in (1, 2)] == ["{number} hora", "{number} horas"]


def test_commands_are_shown_as_this_program_was_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "Try hoity play, or hoity resume {game}. hoity: Hoity Toity"
    assert translation._(told) == told
    assert command_line("resume", "", "8daa") == "hoity resume 8daa"
    monkeypatch.setenv(CALLED_AS, "python3 tasks.py hoity")
    shown = "Try python3 tasks.py play, or python3 tasks.py hoity resume {game}. hoity: Hoity Toity"
    assert translation._(told) == shown
    assert _command(OutputOptions(plain=True)) == "python3 tasks.py hoity resume --plain"
    for language in translation.LANGUAGES:
        run(["--lang", language, "--help"])
        help_ = " ".join(capsys.readouterr().out.split())
        assert help_.count("tasks.py") == 4


def test_the_letter_of_the_usual_answer_is_large_in_every_language() -> None:
    for code, letters in (("en", "Y/n y/N y/n"), ("de", "J/n j/N j/n"), ("es", "S/n s/N s/n")):
        translation.speak(code)
        told = [translation.yes_no("Sure?", usual) for usual in (True, False, None)]
        assert told == [f"Sure? {one}" for one in letters.split()]
        for one in letters.split():
            yes, no = one.split("/")
            assert translation.yes_or_no(yes) is True
            assert translation.yes_or_no(no) is False


def test_only_commands_are_put_as_they_are_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every message, and in the help of every command, in every language."""
    assert set(HELP) == {*NAMES, "new", "show", "export"}
    monkeypatch.setenv(CALLED_AS, "python3 tasks.py hoity")
    told = "*.hoity in X, p2p-hoity play, hoity into"
    assert translation._(told) == told
    helped = [[name] for name in NAMES] + [["id", name] for name in ("new", "show", "export")]
    for language in translation.LANGUAGES:
        for words in ([], *helped):
            run(["--lang", language, *words, "--help"])
        texts = [capsys.readouterr().out]
        translation.speak(language)
        texts += [translation._(one) for one in catalogues.messages() if isinstance(one, str)]
        for text in texts:
            assert not re.search(r"[\w.-]python3", text)
            typed = re.findall(r"tasks\.py hoity ([a-z]+)", text)
            assert set(typed) <= set(NAMES), text


def test_what_others_type_is_the_installed_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may have the program from elsewhere; all messages that have the field are these."""
    monkeypatch.setenv(CALLED_AS, "python3 tasks.py hoity")
    code = OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None)
    told = (*block("HOITY1"), *invitation(code), if_moved("Ada"))
    for theirs in ("type: hoity join TICKET", "types: hoity join 7-", "that hoity resume shows"):
        assert [line for line in told if theirs in line]
    assert "type python3 tasks.py hoity join TICKET" in if_moved("Ada")  # what one types oneself
    with_field = [one for one in catalogues.messages() if "{hoity}" in one]
    assert len(with_field) == 7
    said = re.compile(r"\b(they|who) types?:? hoity |[Hh]ost( uses it with:|'s) `?hoity ")
    assert not [one for one in catalogues.messages() if said.search(str(one))]


def test_a_variable_chooses_as_the_option_does(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "es_ES.UTF-8")
    monkeypatch.setenv("HOITY_LANG", "de")
    assert "ZIEL" in hoity.told(0, "rules")
    assert "OBJETIVO" in hoity.told(0, "rules", "--lang", "es")
    hoity.home.path.mkdir()
    (hoity.home.path / "settings.json").write_text('{"language": "es"}')
    assert "ZIEL" in hoity.told(0, "rules")
    for right in ("de_DE.UTF-8", "DE", "de-DE", " de", "de_DE@euro", "de_CH.ISO-8859-1", "De "):
        monkeypatch.setenv("HOITY_LANG", right)
        assert "ZIEL" in hoity.told(0, "rules")
        monkeypatch.setenv("HOITY_LANG", "es")
        assert "ZIEL" in hoity.told(0, "rules", "--lang", right)
        assert "ZIEL" in hoity.told(0, "rules", f"--lang={right}")
    for wrong in ("xx", "german", "fr_FR.UTF-8", "C", "d", "de DE", "deutsch", "en;de"):
        monkeypatch.setenv("HOITY_LANG", wrong)
        told = hoity.told(2, "rules")
        assert told == f"hoity: HOITY_LANG: the languages are en, de, es, not {wrong!r}"
        hoity.done(0, "rules", "--lang", "en")
    monkeypatch.setenv("HOITY_LANG", "")
    assert "OBJETIVO" in hoity.told(0, "rules")
    told = hoity.told(2, "rules", "--lang", "xx")
    assert told == "hoity: --lang: the languages are en, de, es, not 'xx'"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((0.0, "0"), (0.739101, "0.74"), (0.5, "0.5"), (0.004, "0"), (0.999, "1")),
        *((1.0, "1"), (3.14159, "3.1"), (9.96, "10"), (29.999, "30"), (300.0, "300")),
        *((123456.789, "123457"), (1e-7, "0"), (-2.55555, "-2.6"), (100, "100"), (10.0, "10")),
    ],
)
def test_a_number_has_the_figures_that_tell_something(number: float, text: str) -> None:
    assert translation.figures(number) == text


def test_the_locale_chooses() -> None:
    for environ, language in (
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "es_ES", "LC_ALL": "de_AT.UTF-8"}, "de"),
        ({"LANGUAGE": "fr:de:en"}, "de"),
        ({"LANG": "fr_FR"}, "en"),
        ({"LANG": "deu_DE"}, "en"),
        ({"LANG": "es.UTF-8@x"}, "es"),
    ):
        assert translation.language_of(environ) == language
    found = {path.parts[-3] for path in catalogues.catalogues()}
    assert found | {"en"} == set(translation.LANGUAGES)


def test_a_yes_or_a_no_in_any_language_and_nothing_else() -> None:
    for line in ("", "y", "YES", "s", "sí", "j", "Ja", "Yes!", "y.", "ｙ", "\ufeffy\u200b"):
        assert translation.yes_or_no(line) is True, line
    for line in ("n", "No", "NEIN", "no.", "ｎｏ"):
        assert translation.yes_or_no(line) is False, line
    for line in ("nope", "1", "yesno", "?", "ye s", "y?", "'y", "hoity join 7-vacuum-avalanche"):
        assert translation.yes_or_no(line) is None, line
    assert translation.yes_or_no("", silent=None) is None
    assert translation.yes_or_no("  ", silent=False) is False
