"""Taskset and environment for verifiers: `vf-eval minesweeper_text`; the moves are text or tool calls."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from minesweeper_env.text import REWARDS, TextGame, shortened
from minesweeper_env.text.replies import tool_call
from minesweeper_text.arguments import game_arguments

ARGUMENTS = ("rows", "cols", "mines", "no_guess", "luck", "flags", "style", "opened", "max_turns", "split")
"""The fields of the configuration from which the arguments of the games come."""

NUMBERS = {name: {"type": "integer"} for name in ("row", "col")}
PARAMETERS = {"type": "object", "properties": NUMBERS, "required": list(NUMBERS)}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": text, "parameters": PARAMETERS}}
    for name, text in (("open", "Open a cell."), ("flag", "Set or remove a flag."))
]


class PlayerData(vf.TaskData):
    """What the harness reads of a task: how many of `TOOLS` it offers, and the `history` that `shortened` takes."""

    tools: int = 0
    history: int | None = None


class GameData(PlayerData):
    """One game: its seed, and the arguments of its `TextGame`."""

    seed: int
    arguments: dict[str, Any]


class GameTask(vf.Task[GameData]):
    """A game; the environment records its rewards and metrics."""


class MinesweeperConfig(vf.TasksetConfig):
    """Games, and the weights of the rewards that `TextGame` explains; seeds of training begin at 2**31."""

    games: int = 100
    first_seed: int = 1 << 31
    rows: int = 5
    cols: int = 5
    mines: int = 5
    no_guess: Literal["no", "subset", "exact"] = "exact"
    luck: bool = True
    style: str = "grid"
    tools: bool = False
    opened: str | None = None
    flags: bool = False
    max_turns: int | None = None
    split: str | None = None
    history: int | None = None
    win: float = 1.0
    progress: float = 0.0
    risk: float = 0.0
    sound: float = 0.0
    form: float = 0.0


class MinesweeperTaskset(vf.Taskset[GameTask, MinesweeperConfig]):
    """One task per game; the seeds follow each other."""

    def load(self) -> Iterator[GameTask]:
        """Yields the tasks."""
        config = self.config
        arguments = game_arguments(**{name: getattr(config, name) for name in ARGUMENTS})
        arguments["reward"] = {name: getattr(config, name) for name in REWARDS}
        for seed in range(config.first_seed, config.first_seed + config.games):
            game = TextGame(**arguments)
            board, _ = game.reset(seed=seed)
            prompt = [vf.SystemMessage(content=game.prompt(config.tools)), vf.UserMessage(content=board)]
            fields = {"arguments": arguments, "tools": config.tools * len(game.moves), "history": config.history}
            data = GameData(name=f"seed-{seed}", seed=seed, prompt=prompt, **fields)
            yield GameTask(data, config.task)


class MinesweeperEnvConfig(vf.EnvConfig):
    """The player asks the model from this process; no sandbox is needed."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class MinesweeperEnv(vf.Env[MinesweeperEnvConfig]):
    """The environment plays the user: it answers each move with the next board."""

    async def run(self, task: GameTask, agents: Any) -> None:
        """Plays the game of a task, and records the sum of each reward with its weight."""
        game = TextGame(**task.data.arguments)
        game.reset(seed=task.data.seed)
        totals = Counter(dict.fromkeys((*REWARDS, "illegal"), 0.0))
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                # The move is the last tool call or, without calls, the text; a reply cut by a limit is no move.
                calls = segment.messages[-1].tool_calls or [] if segment.messages else []
                reply = tool_call(calls[-1].name, calls[-1].arguments) if calls else segment.last_reply
                reply = "" if interaction.trace.is_truncated else reply
                text, _, terminated, truncated, info = game.step(reply)
                totals.update(info["rewards"])
                totals["illegal"] += info["illegal"]
                if terminated or truncated:
                    break
                # The protocol wants an answer to each call.
                answers = [{"role": "tool", "tool_call_id": call.id, "content": text} for call in calls]
                segment = await interaction.turn(answers or text)
            totals.update(game.give_up())  # of a game that a limit of the library ended
        interaction.trace.record_metric("illegal", totals["illegal"])
        for name, weight in task.data.arguments["reward"].items():
            interaction.trace.record_reward(name, totals[name], weight)


class MinesweeperHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model from this process, with one request for each turn."""

    SUPPORTS_RESUME, EXECUTES_CODE, NEEDS_CONTAINER = True, False, False

    async def launch(  # noqa: D102 - verifiers describes it
        self,
        ctx: Any,
        trace: vf.Trace,  # noqa: ARG002
        runtime: Any,  # noqa: ARG002
        endpoint: str,
        secret: str,
        mcp_urls: Any,  # noqa: ARG002
        data: PlayerData,
    ) -> vf.ProgramResult:
        messages: Any = shortened([message_to_wire(message) for message in data.prompt or []], data.history)
        if data.history is not None and messages[1]["role"] == "tool":  # Its call went with the older messages.
            messages[1] = {"role": "user", "content": messages[1]["content"]}
        tools: Any = {"tools": TOOLS[: data.tools]} if data.tools else {}
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages, **tools)
        return vf.ProgramResult(0, "", "")
