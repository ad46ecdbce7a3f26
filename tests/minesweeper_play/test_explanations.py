"""Hints in words: each kind of reason in both languages, and the same facts as in English elsewhere."""

from __future__ import annotations

import pytest

from baselines.scripted.oracle_play.position_value import Choice
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import explain_advice, explain_step, name_cells
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.session import Session

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


@pytest.mark.parametrize("kind", STEPS)
def test_every_kind_of_reason_has_its_sentence(kind):
    step, sentences = STEPS[kind], set()
    for language, safe, mine in (("en", "safe", "mine"), ("es", "segura", "mina")):
        catalogue = Catalogue(language)
        sentence = explain_step(step, catalogue)
        finding, _, reason = sentence.partition(": ")
        assert (safe in finding, mine in finding) == (bool(step.safe), bool(step.mine))
        assert all(name_cells([cell], catalogue) in finding for cell in (*step.safe, *step.mine))
        assert all(name_cells([cell], catalogue) in reason for cell in step.because)
        sentences.add(sentence)
    assert len(sentences) == 2


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_proof_names_its_premises_before_its_conclusion(language):
    session = Session(BoardConfig(4, 4, 4, "safe"), seed=2)
    while len((advice := session.hint()).steps) < 2:
        session.open(*advice.cell)
    catalogue = Catalogue(language)
    assert explain_advice(advice, catalogue) == [explain_step(step, catalogue) for step in advice.steps]
    assert set(advice.steps[0].mine + advice.steps[0].safe).isdisjoint(advice.steps[-1].safe)


def test_a_hint_explains_the_sign_of_an_estimate():
    for is_exact in (True, False):
        advice = Advice((4, 2), 0.25, choices=(Choice((4, 2), 0.25, 0.5),), is_exact=is_exact)
        sentences = explain_advice(advice, Catalogue("es"))
        assert ["~" in sentence for sentence in sentences] == ([False] if is_exact else [True, True])


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_named_cell_has_its_risk_and_a_better_cell_beside_it(language):
    for better, named in ((None, ()), (Advice((0, 0), 0.1), ("(1 1)", "10")), (Advice((0, 0), 0.0), ("(1 1)",))):
        text = " ".join(explain_advice(Advice((4, 2), 0.125, is_named=True, better=better), Catalogue(language)))
        assert all(word in text for word in ("(3 5)", "12", *named))


def test_a_named_cell_may_be_protected_and_comes_first_in_a_long_list():
    (protected,) = explain_advice(Advice((4, 2), 0.0, is_named=True), Catalogue("en"))
    assert protected == "The first click is safe everywhere, at (3 5) too."
    step = Step("count", safe=tuple((0, col) for col in range(9)), mine=(), because=((1, 1),))
    (sentence,) = explain_advice(Advice((0, 8), 0.0, (step,), is_named=True), Catalogue("en"))
    assert sentence.startswith("(9 1), (1 1), (2 1), (3 1), (4 1) and 4 more are safe")
