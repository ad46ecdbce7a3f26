"""Time of exact mine probabilities: one board per call, in batches, and on hard positions.

The positions of the first tables are guesses from the middle of games of the policy `exact`: no covered cell is
certainly free, and first clicks are excluded. If ms-toollib (a solver in Rust, on PyPI) is installed, two of its
functions solve the same positions in the same run, interleaved with ours: `enum` is `cal_probability_enum` and `csp` is
`cal_probability_csp`. Their answers are compared with ours first. Boards are converted before the timing starts: to an
int8 array for this package, to a list of lists for ms-toollib.

    python benchmarks/inference.py
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import Work, arguments, machine, median_ratio, print_table, rates, rows

import baselines
import minesweeper_env
from baselines.evaluation.games import play_games
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import certain_cells, mine_probabilities, mine_probabilities_batch

try:
    import ms_toollib
except ImportError:
    ms_toollib = None

Board = NDArray[np.int8]
Layout = NDArray[np.bool_]


def guesses(size: tuple[int, int], mines: int, wanted: int) -> tuple[NDArray[np.int8], int]:
    """Returns (wanted, rows, cols) boards of games of the policy `exact` on seeds 0, 1, ...; and how many games.

    First click "opening". The games are played one after the other, so that none is favoured for being short.
    """
    config = BoardConfig.of_size(size, mines, first_click="opening", moves=("click",))
    policy = baselines.make_policy("exact", size=size, mines=mines, first_click="opening")
    found: list[Board] = []

    def observe(_games: NDArray[np.int64], observations: Board, *_: NDArray[np.generic]) -> None:
        (board,) = observations
        if (board < HIDDEN).any() and len(found) < wanted and not certain_cells(board, mines).safe.any():
            found.append(board.copy())

    seeds = itertools.count()
    while len(found) < wanted:
        play_games(policy, config, [next(seeds)], observers=[observe])
    return np.stack(found), next(seeds)


def board_of(layout: Layout, is_open: Layout) -> Board:
    """Returns the board of a layout with the given cells open."""
    padded = np.pad(layout.astype(np.int8), 1)
    rows, cols = layout.shape
    counts = sum(padded[row : row + rows, col : col + cols] for row in range(3) for col in range(3))
    return np.where(is_open, counts, HIDDEN).astype(np.int8)


def with_numbers_at(size: tuple[int, int], cells: Sequence[tuple[int, int]], mines: int, seed: int) -> Board:
    """Returns a board of a random layout; exactly the given cells are open, and none of them is a mine."""
    is_open, layout = np.zeros((2, *size), np.bool_)
    is_open[tuple(zip(*cells, strict=True))] = True
    free = np.flatnonzero(~is_open)
    layout.flat[np.random.default_rng(seed).permutation(free)[:mines]] = True
    return board_of(layout, is_open)


def lattice(size: tuple[int, int], mines: int, seed: int) -> Board:
    """Returns a board with a number at every odd row and column."""
    cells = [(row, col) for row in range(1, size[0], 2) for col in range(1, size[1], 2)]
    return with_numbers_at(size, cells, mines, seed)


def chain(mines: int, seed: int) -> Board:
    """Returns a board of 5 x 100 with a number in every other column of the middle row, none of them 0 or 8.

    Neighbouring numbers share three cells, and no number decides its cells by itself: the frontier is one chain.
    """
    while True:
        board = with_numbers_at((5, 100), [(2, col) for col in range(1, 100, 2)], mines, seed)
        if not np.isin(board, [0, 8]).any():
            return board
        seed += 1


def played(size: tuple[int, int], mines: int, rounds: int, seed: int) -> Board:
    """Returns the board after a number of rounds without a loss.

    A round opens all cells that are certainly free; where there are none, the free cell of the least risk.
    """
    cells = size[0] * size[1]
    layout = np.random.default_rng(seed).permutation(cells).reshape(size) < mines
    everything = board_of(layout, ~layout)
    is_open = np.zeros(size, np.bool_)
    is_open.flat[np.flatnonzero(everything == 0)[0]] = True
    for _ in range(rounds):
        board = np.where(is_open, everything, HIDDEN)
        safe = certain_cells(board, mines).safe
        if not safe.any():
            safe.flat[np.where(is_open | layout, 2.0, mine_probabilities(board, mines)).argmin()] = True
        is_open |= safe
    return np.where(is_open, everything, HIDDEN)


BOARDS = {"8x8, 14 mines": ((8, 8), 14, 4000), "16x30, 99 mines": ((16, 30), 99, 2000)}
HARD = {
    "5x100, one chain, 180 mines": lambda: (chain(180, 0), 180),
    **{f"15x31 lattice, {mines} mines": lambda m=mines: (lattice((15, 31), m, 0), m) for mines in (99, 120, 150, 180)},
    "17x41 lattice, 278 mines": lambda: (lattice((17, 41), 278, 0), 278),
    "31x31 lattice, 240 mines": lambda: (lattice((31, 31), 240, 0), 240),
    "100x100, 2000 mines": lambda: (played((100, 100), 2000, 60, 0), 2000),
}
TIME_LIMIT = 20
MEMORY_LIMIT = 8 << 30
AGREEMENT = 1e-6


def their_board(board: Board) -> list[list[int]]:
    """Returns a board in the codes of ms-toollib, where 10 is covered."""
    return np.where(board == HIDDEN, 10, board).tolist()


Engine = Callable[[Any, int], Any]

ENGINES: dict[str, tuple[Engine, Callable[[Board], Any]]] = {"ours": (mine_probabilities, np.ascontiguousarray)}
if ms_toollib is not None:
    ENGINES["enum"] = (ms_toollib.cal_probability_enum, their_board)
    ENGINES["csp"] = (ms_toollib.cal_probability_csp, their_board)


def their_probabilities(engine: Engine, board: Board, mines: int) -> NDArray[np.float64]:
    """Returns the probabilities of ms-toollib as an array.

    It lists the cells next to numbers, without those that it has marked as mines, and gives one value for all others.
    """
    listed, elsewhere, *_ = engine(their_board(board), mines)
    rows, cols = board.shape
    is_open = np.pad(board < HIDDEN, 1)
    near_numbers = np.any([is_open[row : row + rows, col : col + cols] for row in range(3) for col in range(3)], axis=0)
    probabilities = np.where(board < HIDDEN, 0.0, np.where(near_numbers, 1.0, elsewhere))
    for cell, probability in listed:
        probabilities[cell] = probability
    return probabilities


def print_differences(boards: NDArray[np.int8], mines: int) -> None:
    """Prints the largest difference between the engines; exits if it exceeds AGREEMENT."""
    expected = mine_probabilities_batch(boards, mines)
    for name, (engine, _) in list(ENGINES.items())[1:]:
        found = np.stack([their_probabilities(engine, board, mines) for board in boards])
        difference = float(np.abs(found - expected).max())
        print(f"largest difference of {name} from ours: {difference:.1e}")
        if difference > AGREEMENT:
            raise SystemExit("the engines disagree")


def call_times(engine: Engine, boards: Sequence[Any], mines: int) -> list[float]:
    """Returns the processor time of each call in microseconds."""
    times = [time.process_time_ns()]
    for board in boards:
        engine(board, mines)
        times.append(time.process_time_ns())
    return (np.diff(times) / 1000).tolist()


def measure_calls(boards: NDArray[np.int8], mines: int, repeats: int) -> None:
    """Prints the times of single calls; each repeat runs all boards through one engine, then through the next."""
    prepared = {name: [prepare(board) for board in boards] for name, (_, prepare) in ENGINES.items()}
    medians: dict[str, list[float]] = {name: [] for name in ENGINES}
    tails: dict[str, list[float]] = {name: [] for name in ENGINES}
    for _ in range(repeats):
        for name, (engine, _) in ENGINES.items():
            times = call_times(engine, prepared[name], mines)
            medians[name].append(statistics.median(times))
            tails[name].append(float(np.quantile(times, 0.99)))
    lines = [
        (name, f"{statistics.median(medians[name]):.1f}", f"{statistics.median(tails[name]):.0f}") for name in ENGINES
    ]
    print_table("single calls from Python, microseconds", ("", "median", "99th percentile"), lines)
    for name in list(ENGINES)[1:]:
        at_median, at_tail = median_ratio(medians[name], medians["ours"]), median_ratio(tails[name], tails["ours"])
        print(f"{name} / ours, median of {repeats} pairs: {at_median:.2f} (99th percentile: {at_tail:.2f})")


def measure_rates(boards: NDArray[np.int8], mines: int, seconds: float, repeats: int) -> None:
    """Prints boards per second, in single calls and in batches."""

    def one_by_one(engine: Engine, prepared: Sequence[Any]) -> int:
        return len([engine(board, mines) for board in prepared])

    works: dict[str, Work] = {"ours, in batches": lambda: len(mine_probabilities_batch(boards, mines))}
    for name, (engine, prepare) in ENGINES.items():
        works[f"{name}, one by one"] = partial(one_by_one, engine, [prepare(board) for board in boards])
    measured = rates(works, seconds, repeats)
    print_table("boards per second on one core", ("", "median", "best"), rows(measured))
    for name, other in list(measured.items())[1:]:
        print(f"ours, in batches / {name}: {median_ratio(measured['ours, in batches'], other):.2f}")


def answer_once(name: str) -> None:
    """Solves the board on standard input; prints the seconds and the peak memory of this process in MB.

    The least of up to three times counts, because the first call may load compiled code.
    """
    task = json.loads(sys.stdin.read())
    engine, prepare = ENGINES[name]
    board = prepare(np.array(task["board"], np.int8))
    engine(prepare(np.full((3, 3), HIDDEN, np.int8)), 2)
    times = []
    while len(times) < 3 and sum(times) < 2:
        start = time.process_time()
        engine(board, task["mines"])
        times.append(time.process_time() - start)
    with open("/proc/self/status", encoding="ascii") as status:
        (peak,) = (int(line.split()[1]) / 1000 for line in status if line.startswith("VmHWM"))
    print(json.dumps([min(times), peak]))


def limit_memory() -> None:
    """Limits the address space of this process to MEMORY_LIMIT bytes."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def answer_elsewhere(name: str, board: Board, mines: int) -> tuple[str, str]:
    """Solves a board in another process; returns its milliseconds and megabytes, or the reason of a failure."""
    task = json.dumps({"board": board.tolist(), "mines": mines})
    command = [sys.executable, __file__, name]
    try:
        result = subprocess.run(
            command, input=task, capture_output=True, text=True, timeout=TIME_LIMIT, preexec_fn=limit_memory
        )
    except subprocess.TimeoutExpired:
        return f"over {TIME_LIMIT} s", ""
    if result.returncode != 0:
        return "too hard" if "PositionTooHardError" in result.stderr else f"failed ({result.returncode})", ""
    seconds, megabytes = json.loads(result.stdout)
    return f"{seconds * 1000:,.1f}", f"{megabytes:,.0f}"


