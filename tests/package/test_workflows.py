"""The files of GitHub: workflows that run targets of the Makefile, and forms for issues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from support import ROOT

from baselines.evaluation.protocol import PROTOCOL

FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (FOLDER / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
TEXT_FIELDS = {"input", "textarea", "dropdown", "checkboxes"}


def loaded(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def steps_of(workflow: Any) -> Iterator[Any]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


def commands() -> list[str]:
    """Every line that a workflow runs."""
    flows = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS]
    return [line for flow in flows for step in steps_of(flow) for line in step.get("run", "").splitlines()]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_there_are_workflows_and_forms():
    assert [path.stem for path in WORKFLOWS] == ["docs", "release", "test"]
    assert [path.stem for path in FORMS] == ["bug", "entry", "question"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_states_events_rights_and_time_limits(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["name"] == path.stem
    # YAML 1.1 reads the key `on` as true.
    assert workflow[True]
    assert "permissions" in workflow
    for job in workflow["jobs"].values():
        assert "uses" in job or job["timeout-minutes"]


def test_every_make_target_of_a_workflow_exists():
    called = [line.split()[1:] for line in commands() if line.startswith("make ")]
    named = {word for words in called for word in words if re.fullmatch(r"[a-z][\w-]*", word)}
    assert named
    assert named <= make_targets()


def test_the_workflow_of_tests_runs_every_check_of_make_test():
    test = re.search(r"^test: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert test is not None
    run = " ".join(step.get("run", "") for step in steps_of(loaded("workflows/test.yml")))
    assert [target for target in test[1].split() if f"make {target}" not in run] == []


def test_every_action_has_a_version_and_every_named_file_exists():
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        for action in re.findall(r"uses: (\S+)", text):
            assert (ROOT / action).is_file() if action.startswith("./") else "@" in action
        for file in re.findall(r"python (\S+\.py)", text):
            assert (ROOT / file).is_file()


def test_only_the_job_that_publishes_can_prove_who_it_is():
    release = loaded("workflows/release.yml")
    rights = {name: job.get("permissions", release["permissions"]) for name, job in release["jobs"].items()}
    assert {name for name, right in rights.items() if "id-token" in right} == {"publish"}
    assert release["jobs"]["publish"]["needs"] == ["build", "test"]
    assert any("check_release.py" in step.get("run", "") for step in release["jobs"]["build"]["steps"])


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_what_github_asks_for(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in fields} <= TEXT_FIELDS
    assert all(each["attributes"]["label"] for each in fields)
    assert len({each["id"] for each in fields}) == len(fields)


def test_the_form_of_an_entry_offers_every_track():
    (track,) = (each for each in loaded("ISSUE_TEMPLATE/entry.yml")["body"] if each.get("id") == "track")
    assert track["attributes"]["options"] == list(PROTOCOL.tracks)
