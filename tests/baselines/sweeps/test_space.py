"""Search spaces: what may vary, how it is drawn, and the errors that say what is allowed."""

import numpy as np
import pytest
from support.tiny_training import tiny

from baselines.sweeps.space import draw_trials, parse_dimension, settings_of

BASE = tiny("dqn")


def draws(text, number=400):
    dimension = parse_dimension(text, "dqn")
    return [dimension.draw(np.random.default_rng(seed)) for seed in range(number)]


def test_log_draws_each_decade_equally_often():
    drawn = np.array(draws("learning_rate=log:1e-4:1e-2"))
    assert drawn.min() >= 1e-4
    assert drawn.max() <= 1e-2
    assert 0.4 < (drawn < 1e-3).mean() < 0.6


def test_uniform_and_int_stay_within_their_ends_and_reach_both():
    drawn = np.array(draws("gamma=uniform:0.5:0.9"))
    assert 0.5 <= drawn.min() < 0.55 < 0.85 < drawn.max() <= 0.9
    assert set(draws("depth=int:4:6")) == {4, 5, 6}


def test_choices_keep_their_types():
    assert set(draws("batch_size=32,64")) == {32, 64}
    assert set(draws("optimizer=muon,adam")) == {"muon", "adam"}
    assert all(isinstance(value, float) for value in draws("gamma=0.5,0.9", 5))


def test_a_trial_depends_on_the_seed_and_its_number_alone():
    dimensions = [parse_dimension("learning_rate=log:1e-4:1e-2", "dqn"), parse_dimension("depth=int:1:8", "dqn")]
    four = draw_trials(BASE, dimensions, 4, seed=7)
    assert draw_trials(BASE, dimensions, 9, seed=7)[:4] == four
    assert draw_trials(BASE, dimensions, 4, seed=8) != four


def test_values_replace_those_of_the_configuration():
    settings = settings_of(BASE, {"learning_rate": 0.005, "depth": 3})
    assert (settings.hyperparameters.learning_rate, settings.depth) == (0.005, 3)
    assert settings.hyperparameters.learning_starts == BASE.hyperparameters.learning_starts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rate", "a search is NAME=FORM"),
        ("learning_rate=", "a search is NAME=FORM"),
        ("lr=log:1:2", "dqn has no setting 'lr' to search; there are learning_rate"),
        ("learning_rate=log:0:1", "finite numbers above 0"),
        ("learning_rate=log:1e-2:1e-4", "the lower one first"),
        ("learning_rate=log:1e-4", "needs two numbers"),
        ("gamma=uniform:a:b", "needs two numbers"),
        ("gamma=uniform:0:inf", "finite"),
    ],
)
def test_a_bad_search_is_refused_with_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        parse_dimension(text, "dqn")


def test_a_value_out_of_range_and_a_name_given_twice_are_refused():
    with pytest.raises(ValueError, match="learning_rate must be a number"):
        draw_trials(BASE, [parse_dimension("learning_rate=7,9", "dqn")], 2, 0)
    twice = [parse_dimension("depth=1,2", "dqn")] * 2
    with pytest.raises(ValueError, match="search each setting once"):
        draw_trials(BASE, twice, 2, 0)
