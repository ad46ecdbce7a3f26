"""Policies by name: a `Specification` parses a text, loads the code that it names, and makes a policy for a board."""

import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple, Self

from baselines import checks, user_policy
from baselines.files import local_path
from baselines.hub import AGENT_FILE, AGENT_WEIGHTS_FILE, HUB_NAME, PREFIX, hub_folder, parse_hub_name, pinned_name
from baselines.policy import DEFAULT_MOVES, ReadyPolicy, config_of
from minesweeper_env.config import BoardConfig, whole_number


class Row(NamedTuple):
    """What the package knows of a policy without training.

    Attributes:
        made_by: the policy's class, as "module:class".
        family: what the policy computes; plots give each family a colour.
        track: the policy's track in the benchmark; None where its options decide.
        compiled: specifications whose games compile the kernels that this policy alone uses.
        inference: its inference at play; "" for the first of its track in `baselines.benchmark.protocol`.
    """

    made_by: str
    family: str
    track: str | None
    compiled: tuple[str, ...] = ()
    inference: str = ""


OTHERS = "learned, or your own"
"""The family of all policies that are not scripted."""

_SCRIPTED, _ORACLE = "baselines.scripted", "baselines.scripted.oracle_play"
_NONE, _LOCAL, _PROGRAM, _EXACT = "no reasoning", "local rules", "published program", "probabilities"

POLICIES = {
    "random": Row(f"{_SCRIPTED}.base:RandomPolicy", _NONE, "scripted", inference="none"),
    "marginal": Row(f"{_SCRIPTED}.fitted:MarginalPolicy", _NONE, "reveal"),
    "graphical_source": Row(f"{_SCRIPTED}.graphical:GraphicalSourcePolicy", _PROGRAM, "reveal", ("graphical_source",)),
    "conditional": Row(f"{_SCRIPTED}.fitted:ConditionalPolicy", _LOCAL, "reveal"),
    "graphical": Row(f"{_SCRIPTED}.graphical:GraphicalPolicy", _LOCAL, "reveal", ("graphical",)),
    "semi_deterministic": Row(f"{_SCRIPTED}.semi_deterministic:SemiDeterministicPolicy", _LOCAL, "scripted"),
    "straightforward": Row(f"{_SCRIPTED}.base:StraightforwardPolicy", _LOCAL, "scripted"),
    "subset": Row(f"{_SCRIPTED}.subset:SubsetPolicy", _LOCAL, "scripted"),
    "expected_value_source": Row(f"{_SCRIPTED}.subset:ExpectedValueSourcePolicy", _PROGRAM, "scripted"),
    "expected_value": Row(f"{_SCRIPTED}.subset:ExpectedValuePolicy", _LOCAL, "scripted"),
    "bayes_source": Row(f"{_SCRIPTED}.bayes_source:BayesSourcePolicy", _PROGRAM, "scripted", ("bayes_source",)),
    "bayes": Row(f"{_SCRIPTED}.bayes_network:BayesPolicy", _EXACT, "scripted", ("bayes",)),
    "exact": Row(f"{_ORACLE}.exact:ExactPolicy", _EXACT, "oracle", ("exact",)),
    "lookahead": Row(f"{_ORACLE}.lookahead:LookaheadPolicy", _EXACT, "search", ("lookahead", "lookahead:clicks=1")),
    "rollout": Row(f"{_ORACLE}.rollout:RolloutPolicy", _EXACT, "search", ("rollout",)),
    "optimal": Row(f"{_ORACLE}.optimal:OptimalPolicy", _EXACT, "search"),
    "chat": Row("baselines.chat:ChatPolicy", OTHERS, None),
}
"""The policies without training, weakest first; chat asks a server, which its options name."""

SCRIPTED = [name for name, row in POLICIES.items() if row.family != OTHERS]
"""The names of the scripted policies, weakest first."""

