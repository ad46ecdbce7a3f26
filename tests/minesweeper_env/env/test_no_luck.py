"""Games without luck: the rule against enumeration, layouts drawn anew, and hard boards."""

import numpy as np
import pytest
from scipy.stats import chisquare
from support import naive_inference
from support.equality import assert_same
from support.naive_game import ALL_MOVES, NaiveGame

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.inference.counting import workspace

SMALL = {"size": (4, 4), "mines": 4, "first_click": "safe", "moves": ALL_MOVES, "luck": False}


def opens(codes, mines, cell, radius):
    """Returns whether a click on a covered cell opens it, by the rule itself."""
    safe, mine = naive_inference.certain_cells(codes, mines, radius=radius)
    return safe[cell] if safe.any() else not mine[cell]


def replay(env, codes):
    """Returns a naive game on the present layout of an environment, with the cells and marks of an earlier board."""
    config = env.config
    game = NaiveGame(config.rows, config.cols, zip(*np.nonzero(env.get_state()["mines"]), strict=True), config.radius)
    for cell in game.board:
        if codes[cell] <= config.codes.max_count:
            game.opened.add(cell)
        elif codes[cell] < config.codes.hidden:
            game.marks[cell] = "flag" if codes[cell] == config.codes.flagged else "question"
    return game


def loses(env, codes, targets):
    """Returns whether opening these covered cells one by one loses, and checks the present layout on the way."""
    game = replay(env, codes)
    for cell in targets:
        if cell not in game.opened:
            board = np.reshape(game.codes(), codes.shape)
            assert opens(board, env.config.mines, cell, env.config.radius) == (cell not in game.mines)
            game._open({cell})
            if game.status == "lost":
                return True
    return False


@pytest.mark.parametrize(
    "changes",
    [{}, {"first_click": "any", "size": (3, 6)}, {"first_click": "opening", "size": 4, "mines": 3}, {"radius": 2}],
)
def test_clicks_and_chords_follow_the_rule(changes):
    env = MinesweeperEnv(**{**SMALL, **changes})
    config, rng = env.config, np.random.default_rng(0)
    ends = {True: 0, False: 0}
    for seed in range(60):
        codes, info = env.reset(seed=seed)
        over = False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            # Flags and question marks by chance alone would leave few clicks.
            chosen = legal[(legal < config.cells) | (legal >= 4 * config.cells) | (rng.random(len(legal)) < 0.1)]
            action = int(rng.choice(chosen if len(chosen) else legal))
            block, index = divmod(action, config.cells)
            cell = divmod(index, config.cols)
            before, began = codes, (codes <= config.codes.max_count).any()
            codes, _, over, _, info = env.step(action)
            lost = over and not info["is_success"]
            if ALL_MOVES[block] in ("click", "chord") and began:
                targets = sorted(replay(env, before).to_chord(cell)) if ALL_MOVES[block] == "chord" else [cell]
                assert lost == loses(env, before, targets)
                ends[lost] += 1
            # The present layout shows the board.
            assert lost or replay(env, codes).codes() == codes.ravel().tolist()
    assert min(ends.values()) > 20


GUESS = np.array([[1, 11, 11, 11], [11, 11, 11, 11], [11, 11, 11, 11]], np.int8)
SAFE_ELSEWHERE = np.array([[1, 1, 11, 11], [11, 11, 11, 11], [11, 11, 11, 11]], np.int8)


@pytest.mark.parametrize(
    ("board", "cell", "lost"), [(GUESS, (0, 1), False), (GUESS, (2, 3), False), (SAFE_ELSEWHERE, (1, 0), True)]
)
def test_layouts_drawn_anew_are_uniform(board, cell, lost):
    rows, cols = board.shape
    env = MinesweeperVectorEnv(3000, board.shape, 4, "safe", ("click",), luck=False, autoreset_mode="Disabled")
    env.reset(seed=0)
    layouts = [frozenset(fit) for fit in naive_inference.layouts(board, 4)]
    wrong, right = ([fit for fit in layouts if (cell in fit) == side] for side in (not lost, lost))
    rng = np.random.default_rng(1)
    state = dict(env.get_state())
    state["codes"] = np.repeat(board[None], 3000, axis=0)
    state["status"] = state["steps"] = np.ones(3000, np.int64)
    state["generator"] = rng.integers(1 << 64, size=3000, dtype=np.uint64)
    state["mines"] = np.zeros((3000, rows, cols), np.bool_)
    for i, pick in enumerate(rng.integers(len(wrong), size=3000)):
        state["mines"][(i, *np.transpose(list(wrong[pick])))] = True
    env.set_state(state)
    over = env.step(np.full(3000, cell[0] * cols + cell[1]))[2]
    assert lost == over.all()
    assert lost or not over.all()
    found = [right.index(frozenset(zip(*np.nonzero(each), strict=True))) for each in env.get_state()["mines"]]
    p_value = chisquare(np.bincount(found, minlength=len(right))).pvalue
    assert 1e-3 < p_value < 1 - 1e-3


