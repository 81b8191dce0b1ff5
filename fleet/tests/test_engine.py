# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine with fake encoders: every fault ends in the same bytes, or in a clear failure of one item."""

import collections
import hashlib
import importlib
import inspect
import json
import os
import pathlib
import signal
import subprocess
import threading
import types

import media
import pytest

from coalesce_fleet import engine as engine_module
from coalesce_fleet import cli, executors, process


def test_all_done_and_the_same_bytes_however_it_is_cut(fleet):
    fleet.video("a.mp4")
    fleet.video("b.mkv", frames=9)
    assert fleet.run() == 0
    first = fleet.outputs()
    assert set(first) == {"a.mxf", "b.mxf", "SHA256SUMS"}
    segments = fleet.events.of("segment")
    assert all((entry["before"] or entry["start"] > 0) and entry["start"] <= entry["seconds"] for entry in segments)
    assert max(entry["before"] for entry in segments) > 0
    manifest, text = fleet.manifest(), (fleet.to / "manifest.json").read_bytes()
    assert [(item["output"], item["frames"]) for item in manifest] == [("a.mxf", 24), ("b.mxf", 9)]
    assert manifest[0]["sha256"] == hashlib.sha256(first["a.mxf"]).hexdigest()
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=fleet.to, check=True)
    assert os.listdir(fleet.to / ".coalesce-fleet") and not list((fleet.to / ".coalesce-fleet").glob("*.mxf.*"))
    fleet.to = fleet.folder / "other"
    assert fleet.run(segment_frames=1000) == 0
    assert fleet.outputs() == first
    assert (fleet.to / "manifest.json").read_bytes() == text


@pytest.mark.slow
def test_stills(fleet):
    fleet.video("a.mp4", frames=10)
    assert fleet.run(container="jp2") == 0
    outputs = fleet.outputs()
    assert {name for name in outputs if name.startswith("a/")} == {f"a/{n:06d}.jp2" for n in range(10)} | {"a/SHA256SUMS"}
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=fleet.to, check=True)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=fleet.to / "a", check=True)


@pytest.mark.parametrize("what, kind", [("crash", "lost"), *(
    pytest.param(*one, marks=pytest.mark.slow) for one in (("exit", "lost"), ("short", "lost"), ("gpu-memory", "gpu-memory")))])
def test_a_process_that_fails_is_tried_again(fleet, whole, what, kind):
    fleet.faults({"what": what, "first": 8, "name": "a.mp4", "times": 2}, {"what": "crash", "script": "join", "times": 1},
                 {"what": "noise"})
    assert fleet.run(per_gpu=1) == 0
    assert fleet.outputs() == whole
    assert [entry["kind"] for entry in fleet.events.of("retry") if entry["task"] == "segment 2"] == [kind, kind]
    assert fleet.leftovers() == []


@pytest.mark.slow
def test_a_process_without_progress_is_killed_and_tried_again(fleet, whole):
    fleet.faults({"what": "hang", "first": 4, "name": "a.mp4", "times": 1})
    assert fleet.run(stall=4, retries=20) == 0
    assert fleet.outputs() == whole
    assert "stalled" in {entry["kind"] for entry in fleet.events.of("retry")}
    for entry in fleet.log(what="hang"):
        assert not os.path.exists(f"/proc/{entry['pid']}")


def test_a_process_does_many_segments_and_another_follows_one_that_failed(fleet, whole):
    fleet.faults({"what": "crash", "first": 8, "name": "a.mp4", "times": 1})
    assert fleet.run(per_gpu=1) == 0
    assert fleet.outputs() == whole
    one, two = collections.Counter(entry["pid"] for entry in fleet.log(script="encode")).values()
    assert one == 3 and two == 7
    assert sorted(entry["before"] for entry in fleet.events.of("segment")) == sorted([0, 1, *range(7)])


@pytest.mark.parametrize("retries", [0, 3])
def test_what_a_used_process_fails_at_is_tried_in_another_before_it_is_believed(fleet, whole, retries):
    fleet.faults({"what": "poison", "first": 4, "name": "a.mp4", "times": 1})
    assert fleet.run(per_gpu=1, retries=retries) == 0
    assert fleet.outputs() == whole
    [retry] = fleet.events.of("retry")
    assert retry["kind"] == "corrupt-input" and retry["task"] == "segment 2"
    assert len(set(entry["pid"] for entry in fleet.log(script="encode"))) == 2


