"""Comparison of rules for guesses, where games tell too little: 10 000 games see a difference of 0.9 points.

    python benchmarks/guesses.py playouts --rules lookahead:clicks=1 lookahead:clicks=2
    python benchmarks/guesses.py gaps --rules lookahead:clicks=1 lookahead:clicks=2
    python benchmarks/guesses.py times --rules lookahead:clicks=1 lookahead:clicks=2
    python benchmarks/guesses.py regret --rules exact lookahead:clicks=1,layouts=0 lookahead:clicks=2,layouts=0

A rule is a policy as `evaluate.py --policy` takes it. `playouts` values clicks where the rules differ, on common
layouts. `gaps` plays every layout of tiny boards, and compares with the optimum. `times` measures whole games. `regret`
compares clicks with the best one on stored positions, whose values are exact; `collect` makes such positions. Every run
with the same arguments gives the same figures, times aside.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timing import print_table

from baselines.guesses.comparison import Totals
from baselines.guesses.regret import positions_as_json, positions_of_json
from baselines.guesses.runs import begin_results, board_of, collect_positions, compare, facts, gap_of, regret_row
from baselines.guesses.times import BLOCK, times_on
from baselines.guesses.tiny_boards import free_cells
from baselines.policy import PolicyError
from baselines.registry import build_policy, check_name, find_policy
from baselines.support.board_names import name_of
from baselines.support.extras import MissingExtraError
from baselines.support.files import check_writable, read_json, write_json
from minesweeper_env.inference import PositionTooHardError

GAMES = {
    "8x8/14:opening": 4_000,
    "10x10/20:opening": 3_000,
    "10x10/25:opening": 2_000,
    "16x30/99:opening": 1_000,
    "16x30/99:safe": 900,
}
"""The boards of `playouts`, and numbers of games that take about two minutes each."""

TINY = ("5x5/5:safe", "5x5/6:safe", "5x5/7:safe", "5x6/5:safe")
"""The boards of `gaps`."""

POSITIONS = Path(__file__).parent / "positions" / "guesses-8x8-14.json"
"""The stored positions of `regret`."""

SEED = 600_000
"""The default seed of game 0, which no published win rate uses."""


def run_playouts(options: argparse.Namespace) -> None:
    """Compares rules by playouts on each board; resumes the run in the JSON file."""
    names = ("rules", "playout", "layouts", "ends", "draws", "seed")
    results = begin_results(options.json, {name: getattr(options, name) for name in names})
    for board in options.boards or GAMES:
        totals = compare(board, options.games or GAMES.get(board, 1000), results, options.json)
        print_comparison(board, totals, options.rules)


def print_comparison(board: str, totals: Totals, rules: Sequence[str]) -> None:
    """Prints the advantage of each rule over the first one."""
    guesses, lines = max(totals.guesses, 1), []
    for name in rules:
        own, (points, error) = totals.rules[name], totals.points(name)
        shown = (f"{100 * own.differing / guesses:.0f} %", f"{points:+.3f}", f"{error:.3f}")
        lines.append((name, *(("", "", "") if name == rules[0] else shown), f"{1000 * own.seconds / guesses:.2f}"))
    given_up = f", {totals.given_up} guesses given up" if totals.given_up else ""
    title = f"{board}: {totals.games} games, {guesses / totals.games:.2f} guesses per game, {totals.seconds:.0f} CPU s"
    print_table(title + given_up, ("rule", "differs", "points per game", "se", "CPU ms per guess"), lines)


def run_gaps(options: argparse.Namespace) -> None:
    """Prints how far each rule stays below the optimum on tiny boards, every layout played."""
    rows: list[dict[str, Any]] = []
    for board in options.boards or TINY:
        own = [gap_of(board, rule, options.layouts) for rule in options.rules]
        lines = [
            (row["rule"], f"{100 * row['win_rate']:.4f}", f"{row['gap']:.4f}", f"{row['guesses_per_game']:.3f}",
             f"{row['boards']:,}", f"{row['seconds']:.0f}")
            for row in own
        ]  # fmt: skip
        title = f"{board}: optimum {100 * own[0]['optimum']:.4f} %, perfect play from {options.layouts} layouts on"
        header = ("rule", "win rate, %", "gap, points", "guesses per game", "different boards", "CPU s")
        print_table(title, header, lines)
        rows += own
    save(options, rows)


def run_times(options: argparse.Namespace) -> None:
    """Prints the processor time of games of each policy."""
    rows: list[dict[str, Any]] = []
    for board in options.boards or GAMES:
        own = times_on(board, options.rules, options.seed, options.games, options.at_once)
        lines = [
            (row["policy"], f"{row['ms_per_game']:.2f}", f"{row['ratio']:.2f}", f"{row['median_ratio']:.2f}",
             f"{row['longest_call']:.2f}")
            for row in own
        ]  # fmt: skip
        header = ("policy", "CPU ms per game", "ratio", "median ratio of blocks", "longest call, s")
        title = f"{board}: {own[0]['games']} games of each policy, {options.at_once} side by side"
        print_table(title, header, lines)
        rows += own
    save(options, rows)


def run_regret(options: argparse.Namespace) -> None:
    """Prints the regret of each rule on stored positions."""
    config, positions = positions_of_json(read_json(options.positions))
    rows = [regret_row(rule, config, positions) for rule in options.rules]
    lines = [(row["rule"], f"{row['mean']:.4f}", f"{row['error']:.4f}", f"{100 * row['best']:.0f} %") for row in rows]
    title = f"{name_of(config)} {config.first_click}: {len(positions)} positions"
    print_table(title, ("rule", "mean regret", "se", "best click"), lines)
    save(options, rows)


def run_collect(options: argparse.Namespace) -> None:
    """Stores guesses of games between two numbers of layouts, with the exact values of clicks."""
    config = board_of(options.board)
    policy = build_policy(options.policy, config)
    positions = collect_positions(policy, config, options.seed, options.positions, options.least, options.most)
    write_json(options.out, facts() | positions_as_json(config, positions))


def save(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Writes rows to the JSON file, if one is wanted."""
    if options.json is not None:
        write_json(options.json, facts() | {"results": rows})


