"""Task of Inspect: `inspect eval minesweeper_text/inspect_task.py --model NAME`; one sample per game."""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from minesweeper_env.text import TextGame, shortened
from minesweeper_env.text.replies import tool_call
from minesweeper_text.arguments import game_arguments

FIGURES = ("win", "illegal", "unsound", "excess_risk")
"""The scores of a game: its win, its numbers of illegal replies and of unsound clicks, and the sum of excess risk."""


@task
def minesweeper(
    games: int = 100,
    first_seed: int = 0,
    rows: int = 5,
    cols: int = 5,
    mines: int = 5,
    no_guess: str = "exact",
    luck: bool = True,
    style: str = "grid",
    opened: str | None = None,
    flags: bool = False,
    max_turns: int | None = None,
    split: str | None = None,
    history: int | None = None,
) -> Task:
    """Returns a task of games with consecutive seeds; `no_guess` is "exact", "subset", or "no" (for `luck=False`).

    A request holds the last `history` exchanges before the board; None sends all.
    """
    options: dict[str, Any] = {"style": style, "opened": opened, "max_turns": max_turns, "split": split}
    arguments = game_arguments(rows, cols, no_guess, flags, mines=mines, luck=luck, **options)
    samples = []
    for seed in range(first_seed, first_seed + games):
        game = TextGame(**arguments)
        messages = [ChatMessageSystem(content=game.prompt()), ChatMessageUser(content=game.reset(seed=seed)[0])]
        samples.append(Sample(id=f"seed-{seed}", input=messages, target="win", metadata={"seed": seed}))
    return Task(dataset=MemoryDataset(samples, name="minesweeper"), solver=play(arguments, history), scorer=outcome())


@solver
def play(arguments: dict[str, Any], history: int | None = None) -> Solver:
    """Returns a solver that answers each move of the model with the next board, to the end of the game.

    A limit of Inspect ends a game as not won. The solver stores the figures of the game after each reply, so that
    Inspect scores them after a limit too.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        game = TextGame(**arguments)
        game.reset(seed=state.metadata["seed"])
        figures = dict.fromkeys(FIGURES, 0.0)
        state.store.set("figures", figures)
        while not game.over and not state.completed:
            state.messages = shortened(state.messages, history)
            state = await generate(state, tool_calls="none")
            if calls := state.output.message.tool_calls:  # Some models call a tool although none is offered.
                state.messages[-1] = ChatMessageAssistant(content=tool_call(calls[-1].function, calls[-1].arguments))
            is_whole = state.output.stop_reason not in ("max_tokens", "model_length", "content_filter")
            text, _, _, _, info = game.step(state.messages[-1].text if is_whole else "")  # A cut reply is no decision.
            figures["win"] = float(info["is_success"])
            figures["illegal"] += info["illegal"]
            figures["unsound"] += not info.get("sound", True)
            figures["excess_risk"] += info.get("excess_risk", 0.0)
            state.store.set("figures", figures)
            state.messages.append(ChatMessageUser(content=text))
        return state

    return solve


@scorer(metrics={name: [mean(), stderr()] for name in FIGURES})
def outcome() -> Scorer:
    """Returns a scorer with the figures of each game."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the signature is Inspect's
        return Score(value=state.store.get("figures"), answer="won" if state.store.get("figures")["win"] else "not won")

    return score