def test_a_process_that_did_much_or_grew_is_replaced(fleet, whole, monkeypatch):
    monkeypatch.setattr(process, "MOST_JOBS", 4)
    monkeypatch.setattr(process, "MOST_GROWTH", 40 << 20)
    fleet.faults({"what": "grow", "bytes": 80 << 20, "first": 4, "name": "b.mp4"})
    assert fleet.run(per_gpu=1) == 0
    assert fleet.outputs() == whole and not fleet.events.of("retry")
    # Six segments of a.mp4, three of b.mp4: after four, and after the second of b.mp4.
    assert list(collections.Counter(entry["pid"] for entry in fleet.log(script="encode")).values()) == [4, 4, 1]


def test_a_process_that_died_between_segments_is_replaced(fleet, whole):
    fleet.faults({"what": "wait", "script": "join"})
    engine = fleet.engine(per_gpu=1)
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    while not fleet.log(script="join"):
        threading.Event().wait(0.05)
    os.kill(fleet.log(script="encode")[-1]["pid"], signal.SIGKILL)
    (fleet.fake / "go").touch()
    thread.join(600)
    fleet.journal.close()
    fleet.executor.close()
    assert codes == [0] and fleet.outputs() == whole and not fleet.events.of("retry")


@pytest.mark.parametrize("free, joins", [(1 << 40, 2), (1, 1)])
def test_joins_at_once_as_the_disk_allows_while_others_encode(fleet, whole, monkeypatch, free, joins):
    fleet.video("c.mp4", frames=30)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setattr(executors, "share_out", lambda *_: (1, [executors.PREPARES] + [executors.FINISHES] * 2))
    monkeypatch.setattr(engine_module.os, "statvfs", lambda _: types.SimpleNamespace(f_bavail=free, f_frsize=1))
    fleet.faults({"what": "wait", "script": "join"})
    engine = fleet.engine()
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    while len(fleet.log(script="join")) < joins or len(fleet.log(script="encode")) < 6 + 3 + 7:
        threading.Event().wait(0.05)
    assert len(fleet.log(script="join")) == joins and engine.joining > 0
    (fleet.fake / "go").touch()
    thread.join(600)
    fleet.journal.close()
    fleet.executor.close()
    assert codes == [0] and len(fleet.log(script="join")) == 3 and engine.joining == 0
    assert {name: fleet.outputs()[name] for name in ("a.mxf", "b.mxf")} == {name: whole[name] for name in ("a.mxf", "b.mxf")}


def test_how_a_host_is_shared_out():
    def counts(*host):
        encoders, others = executors.share_out(*host)
        return encoders, others.count(executors.PREPARES), others.count(executors.FINISHES)
    assert counts(1, 16, 1 << 37, None) == (6, 1, 4)
    assert counts(8, 128, 1 << 40, None) == (6, 1, 32)
    assert counts(8, 128, 5 << 30, None) == (6, 1, 10)
    assert counts(4, 8, 1 << 40, None) == (2, 1, 1)
    assert counts(1, 1, 1 << 30, 3) == (3, 1, 1)


def test_the_model_has_the_defaults(monkeypatch):
    monkeypatch.syspath_prepend(str(pathlib.Path(__file__).parents[1] / "bench"))
    model = importlib.import_module("model")
    assert (model.PROCESSES, model.JOINS, model.FRAMES) == (executors.PER_GPU, executors.JOINS, engine_module.Settings("").segment_frames)
    assert inspect.signature(cli.encode).parameters["segment_frames"].default.default == model.FRAMES


def test_attempts_are_bounded_and_end_the_item_only(fleet, whole):
    fleet.faults({"what": "exit", "first": 4, "name": "a.mp4"})
    assert fleet.run(retries=2) == 1
    assert len(fleet.log(what="exit")) == 3
    [failed] = fleet.events.of("failed")
    assert failed["output"] == "a.mxf"
    assert "segment 1: encode.py ended with exit code 3: something went wrong (attempt 3, the last)" in failed["text"]
    assert fleet.outputs()["b.mxf"] == whole["b.mxf"] and "a.mxf" not in fleet.outputs()
    # Later, what was whole is not done again.
    fleet.faults()
    fleet.forget()
    assert fleet.run() == 0
    assert fleet.outputs() == whole
    assert {entry["path"] for entry in fleet.log(script="encode")} == {str(fleet.inputs / "a.mp4")}
    assert len(fleet.log(script="encode")) < 6


