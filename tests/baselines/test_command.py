"""Exit statuses and messages of a command that Ctrl-C, a reader or a full disk cuts short."""

import subprocess
import sys

import pytest
from support import ROOT

from minesweeper_env.console import is_live, say


def run(folder, source, redirection=""):
    """Runs a module with the given source as a command, through a shell; returns the process."""
    (folder / "made_up.py").write_text(source)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from baselines.process import run_command; "
    code += "sys.exit(run_command('made_up', []))"
    line = f'"{sys.executable}" -c "$CODE" {redirection}'
    environment = {"CODE": code, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)


MAIN = "def main(arguments, program): "
# The tests may run in the background, where shells let processes ignore the signal.
CTRL_C = f"from signal import *\nsignal(SIGINT, default_int_handler)\n{MAIN}raise_signal(SIGINT)"


@pytest.mark.parametrize(
    ("source", "redirection", "expected"),
    [
        (f"{MAIN}print('result'); return 7", "", (7, "result\n", "")),
        ("raise KeyboardInterrupt", "", (130, "", "interrupted\n")),
        (CTRL_C, "", (130, "", "interrupted\n")),
        (f"{MAIN}print('result'); return 0", "> /dev/full", (1, "", "-c: No space left on device\n")),
        (f"{MAIN}print('line\\n' * 100_000); return 0", "| head -n 1; exit ${PIPESTATUS[0]}", (1, "line\n", "")),
    ],
    ids=["a status", "Ctrl-C during the imports", "Ctrl-C in main", "a full disk", "a reader that leaves"],
)
def test_every_end_has_its_status_and_at_most_one_line(tmp_path, source, redirection, expected):
    process = run(tmp_path, source, redirection)
    assert (process.returncode, process.stdout, process.stderr) == expected


BOTH = """
import sys
from pathlib import Path

def main(arguments, program):
    with open(Path(__file__).with_name("file"), "w") as file:
        sys.stdout.write("result\\n")
        sys.stderr.write("status\\n")
        sys.stdout.flush()
        sys.stdin.isatty()
        file.write("content")
    return 0
"""


@pytest.mark.parametrize(
    ("redirection", "stdout", "stderr"),
    [(">&-", "", "status\n"), ("2>&-", "result\n", ""), ("<&- >&- 2>&-", "", "")],
)
def test_a_closed_stream_swallows_what_is_written(tmp_path, redirection, stdout, stderr):
    process = run(tmp_path, BOTH, redirection)
    assert (process.returncode, process.stdout, process.stderr) == (0, stdout, stderr)
    assert (tmp_path / "file").read_text() == "content"


def test_a_notice_without_stderr_is_no_part_of_the_output(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    say("a notice")
    assert not is_live(sys.stderr)
    assert capsys.readouterr().out == ""
