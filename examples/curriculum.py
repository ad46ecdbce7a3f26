"""A curriculum in one file: one network learns on boards from 5x5 to 16x16, by masked value learning with discount 0.

    python examples/curriculum.py --minutes 5 --seed 1 --out runs/curriculum/1
    python examples/curriculum.py --minutes 5 --seed 1 --out runs/control/1 --boards 16x16/40
    python evaluate.py --policy examples/curriculum.py:Agent:file=runs/curriculum/1/model.pt --size 16 --mines 40

The second command is the control, which spends the same time on the last board alone. The network is fully
convolutional, so that its weights fit every board. The value of a click is its chance to be safe.
"""

import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from baselines.checks import number_within
from baselines.cli.command import claim_model_folder, parser_of, positive_number
from baselines.learned.common.tensor_files import save_model, saved
from minesweeper_env.config import BoardConfig

HIDDEN = 11  # the code of a covered cell; 0 to 8 are clues
CHANNELS, DEPTH = 32, 4
CPU = getattr(torch.cpu, "get_capabilities", dict)()
BFLOAT16 = bool(CPU.get("avx512_bf16") or CPU.get("amx_bf16"))  # halves the time there; elsewhere it is far slower


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    out: Annotated[Path, "folder of model.pt and curve.json"] = Path("runs/curriculum/1")
    seed: Annotated[int, "seed of the weights and of the training games"] = 1
    minutes: Annotated[float, "wall time to learn for, all boards together", positive_number] = 5.0
    cpu_minutes: Annotated[float | None, "processor time to learn for, in place of --minutes", positive_number] = None
    boards: Annotated[tuple, "each board in turn"] = ("5x5/3", "6x6/6", "8x8/14", "10x10/20", "16x16/40")
    threshold: Annotated[float, "win rate of the last 500 training games that leads to the next board"] = 0.5
    num_envs: Annotated[int, "games side by side, one click of each per update"] = 256
    capacity: Annotated[int, "clicks in the replay buffer of a board"] = 100_000
    batch_size: Annotated[int, "stored clicks of each update"] = 256
    learning_rate: Annotated[float, "its height at the start; it falls to 0 over the training", positive_number] = 4e-3


class QNetwork(nn.Module):
    """Maps boards of any size to one logit of Q per cell: one residual block, applied again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(13, CHANNELS, 3, padding=1)
        self.first, self.second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(2))
        self.pooled = nn.Linear(2 * CHANNELS, CHANNELS)
        self.head = nn.Conv2d(CHANNELS, 1, 1)
        self.to(memory_format=torch.channels_last)

    def forward(self, codes: torch.Tensor, mines: int) -> torch.Tensor:
        """Maps (N, rows, cols) int8 codes to (N, rows * cols) logits."""
        # One-hot codes, density of mines, covered neighbours / 8, and at a clue the fraction of these that are mines.
        planes = functional.one_hot(codes.long().where(codes != HIDDEN, 9), 10).float()
        covered_neighbours = 9 * functional.avg_pool2d(planes[..., 9], 3, 1, 1)[..., None]
        fraction = planes[..., :9] @ torch.arange(9.0)[:, None] / covered_neighbours.clamp(min=1)
        density = mines / planes[..., 9:].sum((1, 2), keepdim=True).clamp(min=1).expand_as(covered_neighbours)
        planes = torch.cat([planes, density, covered_neighbours / 8, fraction], 3).permute(0, 3, 1, 2)
        with torch.autocast("cpu", torch.bfloat16, enabled=BFLOAT16):
            x = torch.relu(self.stem(planes))
            for _ in range(DEPTH):
                x = x + self.second(torch.relu(self.first(x)))
                pooled = torch.cat([functional.avg_pool2d(x, x.shape[2:]), functional.max_pool2d(x, x.shape[2:])], 1)
                x = torch.relu(x + self.pooled(pooled.flatten(1))[:, :, None, None])
            return self.head(x).flatten(1).float()


class Agent:
    """Clicks the legal cell with the highest Q; evaluate.py makes it, for a board of any size."""

    batch_size = 256  # games that evaluate.py plays side by side

    def __init__(self, mines: int, file: str, **_: object) -> None:
        self.network, self.mines = QNetwork(), mines
        with saved(file) as weights:
            self.network.load_state_dict(weights)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns (N,) actions for (N, rows, cols) codes and (N, actions) masks."""
        return greedy_click(self.network, observations, action_masks, self.mines)[0]