def test_a_corrupt_input_ends_its_item_only(fleet, whole):
    (fleet.inputs / "c.mp4").write_bytes(b"not a video at all" * 100)
    (fleet.inputs / "d.mov").write_bytes(b"")
    fleet.faults({"what": "corrupt-input", "first": 4, "name": "a.mp4"})
    assert fleet.run() == 1
    failed = {entry["output"]: entry for entry in fleet.events.of("failed")}
    assert set(failed) == {"a.mxf", "c.mxf", "d.mxf"}
    assert str(fleet.inputs / "c.mp4") in failed["c.mxf"]["text"] and "empty" in failed["d.mxf"]["text"]
    assert len(fleet.log(what="corrupt-input")) <= 2  # again, if the process had done segments before
    assert fleet.outputs()["b.mxf"] == whole["b.mxf"]


def test_a_full_disk_stops_the_run_which_can_be_resumed(fleet, whole):
    fleet.faults({"what": "disk-full", "first": 12, "name": "a.mp4", "times": 1})
    assert fleet.run() == 3
    [halt] = fleet.events.of("halt")
    assert halt["exit"] == 3 and "disk-full" in halt["text"]
    assert fleet.leftovers() == []
    assert fleet.run() == 0
    assert fleet.outputs() == whole


@pytest.mark.slow
def test_a_target_that_turns_read_only_stops_the_run(fleet, whole):
    fleet.faults({"what": "read-only", "script": "join", "times": 1})
    assert fleet.run() == 3
    assert fleet.run() == 0
    assert fleet.outputs() == whole


@pytest.mark.slow
def test_a_journal_that_cannot_be_written_stops_the_run(fleet, whole, monkeypatch):
    engine = fleet.engine()
    commit, calls = engine.journal.commit, []

    def full():
        calls.append(1)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        commit()

    monkeypatch.setattr(engine.journal, "commit", full)
    assert engine.run() == 3
    fleet.journal.close()
    assert fleet.run() == 0
    assert fleet.outputs() == whole


@pytest.mark.parametrize("what", ["pipeline", "missing-element"])
def test_a_pipeline_that_never_works_stops_the_run(fleet, what):
    for name in "abcdefgh":
        fleet.video(f"{name}.mp4", frames=4)
    fleet.faults({"what": what})
    assert fleet.run() == 2
    assert f"fake {what}" in fleet.events.of("halt")[0]["text"]
    assert len(fleet.log(script="encode")) < 8


def test_an_input_that_the_pipeline_does_not_take_is_no_reason_to_stop(fleet, whole):
    fleet.faults({"what": "refused", "name": "a.mp4"})
    assert fleet.run(per_gpu=1) == 1
    assert fleet.run(per_gpu=1) == 1
    assert fleet.outputs()["b.mxf"] == whole["b.mxf"]
    fleet.faults({"what": "refused"})
    assert fleet.run(per_gpu=1, pipeline="otherenc") == 2


@pytest.mark.slow
def test_a_pipeline_that_refuses_one_input_ends_that_item(fleet, whole):
    fleet.faults({"what": "pipeline", "name": "b.mp4"})
    assert fleet.run(per_gpu=1) == 1
    assert [entry["output"] for entry in fleet.events.of("failed")] == ["b.mxf"]
    assert fleet.outputs()["a.mxf"] == whole["a.mxf"]


def test_gpu_out_of_memory_means_fewer_at_once_there(fleet, whole, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    fleet.faults({"what": "crowded", "most": 2})
    assert fleet.run(per_gpu=5, retries=0) == 0  # none of it is an attempt
    assert fleet.outputs() == whole
    assert {entry["device"] for entry in fleet.log(script="encode")} == {"0", "1"}
    for entry in fleet.events.of("fewer"):
        assert entry["tasks"] >= 2 and entry["device"].rpartition("/")[2] in ("gpu0", "gpu1")


@pytest.mark.slow
def test_gpu_out_of_memory_alone_is_an_attempt(fleet, monkeypatch):
    fleet.video("a.mp4", frames=4)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    fleet.faults({"what": "gpu-memory"})
    assert fleet.run(per_gpu=3, retries=1) == 1
    assert len(fleet.log(what="gpu-memory")) == 2


def test_a_segment_that_changed_on_disk_is_encoded_again(fleet, whole):
    fleet.faults({"what": "disk-full", "script": "join", "times": 1})
    assert fleet.run() == 3
    segments = sorted(fleet.to.glob(".coalesce-fleet/*/segment-*.j2c"))
    for path in (segments[0], segments[-1]):
        data = bytearray(path.read_bytes())
        data[10] ^= 1
        path.write_bytes(data)
    segments[1].write_bytes(segments[1].read_bytes()[:-1])
    fleet.faults()
    fleet.forget()
    assert fleet.run() == 0
    assert fleet.outputs() == whole
    assert len(fleet.log(script="encode")) <= 3 + 9 - len(segments)  # those, and what the first run did not reach
    assert {entry["kind"] for entry in fleet.events.of("retry")} == {"damaged"}


def test_again_does_nothing(fleet, whole):
    assert fleet.run() == 0
    fleet.forget()
    assert fleet.run() == 0
    assert fleet.log() == [] and len(fleet.events.of("kept")) == 2
    assert fleet.outputs() == whole


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"pipeline": "otherenc"}, {"no_audio": True}])
def test_another_job_is_done_anew_and_said(fleet, whole, change):
    assert fleet.run() == 0
    fleet.forget()
    assert fleet.run(**change) == 0
    assert len(fleet.events.of("note")) == 2
    assert len(fleet.log(script="encode")) == 6 + 3
    assert (fleet.outputs() == whole) == ("pipeline" not in change)


