"""`python -m baselines push`: send an agent to the Hugging Face hub, with a model card."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from baselines.cli.arguments import Parser, parse_path
from baselines.cli.command import Command, Work
from baselines.cli.start import announce
from baselines.evaluation.intervals import wilson_interval
from baselines.hub import (
    DEFAULT_REVISION,
    LIMITS,
    MIB,
    PREFIX,
    RUN,
    HubName,
    check_sizes,
    is_hub_name,
    parse_hub_name,
)
from baselines.registry import AGENT_FILE, agent_folder, agent_names
from baselines.support.board_names import board_name, no_guess_name
from baselines.support.extras import check_extra
from baselines.support.structs import Agent, Run, read_as, read_results
from minesweeper_env.texts import markdown, markdown_code

LICENCE = "mit"
CARD = "README.md"
EXAMPLES = """\
{0} runs/mine user/my-agent --dry-run
{0} runs/mine user/my-agent --private --results results.json"""


def _prepare(options: argparse.Namespace) -> Work:
    name = _check(options)
    action = "List what would be sent" if options.dry_run else "Check and send the agent"
    announce(f"{action} of {options.agent} to {name}")
    return partial(_send, options, name, _contents(options, name))


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("agent", metavar="RUN_FOLDER_OR_AGENT", help="send the agent of this run folder or name")
    parser.add_argument(
        "repository", metavar="USER/REPO", help="send the agent to this repository, and create it if it is missing"
    )
    parser.add_argument("--private", action="store_true", help="make a new repository private (default public)")
    parser.add_argument(
        "--revision",
        default=DEFAULT_REVISION,
        metavar="BRANCH",
        help="send the agent to this branch, and create it if it is missing",
    )
    parser.add_argument("--message", metavar="TEXT", help="describe the commit (default: the agent's name)")
    parser.add_argument(
        "--license",
        default=LICENCE,
        metavar="ID",
        help="state this licence in the card, by its identifier on the hub",
    )
    parser.add_argument(
        "--results",
        nargs="+",
        type=parse_path,
        metavar="FILE",
        help="state the win rates of the agent in these JSON files of evaluate.py, too",
    )
    parser.add_argument("--dry-run", action="store_true", help="show the files and the card, and send nothing")


def _check(options: argparse.Namespace) -> HubName:
    """Checks what needs no heavy import; returns the repository and the branch."""
    text = f"{PREFIX}{options.repository}@{options.revision}"
    if "@" in options.repository or not is_hub_name(text):
        raise ValueError(f"write the repository as USER/REPO and the branch as --revision BRANCH, not {text!r}")
    name = parse_hub_name(text)
    if name.is_pinned:
        raise ValueError("an agent is sent to a branch, and --revision names a commit")
    for module, extra in (("huggingface_hub", "hub"), ("torch", "train"), ("safetensors", "train")):
        check_extra(module, extra)
    return name


def _contents(options: argparse.Namespace, name: HubName) -> dict[str, bytes]:
    """Returns all files to send, with the card."""
    folder = None if is_hub_name(options.agent) else agent_folder(options.agent)
    if folder is None:
        shipped = ", ".join(agent_names())
        raise ValueError(f"{options.agent} is no run folder with {AGENT_FILE}, and no shipped agent ({shipped})")
    contents = read_contents(folder)
    played_as = {options.agent, str(folder), str(Path(options.agent))}
    measured = [row for path in options.results or () for row in _measured(path, played_as)]
    return contents | {CARD: model_card(name, contents, options.license, measured).encode()}


def read_contents(folder: Path) -> dict[str, bytes]:
    """Returns the files of an agent that are sent, without its card; others in the folder stay.

    The agent is loaded once, so that only one that plays is sent.

    Raises:
        ValueError: a file is missing, damaged, of another kind or too large; the message is one line.
    """
    from baselines.learned.agents import load_network

    paths = [folder / name for name in LIMITS if name != CARD and (folder / name).is_file()]
    check_sizes(folder, {path.name: path.stat().st_size for path in paths})
    load_network(folder)
    contents = {path.name: path.read_bytes() for path in paths}
    if RUN in contents:
        read_as(folder / RUN, Run)
    return contents


class WinRate(NamedTuple):
    """A row of the card: a board, its games and first seed, whether they chose the agent, rate and interval."""

    board: str
    games: int
    seed: int
    kind: str
    rate: float
    ci95: Sequence[float]


def _measured(path: Path, played_as: set[str]) -> Iterator[WinRate]:
    """Yields the rows of the agent in a JSON file of `evaluate.py`, of policies or of a suite."""
    content = read_results(path)
    found = {row.policy for board in content.boards for row in board.results}
    if not played_as & found:
        raise ValueError(f"{path} has no games of {min(played_as)}; it has {', '.join(sorted(found))}")
    for board in content.boards:
        config = board.config
        title = board_name(*config.size, config.mines) + no_guess_name(config.no_guess)
        for row in board.results:
            if row.policy in played_as:
                part = f'{title}, first click "{config.first_click}"'
                yield WinRate(part, row.games, content.seed, "test", row.win_rate, row.ci95)


def _selection(agent: Agent) -> Iterator[WinRate]:
    """Yields the selection games of the training."""
    if (kept := agent.selected_by) is None:
        return
    games = kept["games"]
    for part, rate in kept["win_rates"].items():
        yield WinRate(part, games, kept["first_seed"], "selection", rate, wilson_interval(round(rate * games), games))


def model_card(name: HubName, contents: Mapping[str, bytes], licence: str, measured: Sequence[WinRate]) -> str:
    """Returns the text of the card.

    Args:
        name: repository and branch that the agent is sent to.
        contents: the checked files of the agent.
        licence: identifier of the licence, such as "mit".
        measured: win rates by `evaluate.py`.
    """
    agent = msgspec.json.decode(contents[AGENT_FILE], type=Agent)
    title = name.repository.partition("/")[2]
    parts = [
        f"---\n{_metadata(title, licence, measured)}\n---\n# {title}",
        _what(agent),
        "## Load it\n\n" + _how(name),
        "## Win rates\n\n" + _table([*measured, *_selection(agent)]),
        "## Training\n\n" + _training(agent, contents),
        f"## Licence\n\n{licence}",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _metadata(title: str, licence: str, measured: Sequence[WinRate]) -> str:
    """Returns the head of the card, which the hub reads."""
    from huggingface_hub import EvalResult, ModelCardData

    kind = "reinforcement-learning"
    results = [EvalResult(kind, "minesweeper", row.board, "win_rate", row.rate) for row in measured]
    return ModelCardData(
        license=licence,
        library_name="minesweeper-env",
        pipeline_tag=kind,
        tags=[kind, "minesweeper", "gymnasium", "safetensors"],
        model_name=title,
        eval_results=results,
    ).to_yaml()


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


def _table(rows: Sequence[WinRate]) -> str:
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
    commands = [
        session.get("command")
        for session in msgspec.json.decode(contents.get(RUN, b'{"sessions": []}'), type=Run).sessions
    ]
    lines += [f"- {markdown_code(command)}" for command in commands if command]
    return "\n".join(lines)


def _list(contents: dict[str, bytes]) -> None:
    for file in LIMITS:
        if file in contents:
            size = len(contents[file])
            print(f"{file:<18} {f'{size / MIB:.1f} MiB' if size >= MIB else f'{size / 1000:.1f} kB':>10}")


def _send(options: argparse.Namespace, name: HubName, contents: dict[str, bytes]) -> None:
    from baselines.hub import push

    _list(contents)
    if options.dry_run:
        print(f"\n{contents[CARD].decode()}", end="")
        return
    sent = push(name, contents, options.message or f"Send the agent {Path(options.agent).name}", options.private)
    print(f"sent as {sent}")


main = Command(
    "push",
    "Send an agent to the Hugging Face hub: its weights as safetensors, its settings as JSON, its curves, and a model "
    f"card. Nothing else in the folder is sent. It is then a policy named {PREFIX}USER/REPO.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; the hub has no new commit",
    (ValueError,),
).main
