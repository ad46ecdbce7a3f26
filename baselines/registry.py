"""Registry of policies by name; it loads the module of a policy when the policy is first made.

Names, run folders, and the classes and functions of users are specified in one form; see `find_policy`.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

from baselines.hub import AGENT_FILE, AGENT_WEIGHTS_FILE, HUB_NAME, PREFIX, hub_folder, parse_hub_name, pinned_name
from baselines.own import OWN, EntryFactory, Specification, existing_file, load
from baselines.policy import DEFAULT_MOVES, Policy
from baselines.support.act_inputs import config_of
from baselines.support.checks import check_extra, did_you_mean, import_extra, number_or_text
from baselines.support.files import local_path
from minesweeper_env.config import BoardConfig

_ROWS = {
    "random": ("baselines.scripted.base:RandomPolicy", "no reasoning"),
    "marginal": ("baselines.scripted.fitted:MarginalPolicy", "no reasoning"),
    "graphical_source": ("baselines.scripted.graphical:GraphicalSourcePolicy", "published program"),
    "conditional": ("baselines.scripted.fitted:ConditionalPolicy", "local rules"),
    "graphical": ("baselines.scripted.graphical:GraphicalPolicy", "local rules"),
    "semi_deterministic": ("baselines.scripted.semi_deterministic:SemiDeterministicPolicy", "local rules"),
    "straightforward": ("baselines.scripted.base:StraightforwardPolicy", "local rules"),
    "subset": ("baselines.scripted.subset:SubsetPolicy", "local rules"),
    "expected_value_source": ("baselines.scripted.expected_value:ExpectedValueSourcePolicy", "published program"),
    "expected_value": ("baselines.scripted.expected_value:ExpectedValuePolicy", "local rules"),
    "bayes_source": ("baselines.scripted.bayes_source:BayesSourcePolicy", "published program"),
    "bayes": ("baselines.scripted.bayes:BayesPolicy", "probabilities"),
    "exact": ("baselines.scripted.oracle_play.exact:ExactPolicy", "probabilities"),
    "lookahead": ("baselines.scripted.oracle_play.lookahead:LookaheadPolicy", "probabilities"),
    "rollout": ("baselines.scripted.oracle_play.rollout:RolloutPolicy", "probabilities"),
    "optimal": ("baselines.scripted.oracle_play.optimal:OptimalPolicy", "probabilities"),
}
"""The scripted policies, weakest first, each with its class as "module:class" and its family, what it computes."""

SCRIPTED = {name: made_by for name, (made_by, _) in _ROWS.items()}
"""The scripted policies, weakest first, each with its class."""

FAMILIES = {name: family for name, (_, family) in _ROWS.items()}
"""The scripted policies with their families."""

SERVED = {"chat": "baselines.chat:ChatPolicy"}
"""The policies that ask a server, which their options name."""

CHECKPOINT_FILE = "checkpoint.safetensors"
"""The state of a training in a run folder, from which the training goes on."""

AGENTS_FOLDER = Path(__file__).parent / "learned" / "weights"
"""The shipped agents: one run folder each, named after the agent."""

_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class PolicyMaker:
    """A factory of one policy: its class and its options, without a board.

    Attributes:
        name: the specification that names it.
        make: its class, or another callable that takes a `BoardConfig` and the options.
        options: the given options; `find_policy` has checked that the policy has them.
        precision: number format of its network, given or by default; None if the policy has no such choice.
    """

    name: str
    make: Callable[..., Policy]
    options: dict[str, Any]
    precision: str | None = None

    def config_for(self, config: BoardConfig) -> BoardConfig:
        """Returns the configuration with the moves that games of this board must offer for the policy."""
        moves = getattr(self.make, "moves", DEFAULT_MOVES)
        return replace(config, moves=moves(config, self.options) if callable(moves) else moves)

    def __call__(self, config: BoardConfig, seed: int = 0) -> Policy:
        """Makes the policy for a configuration, and resets it with `seed`.

        Raises:
            ValueError: an option or the board is not allowed; the message names the allowed values.
        """
        policy = self.make(config, **self.options)
        # Messages name the policy as its user does.
        policy.name = self.name  # type: ignore[attr-defined]
        policy.reset(seed)
        return policy


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first, and of the shipped agents."""
    return [*SCRIPTED, *agent_names()]


def agent_names() -> list[str]:
    """Returns the names of the shipped agents."""
    return sorted(path.parent.name for path in AGENTS_FOLDER.glob(f"*/{AGENT_FILE}"))


def agent_folder(name: str) -> Path | None:
    """Returns the run folder of an agent, or None if there is none.

    Args:
        name: name of a shipped agent, the path of a run folder, or an agent of the Hugging Face hub. It is downloaded;
            if that fails, a HubError, which is a ValueError, says why.
    """
    for folder in (AGENTS_FOLDER / name, local_path(name)):
        if (folder / AGENT_FILE).is_file():
            return folder
    return hub_folder(name) if HUB_NAME.fullmatch(name) else None


