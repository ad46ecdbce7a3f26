"""Catalogues of both languages: the same keys and placeholders, plurals, numbers, and the choice of a language."""

from __future__ import annotations

import ast
from string import Formatter

import pytest
from support.sources import modules_of, tree_of

from minesweeper_play.catalogue import Catalogue, language_of, texts_of, wrapped_lines


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_all_keys_and_fill_the_same_placeholders():
    english, spanish = texts_of("en"), texts_of("es")
    assert english.keys() == spanish.keys()
    for key in english:
        assert placeholders(english[key]) == placeholders(spanish[key]), key
        assert english[key].strip(), key
        assert spanish[key].strip(), key


def test_every_key_of_a_report_is_in_the_catalogues():
    found = set()
    for path in modules_of("minesweeper_play/game"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Report", "_message", "TextError"):
                found |= {
                    each.value for first in node.args[:1] for each in ast.walk(first) if isinstance(each, ast.Constant)
                }
    found -= {"", "ready"}
    texts = texts_of("en")
    assert found
    assert not [key for key in found if key not in texts]


def test_a_number_chooses_the_form_and_the_empty_key_has_the_empty_text():
    english, spanish = Catalogue("en"), Catalogue("es")
    assert [english.text("opened", count=count) for count in (1, 12)] == ["1 cell opened.", "12 cells opened."]
    assert spanish.text("opened", count=1) == "Se ha descubierto 1 celda."
    assert spanish.text("opened", count=0) == "Se han descubierto 0 celdas."
    assert english.text("") == ""


def test_numbers_risks_and_times():
    english, spanish = Catalogue("en"), Catalogue("es")
    assert (english.number(3.14159, 2), spanish.number(3.14159, 2)) == ("3.14", "3,14")
    assert spanish.per_cent(0.125, 1) == "12,5\u00a0%"
    shown = [english.per_cent(risk) for risk in (0.0, 0.001, 0.02, 0.5, 0.9999, 1.0)]
    assert shown == ["0%", "<1%", "2%", "50%", ">99%", "100%"], "only certainty is shown as certainty"
    assert [english.clock(seconds) for seconds in (0, 59.9, 65, 3605)] == ["0:00", "0:59", "1:05", "1:00:05"]


def test_the_locale_chooses_the_language():
    spanish = [{"LANG": "es_AR.UTF-8"}, {"LANG": "de_DE", "LC_ALL": "es_ES"}, {"LANG": "Spanish_Spain.1252"}]
    english = [{"LANG": "C.UTF-8"}, {"LANG": "es_ES", "LC_MESSAGES": "en_US", "LC_ALL": ""}, {"LANG": "et_EE"}]
    assert [language_of(each) for each in [*spanish, *english]] == ["es"] * 3 + ["en"] * 3


# Texts on lines of a given width: paragraphs, second columns, and the names of cells

LONG = "(1 1) is a mine: the number at (1 2) needs all its remaining neighbours. (2 1) and (3 1) are safe."


def test_the_name_of_a_cell_stays_on_one_line():
    for width in range(12, 60):
        lines = wrapped_lines(LONG, width)
        assert " ".join(lines) == LONG
        assert max(map(len, lines)) <= width
        assert all(line.count("(") == line.count(")") for line in lines)
    assert wrapped_lines("flag 5 5", 7) == ["flag", "5 5"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_manual_keeps_its_words_and_its_columns_on_80_columns(language):
    manual = Catalogue(language).text("manual")
    lines = wrapped_lines(manual, 80)
    assert " ".join(lines).split() == manual.split()
    assert max(map(len, lines)) <= 80
    assert all(line[:2] != "  " or line[2] != " " or line.startswith(" " * 17) for line in lines)
