"""Which numbers the convolutions compute with: bfloat16 where the machine is faster with it, and else float32."""

from __future__ import annotations

import time

import torch
from torch import nn

from baselines.learned.networks.board import BoardNetwork, NetworkSize, Tower
from baselines.support.checks import one_of
from minesweeper_env.codes import HIDDEN

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}

_BFLOAT16_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")
"""The names of PyTorch for them, on x86 and on ARM."""

_BOARDS, _SIDE, _MINES, _REPEATS = 32, 8, 14, 5
_GAIN = 1.1
"""How many times faster bfloat16 must be to be chosen: it rounds to 8 bits, for which there must be a reason."""


def resolve_precision(precision: str) -> str:
    """Returns a precision for playing, one of `PRECISIONS`, in place of "auto" the `native_precision`.

    Raises:
        ValueError: it is neither "auto" nor one of them.
    """
    one_of("precision", precision, ("auto", *PRECISIONS))
    return native_precision() if precision == "auto" else precision


def set_precision(network: nn.Module, precision: str) -> None:
    """Has all convolutions in a network compute with "float32" or "bfloat16"."""
    for module in network.modules():
        if isinstance(module, Tower):
            module.dtype = PRECISIONS[precision]


def native_precision() -> str:
    """Returns "bfloat16" if the processor has instructions for its products, and else "float32".

    Unlike a measurement, this says the same whenever it is asked on a machine, so that games can be repeated there.
    """
    capabilities = torch.cpu.get_capabilities()
    return "bfloat16" if any(capabilities.get(name) for name in _BFLOAT16_INSTRUCTIONS) else "float32"


def faster_precision(size: NetworkSize, device: str = "cpu") -> str:
    """Returns the precision in which a network of this size learns faster here, by measuring it for a moment.

    Processors differ widely: bfloat16 takes a third of the time of float32 where there are matrix instructions for it,
    and several times as long where it is emulated. The random generators are left as they were.
    """
    with torch.random.fork_rng(devices=[]):
        network = BoardNetwork.of_size(size).to(device)
        codes = torch.randint(0, HIDDEN + 1, (_BOARDS, _SIDE, _SIDE), device=device)
        seconds = {precision: _seconds(network, codes, precision) for precision in PRECISIONS}
    return "bfloat16" if _GAIN * seconds["bfloat16"] < seconds["float32"] else "float32"


def _seconds(network: BoardNetwork, codes: torch.Tensor, precision: str) -> float:
    """Returns the shortest time of a forward and a backward pass; the first one, which prepares, does not count."""
    set_precision(network, precision)
    times = []
    for _ in range(1 + _REPEATS):
        begin = time.perf_counter()
        # Reading a number waits for a device that computes by itself.
        loss = network(codes, _MINES).sum()
        loss.backward()
        loss.item()
        times.append(time.perf_counter() - begin)
    return min(times[1:])
