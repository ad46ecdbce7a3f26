"""`python -m baselines push`: send an agent to the Hugging Face hub, with a model card."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from baselines import checks, hub, registry
from baselines.cli.command import Command, Parser, Work
from baselines.evaluation.intervals import wilson_interval
from baselines.evaluation.seeds import use_of
from baselines.evaluation.stored_results import StoredRow, read_figures
from baselines.hub import AGENT_FILE, DEFAULT_REVISION, HUB_NAME, NEEDED, PREFIX, RUN_FILE, HubName, parse_hub_name
from baselines.schemas import Agent, Count, Games, Run, convert, read_as
from minesweeper_env.config import board_name, kind_of_games
from minesweeper_env.console import say
from minesweeper_env.escape import markdown, markdown_code

CARD = "README.md"
EXAMPLES = """\
{0} runs/mine user/my-agent --dry-run
{0} runs/mine user/my-agent --private --results results.json"""


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("agent", metavar="RUN_FOLDER_OR_AGENT", help="send the agent of this run folder or name")
    parser.add_argument(
        "repository", metavar="USER/REPO", help="send the agent to this repository, and create it if it is missing"
    )
    parser.add_argument("--private", action="store_true", help="make a new repository private (default public)")
    text = "send the agent to this branch, and create it if it is missing"
    parser.add_argument("--revision", default=DEFAULT_REVISION, metavar="BRANCH", help=text)
    parser.add_argument("--message", metavar="TEXT", help="describe the commit (default: the agent's name)")
    text = "state this licence in the card, by its identifier on the hub"
    parser.add_argument("--license", default="mit", metavar="ID", help=text)
    text = "state the win rates of the agent in these JSON files of evaluate.py, too"
    parser.add_argument("--results", nargs="+", type=Path, default=[], metavar="FILE", help=text)
    parser.add_argument("--dry-run", action="store_true", help="show the files and the card, and send nothing")


def _prepare(options: argparse.Namespace) -> Work:
    # A branch that is named like a commit would be taken for a commit.
    text = f"{PREFIX}{options.repository}@{options.revision}"
    if "@" in options.repository or not HUB_NAME.fullmatch(text) or parse_hub_name(text).is_pinned:
        raise ValueError(f"write the repository as USER/REPO and the branch as --revision BRANCH, not {text!r}")
    checks.check_extra("huggingface_hub", extra="hub")
    checks.check_extra("torch", "safetensors")
    name = parse_hub_name(text)
    action = "List what would be sent" if options.dry_run else "Check and send the agent"
    say(f"{action} of {options.agent} to {name}")
    folder = None if HUB_NAME.fullmatch(options.agent) else registry.agent_folder(options.agent)
    if folder is None:
        shipped = ", ".join(sorted(registry.AGENTS))
        raise ValueError(f"{options.agent} is no run folder with {AGENT_FILE}, and no shipped agent ({shipped})")
    contents = _read_files(folder)
    measured = [row for path in options.results for row in _rows_of_agent(path, options.agent, folder.resolve())]
    contents[CARD] = model_card(name, contents, options.license, measured).encode()
    return partial(_send, options, name, contents)


def _read_files(folder: Path) -> dict[str, bytes]:
    """Returns the files to send by name, without the card; raises ValueError unless they are valid."""
    from baselines.learned.agents import load_network

    paths = [path for name in (*NEEDED, RUN_FILE, "curves.png") if (path := folder / name).is_file()]
    # A folder from a stranger may hold a link to any file of the user.
    if links := [str(path) for path in paths if not path.resolve().is_relative_to(folder.resolve())]:
        raise ValueError(f"{', '.join(links)} leads out of the folder: copy the file there to send it")
    load_network(folder)
    if folder / RUN_FILE in paths:
        read_as(folder / RUN_FILE, Run)
    return {path.name: path.read_bytes() for path in paths}


class StoredConfig(msgspec.Struct):
    """The board of results."""

    size: tuple[Games, Games]
    mines: Games
    first_click: str
    no_guess: bool | str = False
    luck: bool = True


class StoredBoard(msgspec.Struct):
    """The results on a board."""

    config: StoredConfig
    results: list[StoredRow]


class StoredResults(msgspec.Struct):
    """Content of a JSON file of `evaluate.py` or of a suite."""

    seed: Count
    boards: list[StoredBoard]


Measured = tuple[str, str, int, StoredRow]
"""A row of the card: the board, the use of its games, such as "test" or "selection", their first seed, the result."""


def _rows_of_agent(path: Path, agent: str, folder: Path) -> Iterator[Measured]:
    """Yields the rows of an agent, named `agent` or by any path of its folder, in a file of `evaluate.py` or a suite.

    Raises ValueError if the agent has no row, if a row is of other weights than the folder's, or if counts disagree.
    """
    stored = read_figures(path)
    # A file of `evaluate.py` is a board itself; a suite has `boards`, which replace this default.
    content = convert({"boards": [stored], **stored}, StoredResults, str(path))
    policies = {row.policy for board in content.boards for row in board.results}
    names = {agent, *(name for name in policies if Path(name).resolve() == folder)}
    if not names & policies:
        raise ValueError(f"{path} has no games of {agent}; it has {', '.join(sorted(policies))}")
    digest = registry.Specification.of(str(folder)).digest()
    for board in content.boards:
        config = board.config
        title = board_name(*config.size, config.mines, config.no_guess, config.luck)
        for row in board.results:
            if row.policy in names and row.digest not in (None, digest):
                raise ValueError(f"{path} has games of other weights than {row.policy} has now; play them again")
            if row.policy in names:
                yield f'{title}, first click "{config.first_click}"', use_of(content.seed), content.seed, row


def _selection_rows(agent: Agent) -> Iterator[Measured]:
    """Yields a row for the selection games on each board of the training."""
    if kept := agent.selected_by:
        games, kind = kept["games"], kind_of_games(agent.trained_on.no_guess, agent.trained_on.luck)
        for board, rate in kept["win_rates"].items():
            row = StoredRow("", games, rate, wilson_interval(round(rate * games), games))  # The card names no policy.
            yield board + kind, "selection", kept["first_seed"], row


def model_card(name: HubName, contents: Mapping[str, bytes], licence: str, measured: Sequence[Measured]) -> str:
    """Returns the text of the model card; `contents` are the checked files by name, `measured` the rows of results."""
    agent = msgspec.json.decode(contents[AGENT_FILE], type=Agent)
    sessions = msgspec.json.decode(contents[RUN_FILE], type=Run).sessions if RUN_FILE in contents else []
    title, trained_on = name.repository.partition("/")[2], agent.trained_on
    kind = kind_of_games(trained_on.no_guess, trained_on.luck)
    boards = ", ".join(board + kind for board in trained_on.boards)
    step = agent.selected_by and agent.selected_by["steps"]
    training = [f"step {step}, {agent.channels} channels, depth {agent.depth}"]
    training += [markdown_code(session["command"]) for session in sessions if session["command"]]
    return f"""\
