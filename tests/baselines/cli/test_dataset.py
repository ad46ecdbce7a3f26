"""The command that writes Minari data sets."""

import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from support import ROOT
from support.commands import refused
from support.processes import full_disk, started

from baselines.__main__ import main as run_command
from baselines.cli import dataset
from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.registry import find_policy
from baselines.scripted.oracle_play.exact import ExactPolicy
from minesweeper_env import BoardConfig, MinesweeperEnv

BOARD = ("--size", "5", "--mines", "3")
RANDOM = (*BOARD, "--policy", "random")


@pytest.fixture
def minari(monkeypatch):
    """The library. Data sets are written in this process: each in a process of its own takes seconds of imports."""
    library = pytest.importorskip("minari")
    from baselines.evaluation import datasets

    def write(hidden, *arguments):
        with monkeypatch.context() as patch:
            patch.setenv(datasets.PATH_VARIABLE, str(hidden))
            datasets._write(*arguments)

    monkeypatch.setenv(datasets.PATH_VARIABLE, "")
    monkeypatch.setattr(datasets, "_write_in_process", write)
    return library


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Package minesweeper-env is not installed")
def test_a_data_set_is_written_loaded_and_checked(tmp_path, capsys, minari):
    assert run_command(["dataset", *BOARD, "--games", "50", "--out", str(tmp_path)]) == 0
    names = [f"minesweeper/5x5-3-opening/{policy}-v0" for policy in ("exact", "lookahead")]
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == names
    assert sorted(minari.list_local_datasets()) == names
    assert "minesweeper/5x5-3-opening" in minari.namespace.list_local_namespaces()
    for name, policy in zip(names, ("exact", "lookahead"), strict=True):
        check(minari.load_dataset(name), policy, name)
    run_code_of_the_page(capsys)
    assert "exact-v0 exists already" in refused(capsys, dataset.main, *BOARD, "--policy", "exact", "--out", tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Package minesweeper-env is not installed")
def test_a_data_set_of_boards_without_guesses_says_so_and_plays_them_again(tmp_path, capsys, minari):
    arguments = ["--policy", "exact", "--games", "20", "--no-guess", "exact", "--out", str(tmp_path)]
    encoding = ["--observation", "planes", "--reward", "win"]
    assert run_command(["dataset", *BOARD, *arguments, *encoding]) == 0
    assert "Record 20 games of exact on 5x5/3 no-guess exact" in capsys.readouterr().err
    found = minari.load_dataset("minesweeper/5x5-3-no-guess-exact-opening/exact-v0")
    metadata = found.storage.metadata
    assert (metadata["no_guess"], metadata["wins"]) == ("exact", 20)
    assert "first click opening, no-guess exact." in metadata["description"]
    env = found.recover_environment()
    assert env.unwrapped.config.no_guess == "exact"
    assert env.observation_space.shape == (13, 5, 5)
    check_replay(found, env)


def test_a_game_that_the_step_limit_ends_is_recorded_as_truncated():
    pytest.importorskip("minari")
    from baselines.evaluation.datasets import replay
    from baselines.evaluation.games import GameRecord

    env = MinesweeperEnv(5, 3, moves=("click",), max_steps=4)
    actions = np.array([12, 12, 12, 12], "<u2").tobytes()  # an open cell: the click changes nothing
    record = GameRecord(3, False, 4, True, actions=actions)
    assert replay(env, record).truncations == [False, False, False, True]
    for changed in ({"actions": actions[:6]}, {"won": True}):
        with pytest.raises(ValueError, match="ends otherwise"):
            replay(env, record._replace(**changed))


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
    assert capsys.readouterr().out.startswith("50 ")
    count = len(names["actions"])
    assert (names["boards"].shape, names["masks"].shape) == ((count, 5, 5), (count, 25))


def check(found, policy, name):
    config = BoardConfig(5, 5, 3, moves=("click",))
    first = TRAINING_SEEDS.start
    records = play_games(find_policy(policy)(config), config, range(first, first + 50))
    assert (found.total_episodes, found.total_steps) == (50, sum(record.clicks for record in records))
    wins = sum(record.won for record in records)
    board = {"rows": 5, "cols": 5, "mines": 3, "first_click": "opening", "seeds": f"{first} to {first + 49}"}
    described = {"dataset_id": name, "policy": policy, "algorithm_name": policy, "wins": wins, **board}
    metadata = found.storage.metadata
    assert described.items() <= metadata.items()
    assert metadata["win_rate"] == pytest.approx(wins / 50)
    assert metadata["command"].startswith("python -m baselines dataset --size 5")
    for record, episode in zip(records, found.iterate_episodes(), strict=True):
        count = record.clicks
        assert (episode.observations.shape, episode.observations.dtype) == ((count + 1, 5, 5), np.int8)
        covered = (episode.observations == 11).reshape(count + 1, 25)
        assert (episode.infos["action_mask"][:-1] == covered[:-1]).all()
        assert episode.infos["action_mask"][np.arange(count), episode.actions].all()
        assert episode.rewards.tolist() == [0.0] * (count - 1) + [1.0 if record.won else -1.0]
        assert episode.terminations[-1]
    env = found.recover_environment()
    assert isinstance(env.unwrapped, MinesweeperEnv)
    assert (env.observation_space, env.action_space) == (found.observation_space, found.action_space)
    check_replay(found, env)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--seed", "0"], "seeds are 2147483648 to 4294967295, not 0 to 999"),
        (["--name", "minesweeper/mine-v0"], "--name names one data set"),
        (["--policy", "exact", "--name", "no version"], "a data set has a name such as"),
        (["--size", "300", "--mines", "9000", "--policy", "random"], "games with 90000 actions cannot be recorded"),
        (["--observation", "pixels"], "observation must be one of codes, planes, flat"),
    ],
)
def test_bad_arguments_are_answered_in_one_line(arguments, problem, capsys, tmp_path):
    pytest.importorskip("minari")
    assert problem in refused(capsys, dataset.main, *BOARD, "--out", tmp_path, *arguments)


