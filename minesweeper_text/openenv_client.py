"""OpenEnv client of the server in `minesweeper_text.openenv`, with its actions and observations."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class MinesweeperAction(Action):
    """The reply of a model, with one move."""

    reply: str = Field(description="Text with one move, such as <move>open 3 4</move>")


class MinesweeperObservation(Observation):
    """The board as text, with what the last reply did; after a reset the rules as well."""

    text: str = ""
    prompt: str = ""
    illegal: bool = False
    won: bool = False


class MinesweeperClient(EnvClient[MinesweeperAction, MinesweeperObservation, State]):
    """A session of its own on a server; `MinesweeperClient(base_url=...).sync()` is for use without `await`."""

    def _step_payload(self, action: MinesweeperAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[MinesweeperObservation]:
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = MinesweeperObservation(**{**payload["observation"], "reward": reward, "done": done})
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
