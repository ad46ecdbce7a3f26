"""Catalogues of both languages: the same keys and placeholders, plurals, numbers, and the choice of a language."""

from __future__ import annotations

import ast
import re
from string import Formatter
from typing import get_args

import pytest
from support.sources import modules_of, tree_of

from minesweeper_play.catalogue import Catalogue, language_of, texts_of
from minesweeper_play.game import commands
from minesweeper_play.options import Language


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_all_keys():
    assert texts_of("en").keys() == texts_of("es").keys()


@pytest.mark.parametrize("key", sorted(texts_of("en")))
def test_both_languages_fill_the_same_placeholders(key):
    english, spanish = texts_of("en")[key], texts_of("es")[key]
    assert placeholders(english) == placeholders(spanish)
    assert english.strip()
    assert spanish.strip()


def test_every_key_of_a_report_is_in_the_catalogues():
    found = set()
    for path in modules_of("minesweeper_play/game"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Report", "_message", "CommandError"):
                found |= {
                    each.value for first in node.args[:1] for each in ast.walk(first) if isinstance(each, ast.Constant)
                }
    found -= {"", "ready"}
    texts = texts_of("en")
    assert found
    assert not [key for key in found if key not in texts]


def test_the_manual_explains_every_command():
    for language in get_args(Language):
        manual = Catalogue(language).manual()
        assert [word for word in commands.WORDS if not re.search(rf"^  (help, )?{word}\b", manual, re.MULTILINE)] == []
        assert max(map(len, manual.splitlines())) <= 100


def test_a_number_chooses_the_form():
    english, spanish = Catalogue("en"), Catalogue("es")
    assert english.text("opened", count=1) == "1 cell opened."
    assert english.text("opened", count=12) == "12 cells opened."
    assert spanish.text("opened", count=1) == "Se ha descubierto 1 celda."
    assert spanish.text("opened", count=0) == "Se han descubierto 0 celdas."


def test_the_empty_key_has_the_empty_text_and_an_unknown_one_none():
    assert Catalogue("en").text("") == ""
    with pytest.raises(KeyError, match="no_such_key"):
        Catalogue("en").text("no_such_key")


def test_numbers_have_the_decimal_sign_of_the_language():
    assert Catalogue("en").number(3.14159, 2) == "3.14"
    assert Catalogue("es").number(3.14159, 2) == "3,14"
    assert Catalogue("es").per_cent(0.125, 1) == "12,5\u00a0%"


def test_only_certainty_is_shown_as_certainty():
    shown = [Catalogue("en").per_cent(risk) for risk in (0.0, 0.001, 0.02, 0.5, 0.9999, 1.0)]
    assert shown == ["0%", "<1%", "2%", "50%", ">99%", "100%"]


def test_times_have_minutes_and_seconds():
    assert [Catalogue("en").clock(seconds) for seconds in (0, 59.9, 65, 3605)] == ["0:00", "0:59", "1:05", "1:00:05"]


def test_the_locale_chooses_the_language():
    spanish = [{"LANG": "es_AR.UTF-8"}, {"LANG": "de_DE", "LC_ALL": "es_ES"}, {"LANG": "Spanish_Spain.1252"}]
    english = [{"LANG": "C.UTF-8"}, {"LANG": "es_ES", "LC_MESSAGES": "en_US", "LC_ALL": ""}, {"LANG": "et_EE"}]
    assert [language_of(each) for each in [*spanish, *english]] == ["es"] * 3 + ["en"] * 3
