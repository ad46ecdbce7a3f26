"""The games and rewards for TRL, and two steps of its trainer with a model that is made on the spot."""

import json
from pathlib import Path

import numpy as np
import pytest
from support import code_blocks
from support.chat_server import board_in

from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import TextGame
from minesweeper_env.text_tasks import KINDS, TextTasks
from minesweeper_text.arguments import game_arguments, served_arguments
from minesweeper_text.trl import MinesweeperEnv, MinesweeperFlagsEnv, game_rows, task_reward, task_rows, win_reward


def play(env, text, mines):
    """Clicks the cells of least risk to the end of a game; returns the last text."""
    while " You " not in text and "you lost" not in text:
        board = board_in(text)
        risks = np.where(board == HIDDEN, mine_probabilities(board, mines), 2.0)
        text = env.open(*map(int, divmod(int(risks.argmin()), board.shape[1])))
    return text


@pytest.mark.parametrize("reward", ["win", {"win": 1.0, "sound": 0.5}])
def test_a_perfect_player_earns_the_win(reward):
    row = game_rows(1, 5, size=5, mines=5, no_guess="exact", reward=reward)[0]
    assert row["seed"] == 5
    env, twin = MinesweeperEnv(), MinesweeperEnv()
    text = env.reset(**row, other=None)
    assert text == twin.reset(**row)
    assert win_reward([env, twin]) == [0.0, 0.0]
    assert "You won." in play(env, text, 5)
    assert win_reward(environments=[env, twin], prompts=None) == [1.0, 0.0]
    assert env.open(0, 0) == "The game is over."
    assert env.get_reward() == pytest.approx(1.0 if reward == "win" else 1.5)
    assert env.get_reward() == env.get_reward()


def test_the_arguments_of_a_library_reach_the_game():
    others = {"mines": 5, "luck": False, "opened": "middle"}
    assert not TextGame(**game_arguments(5, 5, "no", True, **others)).config.luck
    row = game_rows(1, **game_arguments(5, 5, "no", False, **others))[0]
    env = MinesweeperEnv()
    assert "You won." in play(env, env.reset(**row), 5)


@pytest.mark.parametrize(
    ("wrong", "allowed"),
    [
        ({"size": [1, 1_000_000], "mines": 1}, "cols must be 1 to 32"),
        ({"size": 33, "mines": 1}, "rows must be 1 to 32"),
        ({"size": 32, "mines": 257, "no_guess": "exact"}, "mines .* must be 1 to 256"),
    ],
)
def test_a_server_refuses_boards_of_strangers_that_would_stall_it(wrong, allowed):
    with pytest.raises(ValueError, match=allowed):
        served_arguments(**wrong)
    config = TextGame(**served_arguments(size=[16, 30], mines=99, no_guess="exact")).config
    assert config.name == "16x30/99 no-guess exact"


def test_a_game_without_an_end_is_given_up():
    env = MinesweeperEnv()
    env.reset(**game_rows(1, size=5, mines=5, reward="progress")[0])
    assert env.get_reward() == -1.0
    env.reset(**game_rows(1, size=5, mines=5)[0])
    assert "outside the board" in env.open(9, 9)
    assert env.get_reward() == 0.0


def test_a_row_keeps_the_arguments_that_are_none():
    env = MinesweeperEnv()
    env.reset(**game_rows(1, size=5, mines=5, max_illegal=None)[0], reward={"win": 1}, style=None)
    assert all("outside the board" in env.open(9, 9) for _ in range(10))


def test_flags_are_moves_of_their_own_environment():
    env = MinesweeperFlagsEnv()
    text = env.reset(**game_rows(1, size=5, mines=5, moves=["open", "flag"])[0])
    row, col = np.argwhere(board_in(text) == HIDDEN)[0].tolist()
    assert f"flagged ({row}, {col})" in env.flag(row, col)
    assert not hasattr(MinesweeperEnv, "flag")


