"""`evaluate.py --suite --shard` and `python -m baselines merge`: the same games, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import tiny_suites
from support.commands import complaint
from support.suite_folders import content, records

from baselines.__main__ import main as run_baselines
from baselines.cli import evaluate
from baselines.cli.merge import suites as merging
from baselines.cli.merge.command import main as merge
from baselines.evaluation.units import loop, schedule
from baselines.suites import definitions

POLICY = """
class First:
    def __init__(self, size, mines, first_click):
        pass

    def act(self, observations, action_masks):
        return action_masks.argmax(1)
"""


@pytest.fixture(autouse=True)
def tiny_suite(monkeypatch, tmp_path):
    monkeypatch.setitem(definitions.SUITES, "tiny", tiny_suites.TINY)
    monkeypatch.setattr(schedule, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(schedule, "LEAST_SECONDS", 1e-9)
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(POLICY)


def play(out, *arguments, games=50, seed=7):
    words = ["--suite", "tiny", "--games", str(games), "--seed", str(seed), "--out", str(out), *arguments]
    return evaluate.main(words)


def play_shards(of, *arguments, **settings):
    folders = [f"shard-{number}" for number in range(1, of + 1)]
    for number, folder in enumerate(folders, 1):
        assert play(folder, "--shard", f"{number}/{of}", *arguments, **settings) == 0
    return folders


def refused(capsys, command, *arguments):
    """Returns the line on stderr of a command that exits with status 2."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_info:
        command(list(arguments))
    assert exit_info.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return complaint(captured.err)


@pytest.mark.parametrize("of", [1, 3, 4, 30])
def test_merged_shards_are_the_folder_of_one_run(of, capsys):
    assert play("whole", "--policy", "mine.py:First") == 0
    folders = play_shards(of, "--policy", "mine.py:First")
    assert f"shard {of}/{of} of tiny is done: " in capsys.readouterr().err
    assert not any((Path(folder) / "results.json").exists() for folder in folders)
    assert merge(["merged", *folders[::-1]]) == 0
    assert "A suite for tests" in capsys.readouterr().out
    assert records("merged") == records("whole")
    assert content("merged") == content("whole")
    assert (Path("merged") / "suite.json").read_text() == (Path("whole") / "suite.json").read_text()
    assert {path.name for path in Path("merged").iterdir()} == {path.name for path in Path("whole").iterdir()}
    assert sum(len(games) for folder in folders for games in records_apart(folder)) == 360
    assert {path.name for path in Path().iterdir()} == {"mine.py", "whole", "merged", *folders}


def records_apart(folder):
    return [np.load(path)["clicks"] for path in Path(folder).rglob("*.npz")]


def test_a_merged_folder_can_be_extended(monkeypatch):
    assert merge(["merged", *play_shards(2)]) == 0
    played = []
    play_unit = loop.play_unit
    monkeypatch.setattr(loop, "play_unit", lambda task, *rest: (played.append(rest), play_unit(task, *rest))[1])
    assert play("merged") == 0
    assert played == []
    assert play("merged", games=70) == play("whole", games=70) == 0
    assert records("merged") == records("whole")


def test_the_recorded_command_repeats_the_whole():
    folders = play_shards(2, "--policy", "mine.py:First")
    assert run_baselines(["merge", "merged", *folders]) == 0
    command = json.loads((Path("merged") / "results.json").read_text())["command"]
    start, words = command.split()[:3], command.split()[3:]
    assert start == ["python", "-m", "baselines"]
    shutil.move("merged", "first")
    assert run_baselines(words) == 0
    assert content("merged") == content("first")


