# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what an item holds and writes its plan: a job on stdin, a line on stdout, as the GStreamer processes.

A process of its own, since a damaged file may crash or block the reader. The plan is lines of JSON: a header, the
probe, then the job of each segment.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import shutil
import signal
import sys

from .inputs import Item
from .plan import encode_job, plan
from .probe import InputError, Options, Probe, probe, probe_images, refusals

PLAN = "plan.jsonl"


class Refused(Exception):
    """The container cannot carry what the input has."""


def paths(work: str, number: int, container: str) -> tuple[str, str]:
    """The codestreams (a folder of stills for jp2) and the index of a segment."""
    name = os.path.join(work, f"segment-{number:06d}")
    return name + {"mxf": ".j2c", "mj2": ".j2c", "jp2": ""}[container], name + ".json"


def read(work: str, number: int) -> dict:
    """The job of segment `number`."""
    with open(os.path.join(work, PLAN), encoding="utf-8") as file:
        return json.loads(next(itertools.islice(file, number + 2, None)))


def header(work: str) -> tuple[dict, Probe]:
    with open(os.path.join(work, PLAN), encoding="utf-8") as file:
        return json.loads(next(file)), Probe.from_json(json.loads(next(file)))


def whole(work: str, number: int, container: str) -> int | None:
    """The bytes of the codestreams, if the index is there and they have the size that it names. Their digests are compared
    when they are joined. None otherwise."""
    data, index = paths(work, number, container)
    try:
        with open(index, encoding="utf-8") as file:
            size = json.load(file)["bytes"]
        found = sum(entry.stat().st_size for entry in os.scandir(data)) if container == "jp2" else os.path.getsize(data)
        return size if found == size else None
    except (OSError, ValueError, KeyError):
        return None


def remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def _plan(job: dict) -> dict:
    item = Item(job["name"], job["path"], job["framerate"])
    found = probe_images(item.images(), item.framerate) if item.is_sequence else probe(item.path)
    refused = refusals(found, job["container"], Options(job["no_audio"], job["no_timecode"]))
    if refused:
        raise Refused("; ".join(refused))
    segments = plan(found, found.count if job["remembers"] else job["segment_frames"])
    notes = []
    why = f"{job['remembers']} may remember other pictures" if job["remembers"] else \
        "the file has no presentation times" if not found.timed else None
    if why:
        notes.append(["whole", f"{why}: the item is not cut, and one process encodes it"])
    if found.others:
        notes.append(["streams", f"left out, since no output carries them: {', '.join(found.others)}"[:300]])
    head = {"segments": len(segments), "frames": found.count, "notes": notes, "made_by": job["made_by"]}
    name = os.path.join(job["work"], f"tmp-{os.getpid()}-{os.urandom(4).hex()}")
    with open(name, "w", encoding="utf-8") as file:
        for line in itertools.chain([head, found.to_json()], (
                encode_job(found, segment, job["pipeline"], job["container"], job["made_by"]) for segment in segments)):
            file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(name, os.path.join(job["work"], PLAN))
    return head


def work(job: dict) -> dict:
    """Plans, or finds the plan of an earlier run, and removes what that run left half done."""
    for name in os.listdir(job["work"]):
        if name.startswith("tmp-"):
            remove(os.path.join(job["work"], name))
    try:
        head, _ = header(job["work"])
        before, notes = head["made_by"], head["notes"]
    except (OSError, ValueError, StopIteration, TypeError, KeyError):
        before = None
    if before != job["made_by"]:
        for name in os.listdir(job["work"]):
            remove(os.path.join(job["work"], name))
        head = _plan(job)
        notes = head["notes"]
        if before:
            notes = [["anew", f"it was begun with {before}, here is {job['made_by']}: the segments of before are not used"],
                     *notes]
    size = 0
    for number in range(head["segments"]):
        found = whole(job["work"], number, job["container"])
        if found is None:
            data, index = paths(job["work"], number, job["container"])
            remove(index)
            remove(data)
        size += found or 0
    return {"segments": head["segments"], "frames": head["frames"], "bytes": size, "notes": notes}


def answer(job: dict) -> dict:
    """The message of the job protocol that ends the job."""
    try:
        return {"done": work(job)}
    except Refused as error:
        return {"error": "refused", "text": str(error)}
    except (InputError, ValueError, FileNotFoundError) as error:
        return {"error": "corrupt-input", "text": str(error)}
    except OSError as error:
        from .segment import os_kind
        return {"error": os_kind(error), "text": str(error)}


def main() -> int:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with its worker
    message = answer(json.loads(sys.stdin.readline()))
    print(json.dumps(message), flush=True)
    return 0 if "done" in message else 1


if __name__ == "__main__":
    sys.exit(main())
