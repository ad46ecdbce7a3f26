"""Common behaviour of the fitted policies: practice games, repeatable fits, and parameter files."""

from __future__ import annotations

import numpy as np
import pytest

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.registry import build_policy
from baselines.scripted.base import neighbour_sums
from baselines.scripted.fitted import MAX_GAMES, play_practice_games
from minesweeper_env import BoardConfig, MinesweeperEnv

FITTED = ["marginal", "conditional", "graphical_source", "graphical"]
CONFIG = BoardConfig(6, 7, 6, "any", ("click",))


def values_of(policy) -> dict[str, list]:
    return {name: value.tolist() for name, value in policy.values.items()}


@pytest.mark.parametrize("first_click", ["opening", "safe", "any", "corners"])
@pytest.mark.parametrize("max_steps", [None, 1])
def test_practice_games_have_boards_and_their_mines(first_click, max_steps):
    config = BoardConfig(6, 7, 12, first_click, max_steps=max_steps)
    for batch in play_practice_games(config, 200, seed=3):
        assert batch.layouts.sum(axis=(1, 2)).tolist() == [12] * 200
        assert np.bincount(batch.games).min() >= 1
        opened = batch.boards <= 8
        beneath = batch.layouts[batch.games]
        assert not (opened & beneath).any()
        assert (batch.boards == neighbour_sums(beneath, 1))[opened].all()
        assert not (batch.boards == config.codes.mine).any()


def test_practice_games_repeat_and_use_training_seeds():
    whole = np.concatenate([batch.layouts for batch in play_practice_games(CONFIG, 1200, seed=5)])
    again = np.concatenate([batch.layouts for batch in play_practice_games(CONFIG, 1200, seed=5)])
    other = np.concatenate([batch.layouts for batch in play_practice_games(CONFIG, 1200, seed=6)])
    assert whole.shape == (1200, 6, 7)
    assert (whole == again).all()
    assert (whole != other).any()
    assert len(np.unique(whole.reshape(1200, -1), axis=0)) > 1100
    # Under "any" the layout does not depend on the first click, so its seed gives it.
    first = TRAINING_SEEDS.start + derived_seed(5) % (len(TRAINING_SEEDS) - 1200 + 1)
    assert first in TRAINING_SEEDS
    assert first + 1199 in TRAINING_SEEDS
    env = MinesweeperEnv((6, 7), 6, "any", ("click",))
    for index in (0, 999, 1000, 1199):
        env.reset(seed=first + index)
        env.step(0)
        assert (env.get_state()["mines"] == whole[index]).all()


@pytest.mark.parametrize("name", FITTED)
def test_a_fit_depends_on_its_seed_and_on_the_number_of_games_alone(name):
    first = build_policy(name, CONFIG, seed=1, fit_games=300, fit_seed=4)
    again = build_policy(name, CONFIG, seed=2, fit_games=300, fit_seed=4)
    assert values_of(first) == values_of(again)
    assert values_of(first) != values_of(build_policy(name, CONFIG, fit_games=300, fit_seed=5))
    assert values_of(first) != values_of(build_policy(name, CONFIG, fit_games=301, fit_seed=4))
    again.reset(1)
    assert play_games(first, CONFIG, range(40)) == play_games(again, CONFIG, range(40))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("marginal", "fit_games=0"),
        ("graphical", f"fit_games={MAX_GAMES + 1}"),
        ("conditional", "fit_seed=x"),
        ("conditional", "radius=6"),
        ("conditional", "choice=best"),
        ("semi_deterministic", "alternative=subset"),
    ],
)
def test_bad_options_are_named(name, option):
    with pytest.raises(ValueError, match=option.partition("=")[0]):
        make_policy(f"{name}:{option}")
