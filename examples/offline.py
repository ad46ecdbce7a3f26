"""Behaviour cloning in one file: learns the clicks of `exact` on 8x8 with 14 mines from a Minari data set.

    python -m baselines dataset --policy exact --games 20000
    python examples/offline.py --minutes 5 --seed 1 --out runs/offline/1
    python evaluate.py --policy examples/offline.py:Agent:file=runs/offline/1/model.pt exact --games 10000

The first command writes the data set. The training plays no game: it reads boards, masks and clicks. Often many cells
are safe, and `exact` clicks one of them. So the later clicks of the game count too, with weights that fade.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import minari
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from baselines.cli.command import claim_model_folder, parser_of, positive_number
from baselines.learned.common.tensor_files import save_model, saved

HIDDEN = 11  # the code of a covered cell; 0 to 8 are clues
CHANNELS, DEPTH = 32, 4
CPU = getattr(torch.cpu, "get_capabilities", dict)()
BFLOAT16 = bool(CPU.get("avx512_bf16") or CPU.get("amx_bf16"))  # halves the time there; elsewhere it is far slower


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    dataset: Annotated[str, "name of the Minari data set"] = "minesweeper/8x8-14-opening/exact-v0"
    out: Annotated[Path, "folder of model.pt and curve.json"] = Path("runs/offline/1")
    seed: Annotated[int, "seed of the weights and of the minibatches"] = 1
    minutes: Annotated[float, "wall time to learn for", positive_number] = 5.0
    cpu_minutes: Annotated[float | None, "processor time to learn for, in place of --minutes", positive_number] = None
    games: Annotated[int, "games to read"] = 20_000
    held_out: Annotated[int, "the last of these games, which only test the imitation"] = 500
    fade: Annotated[float, "weight of each click beside the one before it; 0 imitates the next click alone"] = 0.7
    batch_size: Annotated[int, "boards of each update"] = 256
    learning_rate: Annotated[float, "its height at the start; it falls to 0 over the training", positive_number] = 2e-3


class Network(nn.Module):
    """Maps boards of any size to one logit per cell: one residual block, applied again and again."""

    def __init__(self, mines: int) -> None:
        super().__init__()
        self.mines = mines
        self.stem = nn.Conv2d(13, CHANNELS, 3, padding=1)
        self.first, self.second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(2))
        self.pooled = nn.Linear(2 * CHANNELS, CHANNELS)
        self.head = nn.Conv2d(CHANNELS, 1, 1)
        self.to(memory_format=torch.channels_last)

    def forward(self, codes: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Maps (N, rows, cols) int8 codes and (N, actions) masks to (N, actions) logits, -1e9 for illegal clicks."""
        # One-hot codes, density of mines, covered neighbours / 8, and at a clue the fraction of these that are mines.
        planes = functional.one_hot(codes.long().where(codes != HIDDEN, 9), 10).float()
        covered_neighbours = 9 * functional.avg_pool2d(planes[..., 9], 3, 1, 1)[..., None]
        fraction = planes[..., :9] @ torch.arange(9.0)[:, None] / covered_neighbours.clamp(min=1)
        density = self.mines / planes[..., 9:].sum((1, 2), keepdim=True).clamp(min=1).expand_as(covered_neighbours)
        planes = torch.cat([planes, density, covered_neighbours / 8, fraction], 3).permute(0, 3, 1, 2)
        with torch.autocast("cpu", torch.bfloat16, enabled=BFLOAT16):
            x = torch.relu(self.stem(planes))
            for _ in range(DEPTH):
                x = x + self.second(torch.relu(self.first(x)))
                pooled = torch.cat([functional.avg_pool2d(x, x.shape[2:]), functional.max_pool2d(x, x.shape[2:])], 1)
                x = torch.relu(x + self.pooled(pooled.flatten(1))[:, :, None, None])
            return self.head(x).flatten(1).float().masked_fill(masks == 0, -1e9)


