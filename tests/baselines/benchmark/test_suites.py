"""The command `suite`: games played, interruptions, added policies, and files written."""

import errno
import gzip
import json
import math
import os
import random
import shutil
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import msgspec
import numpy as np
import pytest
from support import fault_suites
from support.clusters import wait_until
from support.commands import refused
from support.tiny_suites import BOARDS, TINY, records
from support.tiny_suites import content as timeless

from baselines.__main__ import main
from baselines.benchmark import report as suite_report
from baselines.benchmark import run as suite_run
from baselines.benchmark import suites
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.suites import SUITES, Entry
from baselines.cli import suite
from baselines.evaluation import beliefs, units
from baselines.evaluation.columns import board_title
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.games import GameDiagnosis, Start
from baselines.evaluation.results import PolicyResult, config_row, paired_tests, without_difference
from baselines.files import hold_folder
from baselines.registry import Specification, find_policy
from minesweeper_env import BoardConfig

APART = ("seconds", "ms_per_game", "mcnemar")
PLOT = suite_report.plot
RESULTS = {"results.json", "results.md", "results.png"}

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
def tiny_suite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(suites.SUITES, "tiny", TINY)
    monkeypatch.setattr(units, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(units, "LEAST_SECONDS", 1e-9)
    # A picture takes longer than the games.
    monkeypatch.setattr(suite_report, "plot", lambda _: b"a picture")
    Path("mine.py").write_text(FIRST)


EIGHT = ("tiny", "--games", "8", "--seed", "7", "--out", "a")


def run(folder, *arguments, games=50):
    return main(["suite", "tiny", "--games", str(games), "--seed", "7", "--out", str(folder), *arguments])


def results(folder):
    return json.loads((Path(folder) / "results.json").read_text())


def wins(folder):
    return [{row["policy"]: row["wins"] for row in board["results"]} for board in results(folder)["boards"]]


def test_a_suite_measures_beliefs_once_and_again_if_they_are_damaged_or_of_another_policy(monkeypatch):
    changed(monkeypatch, entries=(*map(Entry, ("random", "bayes", "bayes:prior=count")),), measures_beliefs=True)
    assert run("a", games=5) == 0
    before = results("a")["boards"]
    for board in before:
        without, *others = board["results"]
        assert "beliefs" not in without
        assert all(0 < found["beliefs"]["positions"] <= 50 for found in others)
    assert "bits/cell" in Path("a/results.md").read_text()
    with monkeypatch.context() as patched:
        patched.setattr(beliefs, "measure_beliefs", None)
        assert run("a", games=5) == 0, "the beliefs are measured again"
    assert results("a")["boards"] == before
    kept, other = sorted(Path("a/games").glob("*/4x5-4-safe/bayes*/beliefs-50.json"))
    own = json.loads(kept.read_text())
    contents = ["{", *(json.dumps({**own, "beliefs": {**own["beliefs"], "bits": bits}}) for bits in (math.nan, -5))]
    for content in (*contents, '{"bits_a_cell": -5}', other.read_text()):
        kept.write_text(content)
        assert run("a", games=5) == 0
        assert results("a")["boards"] == before
        assert json.loads(kept.read_text()) == own


def changed(monkeypatch, **changes):
    monkeypatch.setitem(suites.SUITES, "tiny", replace(TINY, groups=(replace(TINY.groups[0], **changes),)))


def test_every_row_is_what_evaluate_would_say_and_a_finished_suite_is_not_played_again(monkeypatch, capsys):
    assert run("a") == 0
    captured = capsys.readouterr()
    finished = [line for line in captured.err.splitlines() if " is done; " in line]
    assert len(finished) == 6
    assert finished[-1].endswith("260 of 260 games, about 0 s left")
    assert {path.name for path in Path("a").iterdir()} == {*RESULTS, "games", "suite.json"}
    content = results("a")
    assert (content["suite"], content["seed"], content["games"]) == ("tiny", 7, 50)
    assert content["command"].startswith("python -m baselines suite tiny --games 50")
    assert {"commit", "python", "numpy", "minesweeper_env"} <= content["versions"].keys()
    for config, board in zip(BOARDS, content["boards"], strict=True):
        assert board["config"] == config_row(config)
        expected = {}
        for row, entry in zip(board["results"], TINY.groups[0].entries, strict=True):
            seeds = range(7, 7 + (entry.cap or 50))
            build = partial(find_policy(entry.policy), config)
            evaluation = evaluate_policy(build, config, seeds, policy_seed=7, batch_size=entry.batch_size or 20)
            result = PolicyResult(entry.policy, evaluation.records, counters=evaluation.counters)
            expected[entry.policy] = result
            same = result.row()
            assert same["opened_per_game"] == sum(each.opened for each in result.records) / len(seeds)
            assert row | dict.fromkeys(APART) == same | dict.fromkeys(APART)
        (test,) = map(without_difference, paired_tests((expected["random"], expected["straightforward"]), "next"))
        assert board["comparisons"] == [test]
        tests = {row["policy"]: row["mcnemar"] for row in board["results"] if row["mcnemar"]}
        assert tests == {test.pop("policy"): test}
    assert "subset is slow, and played only the first 30 of 50 games." in content["notes"]
    assert "4x5/4, first click safe" in captured.out
    assert content["notes"][-1] in " ".join(captured.out.split())
    before = [Path("a", name).read_bytes() for name in RESULTS]
    monkeypatch.setattr(units, "play_unit", None)
    assert run("a") == 0
    assert before == [Path("a", name).read_bytes() for name in RESULTS]
    assert "260 of 260 games are done\n" in capsys.readouterr().err


def test_the_files_agree(monkeypatch):
    monkeypatch.setattr(suite_report, "plot", PLOT)
    assert run("a", games=8) == 0
    page, rates = Path("a/results.md").read_text(), {}
    for board in results("a")["boards"]:
        section = page.partition(f"## {board_title(board['config'])}, ")[2].partition("##")[0]
        for row in board["results"]:
            assert section.count(f"| {row['policy']} | {row['games']} | {row['wins']} | {row['win_rate']:.1%} |") == 1
            is_best = row["wins"] == max(each["wins"] for each in board["results"])
            rates.setdefault(row["policy"], []).append(f"{'&#62;' * is_best}{100 * row['win_rate']:.1f}")
    assert all(f"| {policy} | {' | '.join(cells)} |" in page for policy, cells in rates.items())
    assert Path("a/results.png").read_bytes().startswith(b"\x89PNG")


FULL = OSError(errno.ENOSPC, "No space left on device", "a/file")


@pytest.mark.parametrize(
    ("module", "place", "error"),
    [
        *((suite_run, place, KeyboardInterrupt()) for place in ("hold_folder", "plan", "Schedule", "replace_file")),
        *((suite_report, place, KeyboardInterrupt()) for place in ("content_of", "replace_file")),
        *((module, "replace_file", FULL) for module in (suite_run, suite_report)),
    ],
)
def test_after_ctrl_c_or_a_full_disk_anywhere_the_same_command_goes_on(monkeypatch, capsys, module, place, error):
    with monkeypatch.context() as patched:
        patched.setattr(module, place, Mock(side_effect=error))
        assert run("a", games=8) == (1 if error is FULL else 130)
    last = capsys.readouterr().err.splitlines()[-1]
    assert error is not FULL or "a/file: No space left on device; the games so far are in a" in last
    assert run("a", games=8) == 0


def test_more_games_extend_what_is_there():
    assert run("a", games=25) == 0
    first = records("a")
    assert run("a", games=70) == run("b", games=70) == 0
    extended = records("a")
    assert extended == records("b")
    assert sorted(map(len, extended.values())) == [30, 30, 70, 70, 70, 70]
    # Whole batches stay; a partial one at the end is replayed in full.
    assert all(extended[task][:20] == games[:20] for task, games in first.items())
    assert results("a")["games"] == 70


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_run_that_is_stopped_at_any_moment_goes_on(tmp_path, monkeypatch):
    """A killed and an interrupted command leave no process behind, and the last has the games of an undisturbed one."""
    monkeypatch.setitem(suites.SUITES, "faults", fault_suites.FAULTS)
    games, stops = 60, random.Random(0)
    for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        with fault_suites.driver(tmp_path / "a", games, "--workers", "2") as process:
            assert fault_suites.wait_for_units(tmp_path / "a", process, fault_suites.units_of(tmp_path / "a"))
            time.sleep(stops.uniform(0, 0.2))
            children = fault_suites.children(process.pid, "")
            os.kill(process.pid, number)
            assert process.wait(60) == status
        assert children
        wait_until(lambda left=children: not any(Path(f"/proc/{child}/task").exists() for child in left), 60)
    for folder in ("a", "b"):
        assert suite.main(fault_suites.arguments(tmp_path / folder, games)) == 0
    assert (records("a"), timeless("a")) == (records("b"), timeless("b"))


@pytest.mark.slow
def test_processes_change_nothing(monkeypatch):
    """These games start or are stored otherwise than those of the test above: given, without guesses, recorded."""
    given = Entry("bayes_source", batch_size=5, start="baselines.scripted.bayes_source:source_start")
    board, ordinary = BoardConfig(6, 6, 6, moves=("click",)), Entry("straightforward", batch_size=5)
    group = replace(TINY.groups[0], boards=(board,), entries=(given,))
    other = replace(group, name="no-guess", boards=(replace(board, no_guess="exact"),), entries=(ordinary,))
    monkeypatch.setitem(suites.SUITES, "tiny", replace(TINY, groups=(group, other), protocol=PROTOCOL))
    for workers in "12":
        assert main(["suite", "tiny", "--games", "14", "--out", workers, "--workers", workers]) == 0
    assert records("1")
    assert (records("2"), timeless("2")) == (records("1"), timeless("1"))


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_a_folder_is_played_into_by_one_process_at_a_time(capsys):
    Path("a").mkdir()
    with hold_folder(Path("a")):
        assert "a: another process is writing into it" in refused(capsys, suite.main, "tiny", "--out", "a")
        assert list(Path("a").iterdir()) == []


def test_a_damaged_part_is_named(monkeypatch, capsys):
    assert run("a", games=8) == 0
    path = next(Path("a/games/tiny/4x5-4-safe/subset").glob("*.msgpack.gz"))
    path.write_bytes(path.read_bytes()[:-40])
    assert f"{path}: is damaged; delete it" in refused(capsys, suite.main, *EIGHT)
    path.unlink()
    monkeypatch.setattr(suite_run.SuiteRun, "play", lambda *_: path.write_bytes(b""))
    assert run("a", games=8) == 1
    assert f"{path}: is damaged; delete it" in capsys.readouterr().err.splitlines()[-1]


def test_outcomes_and_numbers_that_no_game_has_are_refused(capsys):
    assert run("a", games=8) == 0
    path = next(Path("a/games/tiny/4x5-4-safe/subset").glob("*.msgpack.gz"))
    whole = path.read_bytes()
    first, games, *rest = msgspec.msgpack.decode(gzip.decompress(whole), type=suite_run.Stored)
    assert {game.won for game in games} == {True, False}
    (task,) = (each for each in suite_run.plan(TINY, range(7, 15)) if each.folder(Path("a")) == path.parent)
    seconds, counters, owner = rest
    forged = [(games, 1e300, counters, owner), (games, seconds, counters | {"clicks": 1}, owner)]
    for at, game in enumerate(games):
        impossible = [{"won": not game.won}, {"opened": 17}, {"opened": -1}, {"clicks": 0}, {"clicks": 10**6}]
        impossible += [{"clicks": -1}, {"diagnosis": GameDiagnosis(0, 0, 0, 0, 0, 0.0, None)}]
        impossible.append({"won": True, "opened": 16, "truncated": True})
        forged += [([*games[:at], game._replace(**each), *games[at + 1 :]], *rest) for each in impossible]
    for content in forged:
        path.write_bytes(gzip.compress(msgspec.msgpack.encode((first, *content))))
        with pytest.raises(OSError, match="is damaged"):
            task.read(Path("a"))
    path.write_bytes(whole)
    assert run("a", games=8) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["best", "--out", "X"], "unknown suite 'best'; there are ladder, learned, logic, sources, benchmark"),
        (["tiny"], "a suite needs a folder for its games and results: --out DIR"),
        (["sources", "--out", "X", "--groups", "all"], "has the groups bayes, agents, expected-value, not all"),
        (["tiny", "--out", "X", "--policy", "random"], "has the policy random already"),
        (["tiny", "--out", "X", "--policy", "exact", "exact"], "has the policy exact already"),
        (["tiny", "--out", "X", "--seed", str((1 << 30) - 10)], "the seeds of test games are 0 to"),
        (["tiny", "--out", "/proc/none"], "/proc/none: "),
        (["tiny", "--out", "."], "is not empty and holds no suite.json"),
    ],
)
def test_bad_arguments_exit_2_with_one_line(capsys, arguments, said):
    assert said in refused(capsys, suite.main, *arguments)
    assert [path.name for path in Path().iterdir()] == ["mine.py"]


