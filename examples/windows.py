"""Small to large: a network that trained on 8x8 boards alone plays boards of any size through windows of 8x8.

    python examples/windows.py --minutes 45 --seed 1 --out runs/windows/1
    python evaluate.py --policy examples/windows.py:Agent:file=runs/windows/1/model.pt exact --size 16x30 --games 200

A network of 8x8 boards fails on 16x30, because it meets wide covered areas that it has never seen, and calls cells
there certain. In a window of 8x8 it meets only what it knows. A window hides what lies around it, so training hides
a part of each board, too. The logits of overlapping windows are averaged. No clue is evaluated by hand, unless the
agent gets the option `fit=true`, which fits the risks to the clues of the whole board.
"""

import copy
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn

from baselines.cli.command import claim_model_folder, parser_of, positive_number
from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.common.optimisation import Muon
from baselines.learned.common.tensor_files import save_model, saved
from baselines.learned.networks import symmetries, transform
from baselines.process import one_thread
from minesweeper_env import MINE

SIDE = 8  # of the boards of the training, and of a window
MINES = range(9, 17)  # of these boards
CHANNELS, DEPTH = 32, 7
CERTAIN = 0.999  # cells of this safety are clicked one after the other without another look


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    out: Annotated[Path, "folder of model.pt and curve.json"] = Path("runs/windows/1")
    seed: Annotated[int, "seed of the weights and of the training games"] = 1
    minutes: Annotated[float, "wall time of the training", positive_number] = 45.0
    cpu_minutes: Annotated[float | None, "processor time of the command, in place of --minutes", positive_number] = None
    steps: Annotated[int, "clicks to learn from, if they take less time"] = 1_000_000_000
    num_envs: Annotated[int, "games side by side, for each number of mines"] = 128
    batch_size: Annotated[int, "boards of each update"] = 128
    replays: Annotated[int, "updates that a stored board takes part in, on average"] = 6
    learning_rate: Annotated[float, "its height at the start; it falls to 0 over the training", positive_number] = 2e-3
    hidden: Annotated[float, "share of the minibatch whose boards are partly hidden"] = 0.9
    noise: Annotated[float, "standard deviation of the logarithm of the density that the network is told"] = 0.3


def neighbours(cells: Tensor) -> Tensor:
    """Returns the sum over the eight neighbours of each cell, for (N, rows, cols) float32."""
    return 9 * nn.functional.avg_pool2d(cells[:, None], 3, 1, 1)[:, 0] - cells


def visible(codes: Tensor, around: Tensor, seen: Tensor | None = None) -> tuple[Tensor, ...]:
    """Returns what a window shows, as `Agent` takes it: covered cells as 1, else 0; and clues, -1 elsewhere.

    A clue that also counts covered cells outside the window is left out, since it says too little about those inside.
    `around` are the numbers of covered neighbours on the whole board; `seen` is True inside the window, if not all is.
    """
    seen = torch.ones_like(codes, dtype=torch.bool) if seen is None else seen
    covered = ((codes > 8) & seen).float()
    is_complete = seen & (codes <= 8) & (around > 0.5) & ((neighbours(covered) - around).abs() < 0.5)
    return covered, torch.where(is_complete, codes, -1)


