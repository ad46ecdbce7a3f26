"""Agreement of the engine with the naive game, on all small layouts and on larger ones; properties of all games."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.equality import assert_same
from support.naive_game import ALL_MOVES, NaiveGame

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.rewards import REWARDS

SMALL = [(rows, cols) for rows, cols in product(range(1, 4), range(1, 5)) if 2 <= rows * cols < 12]
LARGE = [
    ((5, 5), 5, 1),
    ((8, 8), 14, 1),
    ((3, 17), 9, 1),
    ((1, 30), 6, 1),
    ((12, 7), 16, 2),
    ((6, 6), 30, 2),
    ((9, 11), 12, 3),
    ((16, 30), 99, 1),
]


def grid(game: NaiveGame) -> np.ndarray:
    return np.array([cell in game.mines for cell in game.board]).reshape(game.rows, game.cols)


def random_game(rng, size, mines, *rules, **limits) -> NaiveGame:
    board = list(product(*map(range, size)))
    return NaiveGame(*size, [board[i] for i in rng.choice(len(board), mines, replace=False)], *rules, **limits)


def assert_agree(games, observations, terminations, truncations, infos, playing, illegal):
    """Compares the games with the index in `playing` with a batch of arrays."""
    for i in playing:
        game = games[i]
        assert observations[i].ravel().tolist() == game.codes()
        assert infos["action_mask"][i].tolist() == game.mask()
        assert terminations[i] == (game.status in ("won", "lost"))
        assert truncations[i] == (game.status == "truncated")
        assert infos["is_success"][i] == (game.status == "won")
        assert infos["invalid_action"][i] == illegal[i]


def play(env, games, steps, choose):
    """Plays all games at once, without moves in finished ones; returns their final statuses."""
    observations, infos = env.reset(options={"layout": np.stack([grid(game) for game in games])})
    nothing = [False] * len(games)
    assert_agree(games, observations, nothing, nothing, infos, range(len(games)), nothing)
    for turn in range(steps):
        playing = [i for i, game in enumerate(games) if game.status == "playing"]
        actions = np.array([choose(i, games[i], turn) for i in range(len(games))])
        illegal = [game.step(int(action))[1] for game, action in zip(games, actions, strict=True)]
        observations, _, terminations, truncations, infos = env.step(actions)
        assert_agree(games, observations, terminations, truncations, infos, playing, illegal)
    return {game.status for game in games}


def lively_choice(rng):
    """Returns a chooser that often opens safe cells and flags mines, so that games go far and chords happen."""

    def choose(_, game, __):
        kind = rng.random()
        cells = len(game.board)
        if kind < 0.35:
            wanted = [i for i, cell in enumerate(game.board) if cell not in game.opened | game.mines]
        elif kind < 0.55:
            wanted = [cells + i for i, cell in enumerate(game.board) if cell in game.mines - game.flags()]
        elif kind < 0.75:
            wanted = [4 * cells + i for i, cell in enumerate(game.board) if game.to_chord(cell)]
        else:
            wanted = []
        return rng.choice(wanted) if wanted else rng.integers(5 * cells)

    return choose


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_all_layouts_of_small_boards(rows, cols):
    """Plays every layout with every first click, followed by random moves."""
    cells, endings = rows * cols, set()
    for mines in range(1, cells):
        layouts = list(combinations(product(range(rows), range(cols)), mines))
        games = [NaiveGame(rows, cols, layout) for layout in layouts for _ in range(cells)]
        env = MinesweeperVectorEnv(len(games), (rows, cols), mines, "any", ALL_MOVES)
        lively = lively_choice(np.random.default_rng(cells * mines))

        def choose(i, game, turn, lively=lively):
            return i % cells if turn == 0 else lively(i, game, turn)

        endings |= play(env, games, 13, choose)
    assert {"won", "lost"} <= endings


@pytest.mark.parametrize(("size", "radius"), [((1, 100), 1), ((100, 100), 1), ((12, 12), 5)])
def test_first_clicks_on_large_boards_and_with_the_largest_radius(size, radius):
    mines = size[0] * size[1] // 10
    game = random_game(np.random.default_rng(5), size, mines, radius)
    env = MinesweeperEnv(size, mines, "any", radius=radius)
    env.reset(options={"layout": grid(game)})
    for action in [i for i, cell in enumerate(game.board) if cell not in game.mines][-3:]:
        game.step(action)
        assert env.step(action)[0].ravel().tolist() == game.codes()


@pytest.mark.parametrize(("size", "mines", "radius"), LARGE)
def test_random_larger_games(size, mines, radius):
    count, steps = (4 if size == (16, 30) else 16), 40
    rng = np.random.default_rng([*size, mines, radius])
    env = MinesweeperVectorEnv(count, size, mines, "any", ALL_MOVES, radius=radius, max_steps=steps - 2)
    games = [random_game(rng, size, mines, radius, max_steps=steps - 2) for _ in range(count)]
    endings = play(env, games, steps, lively_choice(rng))
    assert {"lost", "truncated"} & endings


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("moves", [("click",), ("click", "flag"), ("click", "chord"), ("click", "unflag", "question")])
def test_the_single_environment_agrees_for_other_sets_of_moves(moves, radius):
    rng = np.random.default_rng([radius, len(moves)])
    env = MinesweeperEnv((6, 9), 10, "any", moves, radius=radius)
    for _ in range(12):
        game = random_game(rng, (6, 9), 10, radius, moves)
        observation, info = env.reset(options={"layout": grid(game)})
        while game.status == "playing" and game.steps < 25:
            assert observation.ravel().tolist() == game.codes()
            assert info["action_mask"].tolist() == game.mask()
            safe = [i for i, cell in enumerate(game.board) if cell not in game.mines]
            action = int(rng.choice(safe)) if rng.random() < 0.6 else int(rng.integers(len(moves) * 54))
            illegal = game.step(action)[1]
            observation, _, terminated, truncated, info = env.step(action)
            assert (terminated, truncated) == (game.status in ("won", "lost"), False)
            assert (info["invalid_action"], info["is_success"]) == (illegal, game.status == "won")
        assert observation.ravel().tolist() == game.codes()


# Properties of every game, for any board and any actions


@st.composite
def layouts(draw):
    """Draws a (rows, cols) bool layout with at least one mine and one safe cell."""
    rows, cols = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)).filter(lambda size: size != (1, 1)))
    cells = np.arange(rows * cols)
    mines = draw(st.sets(st.sampled_from(cells.tolist()), min_size=1, max_size=len(cells) // 2))
    return np.isin(cells, list(mines)).reshape(rows, cols)


radii = st.integers(1, 3)
action_numbers = st.lists(st.integers(0, 5 * 49 - 1), max_size=40)


def start(layout, **arguments):
    """Returns an environment with a new game on this layout."""
    env = MinesweeperEnv(layout.shape, int(layout.sum()), "any", ALL_MOVES, **arguments)
    env.reset(options={"layout": layout})
    return env


def act(env, actions):
    """Takes actions, folded into the action space, until the game is over; returns all steps."""
    steps = []
    for action in actions:
        steps.append(env.step(action % int(env.action_space.n)))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


@given(layouts(), radii, st.randoms(use_true_random=False), st.data())
def test_flood_fill_does_not_depend_on_the_order_of_clicks(layout, radius, random, data):
    safe = np.flatnonzero(~layout).tolist()
    clicks = data.draw(st.lists(st.sampled_from(safe), max_size=8))
    flags = data.draw(st.sets(st.integers(0, layout.size - 1), max_size=6))
    boards = []
    for order in (clicks, random.sample(clicks, len(clicks))):
        env = start(layout, radius=radius)
        act(env, [layout.size + cell for cell in flags] + order)
        boards.append(env.get_state()["codes"])
    assert np.array_equal(*boards)


@given(layouts(), radii)
def test_progress_sums_to_one_over_a_won_game(layout, radius):
    steps = act(start(layout, radius=radius, reward="progress"), np.flatnonzero(~layout).tolist())
    assert steps[-1][4]["is_success"]
    assert sum(step[1] for step in steps) == pytest.approx(1.0)


@given(layouts(), st.sampled_from(REWARDS), action_numbers)
def test_only_opening_a_cell_earns_anything(layout, reward, actions):
    covered, total = layout.size, 0.0
    for observation, earned, *_ in act(start(layout, reward=reward), actions * 3):
        now_covered = int((observation > 8).sum())
        assert earned <= 0 or now_covered < covered
        covered = now_covered
        total += earned
    assert total <= 1.0 * (~layout).sum() + 1.0


@given(layouts(), st.sampled_from(REWARDS), st.booleans(), action_numbers)
def test_nothing_is_earned_after_the_end(layout, reward, wins, actions):
    env = start(layout, reward=reward)
    last = act(env, np.flatnonzero(layout != wins).tolist())[-1]
    for action in actions:
        observation, *results, info = env.step(action % int(env.action_space.n))
        assert results == [0.0, True, False]
        assert (info["is_success"], info["invalid_action"]) == (wins, False)
        assert info["action_mask"].all()
        assert np.array_equal(observation, last[0])


@given(layouts(), layouts(), action_numbers)
def test_nothing_returned_depends_on_mines_that_are_not_shown(layout, other, actions):
    """Two layouts that agree with everything visible give the same observations, masks, rewards and info."""
    if layout.shape != other.shape or layout.sum() != other.sum():
        other = np.roll(layout.ravel(), 1).reshape(layout.shape)
    one, two = start(layout, reward="shaped"), start(other, reward="shaped")
    for action in actions:
        left, right = one.step(action % int(one.action_space.n)), two.step(action % int(two.action_space.n))
        if left[2] or right[2] or not np.array_equal(left[0], right[0]):
            return
        assert_same(left, right)


@given(layouts(), st.integers(0, 2**32), st.lists(st.integers(0, 48), max_size=10))
def test_sampled_actions_are_legal(layout, seed, clicks):
    env = MinesweeperVectorEnv(4, layout.shape, int(layout.sum()), "any", ALL_MOVES)
    env.reset(seed=seed, options={"layout": layout})
    for click in clicks:
        mask = env.action_masks()
        actions = env.sample_actions()
        assert actions.dtype == np.int64
        assert mask[np.arange(4), actions].all()
        env.step(np.where(np.arange(4) < 2, actions, click % layout.size))
