"""Comparisons over several seeds."""

import pickle
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from support.commands import refused
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.cli.seeds import _read_files, agent_rates, band, carry_out, main, plan, row_of
from baselines.cli.train import train_in
from baselines.files import hold_folder, read_json, write_json
from baselines.learned.configurations import read_points
from baselines.learned.training import selection
from baselines.provenance import installation_id
from baselines.registry import Specification
from baselines.workers import Workers
from minesweeper_env import BoardConfig

CONFIG = """
algo = "dqn"
boards = ["4x4/2"]
envs = 8
channels = 4
depth = 1
eval_games = 5
hyperparameters = {batch_size = 32, learning_starts = 100}
"""
OWN = """
class Corner:
    def __init__(self, size, mines, first_click, seed):
        pass

    def act(self, observations, action_masks):
        return action_masks.argmax(axis=1)
"""
AGENTS = {
    "runs/mine": ("runs/mine-0", "runs/mine-11", "runs/mine/3/"),
    "runs/mine:first=exact": ("runs/mine-0:first=exact", "runs/mine-1:first=exact"),
    "my.py:Agent:file=a.pt": ("my.py:Agent:file=a-0.pt", "my.py:Agent:file=a-1.pt", "my.py:Agent:seed=2,file=a-1.pt"),
    "my.py:Agent:file=b.pt": ("my.py:Agent:file=b-0.pt",),
    "my.py:Agent": ("my.py:Agent", "my.py:Agent:seed=0"),
    "my.py:Agent:depth=4": ("my.py:Agent:depth=4,seed=1", "my.py:Agent:seed=2,depth=4"),
    "my.py:Agent:lr=0.001": ("my.py:Agent:lr=1e-3",),
    "my.py:Agent:lr=0.0001": ("my.py:Agent:lr=1e-4",),
    "my.py:Other": ("my.py:Other:seed=0",),
    "exact": ("exact",),
    **{f"my.py:Agent:{each}": (f"my.py:Agent:{each}",) for each in ("depth=6", "model=llama-2", "model=llama-3")},
}


@pytest.mark.parametrize("row", AGENTS)
def test_agents_share_a_row_if_their_seeds_alone_differ(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("mine-0", "mine-1", "mine-11", "mine/3"):
        (tmp_path / "runs" / folder).mkdir(parents=True)
        (tmp_path / "runs" / folder / "agent.json").touch()
    assert {row_of(policy) for policy in AGENTS[row]} == {row}


def test_a_band_spans_the_trainings_of_all_seeds():
    found = band([[(0, 0.0), (2, 1.0)], [(1, 0.5), (3, 0.5)], [(0, 0.2), (2, 0.2)]], points=2)
    steps, low, middle, high = (each.tolist() for each in found)
    assert (steps, low, middle, high) == ([1, 2], [0.2, 0.2], [0.5, 0.5], [0.5, 1.0])


def test_trainings_differ_in_their_seeds_alone(tmp_path):
    tasks = plan({"one": tiny("dqn"), "other": tiny("dqn", envs=4)}, 5, tmp_path, "command", range(10))
    assert [(task.config, task.settings.seed) for task in tasks[:3]] == [("one", 0), ("other", 0), ("one", 1)]
    assert len({task.folder for task in tasks}) == 10


def test_scripted_policies_play_once_for_trainings_on_the_same_games(tmp_path, monkeypatch):
    played, score = [], selection.Score({"4x5/2": 0.25}, 5)
    monkeypatch.setattr(selection, "_cached_references", {})
    monkeypatch.setattr(selection, "play_selection", lambda _, policy_of: played.append(policy_of) or score)
    for seed in (0, 1):
        task = plan({"short": tiny("ppo", steps=200)}, 2, tmp_path, "command", range(5))[seed]
        carry_out(task)
        assert read_points(task.folder)["eval/4x5-2/exact"][-1][1] == 0.25
    assert sum(isinstance(policy, Specification) for policy in played) == len(selection.REFERENCES)
    selection.play_references(tiny("ppo", first_click="safe"), str)
    assert sum(isinstance(policy, Specification) for policy in played) == 2 * len(selection.REFERENCES)


def test_what_is_done_is_not_done_again(tmp_path):
    task = plan({"short": tiny("ppo", steps=200)}, 5, tmp_path, "command", range(20))[1]
    carry_out(task)
    rate = task.win_rate
    assert 0 <= rate <= 1
    before = (task.folder / "checkpoint.safetensors").stat().st_mtime_ns
    carry_out(task)
    assert task.win_rate == rate
    path, content = task.folder / "result.json", read_json(task.folder / "result.json")
    for change, said in (
        ({"wins": {"4x5/2": 5000}}, "more wins than its 20 games"),
        ({"wins": {"4x5/2": float("nan")}}, "is damaged"),
        ({"wins": {"5x5/2": 3}}, "other settings"),
        ({"wins": {}}, "other settings"),
        ({"steps": float("inf")}, "is damaged"),
        ({"settings": content["settings"] | {"seed": 2}}, "other settings"),
    ):
        write_json(path, content | change)
        with pytest.raises(ValueError, match=rf"^{path}.*{said}.*\Z"):
            carry_out(task)
    write_json(path, content)
    longer = task._replace(games=range(40))
    assert not longer.done
    carry_out(longer)
    assert longer.result.games == 40
    carry_out(other := longer._replace(games=range(1_500_000_000, 1_500_000_040)))
    assert (other.done, longer.done) == (True, False)
    assert (task.folder / "checkpoint.safetensors").stat().st_mtime_ns == before


def test_what_a_link_in_a_run_folder_leads_to_is_not_sent_to_another_machine(tmp_path):
    (tmp_path / "secret").write_text("of the user")
    folder = tmp_path / "run"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "run.json").write_bytes(b"{}")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "folder").symlink_to(tmp_path)
    assert _read_files(folder) == {"below/run.json": b"{}"}


