# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tasks on Ray: on one machine, on a cluster whose GPUs are only counted, and through the deaths of its parts."""

import collections
import contextlib
import os
import signal
import threading
import time
import urllib.request

import pytest

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from coalesce_fleet import metrics  # noqa: E402
from coalesce_fleet.ray_executor import Ray  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(fleet):
    """Its nodes are added by the tests; they inherit the environment that the fixture `fleet` has set."""
    cluster = Cluster()
    cluster.add_node(num_cpus=0, include_dashboard=False, _system_config={
        "health_check_period_ms": 1000, "health_check_failure_threshold": 5, "health_check_initial_delay_ms": 1000})
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def run(fleet, executor, **options):
    try:
        return fleet.run(executor=executor, **options)
    finally:
        executor.close()


def scraped():
    """What Prometheus gets of this machine: the sum of each metric of the fleet."""
    [node] = ray.nodes()
    with urllib.request.urlopen(f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    found = collections.Counter()
    for line in lines:
        if line.startswith("ray_coalesce_fleet_"):
            found[line.partition("{")[0].removeprefix("ray_coalesce_fleet_")] += float(line.split()[-1])
    return found


def test_on_this_machine_and_its_metrics(fleet, whole):
    executor = Ray(per_gpu=2)
    try:
        fleet.faults({"what": "crash", "first": 8, "name": "a.mp4", "times": 1})
        assert fleet.run(executor=executor, metrics=metrics.RayMetrics()) == 0
        assert fleet.outputs() == whole
        segments = fleet.events.of("segment")
        assert {entry["device"].rpartition("/")[2] for entry in segments} == {"cpu"}
        assert max(entry["before"] for entry in segments) > 0  # a worker keeps its encoder
        wanted = {"frames_total": 33, "bytes_total": sum(entry["bytes"] for entry in segments), "segment_seconds_count": len(segments),
                  "retries_total": 1, "items_total": 2}
        deadline = time.monotonic() + 120
        while not wanted.items() <= (found := scraped()).items():  # Ray exports every few seconds
            assert time.monotonic() < deadline, found
            time.sleep(1)
        assert found["slots"] == 2 and "tasks" in found
    finally:
        executor.close()


def test_gpus_are_shared_and_out_of_memory_means_fewer_there(fleet, whole, cluster, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")  # Ray counts GPUs, and looks for none
    cluster.add_node(num_cpus=1, num_gpus=2)
    fleet.faults({"what": "crowded", "most": 2})
    assert run(fleet, Ray(cluster.address, per_gpu=4), retries=0) == 0
    assert fleet.outputs() == whole
    assert {entry["device"].rpartition("/")[2] for entry in fleet.events.of("segment")} <= {"gpu0", "gpu1"}
    assert {entry["device"] for entry in fleet.log(script="encode")} <= {"0", "1"}


def wait_for_log(fleet, **wanted):
    while not fleet.log(**wanted):
        threading.Event().wait(0.05)
    return fleet.log(**wanted)[0]


def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_a_node_that_dies_and_one_that_comes(fleet, whole, cluster):
    node = cluster.add_node(num_cpus=1)
    fleet.faults({"what": "hang", "first": 8})
    executor = Ray(cluster.address)
    engine = fleet.engine(executor=executor, retries=100)
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    wait_for_log(fleet, what="hang")
    fleet.faults()
    cluster.remove_node(node, allow_graceful=False)
    cluster.add_node(num_cpus=1)
    thread.join(600)
    fleet.journal.close()
    executor.close()
    assert codes == [0] and fleet.outputs() == whole
    assert "worker-lost" in {entry["kind"] for entry in fleet.events.of("retry")}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_dies_or_does_not_answer(fleet, whole, how, monkeypatch):
    monkeypatch.setattr("coalesce_fleet.ray_executor.ASK", 0.5)
    fleet.faults({"what": "hang", "first": 8, "name": "a.mp4"})
    executor = Ray(stall=5)
    engine = fleet.engine(executor=executor, retries=100)
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    hung = wait_for_log(fleet, what="hang")
    fleet.faults()
    worker = parent(hung["pid"])
    os.kill(worker, how)
    thread.join(600)
    fleet.journal.close()
    executor.close()
    if how == signal.SIGSTOP:
        with contextlib.suppress(ProcessLookupError):  # Ray may have ended it
            os.kill(worker, signal.SIGKILL)  # it has given it up, and may not end a process that is stopped
    assert codes == [0] and fleet.outputs() == whole
    assert "worker-lost" in {entry["kind"] for entry in fleet.events.of("retry")}
    while os.path.exists(f"/proc/{hung['pid']}"):  # the encoder ends with its worker
        threading.Event().wait(0.05)