def test_a_folder_of_other_games_is_refused_before_any_policy_is_prepared(capsys, monkeypatch):
    assert run("a", games=4) == 0
    monkeypatch.setattr("baselines.benchmark.run.prepare", lambda *_, **__: pytest.fail("a policy was prepared"))
    manifest = Path("a/suite.json")
    content = json.loads(manifest.read_text())
    other = {'suite "ladder", not "tiny"': {"suite": "ladder"}, "seed 6, not 7": {"seed": 6}}
    other |= {"games 51, not 8": {"games": 51}, 'numpy "1.9", not': {"identity": {"numpy": "1.9"}}}
    for said, change in other.items():
        manifest.write_text(json.dumps(content | change))
        assert said in refused(capsys, suite.main, *EIGHT)


def test_groups_are_played_alone(monkeypatch):
    (group,) = TINY.groups
    other = replace(group, name="other", boards=BOARDS[:1], entries=(Entry("exact"),))
    monkeypatch.setitem(suites.SUITES, "tiny", replace(TINY, groups=(group, other)))
    assert run("a", "--groups", "other", games=4) == 0
    assert wins("a")[0].keys() == {"exact"}
    assert run("a", games=4) == 0
    assert [board["group"] for board in results("a")["boards"]] == ["tiny", "tiny", "other"]