def test_a_still_that_is_gone_or_was_changed(fleet):
    fleet.video("a.mp4", frames=10)
    assert fleet.run(container="jp2") == 0
    before, still = fleet.outputs(), fleet.to / "a" / "000003.jp2"
    assert fleet.run(container="jp2") == 0 and len(fleet.events.of("kept")) == 1
    data = still.read_bytes()
    for change in (still.unlink, lambda: still.write_bytes(data[::-1])):
        change()
        assert fleet.run(container="jp2") == 0
        assert "gone or was changed" in fleet.events.of("note")[0]["text"]
        assert fleet.outputs() == before


@pytest.mark.parametrize("change", [{"pipeline": "otherenc"}, pytest.param({"segment_frames": 8}, marks=pytest.mark.slow)])
def test_segments_of_another_job_are_not_used(fleet, whole, change):
    fleet.faults({"what": "disk-full", "script": "join", "times": 1})
    assert fleet.run(per_gpu=1) == 3
    fleet.faults()
    assert fleet.run(**change) == 0
    assert "the segments of before are not used" in fleet.events.of("note")[0]["text"]
    assert (fleet.outputs()["a.mxf"] == whole["a.mxf"]) == ("pipeline" not in change)
    again, fleet.to = fleet.outputs(), fleet.folder / "fresh"
    assert fleet.run(**change) == 0
    assert fleet.outputs() == again


def test_after_an_upgrade_nothing_of_before_is_mixed_in(fleet, whole):
    fleet.faults({"what": "disk-full", "first": 12, "name": "a.mp4", "times": 1})
    assert fleet.run(per_gpu=1) == 3
    fleet.forget()
    (fleet.fake / "made-by").write_text("fake 2")
    assert fleet.run(per_gpu=1) == 0
    assert "begun with fake 1, here is fake 2" in fleet.events.of("note")[0]["text"]
    assert len(fleet.log(script="encode")) == 6 + 3
    again, fleet.to = fleet.outputs(), fleet.folder / "fresh"
    assert fleet.run() == 0
    assert fleet.outputs() == again != whole
    # What is done stays.
    (fleet.fake / "made-by").write_text("fake 3")
    assert fleet.run() == 0
    assert len(fleet.events.of("kept")) == 2
    assert {item["made_by"] for item in fleet.manifest()} == {"fake 2"}


@pytest.mark.parametrize("pipeline, segments", [("fakeenc", 6), ("temporal ! fakeenc", 1)])
def test_an_item_is_cut_unless_its_pipeline_remembers(fleet, pipeline, segments):
    fleet.video("a.mp4")
    assert fleet.run(pipeline=pipeline) == 0
    assert fleet.events.of("planned")[0]["segments"] == segments
    assert len(fleet.events.of("note")) == (segments == 1)


@pytest.mark.slow
def test_another_container_is_another_output(fleet, whole):
    assert fleet.run() == 0
    assert fleet.run(container="jp2") == 0
    assert fleet.outputs()["a.mxf"] == whole["a.mxf"]
    assert [item["output"] for item in fleet.manifest()] == \
        ["a", "a.mxf", "b", "b.mxf"]


@pytest.mark.slow
def test_a_changed_input_is_done_anew(fleet, whole):
    assert fleet.run() == 0
    fleet.forget()
    fleet.video("b.mp4", frames=8)
    assert fleet.run() == 0
    assert {entry["path"] for entry in fleet.log()} == {str(fleet.inputs / "b.mp4")}
    assert fleet.manifest()[1]["frames"] == 8


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gone", "changed"])
def test_an_output_that_is_gone_or_changed_is_made_again(fleet, whole, how):
    assert fleet.run() == 0
    if how == "gone":
        (fleet.to / "a.mxf").unlink()
    else:
        (fleet.to / "a.mxf").write_bytes(b"x")
    assert fleet.run() == 0
    assert fleet.outputs() == whole


