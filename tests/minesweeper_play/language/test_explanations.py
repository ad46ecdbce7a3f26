"""Hints in words: each kind of reason in both languages, and the same facts as in English elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step, deduce
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.session import Session
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.explanations import explain_advice, explain_step, name_cells

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
ENGLISH = {
    "count_safe": "(3 1) is safe: the number at (2 2) has all its mines.",
    "count_mine": "(3 1) and (4 1) are mines: the number at (2 2) needs all its remaining neighbours.",
    "counts_safe": "(3 1) is safe: "
    "the number at (4 2) needs all its neighbours left, so that at (2 2) has all its mines.",
    "counts_mine": "(3 1) is a mine: "
    "the number at (4 2) has all its mines, so that at (2 2) needs all its neighbours left.",
    "all_mines": "(3 1) is safe: all mines are known.",
    "only_mines": "(3 1) is a mine: there are as many mines left as cells.",
    "subset": "(3 1) is safe: the numbers at (2 2) and (3 2), subtracted from one another, leave no mine there.",
    "total": "(3 1) is a mine: the numbers at (2 2) and (3 2) account for all safe cells left on the board.",
    "exact": "(3 1) is safe, and (4 1) is a mine: so it is in every layout that fits the numbers at (2 2) and (3 2).",
    "exact_total": "(3 1) is safe: "
    "so it is in every layout that fits the numbers at (2 2) and (3 2) and the number of mines.",
}
SPANISH = {
    "count_safe": "(3 1) es segura: el número de (2 2) ya tiene todas sus minas.",
    "count_mine": "(3 1) y (4 1) son minas: el número de (2 2) necesita todas las vecinas que le quedan.",
    "counts_safe": "(3 1) es segura: "
    "el número de (4 2) necesita todas sus vecinas, así que el de (2 2) ya tiene todas sus minas.",
    "counts_mine": "(3 1) es una mina: "
    "el número de (4 2) ya tiene todas sus minas, así que el de (2 2) necesita todas sus vecinas.",
    "all_mines": "(3 1) es segura: ya se conocen todas las minas.",
    "only_mines": "(3 1) es una mina: quedan tantas minas como celdas.",
    "subset": "(3 1) es segura: los números de (2 2) y (3 2), restados entre sí, no dejan allí ninguna mina.",
    "total": "(3 1) es una mina: "
    "los números de (2 2) y (3 2) abarcan todas las celdas seguras que quedan en el tablero.",
    "exact": "(3 1) es segura, y (4 1) es una mina: "
    "así es en toda distribución de minas compatible con los números de (2 2) y (3 2).",
    "exact_total": "(3 1) es segura: "
    "así es en toda distribución compatible con los números de (2 2) y (3 2) y con el número de minas.",
}


@pytest.mark.parametrize("kind", STEPS)
def test_every_kind_of_reason_has_its_sentence(kind):
    assert explain_step(STEPS[kind], Catalogue("en")) == ENGLISH[kind]
    assert explain_step(STEPS[kind], Catalogue("es")) == SPANISH[kind]


def test_long_lists_are_cut():
    cells = [(0, col) for col in range(9)]
    assert name_cells(cells, Catalogue("en")) == "(1 1), (2 1), (3 1), (4 1), (5 1) and 4 more"
    assert name_cells(cells[:6], Catalogue("es")) == "(1 1), (2 1), (3 1), (4 1), (5 1) y (6 1)"


def test_a_guess_names_its_risk():
    advice = Advice((4, 2), 0.125)
    assert explain_advice(advice, Catalogue("en")) == ["No cell is certainly safe. (3 5) has the least risk: 12.5%."]
    assert explain_advice(advice, Catalogue("es")) == [
        "Ninguna celda es segura con certeza. La de menor riesgo es (3 5): 12,5\u00a0%."
    ]


@pytest.mark.parametrize(
    ("advice", "english", "spanish"),
    [
        (
            Advice((4, 2), 0.0, is_named=True),
            "The first click is safe everywhere, at (3 5) too.",
            "El primer clic es seguro en todo el tablero, también en (3 5).",
        ),
        (
            Advice((4, 2), 0.125, is_named=True),
            "(3 5) is not certain: a mine is there with a probability of 12.5%. No cell has a smaller risk.",
            "(3 5) no es segura ni mina con certeza: la probabilidad de que haya una mina es del 12,5\u00a0%. "
            "Ninguna celda tiene un riesgo menor.",
        ),
        (
            Advice((4, 2), 0.125, is_named=True, better=Advice((0, 0), 0.1)),
            "(3 5) is not certain: a mine is there with a probability of 12.5%. (1 1) has the least risk: 10.0%.",
            "(3 5) no es segura ni mina con certeza: la probabilidad de que haya una mina es del 12,5\u00a0%. "
            "La de menor riesgo es (1 1): 10,0\u00a0%.",
        ),
        (
            Advice((4, 2), 0.125, is_named=True, better=Advice((0, 0), 0.0)),
            "(3 5) is not certain: a mine is there with a probability of 12.5%. Another cell is certainly safe: (1 1).",
            "(3 5) no es segura ni mina con certeza: la probabilidad de que haya una mina es del 12,5\u00a0%. "
            "Otra celda es segura con certeza: (1 1).",
        ),
    ],
)
def test_a_named_cell_has_its_sentences(advice, english, spanish):
    assert " ".join(explain_advice(advice, Catalogue("en"))) == english
    assert " ".join(explain_advice(advice, Catalogue("es"))) == spanish


def test_a_named_cell_comes_first_in_a_long_list():
    step = Step("count", safe=tuple((0, col) for col in range(9)), mine=(), because=((1, 1),))
    (sentence,) = explain_advice(Advice((0, 8), 0.0, (step,), is_named=True), Catalogue("en"))
    assert sentence.startswith("(9 1), (1 1), (2 1), (3 1), (4 1) and 4 more are safe")


def test_every_step_of_played_games_has_a_sentence():
    rules = set()
    for seed in range(20):
        session = Session(BoardConfig(8, 8, 14), seed=seed)
        session.open(3, 3)
        while not session.is_over:
            steps = deduce(session.board, 14)
            rules |= {(step.rule, step.uses_total) for step in steps}
            for step in steps:
                for language in ("en", "es"):
                    assert explain_step(step, Catalogue(language)).endswith(".")
            safe = [cell for step in steps for cell in step.safe]
            cell = safe[0] if safe else tuple(np.argwhere(session.board == 11)[0].tolist())
            session.open(*cell)
    assert {("count", False), ("subset", False), ("exact", False)} <= rules
