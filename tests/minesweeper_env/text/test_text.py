"""Tests of Minesweeper as text: prompts, golden games, rewards, and the judgement of clicks."""

import copy
import itertools
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from support import naive_game
from support import naive_inference as naive
from support.docs_scripts import load_script

from minesweeper_env import HIDDEN, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text import SPLITS, STYLES, TextGame, board_text, judge_clicks, rules_text, shortened, split_of
from minesweeper_env.text.rewards import GameRewards

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


def test_the_rewards_of_the_steps_add_up_to_the_value_of_the_game():
    game, generator = TextGame(6, 8, max_illegal=4), np.random.default_rng(3)
    for seed in range(60):
        game.reset(seed=seed)
        over, sums, excess, sound, stakes = False, Counter(), [], [], []
        opening, illegal, turns = 0, 0, 0
        while not over:
            covered = np.flatnonzero(game.codes.ravel() == HIDDEN)
            risks = mine_probabilities(game.codes, 8).ravel()
            best = covered[risks[covered].argmin()]
            cell = int(best if generator.random() < 0.7 else generator.choice(covered))
            reply = f"open {cell // 6} {cell % 6}" if generator.random() < 0.8 else "hm"
            first = (game.codes < 9).sum()
            _, reward, terminated, truncated, info = game.step(reply)
            sums.update(info["rewards"])
            turns, illegal, over = turns + 1, illegal + info["illegal"], terminated or truncated
            assert reward == info["rewards"]["win"] == info["is_success"]
            if reply != "hm" and first:
                least = risks[covered].min()
                excess.append(risks[cell] - least)
                stakes.append((1 + (36 - 8 - first) / (36 - 8 - opening)) / 2)
                sound.append(risks[cell] == 0 if least == 0 else excess[-1] < 1e-9)
                assert (info["excess_risk"], info["sound"]) == (pytest.approx(excess[-1]), sound[-1])
            elif reply != "hm":
                opening = (game.codes < 9).sum()
                assert (info["risk"], info["sound"]) == (0.0, True)
        assert sums["form"] == pytest.approx(1 - illegal / turns)
        cost = np.dot(excess, stakes)
        opened = ((game.codes < 9).sum() - opening) / (36 - 8 - opening)
        if truncated:
            assert (illegal, sums["sound"], sums["progress"]) == (4, pytest.approx(0), pytest.approx(-1))
            assert sums["risk"] == pytest.approx(-cost - (2 - opened) / 2)
        else:
            kept = 1 - (0 if info["is_success"] else excess[-1])
            assert sums["risk"] == pytest.approx(-cost)
            assert sums["sound"] == pytest.approx(kept * np.mean(sound))
            assert sums["progress"] == pytest.approx(opened - (not info["is_success"]))


CELLS = [*itertools.product(range(3), range(3))]


def opened_by(layout, opened, cell):
    """Returns the cells that are open, on 3x3, after a click on a cell without a mine."""
    around = naive_game.neighbours(3, 3, cell)
    opened = opened | {cell}
    for each in around - opened if not layout & around else ():
        opened = opened_by(layout, opened, each)
    return opened


def least_expected(layouts, opened, rewards):
    """Returns the least mean of `risk` that clicks can earn from here on, and the mean of giving up at once."""
    given_up = copy.copy(rewards).changes(given_up=True)["risk"]
    covered = sorted(set(CELLS) - opened)
    if len(covered) == 2:
        return 0.0, 0.0
    chances = {cell: np.mean([cell in layout for layout in layouts]) for cell in covered}
    means = []
    for cell in covered:
        boards = defaultdict(list)
        for layout in layouts:
            after = opened if cell in layout else opened_by(layout, opened, cell)
            clues = tuple(sorted((each, len(layout & naive_game.neighbours(3, 3, each))) for each in after))
            boards[cell in layout, clues].append(layout)
        mean = 0.0
        for (lost, clues), fitting in boards.items():
            value, after = copy.copy(rewards), {each for each, _ in clues}
            value.click(len(after), chances[cell] - min(chances.values()), True)
            paid = value.changes(lost=lost)["risk"]
            mean += len(fitting) / len(layouts) * (paid + (0 if lost else least_expected(fitting, after, value)[0]))
        means.append(mean)
    assert min(means) >= given_up - 1e-12
    return min(means), given_up


def test_no_player_expects_less_of_risk_than_the_one_who_gives_up():
    corner = naive_game.neighbours(3, 3, (0, 0))
    layouts = [set(mines) for mines in itertools.combinations(set(CELLS) - {(0, 0)}, 2)]
    for clue in (1, 2):
        fitting = [layout for layout in layouts if len(layout & corner) == clue]
        least, given_up = least_expected(fitting, {(0, 0)}, GameRewards(7, 1))
        assert given_up == -1 < least < 0


