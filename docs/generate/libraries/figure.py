"""Draw docs/images/libraries.png from docs/generate/libraries/results.json: the win rates of each library's snippet."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from baselines.evaluation.intervals import wilson_interval  # noqa: E402
from baselines.support.figures import image, styled_figure  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")
PICTURE = ROOT / "docs" / "images" / "libraries.png"


def draw() -> bytes:
    """Returns the picture: bars of win rates with 95 % Wilson intervals, and lines at random and exact play."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    exact = results.pop("exact")
    with styled_figure(7.0, 3.2) as figure:
        axes = figure.subplots()
        for row, result in enumerate(results.values()):
            rate = 100 * result["wins"] / result["games"]
            low, high = (100 * end for end in wilson_interval(result["wins"], result["games"]))
            axes.barh(row, rate, xerr=[[rate - low], [high - rate]], color="C0")
            axes.text(low - 1, row, f"{rate:.1f}", va="center", ha="right", color="white")
        axes.set_yticks(range(len(results)), [f"{name} {result['version']}" for name, result in results.items()])
        axes.invert_yaxis()
        first = next(iter(results.values()))
        limits = (("random", first["random_wins"], first["games"]), ("exact", exact["wins"], exact["games"]))
        for label, wins, games in limits:
            axes.axvline(100 * wins / games, color="0.4", linestyle="--")
            axes.text(100 * wins / games, -0.68, label, color="0.4", va="bottom", ha="center")
        axes.set_xlim(0, 105)
        axes.set_xlabel("games won, %: 5x5 with 3 mines, 1000 test games, 95 % Wilson intervals")
        return image(figure)


if __name__ == "__main__":
    PICTURE.write_bytes(draw())
