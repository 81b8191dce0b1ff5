# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kills at random until it has killed often enough, and compares what comes out with an undisturbed run.

usage: kills.py ARCHIVE --kills 200 [--seed 1] [--log FILE] [OPTION of coalesce-fleet encode...]

It kills, with SIGKILL, GStreamer processes, Ray workers, a node of a cluster of two, and the driver, which is started
again. Each round is a new directory and another length of segments. A kill waits for events of the driver, never for a
time. Seeded: the kinds and the places are drawn from the seed; which process is there is not.
"""

import argparse
import collections
import difflib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import ray
from ray.cluster_utils import Cluster

WEIGHTS = {"gstreamer": 9, "worker": 5, "driver": 4, "node": 2}
PATIENCE = 600  # seconds without any event: it hangs
TOKEN = "COALESCE_FLEET_KILLS"


class Driver:
    """`coalesce-fleet encode`, and a count of its events."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.events, self.seen = 0, collections.Counter()
        self.came = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.came:
                try:
                    event = json.loads(line)
                except ValueError:
                    print(f"not JSON: {line}", end="", file=sys.stderr, flush=True)
                    event = {"event": "not JSON"}
                self.seen[event["event"]] += 1
                if event["event"] in ("failed", "halt"):
                    print(line, end="", file=sys.stderr)
                self.events += 1
                self.came.notify_all()
        with self.came:
            self.events = float("inf")
            self.came.notify_all()

    def wait(self, more):
        """Until `more` further events came, or it ended. Returns whether it still runs."""
        with self.came:
            wanted = self.events + more
            while self.events < wanted:
                before = self.events
                if not self.came.wait(PATIENCE) and self.events == before:
                    raise AssertionError(f"no event for {PATIENCE} s: {dict(self.seen)}")
            return self.events != float("inf")

    def running(self):
        return self.events != float("inf")


def processes(token):
    """(process, its command) of those that this harness started, directly or not."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                environment = pathlib.Path("/proc", name, "environ").read_bytes()
                command = pathlib.Path("/proc", name, "cmdline").read_bytes()
            except OSError:
                continue
            if f"{TOKEN}={token}".encode() in environment.split(b"\0"):
                yield int(name), command


WANTED = {"gstreamer": b"coalesce_fleet/gst/", "worker": b"ray::Worker"}
OPTIONS = ["--pipeline", "videoconvert ! j2kenc bpp=2"]


class Harness:
    def __init__(self, seed, log, archive, options):
        self.random, self.archive, self.options = random.Random(seed), archive, options
        self.log_file, self.counts, self.rounds = log, collections.Counter(), 0
        self.token = os.environ[TOKEN] = f"{os.getpid()}-{seed}"
        self.started = time.monotonic()
        self.cluster = Cluster()
        self.cluster.add_node(num_cpus=0, include_dashboard=False, _system_config={
            "health_check_period_ms": 1000, "health_check_failure_threshold": 5, "health_check_initial_delay_ms": 1000})
        self.nodes = [self._node(), self._node()]

    def _node(self):
        return self.cluster.add_node(num_cpus=2)

    def log(self, **entry):
        line = json.dumps({"seconds": round(time.monotonic() - self.started, 1), **entry})
        print(line, file=self.log_file, flush=True)

    def drive(self, to, segment_frames):
        return Driver([sys.executable, "-m", "coalesce_fleet", "encode", str(self.archive), "--to", str(to),
                       *self.options, "--segment-frames", str(segment_frames), "--retries", "1000", "--address",
                       self.cluster.address, "--json"])

    def kill(self, kind, driver):
        """True if something was killed; None if the driver ended before there was anything to kill."""
        if kind == "driver":
            driver.process.kill()
            driver.process.wait()
            return True
        if kind == "node":
            node = self.nodes.pop(self.random.randrange(2))
            self.cluster.remove_node(node, allow_graceful=False)
            self.nodes.append(self._node())
            return True
        while driver.running():
            found = sorted(process for process, command in processes(self.token)
                           if WANTED[kind] in command)
            if found:
                try:
                    os.kill(self.random.choice(found), signal.SIGKILL)
                    return True
                except ProcessLookupError:
                    continue
            driver.wait(0)
            time.sleep(0.02)
        return None

    def round(self, to, kills):
        """One archive until all is done, with at most `kills` kills. Returns how many there were."""
        self.rounds += 1
        done, segment_frames = 0, self.random.choice([2, 3, 5, 8])
        self.log(round=self.rounds, segment_frames=segment_frames)
        driver = self.drive(to, segment_frames)
        while True:
            running = driver.wait(self.random.randint(1, 4) if done < kills else 1)
            if not running:
                code = driver.process.wait()
                self.log(round=self.rounds, exit=code, kills=done, events=dict(driver.seen))
                assert code == 0, f"the driver ended with {code}"
                assert "not JSON" not in driver.seen
                return done
            if done < kills:
                kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
                if self.kill(kind, driver):
                    done += 1
                    self.counts[kind] += 1
                    self.log(killed=kind, total=sum(self.counts.values()))
                    if kind == "driver":
                        driver = self.drive(to, segment_frames)

    def close(self):
        self.cluster.shutdown()


def outputs(to):
    sums = (to / "SHA256SUMS").read_text()
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=to, check=True)
    for stills in to.glob("*/SHA256SUMS"):
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=stills.parent, check=True)
    return sums, (to / "manifest.json").read_text()


def run(archive, folder, kills, seed, log, options):
    """Raises AssertionError unless all outputs are those of an undisturbed run."""
    undisturbed = folder / "undisturbed"
    subprocess.run([sys.executable, "-m", "coalesce_fleet", "encode", str(archive), "--to", str(undisturbed),
                    *options, "--engine", "processes"], check=True,
                   stdout=subprocess.DEVNULL)
    wanted = outputs(undisturbed)
    harness = Harness(seed, log, archive, options)
    try:
        while sum(harness.counts.values()) < kills:
            to = folder / f"round-{harness.rounds + 1}"
            harness.round(to, kills - sum(harness.counts.values()))
            found = outputs(to)
            for before, after in zip(wanted, found):
                assert after == before, f"round {harness.rounds}: the outputs differ:\n" + "".join(
                    difflib.unified_diff(before.splitlines(True), after.splitlines(True), "undisturbed", "killed"))
            left = [path.name for path in (to / ".coalesce-fleet").iterdir() if path.is_dir()]
            assert not left, f"round {harness.rounds}: left over: {left}"
    finally:
        harness.log(seed=seed, rounds=harness.rounds, kills=dict(harness.counts),
                    total=sum(harness.counts.values()))
        harness.close()
    return harness


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("archive", type=pathlib.Path, help="a directory of inputs")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=argparse.FileType("w"), default=sys.stdout)
    arguments, options = parser.parse_known_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coalesce-fleet-kills-"))  # kept if the outputs differ
    harness = run(arguments.archive.resolve(), folder, arguments.kills, arguments.seed, arguments.log,
                  [*OPTIONS, *options])
    shutil.rmtree(folder)
    print(f"{sum(harness.counts.values())} kills in {harness.rounds} rounds, "
          f"{time.monotonic() - harness.started:.0f} s: {dict(harness.counts)}; all outputs the same")


if __name__ == "__main__":
    main()