AGENTS = {
    **dict.fromkeys(("clues-any-size", "plain-dqn", "plain-ppo"), ("board", "")),
    **dict.fromkeys(("any-size", "dqn", "ppo"), ("reveal", "")),
    **dict.fromkeys(("afterstate", "afterstate-any-size", "taught"), ("search", "clues")),
}
"""The track and the inference of each shipped agent, as `Row` has them."""

CHECKPOINT_FILE = "checkpoint.safetensors"
"""The file of a run folder with the state from which a training resumes."""

AGENTS_FOLDER = Path(__file__).parent / "learned" / "weights"
"""The shipped agents: one run folder each, named after the agent."""

_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Specification:
    """A policy as the user writes it, parsed. Calling the specification with a board makes the policy.

    Only the attributes are pickled; each process loads the code once.

    Attributes:
        name: the whole text of the user.
        base: the policy's name, run folder or name on the hub; or a module, or a file that ends in ".py".
        attribute: the class or function of a module or file; None for other policies.
        options: options of the policy, by name.
        keyword_text: text of the options that are not in `name`, such as ":clicks=1"; tables show it after the name.
    """

    name: str
    base: str
    attribute: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    keyword_text: str = ""

    @classmethod
    def of(cls, text: str) -> Self:
        """Parses a text; loads no code.

        Args:
            text: one of `policy_names()`, the path of a run folder, an agent of the Hugging Face hub as
                ``hf:user/repo@revision``, or a class or function as ``package.module:NAME`` or ``path/file.py:NAME``;
                perhaps followed by ``:option=value,option=value``. A value is parsed as an int, a float, true, false or
                none; anything else is a string. A text that begins with a name, a run folder or an agent of the hub
                is never read as a module or file.

        Raises:
            ValueError: the text has another form, or no policy has this name.
        """
        if not isinstance(text, str):
            raise ValueError(
                f"the name of a policy must be a text, such as 'exact' or 'path/file.py:NAME', not {text!r}"
            )
        for base in _prefixes(text):
            if base in POLICIES or HUB_NAME.fullmatch(base) or (base and agent_folder(base)):
                return cls(text, base, options=_parse_options(text, text[len(base) :]))
        if text.startswith(PREFIX):
            parse_hub_name(text)  # raises, since no beginning of the text is a name
        if match := user_policy.USER_CODE.fullmatch(text):
            return cls(text, match["base"], match["attribute"], _parse_options(text, match["options"] or ""))
        if re.search(r"\.py(?::|$)", text):
            raise ValueError(
                f"write a policy of a file as path/file.py:NAME or path/file.py:NAME:option=value, not {text!r}"
            )
        raise ValueError(_unknown_message(text.partition(":")[0]))

    def check(self) -> Self:
        """Returns itself; raises ValueError without the policy's file, MissingExtraError without the hub's client."""
        if HUB_NAME.fullmatch(self.base):
            checks.check_extra("huggingface_hub", extra="hub")
        elif self.attribute is not None:
            self.files()
        return self

    def pinned(self) -> Self:
        """Returns the specification with the commit of its hub agent, so that results say which weights played."""
        base = pinned_name(self.base)
        return replace(self, name=base + self.name[len(self.base) :], base=base)

    def files(self) -> list[Path]:
        """Returns the files outside of installed packages that the policy is loaded from.

        For a class or function in a file, this is the file, without its imports; for a run folder, the agent's files.
        """
        if self.attribute is not None:
            return [user_policy.existing_file(self.base)] if self.base.endswith(".py") else []
        folder = agent_folder(self.base)
        if self.base in POLICIES or folder is None or folder.parent == AGENTS_FOLDER:
            return []
        return [folder / AGENT_FILE, folder / AGENT_WEIGHTS_FILE]

    def digest(self) -> str | None:
        """Returns the SHA-256 of `files`, or of a module, in hexadecimal digits; None for a policy of this package.

        The hash also covers the files and run folders that the options of a user's policy name. Raises ValueError if a
        file or module does not exist, and PolicyError if the code of a module fails as it is loaded.
        """
        files = self.files()
        if self.attribute is not None and not files:
            user_policy.load(self.name, self.base, self.attribute)
            source = getattr(sys.modules[self.base], "__file__", None)
            files = [] if source is None else [Path(source)]
        if self.attribute is not None:
            paths = [local_path(value).expanduser() for value in self.options.values() if isinstance(value, str)]
            files += [file for path in paths for file in (path, path / AGENT_WEIGHTS_FILE) if os.path.isfile(file)]
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest() if files else None

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self.name, self.base, self.attribute, self.options, self.keyword_text)

    @cached_property
    def make(self) -> Callable[..., ReadyPolicy]:
        """The policy's class, or another callable of a `BoardConfig` and the options; raises as `find_policy` does."""
        base, attribute, options = self.base, self.attribute, self.options
        if attribute is not None:
            target = user_policy.load(self.name, base, attribute)
            user_policy.check_arguments(f"{base}:{attribute}", target, options)
            return partial(user_policy.UserPolicy, self.name + self.keyword_text, target)
        make: Callable[..., ReadyPolicy]
        if base in POLICIES:
            make = resolve_name(POLICIES[base].made_by)
        else:
            checks.check_extra("torch", "safetensors")
            make = resolve_name("baselines.learned.agents:find_agent")(agent_folder(base))
        allowed = list(inspect.signature(make).parameters)[1:]
        if unknown := ", ".join(option for option in options if option not in allowed):
            hint = checks.did_you_mean(unknown.partition(",")[0], allowed)
            names = ", ".join(allowed) or "none"
            raise ValueError(f"policy {base!r} has no option {unknown}; its options: {names}{hint}")
        return make

    def _string_options(self) -> dict[str, str]:
        """Returns the options annotated as str, unparsed: the model 5.10 of a server is not its model 5.1."""
        if self.attribute is not None:
            return {}
        parameters = inspect.signature(self.make).parameters
        return {
            option: text
            for option, _, text in _split_options(self.name[len(self.base) :])
            if parameters[option].annotation is str
            or (parameters[option].annotation == str | None and text.lower() != "none")
        }

    @property
    def precision(self) -> str | None:
        """The number format of the policy's network, chosen or by default; None if the policy has no such option."""
        parameter = inspect.signature(self.make).parameters.get("precision")
        return None if parameter is None else self.options.get("precision", parameter.default)

    def __call__(self, board: BoardConfig, seed: int = 0) -> ReadyPolicy:
        """Makes the policy for a board, with the moves that the policy plays, and resets it with `seed`.

        Raises ValueError, which names the allowed options or boards, and PolicyError if the code of a user fails.
        """
        moves = getattr(self.make, "moves", DEFAULT_MOVES)
        whole_number("seed", seed, 0)
        policy = self.make(replace(board, moves=moves), **self.options | self._string_options())
        # Messages name the policy as its user wrote it, not by its class.
        policy.name = self.name + self.keyword_text
        policy.reset(seed)
        return policy


