"""OpenEnv server of text games: `uvicorn minesweeper_text.openenv:app`; each session plays its own game.

MINESWEEPER_SESSIONS sets the largest number of sessions; MINESWEEPER_IDLE_SECONDS sets when an idle session ends.
"""

import os
from typing import Any
from uuid import uuid4

from fastapi import Request
from fastapi.responses import JSONResponse
from gymnasium.error import ResetNeeded
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import ConcurrencyConfig, State

from minesweeper_env.config import one_of, whole_number
from minesweeper_env.text import SPLITS, TextGame
from minesweeper_text.arguments import served_arguments
from minesweeper_text.openenv_client import MinesweeperAction, MinesweeperObservation

TASKS = 10_000
"""The number of tasks of each split: games of the seeds 0 to 9999, whose first click is in the middle of the board."""


class MinesweeperEnvironment(Environment[MinesweeperAction, MinesweeperObservation, State]):
    """A game of `TextGame`. The options of a reset are the arguments of `TextGame`, or a task: a split and an index."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game, self._state = TextGame(), State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int | None = None, **options: Any
    ) -> MinesweeperObservation:
        """Starts the game of a seed, or that of a task; raises a ValueError for options that are not allowed."""
        if index is not None:
            seed, options = whole_number("index", index, 0, TASKS - 1), {"opened": "middle", **options}
        self._game, self._state = TextGame(**served_arguments(**options)), State(episode_id=episode_id or str(uuid4()))
        text, _ = self._game.reset(seed=seed)
        return MinesweeperObservation(text=text, prompt=self._game.prompt(), reward=0.0)

    def step(
        self,
        action: MinesweeperAction,
        timeout_s: float | None = None,  # noqa: ARG002 - the signature is OpenEnv's
        **options: Any,  # noqa: ARG002
    ) -> MinesweeperObservation:
        """Makes the move of a reply; returns the next board, the reward, and whether the game is over."""
        text, reward, terminated, truncated, info = self._game.step(action.reply)
        self._state.step_count += 1
        outcome = {"illegal": info["illegal"], "won": info["is_success"]}
        return MinesweeperObservation(text=text, done=terminated or truncated, reward=reward, **outcome)

    def list_splits(self) -> list[str]:
        """Returns the names of the splits."""
        return [*SPLITS]

    def num_tasks(self, split: str) -> int:
        """Returns the number of tasks, equal for all splits; raises a ValueError that names the splits."""
        one_of("split", split, SPLITS)
        return TASKS

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Returns a task, whose "split" and "index" `reset` takes; raises an IndexError behind the last one."""
        return {"id": f"{split}-{index}", "split": split, "index": range(self.num_tasks(split))[index]}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Returns the tasks from `start` up to but not including `stop`, as a slice counts them."""
        return [self.get_task(split, index) for index in range(self.num_tasks(split))[start:stop]]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Returns the first hundred tasks of a split."""
        return self.get_task_range(split, 0, 100)

    @property
    def state(self) -> State:
        """The number of replies; it holds no mines."""
        return self._state


limits = ConcurrencyConfig(
    max_concurrent_envs=int(os.environ.get("MINESWEEPER_SESSIONS", "64")),
    session_timeout=float(os.environ.get("MINESWEEPER_IDLE_SECONDS", "3600")),
)
app = create_fastapi_app(
    MinesweeperEnvironment,
    MinesweeperAction,
    MinesweeperObservation,
    concurrency_config=limits,
    env_name="minesweeper",
)


@app.exception_handler(ResetNeeded)
def refuse_step(_: Request, error: ResetNeeded) -> JSONResponse:
    """Answers a step without a game. Every step by HTTP is one, because each request gets an environment of its own."""
    return JSONResponse({"detail": f"{error}; a game needs the session of a WebSocket, /ws"}, 409)


@app.exception_handler(TypeError)
@app.exception_handler(ValueError)
def refuse_reset(_: Request, error: Exception) -> JSONResponse:
    """Answers a reset with options that `TextGame` refuses."""
    return JSONResponse({"detail": str(error)}, 422)
