import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN

from baselines.cli.train import main
from baselines.extras import MissingExtraError
from baselines.learned.dqn import ILLEGAL, MinesweeperQPolicy, random_clicks
from baselines.learned.files import read_tensors
from baselines.learned.masks import click_masks
from baselines.learned.models import make_env, make_model
from baselines.learned.pacing import Budget, FlatThenFalling
from baselines.learned.policy import LearnedPolicy
from baselines.learned.ppo import MinesweeperPolicy
from baselines.learned.returns import is_probability, to_fitted_return
from baselines.learned.settings import TrainingSettings
from baselines.learned.symmetry import symmetries, transform, transform_cells
from baselines.learned.training import TrainingRun
from baselines.learned.vec_env import MinesweeperVecEnv
from baselines.registry import make_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.env import MinesweeperEnv

ROOT = Path(__file__).parents[1]
TINY = ["--size", "4", "--mines", "2", "--envs", "4", "--channels", "4", "--blocks", "1", "--eval-games", "5"]
BOTH = pytest.mark.parametrize("algo", ["dqn", "ppo"])


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def tiny(algo, **changes):
    small = {"rows": 4, "cols": 5, "mines": 2, "minutes": None, "steps": 1200, "envs": 8, "channels": 4, "blocks": 1}
    return TrainingSettings(algo=algo, **{**small, "eval_games": 5, "threads": 1, **changes})


def tiny_model(algo, **changes):
    settings = tiny(algo, **changes)
    return make_model(settings, make_env(settings))


def random_boards(count=300, rows=4, cols=5):
    """Codes with few covered cells, so that an unmasked choice is nearly always illegal."""
    generator = np.random.default_rng(0)
    boards = generator.integers(0, 9, (count, rows, cols)).astype(np.int8)
    cells = generator.integers(0, rows * cols, count)
    boards.reshape(count, -1)[np.arange(count), cells] = generator.choice([10, 11], count)
    boards.reshape(count, -1)[np.arange(count), (cells + 1) % (rows * cols)] = 9
    return boards, cells


def weights(folder):
    return read_tensors(folder / "agent.safetensors")[0]


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_click_masks_equal_those_of_the_environment():
    env = MinesweeperVecEnv(BoardConfig(5, 6, 6, moves=("click",)), 16)
    codes = env.reset()
    for _ in range(30):
        np.testing.assert_array_equal(click_masks(codes), env.action_masks())
        np.testing.assert_array_equal(click_masks(torch.as_tensor(codes)).numpy(), env.action_masks())
        codes, *_ = env.step(env.games.sample_actions())
    assert not click_masks(np.full((1, 2, 2), 9, np.int8)).any()


def test_dqn_explores_with_legal_clicks_alone():
    boards, cells = random_boards()
    np.testing.assert_array_equal(random_clicks(boards), cells)
    model = tiny_model("dqn")
    model.exploration_rate = 1.0
    np.testing.assert_array_equal(model.predict(boards)[0], cells)
    model._last_obs, model.num_timesteps = boards, 0
    np.testing.assert_array_equal(model._sample_action(learning_starts=1)[0], cells)


def test_dqn_draws_all_legal_clicks_equally_often():
    board = np.full((1, 2, 5), 3, np.int8)
    board[0, 0, :4] = 11
    torch.manual_seed(0)
    counts = np.bincount(random_clicks(board.repeat(40_000, axis=0)), minlength=10)
    assert counts[4:].sum() == 0
    np.testing.assert_allclose(counts[:4], 10_000, atol=5 * np.sqrt(10_000 * 0.75))


def test_dqn_explores_in_each_game_on_its_own():
    boards = np.full((400, 4, 5), 11, np.int8)
    boards[:, 0, 0] = 1
    model = tiny_model("dqn")
    greedy = model.predict(boards, deterministic=True)[0]
    model.exploration_rate = 0.5
    differing = (model.predict(boards)[0] != greedy).mean()
    assert 0.35 < differing < 0.6


def test_dqn_greedy_choice_is_legal():
    boards, cells = random_boards()
    model = tiny_model("dqn")
    np.testing.assert_array_equal(model.predict(boards, deterministic=True)[0], cells)
    assert model.predict(boards[0], deterministic=True)[0] == cells[0]


