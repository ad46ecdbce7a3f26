"""MaskablePPO of sb3-contrib in one file: learns 8x8 with 14 mines on one core, and scores with one line.

    python examples/ppo_sb3.py --minutes 15 --seed 1 --out runs/ppo_sb3/1
    python evaluate.py --policy examples/ppo_sb3.py:Agent:file=runs/ppo_sb3/1/model.pt exact --games 10000

The discount `gamma` is 0 by default: a click is judged by whether it was safe, not by the luck of all later clicks.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from baselines.cli.command import claim_model_folder, parser_of, positive_number
from baselines.learned.common.tensor_files import save_model, saved

HIDDEN = 11  # the code of a covered cell
CHANNELS, DEPTH = 32, 4
CPU = getattr(torch.cpu, "get_capabilities", dict)()
BFLOAT16 = bool(CPU.get("avx512_bf16") or CPU.get("amx_bf16"))  # halves the time there; elsewhere it is far slower


@dataclass
class Args:
    """Options of the command line, each with its meaning."""

    out: Annotated[Path, "folder of model.pt and curve.json"] = Path("runs/ppo_sb3/1")
    seed: Annotated[int, "seed of the weights and of the training games"] = 1
    minutes: Annotated[float, "wall time of the training", positive_number] = 15.0
    cpu_minutes: Annotated[float | None, "processor time of the command, in place of --minutes", positive_number] = None
    steps: Annotated[int, "clicks to learn from, if they take less time"] = 1_000_000_000
    size: Annotated[tuple[int, int], "board, such as 8 or 16x30; the mines do not follow"] = (8, 8)
    mines: Annotated[int, "mines of the board"] = 14
    gamma: Annotated[float, "discount of the next click, up to 1"] = 0.0
    num_envs: Annotated[int, "games side by side"] = 256
    n_steps: Annotated[int, "clicks of each game between two updates"] = 8
    batch_size: Annotated[int, "clicks of each step down the gradient"] = 128
    learning_rate: Annotated[float, "its height at the start; it falls to 0 over the training", positive_number] = 2e-3


class Features(BaseFeaturesExtractor):
    """Maps boards to CHANNELS features of each cell: one residual block, applied again and again."""

    def __init__(self, observation_space: spaces.Box, mines: int) -> None:
        super().__init__(observation_space, CHANNELS * int(np.prod(observation_space.shape)))
        self.mines = mines
        self.stem = nn.Conv2d(13, CHANNELS, 3, padding=1)
        self.first, self.second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(2))
        self.pooled = nn.Linear(CHANNELS, CHANNELS)
        self.to(memory_format=torch.channels_last)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Maps (N, rows, cols) codes, which Stable-Baselines3 has made floats, to (N, CHANNELS * rows * cols)."""
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
        return x.float().flatten(1)


class BoardPolicy(MaskableActorCriticPolicy):
    """One logit per cell from the features of that cell, and the value from their mean."""

    def __init__(self, *spaces_and_rate: object, mines: int, **options: object) -> None:
        options |= {"features_extractor_class": Features, "features_extractor_kwargs": {"mines": mines}}
        super().__init__(*spaces_and_rate, **options, net_arch=[], ortho_init=False)

    def _build(self, lr_schedule: object) -> None:
        super()._build(lr_schedule)  # Linear heads, which would learn each cell apart, give way to convolutional ones.
        cells = nn.Unflatten(1, (CHANNELS, *self.observation_space.shape))
        self.action_net = nn.Sequential(cells, nn.Conv2d(CHANNELS, 1, 1), nn.Flatten())
        self.value_net = nn.Sequential(cells, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(CHANNELS, 1))
        self.optimizer = self.optimizer_class(self.parameters(), lr_schedule(1), **self.optimizer_kwargs)


class Agent:
    """Clicks the legal cell with the highest logit; evaluate.py makes it."""

    batch_size = 256  # games that evaluate.py plays side by side

    def __init__(self, size: tuple[int, int], mines: int, file: str, **_: object) -> None:
        board, clicks = spaces.Box(0, 12, size, np.int8), spaces.Discrete(size[0] * size[1])
        self.policy = BoardPolicy(board, clicks, lambda _: 0.0, mines=mines)
        with saved(file) as weights:
            self.policy.load_state_dict(weights)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns the clicks, (N,) int64, for (N, rows, cols) codes and (N, rows * cols) masks."""
        clicks = self.policy.predict(observations, action_masks=action_masks, deterministic=True)[0]
        # At discount 0 no first click beats another, since each one is safe: click the middle.
        rows, cols = observations.shape[1:]
        return np.where((observations == HIDDEN).all((1, 2)), rows // 2 * cols + cols // 2, clicks)


class Clock(BaseCallback):
    """Ends the training after its time; saves, and logs the win rate of the last 2000 training games."""

    def __init__(self, args: Args) -> None:
        super().__init__()
        self.args, self.curve, self.begin = args, [{"seconds": 0.0}], time.monotonic()

    def seconds(self) -> float:
        """Returns the seconds since the start."""
        return time.process_time() if self.args.cpu_minutes else time.monotonic() - self.begin

    def remaining(self) -> float:
        """Returns the remaining fraction of the time, 1 to 0."""
        return max(0.0, 1 - self.seconds() / 60 / (self.args.cpu_minutes or self.args.minutes))

    def _on_step(self) -> bool:
        return self.remaining() > 0

    def _on_rollout_start(self) -> None:
        if self.seconds() > self.curve[-1]["seconds"] + 10:  # Every 10 seconds it logs and saves as at the end.
            self._on_training_end()

    def _on_training_end(self) -> None:
        wins, seconds = float(np.mean(self.model.ep_success_buffer or [0.0])), round(self.seconds(), 1)
        self.curve.append({"steps": self.num_timesteps, "seconds": seconds, "wins": round(wins, 4)})
        print(self.curve[-1], flush=True)
        save_model(self.model.policy, self.curve[1:], self.args.out)


def main() -> None:
    """Prints the line that scores the agent, and trains it."""
    parser = parser_of(Args, __doc__)
    args = Args(**vars(parser.parse_args()))
    if not (0 <= args.gamma <= 1 and 0 < args.mines <= np.prod(args.size) - 9):
        parser.error("needs 0 <= gamma <= 1 and 1 <= mines <= cells - 9")
    claim_model_folder(parser, args.out)
    torch.set_num_threads(1)
    # 1. The games, one by one; the batched environment would save 4 % of the time.
    board = {"size": args.size, "mines": args.mines, "moves": ("click",), "reward": "safe_click"}
    env = make_vec_env("minesweeper_env:Minesweeper-v0", args.num_envs, env_kwargs=board)
    # 2. The agent. One pass over each rollout: fresh clicks teach more than old ones. The learning rate falls to 0.
    clock = Clock(args)
    model = MaskablePPO(
        BoardPolicy, env, lambda remaining: args.learning_rate * min(remaining, clock.remaining()),
        n_steps=args.n_steps, batch_size=args.batch_size, n_epochs=1, gamma=args.gamma, ent_coef=0.01,
        stats_window_size=2000, policy_kwargs={"mines": args.mines}, seed=args.seed,
    )  # fmt: skip
    env.seed(2**31 + 1_000_000 * args.seed)  # The model has seeded the games with seeds of test games, below 2**30.
    (rows, cols), policy = args.size, f"{__file__}:Agent:file={args.out}/model.pt"
    print(f"Any time: python evaluate.py --policy {policy} exact --size {rows}x{cols} --mines {args.mines}", flush=True)
    model.learn(args.steps, clock)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C keeps the weights saved last.
        main()
