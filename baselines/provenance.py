"""Provenance of results: the processor, the commit, and the installation that later results must share."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from baselines.files import read_json
from minesweeper_env import __version__

UNKNOWN = "unknown"
"""Stands for the commit where the code is no checkout of this project."""

PACKAGES = ("baselines", "minesweeper_env")
"""The packages whose files the hash covers, shipped agents included."""

_FLOAT32_MATH = ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE")
"""Variables of the environment that let oneDNN compute float32 networks in another number format."""


def earlier_results(folder: Path, file: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of a JSON file about the results in a folder; empty for a new folder.

    A ValueError says if they have other parameters or come from other code, or if the folder holds something else. Only
    `games` may be more than the file has.
    """
    if not (folder / file).exists():
        if folder.is_dir() and any(not each.name.startswith(".") for each in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no {file}; choose another --out")
        return {}
    found = read_json(folder / file)
    wanted = json.loads(json.dumps({**parameters, "identity": installation_id()}))
    games = found.get("games")
    if isinstance(games, int) and games <= wanted.get("games", 0):
        wanted["games"] = games
    if differing := "; ".join(differing_values(found, wanted)):
        raise ValueError(f"{folder} was made with {differing}; choose another folder")
    return found


def differing_values(found: Mapping[str, Any], wanted: Mapping[str, Any], outer: str = "") -> Iterator[str]:
    """Yields each wanted parameter that differs, with both values."""
    for name, asked in wanted.items():
        there = found.get(name)
        if isinstance(asked, dict) and isinstance(there, dict):
            # The parts of the identity are known by their own names: package, numpy.
            yield from differing_values(there, asked, "" if name == "identity" else f"{outer}{name}.")
        elif there != asked:
            yield f"{outer}{name} {json.dumps(there)}, not {json.dumps(asked)}"


@cache
def installation_id() -> dict[str, str]:
    """Returns what changes a game besides its seed: the files of this package, versions, and the form of float32."""
    python = ".".join(platform.python_version_tuple()[:2])
    packages = {name: metadata.version(name) if find_spec(name) else "none" for name in ("numpy", "numba", "torch")}
    mode = next((os.environ[name].lower() for name in _FLOAT32_MATH if os.environ.get(name)), "strict")
    precision = "float32" if mode == "strict" else mode
    return {"package": package_hash(), "python": python, **packages, "precision": precision}


def package_hash() -> str:
    """Returns the first 12 hexadecimal digits of a SHA-256 of all files of `PACKAGES`."""
    digest = hashlib.sha256()
    for name in PACKAGES:
        folder = Path(str(import_module(name).__file__)).parent
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            content = hashlib.sha256(path.read_bytes()).digest()
            digest.update(f"{name}/{path.relative_to(folder).as_posix()}\n".encode() + content)
    return digest.hexdigest()[:12]


def processor_name() -> str:
    """Returns the model name of the processor on Linux, and the machine type elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@cache
def source_commit() -> str:
    """Returns the commit of this source tree, with "-dirty" after it if a tracked file was changed; or `UNKNOWN`.

    Another repository may enclose the folder into which the package is installed, so the repository is the one whose
    root is that of the source tree. The first answer stays, as the code in memory.
    """
    root = Path(__file__).resolve().parents[1]
    # A hook of git sets variables to its own repository, which these options replace.
    words = ["git", f"--git-dir={root / '.git'}", f"--work-tree={root}"]
    words += ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Returns the commit of the code, and the versions of Python and of the installed packages that results depend on.

    Imported modules play no part: a driver that plays with other processes may not import what its workers import.
    """
    found = {"commit": source_commit(), "python": platform.python_version(), "minesweeper_env": __version__}
    optional = [name for name in ("pgmpy", "torch") if find_spec(name) is not None]
    return found | {name: metadata.version(name) for name in ("numpy", "gymnasium", "numba", *optional)}