@pytest.mark.parametrize("wrong", [{"mines": 99}, {"reward": "points"}, {"opened": "corner"}])
def test_wrong_arguments_are_refused_before_any_training(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must|must be"):
        game_rows(2, **{"size": 5, "mines": 5, **wrong})


def test_tasks_of_several_kinds_are_scored_together():
    tasks = [TextTasks(kind, size=5, mines=5)[2] for kind in KINDS]
    rows = task_rows(tasks)
    facts = [row["metadata"] for row in rows]
    assert [json.loads(each)["kind"] for each in facts] == [*KINDS]
    right = [[{"role": "assistant", "content": f"<answer>{task['answer']}</answer>"}] for task in tasks]
    assert task_reward(right, facts, prompts=None) == [1.0] * len(KINDS)
    assert task_reward(["hm"] * len(KINDS), metadata=facts) == [0.0] * len(KINDS)
    parts = [[{"content": [{"type": "text", "text": f"<answer>{task['answer']}</answer>"}]}] for task in tasks]
    assert task_reward([*parts[:-1], []], facts) == [*[1.0] * (len(KINDS) - 1), 0.0]


def tiny_model(trl):
    """Returns a model of two layers that knows nothing, and a tokenizer of bytes with a template for tool calls."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    bytes_of_text = Tokenizer(models.BPE())
    bytes_of_text.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_of_text.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bytes_of_text.train_from_iterator([], trainers.BpeTrainer(initial_alphabet=alphabet, special_tokens=marks))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_of_text, eos_token=marks[2], pad_token=marks[0])
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    return Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokenizer), **sizes, **heads)), tokenizer


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ["games", "tasks"])
def test_the_trainer_makes_two_steps(what, tmp_path):
    trl = pytest.importorskip("trl")
    from datasets import Dataset

    model, tokenizer = tiny_model(trl)
    rewards = []

    class Env(MinesweeperEnv):
        def get_reward(self):
            rewards.append(super().get_reward())
            return rewards[-1]

    def score(completions, **columns):
        rewards.extend(task_reward(completions, **columns))
        return rewards[-len(completions) :]

    rows = game_rows(4, size=5, mines=5, reward="progress") if what == "games" else task_rows(TextTasks(n=4))
    how = {"environment_factory": Env} if what == "games" else {"reward_funcs": score}
    short = {"max_steps": 2, "per_device_train_batch_size": 2, "num_generations": 2, "max_completion_length": 8}
    plain = {"report_to": [], "use_cpu": True, "bf16": False, "save_strategy": "no"}
    how |= {"args": trl.GRPOConfig(output_dir=str(tmp_path), **short, **plain), "processing_class": tokenizer}
    trainer = trl.GRPOTrainer(model, train_dataset=Dataset.from_list(rows), **how)
    trainer.train()
    assert trainer.state.global_step == 2
    assert len(rewards) == 4
    assert set(rewards) <= ({-1.0} if what == "games" else {0.0, 1.0})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [0, 1])
def test_the_code_of_the_page_makes_a_step(number, tmp_path, monkeypatch):
    trl = pytest.importorskip("trl")
    blocks = [code for code in code_blocks("docs/how-to/grpo.md") if "trl import" in code]
    for part in tiny_model(trl):
        part.save_pretrained(tmp_path / "model")
    small = (("Qwen/Qwen3-0.6B", "model"), ("Qwen/Qwen3-4B", "model"), ("1000", "8"), ("1024", "8"), ("4096", "8"))
    short = ('"runs/grpo"', '"runs/grpo", max_steps=1, logging_steps=1, use_cpu=True, bf16=False, report_to=[]')
    code = blocks[number].replace('split="train"))', 'split="train", n=8))')
    for old, new in (*small, short):
        code = code.replace(old, new)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "the page", "exec"), {})
    assert len(blocks) == 2
    state = json.loads((tmp_path / "runs" / "grpo" / "checkpoint-1" / "trainer_state.json").read_text())
    assert state["global_step"] == 1
    logged = {name for entry in state["log_history"] for name in entry}
    assert number == 0 or {"rewards/MinesweeperEnv/mean", "rewards/win_reward/mean"} <= logged
