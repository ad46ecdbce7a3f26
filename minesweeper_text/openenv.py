"""Server and client of OpenEnv: `uvicorn minesweeper_text.openenv:app`; each session plays its own game."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from minesweeper_env.text import TextGame


class MinesweeperAction(Action):
    """The reply of a model, with one move."""

    reply: str = Field(description="Text with one move, such as <move>open 3 4</move>")


class MinesweeperObservation(Observation):
    """The board as text, with what the last reply did; after a reset the rules as well."""

    text: str = ""
    prompt: str = ""
    illegal: bool = False


class MinesweeperState(State):
    """The progress of a game; it holds no mines."""

    illegal: int = 0
    won: bool = False


class MinesweeperEnvironment(Environment[MinesweeperAction, MinesweeperObservation, MinesweeperState]):
    """A game of `TextGame`. The options of a reset are the arguments of `TextGame`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        """Prepares; `reset` starts a game."""
        super().__init__()
        self._game: TextGame | None = None
        self._state = MinesweeperState(episode_id=str(uuid4()))

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> MinesweeperObservation:
        """Starts the game of a seed; raises a ValueError for options that `TextGame` refuses."""
        if isinstance(options.get("size"), list):
            options["size"] = tuple(options["size"])
        game = TextGame(**options)
        text, _ = game.reset(seed=seed)
        self._game, self._state = game, MinesweeperState(episode_id=episode_id or str(uuid4()))
        return MinesweeperObservation(text=text, prompt=game.prompt(), done=False, reward=0.0)

    def step(
        self,
        action: MinesweeperAction,
        timeout_s: float | None = None,  # noqa: ARG002 - the signature is OpenEnv's
        **options: Any,  # noqa: ARG002
    ) -> MinesweeperObservation:
        """Makes the move of a reply."""
        if self._game is None:
            raise ValueError("no game has begun: send reset in this session first")
        text, reward, terminated, truncated, info = self._game.step(action.reply)
        self._state.step_count += 1
        self._state.illegal += info["illegal"]
        self._state.won = info["is_success"]
        done = terminated or truncated
        return MinesweeperObservation(text=text, illegal=info["illegal"], done=done, reward=reward)

    @property
    def state(self) -> MinesweeperState:
        """The progress of the game."""
        return self._state


class MinesweeperClient(EnvClient[MinesweeperAction, MinesweeperObservation, MinesweeperState]):
    """A session with a server: `with MinesweeperClient(base_url="http://127.0.0.1:8000").sync() as client`."""

    def _step_payload(self, action: MinesweeperAction) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[MinesweeperObservation]:
        ending = {name: payload.get(name) for name in ("done", "reward")}
        observation = MinesweeperObservation(**{**payload["observation"], **ending})
        return StepResult(observation=observation, **ending)

    def _parse_state(self, payload: dict[str, Any]) -> MinesweeperState:
        return MinesweeperState(**payload)


app = create_fastapi_app(MinesweeperEnvironment, MinesweeperAction, MinesweeperObservation, max_concurrent_envs=64)
"""The server."""