def test_dqn_target_takes_the_best_legal_next_click():
    boards, cells = random_boards()
    model = tiny_model("dqn", reward="win", gamma=0.5)
    with torch.no_grad():
        for head in (model.q_net.q_net, model.q_net_target.q_net):
            head.layer.weight.normal_()
        raw = torch.sigmoid(model.q_net_target.outputs(torch.as_tensor(boards)))
    rewards, dones = torch.full((300, 1), 0.25), torch.zeros(300, 1)
    dones[:10] = 1
    targets = model._targets(torch.as_tensor(boards), rewards, dones)
    expected = 0.25 + 0.5 * raw[np.arange(300), cells][:, None] * (1 - dones)
    torch.testing.assert_close(targets, expected)
    assert (targets[:10] == 0.25).all()


def test_dqn_with_gamma_0_does_not_ask_the_target_network(monkeypatch):
    model = tiny_model("dqn")
    monkeypatch.setattr(model, "q_net_target", None)
    rewards = torch.rand(4, 1)
    assert torch.equal(model._targets(torch.zeros(4, 4, 5), rewards, torch.zeros(4, 1)), rewards)


def test_q_values_of_illegal_clicks_lie_below_all_others():
    boards, _ = random_boards()
    values = tiny_model("dqn").q_net(torch.as_tensor(boards))
    legal = torch.as_tensor(click_masks(boards))
    assert (values[~legal] == ILLEGAL).all()
    assert ((values[legal] >= 0) & (values[legal] <= 1)).all()


def test_ppo_never_samples_an_illegal_click():
    boards, cells = random_boards()
    actions, values, log_probabilities = tiny_model("ppo").policy(
        torch.as_tensor(boards), action_masks=click_masks(boards)
    )
    np.testing.assert_array_equal(actions.numpy(), cells)
    assert values.shape == (300, 1)
    torch.testing.assert_close(log_probabilities, torch.zeros(300))


def test_ppo_value_is_the_mean_of_its_action_values():
    model = tiny_model("ppo")
    boards = torch.full((6, 4, 5), 11, dtype=torch.int8)
    boards[:, 0, :] = torch.arange(6)[:, None]
    masks = click_masks(boards)
    policy = model.policy
    chances = policy.get_distribution(boards, masks).distribution.probs
    actions = torch.arange(20).repeat(6, 1)
    values = torch.stack([policy.evaluate_actions(boards, actions[:, a], masks)[0][:, 0] for a in range(20)], dim=1)
    torch.testing.assert_close(policy.predict_values(boards)[:, 0], (chances * values).sum(1))


@BOTH
def test_the_network_that_plays_prefers_what_the_algorithm_prefers(algo):
    model = tiny_model(algo).learn(1100)
    env = make_env(tiny(algo))
    codes = env.reset()
    for _ in range(20):
        codes, *_ = env.step(env.games.sample_actions())
        masks = env.action_masks()
        arguments = {"action_masks": masks} if algo == "ppo" else {}
        expected = model.predict(codes, deterministic=True, **arguments)[0]
        started = (codes < 9).any(axis=(1, 2))
        actions = LearnedPolicy(model.network()).act(codes, masks.astype(np.int8))
        np.testing.assert_array_equal(actions[started], expected[started])
        assert (actions[~started] == 2 * 5 + 2).all()


def test_squared_loss_descends_as_cross_entropy():
    outputs = torch.tensor([-3.0, 0.5, 8.0], requires_grad=True)
    targets = torch.tensor([1.0, 0.0, 0.0])
    fitted = to_fitted_return(outputs, probability=True)
    torch.testing.assert_close(fitted, torch.sigmoid(outputs))
    ((fitted - targets) ** 2).sum().backward()
    torch.testing.assert_close(outputs.grad, 2 * (torch.sigmoid(outputs) - targets).detach())


def test_which_returns_are_probabilities():
    assert is_probability("safe_click", 0)
    assert is_probability("win", 0.99)
    assert not is_probability("safe_click", 0.5)
    assert not is_probability("win_loss", 0)


@pytest.mark.parametrize(("rows", "cols", "count"), [(4, 4, 8), (3, 5, 4)])
def test_symmetries_take_cells_where_they_take_boards(rows, cols, count):
    board = torch.arange(rows * cols).reshape(1, rows, cols)
    images = set()
    for symmetry in symmetries(rows, cols):
        turned = transform(board, symmetry)
        assert turned.shape == board.shape
        places = transform_cells(torch.arange(rows * cols), rows, cols, symmetry)
        assert torch.equal(turned.reshape(-1)[places], torch.arange(rows * cols))
        images.add(tuple(turned.reshape(-1).tolist()))
    assert len(images) == count