@torch.no_grad()
def greedy_click(network: QNetwork, boards: np.ndarray, legal: np.ndarray, mines: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the legal cell with the highest Q of each board, (N,) int64, and its Q, (N,) float32."""
    q = network(torch.as_tensor(boards), mines).sigmoid()
    # Q cannot choose the first click, since each one is safe: only the middle counts.
    rows, cols = boards.shape[1:]
    q[(boards == HIDDEN).all((1, 2))] = (torch.arange(rows * cols) == rows // 2 * cols + cols // 2).float()
    best_q, cells = q.masked_fill(torch.as_tensor(legal) == 0, -1.0).max(1)
    return cells.numpy(), best_q.numpy()


class Games:
    """Games on one board, and the last clicks in them that may teach something."""

    def __init__(self, board: BoardConfig, args: Args, steps: int) -> None:
        """Starts games with seeds that no earlier board of the training used; test games have seeds below 2**30."""
        size, self.mines = (board.rows, board.cols), board.mines
        options = {"mines": board.mines, "moves": ("click",), "reward": "safe_click", "autoreset_mode": "SameStep"}
        self.env = gym.make_vec("minesweeper_env:Minesweeper-v0", args.num_envs, size=size, **options)
        self.codes, self.info = self.env.reset(seed=2**31 + 100_000_000 * args.seed + steps)
        self.wins, self.stored, self.capacity = deque([0.0], maxlen=500), 0, args.capacity
        self.boards = np.zeros((args.capacity, *size), np.int8)
        self.clicks, self.safe = np.zeros(args.capacity, np.int64), np.zeros(args.capacity, np.float32)

    def play(self, network: QNetwork, random: np.random.Generator) -> None:
        """Clicks the safest legal cell in each game; the luck of the boards explores enough."""
        cells, q = greedy_click(network, self.codes, self.info["action_mask"], self.mines)
        next_codes, rewards, ended, _, self.info = self.env.step(cells)
        self.wins.extend(rewards[ended] > 0)
        # Keep all clicks of a Q up to 0.8, one in ten of the most certain ones, and no first clicks.
        kept = (self.codes != HIDDEN).any((1, 2)) & (random.random(len(q)) < np.maximum(0.1, 5 - 5 * q))
        indices = (self.stored + np.arange(kept.sum())) % self.capacity
        self.boards[indices], self.clicks[indices], self.safe[indices] = self.codes[kept], cells[kept], rewards[kept]
        self.codes, self.stored = next_codes, self.stored + kept.sum()

    def loss(self, network: QNetwork, count: int, random: np.random.Generator) -> torch.Tensor:
        """Returns the cross-entropy of `count` stored clicks: was each one safe?"""
        chosen = random.integers(min(self.stored, self.capacity), size=count)
        logits = network(torch.as_tensor(self.boards[chosen]), self.mines)[range(count), self.clicks[chosen]]
        return functional.binary_cross_entropy_with_logits(logits, torch.as_tensor(self.safe[chosen]))


def options() -> tuple[Args, deque[BoardConfig]]:
    """Returns the options and their boards; exits with an error if one cannot work."""
    parser = parser_of(Args, __doc__)
    args = Args(**vars(parser.parse_args()))
    try:
        number_within("threshold", args.threshold, 0, 1)
        boards = deque(BoardConfig.of_name(board, "opening") for board in args.boards)
    except ValueError as error:
        parser.error(str(error))
    claim_model_folder(parser, args.out)
    return args, boards


def main() -> None:
    """Trains an agent, and prints the line that scores it."""
    args, boards_left = options()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    random, network = np.random.default_rng(args.seed), QNetwork()
    optimizer = torch.optim.AdamW(network.parameters(), lr=args.learning_rate, weight_decay=0.0)
    clock, minutes = (time.process_time, args.cpu_minutes) if args.cpu_minutes else (time.monotonic, args.minutes)
    steps, progress, curve, start_time = 0, 0.0, [], clock()
    while progress < 1:
        board = boards_left.popleft()
        games = Games(board, args, steps)
        # Until the time is up, or the win rate of the last 500 games leads to the next board.
        while progress < 1 and not (boards_left and len(games.wins) == 500 and np.mean(games.wins) > args.threshold):
            games.play(network, random)
            steps += args.num_envs
            if games.stored > 5 * args.batch_size:
                loss = games.loss(network, args.batch_size, random)
                optimizer.param_groups[0]["lr"] = args.learning_rate * min(1, steps / 50_000) * (1 - progress)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
            progress = min(1.0, (clock() - start_time) / 60 / minutes)
            if steps % (100 * args.num_envs) == 0 or progress == 1:
                win_rate = float(np.mean(games.wins))
                curve.append({"minutes": progress * minutes, "board": board.name, "win_rate": win_rate})
                print(*(f"{name} {value}" for name, value in curve[-1].items()), flush=True)
                save_model(network, curve, args.out)
    policy = f"examples/curriculum.py:Agent:file={args.out / 'model.pt'}"
    print(f"python evaluate.py --policy {policy} --size {board.rows}x{board.cols} --mines {board.mines} --games 2000")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C keeps the weights saved last.
        main()
