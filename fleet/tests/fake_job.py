#!/usr/bin/python3 -IS
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Speaks the job protocol without GStreamer, and fails as it is asked to: COALESCE_FLEET_PYTHON names it.

Its codestreams depend on the input, the times and the versions only, as those of an encoder do. COALESCE_FAKE names a
folder: faults.json there is a list of {"what": …, "script": "encode", "first": N, "name": text in the input's path,
"times": N}; made-by has the versions ("fake 1" without it); what has happened is in log.jsonl.
What: crash, exit, hang, noise, disk-full, read-only, gpu-memory, corrupt-input, pipeline, missing-element, verify,
fill (write until the disk is full), short (fewer pictures), wait (until the file `go` is there), crowded (gpu-memory
if more than `most` processes are there on a device), grow (by `bytes`), poison (corrupt-input for all that it does later).
"""

import ctypes
import fcntl
import hashlib
import json
import os
import signal
import sys
import time

HELD = []  # for as long as the process lives


def say(**message):
    print(json.dumps(message), flush=True)


def note(folder, **entry):
    line = json.dumps({"pid": os.getpid(), "device": os.environ.get("CUDA_VISIBLE_DEVICES"), **entry}) + "\n"
    handle = os.open(os.path.join(folder, "log.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(handle, line.encode())
    os.close(handle)


def take(folder, number, times):
    """Whether this fault is one of the first `times`."""
    for count in range(times):
        try:
            os.close(os.open(os.path.join(folder, f"taken-{number}-{count}"), os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            pass
    return False


def place(job):
    return job["input"].get("path") or os.path.dirname(job["input"]["images"][0])


def fault(folder, script, job):
    try:
        with open(os.path.join(folder, "faults.json")) as file:
            faults = json.load(file)
    except FileNotFoundError:
        return {"what": None}
    for number, entry in enumerate(faults):
        if entry.get("script", "encode") == script and entry.get("first", job.get("first")) == job.get("first") \
                and entry.get("name", "") in place(job) and take(folder, number, entry.get("times", 1 << 30)):
            return entry
    return {"what": None}


def act(folder, entry, script, job):
    what = entry["what"]
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "exit":
        print("something went wrong", file=sys.stderr)
        sys.exit(3)
    if what == "hang":
        say(progress=1)
        while True:
            time.sleep(60)
    if what == "noise":
        print("a library says: {not JSON}\n[1]", flush=True)
    if what == "fill":
        with open(job["out"], "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError as error:
                say(error="disk-full", text=str(error))
                sys.exit(1)
    if what == "wait":
        while not os.path.exists(os.path.join(folder, "go")):
            time.sleep(0.01)
    if what == "crowded":
        for number in range(0 if HELD else entry["most"]):
            device = os.environ.get("CUDA_VISIBLE_DEVICES")
            room = os.open(os.path.join(folder, f"room-{device}-{number}"), os.O_CREAT | os.O_RDWR)
            try:
                fcntl.flock(room, fcntl.LOCK_EX | fcntl.LOCK_NB)
                HELD.append(room)
                break
            except BlockingIOError:
                os.close(room)
        time.sleep(0.05)
        if not HELD:
            what = "gpu-memory"
    if what == "grow":
        HELD.append(bytearray(b"x") * entry["bytes"])
    if what == "poison":
        HELD.append("poison")
    if "poison" in HELD and script == "encode" and what != "poison":
        what = "corrupt-input"
    if what in ("disk-full", "read-only", "gpu-memory", "corrupt-input", "refused", "pipeline", "missing-element", "verify"):
        say(error=what, text=f"fake {what}")
        sys.exit(1)


def picture(job, number):
    seed = f"{os.path.basename(place(job))} {job['times'][number]} {job['pipeline']} {job['caps']} {job['made_by']}".encode()
    return hashlib.sha256(seed).digest() * 8


def encode(job, short):
    digest, frames, size = hashlib.sha256(), [], 0
    if job["caps"] == "image/jp2":
        os.mkdir(job["out"])
    for number in range(job["count"] - short):
        data = picture(job, number)
        name = os.path.join(job["out"], f"{job['first'] + number:06d}.jp2") if job["caps"] == "image/jp2" \
            else job["out"]
        with open(name, "ab") as file:
            file.write(data)
        digest.update(data)
        size += len(data)
        frames.append([job["times"][number], job["times"][number + 1] - job["times"][number], len(data)])
        say(progress=number + 1)
    done = {"first": job["first"], "count": len(frames), "bytes": size, "sha256": digest.hexdigest(),
            "caps": job["caps"]}
    with open(job["index"], "w") as file:
        json.dump({**done, "frames": frames}, file)
    return done


def join(job):
    count, digest = 0, hashlib.sha256()
    with open(job["out"], "wb") as out:
        for data, index in job["segments"]:
            with open(data, "rb") as file:
                content = file.read()
            out.write(content)
            digest.update(content)
            with open(index) as file:
                entry = json.load(file)
            count += entry["count"]
            if hashlib.sha256(content).hexdigest() != entry["sha256"]:
                say(error="lost", text="the segment is not what was encoded")
                sys.exit(1)
            say(progress=count)
    return {"count": count, "bytes": os.path.getsize(job["out"]), "sha256": digest.hexdigest(), "notes": [] if job["container"] == "mxf" else ["audio 0: aac is decoded to S16LE"]}


def work(folder, script, job):
    if script == "about":
        try:
            with open(os.path.join(folder, "made-by")) as file:
                made_by = file.read()
        except FileNotFoundError:
            made_by = "fake 1"
        return {"remembers": "temporal" if "temporal" in job["pipeline"] else None, "made_by": made_by}
    entry = fault(folder, script, job)
    note(folder, script=script, first=job.get("first"), what=entry["what"], path=place(job))
    act(folder, entry, script, job)
    return encode(job, entry["what"] == "short") if script == "encode" else join(job) if script == "join" else {"psnr": 99.0}


def main():
    if sys.argv[1] == "-c":  # whether it has GStreamer
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    script = os.path.splitext(os.path.basename(sys.argv[1]))[0]
    try:
        for line in sys.stdin:
            say(done=work(os.environ["COALESCE_FAKE"], script, json.loads(line)))
    except OSError as error:
        say(error="disk-full" if error.errno == 28 else "lost", text=str(error))
        sys.exit(1)


main()
