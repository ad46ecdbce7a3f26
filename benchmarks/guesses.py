"""Comparison of rules for guesses, finer than by win rates: 10 000 games resolve only 0.9 percentage points.

    python benchmarks/guesses.py playouts --rules lookahead:clicks=1 lookahead:clicks=2 --boards 8x8/14 --games 4000
    python benchmarks/guesses.py gaps --rules lookahead:clicks=1 lookahead:clicks=2
    python benchmarks/guesses.py regret --rules exact lookahead:clicks=1,layouts=0 lookahead:clicks=2,layouts=0
    python benchmarks/guesses.py prices --rules afterstate:first=exact afterstate:first=exact,breadth=1 --games 2000
    python benchmarks/guesses.py times --rules lookahead rollout --boards 8x8/14 --games 100

A rule is a policy as `evaluate.py --policy` takes it. The same arguments give the same figures, times aside.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.cli.command import whole_number_from
from baselines.evaluation.games import play_games
from baselines.policy import Policy
from baselines.progress import game_bar
from baselines.registry import find_policy
from baselines.scripted.oracle_play.guess_games import GuessGames, clicks_of
from baselines.scripted.oracle_play.lookahead import Endings
from baselines.scripted.oracle_play.rollout import Playouts, estimate
from minesweeper_env import BoardConfig, MinesweeperVectorEnv
from minesweeper_env.engine.state import PLAYING, TRUNCATED, WON
from minesweeper_env.inference import PositionTooHardError, sample_layouts
from minesweeper_env.inference.kernels import consistent_layouts

OPTIMA = {"5x5/5:safe": 27_271, "5x5/6:safe": 67_263, "5x5/7:safe": 128_683, "5x6/5:safe": 93_674}
"""Numbers of layouts that perfect play wins after a first click in the corner, by searches that took minutes."""

POSITIONS = Path(__file__).parent / "positions" / "guesses-8x8-14.json"
"""The positions of `regret`, with the exact value of each click."""

EARLY = 10_000
"""The most layouts of an ending, whose value is exact, by perfect play. A guess with more layouts is an early one."""


def config_of(board: str) -> BoardConfig:
    """Returns the configuration of a board such as "8x8/14:safe"; the default first-click rule is "opening"."""
    name, _, rule = board.partition(":")
    return BoardConfig.of_name(name, rule or "opening")


def blocks_of(options: argparse.Namespace, size: int = 100) -> Iterator[range]:
    """Yields the seeds of the games in blocks that are played side by side."""
    for begin in range(options.seed, options.seed + options.games, size):
        yield range(begin, min(begin + size, options.seed + options.games))


def after_first_click(config: BoardConfig, layouts: NDArray[np.bool_], cell: int) -> GuessGames:
    """Returns games on layouts, (N, rows, cols) bool, after a first click on `cell`, row * cols + col."""
    games = GuessGames.at(config, np.full(config.cells, config.codes.hidden, np.int8), layouts)
    games.click(np.arange(len(layouts)), np.full(len(layouts), cell))
    return games


def first_click(policy: Policy, config: BoardConfig) -> int:
    """Returns the cell of a policy's first click, row * cols + col."""
    return int(clicks_of(policy, config, np.full((1, config.cells), config.codes.hidden, np.int8))[0])


class Guess(NamedTuple):
    """A position without certain cells, and the click of a policy."""

    game: int  # its seed
    depth: int  # the number of clicks after the first one, those on certain cells not counted
    board: NDArray[np.int8]  # (n,) codes
    risks: NDArray[np.float64]  # (n,) mine probabilities
    log_layouts: float  # natural logarithm of the number of layouts that fit
    click: int


def guesses_of(policy: Policy, config: BoardConfig, seeds: range, layouts: int = EARLY) -> list[Guess]:
    """Returns the guesses with more than `layouts` layouts that a policy meets in the games of these seeds."""
    first_cell, guesses = first_click(policy, config), []
    env = MinesweeperVectorEnv(len(seeds), **config.arguments())
    env.reset(seed=list(seeds))
    env.step(np.full(len(seeds), first_cell, np.int64))  # places the mines
    games, depth = after_first_click(config, env.get_state()["mines"], first_cell), 0
    while len(playing := np.flatnonzero((games.status == PLAYING) & (games.log_layouts > math.log(layouts + 0.5)))):
        boards = games.boards()
        clicks = clicks_of(policy, config, boards[playing])
        guesses += [
            Guess(seeds[game], depth, boards[game], games.risks[game].copy(), float(games.log_layouts[game]), click)
            for game, click in zip(playing.tolist(), clicks.tolist(), strict=True)
        ]
        games.click(playing, clicks)
        depth += 1
    return guesses


