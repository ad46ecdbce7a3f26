"""Common behaviour of the fitted policies: practice games, repeatable fits, and parameter files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.registry import build_policy
from baselines.scripted.base import neighbour_sums
from baselines.scripted.fitted.base import MAX_GAMES, play_practice_games
from minesweeper_env import BoardConfig, MinesweeperEnv

FITTED = ["marginal", "conditional", "graphical_source", "graphical"]
CONFIG = BoardConfig(6, 7, 6, "any", ("click",))


def values_of(policy) -> dict[str, list]:
    return {name: value.tolist() for name, value in policy.parameters.values.items()}


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
    assert first.parameters.fit == {"games": 300, "seed": 4}
    again.reset(1)
    assert play_games(first, CONFIG, range(40)) == play_games(again, CONFIG, range(40))


@pytest.mark.parametrize("name", FITTED)
def test_saved_parameters_play_the_same(name, tmp_path):
    file = tmp_path / "parameters.json"
    fitted = build_policy(name, CONFIG, seed=1, fit_games=300)
    fitted.save(file)
    loaded = build_policy(f"{name}:parameters={file}", CONFIG, seed=1)
    assert loaded.parameters.fit == {"games": 300, "seed": 0}
    assert values_of(loaded) == values_of(fitted)
    assert play_games(loaded, CONFIG, range(40)) == play_games(fitted, CONFIG, range(40))
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("name", FITTED)
def test_parameters_of_other_games_are_refused(name, tmp_path):
    file = tmp_path / "parameters.json"
    build_policy(name, CONFIG, fit_games=20).save(file)
    for board in ((7, 6, 6, "any"), (6, 7, 7, "any"), (6, 7, 6, "safe")):
        with pytest.raises(ValueError, match=r"are of setting .*'size': \[6, 7\].*, not .*") as caught:
            build_policy(name, BoardConfig(*board, ("click",)), parameters=file)
        assert "\n" not in str(caught.value)
    other = "conditional" if name == "marginal" else "marginal"
    with pytest.raises(ValueError, match=f"are of model .*, not {other}"):
        build_policy(other, CONFIG, parameters=file)
    if name == "conditional":
        with pytest.raises(ValueError, match="'looks': 1"):
            build_policy(name, CONFIG, parameters=file, radius=2)


def damage(file, change) -> None:
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("marginal", lambda c: c.pop("fit"), "it must have fit, format, model, setting, values"),
        ("marginal", lambda c: c.update(values=[1]), "values must have names"),
        ("marginal", lambda c: c["values"].pop("games"), "its values must be games, mines"),
        ("marginal", lambda c: c["values"]["mines"][0].pop(), "mines must be an array of whole numbers"),
        ("marginal", lambda c: c["values"].update(games=[3.5]), "games must be an array of whole numbers"),
        ("marginal", lambda c: c["values"].update(games=[0]), "in more games than there were"),
        ("conditional", lambda c: c["values"].update(cells=[1, 2]), "shown does not add up to cells"),
        ("conditional", lambda c: c["values"].update(shown=[[1]]), r"shown has the shape \(1, 1\), not \(2, 8, 11\)"),
        ("graphical", lambda c: c["values"]["counts"].pop(), "subgrids has the shape"),
        ("graphical", lambda c: c["values"]["subgrids"][0].__setitem__(0, 9), "must be among 0, 1, .*, 8, 10, 11"),
        ("graphical", lambda c: c["values"]["counts"].__setitem__(0, 0), "counts must be at least 1"),
    ],
)
def test_damaged_files_are_refused_in_one_line(name, change, message, tmp_path):
    file = tmp_path / "parameters.json"
    build_policy(name, CONFIG, fit_games=20).save(file)
    damage(file, change)
    with pytest.raises(ValueError, match=message) as caught:
        build_policy(name, CONFIG, parameters=file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_none_are_refused_in_one_line(tmp_path):
    file = tmp_path / "parameters.json"
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        build_policy("marginal", CONFIG, parameters=file)
    for content in (b"", b'{"format": ', b"\xff\xfe", b"[]", b"7"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"is damaged, or no file of parameters"):
            build_policy("marginal", CONFIG, parameters=file)
    with pytest.raises(ValueError, match="does not exist"):
        build_policy("marginal", CONFIG, fit_games=5).save(tmp_path / "missing" / "p.json")


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("marginal", "fit_games=0"),
        ("graphical", f"fit_games={MAX_GAMES + 1}"),
        ("conditional", "fit_seed=x"),
        ("conditional", "fit_seed=0,parameters=p.json"),
        ("conditional", "radius=6"),
        ("conditional", "choice=best"),
        ("semi_deterministic", "alternative=subset"),
    ],
)
def test_bad_options_are_named(name, option):
    with pytest.raises(ValueError, match=option.partition("=")[0]):
        make_policy(f"{name}:{option}")
