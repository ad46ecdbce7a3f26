"""Minesweeper for TRL: games for the `environment_factory` of `GRPOTrainer`, data rows, and reward functions.

docs/how-to/grpo.md trains with them. This module needs no TRL.
"""

import json
from collections.abc import Sequence
from typing import Any

from minesweeper_env.text import TextGame
from minesweeper_env.text.replies import tool_call
from minesweeper_env.text_tasks import TextTasks

__all__ = ["MinesweeperEnv", "MinesweeperFlagsEnv", "game_rows", "task_reward", "task_rows", "win_reward"]


def game_rows(games: int, first_seed: int = 1 << 31, **arguments: Any) -> list[dict[str, Any]]:
    """Returns rows for `Dataset.from_list`, one for each game: its prompt, its seed, and the arguments of `TextGame`.

    The middle is open unless `opened` says otherwise, so that all generations of a group play one board. The arguments
    are JSON, because a data set of mixed games would fill missing columns with None. Raises a ValueError for arguments
    that `TextGame` refuses.
    """
    arguments = {"opened": "middle", **arguments}
    prompt = TextGame(**arguments).prompt(tools=True)
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": ""}]
    arguments_json = json.dumps(arguments)
    return [{"prompt": messages, "seed": first_seed + game, "arguments": arguments_json} for game in range(games)]


def task_rows(tasks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns rows for `Dataset.from_list`, one for each task; tasks of several kinds may be joined."""
    return [
        {"prompt": [{"role": "user", "content": task["question"]}], "metadata": json.dumps(task["metadata"])}
        for task in tasks
    ]


def task_reward(completions: Sequence[Any], metadata: Sequence[str], **columns: Any) -> list[float]:  # noqa: ARG001
    """A reward function: returns the scores, 0 to 1, of completions (texts or conversations) on rows of `task_rows`."""
    pairs = zip(map(_reply_text, completions), map(json.loads, metadata), strict=True)
    return [TextTasks.score_answer(reply, {"metadata": facts}) for reply, facts in pairs]


def _reply_text(completion: Any) -> str:
    """Returns the text of a completion, or of the last message of a conversation, whose content may come in parts."""
    content = completion[-1]["content"] if completion and not isinstance(completion, str) else completion
    parts = content if isinstance(content, list) else [content]
    return "".join(str(part.get("text") or "") if isinstance(part, dict) else str(part or "") for part in parts)


def win_reward(environments: Sequence["MinesweeperEnv"], **columns: Any) -> list[float]:  # noqa: ARG001
    """A reward function: returns 1.0 for each won game, else 0.0; its mean, which TRL logs, is the win rate."""
    return [float(environment._won) for environment in environments]


class MinesweeperEnv:
    """A game of `TextGame`, whose moves are calls of the tool `open`; TRL describes a tool by its docstring."""

    def __init__(self) -> None:
        self._game = TextGame()
        self._reward, self._won = 0.0, False

    def reset(self, seed: int, prompt: Any = None, arguments: str = "{}", **columns: Any) -> str:  # noqa: ARG002
        """Starts the game of a row of `game_rows`; returns its board, or raises a ValueError for wrong arguments.

        Other columns are arguments of `TextGame`, too; a column of None counts as absent.
        """
        options = {name: value for name, value in columns.items() if value is not None}
        self._game = TextGame(**json.loads(arguments), **options)
        self._reward, self._won = 0.0, False
        return self._game.reset(seed=seed)[0]

    def open(self, row: int, col: int) -> str:
        """Open a covered cell of the board.

        Args:
            row: The row of the cell, counted from 0 at the top.
            col: The column of the cell, counted from 0 at the left.

        Returns:
            What the move did, and the board.
        """
        return self._move("open", row, col)

    def get_reward(self) -> float:
        """Returns the reward of the game so far; a game without an end counts as given up."""
        self._reward += self._game.weigh(self._game.give_up())  # nothing once the game is over
        return self._reward

    def _move(self, verb: str, row: int, col: int) -> str:
        if self._game.over:
            return "The game is over."
        text, reward, _, _, info = self._game.step(tool_call(verb, {"row": row, "col": col}))
        self._reward, self._won = self._reward + reward, info["is_success"]
        return text


class MinesweeperFlagsEnv(MinesweeperEnv):
    """A game with `moves=("open", "flag")`."""

    def flag(self, row: int, col: int) -> str:
        """Set a flag on a covered cell, or remove it.

        Args:
            row: The row of the cell, counted from 0 at the top.
            col: The column of the cell, counted from 0 at the left.

        Returns:
            What the move did, and the board.
        """
        return self._move("flag", row, col)