class Agent(nn.Module):
    """A network of windows: one residual block, applied again and again; evaluate.py gives it a file.

    The network does not see where the board ends, and pools nothing over the board.
    """

    batch_size = 64  # games that evaluate.py plays side by side

    def __init__(self, mines: int, file: str | None, stride: int = 2, fit: bool = False, **_: object) -> None:
        super().__init__()
        if not 1 <= stride <= SIDE:
            raise ValueError(f"stride, the distance of two windows, must be 1 to {SIDE}, not {stride}")
        self.mines, self.stride, self.fit = mines, stride, fit
        self.stem, self.recall = (nn.Conv2d(21, CHANNELS, 3, padding=1) for _ in range(2))
        self.first, self.second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=bias) for bias in (False, True))
        self.head = nn.Conv2d(CHANNELS, 1, 1)
        self.to(memory_format=torch.channels_last)
        if file:
            with saved(file) as weights:
                self.load_state_dict(weights)

    def forward(self, covered: Tensor, clues: Tensor, density: Tensor, depth: int = DEPTH) -> Tensor:
        """Maps windows (N, rows, cols) and densities of mines (N,) to logits of safety, (N, rows, cols)."""
        around, levels = neighbours(covered).round(), torch.arange(9.0)
        safe = torch.where(clues >= 0, around - clues, -1.0)  # The safe cells around a clue; -1 sets no plane.
        fraction = clues.clamp(min=0) / around.clamp(min=1)
        planes = [covered[..., None], clues[..., None] == levels, safe[..., None] == levels, fraction[..., None]]
        planes.append((density[:, None, None] * covered)[..., None])
        x = torch.cat([plane.float() for plane in planes], 3).permute(0, 3, 1, 2)
        x, recalled = torch.relu(self.stem(x)), self.recall(x)
        for _ in range(depth):
            x = torch.relu(x + self.second(torch.relu(self.first(x) + recalled)))
        return self.head(x)[:, 0]

    @one_thread()
    @torch.no_grad()
    def values(self, boards: np.ndarray) -> np.ndarray:
        """Returns ratings of safety, (N, rows * cols) float32, for (N, rows, cols) codes; each board is opened.

        They are logits, or with `fit` probabilities that agree with the clues.
        """
        codes, (rows, cols) = torch.as_tensor(boards), boards.shape[1:]
        covered = (codes > 8).float()
        around, density = neighbours(covered), self.mines / covered.sum((1, 2)).clamp(min=1)
        grid = list(product(windows(rows, self.stride), windows(cols, self.stride)))
        views = [(slice(None), slice(top, top + SIDE), slice(left, left + SIDE)) for (top, _), (left, _) in grid]
        parts, parts_around = (torch.stack([cells[view] for view in views], 1) for cells in (codes, around))
        used = (parts > 8).any(3).any(2)  # (N, views) of (N, views, SIDE, SIDE): others need no logits.
        inputs = (parts[used], parts_around[used], density[used.nonzero()[:, 0]])
        batches = zip(*(values.split(512) for values in inputs), strict=True)
        logits = torch.zeros_like(parts_around)
        logits[used] = torch.cat([self(*visible(part, near), share) for part, near, share in batches])
        total, weights = torch.zeros_like(covered), torch.zeros_like(covered)
        for view, ((_, of_rows), (_, of_cols)), view_logits in zip(views, grid, logits.unbind(1), strict=True):
            weight = torch.minimum(of_rows[:, None], of_cols)
            total[view] += weight * view_logits
            weights[view] += weight
        mean = (total / weights).flatten(1)
        if self.fit:  # Every board, also one with a cell that windows call certain: on large boards it may be wrong.
            safety = mean.sigmoid() * covered.flatten(1)
            return fitted_safety(safety.numpy(), boards, self.mines, certain=2.0)
        return mean.numpy()

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns the clicks, (N,) int64, for (N, rows, cols) codes and (N, rows * cols) masks; at first the middle."""
        rows, cols = observations.shape[1:]
        clicks = np.full(len(observations), rows // 2 * cols + cols // 2)
        opened = np.flatnonzero((observations <= 8).any((1, 2)))
        if len(opened):
            legal = action_masks[opened, : rows * cols] == 1
            clicks[opened] = np.where(legal, self.values(observations[opened]), -np.inf).argmax(1)
        return clicks


def windows(size: int, stride: int) -> list[tuple[int, Tensor]]:
    """Returns the first row or column of each window along an axis, and the weights of its rows or columns.

    A window shows less around a cell that lies near one of its sides, unless the board ends there. So the weight is the
    square of the distance to the closest such side, at most half a window.
    """
    from_first, found = torch.arange(SIDE)[:size] + 0.5, []  # distances of the rows from the first side of a window
    half = torch.full((len(from_first),), SIDE / 2)
    for first in sorted({*range(0, max(1, size - SIDE + 1), stride), max(0, size - SIDE)}):
        to_first = from_first if first > 0 else half
        to_last = SIDE - from_first if first + SIDE < size else half
        found.append((first, torch.minimum(to_first, to_last) ** 2))
    return found


class Replay:
    """The last boards of ended games, with the density that each showed and its safe cells."""

    def __init__(self, random: np.random.Generator) -> None:
        self.rows = np.zeros(120_000, [("board", "i1", (SIDE, SIDE)), ("safe", "?", (SIDE, SIDE)), ("density", "f4")])
        self.stored, self.random = 0, random

    def add(self, boards: list[np.ndarray], last: np.ndarray, mines: int) -> None:
        """Stores boards of one game; the last board of a lost game shows the mines, that of a won game covers them."""
        safe = last != MINE if (last == MINE).any() else last <= 8
        for board in boards:
            self.rows[self.stored % len(self.rows)] = (board, safe, mines / (board > 8).sum())
            self.stored += 1

    def sample(self, args: Args) -> tuple[Tensor, ...]:
        """Returns boards in one of the 8 symmetries, their safe cells, the cells inside windows, and densities."""
        batch = self.rows[self.random.integers(min(self.stored, len(self.rows)), size=args.batch_size)]
        symmetry = symmetries(SIDE, SIDE)[self.random.integers(8)]
        boards, safe = (transform(torch.from_numpy(batch[name].copy()), symmetry) for name in ("board", "safe"))
        return boards, safe, self.random_windows(args), self.noisy(batch["density"], args.noise)

    def random_windows(self, args: Args) -> Tensor:
        """Returns random rectangles with sides of 4 to 8 cells, (N, SIDE, SIDE), True inside; some cover the board."""
        sizes = self.random.integers(SIDE // 2, SIDE + 1, size=(2, args.batch_size))
        sizes[:, self.random.random(args.batch_size) >= args.hidden] = SIDE
        starts = self.random.integers(SIDE - sizes + 1)
        lines = np.arange(SIDE)
        inside = (lines >= starts[..., None]) & (lines < (starts + sizes)[..., None])  # (2, N, SIDE): rows and columns
        return torch.as_tensor(inside[0, :, :, None] & inside[1, :, None])

    def noisy(self, density: np.ndarray, noise: float) -> Tensor:
        """Returns densities with random errors, (N,) float32, so that the network does not rely on the exact number.

        The exact density tells how many mines a window of 8x8 lacks. On a large board these mines may be anywhere.
        """
        errors = noise * self.random.standard_normal(len(density))
        return torch.as_tensor((density * np.exp(errors)).clip(0, 1), dtype=torch.float32)


class Games:
    """Games with one number of mines, side by side; at its end each game stores its boards in a replay buffer."""

    def __init__(self, mines: int, args: Args) -> None:
        self.mines, count = mines, args.num_envs
        env_options = {"size": SIDE, "mines": mines, "moves": ("click",), "autoreset_mode": "SameStep"}
        self.env = gym.make_vec("minesweeper_env:Minesweeper-v0", count, **env_options)
        # The seeds of test games are below 2**30.
        self.boards, info = self.env.reset(seed=2**31 + 1_000_000 * args.seed + 10_000 * mines)
        self.legal, self.certain = info["action_mask"] == 1, np.zeros((count, SIDE * SIDE), bool)
        self.kept: list[list[np.ndarray]] = [[] for _ in range(count)]

    def step(self, agent: Agent, replay: Replay) -> list[bool]:
        """Clicks once in each game; returns, for each game that ended, whether it was won."""
        self.certain &= self.legal
        opened = (self.boards <= 8).any((1, 2))
        # The first click is random; later ones open a certain cell if there is one, or else the safest of a new look.
        clicks = np.where(opened, self.certain.argmax(1), replay.random.integers(SIDE * SIDE, size=len(opened)))
        rated = np.flatnonzero(opened & ~self.certain.any(1))
        if len(rated):
            clicks[rated] = self.ask(agent, rated, replay.random)
        self.boards, _, ended, _, info = self.env.step(clicks)
        self.legal = info["action_mask"] == 1
        won = []
        for game in np.flatnonzero(ended):
            last = info["final_obs"][game]
            replay.add(self.kept[game], last, self.mines)
            won.append(not (last == MINE).any())
            self.kept[game], self.certain[game] = [], False
        return won

    def ask(self, agent: Agent, games: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Returns the safest click in each of `games`; notes their certain cells, and keeps boards to learn from."""
        safety = np.where(self.legal[games], 1 / (1 + np.exp(-agent.values(self.boards[games]))), -1)
        self.certain[games] = safety >= CERTAIN
        for game, best in zip(games, safety.max(1), strict=True):
            if random.random() < max(0.1, 5 - 5 * best):  # always up to a safety of 0.8
                self.kept[game].append(self.boards[game].copy())
        return safety.argmax(1)


