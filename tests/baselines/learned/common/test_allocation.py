import platform
import subprocess
import sys

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
    ran = subprocess.run([sys.executable, "-c", COUNT.format(begin=begin)], capture_output=True, text=True, check=True)
    return int(ran.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator is meant")
def test_pages_are_not_mapped_in_again_for_each_pass():
    assert faults_of("keep_freed_memory()") < 0.2 * faults_of("")