def test_an_interrupted_shard_goes_on_and_is_not_merged_before(monkeypatch, capsys):
    def interrupt(assignment, first, games):
        if len(played) == 3:
            raise KeyboardInterrupt
        played.append(games)
        return play_unit(assignment, first, games)

    play_unit, played = loop.play_unit, []
    folders = play_shards(3)
    shutil.rmtree("shard-2")
    with monkeypatch.context() as patched:
        patched.setattr(loop, "play_unit", interrupt)
        assert play("shard-2", "--shard", "2/3") == 130
    done = sum(played)
    line = refused(capsys, merge, "merged", *folders)
    total = sum(len(games) for games in records_apart("shard-2")) - done
    assert total == 0
    assert line.startswith("python -m baselines merge: shard 2/3 in shard-2 lacks ")
    assert line.endswith(" games; repeat the command of an unfinished shard to finish it")
    assert not Path("merged").exists()
    assert play("shard-2", "--shard", "2/3") == 0
    assert play("whole") == merge(["merged", *folders]) == 0
    assert records("merged") == records("whole")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--shard", "2/4"], "shard-1 was made for shard 1/4, not for shard 2/4; choose another --out"),
        (["--shard", "1/3"], "shard-1 was made for shard 1/4, not for shard 1/3; choose another --out"),
        ([], "shard-1 was made for shard 1/4, not for a whole suite; choose another --out"),
        (["--shard", "1/4", "--games", "70"], "shard-1 holds a shard with the games 50, not 70; choose another --out"),
        (
            ["--shard", "1/4", "--policy", "exact"],
            "shard-1 holds a shard with the added policies [], not ['exact']; choose another --out",
        ),
        (["--shard", "5/4"], "argument --shard: a shard is I/N with I from 1 to N, such as 2/4"),
        (["--shard", "x"], "argument --shard: a shard is I/N"),
    ],
)
def test_a_shard_stays_what_it_is(capsys, arguments, line):
    assert play("shard-1", "--shard", "1/4") == 0
    words = ["--suite", "tiny", "--games", "50", "--seed", "7", "--out", "shard-1", *arguments]
    assert refused(capsys, evaluate.main, *words).startswith(f"evaluate.py: {line}")


def test_a_whole_suite_becomes_no_shard(capsys):
    assert play("whole") == 0
    line = refused(
        capsys, evaluate.main, "--suite", "tiny", "--out", "whole", "--games", "50", "--seed", "7", "--shard", "1/2"
    )
    assert line == "evaluate.py: whole was made for a whole suite, not for shard 1/2; choose another --out"


def test_a_policy_alone_has_no_shards(capsys):
    line = refused(capsys, evaluate.main, "--policy", "random", "--shard", "1/2")
    assert line == "evaluate.py: --shard is a part of a suite; it needs --suite"


def change(folder, **changes):
    path = Path(folder) / "suite.json"
    manifest = json.loads(path.read_text())
    manifest["identity"] |= changes.pop("identity", {})
    path.write_text(json.dumps(manifest | changes))


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"seed": 8}, "seed 7 and 8"),
        ({"games": 60}, "games 50 and 60"),
        ({"suite": "ladder"}, "suite tiny and ladder"),
        ({"policies": {"exact": None}}, "exact absent and none"),
        ({"precision": {"ppo": "bfloat16"}}, "ppo absent and bfloat16"),
        ({"identity": {"numpy": "1.9", "package": "0"}}, "package "),
        ({"identity": {"precision": "bf16"}}, "precision float32 and bf16"),
        ({"shard": "2/3"}, "number of shards 2 and 3"),
    ],
)
def test_shards_of_different_work_are_not_merged(capsys, changes, difference):
    folders = play_shards(2, games=20)
    change("shard-1", games=50)
    change("shard-2", **{"games": 50, **changes})
    line = refused(capsys, merge, "merged", *folders)
    assert line.startswith(f"python -m baselines merge: shard-1 and shard-2 do not belong together: {difference}")


def test_missing_and_doubled_shards_are_named(capsys):
    play_shards(4, games=20)
    shutil.copytree("shard-3", "again")
    start = "python -m baselines merge: "
    assert refused(capsys, merge, "merged", "shard-1", "shard-3") == f"{start}2 of 4 shards are missing: 2/4, 4/4"
    assert refused(capsys, merge, "merged", "shard-4", "shard-1", "shard-3", "again") == (
        f"{start}shard-3 and again both hold shard 3/4"
    )
    assert refused(capsys, merge, "merged", "shard-2") == f"{start}3 of 4 shards are missing: 1/4, 3/4, 4/4"


