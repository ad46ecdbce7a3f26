"""Masked DQN in one file: learns 8x8 with 14 mines on one core, and scores with one line.

    python examples/dqn.py --minutes 15 --seed 1 --out runs/dqn/1
    python evaluate.py --policy examples/dqn.py:Agent:file=runs/dqn/1/model.pt exact --games 10000

The discount `gamma` is 0: Q is the chance that a click is safe. That nearly suffices, though it ignores which of two
safe clicks shows more. A gamma near 1 makes Q the chance to win.

With discount 0 the board also teaches about cells that nobody clicks: the risks around a clue sum to it, and after a
win every covered cell is a mine. Both need nothing but what a player sees.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from baselines.cli.command import claim_model_folder, parser_of, positive_number
from baselines.files import first_line
from baselines.learned.common.optimisation import Muon, consistency_losses, hindsight_losses
from baselines.learned.common.tensor_files import save_model, saved

GUESS = 0.9  # a click of a lower Q is a guess
HIDDEN = 11  # the code of a covered cell; 0 to 8 are clues
CHANNELS, DEPTH = 32, 4
CPU = getattr(torch.cpu, "get_capabilities", dict)()
BFLOAT16 = bool(CPU.get("avx512_bf16") or CPU.get("amx_bf16"))  # halves the time there; elsewhere it is far slower


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    out: Annotated[Path, "folder of model.pt and curve.json"] = Path("runs/dqn/1")
    seed: Annotated[int, "seed of the weights and of the training games"] = 1
    minutes: Annotated[float, "wall time of the training", positive_number] = 15.0
    cpu_minutes: Annotated[float | None, "processor time of the command, in place of --minutes", positive_number] = None
    steps: Annotated[int, "clicks to learn from, if they take less time"] = 1_000_000_000
    size: Annotated[tuple[int, int], "board, such as 8 or 16x30; the mines do not follow"] = (8, 8)
    mines: Annotated[int, "mines of the board"] = 14
    luck: Annotated[bool, "play games without luck; Q is then no risk, so only the clicks teach"] = True
    gamma: Annotated[float, "discount of the next click, below 1"] = 0.0
    num_envs: Annotated[int, "games side by side, one click of each per update"] = 256
    batch_size: Annotated[int, "stored clicks of each update"] = 256
    learning_rate: Annotated[float, "its height at the start; it falls to 0 over the training", positive_number] = 4e-3
    consistency: Annotated[float, "weight of the squared errors of the clues, with gamma 0"] = 0.1
    won_games: Annotated[float, "weight of the mines that a win shows, with gamma 0"] = 0.05
    device: Annotated[str, "where the network learns, for example cuda"] = "cpu"


class Agent(nn.Module):
    """A Q-network for boards of any size: one residual block, applied again and again; evaluate.py gives it a file."""

    batch_size = 256  # games that evaluate.py plays side by side

    def __init__(self, mines: int, file: str | None, **_: object) -> None:
        super().__init__()
        self.mines = mines
        self.stem = nn.Conv2d(13, CHANNELS, 3, padding=1)
        self.first, self.second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(2))
        self.pooled, self.head = nn.Linear(CHANNELS, CHANNELS), nn.Conv2d(CHANNELS, 1, 1)
        self.to(memory_format=torch.channels_last)
        if file:
            with saved(file) as weights:
                self.load_state_dict(weights)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Maps (N, rows, cols) int8 codes to the logits of Q, (N, rows * cols)."""
        # One-hot codes, density of mines, covered neighbours / 8, and at a clue the fraction of these that are mines.
        planes = nn.functional.one_hot(codes.long().clamp(max=9), 10).float()
        covered_neighbours = 9 * nn.functional.avg_pool2d(planes[..., 9], 3, 1, 1)[..., None]
        fraction = planes[..., :9] @ torch.arange(9.0, device=codes.device)[:, None] / covered_neighbours.clamp(min=1)
        density = self.mines / planes[..., 9:].sum((1, 2), keepdim=True).clamp(min=1).expand_as(covered_neighbours)
        planes = torch.cat([planes, density, covered_neighbours / 8, fraction], 3).permute(0, 3, 1, 2)
        with torch.autocast(planes.device.type, torch.bfloat16, enabled=BFLOAT16):
            x = torch.relu(self.stem(planes))
            for _ in range(DEPTH):
                x = x + self.second(torch.relu(self.first(x)))
                x = torch.relu(x + self.pooled(x.mean((2, 3)))[:, :, None, None])
            return self.head(x).flatten(1).float()

    @torch.no_grad()
    def q(self, boards: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Returns Q, (N, rows * cols): -1 if illegal. First clicks are all safe: the middle gets 1, the others 0."""
        logits = self(torch.as_tensor(boards, device=self.head.weight.device))
        q = np.where(legal, logits.sigmoid().cpu().numpy(), -1)
        rows, cols = boards.shape[1:]
        q[(boards == HIDDEN).all((1, 2))] = np.arange(rows * cols) == rows // 2 * cols + cols // 2
        return q

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns the clicks, (N,) int64, for (N, rows, cols) codes and (N, rows * cols) masks."""
        return self.q(observations, action_masks).argmax(1)


class Replay:
    """The last clicks that may teach something: a row for each, with its board, the next one and the outcome.

    Its `safe_cells` are 1 for a safe cell, 0 for a mine, and -1 while no win has shown the mines.
    """

    def __init__(self, args: Args) -> None:
        dtype = [("board", "i1", args.size), ("next", "i1", args.size), ("cell", "i8"), ("safe", "f4"), ("ended", "f4")]
        self.rows, self.stored = np.zeros(200_000, [*dtype, ("safe_cells", "i1", np.prod(args.size))]), 0
        self.random = np.random.default_rng(args.seed)
        self.since_guess: list[list[int]] = [[] for _ in range(args.num_envs)]  # indices of rows, by current game

    def add(self, q: np.ndarray, **columns: np.ndarray) -> None:
        """Stores clicks that are uncertain by their `q`, one in ten of the others, and no first clicks."""
        best_q, opened = q.max(1), (columns["board"] < HIDDEN).any((1, 2))
        kept = (self.random.random(len(q)) < np.maximum(0.1, 5 - 5 * best_q)) & opened  # all of them up to Q = 0.8
        indices = (self.stored + np.arange(kept.sum())) % len(self.rows)
        for name, values in columns.items():
            self.rows[name][indices] = values[kept]
        self.rows["safe_cells"][indices] = -1
        self.stored += len(indices)
        for game, index in zip(np.flatnonzero(kept), indices, strict=True):
            self.since_guess[game].append(index)
        for game in np.flatnonzero((best_q < GUESS) | ~opened):
            self.since_guess[game].clear()

    def add_win(self, game: int, last: np.ndarray) -> None:
        """Labels the boards of a won game since its last guess: the covered cells of its `last` board are the mines.

        Earlier boards get no labels: only games whose guesses went well are won, so these would call each guess safe.
        """
        self.rows["safe_cells"][self.since_guess[game]] = last.reshape(-1) < HIDDEN


def loss_of(agent: Agent, replay: Replay, args: Args) -> torch.Tensor:
    """Returns the loss of a minibatch, in one of the 8 rotations and reflections."""
    random, device = replay.random, agent.head.weight.device
    batch = replay.rows[random.integers(min(replay.stored, len(replay.rows)), size=args.batch_size)]
    cells = np.arange(batch["board"][0].size).reshape(args.size)
    # The old number of the cell that moves to each place; argsort inverts it, and gives each old cell its new number.
    old_cells = np.rot90(cells if random.random() < 0.5 else cells[::-1], random.integers(4))
    clicked_cells = old_cells.argsort(None)[batch["cell"]]
    boards = torch.as_tensor(batch["board"].reshape(len(batch), -1)[:, old_cells], device=device)
    logits = agent(boards)
    clicked_logits = logits[np.arange(len(batch)), clicked_cells]
    target = batch["safe"].copy()  # The target of Q: was the click safe?
    if args.gamma > 0:  # And is the next click safe, and so on? After a win all are.
        next_q = agent.q(batch["next"], batch["next"].reshape(len(batch), -1) == HIDDEN).max(1)
        target = target * (1 - args.gamma + args.gamma * np.maximum(batch["ended"], next_q))
    loss = nn.functional.binary_cross_entropy_with_logits(clicked_logits, torch.as_tensor(target, device=device))
    if args.gamma == 0 and args.luck:  # Then 1 - Q is the chance of a mine, in every covered cell.
        safe_cells = torch.as_tensor(batch["safe_cells"][:, old_cells.ravel()], device=device)
        loss = loss + args.consistency * consistency_losses(logits, boards, agent.mines).mean()
        loss = loss + args.won_games * hindsight_losses(logits, boards, safe_cells, cells.size).mean()
    return loss


def options() -> Args:
    """Returns the options; exits with an error if one cannot work, or if a model would be overwritten."""
    parser = parser_of(Args, __doc__)
    args = Args(**vars(parser.parse_args()))
    if not (0 <= args.gamma < 1 and 0 < args.mines <= np.prod(args.size) - 9):
        parser.error("needs 0 <= gamma < 1 and 1 <= mines <= cells - 9")
    try:
        torch.zeros(1, device=args.device)
    except (RuntimeError, AssertionError) as error:
        parser.error(f"--device {args.device} cannot be used: {first_line(error)}")
    claim_model_folder(parser, args.out)
    return args


def main() -> None:
    """Prints the line that scores the agent, and trains it."""
    args, start_time = options(), time.monotonic()
    (rows, cols), policy = args.size, f"{__file__}:Agent:file={args.out}/model.pt"
    board = f"--size {rows}x{cols} --mines {args.mines}" + ("" if args.luck else " --no-luck")
    print(f"Any time: python evaluate.py --policy {policy} exact {board}", flush=True)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    agent = Agent(args.mines, None).to(args.device)
    optimizer = Muon(agent.parameters(), weight_decay=0.1)  # Learns faster than Adam in the first minutes
    env_options = {"size": args.size, "mines": args.mines, "luck": args.luck, "moves": ("click",)}
    env_options |= {"reward": "safe_click", "autoreset_mode": "SameStep"}
    env = gym.make_vec("minesweeper_env:Minesweeper-v0", args.num_envs, **env_options)
    boards, info = env.reset(seed=2**31 + 1_000_000 * args.seed)  # the seeds of test games are below 2**30
    replay = Replay(args)
    wins, curve, steps, progress = [0.0], [], 0, 0.0
    while progress < 1:
        # 1. Click the safest legal cell of each board. The luck of the boards explores enough.
        q = agent.q(boards, info["action_mask"])
        clicks = q.argmax(1)
        next_boards, rewards, ended, _, info = env.step(clicks)
        wins = [*wins, *rewards[ended]][-2000:]  # the last reward of a game is 1 if it is won, else 0
        # 2. Store what may teach something.
        replay.add(q, board=boards, next=next_boards, cell=clicks, safe=rewards, ended=ended)
        for won in np.flatnonzero(ended & (rewards > 0)):
            replay.add_win(won, info["final_obs"][won])
        boards, steps = next_boards, steps + args.num_envs
        if replay.stored < args.batch_size:
            continue
        # 3. Take a step down the gradient of the loss of a minibatch.
        loss = loss_of(agent, replay, args)
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - progress) * min(1, replay.stored / 4_000)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 1.0)
        optimizer.step()
        # 4. Log and save every ten seconds, and at the end.
        seconds = time.process_time() if args.cpu_minutes else time.monotonic() - start_time
        progress = max(seconds / 60 / (args.cpu_minutes or args.minutes), steps / args.steps)
        if progress >= 1 or not curve or seconds > curve[-1]["seconds"] + 10:
            curve.append({"steps": steps, "seconds": round(seconds, 1), "wins": round(float(np.mean(wins)), 4)})
            print(curve[-1], flush=True)
            save_model(agent, curve, args.out)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C keeps the weights saved last.
        main()
