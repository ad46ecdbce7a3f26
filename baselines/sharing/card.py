"""Model card of an agent: what it is, its boards, its win rates, how to load it, and its licence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from baselines.evaluation.intervals import wilson_interval
from baselines.hub.names import HubName
from baselines.sharing.contents import description_of, run_of
from baselines.support.board_names import board_name, no_guess_name
from baselines.support.structs import Agent, Results
from minesweeper_env.texts import markdown, markdown_code

HEAD = """---
license: {licence}
library_name: minesweeper-env
pipeline_tag: reinforcement-learning
tags:
- reinforcement-learning
- minesweeper
- gymnasium
- safetensors
---
# {title}
"""

Line = tuple[str, int, int, str, float, Sequence[float]]
"""Board, number of games, first seed, kind of games, win rate, interval."""


def model_card(
    name: HubName, contents: dict[str, bytes], licence: str, results: Sequence[Results], played_as: set[str]
) -> str:
    """Returns the text of the card.

    Args:
        name: repository and branch that the agent is sent to.
        contents: the checked files of the agent.
        licence: identifier of the licence, such as "mit".
        results: JSON files of `evaluate.py`.
        played_as: the names that the agent has in the results.
    """
    agent = description_of(contents)
    parts = [
        HEAD.format(licence=licence, title=name.repository.partition("/")[2]),
        _what(agent),
        "## Load it\n\n" + _how(name),
        "## Win rates\n\n" + _table([*_measured(results, played_as), *_selection(agent)]),
        "## Training\n\n" + _training(agent, contents),
        f"## Licence\n\n{licence}",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _what(agent: Agent) -> str:
    trained_on = agent.trained_on
    algorithm = f"by {markdown_code(agent.algo)} of the package minesweeper-env"
    boards = markdown(", ".join(trained_on.boards))
    return (
        f"An agent for Minesweeper, trained {algorithm} on the boards {boards} (rows x columns / mines), first click "
        f'"{markdown(trained_on.first_click)}". It loads on boards of any size.'
    )


def _how(name: HubName) -> str:
    command = f"minesweeper evaluate --policy {name} exact"
    lines = ["```sh", "pip install 'minesweeper-env[train,hub]'", command, "```", ""]
    lines.append(
        "A commit in place of the branch names exactly these weights. They are safetensors, without pickled code."
    )
    return "\n".join(lines)


def _selection(agent: Agent) -> Iterator[Line]:
    """Yields the selection games of the training."""
    if (kept := agent.selected_by) is None:
        return
    games = kept["games"]
    for part, rate in kept["win_rates"].items():
        interval = wilson_interval(round(rate * games), games)
        yield part, games, kept["first_seed"], "selection", rate, interval


def _measured(results: Sequence[Results], played_as: set[str]) -> Iterator[Line]:
    """Yields the rows of the agent in results of policies and of suites."""
    for content in results:
        for board in content.boards:
            config = board.config
            title = board_name(*config.size, config.mines) + no_guess_name(config.no_guess)
            for row in board.results:
                if row.policy in played_as:
                    part = f'{title}, first click "{config.first_click}"'
                    yield part, row.games, content.seed, "test", row.win_rate, row.ci95


def _table(rows: Sequence[Line]) -> str:
    if not rows:
        return "None were measured."
    lines = ["| board | games | n | seeds | win rate | 95 % Wilson interval |", "|---|---|--:|---|--:|--:|"]
    for part, games, seed, kind, rate, (low, high) in rows:
        seeds = f"{seed} to {seed + games - 1}"
        lines.append(f"| {markdown(part)} | {kind} | {games} | {seeds} | {rate:.1%} | {low:.1%} to {high:.1%} |")
    note = "Selection games chose this agent among its earlier versions, so their win rates are slightly too high."
    return "\n".join([*lines, "", note])


def _training(agent: Agent, contents: Mapping[str, bytes]) -> str:
    steps = agent.selected_by and agent.selected_by["steps"]
    lines = [f"- step {steps}, {agent.channels} channels, depth {agent.depth}"]
    commands = [session.get("command") for session in run_of(contents).sessions]
    lines += [f"- {markdown_code(command)}" for command in commands if command]
    return "\n".join(lines)
