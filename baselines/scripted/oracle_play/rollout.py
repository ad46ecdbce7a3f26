"""`rollout`: guesses by playouts of the best clicks, where `lookahead` can only estimate.

Rollouts improve a policy by simulating what follows each of its clicks (Tesauro and Galperin 1996, "On-line policy
improvement using Monte-Carlo search").
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from baselines.checks import number_within
from baselines.policy import Policy
from baselines.scripted.oracle_play.exact import Cells, Flags, Floats
from baselines.scripted.oracle_play.guess_games import Codes, GuessGames, clicks_of
from baselines.scripted.oracle_play.lookahead import BREADTH, MOST_LAYOUTS, SLACK, Endings, LookaheadPolicy
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.engine.state import LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.inference import PositionTooHardError, mine_probabilities, sample_layouts

NEXT_BREADTH = 6
"""Maximum number of candidates of a guess in a playout."""

NODES = 100_000
"""The number of sets of layouts that the search of an ending examines before its best play so far counts."""

FIRST_LAYOUTS = 125
"""The number of layouts before the first comparison; it doubles from one comparison to the next."""

BEHIND = 2.0
"""A click drops out once it is this many standard errors behind the best one."""


class Playouts:
    """Plays positions on with one policy; a game with few layouts left counts with its exact win probability."""

    def __init__(self, config: BoardConfig, policy: Policy, layouts: int) -> None:
        """Prepares to play with `policy`; a game ends with its exact value once at most `layouts` layouts fit."""
        self.config = config
        self._policy, self._endings = policy, Endings(config, layouts, NODES)

    def play(self, board: Codes, layouts: Flags, cells: Sequence[int]) -> tuple[Floats, Floats]:
        """Plays a game from each click on each layout.

        Args:
            board: (n,) int8, cell codes.
            layouts: (L, rows, cols) bool, layouts that fit the board.
            cells: M covered cells.

        Returns:
            values: (M, L) float64, the probability of winning on each layout; 0 where the cell has a mine, and NaN
                where the oracle gave up.
            luck: (M, L) float64, the sum over later guesses of the outcome, 1 for a free cell and 0 for a mine, minus
                the safety of the cell. Its mean over all layouts is 0, so it serves as a control variate.
        """
        games = GuessGames.at(self.config, board, np.tile(layouts, (len(cells), 1, 1)))
        values, luck = np.zeros((2, len(games.risks)))
        games.click(np.arange(len(values)), np.repeat(np.asarray(cells, np.int64), len(layouts)))
        cache: dict[bytes, float] = {}
        playing = np.flatnonzero(games.status == PLAYING)
        while len(playing):
            boards = games.boards()
            values[playing] = [self._exact_value(boards[game], games.log_layouts[game], cache) for game in playing]
            playing = playing[np.isnan(values[playing])]  # An exact value ends the other games.
            if len(playing):
                guesses = clicks_of(self._policy, self.config, boards[playing])
                safety = 1.0 - games.risks[playing, guesses]
                games.click(playing, guesses)
                luck[playing] += (games.status[playing] != LOST) - safety
                values[playing] = 0.0  # Instead of NaN; a lost game keeps it.
                playing = playing[games.status[playing] == PLAYING]
        values[games.status == WON], values[games.status == TRUNCATED] = 1.0, np.nan
        return values.reshape(len(cells), len(layouts)), luck.reshape(len(cells), len(layouts))

    def _exact_value(self, board: Codes, log_layouts: float, cache: dict[bytes, float]) -> float:
        """Returns the cached exact win probability of a board, (n,); NaN if too many layouts fit it."""
        if log_layouts > self._endings.most:
            return np.nan
        key = board.tobytes()
        if key not in cache:
            ending = self._endings.find(board, log_layouts)
            cache[key] = np.nan if ending is None else ending.win_probability
        return cache[key]


def estimate(values: Floats, free: Flags, safety: Floats, luck: Floats) -> tuple[Floats, Floats]:
    """Estimates the value of each click: its safety times the mean value over the layouts where it is safe.

    The oracle gives the exact safety. So the expectation is that of the plain mean over all layouts, without the luck
    of the draw at the click itself. The luck of later guesses is a control variate, since its mean is 0.

    Args:
        values: (M, L) as `Playouts.play` returns them. A layout with a NaN counts for none of the clicks.
        free: (M, L) bool, whether the layout has no mine in the clicked cell.
        safety: (M,) the exact probability that the clicked cell is free.
        luck: (M, L) as `Playouts.play` returns it; zeros for no control variate.

    Returns:
        (M,) float64, the estimated probabilities of winning; and (M, K) float64, the influence on each estimate of
        each of the K layouts that count: K times the first-order change by this layout. Influences have mean 0.
    """
    counted = np.isfinite(values).all(axis=0)
    values, free, luck = values[:, counted], free[:, counted], luck[:, counted]
    values = values - _slope(values[free], luck[free]) * luck
    free_counts = np.maximum(free.sum(axis=1, keepdims=True), 1)
    means = (values * free).sum(axis=1, keepdims=True) / free_counts
    influences = safety[:, None] * free * (values - means) * (counted.sum() / free_counts)
    return safety * means[:, 0], influences


def _slope(values: Floats, luck: Floats) -> float:
    """Returns the slope of the regression of values on luck; 0 if all luck is the same."""
    deviations = luck - luck.mean() if len(luck) else luck
    sum_of_squares = float(deviations @ deviations)
    return float(deviations @ values) / sum_of_squares if sum_of_squares > 0 else 0.0


def errors_beside(influences: Floats, click: int) -> Floats:
    """Returns the standard error of each value minus that of the click `click`, (M,), by influences of `estimate`."""
    return np.asarray((influences - influences[click]).std(axis=1) / np.sqrt(max(influences.shape[1], 1)))


def race(
    playouts: Playouts, board: Codes, layouts: Flags, cells: Sequence[int], safety: Floats, margin: float, limit: int
) -> int:
    """Returns the index in `cells` of the best click on one board; the first cell is the favourite.

    The layouts are common to all clicks. A click drops out when it is clearly behind (Maron and Moore 1993, "Hoeffding
    races"; here the errors are those of paired differences), or when the limit of playouts is too low for all that are
    left (as in Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits").

    Args:
        playouts: plays the games.
        board: (n,) int8, cell codes.
        layouts: (L, rows, cols) bool, drawn uniformly from the layouts that fit the board.
        cells: M covered cells.
        safety: (M,) float64, the exact probabilities that the cells are free; none is 0.
        margin: minimum gain in win probability over the favourite's.
        limit: the largest number of playouts of all clicks together, at least 2 * FIRST_LAYOUTS.
    """
    clicks = np.asarray(cells)
    free = ~layouts.reshape(len(layouts), -1)[:, clicks].T
    values, luck = np.zeros((2, *free.shape))
    # `racing` holds the indices of the clicks that are left, and `estimated` their values.
    racing, estimated, played = np.arange(len(cells)), np.zeros(len(cells)), 0
    for count in _stages(len(layouts)):
        # Only as many clicks play on as the limit can pay for in this stage.
        affordable = np.sort(np.argsort(-estimated, kind="stable")[: limit // (count - played)])
        if len(affordable) < 2:
            break
        racing, new = racing[affordable], slice(played, count)
        values[racing, new], luck[racing, new] = playouts.play(board, layouts[new], clicks[racing].tolist())
        limit -= len(racing) * (count - played)
        played = count
        wins, influences = estimate(values[racing, :count], free[racing, :count], safety[racing], luck[racing, :count])
        estimated = wins - margin * (racing != 0)  # Click 0 is the favourite.
        errors = errors_beside(influences, int(estimated.argmax()))
        in_reach = estimated.max() - estimated <= BEHIND * errors
        racing, estimated = racing[in_reach], estimated[in_reach]
        if not errors[in_reach].any():  # One click is left, or those left do not differ in any layout.
            break
    return int(racing[estimated.argmax()])


def _stages(layouts: int) -> Iterator[int]:
    """Yields the numbers of layouts after which the clicks are compared; the last one is all of them."""
    count = FIRST_LAYOUTS
    while count < layouts:
        yield count
        count *= 2
    yield layouts


class RolloutPolicy(LookaheadPolicy):
    """Plays as `lookahead` does, but compares the candidates of a guess by playouts on common layouts.

    The layouts are drawn uniformly from those that fit the board. `lookahead`, one click ahead, plays each game on, and
    an exact search values its end. Candidates that have fallen behind drop out, until one is left or the playouts are
    spent. The policy keeps the click of `lookahead` unless another one wins more often by a margin.

    The draws depend on the board alone, and all budgets count layouts, so equal boards get equal clicks.
    """

    batch_size = 8

    def __init__(
        self,
        config: BoardConfig,
        draws: int = 1000,
        playouts: int = 3000,
        margin: float = 0.004,
        ends: int = 600,
        layouts: int = 10_000,
        first: str | int | None = None,
    ) -> None:
        """Compiles the kernels; raises ValueError if an option is out of range.

        Args:
            config: the games.
            draws: the largest number of layouts that each candidate is played on, 2 to `MOST_LAYOUTS`.
            playouts: the largest number of playouts of a guess, at least 250; it bounds the time of a move.
            margin: minimum gain in win probability over the click of `lookahead`, at least 0.
            ends: the largest number of layouts at which a playout ends with its exact value, 1 to `MOST_LAYOUTS`.
            layouts: the largest number of layouts for the exact search, 0 to `MOST_LAYOUTS`; 0 turns it off.
            first: the first click: "exact" or None for that of `exact`, "middle", or a cell, row * cols + col.
        """
        self._draws = whole_number("draws", draws, 2, MOST_LAYOUTS)
        self._limit = whole_number("playouts", playouts, 2 * FIRST_LAYOUTS)
        self._margin = number_within("margin", margin, 0)
        base = LookaheadPolicy(config, layouts=0, clicks=1, breadth=NEXT_BREADTH)
        self._playouts = Playouts(config, base, whole_number("ends", ends, 1, MOST_LAYOUTS))
        super().__init__(config, layouts, NODES, first=first)
        # One game compiles the kernels of playouts.
        covered = np.full((config.rows, config.cols), config.codes.hidden, np.int8)
        drawn = sample_layouts(covered, config.mines, 1, np.random.default_rng(0), radius=config.radius)
        self._playouts.play(covered.ravel(), drawn, [0])

    def _weigh(self, boards: Codes, legal: Flags, clicks: Cells) -> Cells:
        # Marks are no evidence, so boards that differ in marks alone are equal.
        boards = np.where(boards > self._max_count, self.config.codes.hidden, boards).astype(np.int8)
        # On a covered board, where a flag bars the first cell, the click of least risk stays.
        started = np.flatnonzero((boards <= self._max_count).any(axis=1))
        clicks[started] = super()._weigh(boards[started], legal[started], clicks[started])
        for i in started:
            clicks[i] = self._best_by_playouts(boards[i], legal[i], int(clicks[i]))
        return clicks

    def _best_by_playouts(self, board: Codes, legal: Flags, favourite: int) -> int:
        """Returns the click on a board, (n,), with legal clicks (n,) bool; `favourite` is the click of `lookahead`."""
        config = self.config
        grid = board.reshape(config.rows, config.cols)
        risks = mine_probabilities(grid, config.mines, radius=config.radius).ravel()
        cells = _candidates(risks, legal, favourite)
        if len(cells) == 1:
            return favourite
        try:
            layouts = sample_layouts(grid, config.mines, self._draws, _generator_for(board), radius=config.radius)
        except PositionTooHardError:
            return favourite
        return cells[race(self._playouts, board, layouts, cells, 1.0 - risks[cells], self._margin, self._limit)]


def _candidates(risks: Floats, legal: Flags, favourite: int) -> list[int]:
    """Returns the cells to compare: `favourite`, then those that `lookahead` compares two clicks ahead."""
    least_risky = np.flatnonzero(legal)[np.argsort(risks[legal], kind="stable")][: BREADTH[2]]
    within_slack = (risks[least_risky] <= risks[least_risky[0]] + SLACK[2]) & (risks[least_risky] < 1.0)
    cells = least_risky[within_slack]
    return [favourite, *cells[cells != favourite].tolist()]


def _generator_for(board: Codes) -> np.random.Generator:
    """Returns the random generator of a board, seeded by its codes: equal boards get equal layouts."""
    digest = hashlib.blake2b(board.tobytes(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