def test_agents_act_alike_on_layouts_that_agree_with_everything_shown():
    """A wall of mines in column 3 hides from the player what differs behind it."""
    policy = LearnedPolicy(tiny_model("dqn").network())
    first, second = np.zeros((4, 7), bool), np.zeros((4, 7), bool)
    first[:, 3] = second[:, 3] = first[0, 5] = second[3, 6] = True
    seen = []
    for layout in (first, second):
        env = MinesweeperEnv((4, 7), 5, first_click="any", moves=("click",))
        env.reset(options={"layout": layout})
        codes, *_, info = env.step(0)
        seen.append((codes, policy.values(codes[None]), policy.act(codes[None], info["action_mask"][None])))
    assert (seen[0][0] < 9).sum() > 8
    for one, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(one, other)


def test_plain_stable_baselines3_takes_the_policies():
    env = MinesweeperVecEnv(BoardConfig(4, 4, 2, moves=("click",)), 4, "win")
    size = {"features_extractor_kwargs": {"channels": 4, "blocks": 1}}
    MaskablePPO(MinesweeperPolicy, env, n_steps=8, batch_size=32, policy_kwargs=size, device="cpu").learn(64)
    DQN(MinesweeperQPolicy, env, learning_starts=20, buffer_size=100, policy_kwargs=size, device="cpu").learn(64)


@BOTH
@pytest.mark.parametrize(("reward", "gamma"), [("win_loss", 0.9), ("win", 1.0), ("progress", 0.5)])
def test_every_reward_and_gamma_trains(algo, reward, gamma):
    model = tiny_model(algo, reward=reward, gamma=gamma).learn(1100)
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())


def test_schedule_is_flat_and_then_falls():
    schedule = FlatThenFalling(1e-3, flat=0.5, final=0.1)
    assert schedule(1.0) == schedule(0.5) == 1e-3
    assert schedule(0.0) == pytest.approx(1e-4)
    assert schedule(0.25) == pytest.approx(5.5e-4)


def test_budget_counts_earlier_sessions():
    assert Budget(steps=200).progress(50) == 0.25
    assert Budget(seconds=1000, seconds_before=500).progress(0) == pytest.approx(0.5, abs=0.01)