def test_no_player_earns_more_than_a_better_one():
    script = load_script("text_rewards")
    earned = np.array([list(script.row(name, 5, 5, 5, 300)["rewards"].values()) for name in script.PLAYERS])[:, :, 0]
    assert (np.diff(earned, axis=0) >= -1e-9).all()
    assert (earned[-1] > earned[2])[:4].all()


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


def test_the_samples_of_a_group_play_one_board_from_one_state():
    game = TextGame(5, 5, no_guess="exact", opened="middle")
    text, _ = game.reset(seed=4)
    assert text == TextGame(5, 5, no_guess="exact", opened=(2, 2)).reset(seed=4)[0]
    assert (game.codes[1:4, 1:4] < 9).all()
    assert "(2, 2) was opened" in game.prompt()
    layouts = []
    for cell in np.flatnonzero(game.codes == HIDDEN):
        branch = copy.deepcopy(game)
        branch.step(f"open {cell // 5} {cell % 5}")
        layouts.append(branch.env.get_state()["mines"].tobytes())
        assert game.observation() == text
    assert len(set(layouts)) == 1


def test_a_game_without_luck_says_so_and_a_forced_guess_survives():
    game = TextGame((1, 3), 1, "safe", luck=False)
    assert "luck decides nothing" in game.prompt()
    for cell in (0, 2):
        game.reset(options={"layout": np.arange(3)[None] == cell})
        game.step("open 0 1")
        assert game.step(f"open 0 {cell}")[-1]["is_success"]
    with pytest.raises(ValueError, match="split needs luck"):
        TextGame(5, 5, luck=False, opened="middle", split="train")


def test_a_board_without_guesses_begins_safe_whatever_the_rule_of_other_boards():
    game = TextGame(4, 3, "any", "exact")
    assert "first cell that you open is no mine" in game.prompt()
    for seed in range(20):
        game.reset(seed=seed)
        _, _, terminated, _, info = game.step(f"open {seed % 4} 1")
        assert info["is_success"] == terminated


@pytest.mark.parametrize("luck", [True, False])
def test_a_first_click_that_no_rule_protects_is_sound_even_if_luck_loses_it(luck):
    game, lost = TextGame(4, 6, "any", luck=luck), set()
    for seed in range(20):
        game.reset(seed=seed)
        _, _, over, _, info = game.step("open 0 0")
        lost.add(over)
        assert (info["risk"], info["excess_risk"], info["sound"]) == (6 / 16, 0.0, True)
    assert lost == {True, False}


def test_without_luck_only_the_click_that_loses_costs_risk_and_soundness():
    game, generator = TextGame(4, 5, "safe", luck=False, opened="middle"), np.random.default_rng(2)
    endings = Counter()
    for seed in range(40):
        game.reset(seed=seed)
        sums, lost = Counter(), False
        while not game.over:
            row, col = generator.choice(np.argwhere(game.codes == HIDDEN))
            _, _, terminated, _, info = game.step(f"open {row} {col}")
            sums.update(info["rewards"])
            lost = terminated and not info["is_success"]
            assert (info["rewards"]["risk"] <= -0.5) if lost else (info["rewards"]["risk"] == 0)
            assert (info["sound"], info["excess_risk"] > 0) == (not lost, lost) or info["risk"] == 0
        assert sums["sound"] == pytest.approx(float(not lost))
        endings[lost] += 1
    assert set(endings) == {False, True}


@pytest.mark.parametrize("no_guess", [False, "exact"])
def test_splits_share_no_layout_nor_its_rotations(no_guess):
    layouts = {}
    for split in SPLITS:
        game = TextGame(4, 3, "safe", no_guess, opened="middle", split=split)
        for seed in range(60):
            assert game.reset(seed=seed)[0] == game.reset(seed=seed)[0]
            mines = game.env.get_state()["mines"]
            for turns in range(4):
                layouts.setdefault(np.rot90(mines, turns).tobytes(), set()).add(split)
                layouts.setdefault(np.rot90(mines.T, turns).tobytes(), set()).add(split)
    assert all(len(found) == 1 for found in layouts.values())
    generator = np.random.default_rng(5)
    parts = Counter(split_of(generator.random((8, 9)) < 0.2) for _ in range(2000))
    assert parts["train"] / 2000 == pytest.approx(0.8, abs=0.04)
    assert parts["test"] / 2000 == pytest.approx(0.1, abs=0.03)
    # The same on every machine.
    bits = [np.unpackbits(np.array([each, 7 * each % 256], np.uint8))[:12].reshape(3, 4) for each in range(1, 60)]
    assert "".join(split_of(each == 1)[-1] for each in bits) == GOLDEN_SPLITS


