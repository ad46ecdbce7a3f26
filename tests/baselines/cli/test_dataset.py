"""The command that writes Minari data sets."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support import ROOT

from baselines.__main__ import main as run_command
from baselines.cli import dataset
from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.registry import build_policy
from minesweeper_env import BoardConfig, MinesweeperEnv

BOARD = ("--size", "5", "--mines", "3")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Package minesweeper-env is not installed")
def test_a_data_set_is_written_loaded_and_checked(tmp_path, capsys, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    assert run_command(["dataset", *BOARD, "--games", "510", "--out", str(tmp_path)]) == 0
    names = [f"minesweeper/5x5-3-opening/{policy}-v0" for policy in ("exact", "lookahead")]
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == names
    assert sorted(minari.list_local_datasets()) == names
    for name, policy in zip(names, ("exact", "lookahead"), strict=True):
        check(minari.load_dataset(name), policy, name)
    run_code_of_the_page(capsys)
    with pytest.raises(SystemExit, match="2"):
        run_command(["dataset", *BOARD, "--policy", "exact", "--out", str(tmp_path)])
    assert "exact-v0 exists already" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Package minesweeper-env is not installed")
def test_a_data_set_of_boards_without_guesses_says_so_and_plays_them_again(tmp_path, capsys, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    arguments = ["--policy", "exact", "random", "--games", "20", "--no-guess", "exact", "--out", str(tmp_path)]
    encoding = ["--observation", "planes", "--reward", "win"]
    assert run_command(["dataset", *BOARD, *arguments, *encoding]) == 0
    assert "Record 20 games of exact, random on 5x5/3 no-guess exact" in capsys.readouterr().err
    found = minari.load_dataset("minesweeper/5x5-3-no-guess-exact-opening/exact-v0")
    metadata = found.storage.metadata
    assert (metadata["no_guess"], metadata["wins"]) == ("exact", 20)
    assert "first click opening, no-guess exact." in metadata["description"]
    env = found.recover_environment()
    assert env.unwrapped.config.no_guess == "exact"
    assert env.observation_space.shape == (13, 5, 5)
    check_replay(found, env)


def check_replay(found, env):
    """Checks that the environment plays a stored game again."""
    replayed, _ = env.reset(seed=next(found.storage.get_episode_metadata([7]))["seed"])
    episode = found[7]
    for step, action in enumerate(episode.actions):
        assert (replayed == episode.observations[step]).all()
        replayed, reward, *_ = env.step(action)
        assert reward == episode.rewards[step]
    env.close()


def run_code_of_the_page(capsys):
    page = (ROOT / "docs" / "how-to" / "offline-data.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(compile(code, "offline-data.md", "exec"), names)
    assert capsys.readouterr().out.startswith("510 ")
    assert names["boards"].shape == (len(names["actions"]), 5, 5)
    assert names["masks"].shape == (len(names["actions"]), 25)


def check(found, policy, name):
    config = BoardConfig(5, 5, 3, moves=("click",))
    first = TRAINING_SEEDS.start
    records = play_games(build_policy(policy, config), config, range(first, first + 510))
    assert (found.total_episodes, found.total_steps) == (510, sum(record.clicks for record in records))
    metadata = found.storage.metadata
    assert metadata["dataset_id"] == name
    assert (metadata["policy"], metadata["algorithm_name"]) == (policy, policy)
    assert (metadata["rows"], metadata["cols"], metadata["mines"], metadata["first_click"]) == (5, 5, 3, "opening")
    assert metadata["seeds"] == f"{first} to {first + 509}"
    assert metadata["wins"] == sum(record.won for record in records)
    assert metadata["win_rate"] == pytest.approx(metadata["wins"] / 510)
    assert metadata["command"].startswith("python -m baselines dataset --size 5")
    for record, episode in zip(records, found.iterate_episodes(), strict=True):
        count = record.clicks
        assert episode.observations.shape == (count + 1, 5, 5)
        assert episode.observations.dtype == np.int8
        covered = (episode.observations == 11).reshape(count + 1, 25)
        assert (episode.infos["action_mask"][:-1] == covered[:-1]).all()
        assert episode.infos["action_mask"][np.arange(count), episode.actions].all()
        assert episode.rewards.tolist() == [0.0] * (count - 1) + [1.0 if record.won else -1.0]
        assert episode.terminations[-1]
    env = found.recover_environment()
    assert isinstance(env.unwrapped, MinesweeperEnv)
    assert env.observation_space == found.observation_space
    assert env.action_space == found.action_space
    check_replay(found, env)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--seed", "0"], "seeds are 2147483648 to 4294967295, not 0 to 999"),
        (["--name", "minesweeper/mine-v0"], "--name names one data set"),
        (["--policy", "exact", "--name", "no version"], "a data set has a name such as"),
        (["--no-guess", "hard"], "invalid choice: 'hard'"),
        (["--observation", "pixels"], "observation must be one of codes, planes, flat"),
    ],
)
def test_bad_arguments_are_answered_in_one_line(arguments, problem, capsys, tmp_path):
    pytest.importorskip("minari")
    with pytest.raises(SystemExit, match="2"):
        dataset.main([*BOARD, "--out", str(tmp_path), *arguments])
    assert problem in capsys.readouterr().err.splitlines()[-1]


def test_a_data_set_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    monkeypatch.setattr("baselines.evaluation.datasets._metadata", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dataset.main([*BOARD, "--games", "3", "--policy", "random", "--out", str(tmp_path)])
    assert minari.list_local_datasets() == {}
    assert [path for path in tmp_path.rglob("*") if path.name.startswith("random")] == []
