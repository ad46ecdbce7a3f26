"""What the documents show is what the code does."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import baselines.registry
from minesweeper_env.rewards import REWARDS

ROOT = Path(__file__).parents[2]


def load_build():
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code_blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


def python_blocks(path):
    return code_blocks(path, "python")


def test_the_page_of_the_environment_is_its_docstring():
    assert (ROOT / "docs" / "environment.md").read_text(encoding="utf-8") == load_build().environment_page()


def test_the_docstring_lists_every_reward():
    page = load_build().environment_page()
    assert all(f'"{name}"' in page for name in REWARDS)


def test_the_page_of_the_policies_lists_every_one():
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in baselines.registry.policy_names())


def test_the_code_of_the_readme_runs():
    (code,) = python_blocks("README.md")
    exec(compile(code, "README.md", "exec"), {})


def test_the_sessions_of_the_inference_page_print_what_it_says():
    session = "\n".join(code_blocks("docs/inference.md", "pycon"))
    examples = doctest.DocTestParser().get_doctest(session, {}, "inference.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, attempted = runner.run(examples)
    assert attempted > 10
    assert failed == 0


@pytest.mark.slow
def test_the_code_of_the_training_page_runs():
    (code,) = python_blocks("docs/training.md")
    exec(compile(code, "training.md", "exec"), {})


def test_the_pages_link_to_files_that_exist():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "benchmarks" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
