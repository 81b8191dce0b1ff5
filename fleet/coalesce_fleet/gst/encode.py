# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encodes the pictures of segments: a job a line on stdin, JSON lines on stdout (see common.py)."""

import collections
import hashlib
import json
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from about import made_by  # noqa: E402
from common import Failure, Gst, parse_bin, run, say  # noqa: E402
from pictures import Pictures  # noqa: E402

WAITING = 8  # pieces of work, of which each codestream has two: to be hashed and to be written


class Output:
    """Codestreams one after another in a file, or as numbered stills in a folder, and their index. They are written and
    hashed while the next are encoded."""

    def __init__(self, job):
        self.job, self.frames, self.digest, self.bytes = job, [], hashlib.sha256(), 0
        self.stills = job["caps"].startswith("image/jp2")
        if self.stills:
            os.makedirs(job["out"], exist_ok=True)
        self.file = None if self.stills else open(job["out"], "wb", buffering=0)
        self.hasher, self.writer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self.pending = collections.deque()

    def write(self, buffer):
        place = len(self.frames)
        if place >= self.job["count"]:
            raise Failure("pipeline", f"the pipeline made more than {self.job['count']} pictures of "
                                      f"{self.job['count']}: it must keep their number")
        data = buffer.extract_dup(0, buffer.get_size())
        self.pending += self.hasher.submit(self.digest.update, data), self.writer.submit(self._save, place, data)
        self._wait(WAITING)
        self.bytes += len(data)
        times = self.job["times"]
        self.frames.append([times[place], times[place + 1] - times[place], len(data)])

    def _save(self, place, data):
        if self.stills:
            with open(os.path.join(self.job["out"], f"{self.job['first'] + place:06d}.jp2"), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        else:
            rest = memoryview(data)
            while rest:
                rest = rest[self.file.write(rest):]

    def _wait(self, most):
        """Until at most so many are pending. Raises what went wrong."""
        while len(self.pending) > most:
            self.pending.popleft().result()

    def done(self, caps, pictures):
        if len(self.frames) != sum(pictures.came):  # before the input is blamed for what did not come
            raise Failure("pipeline", f"the pipeline made {len(self.frames)} pictures of {sum(pictures.came)}: it must keep "
                                      "their number")
        pictures.check_all_came()
        self._wait(0)
        if self.file:
            os.fsync(self.file.fileno())
        done = {"first": self.job["first"], "count": len(self.frames), "bytes": self.bytes,
                "sha256": self.digest.hexdigest(), "caps": caps,
                "input_caps": pictures.caps, "decoded_from": pictures.mode}
        with open(self.job["index"], "w") as file:
            json.dump({**done, "zero": pictures.zero or 0, "raw_times": pictures.raw_times, "frames": self.frames}, file)
            file.flush()
            os.fsync(file.fileno())
        return done

    def close(self):
        for pool in (self.hasher, self.writer):
            pool.shutdown(cancel_futures=True)
        if self.file:
            self.file.close()


def attempt(job, mode):
    pictures = Pictures(job, mode)
    encoder = parse_bin(job["pipeline"])
    if encoder.get_static_pad("sink") is None or encoder.get_static_pad("src") is None:
        raise Failure("pipeline", f"the pipeline \"{job['pipeline']}\" needs one input and one output that are free")
    if made_by(encoder) != job["made_by"]:  # an upgrade, or a machine with others
        raise Failure("lost", f"{socket.gethostname()} has {made_by(encoder)}; the item was begun with {job['made_by']}: "
                              "install the same on all machines, then the same command encodes the item anew")
    sink = Gst.ElementFactory.make("appsink")
    sink.set_property("sync", False)
    sink.set_property("max-buffers", 4)
    sink.set_property("caps", Gst.Caps.from_string(job["caps"]))
    pictures.pipeline.add(encoder)
    pictures.pipeline.add(sink)
    if not encoder.link(sink):
        raise Failure("pipeline", f"the pipeline \"{job['pipeline']}\" does not make {job['caps']}")
    output, caps = Output(job), None
    try:
        pictures.start(encoder.get_static_pad("sink"))
        while True:
            sample = sink.emit("try-pull-sample", 100_000_000)
            if sample:
                if caps is None:
                    caps = sample.get_caps().to_string()
                elif caps != sample.get_caps().to_string():
                    raise Failure("corrupt-input", f"{pictures.place}: the video changes at picture "
                                                   f"{job['first'] + len(output.frames)} to {sample.get_caps()}")
                output.write(sample.get_buffer())
                if len(output.frames) % 8 == 1:  # the first at once: the driver reports how long the start took
                    say(progress=len(output.frames))
            pictures.check()
            if not sample and sink.get_property("eos"):
                break
        done = output.done(caps, pictures)
        say(progress=done["count"])
        return done
    finally:
        pictures.stop()
        output.close()


def work(job):
    if "images" in job["input"]:
        return attempt(job, "images")
    if not job.get("timed", True):
        return attempt(job, "count")
    if job["seek"] is not None:
        try:
            return attempt(job, "seek")
        except Failure as failure:
            if failure.kind != "corrupt-input":
                raise
    return attempt(job, "start")


if __name__ == "__main__":
    run(work)
