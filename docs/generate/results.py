"""Results on the pages of policies: one table from the leaderboard, and the files with all other results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baselines.benchmark import leaderboard
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.columns import per_cent, spaced
from baselines.evaluation.intervals import paired_difference
from baselines.evaluation.protocol import PROTOCOL
from baselines.support.board_names import board_name, no_guess_name

DOCS = Path(__file__).parents[1]
"""The folder of the documentation."""

Content = dict[str, Any]

REFERENCE = PROTOCOL.reference

GROUPS = {
    **{name: f"sources --groups {name}" for name in ("bayes", "agents", "expected-value")},
    "public": "public --groups opening",
    **{f"public-{name}": f"public --groups {name}" for name in ("safe", "8x8", "10x10")},
    "learned": "learned --groups opening",
    "learned-safe": "learned --groups safe",
    **dict.fromkeys(("afterstate", "afterstate-safe"), "learned --groups parts"),
}
"""The commands that repeat the result files of suites which are now groups."""

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
    """Returns the result files of docs/results."""
    paths = sorted((DOCS / "results").glob("*.json"))
    return [Source(f"docs/results/{path.name}", json.loads(path.read_bytes())) for path in paths]


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
    compared = (
        ""
        if policy == REFERENCE
        else (
            f"\nSecond line: minus `{REFERENCE}` on the same games, in points;"
            " * is p < 0.05, exact McNemar test, Holm-corrected."
        )
    )
    return (
        f"Benchmark {PROTOCOL.version}: `{command}`, the first n games of seeds\n"
        f"{spaced(PROTOCOL.seeds.start)} to {spaced(last)}: win rates in per cent with 95 % Wilson intervals;"
        f" n is {PROTOCOL.least_games}, or what a cell states."
        f"{compared}\n\n{table}"
    )


def _of_source(policy: str, source: Source) -> str:
    content = source.content
    rows = [_cells(*row) for row in _rows(policy, source)]
    lines = [f"| {' | '.join(cells)} |" for cells in (HEADINGS, ["---"] * len(HEADINGS), *rows)]
    head = f"`{command_of(content)}`, the first n games of {_seeds(content)}."
    return "\n".join([head, "", *lines])


def _rows(policy: str, source: Source) -> Iterator[tuple[Content, Content]]:
    """Yields (board, row) for each result of a policy under its default options."""
    for board in source.content.get("boards", [source.content]):
        for row in board["results"]:
            if row["policy"] == policy:
                yield board["config"], row


def command_of(content: Content) -> str:
    """Returns the command that repeats the games of a result file."""
    name, command = content.get("suite"), str(content["command"])
    if name in GROUPS and "group" not in content["boards"][0]:
        return command.replace(f" suite {name} ", f" suite {GROUPS[name]} ")
    return command


def board_title(config: Content) -> str:
    """Returns the name of a board, such as "8x8/14", with the logic that wins it if it needs no guess."""
    return board_name(*config["size"], mines=config["mines"]) + no_guess_name(config.get("no_guess", False))


def file_table(names: Sequence[str]) -> str:
    """Returns the win rates in files of docs/results, one row per policy and two columns per file.

    The second column has the difference to the policy with which the file compares all others.

    Args:
        names: files with one board each and the same policies.

    Raises:
        ValueError: a file compares its policies with different ones.
    """
    headings, rows, heads = ["policy"], dict[str, list[str]](), []
    for name in names:
        content = json.loads((DOCS / "results" / name).read_bytes())
        (board,) = content.get("boards", [content])
        against = {row["mcnemar"]["against"] for row in board["results"] if row.get("mcnemar")}
        if len(against) > 1:
            raise ValueError(f"{name} compares with {', '.join(sorted(against))}; choose one")
        headings += [f"{_titled(board['config'])}, %", f"minus `{against.pop()}`, points"]
        for row in board["results"]:
            rows.setdefault(f"`{row['policy']}`", []).extend([_rate(row), _points(row.get("mcnemar"), row)])
        heads.append(f"`{command_of(content)}`,\n{spaced(content['games'])} games of {_seeds(content)}.")
    heads.append("Win rates with 95 % Wilson intervals; differences on the same games with 95 % intervals.")
    return _table("\n".join(heads), [headings, *([policy, *cells] for policy, cells in rows.items())])


def wide_table(name: str, policies: Sequence[str] = ()) -> str:
    """Returns the win rates in a file of docs/results, one row per board and one column per policy, in per cent.

    If the file compares every other policy with `exact`, a second line of each cell has the difference in points on the
    same games. A cell with fewer games than the file states its n.

    Args:
        name: the file.
        policies: the columns; all policies of the file without this.
    """
    content = json.loads((DOCS / "results" / name).read_bytes())
    boards = content["boards"]
    shown = policies or [row["policy"] for row in boards[0]["results"]]
    rows = [[_titled(board["config"]), *_rates(board["results"], shown, content["games"])] for board in boards]
    compared = all(
        ("<br>" in cell) == (policy != REFERENCE) for row in rows for policy, cell in zip(shown, row[1:], strict=True)
    )
    if not compared:
        rows = [[cell.partition("<br>")[0] for cell in row] for row in rows]
    second = f"; second line: minus `{REFERENCE}` on the same n games, in points" if compared else ""
    head = (
        f"`{command_of(content)}`: win rates in per cent with 95 % intervals,\n"
        f"n = {spaced(content['games'])} unless stated, {_seeds(content)}{second}."
    )
    return _table(head, [["board", *(f"`{policy}`" for policy in shown)], *rows])


def _table(head: str, rows: Sequence[Sequence[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join([head, "", *(f"| {' | '.join(cells)} |" for cells in lines)])


def _seeds(content: Content) -> str:
    first, last = content["seed"], content["seed"] + content["games"] - 1
    return f"seeds {spaced(first)} to {spaced(last)}"


def _titled(config: Content) -> str:
    return f"{board_title(config)} {config['first_click']}"


def _rates(results: Sequence[Content], policies: Sequence[str], games: int) -> Iterator[str]:
    """Yields the win rate and interval of each policy, in per cent, and its difference to `exact` if it was tested."""
    found = {row["policy"]: row for row in results}
    reverse = found.get(REFERENCE, {}).get("mcnemar") or {}
    for policy in policies:
        row, test = found[policy], None
        if (row.get("mcnemar") or {}).get("against") == REFERENCE:
            test = row["mcnemar"]
        elif reverse.get("against") == policy:
            test = reverse | {"won_alone": reverse["lost_alone"], "lost_alone": reverse["won_alone"]}
        count = "" if row["games"] == games else f", n = {spaced(row['games'])}"
        points = _points(test, row)
        yield f"{_rate(row)}{count}<br>{points}" if points else f"{_rate(row)}{count}"


def _rate(row: Content) -> str:
    low, high = row["ci95"]
    return f"{100 * row['win_rate']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _points(test: Content | None, row: Content) -> str:
    """Returns the difference in the games that two policies played, in points with its interval.

    The text is empty without a test, and if the row also counts games that the other policy did not play.
    """
    if not test or test["games"] != row["games"]:
        return ""
    alone, lost = test["won_alone"], test["lost_alone"]
    both = row["wins"] - alone
    difference = paired_difference(both, alone, lost, test["games"] - both - alone - lost)
    return "{:+.1f} ({:+.1f} to {:+.1f})".format(*(100 * each for each in difference))


def _cells(config: Content, row: Content) -> list[str]:
    low, high = row["ci95"]
    rate, interval = per_cent(row["win_rate"]), per_cent(low, high)
    return [board_title(config), config["first_click"], spaced(row["games"]), rate, interval]


def policy_page(policy: str) -> str:
    """Returns the path of the page of a scripted policy or an agent, relative to the documentation.

    Raises:
        ValueError: the policy has no page.
    """
    for folder in ("policies", "agents"):
        if (DOCS / folder / f"{policy}.md").exists():
            return f"{folder}/{policy}.md"
    raise ValueError(f"{policy} has no page; write docs/policies/{policy}.md in the form of CONTRIBUTING.md")
