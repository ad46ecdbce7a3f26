"""Results on the pages of policies: one table from the leaderboard, and the files with all other results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from places import DOCS

from baselines.benchmark import leaderboard
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.intervals import paired_difference
from baselines.evaluation.protocol import PROTOCOL
from baselines.evaluation.report import format_p_value
from baselines.registry import AGENTS_FOLDER
from baselines.support.board_names import board_name, no_guess_name

Content = dict[str, Any]

IN_BFLOAT16 = {"learned": ("any-size", "dqn", "ppo"), "learned-safe": ("any-size",)}
"""Agents that played a suite in bfloat16, where float32 is the default now; their pages leave these results out."""

HEADINGS = ("board", "first click", "n", "win rate", "95 % Wilson interval")

MARKED = re.compile(r"(<!-- results: (\S+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


class Source(NamedTuple):
    """A result file of `evaluate.py`.

    Attributes:
        path: its place in the repository.
        content: what it holds.
    """

    path: str
    content: Content


def read_sources() -> list[Source]:
    """Returns the result files: those in docs/results, and `results.json` of each agent with its own games alone."""
    sources = [_read(path, "docs/results") for path in sorted((DOCS / "results").glob("*.json"))]
    for path in sorted(AGENTS_FOLDER.glob("*/results.json")):
        source = _read(path, f"baselines/learned/weights/{path.parent.name}")
        own = [row for row in source.content["results"] if row["policy"] == path.parent.name]
        sources.append(source._replace(content=source.content | {"results": own}))
    return sources


def _read(path: Path, folder: str) -> Source:
    return Source(f"{folder}/{path.name}", json.loads(path.read_bytes()))


def fill_results(page: str, sources: Sequence[Source], entries: Sequence[ResultFile] = ()) -> str:
    """Returns the page of a policy with new results between its two markers."""
    return MARKED.sub(lambda found: f"{found[1]}\n{policy_results(found[2], sources, entries)}\n\n{found[3]}", page)


def policy_results(policy: str, sources: Sequence[Source], entries: Sequence[ResultFile]) -> str:
    """Returns the results of a policy: a table, and a list of the result files that have more."""
    found = [source for source in sources if any(_rows(policy, source))]
    table = leaderboard.policy_table(entries, policy)
    parts = [_of_benchmark(policy, table)] if table else [_of_source(policy, source) for source in found[:1]]
    others = found if table else found[1:]
    if others:
        files = ", ".join(f"[{Path(source.path).name}](../../{source.path})" for source in others)
        parts.append(f"More results, each file with its command and seeds: {files}.")
    return "\n\n".join(parts) or "No result file has games of this policy."


def _of_benchmark(policy: str, table: str) -> str:
    last = PROTOCOL.seeds.stop - 1
    command = f"python -m baselines benchmark run --policy {policy} --out runs/benchmark"
    return (
        f"Benchmark {PROTOCOL.version}: `{command}`, the first n games of seeds\n"
        f"{PROTOCOL.seeds.start} to {last}. p: exact McNemar test, corrected by Holm.\n\n{table}"
    )


def _of_source(policy: str, source: Source) -> str:
    content = source.content
    last = content["seed"] + content["games"] - 1
    rows = [_cells(*row) for row in _rows(policy, source)]
    lines = [f"| {' | '.join(cells)} |" for cells in (HEADINGS, ["---"] * len(HEADINGS), *rows)]
    head = f"`{content['command']}`, the first n games of seeds {content['seed']} to {last}."
    return "\n".join([head, "", *lines])


def _rows(policy: str, source: Source) -> Iterator[tuple[Content, Content]]:
    """Yields (board, row) for each result of a policy under its default options."""
    if policy in IN_BFLOAT16.get(source.content.get("suite", ""), ()):
        return
    for board in source.content.get("boards", [source.content]):
        for row in board["results"]:
            if row["policy"] == policy:
                yield board["config"], row


def board_title(config: Content) -> str:
    """Returns the name of a board, such as "8x8/14", with the logic that wins it if it needs no guess."""
    return board_name(*config["size"], mines=config["mines"]) + no_guess_name(config.get("no_guess", False))


def file_table(name: str) -> str:
    """Returns a table of all results in a file of docs/results, each compared with the policy that its test names."""
    content = json.loads((DOCS / "results" / name).read_bytes())
    boards = content.get("boards", [content])
    rows = [[*_cells(board["config"], row), *_compared(row)] for board in boards for row in board["results"]]
    names = [f"`{row['policy']}`" for board in boards for row in board["results"]]
    headings = ("policy", *HEADINGS, "minus", "points (95 %)", "p (McNemar)")
    shown = [headings, ["---"] * len(headings), *([name, *row] for name, row in zip(names, rows, strict=True))]
    head = f"`{content['command']}`, seeds {content['seed']} to {content['seed'] + content['games'] - 1}."
    return "\n".join([head, "", *(f"| {' | '.join(cells)} |" for cells in shown)])


def wide_table(name: str, policies: Sequence[str] = ()) -> str:
    """Returns the win rates in a file of docs/results, one row per board and one column per policy, in per cent.

    Args:
        name: the file.
        policies: the columns; all policies of the file without this.
    """
    content = json.loads((DOCS / "results" / name).read_bytes())
    boards = content["boards"]
    shown = policies or [row["policy"] for row in boards[0]["results"]]
    first, last = content["seed"], content["seed"] + content["games"] - 1
    rows = [[_titled(board["config"]), *_rates(board["results"], shown)] for board in boards]
    lines = [["board", *(f"`{policy}`" for policy in shown)], ["---"] * (1 + len(shown)), *rows]
    head = (
        f"`{content['command']}`: win rates in per cent with 95 % Wilson intervals,\n"
        f"at most {content['games']} games per win rate, seeds {first} to {last}."
    )
    return "\n".join([head, "", *(f"| {' | '.join(cells)} |" for cells in lines)])


def _titled(config: Content) -> str:
    return f"{board_title(config)} {config['first_click']}"


def _rates(results: Sequence[Content], policies: Sequence[str]) -> Iterator[str]:
    """Yields the win rate and interval of each policy, in per cent."""
    found = {row["policy"]: row for row in results}
    for policy in policies:
        low, high = found[policy]["ci95"]
        yield f"{100 * found[policy]['win_rate']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _compared(row: Content) -> list[str]:
    """Returns the policy that a row is compared with, the difference on the games of both, and the p-value."""
    test = row.get("mcnemar")
    if not test:
        return ["", "", ""]
    alone, lost = test["won_alone"], test["lost_alone"]
    both = row["wins"] - alone
    difference = paired_difference(both, alone, lost, test["games"] - both - alone - lost)
    points = "{:+.1f} ({:+.1f} to {:+.1f})".format(*(100 * each for each in difference))
    return [f"`{test['against']}`", points, format_p_value(test["p_value"])]


def _cells(config: Content, row: Content) -> list[str]:
    low, high = row["ci95"]
    rate = f"{row['win_rate']:.1%}"
    return [board_title(config), config["first_click"], f"{row['games']}", rate, f"{low:.1%} to {high:.1%}"]