def _prefixes(text: str) -> list[str]:
    """Returns a text, and each prefix of it that ends before a colon or at its end."""
    return [text, *accumulate(text.split(":"), "{}:{}".format)]


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first, and of the shipped agents."""
    return [*SCRIPTED, *sorted(AGENTS)]


def agent_folder(name: str) -> Path | None:
    """Returns the run folder of a shipped agent, a path or a hub name (by `hub_folder`); None for another name."""
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
) -> ReadyPolicy:
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
    specification = find_policy(name, **options)
    if env is None:
        rule = "opening" if first_click is None else first_click
        return specification(BoardConfig.of_size(8 if size is None else size, mines, first_click=rule), seed)
    for argument, value in {"size": size, "mines": mines, "first_click": first_click}.items():
        if value is not None:
            raise ValueError(f"env already defines {argument}; give env or {argument}, not both")
    config = config_of(env)
    policy = specification(config, seed)
    moves = policy.config.moves
    if config.moves[: len(moves)] != moves:
        raise ValueError(
            f"{name} plays with the moves {', '.join(moves)}, and the environment offers "
            f"{', '.join(config.moves)}; make it with moves={tuple(moves)}"
        )
    return policy


def _text_of(value: Any) -> str:
    """Returns the value of an option as text; for an object without a short text, such as a network, its class name."""
    text = str(value)
    if text.startswith("<") or "\n" in text:
        return type(value).__name__
    return text.lower() if value is None or isinstance(value, bool) else text


def find_policy(name: str, **options: Any) -> Specification:
    """Returns the specification of a name with further options: loaded, and an agent of the hub at its commit.

    Raises ValueError if the name or an option is unknown, an option is given twice, or the hub has no such agent;
    PolicyError if the user's code fails; MissingExtraError if a package is not installed.
    """
    specification = Specification.of(name).pinned()
    for option in specification.options.keys() & options.keys():
        raise ValueError(f"option {option} of policy {specification.name!r} is given twice")
    texts = ",".join(f"{option}={_text_of(value)}" for option, value in options.items())
    text = f"{',' if specification.options else ':'}{texts}" if texts else ""
    specification = replace(specification, options=specification.options | options, keyword_text=text)
    _ = specification.make  # Load the code now, so that errors come before any game.
    return specification


def check_distinct(names: Sequence[str]) -> list[Specification]:
    """Returns the specifications of policies; raises ValueError if one is named twice, and so would count twice."""
    distinct: dict[Any, Specification] = {}
    for policy in map(Specification.of, names):
        # A shell completes a run folder to "runs/dqn/"; `Path` drops the slash.
        key = Path(policy.base), policy.name[len(policy.base) :]
        if distinct.setdefault(key, policy) is not policy:
            raise ValueError(f"name each policy once, not {distinct[key].name} and {policy.name}")
    return list(distinct.values())


def policy_of_file(name: str, path: Path, typed: str | None = None) -> str:
    """Returns the specification to play for a policy `name` read from a file at `path`, perhaps a stranger's.

    The name may be a policy of the package, an agent of the hub at a commit, or a run folder beside the file: these run
    no foreign code. For any other name, returns `typed`, the user's own text; raises ValueError if that is None.
    """
    for base in _prefixes(name):
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


def _split_options(suffix: str) -> list[tuple[str, str, str]]:
    """Returns (option, "=", value) of each option in the suffix of a name, ":option=value,option=value" or ""."""
    return [part.partition("=") for part in suffix[1:].split(",")] if suffix else []


def _parse_options(text: str, suffix: str) -> dict[str, Any]:
    """Returns the parsed options in the suffix of `text`, the whole name, which error messages repeat."""
    options: dict[str, Any] = {}
    for option, equals, value in _split_options(suffix):
        if not option or not equals:
            raise ValueError(f"write a policy with options as name:option=value,option=value, not {text!r}")
        if option in options:
            raise ValueError(f"option {option} of policy {text!r} is given twice")
        options[option] = _WORDS.get(value.lower(), checks.number_or_text(value))
    return options


def _unknown_message(name: str) -> str:
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
        siblings = [f"{file.parent}" for file in path.parent.glob(f"*/{AGENT_FILE}")]
        problem = "is a file" if path.is_file() else "does not exist"
        return (
            f"unknown policy {name!r}: it {problem}; a policy is a name, a run folder of train.py, or a class or "
            f"function of yours as path/file.py:NAME{checks.did_you_mean(str(path), siblings)}"
        )
    return (
        f"unknown policy {name!r}; there are {', '.join(policy_names())}, run folders of train.py, which hold "
        f"{AGENT_FILE}, and your own classes and functions as package.module:NAME or path/file.py:NAME"
        f"{checks.did_you_mean(name, policy_names())}"
    )
