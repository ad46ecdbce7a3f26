"""Guess by determinised search: draw layouts that fit the board, and play each candidate on in all of them.

    python examples/search.py

plays one game, and prints each guess: the risk of its candidates, and the share of the rollouts that they won.

    python evaluate.py --policy examples/search.py:Agent exact --size 5 --mines 7 --games 1000

scores the search beside the least risk. docs/how-to/search.md explains the calls, and has the figures.

The environment in which the rollouts are played belongs to the agent. The agent sees the board, never the layout of its
game: a saved state of that game would show the mines.
"""

from dataclasses import dataclass
from typing import Annotated

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import minesweeper_env  # noqa: F401
from baselines.cli.command import parser_of
from minesweeper_env.inference import mine_probabilities_batch, sample_layouts

HIDDEN, UNDER_WAY = 11, 1
"""The code of a covered cell, and the status of a game under way, in a state."""


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    size: Annotated[tuple[int, int], "board, such as 5 or 4x6; the mines do not follow"] = (5, 5)
    mines: Annotated[int, "mines of the board"] = 7
    first_click: Annotated[str, "what the first click is sure to find: opening, safe or any"] = "opening"
    candidates: Annotated[int, "cells of least risk that a guess compares"] = 8
    rollouts: Annotated[int, "layouts in which each candidate is played on"] = 256
    seed: Annotated[int, "seed of the game, and of the layouts that are drawn"] = 0


class Agent:
    """Clicks a safe cell if there is one, or else the candidate that wins the most rollouts.

    Attributes:
        compared: the candidates of the last guess, each with its risk and the share of rollouts that win.
    """

    batch_size = 100

    def __init__(self, size, mines, first_click, candidates=8, rollouts=256, seed=0):
        """Makes candidates * rollouts games, in which each candidate is played on in each of `rollouts` layouts."""
        self.mines, self.candidates, self.rollouts, self.seed = mines, candidates, rollouts, seed
        rows, cols = size
        # A first click that opens an area opens most away from the edge; under other rules a corner shows 0 most often.
        self.first_cell = (rows - 1) // 2 * cols + (cols - 1) // 2 if first_click == "opening" else 0
        self.games = gym.make_vec(
            "Minesweeper-v0", num_envs=candidates * rollouts, size=size, mines=mines, first_click=first_click,
            moves=("click",),
        ).unwrapped  # fmt: skip
        self.games.reset(seed=0)
        self.state = self.games.get_state()
        self.reset(0)

    def reset(self, seed):
        """Seeds the draws before a block of games."""
        self.rng = np.random.default_rng([self.seed, seed])

    def act(self, observations, action_masks):
        """Returns a click for each of N boards, (N, rows, cols), with (N, actions) masks of the legal ones."""
        self.compared: dict[int, tuple[float, float]] = {}
        # 1. The oracle: a cell without risk needs no search.
        risks = self.risks_of(observations, action_masks > 0)
        actions = risks.argmin(axis=1)
        # 2. Without such a cell, search.
        for i, board in enumerate(observations):
            if (board == HIDDEN).all():
                actions[i] = self.first_cell
            elif risks[i].min() > 0:
                actions[i] = self.guess(board, risks[i])
        return actions

    def risks_of(self, boards, legal):
        """Returns (N, cells) mine probabilities, infinite where a click is not legal."""
        return np.where(legal, mine_probabilities_batch(boards, self.mines).reshape(legal.shape), np.inf)

    def guess(self, board: NDArray[np.int8], risks: NDArray[np.float64]) -> int:
        """Returns the candidate of a board that wins the most rollouts; of equals, the one of least risk."""
        # 3. The candidates: the cells of least risk. Where fewer are left, some are played twice.
        cells = np.resize(np.argsort(risks, kind="stable")[: np.count_nonzero(risks < 1)], self.candidates)
        # 4. What may lie behind the board: layouts drawn uniformly, the same ones for every candidate.
        layouts = sample_layouts(board, self.mines, self.rollouts, self.rng)
        # 5. One call puts the layouts behind the board, in all games.
        mines = np.tile(layouts, (self.candidates, 1, 1))
        self.games.set_state({**self.state, "codes": board, "mines": mines, "status": UNDER_WAY})
        # 6. The candidates are the first clicks of the rollouts. The oracle knows their risks, so the rollouts count
        #    only where the click is safe.
        wins = self.play_on(np.repeat(cells, self.rollouts)).reshape(self.candidates, -1).sum(axis=1)
        safe_clicks = (~layouts.reshape(self.rollouts, -1)[:, cells]).sum(axis=0)
        values = (1 - risks[cells]) * wins / np.maximum(safe_clicks, 1)
        self.compared = {int(cell): (risks[cell], value) for cell, value in zip(cells, values, strict=True)}
        return int(cells[values.argmax()])

    def play_on(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Plays all games on from `actions`, one click each, and returns which games are won."""
        won, running = np.zeros(len(actions), np.bool_), np.ones(len(actions), np.bool_)
        risks = np.full((len(actions), self.games.single_action_space.n), np.inf)  # as last computed; inf if open
        while True:
            boards, _, terminated, truncated, infos = self.games.step(actions)
            won |= running & infos["is_success"]
            running &= ~(terminated | truncated)
            if not running.any():
                return won
            # The rollout policy clicks the least risk. It opens all safe cells before it asks the oracle again.
            covered = boards.reshape(risks.shape) == HIDDEN
            risks[~covered] = np.inf
            needs_oracle = running & (risks.min(axis=1) > 0)
            risks[needs_oracle] = self.risks_of(boards[needs_oracle], covered[needs_oracle])
            actions = risks.argmin(axis=1)


def main() -> None:
    """Plays one game, and prints its guesses."""
    args = Args(**vars(parser_of(Args, "Play one game of Minesweeper with determinised search.").parse_args()))
    env = gym.make("Minesweeper-v0", size=args.size, mines=args.mines, first_click=args.first_click, moves=("click",))
    observation, info = env.reset(seed=args.seed)
    agent = Agent(env.observation_space.shape, args.mines, args.first_click, args.candidates, args.rollouts, args.seed)
    done = False
    while not done:
        action = agent.act(observation[None], info["action_mask"][None])[0]
        if agent.compared:
            print("guess      risk  rollouts won")
        for cell, (risk, value) in agent.compared.items():
            print(f"{'>' if cell == action else ' '} {divmod(cell, args.size[1])}  {risk:6.1%}  {value:13.1%}")
        observation, _, terminated, truncated, info = env.step(action)
        done = terminated or truncated
    print("won" if info["is_success"] else "lost")


if __name__ == "__main__":
    main()
