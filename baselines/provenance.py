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
"""The commit in results of code that is no checkout of this project."""

PACKAGES = ("baselines", "minesweeper_env")
"""The packages whose files `package_hash` covers, shipped agents included."""

_FLOAT32_MATH = ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE")
"""Variables of the environment that let oneDNN compute float32 networks in another number format."""


def earlier_results(folder: Path, file: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of the JSON file that describes the results in a folder; {} for a new or empty folder.

    Raises ValueError if parameters or code differ (`games` may have grown), or if the folder has only other files.
    """
    if not (folder / file).exists():
        if folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no {file}; choose another --out")
        return {}
    stored = read_json(folder / file)
    # JSON turns tuples into lists, as in the stored content.
    wanted = json.loads(json.dumps({**parameters, "identity": installation_id()}))
    games = stored.get("games")
    if isinstance(games, int) and games <= wanted.get("games", 0):
        wanted["games"] = games
    if differing := "; ".join(differing_values(stored, wanted)):
        raise ValueError(f"{folder} was made with {differing}; choose another folder")
    return stored


def differing_values(found: Mapping[str, Any], wanted: Mapping[str, Any], outer: str = "") -> Iterator[str]:
    """Yields "NAME FOUND, not WANTED" for each parameter that differs; `outer` is the dotted prefix of the names."""
    for name, wanted_value in wanted.items():
        found_value = found.get(name)
        if isinstance(wanted_value, dict) and isinstance(found_value, dict):
            # The parts of the identity are known by their own names: package, numpy.
            yield from differing_values(found_value, wanted_value, "" if name == "identity" else f"{outer}{name}.")
        elif found_value != wanted_value:
            yield f"{outer}{name} {json.dumps(found_value)}, not {json.dumps(wanted_value)}"


@cache
def installation_id() -> dict[str, str]:
    """Returns what decides a game besides its seed: a hash of the code, versions, and the precision of float32."""
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

    Only a repository whose root is that of the source tree counts, since an unrelated one may enclose an installed
    package. The result is cached, since the code in memory stays the same, too.
    """
    root = Path(__file__).resolve().parents[1]
    # Inside a git hook, variables name the hook's repository; these options override them.
    command = ["git", f"--git-dir={root / '.git'}", f"--work-tree={root}"]
    command += ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Returns the commit of the code, and the versions of Python and of the installed packages that results depend on.

    Installed packages count even if not imported: worker processes may import packages that this process does not.
    """
    required = {"commit": source_commit(), "python": platform.python_version(), "minesweeper_env": __version__}
    optional = [name for name in ("pgmpy", "torch") if find_spec(name) is not None]
    return required | {name: metadata.version(name) for name in ("numpy", "gymnasium", "numba", *optional)}
