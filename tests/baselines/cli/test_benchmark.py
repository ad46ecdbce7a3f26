"""`python -m baselines benchmark`: from a policy to a checked result file."""

import json
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import UNSET, structs
from support import ROOT
from support.commands import complaint, refused

from baselines.benchmark import entries
from baselines.benchmark.entries import card_for
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.result_files import ResultFile, Time, read_result_file
from baselines.cli import benchmark
from baselines.registry import Specification

OWN = ["--track", "board", "--author", "me", "--training-steps", "5"]
SMALL = ["--boards", "5x5/5", "--first-click", "opening"]

AGENT = """
class Agent:
    def __init__(self, size, mines, first_click):
        pass

    def act(self, observations, action_masks):
        return action_masks.argmax(axis=1)
"""


@pytest.fixture
def working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "mine.py").write_text(AGENT)
    return tmp_path


def run(folder, policy="random", *more):
    return benchmark.main(["run", "--policy", policy, "--out", str(folder), *SMALL, *more])


def test_a_run_makes_a_file_that_passes_and_resumes_to_the_same_bytes(tmp_path, capsys):
    assert run(tmp_path) == 0
    assert "5x5/5 opening   1000" in capsys.readouterr().out
    path = tmp_path / "random.json"
    made = path.read_bytes()
    assert json.loads(made)["boards"][0]["seed"] == PROTOCOL.seeds.start
    assert benchmark.main(["check", str(path), "--replay", "30"]) == 0
    passed = f"{path}: passed; 1 board, 1000 games, 10 replayed (1.0%), 40 more played by the policy itself\n"
    assert capsys.readouterr().out == passed
    # An interruption leaves some of the units; the same command plays the rest.
    min((tmp_path / "games").rglob("*.msgpack.gz")).unlink()
    path.unlink()
    assert run(tmp_path) == 0
    assert path.read_bytes() == made


def test_a_policy_of_ones_own_enters_with_the_hash_of_its_file(working_folder, capsys):
    assert run("out", "mine.py:Agent", *OWN, "--name", "first", "--link", "https://x.org") == 0
    card = json.loads((working_folder / "out" / "first.json").read_bytes())["card"]
    assert (card["policy"], card["track"], card["links"]) == ("mine.py:Agent", "board", ["https://x.org"])
    assert len(card["sha256"]) == 64
    again = ["check", "out/first.json", "--replay", "1", "--policy", "mine.py:Agent"]
    assert benchmark.main(again) == 0
    (working_folder / "mine.py").write_text(AGENT.replace("argmax", "argmin"))
    assert benchmark.main(["check", "out/first.json"]) == 0
    capsys.readouterr()
    assert benchmark.main(again) == 1
    assert complaint(capsys.readouterr().err).endswith("mine.py:Agent has other files here than those that played")


def test_no_other_policy_is_timed_or_checked_as_that_of_a_file(working_folder, capsys):
    source = f"{AGENT}\n\nOther = Agent\n"
    (working_folder / "mine.py").write_text(source)
    path = working_folder / "random.json"
    before = Path(file_of(path, sha256=Specification.of("mine.py:Agent").digest())).read_bytes()
    assert "--replay" in refused(capsys, benchmark.main, "check", path, "--policy", "mine.py:Agent")
    for work in (["time", "--seconds", "0.01"], ["check", "--replay", "1"]):
        assert benchmark.main([work[0], str(path), *work[1:], "--policy", "mine.py:Other"]) == 1
        assert "mine.py:Other" in complaint(capsys.readouterr().err)
    (working_folder / "mine.py").write_text(source.replace("argmax", "argmin"))
    assert benchmark.main(["time", str(path), "--seconds", "0.01", "--policy", "mine.py:Agent"]) == 1
    assert path.read_bytes() == before


def test_several_trainings_are_numbered_and_boards_without_games_are_named(tmp_path, capsys):
    words = ["run", "--policy", "random", "straightforward", "--out", str(tmp_path), *SMALL, "--name", "two"]
    assert benchmark.main([*words, "--track", "scripted", "--author", "me"]) == 0
    assert "16x30/99 safe: not asked for" in capsys.readouterr().err
    assert [read_result_file(tmp_path / f"two_{n}.json").card.entry for n in (1, 2)] == ["two", "two"]
    commits = [json.loads((tmp_path / name).read_bytes()) for name in ("two_1.json", "suite.json")]
    assert commits[0]["versions"]["commit"] == commits[1]["commit"]


