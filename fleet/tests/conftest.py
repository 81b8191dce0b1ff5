# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small videos, a fleet whose encoder is fake_job.py, and what it did."""

import fractions
import json
import os
import pathlib
import threading

import av
import pytest

from coalesce_fleet import prepare, process, segment
from coalesce_fleet.engine import Engine, Settings
from coalesce_fleet.events import Events
from coalesce_fleet.executors import Processes
from coalesce_fleet.inputs import items
from coalesce_fleet.journal import Journal
from coalesce_fleet.metrics import Metrics

FAKE = pathlib.Path(__file__).with_name("fake_job.py")


def make_video(path, frames=24, group=4, size=(32, 32)):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=fractions.Fraction(25))
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = *size, "yuv420p", group
        stream.codec_context.max_b_frames = 0
        for number in range(frames):
            picture = av.VideoFrame(*size, "yuv420p")
            for plane in picture.planes:
                plane.update(bytes([(number * 7 + 16) % 220]) * plane.buffer_size)
            picture.pts = number
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    return path


class Recorded(Events):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.came = threading.Condition()

    def emit(self, event, line, /, **fields):
        with self.came:
            self.seen.append((event, fields))
            self.came.notify_all()

    def of(self, event):
        return [fields for name, fields in self.seen if name == event]

    def wait_for(self, event):
        with self.came:
            assert self.came.wait_for(lambda: self.of(event), timeout=600), f"no {event}"


class Fleet:
    """Runs the engine with fake encoders, as often as the test likes."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.to = folder, folder / "out"
        self.inputs, self.fake = folder / "in", folder / "fake"
        self.inputs.mkdir()
        self.fake.mkdir()
        self.settings = {"pipeline": "fakeenc", "container": "mxf", "segment_frames": 4}
        monkeypatch.setenv("COALESCE_FLEET_PYTHON", str(FAKE))
        monkeypatch.setenv("COALESCE_FAKE", str(self.fake))
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
        monkeypatch.setattr(process, "_interpreter", None)
        # In the thread of the task, which is sooner than a process; test_cli has the process.
        monkeypatch.setattr(segment.Task, "_process", self.process(segment.Task._process))

    def process(self, usual):
        def prepared(task, command, job):
            if command[-1] != "coalesce_fleet.prepare":
                return usual(task, command, job)
            message = prepare.answer(job)
            if "error" in message:
                raise segment.Failure(message["error"], message["text"])
            return message["done"]
        return prepared

    def video(self, name, **more):
        return make_video(self.inputs / name, **more)

    def faults(self, *faults):
        (self.fake / "faults.json").write_text(json.dumps(faults))

    def log(self, **wanted):
        path = self.fake / "log.jsonl"
        entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [entry for entry in entries if all(entry[key] == value for key, value in wanted.items())]

    def forget(self):
        (self.fake / "log.jsonl").unlink(missing_ok=True)

    def engine(self, retries=3, per_gpu=None, inputs=None, executor=None, metrics=None, **settings):
        settings = Settings(**{**self.settings, **settings})
        found = items([str(path) for path in inputs or [self.inputs]], "25", str(self.to), settings.container)
        self.to.mkdir(exist_ok=True)
        self.journal = Journal(str(self.to))
        self.events = Recorded()
        self.executor = executor or Processes(per_gpu)
        return Engine(settings, found, str(self.to), self.executor, self.journal, self.events, metrics or Metrics(), retries,
                      pause=0.01)

    def run(self, **options):
        engine = self.engine(**options)
        try:
            return engine.run()
        finally:
            self.journal.close()
            if not options.get("executor"):
                self.executor.close()

    def manifest(self):
        return json.loads((self.to / "manifest.json").read_text())["items"]

    def outputs(self):
        """The bytes of all that a user sees but the manifest, which has the paths of the inputs."""
        found = {}
        for place, folders, files in os.walk(self.to):
            folders[:] = [name for name in folders if name != ".coalesce-fleet"]
            for name in files:
                path = pathlib.Path(place, name)
                if name != "manifest.json":
                    found[str(path.relative_to(self.to))] = path.read_bytes()
        return found

    def leftovers(self):
        return sorted(path.name for path in (self.to / ".coalesce-fleet").glob("**/tmp-*"))


def two_videos(fleet):
    fleet.video("a.mp4")
    fleet.video("b.mp4", frames=9)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        fleet = Fleet(tmp_path_factory.mktemp("undisturbed"), patch)
        two_videos(fleet)
        assert fleet.run() == 0
        return fleet.outputs()


@pytest.fixture
def whole(fleet, undisturbed):
    """The outputs of a run that nothing disturbs, of the inputs that `fleet` has now."""
    two_videos(fleet)
    return undisturbed


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    return Fleet(tmp_path, monkeypatch)
