import platform

import pytest
from support.processes import run_python

# A pass allocates a few large arrays and frees them together: here 24 MiB, or 6144 pages of 4 KiB.
COUNT = """
import resource
import numpy as np
{begin}
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
one_pass = lambda: len([np.ones(6 << 20, np.uint8) for _ in range(4)])
one_pass(), one_pass()
before = faults()
for _ in range(10):
    one_pass()
print(faults() - before)
"""


def faults_of(begin):
    """Returns the number of page faults of ten passes in a process of their own."""
    return int(run_python("-c", COUNT.format(begin=begin), check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator is meant")
def test_pages_are_not_mapped_in_again_for_each_pass():
    kept = faults_of("from baselines.learned.agents import keep_freed_memory; keep_freed_memory()")
    assert kept < 0.2 * faults_of("")
