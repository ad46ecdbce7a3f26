"""Calibration of an agent: its mine probability of each covered cell beside the exact one, on boards of its own games.

The outputs of the agent are logits of safety if it learned by `dqn` from the reward "safe_click" with discount 0, as
`dqn`, `plain-dqn` and `any-size` did.

    python benchmarks/calibration.py --agent any-size --size 12x20 --mines 45 --games 300
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.ndimage import maximum_filter

from baselines.evaluation.games import play_games
from baselines.registry import build_policy
from baselines.support.board_names import parse_board
from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities_batch

EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Lower edges of the classes of predicted probabilities; outer classes are narrow: many cells are near certain."""


def main() -> None:
    """Prints a table in Markdown, and the root mean squared differences, over all boards with an open cell."""
    parser = argparse.ArgumentParser(description="Compare the mine probabilities of an agent with the exact ones.")
    parser.add_argument("--agent", default="dqn", help="dqn, plain-dqn, any-size or a run folder of their kind")
    parser.add_argument("--size", default="8x8", help="ROWSxCOLS")
    for name, value in (("--mines", 14), ("--games", 1000), ("--seed", 0)):
        parser.add_argument(name, type=int, default=value)
    options = parser.parse_args()
    config = parse_board(f"{options.size}/{options.mines}", "opening")
    policy, boards = build_policy(options.agent, config), []
    seeds = range(options.seed, options.seed + options.games)
    play_games(policy, config, seeds, observers=[lambda _games, before, _actions, _lost: boards.append(before)])
    codes = np.concatenate(boards)
    codes = codes[(codes != HIDDEN).any(axis=(1, 2))]
    covered = codes == HIDDEN
    safety = policy.values(codes).astype(np.float64).reshape(codes.shape)
    predicted, exact = 1.0 / (1.0 + np.exp(safety)), mine_probabilities_batch(codes, options.mines)

    classes = np.searchsorted(EDGES, predicted[covered], side="right")
    print("| by the network | exact | root mean square | cells |\n|--:|--:|--:|--:|")
    for number in np.unique(classes):
        said, true = predicted[covered][classes == number], exact[covered][classes == number]
        print(f"| {said.mean():.3f} | {true.mean():.3f} | {np.sqrt(((said - true) ** 2).mean()):.3f} | {len(said)} |")
    frontier = covered & maximum_filter(~covered, (1, 3, 3))
    for name, cells in (("covered cells", covered), ("next to clues", frontier)):
        print(f"root mean squared difference, {name}: {np.sqrt(((predicted - exact)[cells] ** 2).mean()):.4f}")


if __name__ == "__main__":
    main()
