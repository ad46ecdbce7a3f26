"""The command `suite`: games played, interruptions, and files written."""

from __future__ import annotations

import csv
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support import tiny_suites
from support.commands import complaint
from support.processes import started

from baselines.cli import suite
from baselines.evaluation import units
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.records import Start, unpack_won
from baselines.evaluation.results import PolicyResult, compare
from baselines.registry import SCRIPTED, build_policy, config_for
from baselines.suites import definitions, parts
from baselines.suites import run as suite_run
from baselines.suites.definitions import SUITES
from baselines.suites.parts import PartStore
from baselines.suites.suite import Entry
from baselines.suites.tasks import Task, plan
from baselines.support.files import hold_folder, replace_file
from minesweeper_env import BoardConfig

RESULTS = {"results.json", "results.csv", "results.md", "results.png"}


@pytest.fixture(autouse=True)
def tiny_suite(monkeypatch):
    monkeypatch.setitem(definitions.SUITES, "tiny", tiny_suites.TINY)
    monkeypatch.setattr(units, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(units, "LEAST_SECONDS", 1e-9)


def run(folder, *arguments, games=50):
    return suite.main(["tiny", "--games", str(games), "--seed", "7", "--out", str(folder), *arguments])


def records(folder, games=50):
    """Returns all games of the tiny suite that are in the folder, by task."""
    tasks = [task for task in plan(tiny_suites.TINY, games) if isinstance(task, Task)]
    found = {}
    for task in tasks:
        found[str(task)] = [record for part in PartStore(folder, task, 7).read() for record in part.records]
    return found


@pytest.mark.parametrize("name", SUITES)
def test_each_board_of_a_suite_has_a_folder_of_its_own(name):
    suite = SUITES[name]
    folders = {Task("exact", board, 1, 1, record=suite.protocol is not None).folder for board in suite.boards}
    assert len(folders) == len(suite.boards)


def refused(capsys, *arguments):
    """Returns the line on stderr of a command that exits with status 2."""
    with pytest.raises(SystemExit) as exit_info:
        suite.main(list(arguments))
    assert exit_info.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return complaint(captured.err)


def test_every_row_is_what_evaluate_would_say(tmp_path, capsys):
    assert run(tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == {*RESULTS, "games", "suite.json"}
    content = json.loads((tmp_path / "results.json").read_text())
    assert (content["suite"], content["seed"], content["games"]) == ("tiny", 7, 50)
    assert content["command"].startswith("python -m baselines suite tiny --games 50")
    assert {"commit", "python", "numpy", "minesweeper_env"} <= content["versions"].keys()
    rows = [row for board in content["boards"] for row in board["results"]]
    assert all(unpack_won(row["won"], row["games"]).sum() == row["wins"] for row in rows)
    for config, board in zip(tiny_suites.TINY.boards, content["boards"], strict=True):
        assert board["config"] == {
            "size": [config.rows, config.cols],
            "mines": config.mines,
            "first_click": config.first_click,
        }
        results = {}
        for row, entry in zip(board["results"], tiny_suites.TINY.entries, strict=True):
            seeds = range(7, 7 + (entry.cap or 50))
            build = partial(build_policy, entry.policy, config)
            evaluation = evaluate_policy(build, config, seeds, policy_seed=7, batch_size=entry.batch_size or 20)
            results[entry.policy] = PolicyResult.of(entry.policy, evaluation)
            expected = results[entry.policy]
            assert row["policy"] == entry.policy
            assert (row["games"], row["wins"]) == (len(seeds), expected.wins)
            assert row["ci95"] == list(expected.interval)
            assert row["clicks_per_game"] == expected.clicks_per_game
            assert row["opened_per_game"] == sum(r.opened for r in expected.records) / len(seeds)
        assert board["results"][2]["mcnemar"] is None
        order = sorted((results["random"], results["straightforward"]), key=lambda result: result.win_rate)
        tests = {row["policy"]: row["mcnemar"] for row in board["results"]}
        assert tests[order[1].policy] is None
        for weaker, stronger in pairwise(order):
            comparison = compare(weaker, stronger)
            assert tests[weaker.policy] == vars(comparison)
        assert [test["policy"] for test in board["comparisons"]] == [order[0].policy]
    assert any(note.startswith("subset is slow, played only the first 30 of 50 games") for note in content["notes"])
    printed = capsys.readouterr().out
    assert "4x5/4, first click safe" in printed
    assert content["notes"][-1] in " ".join(printed.split())


def test_the_files_agree(tmp_path):
    assert run(tmp_path) == 0
    content = json.loads((tmp_path / "results.json").read_text())
    with (tmp_path / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    rows = [(board["config"], row) for board in content["boards"] for row in board["results"]]
    page = (tmp_path / "results.md").read_text()
    assert len(lines) == len(rows) == 6
    for line, (config, row) in zip(lines, rows, strict=True):
        assert [int(line["rows"]), int(line["cols"])] == config["size"]
        assert (int(line["mines"]), line["first_click"]) == (config["mines"], config["first_click"])
        assert line["policy"] == row["policy"]
        for name in ("wins", "win_rate", "ms_per_game", "clicks_per_game", "opened_per_game"):
            assert float(line[name]) == row[name]
        assert [float(line["ci95_low"]), float(line["ci95_high"])] == row["ci95"]
        assert line["mcnemar_against"] == (row["mcnemar"]["against"] if row["mcnemar"] else "")
        cells = f"| {row['policy']} | {row['games']} | {row['wins']} | {row['win_rate']:.1%} |"
        section = page.partition(f"## {config['size'][0]}x{config['size'][1]}/{config['mines']}, ")[2].partition("##")[
            0
        ]
        assert section.count(cells) == 1
    rates = page[page.index("## Win rates") : page.index("## 4x5/4")]
    for line in rates.splitlines()[4:7]:
        policy, *found = [cell.strip() for cell in line.strip("|").split("|")]
        assert [f"{100 * row['win_rate']:.1f}" for _, row in rows if row["policy"] == policy] == [
            cell.partition(" ")[0].removeprefix("&#62;") for cell in found
        ]
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_a_finished_suite_is_not_played_again(tmp_path, monkeypatch, capsys):
    assert run(tmp_path) == 0
    before = {name: (tmp_path / name).read_bytes() for name in RESULTS}
    monkeypatch.setattr(units, "play_unit", None)
    assert run(tmp_path) == 0
    assert before == {name: (tmp_path / name).read_bytes() for name in RESULTS}
    assert "260 of 260 games are done\n" in capsys.readouterr().err


def test_ctrl_c_says_what_is_left_and_the_same_command_goes_on(tmp_path, monkeypatch, capsys):
    def interrupt(assignment, unit, deadline):
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(unit.games)
        return play(assignment, unit, deadline)

    play, played = units.play_unit, []
    monkeypatch.setattr(units, "play_unit", interrupt)
    assert run(tmp_path / "a") == 130
    done = sum(played)
    err = capsys.readouterr().err
    assert f"interrupted: tiny in {tmp_path / 'a'}: {done} of 260 games are done; left:" in err
    assert "  random on 4x5/4: 50 games" in err
    assert "the same command goes on" in err
    assert not RESULTS & {path.name for path in (tmp_path / "a").iterdir()}
    monkeypatch.setattr(units, "play_unit", play)
    assert run(tmp_path / "a") == 0
    assert f"going on with tiny in {tmp_path / 'a'}: {done} of 260 games are done; left:" in capsys.readouterr().err
    assert run(tmp_path / "b") == 0
    assert records(tmp_path / "a") == records(tmp_path / "b")


@pytest.mark.parametrize(
    "place",
    ["hold_folder", "Schedule", "play_units", "analyse", "print_tables", "plot", "replace_file"],
)
def test_ctrl_c_anywhere_is_130_and_the_same_command_goes_on(tmp_path, monkeypatch, capsys, place):
    def interrupt(*_arguments, **_settings):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(suite_run, place, interrupt)
        assert run(tmp_path, games=8) == 130
    assert capsys.readouterr().err.splitlines()[-1].endswith("the same command goes on")
    assert run(tmp_path, games=8) == 0


@pytest.mark.parametrize("place", ["open_folder", "plan"])
def test_ctrl_c_before_the_first_game_is_130(tmp_path, monkeypatch, capsys, place):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(suite_run, place, interrupt)
    assert run(tmp_path, games=8) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "interrupted before the work began"


def test_a_disk_that_fills_keeps_the_games_so_far_and_the_same_command_goes_on(tmp_path, monkeypatch, capsys):
    def fill(path, content):
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        written.append(path)
        replace_file(path, content)

    written = []
    with monkeypatch.context() as patched:
        patched.setattr(parts, "replace_file", fill)
        assert run(tmp_path / "a") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.endswith(
        f".npz: No space left on device; the games so far are in {tmp_path / 'a'}: the same command goes on"
    )
    assert len(list(tmp_path.rglob("*.npz"))) == 3
    assert run(tmp_path / "a") == run(tmp_path / "b") == 0
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_more_games_extend_what_is_there(tmp_path):
    assert run(tmp_path / "a", games=25) == 0
    first = records(tmp_path / "a", games=25)
    assert run(tmp_path / "a", games=70) == 0
    assert run(tmp_path / "b", games=70) == 0
    extended = records(tmp_path / "a", games=70)
    assert extended == records(tmp_path / "b", games=70)
    assert [len(games) for games in extended.values()] == [70, 70, 30] * 2
    # Whole batches stay; a partial one at the end is replayed in full.
    assert all(extended[task][:20] == games[:20] for task, games in first.items())
    assert json.loads((tmp_path / "a" / "results.json").read_text())["games"] == 70


def test_workers_change_nothing(tmp_path):
    assert run(tmp_path / "a") == 0
    assert run(tmp_path / "b", "--workers", "2") == 0
    assert records(tmp_path / "a") == records(tmp_path / "b")


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_at_any_moment_goes_on(tmp_path, number):
    """Both end with the games of an uninterrupted run, and leave no process behind."""
    games = 400
    command = [sys.executable, tiny_suites.__file__, "tiny", "--workers", "2"]
    command += ["--seed", "7", "--games", str(games), "--out", str(tmp_path / "a")]
    stops = random.Random(number)
    for _ in range(3):
        kept = len(list(tmp_path.rglob("*.npz")))
        with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            wait_until(
                lambda kept=kept, process=process: (
                    len(list(tmp_path.rglob("*.npz"))) > kept or process.poll() is not None
                )
            )
            # An interrupted run keeps the games that its workers have begun, so the next one may find nothing to play.
            if process.poll() is not None:
                break
            time.sleep(stops.uniform(0, 0.2))
            workers = children(process.pid)
            os.kill(process.pid, number)
            _, err = process.communicate()
        assert workers
        wait_until(lambda workers=workers: not any(alive(worker) for worker in workers))
        if process.returncode == 0:
            break
        assert process.returncode == (-number if number == signal.SIGKILL else 130), err
        assert number == signal.SIGKILL or "the same command goes on" in err
    assert run(tmp_path / "a", games=games) == 0
    assert run(tmp_path / "b", games=games) == 0
    assert records(tmp_path / "a", games) == records(tmp_path / "b", games)


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_a_folder_is_played_into_by_one_process_at_a_time(tmp_path, capsys):
    with hold_folder(tmp_path):
        line = refused(capsys, "tiny", "--games", "50", "--seed", "7", "--out", str(tmp_path))
        assert line == f"{suite.PROGRAM}: the folder {tmp_path} cannot be written: another process is writing into it"
        assert list(tmp_path.iterdir()) == []
    assert run(tmp_path) == 0


def test_a_damaged_part_is_named(tmp_path, capsys):
    assert run(tmp_path) == 0
    path = next((tmp_path / "games" / "4x5-4" / "subset").glob("*.npz"))
    path.write_bytes(path.read_bytes()[:-40])
    capsys.readouterr()
    line = refused(capsys, "tiny", "--games", "50", "--seed", "7", "--out", str(tmp_path))
    assert line == f"{suite.PROGRAM}: {path} is damaged; delete it to play its games again"
    path.unlink()
    assert run(tmp_path) == 0


def test_a_part_that_is_damaged_meanwhile_is_named(tmp_path, monkeypatch, capsys):
    def play(run, make_workers):
        whole(run, make_workers)
        next((tmp_path / "games" / "4x5-4" / "subset").glob("*.npz")).write_bytes(b"")

    whole = suite_run.SuiteRun.play
    monkeypatch.setattr(suite_run.SuiteRun, "play", play)
    assert run(tmp_path) == 1
    assert "is damaged; delete it to play its games again" in capsys.readouterr().err.splitlines()[-1]
    assert not RESULTS & {each.name for each in tmp_path.iterdir()}


def test_a_full_disk_costs_no_results(tmp_path, monkeypatch, capsys):
    def full(path, _content):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(suite_run, "write_json", full)
    assert run(tmp_path) == 1
    captured = capsys.readouterr()
    assert f"{tmp_path / 'results.json'}: No space left on device; the games so far" in captured.err.splitlines()[-1]
    assert "A suite for tests" in captured.out
    assert not RESULTS & {each.name for each in tmp_path.iterdir()}
    monkeypatch.undo()
    monkeypatch.setitem(definitions.SUITES, "tiny", tiny_suites.TINY)
    assert run(tmp_path) == 0
    assert {each.name for each in tmp_path.iterdir()} >= RESULTS


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["best", "--out", "X"], "unknown suite 'best'; there are bayes, agents, expected-value, ladder"),
        (["tiny"], "a suite needs a folder for its games and results: --out DIR"),
        (["tiny", "--out", "X", "--policy", "random"], "has the policy random already"),
        (["tiny", "--out", "X", "--policy", "all"], "by name, not all"),
        (["tiny", "--out", "X", "--seed", str((1 << 30) - 10)], "the seeds of test games are 0 to"),
        (["tiny", "--out", ""], "argument --out: must be a path, not an empty text"),
        (["tiny", "--out", "/proc/none"], "the folder /proc/none cannot be written"),
    ],
)
def test_bad_arguments_exit_2_with_one_line(tmp_path, capsys, monkeypatch, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    assert complaint in refused(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def start(config, seed):
    """A game with its mines in the first row, begun in the last one."""
    layout = np.zeros((config.rows, config.cols), np.bool_)
    layout[0, : config.mines] = True
    return Start(layout, config.cells - 1 - seed % 2)


def test_games_may_begin_in_a_way_of_their_own(tmp_path, monkeypatch):
    entries = (Entry("random"), Entry("straightforward", start=f"{__name__}:start"), Entry("subset"))
    monkeypatch.setitem(definitions.SUITES, "tiny", replace(tiny_suites.TINY, entries=entries))
    assert run(tmp_path) == 0
    content = json.loads((tmp_path / "results.json").read_text())
    for board in content["boards"]:
        weak, own, strong = board["results"]
        # Its rows below the first are open at once, and the mines of the first follow.
        assert own["win_rate"] == 1.0
        assert (own["mcnemar"], strong["mcnemar"]) == (None, None)
        assert weak["mcnemar"]["against"] == "subset"
    assert any(note.startswith("straightforward plays games that begin in a way of") for note in content["notes"])


def test_a_policy_that_refuses_a_board_is_left_out_there(tmp_path, monkeypatch):
    entries = (Entry("random"), Entry("optimal"))
    boards = (tiny_suites.TINY.boards[0], BoardConfig(8, 8, 14, moves=("click",)))
    monkeypatch.setitem(definitions.SUITES, "tiny", replace(tiny_suites.TINY, entries=entries, boards=boards))
    assert run(tmp_path) == 0
    content = json.loads((tmp_path / "results.json").read_text())
    small, large = content["boards"]
    assert [row["policy"] for row in small["results"]] == ["random", "optimal"]
    assert [row["policy"] for row in large["results"]] == ["random"]
    assert small["left_out"] == []
    assert [each["policy"] for each in large["left_out"]] == ["optimal"]
    assert any(note.startswith("optimal does not play on 8x8/14: perfect play") for note in content["notes"])


def test_plain_lines_elsewhere(tmp_path, capsys):
    assert run(tmp_path) == 0
    lines = capsys.readouterr().err.splitlines()
    finished = [line for line in lines if " is done; " in line]
    assert len(finished) == 6
    assert finished[-1].endswith("260 of 260 games, about 0 s left")
    assert "\r" not in "".join(lines)


def test_the_suites_are_well_formed():
    for name, each in SUITES.items():
        assert each.name == name
        assert len(set(each.boards)) == len(each.boards)
        policies = [entry.policy for entry in each.entries]
        assert len(set(policies)) == len(policies)
        for policy in policies:
            config_for(policy, each.boards[0])


def test_the_ladder_has_every_scripted_policy():
    played = [entry.policy for entry in SUITES["ladder"].entries]
    assert played == list(SCRIPTED), "_LADDER in baselines/suites/definitions.py must list SCRIPTED in order"
