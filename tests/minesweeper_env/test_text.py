"""Tests of Minesweeper as text: prompts, golden games, rewards, and the judgement of clicks."""

import json
from pathlib import Path

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from support import naive_inference as naive

from minesweeper_env import HIDDEN, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import STYLES, TextGame, board_text, judge_clicks

GOLDEN = Path(__file__).parent / "text_games.txt"


@pytest.mark.parametrize("style", STYLES)
def test_a_board_in_text_holds_every_cell(style):
    board = np.random.default_rng(1).choice([*range(9), 11, 12], (16, 30)).astype(np.int8)
    text = board_text(board, 99, style)
    if style == "list":
        assert sum(f"({row}, {col})" in text for row in range(16) for col in range(30)) == (board != 11).sum()
        return
    rows = json.loads(text)["board"] if style == "json" else [line.split()[1:] for line in text.splitlines()[1:-1]]
    assert np.array(rows).shape == (16, 30)
    symbols = {str(clue): clue for clue in range(9)} | {"#": 11, "*": 12}
    assert (np.vectorize(symbols.get)(rows) == board).all()


def play(game, seed, replies):
    """Returns a whole game as text."""
    lines = [game.prompt(), game.prompt(tools=True), game.reset(seed=seed)[0]]
    for reply in replies:
        text, reward, terminated, truncated, _ = game.step(reply)
        lines += [f"> {reply}", text, f"= {reward:.6f}"]
        if terminated or truncated:
            break
    return "\n".join(lines)


def golden_games():
    """Returns the golden games; a commit that changes their file explains the change of behaviour."""
    weights = {"win": 1, "risk": 0.5, "sound": 0.1, "progress": 0.01}
    cells = [f"open {cell // 6} {cell % 6}" for cell in (0, 1, 4, 5, 20, 29, 23, 24)]
    games = [
        play(TextGame((5, 6), 5, no_guess="exact", style=style, reward=weights), 7, ["hm", *cells]) for style in STYLES
    ]
    games += [play(TextGame((4, 12), 9, "any", max_illegal=2), 3, ["open 0 11", "open 0 11", "open 20 0"])]
    games += [play(TextGame(5, 3, "safe", reward="sound", max_illegal=None), 11, cells)]
    return "\n\n====\n\n".join(games) + "\n"


def test_golden_games():
    assert golden_games() == GOLDEN.read_text()


def test_rewards_judge_the_click_and_not_its_luck():
    game = TextGame(8, 14, reward={"risk": 1})
    generator = np.random.default_rng(3)
    for seed in range(20):
        game.reset(seed=seed)
        over = False
        while not over:
            covered = np.flatnonzero(game.codes.ravel() == HIDDEN)
            cell = int(generator.choice(covered))
            risks = mine_probabilities(game.codes, 14).ravel()
            _, reward, terminated, truncated, info = game.step(f"open {cell // 8} {cell % 8}")
            assert reward == pytest.approx(risks[covered].min() - risks[cell])
            least = risks[covered].min()
            assert info["sound"] == (risks[cell] == 0 if least == 0 else risks[cell] - least < 1e-9)
            over = terminated or truncated


def test_clicks_are_judged_as_brute_force_does():
    env = MinesweeperVectorEnv(40, 4, 4, moves=("click",))
    boards, infos = env.reset(seed=5)
    generator, playing = np.random.default_rng(6), np.ones(40, np.bool_)
    for _ in range(3):
        clicks = np.array([generator.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        found = judge_clicks(boards[playing], 4, clicks[playing])
        for board, click, risk, least in zip(boards[playing], clicks[playing], *found[:2], strict=True):
            exact = naive.mine_probabilities(board, 4).ravel()
            assert risk == pytest.approx(exact[click])
            assert least == pytest.approx(exact[(board == HIDDEN).ravel()].min())
        boards, _, terminations, _, infos = env.step(clicks)
        playing &= ~terminations


def test_wrong_calls_say_what_is_allowed():
    for arguments, word in (
        ({"style": "svg"}, "grid, list, json"),
        ({"reward": "luck"}, "win, progress, risk, sound"),
        ({"reward": {}}, "win, progress, risk, sound"),
        ({"first_click": "corners"}, "first_click"),
        ({"max_illegal": 0}, "max_illegal"),
        ({"size": 8, "mines": 80}, "mines"),
    ):
        with pytest.raises(ValueError, match=word):
            TextGame(**arguments)
    with pytest.raises(ValueError, match="covered cell"):
        judge_clicks(np.zeros((1, 8, 8), np.int8), 14, [3])
    with pytest.raises(ResetNeeded):
        TextGame().step("open 1 1")