def start(config, seed):
    """A game with its mines in the first row, begun in the last one."""
    layout = np.zeros((config.rows, config.cols), np.bool_)
    layout[0, : config.mines] = True
    return Start(layout, config.cells - 1 - seed % 2)


def test_games_may_begin_in_a_way_of_their_own(monkeypatch):
    entries = (Entry("random"), Entry("straightforward", start=f"{__name__}:start"), Entry("subset"))
    changed(monkeypatch, entries=entries)
    assert run("a") == 0
    for board in results("a")["boards"]:
        weak, own, strong = board["results"]
        # Its rows below the first are open at once, and the mines of the first follow.
        assert own["win_rate"] == 1.0
        assert (own["mcnemar"], strong["mcnemar"]) == (None, None)
        assert weak["mcnemar"]["against"] == "subset"
    assert any(note.startswith("straightforward plays games that begin in a way") for note in results("a")["notes"])


def test_a_policy_that_refuses_a_board_is_left_out_there(monkeypatch):
    large = BoardConfig(8, 8, 14, moves=("click",))
    changed(monkeypatch, entries=(Entry("random"), Entry("optimal")), boards=(BOARDS[0], large))
    assert run("a", "--policy", "mine.py:First:begin=9", games=8) == 0
    small, large = results("a")["boards"]
    assert [row["policy"] for row in small["results"]] == ["random", "optimal", "mine.py:First:begin=9"]
    assert [row["policy"] for row in large["results"]] == ["random", "mine.py:First:begin=9"]
    assert [each["policy"] for each in large["left_out"]] == ["optimal"]
    assert any(note.startswith("optimal does not play on 8x8/14: perfect play") for note in results("a")["notes"])