def test_no_file_of_something_else_is_replaced_and_a_tampered_one_exits_with_1_and_one_line(tmp_path, capsys):
    assert run(tmp_path) == 0
    again = ["run", "--policy", "random", "--out", tmp_path, *SMALL, "--name"]
    assert "suite.json" in refused(capsys, benchmark.main, *again, "suite")
    assert "suite.json" in refused(capsys, benchmark.main, *again[:4], tmp_path / "new", *SMALL, "--name", "suite")
    assert benchmark.main([*map(str, again), "a b", "--author", "me"]) == 0
    assert "'a b' by 'me'" in refused(capsys, benchmark.main, *again, "a_b")
    path = tmp_path / "random.json"
    path.write_bytes(path.read_bytes().replace(b'"seed": 202610000', b'"seed": 202610001'))
    assert benchmark.main(["check", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "5x5/5 opening: an entry plays 1000 to 10000 games from seed 202610000 on" in complaint(captured.err)


def times_in(path):
    return json.loads(path.read_bytes())["times"]["boards"]


def test_times_are_noted_without_a_change_of_the_content(tmp_path, capsys):
    assert run(tmp_path) == 0
    path = tmp_path / "random.json"
    before = json.loads(path.read_bytes())
    assert benchmark.main(["time", str(path), "--seconds", "0.01"]) == 0
    after = json.loads(path.read_bytes())
    assert times_in(path)["5x5/5 opening"]["ms_per_game"] > 0
    assert {**after, "times": None} == before
    assert benchmark.main(["check", str(path)]) == 0
    assert run(tmp_path) == 0
    assert json.loads(path.read_bytes()) == after, "the same games keep their times"
    path.write_bytes(b"no result file")
    assert str(path) in refused(capsys, benchmark.main, "run", "--policy", "random", "--out", tmp_path, *SMALL)


def test_an_interrupted_measurement_keeps_the_times_so_far(tmp_path, monkeypatch):
    assert run(tmp_path, "random", "--first-click", "opening", "safe") == 0
    path = tmp_path / "random.json"
    times = iter([Time(20, 0.5)])
    monkeypatch.setattr(entries, "time_games", lambda *_: next(times))
    with pytest.raises(StopIteration):
        benchmark.main(["time", str(path)])
    assert times_in(path) == {"5x5/5 opening": {"games": 20, "ms_per_game": 0.5}}
    times = iter([Time(20, 0.25), Time(20, 0.75)])
    assert benchmark.main(["time", str(path)]) == 0
    assert [each["ms_per_game"] for each in times_in(path).values()] == [0.25, 0.75]


def test_a_timing_replaces_no_games_that_another_command_has_written_meanwhile(tmp_path, monkeypatch, capsys):
    assert run(tmp_path) == 0
    path, more = tmp_path / "random.json", tmp_path / "more" / "random.json"
    before = path.read_bytes()

    def play_more(*_):
        assert run(more.parent, "random", "--games", "1100") == 0
        path.write_bytes(more.read_bytes())
        return Time(20, 0.5)

    monkeypatch.setattr(entries, "time_games", play_more)
    assert benchmark.main(["time", str(path)]) == 1
    assert "random.json has other games than at the start" in capsys.readouterr().err.splitlines()[-1]
    assert before != path.read_bytes() == more.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "random", "--games", "999"], "at least 1000 games on a board, not 999"),
        (["--policy", "random", "--games", "10001"], "1 to 10000 games"),
        (["--policy", "random", "--boards", "6x6/5"], "has 5x5/5, 8x8/14"),
        (["--policy", "random", "--first-click", "any"], "has opening, safe, not any"),
        (["--protocol", "2026.2", "--policy", "mine.py:Agent", *OWN], "needs --link"),
        (["--policy", "random", "random", "--name", "two", *OWN], "random"),
        (["--policy", "mine.py:Agent"], "needs --track and --author"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(working_folder, capsys, arguments, said):
    assert said in refused(capsys, benchmark.main, "run", "--out", "a", *arguments)
    assert not (working_folder / "a").exists()
    (working_folder / "copy" / "generate").mkdir(parents=True)
    (working_folder / "copy" / "generate" / "pages.py").touch()
    (working_folder / "README.md").unlink(missing_ok=True)
    for folder in (".", "copy"):
        assert f"{folder} is no folder docs" in refused(capsys, benchmark.main, "add", "a.json", "--docs", folder)


PLAYS = (["check", "--replay", "1"], ["time"], ["add", "--replay", "1"])
RUN_CODE = ("./mine.py:Agent", "mine:Agent:path=agent.zip")
NO_DATA = ("hf:user/agent@main", "../run", "no such")


@pytest.mark.parametrize(
    ("work", "policy"), [*((work, "mine:Agent") for work in PLAYS), *((PLAYS[0], each) for each in RUN_CODE + NO_DATA)]
)
def test_what_a_file_names_is_not_loaded_unless_the_user_types_it(working_folder, capsys, work, policy):
    """The module leaves a mark when it is imported."""
    (working_folder / "mine.py").write_text(f"open('imported', 'w'){AGENT}")
    (working_folder / "run").mkdir()
    (working_folder / "run" / "agent.json").write_text("{}")
    (working_folder / "docs" / "generate").mkdir(parents=True)
    (working_folder / "docs" / "generate" / "pages.py").touch()
    (working_folder / "README.md").touch()
    assert benchmark.main([work[0], file_of(working_folder / "random.json", policy=policy), *work[1:]]) == 1
    assert f"{policy!r} may run code" in complaint(capsys.readouterr().err)
    assert not (working_folder / "imported").exists()


@cache
def published():
    """Returns an entry of the leaderboard with few games: a check of 10 000 on each board would take seconds."""
    return read_result_file(ROOT / "docs" / "leaderboard" / PROTOCOL.version / "fit-alone.json")


def file_of(path, boards=1, **card):
    """Writes games of the leaderboard under the card of random, with some changes; returns the path."""
    changed = structs.replace(structs.replace(card_for("random"), policy="mine.py:Agent", inference=UNSET), **card)
    ResultFile.of(changed, published().versions, published().boards[:boards]).write(path)
    return str(path)


@pytest.fixture
def leaderboard(tmp_path):
    """A documentation whose leaderboard has one entry by one author, and whose tables nobody computes."""
    for name in ("generate", f"leaderboard/{PROTOCOL.version}"):
        (tmp_path / "docs" / name).mkdir(parents=True)
    (tmp_path / "docs/generate/pages.py").touch()
    (tmp_path / "README.md").touch()
    file_of(tmp_path / "docs/leaderboard" / PROTOCOL.version / "mine.json", name="mine", author="me")
    return tmp_path / "docs"


def add(docs, path, *more):
    return benchmark.main(["add", path, "--docs", str(docs), *more])


def test_a_name_that_another_author_holds_is_refused_in_any_spelling(leaderboard, tmp_path, capsys):
    before = {each: each.read_bytes() for each in leaderboard.rglob("*.json")}
    for name in ("mine", "Mine", "mi-ne", "m i n e", "mine@1", "MINE@02", "mine@1@2", "exact@1", "Any Size"):
        path = file_of(tmp_path / "new.json", name=name, author="a stranger")
        assert add(leaderboard, path, "--yes") == 1
        assert f"the name {name!r} belongs to '" in complaint(capsys.readouterr().err)
    assert {each: each.read_bytes() for each in leaderboard.rglob("*.json")} == before


def test_a_name_is_held_in_every_protocol_and_an_author_has_one_spelling(leaderboard, tmp_path, capsys):
    place = leaderboard / "leaderboard" / PROTOCOL.version
    place.rename(place.with_name("2026.2"))
    for name, author, said in (("mine", "you", "belongs to 'mine' by 'me'"), ("new", "Me", "is spelled otherwise")):
        assert add(leaderboard, file_of(tmp_path / "new.json", name=name, author=author)) == 1
        assert said in complaint(capsys.readouterr().err)


@pytest.mark.parametrize("name", ["mine", "mine@1"])
def test_ones_own_row_changes_after_a_question_alone(leaderboard, tmp_path, capsys, monkeypatch, name):
    path = file_of(tmp_path / "new.json", name=name, author="me", track="oracle")
    stored = leaderboard / "leaderboard" / PROTOCOL.version / f"{name.replace('@', '_')}.json"
    before = stored.read_bytes() if stored.exists() else None
    assert add(leaderboard, path) == 1
    said = complaint(capsys.readouterr().err)
    assert "changes the row of mine in " in said
    assert "--yes" in said
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    for answer, status in (("", 1), ("no", 1), ("y", 0)):
        assert (stored.read_bytes() if stored.exists() else None) == before
        monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
        assert add(leaderboard, path) == status
    assert stored.read_bytes() == (tmp_path / "new.json").read_bytes()
    # The same file again changes nothing, and so does a further training of an entry of several.
    monkeypatch.setattr("builtins.input", None)
    assert add(leaderboard, path) == 0
    for own in ("own@1", "own@2"):
        assert add(leaderboard, file_of(tmp_path / "new.json", name=own, author="me")) == 0
    assert add(leaderboard, file_of(tmp_path / "new.json", name="own@2", author="me", track="oracle"), "--yes") == 0
    file_of(stored.with_name("own_2.json"), 2, name="own@2", author="me")
    assert (add(leaderboard, path, "--yes"), "also has games on" in capsys.readouterr().err) == (1, True)


TRACKS = ("exact board oracle", "dqn board reveal", "dqn:first=exact reveal oracle", "subset search scripted")


@pytest.mark.parametrize(("policy", "track", "known"), [each.split() for each in TRACKS])
def test_the_package_knows_the_tracks_of_its_policies(tmp_path, capsys, policy, track, known):
    said = f"of track {known}, not {track}"
    assert said in refused(capsys, benchmark.main, "run", "--policy", policy, "--track", track, "--out", tmp_path / "a")
    assert benchmark.main(["check", file_of(tmp_path / "a.json", policy=policy, track=track)]) == 1
    assert said in complaint(capsys.readouterr().err)
    assert card_for(policy).track == known