@BOTH
def test_same_seed_and_steps_give_the_same_weights(algo, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        TrainingRun(tiny(algo, seed=seed), tmp_path / name, "").run()
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


@BOTH
def test_resume_goes_on_exactly(algo, tmp_path, monkeypatch):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    straight.mkdir()
    broken.mkdir()
    settings = tiny(algo, steps=1216)
    TrainingRun(settings, straight, "").run()
    run = TrainingRun(settings, broken, "", checkpoint_seconds=0)

    class PowerCutError(Exception):
        pass

    def save_until_the_cut():
        if run.model.num_timesteps >= 1100:
            run._save()
            raise PowerCutError

    run._callback._save = save_until_the_cut
    with pytest.raises(PowerCutError):
        run.run()
    resumed = TrainingRun(settings, broken, "", resume=True)
    assert 1100 <= resumed.model.num_timesteps < 1200
    assert resumed.run().steps == 1216
    finished = [read_tensors(folder / "checkpoint.safetensors") for folder in (straight, broken)]
    for name, value in finished[0][0].items():
        assert torch.equal(finished[1][0][name], value), name
    assert finished[0][1]["num_timesteps"] == finished[1][1]["num_timesteps"]
    assert finished[0][1]["_n_updates"] == finished[1][1]["_n_updates"]


@BOTH
def test_the_command_leaves_a_run_folder(algo, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["--algo", algo, *TINY, "--steps", "1100", "--out", str(out), "--threads", "1"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert str(out) in printed[-1]
    assert "python evaluate.py --policy" in printed[-1]
    record = json.loads((out / "run.json").read_text())
    assert record["settings"]["mines"] == 2
    assert record["sessions"][0]["versions"]["torch"] == torch.__version__
    assert record["hyperparameters"]["batch_size"] > 0
    agent = json.loads((out / "agent.json").read_text())
    assert agent["selected_by"]["first_seed"] == 1 << 30
    with (out / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {"eval/win_rate", "train/loss"} <= rows[-1].keys()
    assert list((out / "tensorboard").iterdir())
    assert isinstance(make_policy(str(out), size=4, mines=2), LearnedPolicy)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--size", "0"], "rows"),
        (["--size", "4x"], "size"),
        (["--mines", "60"], "mines"),
        (["--first-click", "lucky"], "first-click"),
        (["--algo", "sarsa"], "algo"),
        (["--steps", "0"], "steps"),
        (["--steps", "5", "--minutes", "1"], "either"),
        (["--minutes", "-1"], "minutes"),
        (["--minutes", "nan"], "minutes"),
        (["--gamma", "1.5"], "gamma"),
        (["--reward", "gold"], "reward"),
        (["--envs", "0"], "envs"),
        (["--channels", "0"], "channels"),
        (["--seed", "-1"], "seed"),
        (["--threads", "0"], "threads"),
        (["--resume"], "resume"),
        (["--wat"], "wat"),
    ],
)
def test_bad_arguments_are_one_line_and_leave_nothing(arguments, word, tmp_path, capsys):
    out = tmp_path / "run"
    with pytest.raises(SystemExit) as error:
        main([*arguments, "--out", str(out)])
    assert error.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert word in lines[0]
    assert not out.exists()


def test_a_missing_extra_is_one_line(tmp_path, capsys, monkeypatch):
    def missing(module):
        raise MissingExtraError(f"{module} is not installed; install it with: pip install 'minesweeper-env[baselines]'")

    monkeypatch.setattr("baselines.cli.train.import_extra", missing)
    assert "minesweeper-env[baselines]" in fails(["--out", str(tmp_path / "run")], capsys)


def fails(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_folders_in_use_and_damaged_or_other_trainings_are_refused(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    (tmp_path / "mine").write_text("")
    assert "not empty" in fails(out, capsys)
    assert (tmp_path / "mine").exists()
    assert "no training" in fails([*out, "--resume"], capsys)
    run = tmp_path / "run"
    arguments = [*TINY, "--out", str(run), "--threads", "1"]
    main([*arguments, "--steps", "300"])
    capsys.readouterr()
    assert "not empty" in fails(arguments, capsys)
    assert "mines 2, not 3" in fails(["--out", str(run), "--resume", "--mines", "3"], capsys)
    (run / "checkpoint.safetensors").write_bytes(b"")
    assert "checkpoint.safetensors" in fails(["--out", str(run), "--resume"], capsys)
    (run / "run.json").write_text('{"settings": {"algo": 3}}')
    assert "settings" in fails(["--out", str(run), "--resume"], capsys)


def test_resume_continues_the_counters_to_a_new_total(tmp_path, capsys):
    run = ["--out", str(tmp_path / "run"), "--threads", "1"]
    main([*TINY, *run, "--steps", "320"])
    first = read_tensors(tmp_path / "run" / "checkpoint.safetensors")[1]
    assert main([*run, "--resume", "--steps", "512"]) == 0
    second = read_tensors(tmp_path / "run" / "checkpoint.safetensors")[1]
    assert first["num_timesteps"] == 320
    assert second["num_timesteps"] == 512
    assert second["progress"]["seconds"] > first["progress"]["seconds"]
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert [session["from_step"] for session in record["sessions"]] == [0, 320]
    assert len(list((tmp_path / "run").glob("progress*.csv"))) == 2


def start(out, *arguments):
    command = [sys.executable, str(ROOT / "train.py"), "--out", str(out), "--threads", "1", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path, seconds=120):
    end = time.monotonic() + seconds
    while not (path.exists() and path.stat().st_size):
        assert time.monotonic() < end, f"{path} did not appear, or stayed empty"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_save_and_exit_130(number, tmp_path):
    out = tmp_path / "run"
    process = start(out, *TINY, "--minutes", "10")
    wait_for(out / "progress.csv")
    process.send_signal(number)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in printed
    state = read_tensors(out / "checkpoint.safetensors")[1]
    assert state["num_timesteps"] > 0
    assert (out / "agent.json").exists()


@pytest.mark.slow
def test_kill_9_and_resume_reach_the_same_step_count(tmp_path):
    out = tmp_path / "run"
    code = (
        "import sys; import baselines.learned.training as t; t.CHECKPOINT_SECONDS = 0.0; "
        "t.TrainingRun.__init__.__defaults__ = (False, 0.0); "
        "from baselines.cli.train import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["--out", str(out), "--threads", "1"]
    generator = np.random.default_rng(0)
    process = subprocess.Popen([sys.executable, "-c", code, *TINY, *arguments, "--steps", "4000"], cwd=ROOT)
    for _ in range(4):
        wait_for(out / "checkpoint.safetensors")
        time.sleep(float(generator.uniform(0.0, 1.5)))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        read_tensors(out / "checkpoint.safetensors")
        process = subprocess.Popen([sys.executable, "-c", code, *arguments, "--resume"], cwd=ROOT)
        time.sleep(float(generator.uniform(3.0, 6.0)))
    assert process.wait(timeout=120) == 0
    assert read_tensors(out / "checkpoint.safetensors")[1]["num_timesteps"] == 4000
    assert weights(out)
