# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where tasks run. An executor has slots, each of which does one task at a time, and reports through one queue."""

from __future__ import annotations

import dataclasses
import os
import queue
import shutil
import socket
import subprocess
import threading

from . import segment
from .process import Encoder

# docs/fleet.md has the figures that these rest on.
PER_GPU = 6
PER_HOST = 2  # without a GPU: an encoder uses all CPUs by itself
JOINS = 4  # at once for each GPU
JOIN_CORES, JOIN_MEMORY = 2, 512 << 20  # of one, which hashes what it wrote twice at the same time


@dataclasses.dataclass
class Slot:
    """`device` is what several slots share, e.g. "host/gpu0". `kinds`: the kinds of task that it may run. `encodes`: it has
    an encoder process, also between tasks."""

    number: int
    device: str
    kinds: frozenset
    task: dict | None = None
    encodes: bool = False


ALL = frozenset({"prepare", "segment", "finish"})
ENCODES = frozenset({"segment"})
FINISHES = frozenset({"prepare", "finish"})
PREPARES = frozenset({"prepare"})  # so that a GPU has work while all others finish


def share_out(count: int, cores: float, memory: float, per_gpu: int | None) -> tuple[int, list[frozenset]]:
    """On a host with `count` GPUs, the encoders on each, which keep a core busy, and the other slots."""
    encoders = per_gpu or max(1, min(PER_GPU, int(cores // count)))
    joins = min(JOINS * count, (cores - encoders * count) // JOIN_CORES, memory // JOIN_MEMORY)
    return encoders, [PREPARES] + [FINISHES] * max(1, int(joins))


@dataclasses.dataclass
class Done:
    """A task that ended on a slot. An error of kind worker-lost is one of the executor itself."""

    task: dict
    result: dict


class Executor:
    """The interface. All methods are for the engine's thread; `reports` is what other threads put Done into."""

    name = ""

    def __init__(self):
        self.slots: dict[int, Slot] = {}
        self.reports: queue.SimpleQueue = queue.SimpleQueue()

    def submit(self, slot: Slot, task: dict) -> None:
        raise NotImplementedError

    def wait(self, seconds: float) -> list[Done]:
        """What ended since the last call; waits for it for `seconds`. A None in `reports` ends the waiting."""
        found = []
        try:
            found.append(self.reports.get(timeout=seconds))
            while True:
                found.append(self.reports.get_nowait())
        except queue.Empty:
            pass
        return [done for done in found if done is not None]

    def frames(self) -> dict[int, int]:
        """By slot, the pictures that its task has encoded so far."""
        return {}

    def retire(self, slot: Slot) -> None:
        """Takes an idle slot away, with its encoder."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Ends all tasks: each is still reported."""
        raise NotImplementedError

    def close(self) -> None:
        pass


def gpus() -> list[str]:
    """The GPUs that this process may use, by the names that CUDA_VISIBLE_DEVICES has for them."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return [name.strip() for name in visible.split(",") if name.strip() not in ("", "-1")]
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    listed = subprocess.run([program, "-L"], capture_output=True, text=True)
    return [str(number) for number, line in enumerate(
        line for line in listed.stdout.splitlines() if line.startswith("GPU "))] if listed.returncode == 0 else []


class Processes(Executor):
    """Threads of the driver, which watch processes of this machine."""

    name = "processes"

    def __init__(self, per_gpu: int | None = None):
        super().__init__()
        self.running: dict[int, segment.Task] = {}
        self.encoders: dict[int, Encoder] = {}
        host, found = socket.gethostname(), gpus()
        if found:
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            encoders, others = share_out(len(found), len(os.sched_getaffinity(0)), memory, per_gpu)
            for gpu in found:
                for _ in range(encoders):
                    self._slot(f"{host}/gpu{gpu}", ENCODES, gpu)
            for kinds in others:
                self._slot(f"{host}/cpu", kinds, None)
        else:
            for _ in range(per_gpu or PER_HOST):
                self._slot(f"{host}/cpu", ALL, None)

    def _slot(self, device: str, kinds: frozenset, gpu: str | None) -> None:
        number = len(self.slots)
        self.slots[number], self.encoders[number] = Slot(number, device, kinds), Encoder(gpu)

    def submit(self, slot: Slot, task: dict) -> None:
        slot.task = task
        job = self.running[slot.number] = segment.Task(task, self.encoders[slot.number])

        def work():
            # The thread lives until the processes that it has started have ended, which die with it.
            result = job.run()
            self.reports.put((slot, Done(task, result)))

        threading.Thread(target=work, daemon=True).start()

    def wait(self, seconds: float) -> list[Done]:
        ended = []
        for slot, done in super().wait(seconds):
            slot.task = None
            del self.running[slot.number]
            ended.append(done)
        return ended

    def frames(self) -> dict[int, int]:
        return {number: job.frames for number, job in self.running.items()}

    def retire(self, slot: Slot) -> None:
        del self.slots[slot.number]
        self.encoders.pop(slot.number).end()

    def cancel(self) -> None:
        for job in self.running.values():
            job.cancel()

    def close(self) -> None:
        for encoder in self.encoders.values():
            encoder.close()