def learn(network: Agent, optimizer: torch.optim.Optimizer, replay: Replay, args: Args) -> None:
    """Takes a step down the gradient of the cross-entropy of all covered cells of a minibatch."""
    boards, safe, inside, density = replay.sample(args)
    covered, clues = visible(boards, neighbours((boards > 8).float()), inside)
    depth = DEPTH + int(replay.random.integers(-2, 2))
    logits = network(covered, clues, density, depth)
    losses = nn.functional.binary_cross_entropy_with_logits(logits, safe.float(), reduction="none")
    optimizer.zero_grad()
    (losses * covered).sum((1, 2)).mean().backward()
    nn.utils.clip_grad_norm_(network.parameters(), 10.0)
    optimizer.step()


def main() -> None:
    """Prints the line that scores the agent, and trains it."""
    parser = parser_of(Args, __doc__)
    args, start_time = Args(**vars(parser.parse_args())), time.monotonic()
    if args.hidden > 1:
        parser.error("--hidden is a share, at most 1")
    claim_model_folder(parser, args.out)
    policy = f"{__file__}:Agent:file={args.out}/model.pt"
    print(f"Any time: python evaluate.py --policy {policy} exact --size 16x30", flush=True)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    network = Agent(MINES[-1], None)
    agent, updates = copy.deepcopy(network), 0  # The agent that plays: an average of weights.
    optimizer = Muon(network.parameters(), weight_decay=0.1)
    replay = Replay(np.random.default_rng(args.seed))
    games = [Games(mines, args) for mines in MINES]
    won, curve, steps, progress = [0.0], [], 0, 0.0
    while progress < 1:
        for board_games in games:
            agent.mines, steps = board_games.mines, steps + args.num_envs
            won = [*won, *board_games.step(agent, replay)][-2000:]
        while updates * args.batch_size < args.replays * (replay.stored - 2000):  # after the first 2000 boards
            updates += 1
            optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - progress) * min(1, updates / 100)
            learn(network, optimizer, replay, args)
            with torch.no_grad():
                for average, current in zip(agent.parameters(), network.parameters(), strict=True):
                    average.lerp_(current, max(0.005, 1 / (updates + 1)))  # at first the mean, then a moving average
        seconds = time.process_time() if args.cpu_minutes else time.monotonic() - start_time
        progress = max(seconds / 60 / (args.cpu_minutes or args.minutes), steps / args.steps)
        if progress >= 1 or not curve or seconds > curve[-1]["seconds"] + 10:
            curve.append({"steps": steps, "seconds": round(seconds, 1), "wins": round(float(np.mean(won)), 4)})
            print(curve[-1], flush=True)
            save_model(agent, curve, args.out)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C keeps the weights saved last.
        main()
