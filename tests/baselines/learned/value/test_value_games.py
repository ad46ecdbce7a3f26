"""Training games of `value`: certain cells are opened, and no click loses."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.policies import all_layouts, click_config

from baselines.learned.common.budget import Clock
from baselines.learned.networks.size import NetworkSize
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import best_clicks
from baselines.learned.value.safe_games import SafeGames
from baselines.learned.value.self_play import SelfPlay
from baselines.scripted.oracle_play.first_click import first_cell
from minesweeper_env import BoardConfig, MinesweeperEnv
from minesweeper_env.engine.state import LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.inference import count_layouts, mine_probabilities
from minesweeper_env.inference.counting import run, workspace

CONFIGS = [
    click_config(4, 5, 5),
    click_config(8, 8, 14),
    click_config(6, 4, 5, "safe"),
    click_config(5, 5, 5, "any"),
    BoardConfig(7, 7, 4, "safe", ("click",), radius=2),
]


def least_risks(probabilities: np.ndarray, codes: np.ndarray, hidden: int) -> np.ndarray:
    """Returns the first least risky hidden cell of each of N boards."""
    risks = np.where(codes == hidden, probabilities, 2.0).reshape(len(codes), -1)
    return (risks <= risks.min(axis=1, keepdims=True) + 1e-9).argmax(axis=1)


class NaivePlay:
    """A game on a known layout that opens certain cells one click at a time."""

    def __init__(self, config: BoardConfig, layout: np.ndarray) -> None:
        self.config = config
        self.env = MinesweeperEnv(
            (config.rows, config.cols), config.mines, config.first_click, ("click",), radius=config.radius
        )
        self.board, _ = self.env.reset(options={"layout": layout})
        self.over = self.won = False

    def click(self, cell: int) -> None:
        self.board, _, self.over, _, info = self.env.step(cell)
        self.won = info["is_success"]
        while not self.over:
            probabilities = self.probabilities()
            free = np.flatnonzero((probabilities == 0.0) & (self.board == self.config.codes.hidden))
            if len(free) == 0:
                return
            self.board, _, self.over, _, info = self.env.step(int(free[-1]))
            self.won = info["is_success"]

    def probabilities(self) -> np.ndarray:
        return mine_probabilities(self.board, self.config.mines, radius=self.config.radius)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{config.rows}x{config.cols}-{config.first_click}")
def test_games_are_as_if_played_click_by_click(config):
    count = 40
    games = SafeGames(config, count, np.random.default_rng(0), random_first=0.0)
    clicks = [[first_cell(config)] for _ in range(count)]
    for _ in range(2):
        guesses = games.guesses()
        mines = games._games.mines()
        for i in range(count):
            game = NaivePlay(config, mines[i])
            for cell in clicks[i]:
                game.click(cell)
            assert not game.over
            np.testing.assert_array_equal(guesses.codes[i], game.board)
            np.testing.assert_allclose(guesses.probabilities[i], game.probabilities(), atol=1e-12)
            layouts = count_layouts(game.board, config.mines, radius=config.radius)
            assert guesses.log_layouts[i] == pytest.approx(np.log(float(layouts)), abs=1e-9)
        cells = least_risks(guesses.probabilities, guesses.codes, config.codes.hidden)
        statuses, _ = games.click(cells)
        for i in range(count):
            clicks[i].append(int(cells[i]))
        over = statuses != PLAYING
        games.restart(over)
        for i in np.flatnonzero(over):
            clicks[i] = [first_cell(config)]


def win_rate_by_enumeration(config: BoardConfig) -> float:
    """Returns the fraction of all layouts on which clicking the least risky cell wins."""
    first = first_cell(config)
    layouts = all_layouts(config)
    layouts = layouts[~layouts.reshape(len(layouts), -1)[:, first]]
    won = 0
    for layout in layouts:
        game = NaivePlay(config, layout)
        game.click(first)
        while not game.over:
            game.click(int(least_risks(game.probabilities()[None], game.board[None], config.codes.hidden)[0]))
        won += game.won
    return won / len(layouts)


def test_the_mean_product_of_safety_is_the_win_rate():
    config = click_config(4, 4, 4, "safe")
    count = 500
    games = SafeGames(config, count, np.random.default_rng(1), random_first=0.0)
    # Games without a guess are won, and are not included.
    first, layouts = first_cell(config), all_layouts(config)
    layouts = layouts[~layouts.reshape(len(layouts), -1)[:, first]]
    begun = [NaivePlay(config, layout) for layout in layouts]
    for game in begun:
        game.click(first)
    share_of_guesses = np.mean([not game.over for game in begun])
    odds, products = np.ones(count), []
    while len(products) < 6000:
        guesses = games.guesses()
        cells = least_risks(guesses.probabilities, guesses.codes, config.codes.hidden)
        odds *= 1.0 - guesses.probabilities.reshape(count, -1)[np.arange(count), cells]
        over = games.click(cells)[0] == WON
        products.extend(odds[over])
        odds[over] = 1.0
        games.restart(over)
    expected = (win_rate_by_enumeration(config) - (1.0 - share_of_guesses)) / share_of_guesses
    assert np.mean(products) == pytest.approx(expected, abs=4 * np.std(products) / len(products) ** 0.5)


def test_after_a_click_layouts_are_as_likely_as_each_other():
    config = click_config(3, 4, 4, "safe")
    count, clicked = 4000, 11
    games = SafeGames(config, count, np.random.default_rng(2), random_first=0.0)
    guesses = games.guesses()
    same = (guesses.codes == guesses.codes[0]).all(axis=(1, 2)) & (
        guesses.probabilities.reshape(count, -1)[:, clicked] < 1
    )
    cells = least_risks(guesses.probabilities, guesses.codes, config.codes.hidden)
    cells[same] = clicked
    assert 0 < guesses.probabilities[0].ravel()[clicked] < 1
    games.click(cells)
    laid = games._games.mines()[same].reshape(same.sum(), -1)
    kinds, numbers = np.unique(laid, axis=0, return_counts=True)
    board = guesses.codes[0].copy()
    safe = (1.0 - guesses.probabilities[0].ravel()[clicked]) * count_layouts(board, config.mines)
    assert len(kinds) == round(safe) > 2
    assert not laid[:, clicked].any()
    mean = same.sum() / len(kinds)
    assert ((numbers - mean) ** 2 / mean).sum() < len(kinds) - 1 + 5 * (2 * len(kinds)) ** 0.5


def test_no_game_is_ever_lost():
    config = click_config(5, 5, 8, "any")
    games, rng = SafeGames(config, 60, np.random.default_rng(3), random_first=1.0), np.random.default_rng(4)
    for _ in range(30):
        guesses = games.guesses()
        possible = ((guesses.codes == config.codes.hidden) & (guesses.probabilities < 1.0)).reshape(60, -1)
        statuses, _ = games.click(np.where(possible, rng.random(possible.shape), -1.0).argmax(axis=1))
        assert LOST not in statuses
        games.restart(statuses != PLAYING)


def test_cells_that_cannot_prove_safe_are_refused_and_nothing_is_clicked():
    config = click_config(8, 8, 14)
    games = SafeGames(config, 60, np.random.default_rng(3))
    guesses = games.guesses()
    for impossible in (guesses.codes < config.codes.hidden, guesses.probabilities == 1.0):
        game, row, col = np.argwhere(impossible)[0]
        cells = least_risks(guesses.probabilities, guesses.codes, config.codes.hidden)
        cells[game] = row * config.cols + col
        with pytest.raises(ValueError, match=f"cell {cells[game]} of game {game} is open or certainly a mine"):
            games.click(cells)
    np.testing.assert_array_equal(games.guesses().codes, guesses.codes)


def test_restored_games_go_on_as_the_saved_ones():
    config = click_config(6, 6, 8)
    rng = np.random.default_rng(5)
    games = SafeGames(config, 30, rng)
    saved, state = games.save(), rng.bit_generator.state
    other_rng = np.random.default_rng(77)
    other = SafeGames(config, 30, other_rng)
    other.restore(saved)
    other_rng.bit_generator.state = state
    for _ in range(6):
        mine, yours = games.guesses(), other.guesses()
        for one, another in zip(mine, yours, strict=True):
            np.testing.assert_array_equal(one, another)
        cells = least_risks(mine.probabilities, mine.codes, config.codes.hidden)
        over = games.click(cells)[0] != PLAYING
        assert ((other.click(cells)[0] != PLAYING) == over).all()
        games.restart(over)
        other.restart(over)


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr(workspace, "MAX_STATES", 96)
    monkeypatch.setattr(workspace, "_FIRST_STATES", 96)
    run._workspaces.cache_clear()
    yield
    run._workspaces.cache_clear()


@pytest.mark.usefixtures("little_room")
def test_games_that_are_too_hard_are_given_up_and_the_others_go_on():
    config = click_config(9, 11, 22)
    games = SafeGames(config, 50, np.random.default_rng(6))
    seen = set()
    for _ in range(8):
        guesses = games.guesses()
        statuses, _ = games.click(least_risks(guesses.probabilities, guesses.codes, config.codes.hidden))
        seen |= set(statuses.tolist())
        games.restart(statuses != PLAYING)
    assert {PLAYING, TRUNCATED} <= seen <= {PLAYING, WON, TRUNCATED}


def test_boards_that_are_too_hard_to_look_ahead_on_get_no_click_and_the_others_do(request):
    torch.manual_seed(0)
    config, network = click_config(9, 11, 22), ValueNetwork(NetworkSize(8, 1))
    guesses = SafeGames(config, 50, np.random.default_rng(9)).guesses()
    boards = guesses.codes.reshape(50, -1)
    clicks, expected = best_clicks(network, config, boards, boards > config.codes.max_count, 0.1, 4)
    assert (clicks >= 0).all()
    request.getfixturevalue("little_room")
    found, values = best_clicks(network, config, boards, boards > config.codes.max_count, 0.1, 4)
    easy = found >= 0
    assert 0 < easy.sum() < 50
    np.testing.assert_array_equal(found[easy], clicks[easy])
    np.testing.assert_allclose(values, np.where(easy, expected, 0.0), atol=1e-6)


@pytest.mark.usefixtures("little_room")
def test_nothing_is_learned_from_games_that_are_too_hard_to_look_ahead_on(monkeypatch):
    practice = SelfPlay(click_config(9, 11, 22), ValueHyperparameters(), 50, np.random.default_rng(10))
    network, hard = ValueNetwork(NetworkSize(8, 1)), set()

    def watch(network, config, boards, *others):
        clicks, values = best_clicks(network, config, boards, *others)
        hard.update(board.tobytes() for board in boards[clicks < 0])
        return clicks, values

    monkeypatch.setattr("baselines.learned.value.self_play.best_clicks", watch)
    for _ in range(20):
        practice.step(network, Clock())
    learned = {board.tobytes() for board in practice.draw(len(practice.trajectories.ready)).codes}
    assert hard
    assert learned
    assert not hard & learned


def test_boards_without_a_guess_are_refused():
    with pytest.raises(ValueError, match="none of 10000 games on 1 x 2 with 1 mines came to a guess"):
        SafeGames(click_config(1, 2, 1, "safe"), 500, np.random.default_rng(7))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{config.rows}x{config.cols}-{config.first_click}")
def test_the_boards_after_a_click_show_what_the_cell_did_and_no_more(config):
    games = SafeGames(config, 40, np.random.default_rng(8))
    before = games.guesses()
    cells = least_risks(before.probabilities, before.codes, config.codes.hidden)
    _, after = games.click(cells)
    # After the click the layouts do not change.
    mines = games._games.mines()
    reach = config.radius
    for i, cell in enumerate(cells):
        row, col = divmod(int(cell), config.cols)
        around = mines[i, max(0, row - reach) : row + reach + 1, max(0, col - reach) : col + reach + 1]
        expected = before.codes[i].copy()
        expected[row, col] = around.sum()
        np.testing.assert_array_equal(after.codes[i], expected)
        probabilities = mine_probabilities(expected, config.mines, radius=reach)
        np.testing.assert_allclose(after.probabilities[i], probabilities, atol=1e-12)
        layouts = count_layouts(expected, config.mines, radius=reach)
        assert after.log_layouts[i] == pytest.approx(np.log(float(layouts)), abs=1e-9)