def make_policy(
    name: str,
    size: int | Sequence[int] | None = None,
    mines: int | None = None,
    first_click: str | None = None,
    seed: int = 0,
    env: Any = None,
    **options: Any,
) -> Policy:
    """Makes a policy, ready to play: its `act` takes a batch of boards and masks, or one board and its mask.

    Args:
        name: a specification as `find_policy` takes it, such as "exact", "bayes:prior=count", the path of a run
            folder, or "mine.py:Corner".
        size: side of a square board, or (rows, cols); None for 8.
        mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
        first_click: "opening", "safe", "any" or "corners"; None for "opening".
        seed: seed of the policy's random choices, at least 0.
        env: the environment to play in, wrapped or not, or a vector environment; in place of size, mines and
            first_click.
        **options: options of the policy.

    Raises:
        ValueError: the name, an option or the board is not allowed, or the environment lacks a move of the policy; the
            message names the allowed values.
        PolicyError: the code of a user's policy fails.
        MissingExtraError: the policy needs a package that is not installed.
    """
    maker = find_policy(name, **options)
    if env is None:
        rule = "opening" if first_click is None else first_click
        board = BoardConfig.of_size(8 if size is None else size, mines, first_click=rule, moves=DEFAULT_MOVES)
        return maker(maker.config_for(board), seed)
    for argument, value in {"size": size, "mines": mines, "first_click": first_click}.items():
        if value is not None:
            raise ValueError(f"env already defines {argument}; give env or {argument}, not both")
    offered = config_of(env)
    config = maker.config_for(offered)
    if offered.moves[: len(config.moves)] != config.moves:
        raise ValueError(
            f"{name} plays with the moves {', '.join(config.moves)}, and the environment offers "
            f"{', '.join(offered.moves)}; make it with moves={tuple(config.moves)}"
        )
    return maker(config, seed)


def build_policy(name: str, config: BoardConfig, seed: int = 0, **options: Any) -> Policy:
    """Makes a policy for a configuration; see `make_policy`."""
    return find_policy(name, **options)(config, seed)


def config_for(name: str, config: BoardConfig) -> BoardConfig:
    """Returns the configuration with the moves that games for this policy must offer."""
    return find_policy(name).config_for(config)


def find_policy(name: str, **options: Any) -> PolicyMaker:
    """Returns the factory of the policy that a specification names.

    Args:
        name: one of `policy_names()`, the path of a run folder, an agent of the Hugging Face hub as
            ``hf:user/repo@revision``, or a class or function as ``package.module:NAME`` or ``path/file.py:NAME``;
            perhaps followed by ``:option=value,option=value``. A value is parsed as an int, a float, true, false or
            none; anything else is a string.
        **options: more options of the policy.

    Raises:
        ValueError: the name is unknown, the policy lacks an option, an option is given twice, or an agent of the hub
            cannot be had.
        PolicyError: the code of the class or function fails while it is loaded.
        MissingExtraError: the policy needs a package that is not installed.
    """
    specification, name = read_specification(name), pinned(name)
    for option in specification.options.keys() & options.keys():
        raise ValueError(f"option {option} of policy {name!r} is given twice")
    options = specification.options | options
    if specification.attribute is not None:
        return PolicyMaker(name, EntryFactory(specification, options), options)
    make = _built_in(specification.base)
    _, *allowed = inspect.signature(make).parameters.values()
    defaults = {each.name: each.default for each in allowed}
    if unknown := ", ".join(option for option in options if option not in defaults):
        names = ", ".join(defaults) or "none"
        meant = did_you_mean(unknown.partition(",")[0], defaults)
        raise ValueError(f"policy {specification.base!r} has no option {unknown}; its options: {names}{meant}")
    return PolicyMaker(name, make, options, (defaults | options).get("precision"))


def pinned(name: str) -> str:
    """Returns a specification with the commit of its agent of the hub, so that results say which weights played.

    The agent is downloaded if it is not in the client's cache; a ValueError or a MissingExtraError says why it cannot
    be had. A specification of another policy is returned as it is.
    """
    base = read_specification(name).base
    return pinned_name(base) + name[len(base) :] if HUB_NAME.fullmatch(base) else name


def policy_of_file(name: str, path: Path, typed: str | None = None) -> str:
    """Returns the specification to play for a name that the file of somebody else at `path` holds.

    Such a name may choose a policy of the package, an agent of the hub at a commit, or a run folder beside the file:
    these are data. For a class or a function, what the user has `typed` is returned; a ValueError if nothing.
    """
    for base in (name, *accumulate(name.split(":"), "{}:{}".format)):
        if base in policy_names() or (HUB_NAME.fullmatch(base) and parse_hub_name(base).is_pinned):
            return name
        folder = (path.parent / base).resolve()
        if base and folder.is_relative_to(path.parent.resolve()) and (folder / AGENT_FILE).is_file():
            return f"{path.parent}/{name}"
    if typed is None:
        raise ValueError(
            f"{path}: the policy {name!r} may run code: it is no name of the package, no run folder beside the file "
            "and no hf:user/repo@COMMIT; read its code, and then type it yourself with --policy"
        )
    return typed


