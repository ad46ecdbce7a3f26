"""The notebook of the examples runs from its own folder."""

import json
import re

import pytest
from support import ROOT
from support.processes import run_python


@pytest.mark.slow
def test_the_cells_of_the_tour_run_in_its_folder_and_print_win_rates_with_intervals():
    cells = json.loads((ROOT / "examples" / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    done = run_python("-c", code, cwd=ROOT / "examples", env={"MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    printed = re.findall(r"^(\w+) +wins 0\.\d+ \(0\.\d+ to 0\.\d+\)$", done.stdout, re.MULTILINE)
    assert printed == ["subset", "dqn", "exact"]
