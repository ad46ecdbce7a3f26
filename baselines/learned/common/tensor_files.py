"""Safetensors files, atomic, with a checksum and without pickle; the tensors of optimisers and random generators."""

import hashlib
import io
import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from torch import Tensor, nn

from baselines.files import first_line, replace_file
from baselines.process import explain

Tensors = dict[str, Tensor]
STATE_KEY, CHECKSUM_KEY = "state", "sha256"


def write_tensors(path: Path, tensors: Tensors, state: dict[str, Any]) -> None:
    """Writes tensors and a JSON-able state into one safetensors file, atomically."""
    # Modules may share a tensor, which the format cannot express; clones do not.
    copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    text = json.dumps(state)
    metadata = {STATE_KEY: text, CHECKSUM_KEY: _checksum(copies, text)}
    replace_file(path, _with_sorted_metadata(safetensors.torch.save(copies, metadata)))


def _with_sorted_metadata(content: bytes) -> bytes:
    """Returns a safetensors file with its metadata sorted by key; `save` writes them in a random order."""
    # The format: 8 bytes with the length of the header, the header as JSON that blanks may pad, and the tensors.
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode().ljust(end - 8)
    return len(text).to_bytes(8, "little") + text + content[end:]


def read_tensors(path: Path, most: int | None = None) -> tuple[Tensors, dict[str, Any]]:
    """Returns the tensors and the state that `write_tensors` wrote.

    Raises a ValueError if the file is damaged, or has more than `most` bytes.
    """
    try:
        if most is not None and path.stat().st_size > most:
            raise ValueError(f"it has more than {most} bytes")
        with safetensors.safe_open(path, "pt") as file:
            metadata = dict(file.metadata())
        text, tensors = metadata.pop(STATE_KEY), safetensors.torch.load(path.read_bytes())
        state = dict(json.loads(text))
        # Files of some versions have no checksum. A damaged name of the checksum must not pass for none.
        if metadata and metadata != {CHECKSUM_KEY: _checksum(tensors, text)}:
            raise ValueError("its checksum is wrong")
    except (OSError, ValueError, TypeError, KeyError, RecursionError, safetensors.SafetensorError) as error:
        raise ValueError(f"{path} is missing, damaged or no file of train.py: {first_line(error)}") from error
    return tensors, state


def _checksum(tensors: Tensors, text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].numpy().tobytes())
    return digest.hexdigest()


@contextmanager
def saved(path: str | Path) -> Generator[Any]:
    """Yields the content of a file of `torch.save`; a ValueError names a file that is damaged or does not fit."""
    try:
        content = torch.load(path, weights_only=True, map_location="cpu")
    except OSError:
        raise
    except Exception:
        # PyTorch raises errors of many kinds, and some of them advise to load the file without its protection.
        raise ValueError(f"{path} is damaged or no file of torch.save") from None
    weights = content if isinstance(content, dict) else {}
    try:
        _check_finite({name: weight for name, weight in weights.items() if isinstance(weight, Tensor)})
        yield content
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be used: {first_line(error)}") from error


def save(path: Path, content: Any) -> None:
    """Writes a value in the format of `torch.save`, atomically; `saved` reads it."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    replace_file(path, buffer.getvalue())


def save_model(network: nn.Module, curve: Sequence[Any], folder: Path) -> None:
    """Writes weights to model.pt, and a JSON-able learning curve to curve.json, each whole even after a kill.

    Ends the program with one line if the files cannot be written, for example because the disk is full.
    """
    try:
        save(folder / "model.pt", network.state_dict())
        replace_file(folder / "curve.json", json.dumps(curve).encode())
    except OSError as error:
        sys.exit(explain(error))


def load_weights(network: nn.Module, weights: Tensors) -> None:
    """Copies weights into a network; raises ValueError if they do not fit, or one is NaN or infinite."""
    check_weights(network, weights)
    _check_finite(weights)
    network.load_state_dict(weights)


def _check_finite(weights: Tensors) -> None:
    if unusable := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        raise ValueError(f"a weight is NaN or infinite: {', '.join(unusable[:3])}")


def check_weights(network: nn.Module, weights: Tensors) -> None:
    """Raises ValueError unless weights have the names and the shapes of the network's parameters and buffers."""
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    actual = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if actual != expected:
        differing = sorted(name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name))
        raise ValueError(f"the weights do not fit the network: {', '.join(differing[:3])}")


def prefixed(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors under their names with the prefix and a slash in front."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def unprefixed(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names begin with the prefix and a slash, under the rest of the name."""
    return {name.removeprefix(f"{prefix}/"): value for name, value in tensors.items() if name.startswith(f"{prefix}/")}


def optimiser_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Returns the moments of an optimiser as "optimizer/INDEX/MOMENT", where INDEX numbers its parameters."""
    moments = optimizer.state_dict()["state"]
    return {f"optimizer/{index}/{key}": value for index, values in moments.items() for key, value in values.items()}


def restore_optimiser(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Puts the moments that `optimiser_tensors` returned into an optimiser; other tensors are ignored."""
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in unprefixed(tensors, "optimizer").items():
        index, key = name.split("/")
        moments.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def random_tensors() -> tuple[Tensors, dict[str, Any]]:
    """Returns the states of the global generators of NumPy and PyTorch: tensors, and JSON-able values."""
    # Stable-Baselines3 draws the minibatches of PPO from NumPy's global generator.
    _, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002
    tensors = {"numpy": torch.from_numpy(np.asarray(keys)), "torch": torch.get_rng_state()}
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # A GPU that others use may be full.
        tensors["cuda"] = torch.cuda.get_rng_state()
    return prefixed(tensors, "random"), {"position": position, "has_gauss": has_gauss, "gauss": gauss}


def restore_random(tensors: Tensors, state: dict[str, Any]) -> None:
    """Sets the global generators to the states that `random_tensors` returned."""
    generators = unprefixed(tensors, "random")
    keys = generators["numpy"].numpy()
    np.random.set_state(("MT19937", keys, state["position"], state["has_gauss"], state["gauss"]))  # noqa: NPY002
    torch.set_rng_state(generators["torch"])
    if torch.cuda.is_initialized() and "cuda" in generators:  # type: ignore[no-untyped-call]
        torch.cuda.set_rng_state(generators["cuda"])
