# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tasks on Ray: an actor for each slot, placed by Ray with its fraction of a GPU.

Paths and results of less than 1 KB go through Ray, pictures never. An actor that dies is replaced, on its node or with
the slots of a node that comes later; its task is reported as worker-lost, and the engine submits it again.
"""

from __future__ import annotations

import os
import socket
import time

import ray
from ray.exceptions import RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import __version__, segment
from .executors import ALL, ENCODES, PER_HOST, Done, Executor, Slot, share_out
from .inputs import UsageError
from .process import Encoder

LOOK = 2.0  # seconds between looks at the nodes of the cluster
ASK = 10.0  # seconds between questions to a worker about its task


@ray.remote(num_cpus=0, max_restarts=0, max_concurrency=1, concurrency_groups={"watch": 1})
class Worker:
    """Runs one task at a time, and keeps its encoder process; the group "watch" answers meanwhile."""

    def __init__(self, sees_gpus: bool):
        self.job, self.encoder = None, None
        if sees_gpus and os.environ.get("CUDA_VISIBLE_DEVICES") == "":
            del os.environ["CUDA_VISIBLE_DEVICES"]  # Ray hides the GPUs of which an actor holds no share

    @ray.method(concurrency_group="watch")
    def hello(self) -> dict:
        gpus = ray.get_gpu_ids()
        self.encoder = Encoder(str(gpus[0]) if gpus else None)
        return {"host": socket.gethostname(), "gpu": self.encoder.device, "version": __version__, "pid": os.getpid()}

    def run(self, task: dict) -> dict:
        self.job = segment.Task(task, self.encoder)
        return self.job.run()

    @ray.method(concurrency_group="watch")
    def frames(self) -> int:
        return self.job.frames if self.job else 0

    @ray.method(concurrency_group="watch")
    def cancel(self) -> None:
        if self.job:
            self.job.cancel()


def _text(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1] if isinstance(error, RayTaskError) else lines[0]}"[:segment.LONGEST] \
        if lines else type(error).__name__


class _Place:
    """An actor and its slot. Slots are used once the actor has answered."""

    def __init__(self, number: int, node: str, kinds: frozenset, share: float):
        self.number, self.node, self.kinds, self.share = number, node, kinds, share
        self.slot, self.frames, self.asked, self.answer = None, 0, 0.0, None
        self.actor = Worker.options(
            num_gpus=share, scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(
                "segment" not in kinds)  # pictures that are verified may pass the GPU


class Ray(Executor):
    """`address` None: a Ray of this machine that ends with the driver."""

    name = "ray"

    def __init__(self, address: str | None = None, per_gpu: int | None = None, stall: float = 120.0):
        super().__init__()
        self.per_gpu, self.patience = per_gpu, 2 * stall
        try:
            ray.init(address=address or "local", include_dashboard=None if address else False, log_to_driver=False,
                     logging_level="error")
        except ValueError as error:
            raise UsageError(f"--address {address}: {error}") from error
        self.places: dict[int, _Place] = {}
        self.nodes: dict[str, list[int]] = {}
        self.missing: list[tuple[str, frozenset, float]] = []
        self.next, self.looked = 0, 0.0
        self._look()

    # Slots

    def _look(self) -> None:
        """Slots for nodes that came; those of nodes that went are forgotten."""
        self.looked = time.monotonic()
        alive = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
        for node in [node for node in self.nodes if node not in alive]:
            for number in self.nodes.pop(node):
                self._drop(number)
        missing, self.missing = self.missing, []
        for node, kinds, share in missing:
            if node in self.nodes:
                self._place(node, kinds, share)
        any_gpu = any(node["Resources"].get("GPU") for node in alive.values())
        for name, node in alive.items():
            if name in self.nodes:
                continue
            self.nodes[name] = []
            count = int(node["Resources"].get("GPU", 0))
            if count:
                encoders, others = share_out(count, *(node["Resources"].get(what, 0) for what in ("CPU", "memory")), self.per_gpu)
                share = int(10_000 / encoders) / 10_000  # Ray counts in ten-thousandths
                for _ in range(count * encoders):
                    self._place(name, ENCODES, share)
                for kinds in others:
                    self._place(name, kinds, 0)
            elif not any_gpu and node["Resources"].get("CPU"):  # a head without CPUs does no work
                for _ in range(self.per_gpu or PER_HOST):
                    self._place(name, ALL, 0)

    def _place(self, node: str, kinds: frozenset, share: float) -> None:
        place = _Place(self.next, node, kinds, share)
        self.places[self.next] = place
        self.nodes[node].append(self.next)
        self.next += 1
        self._report(place.actor.hello.remote(), place.number, "hello", None)

    def _report(self, reference, number: int, what: str, task: dict | None) -> None:
        def ended(future):
            try:
                value = future.result()
            except Exception as error:  # the worker or its node died
                value = error
            self.reports.put((number, what, task, value))

        reference.future().add_done_callback(ended)

    def _drop(self, number: int) -> _Place | None:
        place = self.places.pop(number, None)
        self.slots.pop(number, None)
        if place:
            ray.kill(place.actor)
        return place

    # The interface

    def submit(self, slot: Slot, task: dict) -> None:
        place = self.places[slot.number]
        slot.task = task
        place.frames, place.asked, place.answer = 0, time.monotonic(), None
        self._report(place.actor.run.remote(task), slot.number, "run", task)

    def wait(self, seconds: float) -> list[Done]:
        if time.monotonic() - self.looked > LOOK:
            self._look()
            self._ask()
        ended = []
        for number, what, task, value in super().wait(min(seconds, LOOK)):
            place = self.places.get(number)
            failed = isinstance(value, Exception)
            if what == "hello" and place and not failed:
                if value["version"] != __version__:
                    raise UsageError(f"{value['host']} has coalesce-fleet {value['version']}, the driver "
                                       f"{__version__}: install the same version on all nodes")
                device = f"{value['host']}/" + ("cpu" if value["gpu"] is None else f"gpu{value['gpu']}")
                place.slot = self.slots[number] = Slot(number, device, place.kinds)
            elif what == "frames" and place and not failed:
                place.frames, place.answer = value, None
            elif what == "run":
                if place:
                    place.slot.task = None
                ended.append(Done(task, {
                    "error": "worker-lost", "text": _text(value)} if failed else value))
            if failed and place:  # replaced at the next look, so that a broken node costs little
                self._drop(number)
                if place.node in self.nodes:
                    self.nodes[place.node].remove(number)
                self.missing.append((place.node, place.kinds, place.share))
        return ended

    def _ask(self) -> None:
        """Pictures so far of long tasks; a worker that does not answer is killed."""
        now = time.monotonic()
        for place in list(self.places.values()):
            if not place.slot or not place.slot.task or now - place.asked < ASK:
                continue
            if place.answer is None:
                place.asked = place.answer = now
                self._report(place.actor.frames.remote(), place.number, "frames", None)
            elif now - place.answer > self.patience:
                ray.kill(place.actor)  # its task and question are reported as failed

    def frames(self) -> dict[int, int]:
        return {number: place.frames for number, place in self.places.items() if place.slot and place.slot.task}

    def retire(self, slot: Slot) -> None:
        self.nodes[self._drop(slot.number).node].remove(slot.number)

    def cancel(self) -> None:
        for place in self.places.values():
            if place.slot and place.slot.task:
                place.actor.cancel.remote()

    def close(self) -> None:
        ray.shutdown()
