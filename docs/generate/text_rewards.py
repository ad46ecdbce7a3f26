"""Writer of what players earn from each reward of `TextGame`: `python docs/generate/text_rewards.py`, some minutes.

With the word `blind` it prints what answers without a look at the board earn in `TextTasks`, in seconds.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.intervals import mean_interval
from baselines.files import write_json
from baselines.provenance import versions
from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import REWARDS, TextGame
from minesweeper_env.text_tasks import KINDS, TextTasks

BOARDS = {(5, 5, 5): 4000, (8, 8, 14): 2000, (16, 30, 99): 1000}
"""Number of games on each board; their seeds are those from 0 on."""

FILE = Path(__file__).parents[1] / "results" / "text-rewards.json"

Player = Callable[[TextGame, np.random.Generator], str]


def opening(game: TextGame, cell: np.integer[Any]) -> str:
    """Returns the reply that opens a cell, row * cols + col."""
    return "open {} {}".format(*divmod(int(cell), game.config.cols))


def exact(game: TextGame, _: np.random.Generator) -> str:
    """Returns the reply that opens a cell of least risk."""
    risks = np.where(game.codes == HIDDEN, mine_probabilities(game.codes, game.config.mines), 2.0)
    return opening(game, risks.argmin())


def any_cell(game: TextGame, generator: np.random.Generator) -> str:
    """Returns the reply that opens a random covered cell."""
    return opening(game, generator.choice(np.flatnonzero(game.codes == HIDDEN)))


def mostly(share: float) -> Player:
    """Returns a player that opens a cell of least risk in this share of its clicks, and any covered cell otherwise."""
    return lambda game, generator: (exact if generator.random() < share else any_cell)(game, generator)


def likeliest_mine(game: TextGame, _: np.random.Generator) -> str:
    """Returns the reply that opens a covered cell of greatest risk."""
    risks = np.where(game.codes == HIDDEN, mine_probabilities(game.codes, game.config.mines), -1.0)
    return opening(game, risks.argmax())


PLAYERS: dict[str, Player] = {
    "writes no move": lambda *_: "hm",
    "opens one cell and gives up": lambda game, generator: "I resign" if game.turns else any_cell(game, generator),
    "random": any_cell,
    "three clicks of least risk, then the likeliest mine": lambda game, generator: (
        exact if game.turns < 3 else likeliest_mine
    )(game, generator),
    "80 % least risk": mostly(0.8),
    "95 % least risk": mostly(0.95),
    "exact": exact,
}
"""The players, from the worst to the best."""


def earned(player: Player, game: TextGame, seed: int) -> list[float]:
    """Returns the sum of each reward over the game of a seed."""
    generator, sums = np.random.default_rng(seed), dict.fromkeys(REWARDS, 0.0)
    game.reset(seed=seed)
    while not game.over:
        rewards = game.step(player(game, generator))[4]["rewards"]
        sums = {name: sums[name] + rewards[name] for name in REWARDS}
    return [*sums.values()]


def row(name: str, rows: int, cols: int, mines: int, games: int) -> dict[str, object]:
    """Returns the mean of each reward of a player, with its 95 % interval by Student's t."""
    game = TextGame((rows, cols), mines, opened="middle")
    columns = zip(*(earned(PLAYERS[name], game, seed) for seed in range(games)), strict=True)
    means = {
        reward: [float(np.mean(sums)), *mean_interval(sums)] for reward, sums in zip(REWARDS, columns, strict=True)
    }
    return {"board": f"{rows}x{cols}/{mines}", "player": name, "games": games, "rewards": means}


def blind_answer(kind: str, covered: NDArray[np.int64], generator: np.random.Generator) -> str:
    """Returns an answer that follows from the kind of a task and the covered cells, (n, 2), alone."""
    if kind.startswith("all"):
        return ", ".join("{} {}".format(*cell) for cell in covered)
    return {"probability": "0.5", "possible": "no"}.get(kind, "{} {}".format(*generator.choice(covered)))


def blind_score(kind: str, games: int = 1000) -> tuple[float, float, float]:
    """Returns the mean score of blind answers to tasks on 5x5 with 5 mines, with its 95 % interval."""
    generator, scores = np.random.default_rng(0), []
    for task in TextTasks(kind, size=5, mines=5, n=games):
        covered = np.argwhere(np.array(task["metadata"]["board"]) == HIDDEN)
        scores.append(TextTasks.score_answer(blind_answer(kind, covered, generator), task))
    return float(np.mean(scores)), *mean_interval(scores)


if __name__ == "__main__" and sys.argv[1:] == ["blind"]:
    for kind in KINDS:
        print(kind, "{:.2f} ({:.2f} to {:.2f})".format(*blind_score(kind)))
elif __name__ == "__main__":
    results = []
    for board, games in BOARDS.items():
        for name in PLAYERS:
            results.append(row(name, *board, games))
            print(results[-1], flush=True)
    write_json(FILE, {"command": "python docs/generate/text_rewards.py", "versions": versions(), "results": results})
