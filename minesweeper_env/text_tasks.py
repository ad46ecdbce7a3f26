"""Tasks of one position for language models: a question about a board, the exact answer, and the score of a reply.

An entry has the shape of reasoning-gym. docs/how-to/grpo.md shows the tasks in training libraries.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any, overload

import numpy as np

from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import one_of, whole_number
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.reading import SAFE
from minesweeper_env.text import SPLITS, STYLES, board_rules, board_text, split_of
from minesweeper_env.text.questions import LEVELS, QUESTIONS, Position, choice
from minesweeper_env.text.replies import answer_of, plain
from minesweeper_env.text.reply_words import PLACEHOLDER

__all__ = ["KINDS", "LEVELS", "TextTasks"]

KINDS: tuple[str, ...] = tuple(QUESTIONS)
"""The kinds of tasks."""

_GAMES = 20_000
"""The number of games in whose positions the search for a task looks before it fails."""

_BODY = re.compile(
    r"<answer>((?:[^<]|<(?!/?answer>))*+)(</answer>)?+|\\boxed\s*+\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}"
)


class TextTasks(Sequence[dict[str, Any]]):
    """A sequence of tasks of one kind.

    Task i is a dict: "question", a text; "answer", a right reply; and "metadata", all that `score_answer` needs. A task
    depends on the arguments and i alone. Its position comes from a game in which each click is one of least risk. All
    that a task holds follows from its board: nothing tells where the mines of the game lay.
    """

    def __init__(
        self,
        kind: str = "safe_cell",
        *,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        level: str | None = None,
        split: str | None = None,
        seed: int = 0,
        n: int = 1000,
        style: str = "grid",
    ) -> None:
        """Checks the arguments.

        Args:
            kind: one of `KINDS`.
            size: side of a square board, or (rows, cols).
            mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
            level: the least reasoning that answers each question, one of `LEVELS` that the kind has; None for all.
            split: one of `minesweeper_env.text.SPLITS`, the part of the boards that tasks show; None for all. No board
                of one part, turned or mirrored, is in another.
            seed: a whole number from 0; other seeds give other tasks.
            n: the number of tasks.
            style: the form of the board, one of `minesweeper_env.text.STYLES`.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        self.kind, self.style = one_of("kind", kind, KINDS), one_of("style", style, STYLES)
        self._question = QUESTIONS[kind]
        self.level = None if level is None else one_of(f"level of {kind}", level, self._question.levels)
        self.split = None if split is None else one_of("split", split, SPLITS)
        self.seed, self._length = whole_number("seed", seed, 0), whole_number("n", n, 1)
        self._env = MinesweeperEnv(size, mines, moves=("click",))
        self.config = self._env.config

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        """Returns a task, or a list of them; raises a ValueError if no game has such a position."""
        selected = range(self._length)[index]
        return self._task(selected) if isinstance(selected, int) else [self._task(i) for i in selected]

    def _task(self, index: int) -> dict[str, Any]:
        facts = self._facts(Random(f"{self.seed} {index}"))
        board = np.array(facts["board"], np.int8)
        text = self._question.text.format(cell=tuple(facts.get("cell", ())))
        shown = board_text(board, self.config.mines, self.style)
        return {
            "question": f"{board_rules(self.config, self.style)}\n\n{shown}\n\n{text}",
            "answer": self._question.answer(facts),
            "metadata": {"kind": self.kind, "seed": self.seed, "index": index, **facts},
        }

    def _facts(self, rng: Random) -> dict[str, Any]:
        """Returns the facts of the first random position that suits the question, the level and the split."""
        for position in self._positions(rng):
            facts = None
            with suppress(PositionTooHardError):
                facts = self._question.pose(position, rng)
            if facts is None or self.level not in (None, facts["level"]):
                continue
            facts = {"board": position.codes.tolist(), "mines": position.mines, **facts}
            if self.split is None or self.split == split_of(np.array(facts["board"], np.int8)):
                return facts
        level = f" of level {self.level}" * (self.level is not None)
        raise ValueError(f"{_GAMES} games on {self.config.name} have no task {self.kind}{level}: choose another board")

    def _positions(self, rng: Random) -> Iterator[Position]:
        for _ in range(_GAMES):
            # The least number of open cells is random, so that not most tasks show first positions.
            min_open = rng.random() * (self.config.cells - self.config.mines)
            with suppress(PositionTooHardError):
                yield from (position for position in self._game(rng) if (position.codes < FLAGGED).sum() >= min_open)

    def _game(self, rng: Random) -> Iterator[Position]:
        """Yields the positions of one game after its clicks: a random first one, then clicks of least risk."""
        self._env.reset(seed=rng.getrandbits(32))
        codes, _, over, _, _ = self._env.step(choice(rng, range(self.config.cells)))
        while not over:
            yield (position := Position(codes, self.config.mines))
            safe = np.flatnonzero(position.by_single_numbers == SAFE)
            codes, _, over, _, _ = self._env.step(choice(rng, safe if safe.size else position.least_risky))

    @staticmethod
    def score_answer(answer: str | None, entry: dict[str, Any]) -> float:
        r"""Returns the score of a reply, from 0 to 1; never raises on any text.

        The last `<answer>` or `\boxed{}` counts, or else the whole reply. An `<answer>` without an end counts only if
        nothing else does. Thinking does not count.

        | kind | score |
        |---|---|
        | safe_cell, possible | 1 for a right answer |
        | all_safe, all_mines | right cells less wrong ones, as a share of all right ones; at least 0 |
        | best_guess | 1 - 10 times the risk above the least; at least 0 |
        | probability | 1 - 10 times the error of the last number; at least 0 |
        """
        text, facts = plain(answer_of(answer or "")), entry["metadata"]
        found = [(bool(end or box), tag + box) for tag, end, box in _BODY.findall(text.replace(PLACEHOLDER, ""))]
        # Bodies with an end come last, and all keep their order otherwise.
        bodies = [body for has_end, body in sorted(found, key=lambda pair: pair[0]) if body.strip(" ,\n")]
        return QUESTIONS[facts["kind"]].score(bodies[-1] if bodies else text, facts)

    def solution(self, entry: dict[str, Any]) -> str:
        """Returns a text that solves a task, to train on: the reasons, and the answer in the form that is asked for."""
        facts = entry["metadata"]
        reasons = self._question.reasons(np.array(facts["board"], np.int8), facts)
        return "\n".join([*reasons, f"<answer>{entry['answer']}</answer>"])