GOLDEN_SPLITS = "nnnnttnnntnntnvnnnnvnnnnnnnvnnvnnnvnttnvnnnnvnntnnnnnnvnnnt"
"""The last letters of the parts of some layouts."""


@pytest.mark.parametrize("style", STYLES)
def test_a_flag_is_shown_removed_and_never_opened(style):
    game = TextGame(5, 5, style=style, moves=("open", "flag"), opened="middle")
    before, _ = game.reset(seed=1)
    row, col = np.argwhere(game.codes == HIDDEN)[0]
    text, reward, *_, info = game.step(f"<move>flag {row} {col}</move>")
    assert (reward, info["illegal"], "risk" in info) == (0.0, False, False)
    assert "F" in text if style != "list" else f"flags: ({row}, {col})" in text
    assert game.step(f"open {row} {col}")[4]["illegal"]
    assert game.step(f"flag {row} {col}")[0].endswith(before)
    assert all("flag" in game.prompt(tools) for tools in (False, True))


def test_turns_end_a_game():
    game = TextGame(5, 5, opened="middle", moves=("open", "flag"), max_turns=3)
    game.reset(seed=0)
    ends = [game.step("flag 0 0")[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    assert game.over
    assert "3 turns" in game.prompt()


def test_a_first_click_without_a_game_is_refused():
    with pytest.raises(ValueError, match="first click"):
        TextGame(4, 7, opened=(1, 1)).reset(seed=1)
    layout = np.eye(5, dtype=bool)
    assert TextGame(5, 5, "any", opened=(0, 1)).reset(options={"layout": layout})[0].count("#") == 25 - 1
    game = TextGame(5, 5, opened=(0, 0))
    game.reset(seed=0)
    with pytest.raises(ValueError, match="first click"):
        game.reset(options={"layout": layout})
    with pytest.raises(ResetNeeded):
        game.step("open 1 0")


def test_no_rule_protects_the_first_click_on_a_given_layout():
    game = TextGame(5, 5, "safe")
    game.reset(options={"layout": np.eye(5, dtype=bool)})
    assert game.step("open 0 1")[4]["risk"] == pytest.approx(0.2)


def test_a_shortened_conversation_keeps_the_prompt_and_the_last_board():
    messages = ["rules", "board", "a", "board 2", "b", "board 3"]
    assert shortened(messages, 0) == ["rules", "board 3"]
    assert shortened(messages, 1) == ["rules", "board 2", "b", "board 3"]
    assert shortened(messages, 9) == shortened(messages, None) == messages


def test_wrong_calls_say_what_is_allowed():
    for arguments, word in (
        ({"style": "svg"}, "grid, list, json"),
        *(({"reward": reward}, "win, progress, risk, sound") for reward in ("luck", {}, 1.0)),
        *(({"reward": {"win": weight}}, "finite") for weight in (float("nan"), float("inf"), "1")),
        ({"moves": ("flag",)}, "moves"),
        ({"opened": "corner"}, "middle"),
        ({"opened": (8, 0)}, "0 to 7"),
        ({"max_turns": 0}, "max_turns"),
        ({"split": "test"}, "opened"),
        ({"split": "all", "opened": "middle"}, "train, dev, test"),
        ({"first_click": "corners"}, "first_click"),
        ({"max_illegal": 0}, "max_illegal"),
        ({"size": 8, "mines": 80}, "mines"),
    ):
        with pytest.raises(ValueError, match=word):
            TextGame(**arguments)
    hidden = np.full((1, 8, 8), HIDDEN)
    given = [(hidden, clicks) for clicks in ([3.0], [3, 4], [True], [64])]
    for boards, clicks in (*given, (0 * hidden, [3]), (hidden[0], [3]), (hidden + 256, [3])):
        with pytest.raises(ValueError, match=r"covered cell, one for each of 1 boards|shape|codes"):
            judge_clicks(boards, 14, clicks)
    for write in (lambda: board_text(hidden[0], 14, "svg"), lambda: rules_text(TextGame().config, "svg", 5)):
        with pytest.raises(ValueError, match="grid, list, json"):
            write()
    assert judge_clicks(hidden[:0], 14, []).risk.shape == (0,)
    with pytest.raises(ResetNeeded):
        TextGame().step("open 1 1")
