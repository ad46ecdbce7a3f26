"""Run folders with damaged files: refused in one line, or read without the damaged part."""

import subprocess
from contextlib import closing
from types import SimpleNamespace

import pytest
from support.tiny_training import tiny

from baselines import provenance
from baselines.learned.common.tensor_files import read_tensors, write_tensors
from baselines.learned.configurations import STEP, read_points
from baselines.learned.training import loop
from baselines.learned.training.curves import Log, draw_curves
from baselines.learned.training.state import TrainingState, restore
from baselines.schemas import convert

DEEP = "[" * 100_000 + "]" * 100_000
KEPT = {"win_rate": 0.5, "win_rates": {"4x4/2": 0.5}, "games": 4, "first_seed": 0, "steps": 8}
WHOLE = {"seconds": 1.5, "evaluation_seconds": 0.5, "kept": KEPT, "highest": 0.25, "references": None}


def test_forged_progress_is_refused():
    assert convert(WHOLE, TrainingState, "it") == TrainingState(1.5, 0.5, KEPT, 0.25, None)
    for content in ([], *(WHOLE | each for each in ({"seconds": -1.0}, {"highest": float("nan")}, {"kept": {}}))):
        with pytest.raises(ValueError, match=r"^it is damaged: "):
            convert(content, TrainingState, "it")


def test_a_header_that_is_nested_deep_is_one_line(tmp_path):
    path, header = tmp_path / "agent.safetensors", DEEP.encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="missing, damaged"):
        read_tensors(path)


def test_a_checkpoint_with_an_infinite_number_is_named(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    write_tensors(path, {}, {"progress": WHOLE, "learner": {"steps": float("inf")}})
    with pytest.raises(ValueError, match=r"checkpoint\.safetensors cannot be resumed"):
        restore(SimpleNamespace(restore=lambda _, state: int(state["steps"])), path, {})


def log_steps(folder, steps, *rows):
    """Logs a session that goes on from `steps`, with a value at each of the steps `rows`."""
    with closing(Log(folder, steps)) as log:
        for step in rows:
            log.record(STEP, step)
            log.record("eval/4x4-2", 0.5)
            log.record(f"a/{steps}", step)
            log.dump(step)


def test_a_field_without_an_end_names_the_log(tmp_path):
    (tmp_path / "progress.csv").write_text(f"{STEP}\n{'9' * 200_000}\n")
    with pytest.raises(ValueError, match=r"progress\.csv is damaged"):
        read_points(tmp_path)


def test_the_sessions_share_a_log_without_what_a_kill_made_them_repeat(tmp_path):
    log_steps(tmp_path, 0, 10, 20, 25)
    log = tmp_path / "progress.csv"
    (tmp_path / "progress-notes.csv").write_text("mine")
    with log.open("a") as file:
        file.write("0.5,0.7\n")
    assert read_points(tmp_path)["eval/4x4-2"] == [(step, 0.5) for step in (10, 20, 25)]
    log_steps(tmp_path, 20, 22, 50)
    text = "a/0,a/20,eval/4x4-2,time/total_timesteps\n10,,0.5,10\n20,,0.5,20\n,22,0.5,22\n,50,0.5,50\n"
    assert log.read_text() == text
    log_steps(tmp_path, 50)
    assert log.read_text() == text
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == ["progress-notes.csv", "progress.csv"]
    draw_curves(tmp_path, ["4x4/2"], 5)
    assert (tmp_path / "curves.png").exists()


def test_a_session_writes_over_links_and_not_through_them(tmp_path):
    run, victim, theirs = (tmp_path / name for name in ("run", "victim", "theirs"))
    run.mkdir()
    theirs.mkdir()
    victim.write_text("mine")
    names = ("progress.csv", "curves.png", "checkpoint.safetensors", "agent.json", "agent.safetensors", "tensorboard")
    for name in names:
        (run / name).symlink_to(theirs if name == "tensorboard" else victim)
    loop.train(tiny("dqn", steps=200), run, bar=False)
    assert (victim.read_text(), list(theirs.iterdir())) == ("mine", [])
    assert all((run / name).stat().st_size > 10 and not (run / name).is_symlink() for name in (*names, "run.json"))


@pytest.mark.parametrize(("place", "is_ours"), [("baselines", True), ("lib/site-packages/baselines", False)])
def test_the_commit_is_that_of_a_checkout_of_this_project(tmp_path, monkeypatch, place, is_ours):
    file = tmp_path / place / "provenance.py"
    file.parent.mkdir(parents=True)
    file.touch()
    (tmp_path / "other").touch()
    before = provenance.source_commit.__wrapped__()
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -q -m m"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    with monkeypatch.context() as patch:
        # A hook of another repository sets this.
        patch.setenv("GIT_DIR", str(tmp_path / ".git"))
        assert provenance.source_commit.__wrapped__() == before
    monkeypatch.setattr(provenance, "__file__", str(file))
    commit = provenance.source_commit.__wrapped__()
    assert (commit != provenance.UNKNOWN) == is_ours
    if is_ours:
        (tmp_path / "other").write_text("changed")
        assert provenance.source_commit.__wrapped__() == f"{commit}-dirty"
