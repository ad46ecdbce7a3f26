"""Kernels as plain Python give the same results, and compiled ones are compiled once."""

import os

from support import ROOT
from support.processes import run_python
from support.transcripts import FOLDER

GAMES = ("default", "all_moves", "corners_first_click", "radius_2", "step_limit")

RESULTS = f"""
import numpy as np
from support.positions import position_of, layouts_of_size
from support.transcripts import transcript
from minesweeper_env import BoardConfig, MinesweeperVectorEnv
from minesweeper_env.generation import generate
from minesweeper_env.inference import certain_cells, count_layouts, mine_probabilities, sample_layouts

print(*(transcript(name) for name in {GAMES}), sep="", end="")
env = MinesweeperVectorEnv(3, size=5, mines=9, first_click="any", moves=("click", "flag", "chord"))
env.reset(seed=2**70)
for _ in range(40):
    actions = env.sample_actions()
    results = env.step(actions)
    print(actions.tolist(), results[0].tolist(), *(part.tolist() for part in results[1:4]))

rng = np.random.default_rng(3)
for layout in layouts_of_size(rng, (6, 7), 9, 12):
    board = position_of(rng, layout, 1).board
    print(mine_probabilities(board, 9).round(12).tolist(), mine_probabilities(board, 9, prior=0.3).round(12).tolist())
    print([part.tolist() for part in certain_cells(board, 9)], count_layouts(board, 9))
    print(sample_layouts(board, 9, 3, np.random.default_rng(0)).nonzero())

for level in ("subset", "exact"):
    for method in ("rejection", "repair"):
        board = generate(BoardConfig(5, 6, 7), (1, 2), level, 3, method=method)
        print(board.attempts, board.layout.tolist(), board.proof)
"""


def run(code, **environment):
    """Runs Python code in a fresh process, with warnings as errors; returns its output."""
    path = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
    variables = {"PYTHONPATH": path, "MINESWEEPER_COMPILE_NOTICE": "0", **environment}
    result = run_python("-W", "error", "-c", code, env=variables)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_games_inference_and_boards_without_guesses_are_the_same_without_compilation(capsys):
    exec(RESULTS, {})
    compiled = capsys.readouterr().out
    recorded = "".join((FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in GAMES)
    assert compiled.startswith(recorded)
    # 40 steps, at least 36 lines of inference, and a board for each level and method.
    assert compiled.removeprefix(recorded).count("\n") > 80
    assert compiled == run(RESULTS, NUMBA_DISABLE_JIT="1")


COUNT = """
import gymnasium, minesweeper_env, numpy as np
single = gymnasium.make("Minesweeper-v0")
from minesweeper_env.engine import kernels
compiled = (kernels.play_batch, kernels.lay_out_batch, kernels.sample_batch)
assert all(len(kernel.signatures) == 1 for kernel in compiled[:1]), "not compiled when made"
batch = gymnasium.make_vec("Minesweeper-v0", num_envs=3, size=(5, 7), mines=3, autoreset_mode="SameStep", radius=2)
layout = np.zeros((5, 7), bool)
layout[0, :3] = True
layout.flags.writeable = False
batch.reset(seed=0, options={"layout": layout})
actions = np.zeros(3, np.int64)
actions.flags.writeable = False
batch.step(actions)
batch.step(batch.sample_actions())
batch.set_state(batch.get_state())
single.reset(seed=0, options={"layout": np.arange(64).reshape(8, 8) < 14})
single.step(5)
assert all(len(kernel.signatures) == 1 for kernel in compiled), "compiled again"
"""


def test_kernels_are_compiled_once_and_when_an_environment_is_made():
    run(COUNT)