def results_in(out):
    return read_json(out / "results.json")["results"]


@pytest.mark.slow
def test_the_command_compares_and_goes_on(tmp_path, capsys, monkeypatch):
    def run(work, calls):
        """Carries out pickled calls in this process: each other one takes seconds of imports, and draws all curves."""
        return Workers().run(work, (pickle.loads(pickle.dumps(call)) for call in calls))

    pool = Mock(return_value=SimpleNamespace(run=run, close=lambda: None))
    monkeypatch.setattr("baselines.cli.seeds.ProcessPool", pool)
    config, deeper, out = tmp_path / "tiny.toml", tmp_path / "deeper.toml", tmp_path / "out"
    config.write_text(CONFIG)
    deeper.write_text(CONFIG.replace("depth = 1", "depth = 2"))
    words = ["--config", config, deeper, "--seeds", 3, "--steps", 64, "--games", 20, "--out", out]
    arguments = [*map(str, words)]
    assert main(arguments) == 0
    pool.assert_called_once_with(1)
    told = capsys.readouterr()
    assert "tiny minus deeper" in told.out
    assert "warning: an interval over 3 seeds is wide; compare with 5 or more" in told.err
    assert [len(row["win_rates"]) for row in results_in(out)] == [3, 3]
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert main(arguments) == 0
    assert "6 of 6 trainings are done" in capsys.readouterr().err
    own = tmp_path / "own.py"
    own.write_text(OWN)
    folders = [str(out / f"tiny-{seed}") for seed in range(3)]
    given = [*folders, *(f"{own}:Corner:seed={seed}" for seed in range(2)), "random"]
    assert main([*arguments, "--wide", "--policy", *given]) == 0
    rates = {row["config"]: row["win_rates"] for row in results_in(out)}
    assert [*rates] == ["tiny", "deeper", f"{out}/tiny", f"{own}:Corner", "random"]
    assert rates[f"{out}/tiny"] == rates["tiny"]
    assert [*map(len, rates.values())] == [3, 3, 3, 2, 1]
    printed = capsys.readouterr().out
    assert "own.py:Corner" in printed
    assert "minus random" not in printed
    longer = [*arguments[:8], "30", *arguments[9:]]
    assert main(longer) == 0
    told = capsys.readouterr()
    assert "0 of 6 trainings are done" in told.err
    assert "tiny minus deeper" in told.out
    assert read_json(out / "tiny-2" / "result.json")["games"] == 30
    more_steps = [*longer[:6], "96", *longer[7:]]
    for changed, word in ((arguments, "games 30, not 20"), (more_steps, "steps 64, not 96")):
        assert word in refused(capsys, main, *changed)