def measure_hard() -> None:
    """Prints time and memory of the hard positions, each in its own process."""
    header = ["", *(f"{name}, {unit}" for name in ENGINES for unit in ("ms", "peak MB"))]
    lines = []
    for title, position in HARD.items():
        board, mines = position()
        lines.append([title, *(text for name in ENGINES for text in answer_elsewhere(name, board, mines))])
    print_table(f"hard positions (at most {TIME_LIMIT} s)", header, lines)


def main() -> None:
    """Prints all tables."""
    options = arguments("Measure the time of exact mine probabilities.", seconds=1.0, repeats=7)
    print(f"minesweeper_env {minesweeper_env.__version__}, numpy {np.__version__}, {machine()}")
    try:
        print(f"ms-toollib {version('ms-toollib')}")
    except PackageNotFoundError:
        print("ms-toollib is not installed (pip install ms-toollib==1.5.20)")
    for title, (size, mines, wanted) in BOARDS.items():
        boards, games = guesses(size, mines, wanted)
        print(f"\n{title}: {wanted} guesses from {games} games")
        print_differences(boards, mines)
        measure_calls(boards, mines, options.repeats)
        measure_rates(boards, mines, options.seconds, options.repeats)
    measure_hard()


if __name__ == "__main__":
    answer_once(sys.argv[1]) if sys.argv[1:2] and sys.argv[1] in ENGINES else main()
