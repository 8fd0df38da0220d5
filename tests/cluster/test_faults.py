"""After any fault of a cluster, the library is the same as one made on a single machine."""

import os

import pytest

from benchmarks.scale.faults import FAULTS, SAVES, contents, disk_full, outcome_of
from benchmarks.scale.faults import server_killed as killed_server
from benchmarks.scale.faults import worker_killed as killed_worker
from storyscope import Library

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

LEAST = {killed_worker: 9, killed_server: len(SAVES)}
"""How often a fault must have been injected; once by default."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_what_one_machine_makes(fault, postgres, indexed, film, tmp_path):
    if FAULTS[fault] is disk_full and os.geteuid() != 0:
        pytest.skip("A FULL DISK IS NOT TESTED: only root can mount a small one")
    outcome = outcome_of(fault, postgres, film, tmp_path, contents(Library(indexed), "film"))
    assert outcome.different == ()
    assert outcome.artefacts > 12
    assert outcome.times >= LEAST.get(FAULTS[fault], 1)
