"""Time of exact mine probabilities: one board per call, in batches, and on hard positions.

The positions of the first tables are guesses from the middle of games of the policy `exact`: no covered cell is
certainly free, and first clicks are excluded. If ms-toollib (a solver in Rust, on PyPI) is installed, two of its
functions solve the same positions in the same run, interleaved with ours: `enum` is `cal_probability_enum` and `csp` is
`cal_probability_csp`. Their answers are compared with ours first. Boards are converted before the timing starts: to an
int8 array for this package, to a list of lists for ms-toollib.

    python benchmarks/inference.py
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve, maximum_filter
from timing import Work, arguments, compare, machine, print_table

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


def guesses(size: tuple[int, int], mines: int, wanted: int) -> tuple[NDArray[np.int8], int]:
    """Returns `wanted` positions of games of `exact` on seeds 0, 1, ..., (wanted, rows, cols); and the number of games.

    The games are played one after the other, so that none is favoured for being short.
    """
    config, policy = BoardConfig.of_size(size, mines, moves=("click",)), baselines.make_policy("exact", size, mines)
    positions: list[Board] = []

    def observe(_games: NDArray[np.int64], observations: Board, *_: NDArray[np.generic]) -> None:
        (board,) = observations
        if (board < HIDDEN).any() and len(positions) < wanted and not certain_cells(board, mines).safe.any():
            positions.append(board.copy())

    seeds = itertools.count()
    while len(positions) < wanted:
        play_games(policy, config, [next(seeds)], observers=[observe])
    return np.stack(positions), next(seeds)


def lattice(size: tuple[int, int], mines: int) -> Board:
    """Returns a hard board: every second cell of every second row is safe and open, and the mines are random."""
    is_open, layout = np.zeros((2, *size), np.bool_)
    is_open[1::2, 1::2] = True
    mine_cells = np.random.default_rng(0).permutation(np.flatnonzero(~is_open))[:mines]
    layout.flat[mine_cells] = True
    counts = convolve(layout.astype(np.int8), np.ones((3, 3), np.int8), mode="constant")
    return np.where(is_open, counts, HIDDEN).astype(np.int8)


BOARDS = {"8x8, 14 mines": ((8, 8), 14, 4000), "16x30, 99 mines": ((16, 30), 99, 2000)}
LATTICES = [((15, 31), 99), ((15, 31), 120), ((15, 31), 150), ((15, 31), 180), ((17, 41), 278), ((31, 31), 240)]
TIME_LIMIT, MEMORY_LIMIT, AGREEMENT = 20, 8 << 30, 1e-6
"""Seconds and bytes of a hard position, and the largest difference of probabilities between engines."""


def their_board(board: Board) -> list[list[int]]:
    """Returns a board in the codes of ms-toollib, where 10 is covered."""
    return np.where(board == HIDDEN, 10, board).tolist()


Engine = Callable[[Any, int], Any]  # takes a board in its own format and the number of mines

ENGINES: dict[str, tuple[Engine, Callable[[Board], Any]]] = {"ours": (mine_probabilities, np.ascontiguousarray)}
"""Engines by name: the function to call, and the function that converts a board to its format."""
if ms_toollib is not None:
    ENGINES["enum"] = (ms_toollib.cal_probability_enum, their_board)
    ENGINES["csp"] = (ms_toollib.cal_probability_csp, their_board)


def their_probabilities(engine: Engine, board: Board, mines: int) -> NDArray[np.float64]:
    """Returns the probabilities of ms-toollib as an array.

    It lists (cell, probability) next to numbers, without certain mines, and gives one value for all cells elsewhere.
    """
    listed, elsewhere, *_ = engine(their_board(board), mines)
    is_open = board < HIDDEN
    is_near_open = maximum_filter(is_open, 3)  # whether any cell of the 3x3 square is open
    probabilities = np.where(is_open, 0.0, np.where(is_near_open, 1.0, elsewhere))
    for cell, probability in listed:
        probabilities[cell] = probability
    return probabilities


def print_differences(boards: NDArray[np.int8], mines: int) -> None:
    """Prints the largest difference between the engines; exits if it exceeds AGREEMENT."""
    expected = mine_probabilities_batch(boards, mines)
    for name, (engine, _) in list(ENGINES.items())[1:]:
        probabilities = np.stack([their_probabilities(engine, board, mines) for board in boards])
        difference = float(np.abs(probabilities - expected).max())
        print(f"largest difference of {name} from ours: {difference:.1e}")
        if difference > AGREEMENT:
            raise SystemExit("the engines disagree")


def call_times(name: str, boards: Sequence[Any], mines: int) -> list[float]:
    """Returns the median and the 99th percentile of the processor times of single calls, in microseconds."""
    clock_readings = [time.process_time_ns()]
    for board in boards:
        ENGINES[name][0](board, mines)
        clock_readings.append(time.process_time_ns())
    return (np.quantile(np.diff(clock_readings), [0.5, 0.99]) / 1000).tolist()


def measure(boards: NDArray[np.int8], mines: int, options: argparse.Namespace) -> None:
    """Prints the times of single calls, for which each engine solves all boards in turn, and the boards per second."""
    prepared = {name: [prepare(board) for board in boards] for name, (_, prepare) in ENGINES.items()}
    # (repeats, engines, 2): the median and the 99th percentile of the calls; the engines take turns.
    times = np.array([[call_times(name, prepared[name], mines) for name in ENGINES] for _ in range(options.repeats)])
    microseconds, ratios = np.median(times, axis=0), np.median(times / times[:, :1], axis=0)
    lines = [
        (name, f"{median:.1f}", f"{tail:.0f}", f"{median_ratio:.2f}", f"{tail_ratio:.2f}")
        for name, (median, tail), (median_ratio, tail_ratio) in zip(ENGINES, microseconds, ratios, strict=True)
    ]
    header = ("", "median", "99th percentile", "this / ours", "99th percentile")
    print_table("single calls from Python, microseconds", header, lines)

    def one_by_one(engine: Engine, positions: Sequence[Any]) -> int:
        return len([engine(board, mines) for board in positions])

    works: dict[str, Work] = {"ours, in batches": lambda: len(mine_probabilities_batch(boards, mines))}
    for name, (engine, _) in ENGINES.items():
        works[f"{name}, one by one"] = partial(one_by_one, engine, prepared[name])
    compare("boards per second on one core", works, options)


def answer_once(name: str) -> None:
    """Solves the board on standard input; prints JSON: the seconds, and the peak memory of this process in MB.

    The least of up to three times counts, because the first call may load compiled code.
    """
    task = json.loads(sys.stdin.read())
    engine, prepare = ENGINES[name]
    board = prepare(np.array(task["board"], np.int8))
    engine(prepare(np.full((3, 3), HIDDEN, np.int8)), 2)  # Loads the kernels.
    times = []
    while len(times) < 3 and sum(times) < 2:
        start = time.process_time()
        engine(board, task["mines"])
        times.append(time.process_time() - start)
    with open("/proc/self/status", encoding="ascii") as status:
        (peak,) = (int(line.split()[1]) / 1000 for line in status if line.startswith("VmHWM"))
    print(json.dumps([min(times), peak]))


def answer_elsewhere(name: str, board: Board, mines: int) -> tuple[str, str]:
    """Solves a board in another process; returns the texts of its milliseconds and megabytes, or (reason, "")."""
    task = json.dumps({"board": board.tolist(), "mines": mines})
    command = ["prlimit", f"--as={MEMORY_LIMIT}", sys.executable, __file__, name]
    try:
        result = subprocess.run(command, input=task, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return f"over {TIME_LIMIT} s", ""
    if result.returncode != 0:
        return "too hard" if "PositionTooHardError" in result.stderr else f"failed ({result.returncode})", ""
    seconds, megabytes = json.loads(result.stdout)
    return f"{seconds * 1000:,.1f}", f"{megabytes:,.0f}"


def measure_hard() -> None:
    """Prints time and memory of the hard positions, each in its own process."""
    lines = []
    for (rows, cols), mines in LATTICES:
        texts = (text for name in ENGINES for text in answer_elsewhere(name, lattice((rows, cols), mines), mines))
        lines.append([f"{rows}x{cols} lattice, {mines} mines", *texts])
    header = ["", *(f"{name}, {unit}" for name in ENGINES for unit in ("ms", "peak MB"))]
    print_table(f"hard positions (at most {TIME_LIMIT} s)", header, lines)


def main() -> None:
    """Prints all tables."""
    options = arguments(__doc__, seconds=1.0, repeats=7)
    print(f"minesweeper_env {minesweeper_env.__version__}, numpy {np.__version__}, {machine()}")
    if ms_toollib is None:
        print("ms-toollib is not installed (pip install ms-toollib==1.5.20)")
    for title, (size, mines, wanted) in BOARDS.items():
        boards, games = guesses(size, mines, wanted)
        print(f"\n{title}: {wanted} guesses from {games} games")
        print_differences(boards, mines)
        measure(boards, mines, options)
    measure_hard()


if __name__ == "__main__":
    answer_once(sys.argv[1]) if sys.argv[1:2] and sys.argv[1] in ENGINES else main()
