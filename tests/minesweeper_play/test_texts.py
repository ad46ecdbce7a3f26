"""Texts in both languages: keys, placeholders, plurals, numbers, lines, the choice of a language, and hints."""

import ast
from string import Formatter

import numpy as np
import pytest
from support.sources import modules_of, tree_of

from baselines.scripted.oracle_play.position_value import Choice
from minesweeper_env import HIDDEN
from minesweeper_env.inference import Step
from minesweeper_play.catalogue import Catalogue, language_of, texts_of, wrapped_lines
from minesweeper_play.explanations import explain_advice, explain_step, name_cells
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.moves import SYNONYMS


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_all_keys_and_fill_the_same_placeholders():
    english, spanish = texts_of("en"), texts_of("es")
    assert english.keys() == spanish.keys()
    for key in english:
        assert placeholders(english[key]) == placeholders(spanish[key]), key
    assert all(text.strip() for text in (*english.values(), *spanish.values()))


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_review_names_the_command_that_opens_cells_in_every_screen(language):
    words = texts_of(language)["detail_help"].strip(".").split()
    assert "assist" in [SYNONYMS.get(word, word) for word in words]


def test_every_key_of_a_report_is_in_the_catalogues():
    found = set()
    for path in modules_of("minesweeper_play/game"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Report", "_message", "TextError"):
                first = [each for argument in node.args[:1] for each in ast.walk(argument)]
                found |= {each.value for each in first if isinstance(each, ast.Constant)}
    assert "undone" in found
    assert found - {"", "ready"} <= texts_of("en").keys()


def test_a_number_chooses_the_form():
    shown = [Catalogue("en").text("opened", count=count) for count in (0, 1, 12)]
    assert shown == ["0 cells opened.", "1 cell opened.", "12 cells opened."]


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


STEPS = {
    "count_safe": Step("count", safe=((0, 2),), mine=(), because=((1, 1),)),
    "count_mine": Step("count", safe=(), mine=((0, 2), (0, 3)), because=((1, 1),)),
    "counts_safe": Step("count", safe=((0, 2),), mine=(), because=((1, 3), (1, 1))),
    "counts_mine": Step("count", safe=(), mine=((0, 2),), because=((1, 3), (1, 1))),
    "all_mines": Step("count", safe=((0, 2),), mine=(), because=(), uses_total=True),
    "only_mines": Step("count", safe=(), mine=((0, 2),), because=(), uses_total=True),
    "subset": Step("subset", safe=((0, 2),), mine=(), because=((1, 1), (1, 2))),
    "total": Step("subset", safe=(), mine=((0, 2),), because=((1, 1), (1, 2)), uses_total=True),
    "exact": Step("exact", safe=((0, 2),), mine=((0, 3),), because=((1, 1), (1, 2))),
    "exact_total": Step("exact", safe=((0, 2),), mine=(), because=((1, 1), (1, 2)), uses_total=True),
}

BOARD = np.full((2, 9), HIDDEN, np.int8)
BOARD[1, 1:4] = 1


@pytest.mark.parametrize("kind", STEPS)
def test_every_kind_of_reason_has_its_sentence(kind):
    step, sentences = STEPS[kind], set()
    for language, safe, mine in (("en", "safe", "mine"), ("es", "segura", "mina")):
        catalogue = Catalogue(language)
        sentence = explain_step(step, BOARD, catalogue)
        begins = [sentence.rindex(name_cells([cell], catalogue)) for cell in (*step.safe, *step.mine)]
        reason, finding = sentence[: min(begins)], sentence[min(begins) :]
        assert (safe in finding, mine in finding) == (bool(step.safe), bool(step.mine))
        assert all(name_cells([cell], catalogue) in reason for cell in step.because)
        sentences.add(sentence)
    assert len(sentences) == 2


def test_a_hint_explains_the_sign_of_an_estimate():
    for is_exact in (True, False):
        advice = Advice((4, 2), 0.25, choices=(Choice((4, 2), 0.25, 0.5),), is_exact=is_exact)
        sentences = explain_advice(advice, BOARD, Catalogue("es"))
        assert ["~" in sentence for sentence in sentences] == ([False] if is_exact else [True, True])


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_named_cell_has_its_risk_and_a_better_cell_beside_it(language):
    for better, named in ((None, ()), (Advice((0, 0), 0.1), ("(1 1)", "10")), (Advice((0, 0), 0.0), ("(1 1)",))):
        text = " ".join(explain_advice(Advice((4, 2), 0.125, is_named=True, better=better), BOARD, Catalogue(language)))
        assert all(word in text for word in ("(3 5)", "12", *named))


def test_a_named_cell_comes_first_in_a_long_list():
    step = Step("count", safe=tuple((0, col) for col in range(9)), mine=(), because=((1, 1),))
    (sentence,) = explain_advice(Advice((0, 8), 0.0, (step,), is_named=True), BOARD, Catalogue("en"))
    assert "(9 1), (1 1), (2 1), (3 1), (4 1)" in sentence
