"""Generator of the pages, tables and pictures that come from the code: `make docs`."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import imageio.v3 as imageio
import numpy as np

import baselines
from baselines.evaluation.report import format_p_value
from baselines.registry import AGENTS_FOLDER
from baselines.support.board_names import board_name
from baselines.uniformity.report import Finding
from baselines.uniformity.samples import draw_sample
from minesweeper_env import BoardConfig, MinesweeperEnv
from minesweeper_env.registration import ENV_SPECIFICATIONS

DOCS = Path(__file__).parent
PICTURE_SEED = 3
FRAME_MS = 350
LAST_FRAME_MS = 3000


def environment_page() -> str:
    """Returns the page of the environment: its class docstring and the registered ids."""
    title, _, text = (inspect.getdoc(MinesweeperEnv) or "").partition("\n")
    ids = [f"| `{env_id}` | {_describe(arguments)} |" for env_id, arguments in ENV_SPECIFICATIONS.items()]
    notice = "<!-- Written by docs/build.py from the docstring of minesweeper_env.env.MinesweeperEnv. -->"
    head = [notice, "", f"# {title.rstrip('.')}", text, ""]
    return "\n".join([*head, "## Registered ids", "| id | arguments |", "|---|---|", *ids, ""])


def _describe(arguments: dict[str, Any]) -> str:
    """Returns the arguments of an id, the number of mines after the size from which it follows."""
    mines = BoardConfig.of_size(arguments["size"]).mines
    return ", ".join(
        f"{name}={value!r}" for name, value in ({"size": arguments["size"], "mines": mines} | arguments).items()
    )


def write_game_picture(path: Path) -> None:
    """Writes an animation of a game of the expected-value policy."""
    env = MinesweeperEnv(16, 40, moves=("click",), render_mode="rgb_array")
    policy = baselines.make_policy("expected_value", size=16, mines=40, seed=PICTURE_SEED)
    observation, info = env.reset(seed=PICTURE_SEED)
    frames, terminated = [env.render()], False
    while not terminated:
        action = policy.act(observation[None], info["action_mask"][None])[0]
        observation, _, terminated, _, info = env.step(action)
        frames.append(env.render())
    shown = _thin(frames)
    imageio.imwrite(path, np.stack(shown), duration=[FRAME_MS] * (len(shown) - 1) + [LAST_FRAME_MS], loop=0)


def _thin(frames: list[np.ndarray], most: int = 40) -> list[np.ndarray]:
    chosen = np.unique(np.linspace(0, len(frames) - 1, most).round().astype(int))
    return [frames[i] for i in chosen]


def write_uniformity_picture(path: Path) -> None:
    """Writes the picture of ``python -m baselines uniformity --first-click any``."""
    sample = draw_sample(BoardConfig(9, 9, 10, "any", ("click",)), 10_000, 0, lambda _: None)
    path.write_bytes(Finding.of(sample).draw())


Content = dict[str, Any]

HEADINGS = ("policy", "board", "first click", "n", "win rate", "95 % Wilson interval", "clicks/game", "ms/game", "p")


def read_results() -> list[Content]:
    """Returns the JSON results of `evaluate.py`: docs/results, and `results.json` of each shipped agent."""
    contents = [json.loads(path.read_bytes()) for path in sorted((DOCS / "results").glob("*.json"))]
    for path in sorted(AGENTS_FOLDER.glob("*/results.json")):
        content = json.loads(path.read_bytes())
        contents.append(content | {"results": [row for row in content["results"] if row["policy"] == path.parent.name]})
    return contents


def fill_results(page: str, contents: Sequence[Content]) -> str:
    """Returns the page of a policy with new tables between its two markers."""
    pattern = r"(<!-- results: (\S+) -->\n).*?(<!-- end of results -->)"
    return re.sub(pattern, lambda found: found[1] + _tables(found[2], contents) + found[3], page, flags=re.DOTALL)


def _tables(policy: str, contents: Sequence[Content]) -> str:
    tables = [_table(content, rows) for content in contents if (rows := list(_rows(policy, content)))]
    return "".join(f"\n{table}\n" for table in tables) + ("\n" if tables else "")


def _rows(policy: str, content: Content) -> Iterator[tuple[Content, Content]]:
    """Yields (board, row) for each result of a policy, with any options."""
    for board in content.get("boards", [content]):
        for row in board["results"]:
            if row["policy"].partition(":")[0] == policy:
                yield board["config"], row


def _table(content: Content, rows: Sequence[tuple[Content, Content]]) -> str:
    last = content["seed"] + content["games"] - 1
    head = (
        f"`{content['command']}` (seeds {content['seed']} to {last}, from which n are the first; p: exact McNemar test)"
    )
    lines = [" | ".join(cells) for cells in (HEADINGS, ["---"] * len(HEADINGS), *(_cells(*row) for row in rows))]
    return "\n".join([head, "", *(f"| {line} |" for line in lines)])


def _cells(config: Content, row: Content) -> list[str]:
    low, high = row["ci95"]
    test = row.get("mcnemar")
    return [
        f"`{row['policy']}`",
        board_name(*config["size"], mines=config["mines"]),
        config["first_click"],
        f"{row['games']}",
        f"{row['win_rate']:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{row['clicks_per_game']:.1f}",
        f"{row['ms_per_game']:.2f}",
        f"{format_p_value(test['p_value'])} against `{test['against']}`" if test else "",
    ]


if __name__ == "__main__":
    from layers import draw_layers

    (DOCS / "images" / "layers.png").write_bytes(draw_layers())
    (DOCS / "environment.md").write_text(environment_page())
    write_game_picture(DOCS / "images" / "game.gif")
    write_uniformity_picture(DOCS / "images" / "uniformity.png")
    results = read_results()
    for page in sorted((DOCS / "policies").glob("*.md")):
        page.write_text(fill_results(page.read_text(encoding="utf-8"), results), encoding="utf-8")