---
{_metadata(title, licence, measured)}
---
# {title}

An agent for Minesweeper, trained by {markdown_code(agent.algo)} of the package minesweeper-env on the boards \
{markdown(boards)} (rows x columns / mines), first click "{markdown(trained_on.first_click)}". \
It loads on boards of any size.

## Load it

```sh
pip install '.[train,hub]'  # in a clone of minesweeper-env
minesweeper evaluate --policy {name} exact
```

A commit in place of the branch names exactly these weights. They are safetensors, without pickled code.

## Win rates

{_table([*measured, *_selection_rows(agent)])}

## Training

{chr(10).join(f"- {line}" for line in training)}

## Licence

{licence}
"""


def _metadata(title: str, licence: str, measured: Sequence[Measured]) -> str:
    """Returns the YAML metadata at the top of the card, which the hub reads."""
    from huggingface_hub import EvalResult, ModelCardData

    kind = "reinforcement-learning"
    return ModelCardData(
        license=licence,
        library_name="minesweeper-env",
        pipeline_tag=kind,
        tags=[kind, "minesweeper", "gymnasium", "safetensors"],
        model_name=title,
        eval_results=[EvalResult(kind, "minesweeper", board, "win_rate", row.win_rate) for board, *_, row in measured],
    ).to_yaml()


def _table(rows: Sequence[Measured]) -> str:
    """Returns the win rates as a Markdown table."""
    lines = ["| board | games | n | seeds | win rate | 95 % Wilson interval |", "|---|---|--:|---|--:|--:|"]
    for board, kind, seed, row in rows:
        seeds, (low, high) = f"{seed} to {seed + row.games - 1}", row.ci95
        cells = (markdown(board), kind, row.games, seeds, f"{row.win_rate:.1%}", f"{low:.1%} to {high:.1%}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    note = "Selection games chose this agent among its earlier versions, so their win rates are slightly too high."
    return "\n".join([*lines, "", note]) if rows else "None were measured."


def _send(options: argparse.Namespace, name: HubName, contents: dict[str, bytes]) -> None:
    """Sends the files in one commit; makes the repository and the branch if they are missing."""
    for file, content in contents.items():
        print(f"{file:<18} {len(content) / 1000:>10.1f} kB")
    if options.dry_run:
        print(f"\n{contents[CARD].decode()}", end="")
        return
    from huggingface_hub import CommitOperationAdd

    api, repository = hub.client(), name.repository
    with hub.told_in_one_line(name):
        api.create_repo(repository, private=options.private or None, exist_ok=True)
        if options.private and not api.model_info(repository).private:
            raise hub.HubError(f"{repository} exists and is public; leave --private out, or choose another repository")
        if name.revision != DEFAULT_REVISION:
            api.create_branch(repository, branch=name.revision, exist_ok=True)
        operations = [CommitOperationAdd(path_in_repo=file, path_or_fileobj=contents[file]) for file in contents]
        message = options.message or f"Send the agent {Path(options.agent).name}"
        commit = api.create_commit(repository, operations, commit_message=message, revision=name.revision)
    print(f"sent as {name._replace(revision=str(commit.oid))}")


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
