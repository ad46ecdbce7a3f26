"""Names of agents on the hub, as specifications of policies."""

from __future__ import annotations

import pytest

from baselines.hub import is_hub_name, parse_hub_name
from baselines.registry import check_name, pinned, read_specification

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_repository_revision_and_options_are_told_apart():
    found = read_specification(f"hf:user/my-agent_1.0@{COMMIT}:precision=bfloat16,symmetries=true")
    assert found.base == f"hf:user/my-agent_1.0@{COMMIT}"
    assert found.options == {"precision": "bfloat16", "symmetries": True}
    assert found.attribute is None
    assert read_specification("hf:user/agent@refs/pr/1").base == "hf:user/agent@refs/pr/1"
    assert read_specification("hf:user/agent").options == {}


def test_a_name_without_revision_means_the_default_branch():
    assert str(parse_hub_name("hf:user/agent")) == "hf:user/agent@main"
    assert not parse_hub_name("hf:user/agent@v1").is_pinned
    assert parse_hub_name(f"hf:user/agent@{COMMIT}").is_pinned
    assert not parse_hub_name(f"hf:user/agent@{COMMIT[:12]}").is_pinned


@pytest.mark.parametrize(
    "text", ["hf:", "hf:agent", "hf:user/agent@", "hf:a/b/c", "hf:user/a gent", "hf:user/agent@a@b"]
)
def test_another_form_is_refused_in_one_line(text):
    assert not is_hub_name(text)
    with pytest.raises(ValueError, match=r"^write an agent of the Hugging Face hub as hf:user/repo@revision[^\n]*$"):
        check_name(text)


def test_a_pinned_name_and_other_policies_are_returned_as_they_are_without_the_client(monkeypatch):
    monkeypatch.setattr("baselines.hub.client", None)
    for name in (f"hf:user/agent@{COMMIT}:precision=float32", "exact", "bayes:prior=count", "path/file.py:NAME"):
        assert pinned(name) == name