def gains(guess: Guess, clicks: NDArray[np.int64], playouts: Playouts, draws: int) -> NDArray[np.float64]:
    """Returns by how much the click of each rule, (rules,), raises the probability of winning over that of rule 0."""
    config, cells = playouts.config, np.unique(clicks)
    rng = np.random.default_rng([guess.game, guess.depth])
    board = guess.board.reshape(config.rows, config.cols)
    try:
        layouts = sample_layouts(board, config.mines, draws, rng, radius=config.radius)
    except PositionTooHardError:
        return np.zeros(len(clicks))
    values, _ = playouts.play(guess.board, layouts, cells.tolist())
    is_safe = ~layouts.reshape(len(layouts), -1)[:, cells].T  # (cells, layouts)
    wins, _ = estimate(values, is_safe, 1.0 - guess.risks[cells], np.zeros(values.shape))
    wins_of_rules = wins[np.searchsorted(cells, clicks)]  # `cells` are sorted and distinct
    return wins_of_rules - wins_of_rules[0]


def playouts(options: argparse.Namespace) -> None:
    """Prints the advantage of each rule over the first one, by playouts where their clicks differ.

    The advantage is what a rule gains per game if it chooses the click at one such guess, and play goes on equally; the
    sum over the guesses of a game approximates, to first order, the gain of a player who always uses the rule.
    """
    for board in options.boards:
        config = config_of(board)
        rules = {name: find_policy(name)(config) for name in options.rules}
        simulator = Playouts(config, find_policy(options.playout)(config), 600)
        game_gains, differing_clicks, count = np.zeros((len(rules), options.games)), np.zeros(len(rules)), 0
        for seeds in blocks_of(options):
            if guesses := guesses_of(rules[options.rules[0]], config, seeds):
                boards = np.stack([guess.board for guess in guesses])
                clicks = np.stack([clicks_of(policy, config, boards) for policy in rules.values()], axis=1)
                differing_clicks += (clicks != clicks[:, :1]).sum(axis=0)
                for guess, rule_clicks in zip(guesses, clicks, strict=True):
                    if (rule_clicks != rule_clicks[0]).any():
                        game_gains[:, guess.game - options.seed] += gains(guess, rule_clicks, simulator, options.draws)
            count += len(guesses)
        print(f"\n{board}: {options.games} games, {count / options.games:.2f} early guesses per game")
        for name, gained, differing in zip(rules, 100 * game_gains, differing_clicks, strict=True):
            error, share = gained.std(ddof=1) / math.sqrt(len(gained)), differing / max(count, 1)
            print(f"{name}: differs {share:.0%}, points per game {gained.mean():+.3f} (se {error:.3f})")


class Prices:
    """Exact prices of guesses in endings; the price of equal guesses is computed once."""

    def __init__(self, config: BoardConfig) -> None:
        self.config, self.endings = config, Endings(config, EARLY, 20_000_000)
        self.known: dict[tuple[bytes, int], float] = {}

    def __call__(self, guess: Guess) -> float:
        """Returns the probability of winning that a guess gives away, if all later play is perfect."""
        key = guess.board.tobytes(), guess.click
        if key not in self.known:
            optimum = exact_value(self.endings, guess.board, round(math.exp(guess.log_layouts)))
            click_value = values_of(self.config, guess.board, [guess.click], self.endings)[guess.click]
            self.known[key] = max(0.0, optimum - click_value)
        return self.known[key]

    def split(self, guesses: Sequence[Guess]) -> tuple[list[Guess], list[Guess]]:
        """Returns the guesses in endings, which have a price, and the earlier guesses."""
        endings = [guess for guess in guesses if guess.log_layouts <= self.endings.most]
        return endings, [guess for guess in guesses if guess.log_layouts > self.endings.most]


def early_gains(guesses: Sequence[Guess], rule: Policy, playouts: Playouts, draws: int) -> Iterator[tuple[int, float]]:
    """Yields (seed, gain over `rule`) for each guess whose click is not that of `rule`; playouts estimate the gain."""
    if not guesses:
        return
    reference_clicks = clicks_of(rule, playouts.config, np.stack([guess.board for guess in guesses]))
    for guess, reference_click in zip(guesses, reference_clicks.tolist(), strict=True):
        if reference_click != guess.click:
            yield guess.game, gains(guess, np.array([reference_click, guess.click]), playouts, draws)[1]