def test_added_policies_are_rows_of_every_table_and_stay_when_others_come(monkeypatch, capsys):
    assert run("a", "--policy", "mine.py:First") == 0
    assert "mine.py:First" in capsys.readouterr().out
    before = wins("a")
    for board in results("a")["boards"]:
        tests = {each[name] for each in board["comparisons"] for name in ("policy", "against")}
        assert tests == {"random", "straightforward", "mine.py:First"}
    played, play = [], units.play_unit
    monkeypatch.setattr(units, "play_unit", lambda task, *rest: (played.append(task.name), play(task, *rest))[1])
    assert run("a", "--policy", "mine.py:First", "exact") == 0
    assert set(played) == {"exact"}
    assert all(old.items() <= new.items() for old, new in zip(before, wins("a"), strict=True))
    policies = json.loads(Path("a/suite.json").read_text())["policies"]
    assert policies == {"mine.py:First": Specification.of("mine.py:First").digest(), "exact": None}
    capsys.readouterr()
    assert run("a") == 0
    assert "mine.py:First is not named, so its games stay in a and out of the tables" in capsys.readouterr().err
    assert all("mine.py:First" not in board for board in wins("a"))


@pytest.mark.parametrize("policies", [[], None, "x", 3, {"mine.py:First": 3}])
def test_a_damaged_list_of_policies_is_named_before_any_preparation(monkeypatch, capsys, policies):
    assert run("a", games=8) == 0
    path = Path("a/suite.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "policies": policies}))
    monkeypatch.setattr(suite_run, "plan", None)
    assert str(path) in refused(capsys, suite.main, *EIGHT, "--policy", "mine.py:First")


def test_a_policy_that_has_changed_is_refused_until_its_games_are_gone(capsys):
    assert run("a", "--policy", "mine.py:First", games=8) == 0
    Path("module_of_mine.py").write_text(FIRST)
    assert Specification.of("module_of_mine:First:begin=1").digest() == Specification.of("mine.py:First").digest()
    Path("mine.py").write_text(FIRST + "\n")
    games = f"a/games/*/*/{suite_run.policy_folder('mine.py:First')}"
    line = refused(capsys, suite.main, *EIGHT, "--policy", "mine.py:First")
    assert "mine.py:First has changed" in line
    assert f"delete {games} " in line
    for folder in Path().glob(games):
        shutil.rmtree(folder)
    assert run("a", "--policy", "mine.py:First", games=8) == 0


def test_a_policy_whose_weights_have_changed_is_another_one():
    digests = []
    for content in ("1", "1", "2"):
        Path("weights.txt").write_text(content)
        digests.append(Specification.of("mine.py:First:begin=weights.txt").digest())
    assert digests[0] == digests[1] != digests[2]


def test_errors_of_a_policy_are_one_line_and_keep_the_games(capsys):
    Path("mine.py").write_text(FIRST.replace("return [", "return nosuch + ["))
    assert run("a", "--policy", "mine.py:First", games=8) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "NameError: name 'nosuch' is not defined (mine.py, line 9, in act" in last
    Path("mine.py").write_text(FIRST.replace("self.begin = begin", "self.begin = nosuch"))
    assert "NameError" in refused(capsys, suite.main, "tiny", "--out", "b", "--policy", "mine.py:First")


def test_the_suites_are_well_formed():
    groups = [group for each in SUITES.values() for group in each.groups]
    assert [group.name for group in groups if group.scored] == ["expected-value"]
    for group in groups:
        policies = [entry.policy for entry in group.entries]
        assert (len(set(group.boards)), len(set(policies))) == (len(group.boards), len(policies))
        assert group.paired in ("next", "all", *policies)
        for policy in policies:
            _ = find_policy(policy)
