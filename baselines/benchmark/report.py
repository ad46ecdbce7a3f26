"""Report of a suite: the content of results.json from its games, and its tables, files and plot."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import msgspec

from baselines.benchmark.run import Refusal, SuiteRun, Task
from baselines.benchmark.suites import Group
from baselines.evaluation import intervals, results
from baselines.evaluation.columns import best_rows, board_title, table_of
from baselines.evaluation.games import GameRecord
from baselines.evaluation.plot import draw
from baselines.evaluation.seeds import range_text
from baselines.files import read_json, replace_file, write_json
from baselines.provenance import versions
from baselines.schemas import Count, Rate, convert
from baselines.tables import Column, Page, Row, Table
from minesweeper_env import escape

Content = dict[str, Any]
Played = Sequence[tuple[Task, results.PolicyResult]]
End = Annotated[float, msgspec.Meta(ge=-1e3, le=1e3)]
"""An end of the interval of a mean of bits, which may lie outside the range of the bits."""


class Beliefs(msgspec.Struct):
    """Figures of `measure_beliefs`: a cell costs at most 20 bits, and rounding may leave a mean a little below 0."""

    positions: Count
    bits: Annotated[float, msgspec.Meta(ge=-1, le=21)]
    bits_ci95: tuple[End, End] | None
    certain_cells: Count
    certain_wrong: Rate
    reliability: list[tuple[Rate, Rate, Count]]


class StoredBeliefs(msgspec.Struct):
    """Content of a file of beliefs: `Task.owner` and `count`, the positions; and None for a policy without beliefs."""

    owner: dict[str, Any]
    beliefs: Beliefs | None


def write_results(run: SuiteRun, wide: bool = False) -> None:
    """Prints the tables, `wide` ones with all columns, and writes the results as JSON, Markdown and a plot."""
    content = content_of(run, run.results())
    page = Page.for_stdout(wide)
    fill(page, content)
    page.print()
    write_json(run.folder / "results.json", content)
    replace_file(run.folder / "results.md", markdown(content).encode())
    replace_file(run.folder / "results.png", plot(content))


def content_of(run: SuiteRun, played: Played) -> Content:
    """Returns the content of results.json from the tasks of a run with their results."""
    boards = []
    for group in run.suite.groups:
        for board in group.boards:
            on_board = [(task, result) for task, result in played if (task.group, task.board) == (group.name, board)]
            tests = [results.without_difference(test) for test in _tests(on_board, group.paired)]
            rows = results.with_tests((_row(run, task, result, group) for task, result in on_board), tests)
            refused = [task for task in run.refused if (task.group, task.board) == (group.name, board)]
            left_out = [{"policy": task.entry.policy, "reason": task.reason} for task in refused]
            content = {"group": group.name, "config": results.config_row(board), "results": rows}
            boards.append(content | {"comparisons": tests, "left_out": left_out})
    return {
        "suite": run.suite.name,
        "title": run.suite.title,
        **results.file_head(run.seeds[0], len(run.seeds), run.command, versions()),
        "notes": [*run.suite.notes, *_notes(played, run.refused, len(run.seeds))],
        "boards": boards,
    }


def _row(run: SuiteRun, task: Task, result: results.PolicyResult, group: Group) -> Row:
    """Returns the row of a policy on a board, with its beliefs, flags and scores if the group has them."""
    if group.measures_beliefs:
        result = replace(result, beliefs=_read_or_measure_beliefs(task, result.games, run.folder))
    row = result.row()
    if "flag" in task.games.config.moves:
        # Games whose flags were at some moment exactly the mines: wins for Antolín & de la Torre.
        marked = results.rate_row(result.games, sum(record.marked for record in result.records))
        row |= {"marked": marked["wins"], "marked_rate": marked["win_rate"], "marked_ci95": marked["ci95"]}
    return row | (scores(result.records) if group.scored else {})


def _read_or_measure_beliefs(task: Task, games: int, out: Path) -> Row | None:
    """Returns the figures of a policy's beliefs, which take minutes on large boards and are kept beside its games.

    Stored figures that are damaged, or that belong to another task, are measured again.
    """
    from baselines.evaluation.beliefs import measure_beliefs, positions_for

    count = positions_for(games)
    path, owner = task.folder(out) / f"beliefs-{count}.json", task.owner() | {"count": count}
    with suppress(ValueError):
        stored = read_json(path)
        if convert(stored, StoredBeliefs, str(path)).owner == owner:
            return stored["beliefs"] or None
    beliefs = measure_beliefs(task.games.player(), task.games.config, count, shown=True)
    write_json(path, {"owner": owner, "beliefs": beliefs})
    return beliefs


def scores(records: Sequence[GameRecord]) -> Row:
    """Returns the mean score of Sun, Chen & Yang, open cells doubled on a win, and the win rate past the first click.

    The mean score includes games that the first click lost; the mean score of lost games excludes them.
    """
    survivors = [record for record in records if record.clicks > 1 or record.won or record.truncated]
    won, survived = sum(record.won for record in survivors), len(survivors)
    return {
        "first_click_losses": len(records) - survived,
        "survived": survived,
        "survived_win_rate": won / survived if survived else None,
        "survived_ci95": list(intervals.wilson_interval(won, survived)) if survived else None,
        **_mean("score", [record.opened * (1 + record.won) for record in records]),
        **_mean("score_lost", [record.opened for record in survivors if not record.won]),
    }


def _mean(name: str, values: list[int]) -> Row:
    """Returns the mean of values as `name` (None for none), and its interval as `name`_ci95 (None for fewer than 2)."""
    interval = intervals.mean_interval(values)
    return {name: math.fsum(values) / len(values) if values else None, f"{name}_ci95": interval and list(interval)}


def _tests(played: Played, paired: str) -> list[Row]:
    """Returns the paired tests on a board; for `paired` see `results.paired_tests`.

    With "next" or "all", only policies of equally many games are compared. A reference is compared with each policy on
    the games that both played. Policies whose games begin in a way of their own are compared among themselves.
    """
    comparable: dict[tuple[str | None, int | None], list[results.PolicyResult]] = {}
    for task, result in played:
        games = len(task.games.seeds) if paired in ("next", "all") else None
        comparable.setdefault((task.entry.start, games), []).append(result)
    return [test for group in comparable.values() for test in results.paired_tests(group, paired)]


def _notes(played: Played, refused: Sequence[Refusal], games: int) -> Iterator[str]:
    """Yields notes on the tests, and on the policies that played fewer games, other games or none."""
    yield (
        "p: exact McNemar test against the policy that the table names, on the same games; where that is the next "
        "stronger policy, only policies of equally many games are compared."
    )
    counts = {(task.entry.policy, len(task.games.seeds)) for task, _ in played}
    for policy, count in sorted(pair for pair in counts if pair[1] < games):
        yield f"{policy} is slow, and played only the first {count} of {games} games."
    for policy in dict.fromkeys(task.entry.policy for task, _ in played if task.entry.start is not None):
        yield f"{policy} plays games that begin in a way of their own, and is compared with no other policy."
    for task, result in played:
        if result.truncated:
            yield f"{task} reached the step limit in {result.truncated} games, which count as not won."
    yield from results.answer_notes(replace(result, policy=f"{task}") for task, result in played)
    for policy in dict.fromkeys(task.entry.policy for task in refused):
        tasks = [task for task in refused if task.entry.policy == policy]
        names = ", ".join(dict.fromkeys(task.board.name for task in tasks))
        yield f"{policy} does not play on {names}: {tasks[0].reason}."


COLUMNS = (
    *("policy", "games", "wins", "win_rate", "interval", "marked", "first_click_losses", "survived", "score"),
    *("score_lost", "bits", "certain_wrong", "clicks", "guesses", "ms", "p", "against"),
)
"""Columns of the table of a board; a table shows those that have a cell."""

TESTS = ("policy", "against", "games", "won_alone", "lost_alone", "p")
"""Columns of the table of all tests on a board."""


def sections(content: Content) -> Iterator[Table]:
    """Yields the tables of results.json: of each group the win rates on all boards, and of each board its results."""
    for group, group_boards in groupby(content["boards"], key=lambda board: board.get("group", content["suite"])):
        boards = list(group_boards)
        if len(boards) > 1:
            yield _rates_table(f"{'' if group == content['suite'] else f'{group}: '}Win rates in %", boards)
        for board in boards:
            rows, tests, title = board["results"], board["comparisons"], board_title(board["config"])
            yield table_of(f"{title}, first click {board['config']['first_click']}", COLUMNS, rows, best_rows(rows))
            if len(tests) > sum(row.get("mcnemar") is not None for row in rows):  # Tests that no row shows.
                yield table_of(f"{title}: each two policies on the same games", TESTS, tests)


def _rates_table(title: str, boards: Sequence[Content]) -> Table:
    """Returns the win rates, a row per policy and a column per board; ">" marks the highest rate on each board."""
    rules = {board["config"]["first_click"] for board in boards}
    columns: list[str | Column] = ["policy"]
    rows = dict[str, Row]()
    for priority, board in enumerate(boards):
        heading = board_title(board["config"]) + (f" {board['config']['first_click']}" if len(rules) > 1 else "")
        columns.append(Column(heading, heading, "s", priority))
        best = best_rows(board["results"])
        for index, row in enumerate(board["results"]):
            table_row = rows.setdefault(row["policy"], {"policy": row["policy"]})
            table_row[heading] = f"{'>' if index in best else ''}{100 * row['win_rate']:.1f}"
    return replace(table_of(title, columns, [*rows.values()]), legend="> highest win rate on the board.")


def caption(content: Content) -> str:
    """Returns a line with the number of games and their seeds."""
    return f"n = {content['games']} games of each policy on each board, {range_text(content['seed'], content['games'])}"


def fill(page: Page, content: Content) -> None:
    """Adds the tables and the notes to a page."""
    page.title(content["title"])
    page.note(caption(content))
    for table in sections(content):
        page.table(table)
    page.title("Notes")
    for note in content["notes"]:
        page.note(note)


def markdown(content: Content) -> str:
    """Returns the page results.md."""
    lines = [f"# {content['title']}", "", f"{escape.markdown_code(content['command'])}: {caption(content)}.", ""]
    for table in (section.fitted() for section in sections(content)):
        alignment = ["--:" if column.form else "---" for column in table.columns]  # Numbers have a form.
        rows = ([column.heading for column in table.columns], alignment, *table.rows)
        lines += [f"## {table.title}", "", *(f"| {' | '.join(map(escape.markdown, row))} |" for row in rows), ""]
    return "\n".join(lines + [f"- {note}" for note in content["notes"]]) + "\n"


def plot(content: Content) -> bytes:
    """Returns the plot of the win rates as a PNG file."""
    return draw(content, f"{content['title']}\n{caption(content)}; win rates in per cent with 95 % intervals")