def test_own_agents_are_compared_without_a_training(tmp_path, capsys):
    own = tmp_path / "own.py"
    own.write_text(OWN)
    agents = [*(f"{own}:Corner:seed={seed}" for seed in range(3)), "random"]
    board = ["--size", "4", "--mines", "2", "--first-click", "safe", "--games", "20"]
    assert main(["--policy", *agents, *board, "--out", str(tmp_path / "out")]) == 0
    assert "4x4/2, first click safe, 20 games each, seeds 0 to 19" in capsys.readouterr().out
    results = results_in(tmp_path / "out")
    assert [(len(row["win_rates"]), row["ci95"] is None) for row in results] == [(3, False), (1, True)]
    assert main(["--policy", *agents, *board, "--seed", "1500000000", "--out", str(tmp_path / "other")]) == 0
    assert "development seeds 1500000000 to 1500000019" in capsys.readouterr().out
    assert results_in(tmp_path / "other") != results
    for others in (["subset", *board], [*agents, *board, "--mines", "3"]):
        assert "was made with" in refused(capsys, main, "--policy", *others, "--out", tmp_path / "out")
    assert results_in(tmp_path / "out") == results


def test_a_study_of_trainings_is_not_replaced_by_one_of_agents_nor_under_the_lock_of_another(tmp_path, capsys):
    study = tmp_path / "seeds.json"
    write_json(study, {"games": 20, "policies": [], "boards": ["4x4/3"], "identity": installation_id()})
    before = study.read_bytes()
    board = ["--size", "4", "--mines", "3", "--games", "20", "--out", tmp_path]
    assert 'policies [], not ["random"]' in refused(capsys, main, "--policy", "random", *board)
    write_json(study, read_json(study) | {"policies": ["random"], "games": 10})
    before = study.read_bytes()
    with hold_folder(tmp_path):
        assert "another process is writing" in refused(capsys, main, "--policy", "random", *board)
    assert study.read_bytes() == before


def test_a_run_folder_belongs_to_one_training_at_a_time(tmp_path):
    with hold_folder(tmp_path), pytest.raises(BlockingIOError):
        train_in(tmp_path, tiny("dqn"), "")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--policy"),
        (["--config", "dqn-8x8", "--size", "7"], "--mines"),
        (["--policy", "exact", "--boards", "5x5"], "ROWSxCOLS/MINES"),
        (["--config", "dqn-8x8", "--policy", "no/such.py:Agent"], "no/such.py"),
        (["--config", "dqn-8x8", "dqn-8x8"], "different names"),
        (["--config", "dqn-8x8", "--seeds", "2"], "at least 3"),
        (["--config", "dqn-8x8", "any-size"], "16x30/99"),
        (["--policy", "exact", "--seeds", "3", "--steps", "5"], "--config"),
        (["--policy", "exact", "--seed", "2147483648"], "development games"),
        (["--policy", "mine.py:Agent", "./mine.py:Agent"], "mine.py:Agent and ./mine.py:Agent"),
    ],
)
def test_bad_arguments_are_one_line(arguments, word, tmp_path, capsys):
    assert word in refused(capsys, main, *arguments, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_interruption_of_an_agents_games_is_no_result(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "mine.py").write_text(OWN.replace("return action_masks.argmax(axis=1)", "raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        agent_rates([f"{tmp_path}/mine.py:Corner:seed=0"], [BoardConfig(4, 4, 2, moves=("click",))], range(20), 1)