def test_policies_that_give_up_or_share_a_name_are_refused_before_the_games(tmp_path, capsys, monkeypatch):
    pytest.importorskip("minari")
    agents = [tmp_path / name for name in ("runs/a", "runs-a")]
    for agent in agents:
        shutil.copytree(ROOT / "baselines/learned/weights/dqn", agent)
    out = tmp_path / "out"
    assert "one by one, with --name" in refused(capsys, dataset.main, *BOARD, "--policy", *agents, "--out", out)
    monkeypatch.setattr(ExactPolicy, "may_resign", True, raising=False)
    assert "exact may give games up" in refused(capsys, dataset.main, *BOARD, "--policy", "exact", "--out", out)
    assert not list(out.iterdir())


@pytest.mark.slow
def test_a_disk_that_fills_is_one_line_and_leaves_no_data_set(tmp_path, capfd):
    minari = pytest.importorskip("minari")
    with full_disk(100_000):
        assert dataset.main([*RANDOM, "--games", "100", "--out", str(tmp_path)]) == 1
    *told, last = capfd.readouterr().err.splitlines()
    assert len(told) <= 2
    assert last.startswith(f"python -m baselines dataset: {tmp_path}: ")
    assert minari.list_local_datasets() == {}
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_a_killed_command_leaves_no_data_set_and_does_not_block_the_name(tmp_path, capsys, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    command = [sys.executable, "-m", "baselines", "dataset", *RANDOM, "--out", str(tmp_path)]
    with started([*command, "--games", "2000"], stderr=subprocess.DEVNULL) as process:
        while not list(tmp_path.glob(".*/**/main_data.hdf5")):
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert minari.list_local_datasets() == {}
    assert dataset.main([*RANDOM, "--games", "3"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["minesweeper"]


def test_a_finished_data_set_of_another_process_stays(minari, monkeypatch, tmp_path, capsys):
    from baselines.evaluation import datasets

    monkeypatch.setenv(datasets.PATH_VARIABLE, str(tmp_path))
    config = BoardConfig(5, 5, 3, moves=("click",))
    records = play_games(find_policy("random")(config), config, TRAINING_SEEDS[:1], record=True)
    name, env, write = "mine/random-v0", datasets.make_env(config, "codes", "win_loss"), datasets._write_in_process

    def lose(hidden, name, *arguments):
        """Another writer finishes first."""
        write(hidden, name, *arguments)
        shutil.copytree(hidden / name, tmp_path / name)

    monkeypatch.setattr(datasets, "_write_in_process", lose)
    with pytest.raises(ValueError, match="exists already"):
        datasets.write_dataset(name, "random", env, records, "command")
    assert datasets.load_dataset(name).total_episodes == 1
    assert dataset.main([*RANDOM, "--games", "1", "--name", "mine/other-v0", "--out", str(tmp_path)]) == 1
    assert "the data set mine/other-v0 exists already" in capsys.readouterr().err.splitlines()[-1]