class Agent:
    """Clicks the legal cell with the highest logit; evaluate.py makes it."""

    batch_size = 256  # games that evaluate.py plays side by side

    def __init__(self, mines: int, file: str, **_: object) -> None:
        self.network = Network(mines)
        with saved(file) as weights:
            self.network.load_state_dict(weights)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns (N,) actions for (N, rows, cols) codes and (N, actions) masks."""
        with torch.no_grad():
            return self.network(torch.as_tensor(observations), torch.as_tensor(action_masks)).argmax(1).numpy()


def read_games(dataset: minari.MinariDataset, games: range, fade: float) -> list[torch.Tensor]:
    """Returns boards (N, rows, cols), masks and target probabilities (N, actions) of games, without first clicks."""
    boards, masks, targets = [], [], []
    for episode in dataset.iterate_episodes(games):
        boards.append(episode.observations[1:-1])  # No click follows the last one.
        masks.append(episode.infos["action_mask"][1:-1])
        clicks, target = episode.actions[1:], np.zeros(masks[-1].shape, np.float32)
        for step in range(len(clicks)):
            target[step, clicks[step:]] = fade ** np.arange(len(clicks) - step)  # 1, fade, fade**2, ...
        targets.append(target / target.sum(1, keepdims=True))
    return [torch.as_tensor(np.concatenate(column)) for column in (boards, masks, targets)]


def transform(cells: torch.Tensor, symmetry: int) -> torch.Tensor:
    """Returns values of square boards, (N, size, size), after one of the 8 symmetries: 0 to 7."""
    return torch.rot90(cells.flip(2) if symmetry >= 4 else cells, symmetry % 4, (1, 2))


def main() -> None:
    """Trains an agent, and prints the line that scores it."""
    parser = parser_of(Args, __doc__)
    args = Args(**vars(parser.parse_args()))
    claim_model_folder(parser, args.out)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    if args.dataset not in minari.list_local_datasets():
        parser.error(f"there is no data set {args.dataset}; the first command of --help writes one")
    dataset = minari.load_dataset(args.dataset)
    if not 0 < args.held_out < args.games <= dataset.total_episodes:
        parser.error(f"needs 0 < held-out < games <= {dataset.total_episodes}, the games of the data set")
    metadata = dataset.storage.metadata
    rows, cols, mines = metadata["rows"], metadata["cols"], metadata["mines"]
    if dataset.observation_space.shape != (rows, cols) or dataset.action_space.n != rows * cols:
        parser.error(f"{args.dataset} must hold codes and clicks alone, as without --observation and flags")
    training_set = read_games(dataset, range(args.games - args.held_out), args.fade)
    held_out = read_games(dataset, range(args.games - args.held_out, args.games), args.fade)
    network = Network(mines)
    optimizer = torch.optim.AdamW(network.parameters(), lr=args.learning_rate, weight_decay=0.0)
    clock, minutes = (time.process_time, args.cpu_minutes) if args.cpu_minutes else (time.monotonic, args.minutes)
    updates, progress, curve, start_time = 0, 0.0, [], clock()
    while progress < 1:
        # A minibatch, in one of the 8 symmetries of a square board.
        chosen, symmetry = torch.randint(len(training_set[0]), (args.batch_size,)), int(torch.randint(8, ()))
        codes, legal, target = (transform(column[chosen].view(-1, rows, cols), symmetry) for column in training_set)
        loss = functional.cross_entropy(network(codes, legal.flatten(1)), target.flatten(1))
        optimizer.param_groups[0]["lr"] = args.learning_rate * min(1, (updates + 1) / 200) * (1 - progress)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        updates += 1
        progress = min(1.0, (clock() - start_time) / 60 / minutes)
        if updates % 200 == 0 or progress == 1:
            with torch.no_grad():
                held_out_loss = functional.cross_entropy(network(*held_out[:2]), held_out[2]).item()
            curve.append({"minutes": progress * minutes, "updates": updates, "held_out_loss": held_out_loss})
            print(" ".join(f"{name} {value:g}" for name, value in curve[-1].items()), flush=True)
            save_model(network, curve, args.out)
    board = f"--size {rows}x{cols} --mines {mines} --first-click {metadata['first_click']}"
    board += f" --no-guess {metadata['no_guess']}" if "no_guess" in metadata else ""
    board += "" if metadata.get("luck", True) else " --no-luck"
    policy = f"examples/offline.py:Agent:file={args.out / 'model.pt'}"
    print(f"python evaluate.py --policy {policy} exact {board} --games 10000")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C keeps the weights saved last.
        main()