def test_folders_that_hold_no_shard_are_named(capsys):
    play_shards(2, games=20)
    assert play("whole", games=20) == 0
    Path("empty").mkdir()
    (Path("broken")).mkdir()
    (Path("broken") / "suite.json").write_text('{"shard": "9/2"}')
    start = "python -m baselines merge: "
    for folder, line in (
        ("empty", "empty holds no shard: neither suite.json nor seeds.json is there"),
        ("none", "none is no folder, and must be the folder of a shard"),
        ("mine.py", "mine.py is a file, and must be the folder of a shard"),
        ("whole", "whole holds the whole work, not a shard"),
        ("broken", "broken/suite.json is damaged: a shard is I/N with I from 1 to N"),
    ):
        assert refused(capsys, merge, "merged", "shard-1", folder).startswith(f"{start}{line}")
    (Path("broken") / "suite.json").write_text("{")
    assert refused(capsys, merge, "merged", "broken").startswith(f"{start}broken/suite.json holds no valid JSON: ")
    (Path("broken") / "suite.json").write_text('{"shard": "1/1"}')
    assert refused(capsys, merge, "merged", "broken") == f"{start}broken/suite.json is damaged"
    assert refused(capsys, merge, "whole", "shard-1", "shard-2").startswith(f"{start}whole exists; the first folder is")
    assert not Path("merged").exists()


def test_another_installation_neither_resumes_nor_merges(capsys):
    folders = play_shards(2, games=20)
    for folder in folders:
        change(folder, identity={"torch": "1.0", "precision": "bf16"})
    line = refused(capsys, merge, "merged", *folders)
    assert "the shards were played by another installation, which has torch 1.0, not " in line
    assert line.endswith("precision bf16, not float32; merge with that one")
    words = ["--suite", "tiny", "--games", "20", "--seed", "7", "--out", "shard-1", "--shard", "1/2"]
    line = refused(capsys, evaluate.main, *words)
    assert "the games in shard-1 were played by another installation, which has torch 1.0, not " in line


def test_a_policy_that_has_changed_since_is_named(capsys):
    folders = play_shards(2, "--policy", "mine.py:First", games=20)
    Path("mine.py").write_text(POLICY + "\n")
    line = refused(capsys, merge, "merged", *folders)
    assert line.endswith("mine.py:First has changed since the shards were played; restore it to merge them")


def test_games_of_another_shard_or_rule_are_named(capsys):
    folders = play_shards(2)
    foreign = next(path for path in Path("shard-2/games/4x5-4/random").iterdir())
    copy = Path("shard-1/games/4x5-4/random") / foreign.name
    shutil.copyfile(foreign, copy)
    assert refused(capsys, merge, "merged", *folders).endswith(
        f"{copy} holds games of another shard; delete it to resume"
    )
    copy.unlink()
    path = next(Path("shard-1/games/6x6-5/random").iterdir())
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes()) | {"first_click": "any"}
    np.savez(path, **arrays | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)})
    assert "belongs to other games than random on 6x6/5" in refused(capsys, merge, "merged", *folders)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_merge_that_ends_early_leaves_nothing(monkeypatch, capsys, error):
    def fail(*_arguments):
        raise error

    folders = play_shards(2, games=20)
    with monkeypatch.context() as patched:
        patched.setattr(merging, "copy_games", fail)
        assert merge(["merged", *folders]) == (130 if error is KeyboardInterrupt else 1)
    assert "nothing was written" in capsys.readouterr().err.splitlines()[-1]
    assert {path.name for path in Path().iterdir()} == {"mine.py", *folders}
    assert merge(["merged", *folders]) == 0
