"""Exit statuses and messages of a command that Ctrl-C, a reader or a full disk cuts short."""

import subprocess
import sys

import pytest
from support import ROOT

RUN = "import sys; from baselines.process import run_command; sys.exit(run_command({!r}, []))"


def run(folder, source, redirection="", module="made_up"):
    """Runs a module with the given source as a command, through a shell; returns the process."""
    (folder / "made_up.py").write_text(source)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); " + RUN.format(module)
    line = f'"{sys.executable}" -c "$CODE" {redirection}'
    environment = {"CODE": code, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)


def test_the_status_is_that_of_main(tmp_path):
    process = run(tmp_path, "def main(arguments, program): print('result'); return 7")
    assert (process.returncode, process.stdout, process.stderr) == (7, "result\n", "")


@pytest.mark.parametrize(
    "source",
    [
        "raise KeyboardInterrupt",
        "def main(arguments, program): raise KeyboardInterrupt",
        # The tests may run in the background, where shells let processes ignore the signal.
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def main(arguments, program): os.kill(os.getpid(), signal.SIGINT)",
    ],
    ids=["during the imports", "in main", "by a signal"],
)
def test_ctrl_c_is_one_line_and_130(tmp_path, source):
    process = run(tmp_path, source)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "interrupted\n")


def test_a_reader_that_leaves_is_no_news(tmp_path):
    source = "def main(arguments, program):\n    for number in range(100_000): print(number)\n    return 0"
    process = run(tmp_path, source, "| head -n 1; exit ${PIPESTATUS[0]}")
    assert (process.returncode, process.stdout, process.stderr) == (1, "0\n", "")


def test_a_full_disk_behind_stdout_is_one_line(tmp_path):
    process = run(tmp_path, "def main(arguments, program): print('result'); return 0", "> /dev/full")
    assert process.returncode == 1
    (line,) = process.stderr.splitlines()
    assert line.endswith("No space left on device")


BOTH = """
import sys
from pathlib import Path

def main(arguments, program):
    with open(Path(__file__).with_name("file"), "w") as file:
        sys.stdout.write("result\\n")
        sys.stderr.write("status\\n")
        sys.stdout.flush()
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
