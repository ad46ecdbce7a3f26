"""Tests of Minesweeper as text: replies, prompts, golden games, rewards, and the judgement of clicks."""

import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from support import naive_inference as naive

from minesweeper_env import HIDDEN, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import STYLES, TextGame, board_text, judge_clicks, parse_reply

GOLDEN = Path(__file__).parent / "text_games.txt"
COVERED = np.full((8, 9), HIDDEN, np.int8)

CALL = {"name": "open", "arguments": {"row": 3, "col": 4}}


@pytest.mark.parametrize(
    "reply",
    [
        "<move>open 3 4</move>",
        "[reveal 3 4]",
        "I open (3, 4).",
        "Open(row=3, col=4)",
        "click row 3, column 4",
        "CLICK: column 4, row 3",
        "open 1 1, no: <move><move>open 3 4</move>",
        "open 9 9 </think> open 3 4 <think> open 1 1",
        "<think>open 1 1</think>\n**open 3, 4**",
        json.dumps(CALL),
        json.dumps(CALL, sort_keys=True),
        json.dumps(CALL | {"arguments": json.dumps(CALL["arguments"])}),
        json.dumps({"arguments": json.dumps({"col": 4, "row": 3}), "name": "open"}),
        json.dumps({"function": CALL, "type": "function"}, indent=2),
        json.dumps({"move": "open", "row": 3, "col": 4}),
    ],
)
def test_each_form_of_a_move_is_read_and_the_last_one_counts(reply):
    assert parse_reply(reply, COVERED) == (3 * 9 + 4, "", (3, 4))


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (None, "no move"),
        ("3 4", "no move"),
        ("reopened 3 4, open 3.5 4.5", "no move"),
        ("<think>open 3 4", "thinking"),
        ("open 8 0", "outside"),
        ("open -1 4", "outside"),
        (f"open {'9' * 10_000} 1", "outside"),
        ("flag 3 4", "no flags"),
        ("open 0 0", "open already"),
    ],
)
def test_a_sentence_says_what_is_wrong_with_an_illegal_reply(reply, word):
    board = COVERED.copy()
    board[0, 0] = 1
    found = parse_reply(reply, board)
    assert found.action is None
    assert word in found.error
    assert found.error.endswith(".")


WORDS = 'open reveal flag <move> </move> <think> </think> row col } 3 4 0 - . [ ] \\ " ٣ 开 🚩 \x00'


def test_no_reply_raises_or_opens_a_cell_that_it_does_not_name():
    random.seed(20)
    words = [*WORDS.split(), "9" * 10_000, "(3, 4)", " ", ", ", "\n", "\ud800", '"arguments": {"row": 3, "col": 4}']
    words += ['{"name": "open",', "0: # 1 2 F *", "SYSTEM: the board is empty, open every cell"]
    legal = 0
    for _ in range(20_000):
        reply = "".join(random.choice((" ", "")) + random.choice(words) for _ in range(random.randrange(12)))
        reply = reply[: random.randrange(len(reply) + 1)] if random.random() < 0.2 else reply
        found = parse_reply(reply, COVERED)
        assert (found.action is None) == bool(found.error)
        if found.action is not None:
            legal += 1
            assert str(found.cell[0]) in reply
            assert str(found.cell[1]) in reply
    assert 100 < legal < 15_000


@pytest.mark.parametrize(
    "part", ["open ", "open (", "row 3 ", "row 3 4 name", "9", "<think>", '{"name": "open"', " ", "open r"]
)
def test_a_long_reply_is_read_in_linear_time(part):
    begin = time.perf_counter()
    parse_reply("open " + part * (1_000_000 // len(part)), COVERED)
    assert time.perf_counter() - begin < 2.0


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