@pytest.mark.parametrize("first_click", ["opening", "safe"])
@pytest.mark.parametrize(("size", "mines"), [(8, 14), ((6, 9), 14)])
def test_least_risk_wins_every_game(size, mines, first_click):
    env = MinesweeperVectorEnv(64, size, mines, first_click, ("click",), luck=False)
    boards, info = env.reset(seed=0)
    over = won = 0
    for _ in range(150):
        # The oracle itself: the policy "exact" would compile more kernels than the core has.
        risks = np.stack([mine_probabilities(board, mines) for board in boards]).reshape(64, -1)
        clicks = np.where(info["action_mask"] == 1, risks, 2.0).argmin(axis=1)
        boards, _, terminated, _, info = env.step(clicks)
        over, won = over + terminated.sum(), won + info["is_success"].sum()
    assert over == won > 200


def test_the_first_click_of_a_seed_gives_the_layout_of_a_game_with_luck():
    layouts = []
    for luck in (False, True):
        env = MinesweeperEnv(8, 14, luck=luck)
        env.reset(seed=4)
        for _ in range(2):
            env.step(20)
            layouts.append(env.get_state()["mines"])
            env.step(int(np.argmax(layouts[-1])))
            env.reset()
    assert np.array_equal(layouts[:2], layouts[2:])


def test_what_was_known_before_a_restored_state_decides_nothing():
    env = MinesweeperVectorEnv(5, 4, 4, "safe", ("click",), luck=False)
    env.reset(seed=0)
    states, rng = [], np.random.default_rng(0)
    before = env.get_state()
    for step in range(200):
        actions = env.sample_actions()
        if step % 5 == 0:
            states.append(env.get_state())
        results = env.step(actions)
        if step % 5 == 4:
            # In another environment, which has seen no earlier board.
            fresh = MinesweeperVectorEnv(5, 4, 4, "safe", ("click",), luck=False)
            fresh.set_state(before)
            assert_same(fresh.step(actions)[:4], results[:4])
            env.set_state(states[rng.integers(len(states))])
        before = env.get_state()


def test_a_board_that_is_too_hard_is_left_to_luck_and_told_once(monkeypatch, recwarn):
    monkeypatch.setattr(workspace, "MAX_STATES", 1)
    hit = np.array([[False, True, False, False], [False] * 4, [True] * 3 + [False]])
    env = MinesweeperEnv(hit.shape, 4, "safe", ("click",), luck=False)
    for _ in range(2):
        assert env.reset(options={"layout": hit})[1]["too_hard"] == 0
        assert env.step(0)[-1]["too_hard"] == 0
        assert env.step(1)[-1]["too_hard"] == 1
        assert env.get_state()["status"] == 3
    assert ["too hard" in str(each.message) for each in recwarn] == [True]


@pytest.mark.parametrize("moves", [("click",), ALL_MOVES])
def test_illegal_moves_and_moves_out_of_range_change_nothing(moves):
    env = MinesweeperEnv(**{**SMALL, "moves": moves})
    _, info = env.reset(seed=1)
    info = env.step(7)[-1]
    before = env.get_state()
    for action in np.flatnonzero(info["action_mask"] == 0).tolist():
        env.step(action)
    batch = MinesweeperVectorEnv(2, **{**SMALL, "moves": moves})
    batch.set_state(before)
    with pytest.raises(ValueError, match="whole number in"):
        batch.step([int(np.argmax(before["mines"])), -1])
    for after in (env.get_state(), *batch.call("get_state")):
        assert all(np.array_equal(after[key], before[key]) for key in ("codes", "mines", "generator"))


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"luck": "no"}, "luck must be True or False"),
        ({"first_click": "corners"}, "need first_click any, safe, opening"),
        ({"no_guess": "exact"}, "games without luck, or no_guess exact"),
    ],
)
def test_games_that_cannot_do_without_luck_are_refused(changes, allowed):
    with pytest.raises(ValueError, match=allowed):
        MinesweeperEnv(**{"luck": False, **changes})
