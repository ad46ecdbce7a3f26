"""Writer of the learning curves: `python docs/generate/sample_efficiency.py runs/curves`, with a run in each NAME/SEED.

A run is a folder of `train.py`, whose points are selection games of the agent, or one of an example, whose points are
its training games.
"""

import json
import sys
from pathlib import Path

from baselines.files import replace_file
from baselines.learned.configurations import read_points

FILE = Path(__file__).parents[1] / "results" / "sample-efficiency.json"


def curve_of(run: Path) -> list[tuple[float, float]]:
    """Returns the points of a run: environment steps, and the fraction of games won."""
    if (run / "curve.json").exists():
        return [(point["steps"], point["wins"]) for point in json.loads((run / "curve.json").read_bytes())]
    return read_points(run)["eval/win_rate"]


if __name__ == "__main__":
    folders = sorted(Path(sys.argv[1]).iterdir())
    curves = {path.name: [curve_of(run) for run in sorted(path.iterdir()) if run.is_dir()] for path in folders}
    content = {"command": "python train.py --config NAME-8x8 --steps 1000000 --eval-games 1000 --precision bfloat16"}
    replace_file(FILE, (json.dumps(content | {"curves": curves}) + "\n").encode())
