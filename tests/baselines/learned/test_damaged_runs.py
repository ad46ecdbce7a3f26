"""Run folders with damaged files: refused in one line, or read without the damaged part."""

from __future__ import annotations

import json
import subprocess

import pytest
import torch

from baselines.learned.common.tensor_files import read_tensors, write_tensors
from baselines.learned.training.curves import draw_curves, read_points
from baselines.learned.training.provenance import earlier_sessions
from baselines.learned.training.session import Progress
from baselines.support import machine
from baselines.support.files import read_json

DEEP = "[" * 100_000 + "]" * 100_000
WHOLE = {"seconds": 1.5, "evaluation_seconds": 0.5, "kept": None, "highest": 0.25, "references": None}


def test_whole_progress_is_read():
    assert Progress.from_json(WHOLE) == Progress(1.5, 0.5, None, 0.25, None)


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        {**WHOLE, "more": 1},
        {**WHOLE, "seconds": "many"},
        {**WHOLE, "seconds": -1.0},
        {**WHOLE, "highest": float("nan")},
        {**WHOLE, "evaluation_seconds": float("inf")},
        {**WHOLE, "kept": 3},
        {**WHOLE, "kept": {}},
        {**WHOLE, "references": []},
    ],
)
def test_forged_progress_is_refused(content):
    with pytest.raises(ValueError, match=r"^its "):
        Progress.from_json(content)


@pytest.mark.parametrize("text", ['{"settings": {}}', '{"sessions": 3}', '{"sessions": {}}', "[]", DEEP, "\udcff"])
def test_a_damaged_record_of_sessions_is_one_line(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=r"run\.json") as error:
        earlier_sessions(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_json_that_is_nested_deep_is_one_line(tmp_path):
    path = tmp_path / "agent.json"
    path.write_text(DEEP)
    with pytest.raises(ValueError, match=r"agent\.json holds no valid JSON"):
        read_json(path)
    header = DEEP.encode()
    tensors = tmp_path / "agent.safetensors"
    tensors.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="missing, damaged"):
        read_tensors(tensors)
    write_tensors(tensors, {"x": torch.zeros(1)}, {"a": 1})
    assert read_tensors(tensors)[1] == {"a": 1}


def test_a_damaged_log_leaves_out_its_damaged_rows(tmp_path):
    log = (
        b"time/total_timesteps,eval/4x4-2,train/loss\n10,0.5,1\n\xff\xfe,\xff,\n20,text,2\n30,0.75,\x00\n40,0.9,3,4,5\n"
    )
    (tmp_path / "progress.csv").write_bytes(log)
    assert read_points(tmp_path)["eval/4x4-2"][0] == (10.0, 0.5)
    assert read_points(tmp_path)["train/loss"][:2] == [(10.0, 1.0), (20.0, 2.0)]
    draw_curves(tmp_path)
    assert (tmp_path / "curves.png").exists()


@pytest.mark.parametrize(
    ("tracked", "place", "is_ours"),
    [
        (".", "baselines/support", True),
        ("other", "baselines/support", False),
        (".", "lib/site-packages/baselines/support", False),
        ("other", "lib/site-packages/baselines/support", False),
    ],
)
def test_the_commit_is_that_of_a_checkout_of_this_project(tmp_path, monkeypatch, tracked, place, is_ours):
    file = tmp_path / place / "machine.py"
    file.parent.mkdir(parents=True)
    file.touch()
    (tmp_path / "other").touch()
    commit_files(tmp_path, tracked)
    monkeypatch.setattr(machine, "__file__", str(file))
    commit = machine.source_commit.__wrapped__()
    assert (commit != machine.UNKNOWN) == is_ours
    if is_ours:
        (tmp_path / "other").write_text("changed")
        assert machine.source_commit.__wrapped__() == f"{commit}-dirty"


def test_a_hook_of_another_repository_changes_no_commit(tmp_path, monkeypatch):
    (tmp_path / "other").touch()
    before = machine.source_commit.__wrapped__()
    commit_files(tmp_path, "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    assert machine.source_commit.__wrapped__() == before


def commit_files(root, files):
    """Makes a git repository with one commit of some files."""
    for command in (
        ["init", "-q"],
        ["add", files],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "m"],
    ):
        subprocess.run(["git", *command], cwd=root, check=True)


def test_a_training_records_json(tmp_path):
    assert json.loads(json.dumps(WHOLE)) == WHOLE
    assert earlier_sessions(tmp_path / "run.json") == []