def prices(options: argparse.Namespace) -> None:
    """Prints what each rule gives away in its own whole games, on the same seeds.

    Guesses in endings have exact prices. For earlier ones, playouts compare the rule's click with that of the first
    rule, as in `playouts`. Certain cells are opened for the rule, so its errors there do not count.
    """
    for board in options.boards:
        config = config_of(board)
        rules = {name: find_policy(name)(config) for name in options.rules}
        simulator, price = Playouts(config, find_policy(options.playout)(config), 600), Prices(config)
        lost_by_first_rule = np.zeros(options.games)
        print(f"\n{board}: {options.games} games; points per game, standard errors in brackets")
        for name, policy in rules.items():
            (lost, gained), counts = np.zeros((2, options.games)), np.zeros(2)
            with game_bar("playing", name, options.games) as on_finished:
                for seeds in blocks_of(options):
                    endings, early = price.split(guesses_of(policy, config, seeds, 1))
                    counts += len(endings), len(early)
                    for guess in endings:
                        lost[guess.game - options.seed] += price(guess)
                    for game, gain in early_gains(early, rules[options.rules[0]], simulator, options.draws):
                        gained[game - options.seed] += gain
                    on_finished(len(seeds))
            lost_by_first_rule = lost if name == options.rules[0] else lost_by_first_rule
            (num_endings, num_early), difference = counts / options.games, points(lost - lost_by_first_rule)
            print(f"{name}: gives away {points(lost)} at {num_endings:.2f} guesses at ends, {difference} ", end="")
            print(f"against the first rule; gains {points(gained)} at {num_early:.2f} guesses before")


def points(per_game: NDArray[np.float64]) -> str:
    """Returns the mean of (games,) probabilities as text: percentage points, with the standard error in brackets."""
    return f"{100 * per_game.mean():.3f} ({100 * per_game.std(ddof=1) / math.sqrt(len(per_game)):.3f})"


def wins_of(config: BoardConfig, policy: Policy, layouts: int = EARLY) -> tuple[float, int]:
    """Returns the expected number of layouts that a policy wins, and the number of all layouts.

    All layouts are played at once. The policy decides once for equal boards, so it must act alike on them. Positions
    with at most `layouts` layouts are played perfectly.
    """
    endings, first_cell = Endings(config, layouts, 10_000_000), first_click(policy, config)
    mine_cells = np.array(list(combinations(np.delete(np.arange(config.cells), first_cell), config.mines)))
    all_layouts = np.zeros((len(mine_cells), config.cells), np.bool_)
    np.put_along_axis(all_layouts, mine_cells, True, axis=1)
    games, wins = after_first_click(config, all_layouts.reshape(-1, config.rows, config.cols), first_cell), 0.0
    while len(playing := np.flatnonzero(games.status == PLAYING)):
        # The distinct boards, a game that shows each one, and the number of the board of each game.
        boards, examples, board_of = np.unique(games.boards()[playing], axis=0, return_index=True, return_inverse=True)
        is_ending = games.log_layouts[playing[examples]] <= endings.most
        values, clicks = np.zeros(len(boards)), np.zeros(len(boards), np.int64)
        values[is_ending] = [exact_value(endings, board, layouts) for board in boards[is_ending]]
        wins += values[board_of].sum()
        games.status[playing[is_ending[board_of]]] = TRUNCATED
        if not is_ending.all():
            clicks[~is_ending] = clicks_of(policy, config, boards[~is_ending])
            goes_on = ~is_ending[board_of]
            games.click(playing[goes_on], clicks[board_of[goes_on]])
    return wins + int((games.status == WON).sum()), len(all_layouts)


def exact_value(endings: Endings, board: NDArray[np.int8], layouts: int) -> float:
    """Returns the probability that perfect play wins from a board, (n,) codes, which at most `layouts` layouts fit."""
    ending = endings.find(board, math.log(layouts))
    if ending is None or not ending.exact:
        raise PositionTooHardError("the search of an ending gave up")
    return ending.win_probability


def gaps(options: argparse.Namespace) -> None:
    """Prints how far each rule stays below the optimum on tiny boards, every layout played."""
    for board in options.boards:
        config = config_of(board)
        for rule in options.rules:
            wins, layouts = wins_of(config, find_policy(rule)(config))
            optimum = 100 * OPTIMA[board] / layouts
            print(f"{board} {rule}: optimum {optimum:.3f} %, below it by {optimum - 100 * wins / layouts:.3f} points")