def test_a_file_of_somebody_else_is_not_replaced(fleet, whole):
    fleet.to.mkdir()
    (fleet.to / "a.mxf").write_bytes(b"precious")
    assert fleet.run() == 1
    assert fleet.outputs()["a.mxf"] == b"precious" and fleet.outputs()["b.mxf"] == whole["b.mxf"]
    assert "exists and is not of coalesce-fleet" in fleet.events.of("failed")[0]["text"]


def test_an_input_that_changes_meanwhile_fails(fleet):
    video = fleet.video("a.mp4")
    fleet.faults({"what": "wait", "script": "join"})
    engine = fleet.engine()
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    fleet.events.wait_for("segment")
    os.utime(video, ns=(1, 1))
    (fleet.fake / "go").touch()
    thread.join(600)
    fleet.journal.close()
    assert codes == [1] and "changed while it was encoded" in fleet.events.of("failed")[0]["text"]


def test_interrupted_and_resumed(fleet, whole):
    fleet.faults({"what": "wait", "first": 8, "name": "a.mp4"})
    engine = fleet.engine()
    codes = []
    thread = threading.Thread(target=lambda: codes.append(engine.run()))
    thread.start()
    fleet.events.wait_for("segment")
    engine.interrupt()
    thread.join(600)
    fleet.journal.close()
    assert codes == [130] and fleet.leftovers() == []
    fleet.faults()
    fleet.forget()
    assert fleet.run() == 0
    assert fleet.outputs() == whole and len(fleet.log(script="encode")) < 9


def test_verified_before_it_appears(fleet, whole):
    fleet.faults({"what": "verify", "script": "verify", "name": "b.mp4"})
    assert fleet.run(verify=True) == 1
    assert "b.mxf" not in fleet.outputs() and fleet.outputs()["a.mxf"] == whole["a.mxf"]
    assert fleet.manifest()[0]["verified"] == {"psnr": 99.0}


@pytest.mark.slow
def test_a_higher_psnr_is_compared_again(fleet, whole):
    assert fleet.run(verify=True, min_psnr=90.0) == 0
    fleet.forget()
    assert fleet.run(verify=True, min_psnr=99.0) == 0
    assert fleet.log() == []
    assert fleet.run(verify=True, min_psnr=99.5) == 0
    assert {entry["script"] for entry in fleet.log()} == {"verify"}


def test_verified_later(fleet, whole):
    assert fleet.run() == 0
    fleet.forget()
    fleet.faults({"what": "verify", "script": "verify", "name": "b.mp4", "times": 1})
    assert fleet.run(verify=True) == 1
    assert {entry["script"] for entry in fleet.log()} == {"verify"}
    assert fleet.run(verify=True) == 0  # the one that differed is made anew
    assert {entry["output"] for entry in fleet.events.of("kept")} == {"a.mxf"}
    assert fleet.outputs()["b.mxf"] == whole["b.mxf"]


@pytest.mark.slow
def test_items_are_opened_as_they_are_needed(fleet):
    for number in range(12):
        fleet.video(f"{number:02}.mp4", frames=4)
    fleet.faults({"what": "wait", "first": 0})
    engine = fleet.engine(per_gpu=1)
    thread = threading.Thread(target=engine.run)
    thread.start()
    fleet.events.wait_for("planned")
    assert len(engine.open) <= 2 and len(engine.waiting) >= 10
    (fleet.fake / "go").touch()
    thread.join(600)
    fleet.journal.close()
    assert len(fleet.events.of("done")) == 12


def test_what_is_left_out_is_said(fleet):
    media.make(fleet.inputs / "a.mov", "mpeg4", 4, options={}, videos=2)
    assert fleet.run(container="mj2") == 0
    assert [(note["about"], note["text"]) for note in fleet.events.of("note")] == [
        ("streams", "left out, since no output carries them: video stream 1"),
        ("sound", "audio 0: aac is decoded to S16LE")]


def test_results_are_small(fleet, monkeypatch):
    fleet.video("a.mp4", frames=200, group=50)
    sizes = []
    ended = engine_module.Engine._ended

    def measured(self, done):
        sizes.append((len(json.dumps(done.task)), len(json.dumps(done.result))))
        ended(self, done)

    monkeypatch.setattr(engine_module.Engine, "_ended", measured)
    assert fleet.run(segment_frames=100) == 0
    assert sizes and all(task < 1024 and result < 1024 for task, result in sizes)
