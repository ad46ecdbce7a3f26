"""Generator of the pages, tables and pictures that come from the code and from result files.

`python docs/generate/pages.py tables` writes the tables alone, each between `<!-- benchmark: KIND | ... -->` and
`<!-- end of benchmark -->`; with `results` it writes only those from result files of the benchmark. Figures that a page
states by hand stand between `<!-- measured -->` and `<!-- end of measured -->`, with their command and seeds;
`tests/docs/test_figures.py` finds every other per cent.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from links import MADE

from baselines.benchmark.leaderboard import markdown_table, overview, read_results, rows_of
from baselines.benchmark.protocol import INFERENCE, INFERENCE_OF_TRACK, PROTOCOL, PROTOCOLS, TRACKS
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.columns import board_title, games_range, per_cent, spaced
from baselines.evaluation.intervals import mean_interval
from baselines.evaluation.stored_results import read_figures
from baselines.files import replace_file
from baselines.learned.options import options_of
from baselines.learned.settings import ALGORITHMS
from baselines.registry import policy_names
from minesweeper_env import ENV_SPECIFICATIONS, BoardConfig
from minesweeper_env.text.reply_words import MARKED_FORMS, PROSE_FORMS

DOCS = Path(__file__).parents[1]


@cache
def entries(version: str = PROTOCOL.version) -> list[ResultFile]:
    """Returns the result files of the leaderboard of a protocol."""
    return read_results(DOCS / "leaderboard" / version)


def examples(names: str) -> str:
    """Returns a table of the win rates of examples after five trainings each, a row per kind of training."""
    files = [read_figures(DOCS / "results" / f"example-{name}.json") for name in names.split()]
    rows = []
    for file in files:
        for kind, tests in groupby(file["results"], key=lambda row: str(row["policy"])):
            rates, exact_rates = zip(
                *((row["win_rate"], row["exact_wins"] / row["games"]) for row in tests), strict=True
            )
            mean = f"{per_cent(fmean(rates))} ({per_cent(*mean_interval(rates) or ())})"
            all_rates = ", ".join(f"{100 * rate:.1f}" for rate in rates)
            label = kind if " " in kind else f"`{kind}`"
            rows.append([board_title(file["config"]), label, all_rates, mean, per_cent(exact_rates[0])])
    trained = ",\n".join(f"`{file[key]}`" for file in files for key in ("training", "control") if key in file)
    first, last = files[0]["seed"], files[0]["seed"] + files[0]["games"] - 1
    intro = (
        f"These commands trained the agents:\n{trained},\nwith SEED from 1 to 5, on {files[0]['processor']}.\n"
        f"This command tested each agent, with the file from its `--out`:\n`{files[0]['command']}`,\n"
        f"on games of the seeds {first} to {last}. The brackets hold the 95 % interval of the mean, by Student's t."
    )
    return f"{intro}\n\n{markdown_table(['board', 'trained', 'won, %', 'mean', '`exact`'], rows)}"


SAW = {
    "board": "what a player sees",
    "reveal": "also the mines at the end of a game",
    "search": "the layouts of its own games",
}
"""What the training of an entry saw, by its track."""


def win_rates(board: str) -> dict[str, tuple[float, list[ResultFile]]]:
    """Returns the mean win rate and the result files of each entry on a board, the best first."""
    files = {entry.card.name: entry for entry in entries()}
    rows_of_entry = defaultdict[str, list[dict[str, Any]]](list)
    for row in rows_of(entries(), board):
        rows_of_entry[row["card"].entry].append(row)
    means = {
        name: (fmean(row["win_rate"] for row in rows), [files[row["policy"]] for row in rows])
        for name, rows in rows_of_entry.items()
    }
    return dict(sorted(means.items(), key=lambda item: -item[1][0]))


def ranking(board: str, names: str) -> str:
    """Returns a table of some entries on a board such as "8x8/14 opening", the best first, with a bar for each."""
    rows = []
    for name, (rate, files) in win_rates(board).items():
        if name in names.split():
            card, games = files[0].card, [on_board.games for file in files if (on_board := file.board(board))]
            saw = "no training" if card.training_steps is None else SAW[card.track]
            rows.append(
                [f"`{name}`", per_cent(rate), "█" * round(25 * rate), card.uses_at_play, saw, games_range(games)]
            )
    return markdown_table(["entry", "won", "", "uses at play", "its training saw", "n"], rows)


def ids() -> str:
    """Returns a table of the environment ids with their arguments; the number of mines follows the size."""
    rows = []
    for env_id, kwargs in ENV_SPECIFICATIONS.items():
        arguments = {"size": kwargs["size"], "mines": BoardConfig.of_size(kwargs["size"]).mines} | kwargs
        rows.append([f"`{env_id}`", ", ".join(f"{name}={value!r}" for name, value in arguments.items())])
    return markdown_table(["id", "arguments"], rows)


def hyperparameters(algorithms: str) -> str:
    """Returns a table of hyperparameters: a row for each name and meaning, and a column of defaults per algorithm."""
    names, rows = algorithms.split(), dict[tuple[str, str], dict[str, str]]()
    for algorithm in names:
        for option in options_of(ALGORITHMS[algorithm]):
            if option.choices or option.least < option.most:
                meaning = ": ".join(filter(None, (option.meaning, ", ".join(option.choices))))
                rows.setdefault((option.name, meaning), {})[algorithm] = str(option.default)
    cells = ([f"`{key[0]}`", *(defaults.get(each, "") for each in names), key[1]] for key, defaults in rows.items())
    return markdown_table(["name", *names, "meaning"], cells)


def policies() -> str:
    """Returns a table of the policies in the order of the registry, with win rates and two sentences of their pages."""
    pages = {
        page: page.read_text(encoding="utf-8") for kind in ("policies", "agents") for page in DOCS.glob(f"{kind}/*.md")
    }
    rows, rates = [], win_rates("8x8/14 opening")
    for name in policy_names():
        page = next(page for page, text in pages.items() if f"\n## {name}\n" in text)
        paragraph = " ".join(pages[page].split(f"\n## {name}\n", 1)[1].strip().split("\n\n")[0].split())
        summary = ". ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).split(". ")[:2]).rstrip(".")
        rate = per_cent(rates[name][0]) if name in rates else ""
        rows.append([f"[`{name}`]({os.path.relpath(page, DOCS / 'policies')}#{name})", rate, summary])
    return markdown_table(["policy", "8x8/14 won", "what it does"], rows)


def text_rewards(board: str) -> str:
    """Returns a table of the mean of each reward that each player earns on a board in text, with 95 % intervals."""
    file = read_figures(DOCS / "results" / "text-rewards.json")
    rows = []
    for row in (row for row in file["results"] if row["board"] == board):
        cells = [f"{mean:.2f} ±{(high - low) / 2:.2f}" for mean, low, high in row["rewards"].values()]
        rows.append([row["player"], f"{row['games']}", *(cell.removesuffix(" ±0.00") for cell in cells)])
    rewards = [f"`{name}`" for name in file["results"][0]["rewards"]]
    return f"`{file['command']}`, seeds from 0 on:\n\n{markdown_table(['player', 'n', *rewards], rows)}"


def beliefs(size: str) -> str:
    """Returns a table of the divergence in bits and the win rate of policies on "8x8" or "16x30", the best first."""
    file = read_figures(DOCS / "results" / f"beliefs-{size}.json")
    (board,) = file["boards"]
    believers = [row for row in board["results"] if "beliefs" in row]
    rows = []
    for row in sorted(believers, key=lambda row: row["beliefs"]["bits"]):
        belief, ends = row["beliefs"], " to ".join(f"{end:.4f}" for end in row["beliefs"]["bits_ci95"])
        won = f"{per_cent(row['win_rate'])} ({per_cent(*row['ci95'])})"
        rows.append([f"`{row['policy']}`", f"{belief['bits']:.4f} ({ends})", per_cent(belief["certain_wrong"]), won])
    (exact,) = (row for row in board["results"] if row["policy"] == "exact")
    intro = (
        f"`{file['command']}`:\n{spaced(belief['positions'])} positions with {spaced(belief['certain_cells'])} certain "
        f"cells; games of seeds {file['seed']} to {file['seed'] + file['games'] - 1}, of\n"
        f"which `exact` wins {per_cent(exact['win_rate'])}."
    )
    columns = [f"policy, {board_title(board['config'])}", "bits/cell (95 %, t)", "off by 1 %", "won (95 %)"]
    return f"{intro}\n\n{markdown_table(columns, rows)}"


def reply_forms() -> str:
    """Returns an example of each form of a move that `parse_reply` reads."""
    forms = (f"`{each.format(verb='open', row=3, col=4)}`" for each in (*MARKED_FORMS, *PROSE_FORMS))
    return ",\n".join(forms)


def contents() -> str:
    """Returns a list of links to the pages by section, in the order of the navigation in mkdocs.yml."""
    sources = {made: source for source, made in MADE.items()}
    navigation = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    lines = []
    for section, entries in re.findall(r"^  - (.+):\n((?: {6}.*\n)+)", navigation, re.MULTILINE):
        links = []
        for title, name in re.findall(r"- (?:(.+): )?(.+)", entries):
            links.append(f"[{title or section}]({os.path.relpath(sources.get(name, DOCS / name), DOCS)})")
        lines.append(f"- **{section}**: {', '.join(links)}")
    return "\n".join(lines)


BLOCKS: dict[str, Callable[..., str]] = {
    "contents": contents,
    "examples": examples,
    "overview": lambda version, root="..": overview(entries(version), PROTOCOLS[version], root),
    "ranking": ranking,
    "tracks": lambda: markdown_table(
        ["track", "a policy of it", "inference at play"],
        [[f"`{k}`", v, ", ".join(f"`{each}`" for each in INFERENCE_OF_TRACK[k])] for k, v in TRACKS.items()],
    ),
    "inference": lambda: markdown_table(["at play", "what it is"], [[f"`{k}`", v] for k, v in INFERENCE.items()]),
    "policies": policies,
    "ids": ids,
    "hyperparameters": hyperparameters,
    "beliefs": beliefs,
    "text-rewards": text_rewards,
    "reply-forms": reply_forms,
    "class": lambda path: import_module("arguments").of_class(path),
    "commands": lambda names: import_module("arguments").of_commands(names),
}
"""Kinds of generated blocks; their arguments stand in the marker, separated by `|`."""

OF_RESULTS = {kind: BLOCKS[kind] for kind in ("overview", "ranking", "policies")}
"""The kinds that a new result file changes."""


def fill(page: str, blocks: Mapping[str, Callable[..., str]] = BLOCKS) -> str:
    """Returns a page with new content between the markers of `blocks`."""

    def new_block(match: re.Match[str]) -> str:
        kind, *arguments = (part.strip() for part in match[2].split("|"))
        return f"{match[1]}\n{blocks[kind](*arguments)}\n\n{match[3]}" if kind in blocks else match[0]

    return re.sub(r"(<!-- benchmark: ([^>]*?) -->\n).*?(<!-- end of benchmark -->)", new_block, page, flags=re.DOTALL)


def pages() -> list[Path]:
    """Returns the pages that may hold generated tables."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["tables"], ["results"]):
        sys.exit(__doc__)
    blocks = OF_RESULTS if sys.argv[1:] == ["results"] else BLOCKS
    if not sys.argv[1:]:
        import coach
        from pictures import PICTURES

        replace_file(coach.PAGE, coach.fill(coach.PAGE.read_text(encoding="utf-8")).encode())
        for name, draw in PICTURES.items():
            replace_file(DOCS / "images" / name, draw())
    for path in pages():
        before = path.read_text(encoding="utf-8")
        if (after := fill(before, blocks)) != before:
            replace_file(path, after.encode())
            print(f"wrote {path}")
