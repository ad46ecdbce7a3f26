import platform
import subprocess
import sys
from statistics import median

import pytest

COUNT = """
import resource, torch
from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.size import NetworkSize
torch.set_num_threads(1)
{begin}
network, codes = BoardNetwork.of_size(NetworkSize(8, 2)), torch.zeros((500, 8, 8))
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
with torch.no_grad():
    network(codes, 14)
    before = faults()
    for _ in range(10):
        network(codes, 14)
print(faults() - before)
"""


def faults_of(begin):
    """Returns the page faults of ten passes: the median of three processes, whose random addresses move the count."""
    command = [sys.executable, "-c", COUNT.format(begin=begin)]
    return median(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(3))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator is meant")
def test_pages_are_not_mapped_in_again_for_each_pass():
    assert faults_of("keep_freed_memory()") < 0.2 * faults_of("")
