"""Suites with further policies: rows, resuming, other policies, and policies that have changed meanwhile."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from support import tiny_suites

from baselines.cli.suite import PROGRAM, main
from baselines.evaluation import units
from baselines.registry import policy_digest
from baselines.suites import definitions
from baselines.suites.definitions import added_policies, find_suite
from baselines.suites.tasks import policy_folder

FIRST = """import numpy as np
class First:
    def __init__(self, size, mines, first_click, begin=0):
        if size == (6, 6) and begin == 9:
            raise ValueError("First plays no 6x6 from 9 on")
        self.begin = begin

    def act(self, observations, action_masks):
        return [(self.begin + int(np.roll(mask, -self.begin).argmax())) % len(mask) for mask in action_masks]
"""


@pytest.fixture(autouse=True)
def working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(definitions.SUITES, "tiny", tiny_suites.TINY)
    Path("mine.py").write_text(FIRST)


def run(*policies, out="out", workers="1"):
    added = ["--policy", *policies] if policies else []
    return main(["tiny", "--games", "50", "--out", out, "--workers", workers, *added])


def refused(capsys, *policies, out="out"):
    with pytest.raises(SystemExit) as exit_info:
        run(*policies, out=out)
    assert exit_info.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def content(out="out"):
    return json.loads((Path(out) / "results.json").read_text())


def rows(out="out"):
    """Returns the wins of each policy on each board."""
    return [{row["policy"]: row["wins"] for row in board["results"]} for board in content(out)["boards"]]


def test_added_policies_are_rows_of_every_table_and_comparison(capsys):
    assert run("mine.py:First", "exact", "mine.py:First:begin=1") == 0
    for board in content()["boards"]:
        names = [row["policy"] for row in board["results"]]
        assert names == ["random", "straightforward", "subset", "mine.py:First", "exact", "mine.py:First:begin=1"]
        compared = {test["policy"] for test in board["comparisons"]} | {
            test["against"] for test in board["comparisons"]
        }
        assert compared == {"random", "straightforward", "mine.py:First", "exact", "mine.py:First:begin=1"}
    assert "mine.py:First:begin=1" in capsys.readouterr().out
    for name in ("results.md", "results.csv"):
        assert "mine.py:First" in (Path("out") / name).read_text()
    manifest = json.loads((Path("out") / "suite.json").read_text())
    digest = policy_digest("mine.py:First")
    assert manifest["policies"] == {"mine.py:First": digest, "exact": None, "mine.py:First:begin=1": digest}
    assert run(out="plain") == 0
    for board, plain in zip(rows(), rows("plain"), strict=True):
        assert plain.items() <= board.items()


def test_policies_may_be_added_to_games_that_are_there(monkeypatch, capsys):
    assert run("mine.py:First", out="a") == 0
    before = rows("a")
    played = []
    play = units.play_unit
    monkeypatch.setattr(
        units, "play_unit", lambda task, *rest: (played.append(task.key[0].policy), play(task, *rest))[1]
    )
    assert run("mine.py:First", "exact", out="a") == 0
    assert set(played) == {"exact"}
    assert all(old.items() <= new.items() for old, new in zip(before, rows("a"), strict=True))
    capsys.readouterr()
    assert run("exact", out="a") == 0
    assert "mine.py:First is not named, so its games stay in a and out of the tables" in capsys.readouterr().err
    assert all("mine.py:First" not in board for board in rows("a"))
    played.clear()
    assert run("mine.py:First", out="a") == 0
    assert played == []
    assert [board["mine.py:First"] for board in rows("a")] == [board["mine.py:First"] for board in before]


def test_a_policy_that_has_changed_is_refused_until_its_games_are_gone(capsys):
    assert run("mine.py:First") == 0
    Path("mine.py").write_text(FIRST + "\n")
    line = refused(capsys, "mine.py:First")
    games = f"out/games/*/{policy_folder('mine.py:First')}"
    assert line == (
        f"{PROGRAM}: mine.py:First has changed since its games in out were played; choose another --out, restore the "
        f"policy, or delete {games} to play them again"
    )
    assert run() == 0
    for folder in Path().glob(games):
        shutil.rmtree(folder)
    assert run("mine.py:First") == 0
    assert all("mine.py:First" in board for board in rows())


def test_a_run_folder_that_has_changed_is_refused(capsys):
    torch = pytest.importorskip("torch")
    from baselines.learned.agents.storage import save_agent
    from baselines.learned.networks.board import BoardNetwork
    from baselines.learned.networks.size import NetworkSize

    size = NetworkSize(4, 1)
    Path("runs/a").mkdir(parents=True)
    for seed in (0, 1):
        torch.manual_seed(seed)
        save_agent(Path("runs/a"), BoardNetwork.of_size(size), size, {})
        if seed == 0:
            assert run("runs/a") == 0
            assert "runs/a" in rows()[0]
    assert "runs/a has changed since its games in out were played" in refused(capsys, "runs/a")


def test_a_board_that_a_policy_refuses_is_left_out_with_its_reason():
    assert run("mine.py:First:begin=9") == 0
    small, large = content()["boards"]
    assert "mine.py:First:begin=9" in [row["policy"] for row in small["results"]]
    (left_out,) = large["left_out"]
    assert left_out["policy"] == "mine.py:First:begin=9"
    assert "First plays no 6x6 from 9 on (mine.py, line 5" in left_out["reason"]


def test_errors_of_a_policy_are_one_line_and_keep_the_games(capsys):
    Path("mine.py").write_text(FIRST.replace("self.begin = begin", "self.begin = nosuch"))
    assert "NameError: name 'nosuch' is not defined (mine.py, line 6" in refused(capsys, "mine.py:First")
    Path("mine.py").write_text(FIRST.replace("return [", "return nosuch + ["))
    assert run("mine.py:First") == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert "NameError: name 'nosuch' is not defined (mine.py, line 9, in act" in line
    assert line.endswith("; the games so far are in out: the same command goes on")
    for folder in Path().glob(f"out/games/*/{policy_folder('mine.py:First')}"):
        shutil.rmtree(folder)
    Path("mine.py").write_text(FIRST)
    assert run("mine.py:First") == 0


@pytest.mark.parametrize(
    ("policies", "complaint"),
    [
        (["random"], "the suite tiny has the policy random already; name each policy once"),
        (["exact", "exact"], "the suite tiny has the policy exact already"),
        (["all"], "a suite takes further policies by name, not all"),
        (["nosuch"], "unknown policy 'nosuch'"),
        (["nosuch.py:First"], "there is no file nosuch.py"),
        (["mine.py:Second"], "mine.py has no Second; it defines First"),
    ],
)
def test_bad_additions_are_refused(capsys, policies, complaint):
    assert complaint in refused(capsys, *policies)
    assert not Path("out/games").exists()


def test_policies_that_are_spelled_alike_have_folders_of_their_own():
    names = ["a/b.py:C", "a_b.py:C", "a b.py:C", "m.n:C", "m:n.C", "C" * 300 + ".py:D"]
    folders = [policy_folder(name) for name in names]
    assert len(set(folders)) == len(names)
    assert all(len(folder) < 80 and "/" not in folder for folder in folders)
    for suite in definitions.SUITES.values():
        for entry in suite.entries:
            assert policy_folder(entry.policy) == entry.policy.replace(":", "_").replace("_", "_")


def test_digests_follow_the_content():
    first = policy_digest("mine.py:First")
    Path("mine.py").write_text(FIRST + "#\n")
    assert policy_digest("mine.py:First") not in (None, first)
    Path("module_with_a_digest.py").write_text(FIRST + "#\n")
    assert policy_digest("module_with_a_digest:First:begin=1") == policy_digest("mine.py:First")
    assert policy_digest("exact") is None
    with pytest.raises(ValueError, match="unknown policy"):
        policy_digest("nosuch")
    assert added_policies(find_suite("tiny").with_policies(["mine.py:First"])) == ["mine.py:First"]
