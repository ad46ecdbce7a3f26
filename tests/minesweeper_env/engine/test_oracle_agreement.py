"""Agreement of the engine with the naive game, on all layouts of small boards and on random larger ones."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from support.naive_game import ALL_MOVES, NaiveGame

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

SMALL = [(rows, cols) for rows, cols in product(range(1, 4), range(1, 5)) if rows * cols >= 2]
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
    layout = np.zeros((game.rows, game.cols), np.bool_)
    layout[tuple(np.array(sorted(game.mines)).T)] = True
    return layout


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


@pytest.mark.parametrize("moves", [(8, 2, 0), pytest.param((12, 12, 5), marks=pytest.mark.slow)])
@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_all_layouts_of_small_boards(rows, cols, moves):
    """Plays every layout with every first click, followed by random moves, fewer on boards above 6 and 9 cells."""
    continuation = moves[(rows * cols > 6) + (rows * cols > 9)]
    cells, endings = rows * cols, set()
    for mines in range(1, cells):
        layouts = list(combinations(product(range(rows), range(cols)), mines))
        games = [NaiveGame(rows, cols, layout) for layout in layouts for _ in range(cells)]
        env = MinesweeperVectorEnv(len(games), (rows, cols), mines, "any", ALL_MOVES)
        lively = lively_choice(np.random.default_rng(cells * mines))

        def choose(i, game, turn, lively=lively):
            return i % cells if turn == 0 else lively(i, game, turn)

        endings |= play(env, games, 1 + continuation, choose)
    assert {"won", "lost"} <= endings


@pytest.mark.parametrize(("size", "radius"), [((1, 100), 1), ((100, 100), 1), ((12, 12), 5)])
def test_first_clicks_on_large_boards_and_with_the_largest_radius(size, radius):
    board, count = list(product(*map(range, size))), size[0] * size[1]
    game = NaiveGame(*size, [board[i] for i in np.random.default_rng(5).choice(count, count // 10, False)], radius)
    env = MinesweeperEnv(size, count // 10, "any", radius=radius)
    env.reset(options={"layout": grid(game)})
    for action in [i for i, cell in enumerate(board) if cell not in game.mines][-3:]:
        game.step(action)
        assert env.step(action)[0].ravel().tolist() == game.codes()


@pytest.mark.parametrize(("counts", "steps"), [((16, 4), 25), pytest.param((200, 20), 60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("size", "mines", "radius"), LARGE)
def test_random_larger_games(size, mines, radius, counts, steps):
    count = counts[size == (16, 30)]
    rng = np.random.default_rng([*size, mines, radius])
    rows, cols = size
    board = list(product(range(rows), range(cols)))
    max_steps = steps - 2
    env = MinesweeperVectorEnv(count, size, mines, "any", ALL_MOVES, radius=radius, max_steps=max_steps)
    games = []
    for _ in range(count):
        layout = [board[i] for i in rng.choice(len(board), mines, replace=False)]
        games.append(NaiveGame(rows, cols, layout, radius, max_steps=max_steps))
    endings = play(env, games, steps, lively_choice(rng))
    assert {"lost", "truncated"} & endings


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("moves", [("click",), ("click", "flag"), ("click", "chord"), ("click", "unflag", "question")])
def test_the_single_environment_agrees_for_other_sets_of_moves(moves, radius):
    rng = np.random.default_rng([radius, len(moves)])
    env = MinesweeperEnv((6, 9), 10, "any", moves, radius=radius)
    board = list(product(range(6), range(9)))
    for _ in range(12):
        game = NaiveGame(6, 9, [board[i] for i in rng.choice(54, 10, replace=False)], radius, moves)
        observation, info = env.reset(options={"layout": grid(game)})
        while game.status == "playing" and game.steps < 25:
            assert observation.ravel().tolist() == game.codes()
            assert info["action_mask"].tolist() == game.mask()
            safe = [i for i, cell in enumerate(board) if cell not in game.mines]
            action = int(rng.choice(safe)) if rng.random() < 0.6 else int(rng.integers(len(moves) * 54))
            illegal = game.step(action)[1]
            observation, _, terminated, truncated, info = env.step(action)
            assert (terminated, truncated) == (game.status in ("won", "lost"), False)
            assert (info["invalid_action"], info["is_success"]) == (illegal, game.status == "won")
        assert observation.ravel().tolist() == game.codes()