def check_name(name: str) -> None:
    """Raises a ValueError unless a specification is well formed and its policy or file exists; loads nothing."""
    specification = read_specification(name)
    if HUB_NAME.fullmatch(specification.base):
        check_extra("huggingface_hub", extra="hub")
    if specification.in_file:
        existing_file(specification)


def policy_digest(name: str) -> str | None:
    """Returns a SHA-256 hash of `policy_files`, or of a module, in hexadecimal digits.

    Policies of this package change only with its version, and have none. A ValueError says what does not exist, and a
    PolicyError what fails while a module is loaded.
    """
    specification = read_specification(name)
    if specification.attribute is not None and not specification.in_file:
        load(specification)
        source = getattr(sys.modules[specification.base], "__file__", None)
        files = [] if source is None else [Path(source)]
    else:
        files = policy_files(name)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest() if files else None


def policy_files(name: str) -> list[Path]:
    """Returns the files outside of installed packages that a policy is loaded from.

    They are the file of a class or function, without what the file imports, or those of the agent of a run folder.
    """
    specification = read_specification(name)
    if specification.attribute is not None:
        return [existing_file(specification)] if specification.in_file else []
    folder = agent_folder(specification.base)
    if specification.base in SCRIPTED or folder is None or folder.parent == AGENTS_FOLDER:
        return []
    return [folder / AGENT_FILE, folder / AGENT_WEIGHTS_FILE]


def read_specification(text: str) -> Specification:
    """Returns the parts of a specification; loads nothing. A ValueError says what a text of another form lacks.

    What begins with a name, a run folder or an agent of the hub is one, whatever the rest looks like.
    """
    if not isinstance(text, str):
        raise ValueError(f"the name of a policy must be a text, such as 'exact' or 'path/file.py:NAME', not {text!r}")
    for base in (text, *accumulate(text.split(":"), "{}:{}".format)):
        if base and _is_name(base):
            return Specification(text, base, None, _parse_options(text, text[len(base) + 1 :]) if base != text else {})
    if text.startswith(PREFIX):
        parse_hub_name(text)  # raises, since no beginning of the text is a name
    if match := OWN.fullmatch(text):
        options = {} if match["options"] is None else _parse_options(text, match["options"])
        return Specification(text, match["base"], match["attribute"], options, match["base"].endswith(".py"))
    if re.search(r"\.py(?::|$)", text):
        raise ValueError(
            f"write a policy of a file as path/file.py:NAME or path/file.py:NAME:option=value, not {text!r}"
        )
    raise ValueError(_unknown(text.partition(":")[0]))


def _is_name(text: str) -> bool:
    return text in SCRIPTED or text in SERVED or HUB_NAME.fullmatch(text) is not None or agent_folder(text) is not None


def _parse_options(text: str, given: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in given.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"write a policy with options as name:option=value,option=value, not {text!r}")
        if option in options:
            raise ValueError(f"option {option} of policy {text!r} is given twice")
        options[option] = _WORDS.get(value.lower(), number_or_text(value))
    return options


def _built_in(base: str) -> Callable[..., Policy]:
    """Returns the class of a scripted policy, or the agent of a run folder."""
    if found_class := SCRIPTED.get(base) or SERVED.get(base):
        module, _, attribute = found_class.partition(":")
        make: Callable[..., Policy] = getattr(import_module(module), attribute)
        return make
    for module in ("torch", "safetensors"):
        import_extra(module)
    found: Callable[..., Policy] = import_module("baselines.learned.agents").find_agent(agent_folder(base))
    return found


def _unknown(name: str) -> str:
    if name.endswith(".zip"):
        return (
            f"{name}: a zip of Stable-Baselines3 holds pickled code, which only code of yours may load. Write "
            "agent.py: from baselines.adapters import SB3Policy; from sb3_contrib import MaskablePPO; "
            f"agent = lambda **board: SB3Policy(MaskablePPO.load({name!r}), **board). Then use --policy agent.py:agent"
        )
    path = local_path(name).expanduser()
    if path.is_dir():
        return f"unknown policy {name!r}: the folder holds no {AGENT_FILE}, which train.py writes into a run folder"
    if "/" in name or path.is_file():
        beside = [f"{folder.parent}" for folder in path.parent.glob(f"*/{AGENT_FILE}")]
        found = "is a file" if path.is_file() else "does not exist"
        return (
            f"unknown policy {name!r}: it {found}; a policy is a name, a run folder of train.py, or a class or "
            f"function of yours as path/file.py:NAME{did_you_mean(str(path), beside)}"
        )
    return (
        f"unknown policy {name!r}; there are {', '.join(policy_names())}, run folders of train.py, which hold "
        f"{AGENT_FILE}, and your own classes and functions as package.module:NAME or path/file.py:NAME"
        f"{did_you_mean(name, policy_names())}"
    )