def values_of(config: BoardConfig, board: NDArray[np.int8], cells: Sequence[int], endings: Endings) -> dict[int, float]:
    """Returns {cell: probability of winning} for a click on each cell of a board (n,), and perfect play after it."""
    grid = board.reshape(config.rows, config.cols)
    layouts = consistent_layouts(grid, config.mines, round(math.exp(endings.most)), radius=config.radius)
    values = {}
    for cell in cells:
        column = layouts.cells.tolist().index(cell)
        is_safe = layouts.mines[:, column] == 0
        clues, layouts_of_clue = np.unique(layouts.counts[is_safe, column], return_counts=True)
        wins = 0.0  # layouts that are won, the safe ones by the clue that the click shows
        for clue, number in zip(clues, layouts_of_clue.tolist(), strict=True):
            next_board = board.copy()
            next_board[cell] = clue
            wins += number * (1.0 if number == 1 else exact_value(endings, next_board, number))  # One layout left: won.
        values[cell] = wins / len(layouts.mines)
    return values


def stored_positions() -> tuple[BoardConfig, list[tuple[NDArray[np.int8], dict[int, float]]]]:
    """Returns the configuration, and for each position its (n,) codes and {cell: probability that its click wins}."""
    content, positions = json.loads(POSITIONS.read_text()), []
    for stored in content["positions"]:
        pairs = (pair.split(":") for pair in stored["values"].split())
        board = np.array([int(code, 16) for code in stored["board"]], np.int8)
        positions.append((board, {int(cell): float(value) for cell, value in pairs}))
    return BoardConfig.of_name(content["board"], content["first_click"]), positions


def losses(rule: str, count: int | None = None) -> NDArray[np.float64]:
    """Returns (positions,): the probability of winning that a rule's click gives away on each stored position."""
    config, positions = stored_positions()
    positions = positions[:count]
    clicks = clicks_of(find_policy(rule)(config), config, np.stack([board for board, _ in positions])).tolist()
    endings = Endings(config, EARLY, 20_000_000)
    given_away = []
    for (board, values), click in zip(positions, clicks, strict=True):
        click_value = values[click] if click in values else values_of(config, board, [click], endings)[click]
        given_away.append(max(0.0, max(values.values()) - click_value))
    return np.array(given_away)


def regret(options: argparse.Namespace) -> None:
    """Prints the mean probability of winning that each rule gives away on the stored positions."""
    for rule in options.rules:
        lost = losses(rule)
        error = lost.std() / math.sqrt(len(lost))
        print(f"{rule}: {lost.mean():.4f} (se {error:.4f}), best {np.mean(lost < 1e-9):.0%}")


class Clock:
    """Wraps a policy, and measures its calls of `act`: `longest` is the processor time of the longest, in seconds."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.longest, self.reset = policy, 0.0, policy.reset

    def act(self, *arguments: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns the actions of the policy."""
        begin = time.process_time()
        actions = self.policy.act(*arguments)
        self.longest = max(self.longest, time.process_time() - begin)
        return actions


def times(options: argparse.Namespace) -> None:
    """Prints the processor time of each rule per game; blocks of the same games alternate between the rules."""
    for board in options.boards:
        config = config_of(board)
        clocks = {name: Clock(find_policy(name)(config)) for name in options.rules}
        seconds_of = dict.fromkeys(clocks, 0.0)
        for seeds in blocks_of(options, options.at_once):
            for name, clock in clocks.items():
                begin = time.process_time()
                play_games(clock, config, seeds)
                seconds_of[name] += time.process_time() - begin
        for name, clock in clocks.items():
            ms_per_game = 1000 * seconds_of[name] / options.games
            print(f"{board} {name}: {ms_per_game:.2f} ms per game, longest call {clock.longest:.2f} s")


def main() -> None:
    """Runs the command of the arguments."""
    parser = argparse.ArgumentParser(description="Compare rules for guesses.")
    run = {"playouts": playouts, "gaps": gaps, "regret": regret, "prices": prices, "times": times}
    parser.add_argument("command", choices=run)
    parser.add_argument("--rules", nargs="+", required=True, metavar="POLICY", help="compare these policies")
    parser.add_argument("--boards", nargs="+", metavar="BOARD", help="boards such as 8x8/14:safe")
    count = whole_number_from(1)
    parser.add_argument("--games", type=count, default=1000, help="games per board (default 1000)")
    parser.add_argument("--seed", type=whole_number_from(0), default=600_000, help="seed of game 0 (default 600000)")
    parser.add_argument("--draws", type=count, default=40, help="play each click on this many layouts (default 40)")
    parser.add_argument("--playout", default="lookahead:clicks=1,layouts=0,breadth=6", help="policy of the playouts")
    parser.add_argument("--at-once", type=count, default=100, help="games side by side in times (default 100)")
    options = parser.parse_args()
    options.boards = options.boards or (list(OPTIMA) if options.command == "gaps" else ["8x8/14"])
    run[options.command](options)


if __name__ == "__main__":
    main()