def whole(least: int) -> Any:
    """Returns a type for argparse: whole numbers of at least `least`."""

    def parse(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return parse


def make_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(description="Compare rules for guesses.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    rules = argparse.ArgumentParser(add_help=False)
    rules.add_argument("--rules", nargs="+", required=True, metavar="POLICY", help="compare these policies")
    rules.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    boards = argparse.ArgumentParser(add_help=False)
    boards.add_argument("--boards", nargs="+", metavar="BOARD", help="boards such as 8x8/14:safe (default several)")
    ends = argparse.ArgumentParser(add_help=False)
    few = "play positions with at most N layouts perfectly, so that they are no guesses (default %(default)s)"
    ends.add_argument("--layouts", type=whole(1), default=10_000, metavar="N", help=few)
    seeds = argparse.ArgumentParser(add_help=False)
    seeds.add_argument("--seed", type=whole(0), default=SEED, help="seed of game 0 (default %(default)s)")
    add_playouts(commands, [rules, boards, ends, seeds])
    commands.add_parser("gaps", parents=[rules, boards, ends], help="distance from the optimum on tiny boards")
    times = commands.add_parser("times", parents=[rules, boards, seeds], help="processor time of whole games")
    times.add_argument(
        "--games", type=whole(1), default=1000, metavar="N", help="games per policy and board (%(default)s)"
    )
    times.add_argument(
        "--at-once",
        type=whole(1),
        default=BLOCK,
        metavar="N",
        help=f"games side by side, at most {BLOCK} (%(default)s); 1 times single moves",
    )
    regret = commands.add_parser("regret", parents=[rules], help="regret on stored positions")
    regret.add_argument("--positions", type=Path, default=POSITIONS, metavar="FILE", help="file that `collect` wrote")
    add_collect(commands, [seeds])
    return parser


def add_playouts(commands: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Adds the command `playouts`."""
    parser = commands.add_parser("playouts", parents=parents, help="paired playouts where the rules differ")
    parser.add_argument("--games", type=whole(2), metavar="N", help="games per board (default some two minutes each)")
    draws = "play each click on N layouts (default %(default)s)"
    parser.add_argument("--draws", type=whole(1), default=40, metavar="N", help=draws)
    who = "let this policy play after the compared clicks (default %(default)s)"
    parser.add_argument("--playout", default="lookahead:clicks=1,layouts=0,breadth=6", metavar="POLICY", help=who)
    ends = "end a playout with its exact value once at most N layouts fit (default %(default)s)"
    parser.add_argument("--ends", type=whole(1), default=600, metavar="N", help=ends)


def add_collect(commands: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Adds the command `collect`."""
    parser = commands.add_parser("collect", parents=parents, help="store positions with exact values of clicks")
    parser.add_argument("out", type=Path, metavar="FILE", help="JSON file to write")
    parser.add_argument("--board", default="8x8/14:opening", help="board (default %(default)s)")
    parser.add_argument("--policy", default="lookahead:clicks=1", help="policy that plays (default %(default)s)")
    count = "number of positions (default %(default)s)"
    parser.add_argument("--positions", type=whole(1), default=250, metavar="N", help=count)
    parser.add_argument("--least", type=whole(1), default=1000, metavar="N", help="more than N layouts (%(default)s)")
    parser.add_argument("--most", type=whole(1), default=10_000, metavar="N", help="at most N layouts (%(default)s)")


def check(options: argparse.Namespace) -> None:
    """Raises a ValueError, or another error with a message, unless boards, policies and files are usable."""
    own = [options.board] if "board" in options else []
    for board in getattr(options, "boards", None) or own:
        config = board_of(board)
        if options.command == "gaps":
            free_cells(config, 0)
    if getattr(options, "at_once", 1) > BLOCK:
        raise ValueError(f"--at-once must be at most {BLOCK}, not {options.at_once}")
    others = [getattr(options, name) for name in ("playout", "policy") if name in options]
    for policy in [*getattr(options, "rules", ()), *others]:
        check_name(policy)
        find_policy(policy)
    for path in (getattr(options, "json", None), getattr(options, "out", None)):
        if path is not None:
            check_writable(path)


def main() -> int:
    """Runs a command; returns the exit status."""
    parser = make_parser()
    options = parser.parse_args()
    try:
        check(options)
        run = {
            "playouts": run_playouts,
            "gaps": run_gaps,
            "times": run_times,
            "regret": run_regret,
            "collect": run_collect,
        }
        run[options.command](options)
    except (ValueError, MissingExtraError, PolicyError) as error:
        failed = isinstance(error, (PositionTooHardError, PolicyError))
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1 if failed else 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
