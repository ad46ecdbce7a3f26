"""Policies of users: classes and functions in files and modules, good and bad."""

import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import refused

import baselines
from baselines.benchmark.cards import Card
from baselines.benchmark.entries import collect, suite_of
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.run import SuiteRun
from baselines.cli import evaluate
from baselines.cli.seeds import agent_rates
from baselines.evaluation.evaluate import prepare
from baselines.policy import PolicyError
from baselines.registry import find_policy
from baselines.user_policy import MEASURED, TRACEBACK, UserCodeError
from baselines.workers import local_workers
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(4, 5, 4, "safe", ("click",))
BOARD = np.full((2, 4, 5), 11, np.int8)

GOOD = '''
class First:
    """Clicks the first legal cell from `begin` on."""

    def __init__(self, size, mines, first_click, begin=0):
        self.given = (size, mines, first_click, begin)
        self.begin = begin

    def act(self, observations, action_masks):
        return [self.begin + int(mask[self.begin:].argmax()) for mask in action_masks]
'''


@pytest.fixture(autouse=True)
def working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv(TRACEBACK, raising=False)


def write(source: str, name: str = "mine.py"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


def first_action(name: str) -> int:
    """Returns the action of a policy on covered boards, which is the same for both."""
    actions = find_policy(name)(CONFIG).act(BOARD, np.ones((2, 20), np.int8))
    assert (actions.dtype, actions.shape) == (np.int64, (2,))
    assert actions[0] == actions[1]
    return int(actions[0])


def test_a_class_in_a_file_gets_the_board_and_the_options():
    write(GOOD)
    policy = baselines.make_policy("mine.py:First:begin=3", size=(4, 5), mines=4, first_click="safe")
    assert policy.policy.given == ((4, 5), 4, "safe", 3)
    assert first_action("mine.py:First:begin=3") == 3
    assert baselines.make_policy("mine.py:First", size=8, mines=14, begin=5).policy.given[3] == 5
    write(GOOD.replace("begin=0", "begin=0, name='', policy=0, board=0"))
    assert first_action("mine.py:First:name=x,policy=1,board=2") == 0


@pytest.mark.parametrize(
    "name", ["a folder/of mine/my policy.py", "deep/er/mine.py", "odd:name.py", "C:mine.py", "mine.v2.py"]
)
def test_files_with_unusual_paths(name, tmp_path, monkeypatch):
    path = write(GOOD, name).resolve()
    assert first_action(f"{name}:First:begin=2") == 2
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert first_action(f"{path}:First") == 0


def test_modules_of_the_working_folder_and_neighbours_of_a_file_are_found():
    write(GOOD, "agents_of_a_test/corner.py")
    write("from agents_of_a_test.corner import First\n", "agents_of_a_test/__init__.py")
    for name in ("agents_of_a_test.corner:First:begin=1", "agents_of_a_test:First:begin=1"):
        assert first_action(name) == 1
    write("START = 7\n", "sub/neighbour_of_mine.py")
    write("from neighbour_of_mine import START\n" + GOOD.replace("begin=0", "begin=START"), "sub/mine.py")
    assert first_action("sub/mine.py:First") == 7


def test_a_changed_file_is_loaded_again_and_the_same_one_is_not(capsys):
    write("print('loaded')\n" + GOOD)
    assert first_action("mine.py:First") == first_action("mine.py:First") == 0
    assert capsys.readouterr().out == "loaded\n"
    games = prepare(find_policy("mine.py:First"), CONFIG, range(1))
    write(GOOD.replace("begin=0", "begin=9"))
    assert (first_action("mine.py:First"), games.player().policy.begin) == (9, 0)
    # A worker process would load what the results do not name.
    with pytest.raises(PolicyError, match="First has changed since the command began"):
        pickle.loads(pickle.dumps(games)).player()


def test_functions_partials_nested_names_and_dataclasses_are_called():
    write(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom functools import partial\n"
        + GOOD
        + "def make(*, size, mines, first_click, **rest):\n    return First(size, mines, first_click, **rest)\n"
        + "later = partial(First, begin=4)\n"
        + "class Group:\n    Inner = First\n"
        + "@dataclass\nclass Data:\n    size: tuple\n    mines: int\n    first_click: str\n"
        + "    def act(self, observations, action_masks):\n        return action_masks.argmax(axis=1) + self.mines\n"
    )
    for name, action in (("make:begin=2", 2), ("later", 4), ("Group.Inner", 0), ("Data", 4)):
        assert first_action(f"mine.py:{name}") == action


FLAGGER = """
class Flagger:
    {0}
    def __init__(self, size, mines, first_click):
        self.cells = size[0] * size[1]
        {1}
    def act(self, observations, action_masks):
        return action_masks[:, :self.cells].argmax(axis=1)

def make(size, mines, first_click):
    return Flagger(size, mines, first_click)
"""


@pytest.mark.parametrize(
    ("in_class", "in_object", "name"),
    [("moves = ('click', 'flag')", "", "Flagger"), ("moves = ('click', 'flag')", "", "make"),
     ("", "self.moves = ['click', 'flag']", "make")],
)  # fmt: skip
def test_games_get_the_moves_of_the_policy(in_class, in_object, name):
    write(FLAGGER.format(in_class or "pass", in_object))
    assert find_policy(f"mine.py:{name}")(CONFIG).config.moves == ("click", "flag")
    policy = baselines.make_policy(f"mine.py:{name}", size=4, mines=3)
    assert policy.act(BOARD[:, :4, :4].copy(), np.ones((2, 32), np.int8)).tolist() == [0, 0]


def test_optional_attributes_reach_the_evaluation(capsys):
    write(
        "class Counts:\n    batch_size = 7\n    def __init__(self, size, mines, first_click):\n"
        "        self.counters = {'boards': 0}\n    def reset(self, seed):\n        self.seed = seed\n"
        "    def act(self, observations, action_masks):\n        self.counters['boards'] += len(observations)\n"
        "        assert len(observations) <= 7\n        return action_masks.argmax(axis=1).astype('int32')\n"
    )
    policy = find_policy("mine.py:Counts")(CONFIG, seed=5)
    assert (policy.batch_size, policy.policy.seed) == (7, 5)
    assert not hasattr(policy, "finishes")
    words = ["--policy", "mine.py:Counts", "--games", "20", "--size", "4x5", "--mines", "4", "--json", "out.json"]
    assert evaluate.main(words) == 0
    (row,) = json.loads(Path("out.json").read_text())["results"]
    assert row["policy"] == "mine.py:Counts"
    assert row["boards_per_game"] == row["clicks_per_game"]
    write("class GivesUp:\n    may_resign = judged = True\n    def __init__(self, **board): pass\n"
          "    def act(self, observations, action_masks): return [-1] * len(observations)\n")  # fmt: skip
    (result,) = baselines.evaluate("mine.py:GivesUp", 5, 3, 4, against=()).policies
    assert all(record.truncated and record.diagnosis is not None for record in result.records)
    assert evaluate.main(["--policy", "mine.py:GivesUp", "--games", "4", "--record", "none.gif"]) == 0
    assert "none.gif is not written: there is no game in which mine.py:GivesUp made a move" in capsys.readouterr().err


HEAD = """class P:
    def __init__(self, **board): pass
    def act(self, observations, action_masks):
        return action_masks.argmax(axis=1)
"""
BAD = [
    ("nosuch.py:First", "", "there is no file nosuch.py in "),
    ("mine.py:Second", GOOD, "mine.py has no Second; it defines First"),
    ("mine.py:LIMIT", "LIMIT = 3\n", "a class or a function, not int; it defines no class"),
    ("mine.py", GOOD, "write a policy of a file as path/file.py:NAME"),
    ("mine.py:First:depth=1", GOOD, "begin=0): got an unexpected keyword argument 'depth'"),
    ("mine.py:First:size=1", GOOD, "begin=0): got multiple values for keyword argument 'size'"),
    ("mine.py:P", "def P(size, mines, first_click, depth): pass", "missing a required argument: 'depth'"),
    ("mine.py:P", "def P(size, mines): pass", "(size, mines): got an unexpected keyword argument 'first_click'"),
    ("mine.py:P", "def P(**board): return 3", "mine.py:P must return an object with the method act(observations, a"),
    ("mine.py:P", GOOD + "def P(**board): return First", "not the class First"),
    ("mine.py:P", "x = 1\ndef P(:\n", "mine.py:P: SyntaxError: invalid syntax (mine.py, line 2)"),
    ("mine.py:P", "x = 1\nraise KeyError('a\\nb')\n", "mine.py:P: KeyError: 'a\\nb' (mine.py, line 2;"),
    ("mine.py:P", "def P(**board):\n    return 1 / 0", "ZeroDivisionError: division by zero (mine.py, line 2, in P;"),
    ("mine.py:P", HEAD + "    moves = 'flag'\n", "P: ValueError: moves must"),
    ("mine.py:P", HEAD + "    @property\n    def batch_size(self): return {}[1]\n", "KeyError: 1 (mine.py, line 6"),
    ("nosuch_module:P", "", "there is no module nosuch_module for 'nosuch_module:P'"),
    ("json:P", "", "json has no P; it defines dump"),
    ("nosuch/folder", "", "unknown policy 'nosuch/folder': it does not exist"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "complaint"), BAD, ids=[complaint for *_, complaint in BAD])
def test_wrong_use_is_one_line(name, source, complaint, capsys):
    write(source)
    words = ["--policy", name, "--games", "2", "--size", "4x5", "--mines", "4"]
    assert complaint in refused(capsys, evaluate.main, *words)
    with pytest.raises((ValueError, PolicyError)):
        baselines.make_policy(name, size=(4, 5), mines=4)


# The last entry is the exit status: a policy that fails on an empty board is refused before the first game, with 2.
ACTS = [
    ("return observations[9]", "IndexError: index 9 is out of bounds for axis 0 with size 1 (mine.py, line 4, in", 2),
    ("return action_masks.argmax()", "whole number for each of 1 games, shape (1,), not int64 ()", 2),
    ("self.counters = {'a': 'b'}; return action_masks.argmax(axis=1)", "TypeError: 'str' object cannot be", 2),
    ("self.counters = {'clicks': 1}; return action_masks.argmax(axis=1)", "results have a figure clicks_per_game", 2),
    ("return [1, [2]]", "ValueError: setting an array element with a sequence", 2),
    ("return [99] * len(observations)", "mine.py:P.act chose 99, but actions are 0 to 19", 1),
]


@pytest.mark.parametrize(("body", "complaint", "expected"), ACTS)
def test_errors_in_play_are_one_line(body, complaint, expected, capsys):
    head = "class P:\n    def __init__(self, **board): pass\n    def act(self, observations, action_masks):\n"
    write(f"{head}        {body}\n")
    with pytest.raises(PolicyError, match=r"^mine\.py:P"):
        baselines.evaluate_policy(lambda: find_policy("mine.py:P")(CONFIG), CONFIG, range(2))
    try:
        status = evaluate.main(["--policy", "mine.py:P", "--games", "2", "--size", "4x5", "--mines", "4"])
    except SystemExit as exit_:
        status = exit_.code
    assert status == expected
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("python -m baselines evaluate: mine.py:P")
    assert complaint in line


def test_no_counter_may_have_the_name_of_a_figure_per_game():
    (row,) = baselines.evaluate("exact", 5, 3, 2, diagnose=True, against=(), progress=False).rows()
    figures = {name.removesuffix("_per_game") for name in row if name.endswith("_per_game")}
    # Policies may count their guesses themselves; a judge counts them anew.
    assert figures - {"guesses"} == {*MEASURED}


@pytest.mark.parametrize("method", ["values", "ratings"])
def test_beliefs_that_fail_are_refused_before_the_first_game(method, capsys):
    write(f"{HEAD}    def {method}(self): return 0\n")
    words = ["--policy", "mine.py:P", "--games", "2", "--size", "4x5", "--mines", "4", "--diagnose"]
    assert f"mine.py:P: TypeError: P.{method}() takes 1 positional" in refused(capsys, evaluate.main, *words)


@pytest.mark.parametrize("name", [None, 3, Path("mine.py:First")])
def test_a_policy_is_named_by_a_text(name):
    with pytest.raises(ValueError, match="the name of a policy must be a text, such as 'exact' or"):
        baselines.make_policy(name)


def test_the_traceback_is_shown_on_demand(capsys, monkeypatch):
    write("def P(**board):\n    return 1 / 0\n")
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(UserCodeError):
        find_policy("mine.py:P")(CONFIG)
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert "return 1 / 0" in err


def test_errors_of_workers_are_one_line(capfd):
    write("import multiprocessing\nif multiprocessing.parent_process():\n    raise KeyError('worker')\n" + GOOD)
    assert evaluate.main(["--policy", "mine.py:First", "--workers", "2"]) == 1
    told = capfd.readouterr().err
    said = "python -m baselines evaluate: mine.py:First: KeyError: 'worker' (mine.py, line 3;"
    assert told.splitlines()[-1].startswith(said)
    assert "Traceback" not in told


@pytest.mark.parametrize("name", ["make", "First"])
def test_a_row_makes_a_policy_once(name, capsys):
    mark = "        print('made')\n"
    source = GOOD.replace("        self.begin = begin\n", f"        self.begin = begin\n{mark}")
    write(f"{source}\n\ndef make(size, mines, first_click):\n    return First(size, mines, first_click)\n")
    evaluate.main(["--policy", f"mine.py:{name}", "--size", "4", "--mines", "2", "--games", "40"])
    assert capsys.readouterr().out.count("made") == 1
    maker = find_policy(f"mine.py:{name}")
    assert maker(CONFIG).policy is not maker(CONFIG).policy
    loaded = pickle.loads(pickle.dumps(maker))
    assert (loaded.name, loaded(CONFIG).policy.begin) == (maker.name, 0)


@pytest.mark.parametrize("command", ["benchmark", "seeds"])
def test_every_command_makes_a_policy_once_for_each_row(command, capsys):
    boards = [BoardConfig(4, 4, 2, moves=("click",)), BoardConfig(5, 5, 3, moves=("click",))]
    write(f"{GOOD}\n\ndef make(**board):\n    print('made', *board['size'])\n    return First(**board)\n")
    if command == "seeds":
        agent_rates(["mine.py:make"], boards, range(20), 1)
    else:
        protocol = replace(PROTOCOL, sizes=((4, 4, 2), (5, 5, 3)), first_clicks=("opening",), least_games=20)
        suite = suite_of(["mine.py:make"], protocol=protocol)
        run = SuiteRun(suite, Path("out"), None, 20, "")
        run.play(local_workers(1))
        card = Card("mine", "mine.py:make", "scripted", "me")
        assert len(collect(card, run, protocol)[0].boards) == len(boards)
    assert sorted(capsys.readouterr().out.split("made")[1:]) == [" 4 4\n", " 5 5\n"]
