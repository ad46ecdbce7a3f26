"""`python -m baselines push`: send an agent to the Hugging Face hub, with a model card."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.cli.arguments import FAILED, INTERRUPTED, Parser, parse_path
from baselines.cli.failures import explain
from baselines.cli.start import MODULE, announce
from baselines.hub.names import DEFAULT_REVISION, LIMITS, MIB, PREFIX, HubName, is_hub_name, parse_hub_name
from baselines.support.extras import MissingExtraError, check_extra
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.support.structs import Results

PROGRAM = f"{MODULE} push"
LICENCE = "mit"
EXAMPLES = """\
examples:
  {0} runs/mine user/my-agent --dry-run
  {0} runs/mine user/my-agent --private --results results.json
"""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when the agent is sent or the files are listed, 1 when the hub refused, 130 after Ctrl-C.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        name = _check(options)
        action = "List what would be sent" if options.dry_run else "Check and send the agent"
        announce(f"{action} of {options.agent} to {name}")
        contents = _contents(options, name)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    _list(contents)
    if options.dry_run:
        print(f"\n{contents['README.md'].decode()}", end="")
        return 0
    return _send(options, name, contents, program)


def _make_parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Send an agent to the Hugging Face hub: its weights as safetensors, its settings as JSON, its "
        f"curves, and a model card. Nothing else in the folder is sent. It is then a policy named {PREFIX}USER/REPO.",
        epilog=EXAMPLES.format(program),
    )
    parser.add_argument("agent", metavar="RUN_FOLDER_OR_AGENT", help="send the agent of this run folder or name")
    parser.add_argument(
        "repository", metavar="USER/REPO", help="send the agent to this repository, and create it if it is missing"
    )
    parser.add_argument("--private", action="store_true", help="make a new repository private (default public)")
    parser.add_argument(
        "--revision",
        default=DEFAULT_REVISION,
        metavar="BRANCH",
        help=f"send the agent to this branch, and create it if it is missing (default {DEFAULT_REVISION})",
    )
    parser.add_argument("--message", metavar="TEXT", help="describe the commit (default: the agent's name)")
    parser.add_argument(
        "--license",
        default=LICENCE,
        metavar="ID",
        help=f"state this licence in the card, by its identifier on the hub (default {LICENCE})",
    )
    parser.add_argument(
        "--results",
        nargs="+",
        type=parse_path,
        metavar="FILE",
        help="state the win rates of the agent in these JSON files of evaluate.py, too",
    )
    parser.add_argument("--dry-run", action="store_true", help="show the files and the card, and send nothing")
    return parser


def _check(options: argparse.Namespace) -> HubName:
    """Checks what needs no heavy import; returns the repository and the branch."""
    text = f"{PREFIX}{options.repository}@{options.revision}"
    if "@" in options.repository or not is_hub_name(text):
        raise ValueError(f"write the repository as USER/REPO and the branch as --revision BRANCH, not {text!r}")
    name = parse_hub_name(text)
    if name.is_pinned:
        raise ValueError("an agent is sent to a branch, and --revision names a commit")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", options.license):
        raise ValueError(f"--license takes an identifier such as mit or cc-by-4.0, not {options.license!r}")
    if options.message is not None and not options.message.strip():
        raise ValueError("--message must not be empty")
    if not options.dry_run:
        check_extra("huggingface_hub", "hub")
    return name


def _contents(options: argparse.Namespace, name: HubName) -> dict[str, bytes]:
    """Returns all files to send, with the card."""
    from baselines.sharing.card import model_card
    from baselines.sharing.contents import CARD, find_run_folder, read_contents

    folder = find_run_folder(options.agent)
    contents = read_contents(folder)
    played_as = {options.agent, str(folder), str(Path(options.agent))}
    results = [_results(path, played_as) for path in options.results or ()]
    return contents | {CARD: model_card(name, contents, options.license, results, played_as).encode()}


def _results(path: Path, played_as: set[str]) -> Results:
    """Returns a JSON file of `evaluate.py`, which has games of the agent."""
    from baselines.support.structs import read_results

    content = read_results(path)
    found = [row.policy for board in content.boards for row in board.results]
    if not played_as & set(found):
        raise ValueError(f"{path} has no games of {min(played_as)}; it has {', '.join(dict.fromkeys(found))}")
    return content


def _list(contents: dict[str, bytes]) -> None:
    for file in LIMITS:
        if file in contents:
            size = len(contents[file])
            print(f"{file:<18} {f'{size / MIB:.1f} MiB' if size >= MIB else f'{size / 1000:.1f} kB':>10}")


def _send(options: argparse.Namespace, name: HubName, contents: dict[str, bytes], program: str) -> int:
    from baselines.hub.upload import push

    try:
        sent = push(name, contents, options.message or f"Send the agent {Path(options.agent).name}", options.private)
    except (ValueError, OSError) as error:
        say(f"{program}: {explain(error)}")
        return FAILED
    except KeyboardInterrupt:
        say("interrupted: the hub has no new commit")
        return INTERRUPTED
    print(f"sent as {sent}")
    return 0
