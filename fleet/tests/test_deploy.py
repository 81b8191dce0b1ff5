# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files for Slurm and Kubernetes: the batch script with programs in place of Slurm's and Ray's, the RayJob's values."""

import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys

import pytest
import typer

from coalesce_fleet import cli

DEPLOY = pathlib.Path(__file__).parents[1] / "deploy"
SBATCH = DEPLOY / "slurm" / "coalesce-fleet.sbatch"
# Each logs its call. srun runs the command, `ray start` ends by a signal, scontrol knows the nodes.
PROGRAM = """#!{python}
import json, os, signal, sys
name, arguments = os.path.basename(sys.argv[0]), sys.argv[1:]
if name == "hostname":
    print("10.1.2.3 fe80::1")
    sys.exit()
with open(os.environ["LOG"], "a") as file:
    file.write(json.dumps({{"name": name, "arguments": arguments, "pid": os.getpid(), "token": os.environ.get("RAY_AUTH_TOKEN")}}) + "\\n")
if name == "srun":
    command = arguments
    while command[0].startswith("-"):
        command = command[2 if command[0] == "-w" else 1:]
    os.execvp(command[0], command)
elif name == "ray" and arguments[0] == "start":
    signal.pause()
elif name == "ray":
    sys.exit(not any('"start", "--head"' in line for line in open(os.environ["LOG"])))
elif name == "scontrol" and arguments[0] == "show":
    print("n1", "n2", "n3", sep="\\n")
elif name == "coalesce-fleet" and os.environ["CODE"] == "wait":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    print("encoding", flush=True)
    signal.pause()
elif name == "coalesce-fleet":
    nodes = int(os.environ["SLURM_JOB_NUM_NODES"])
    while nodes > 1 and sum('"ray", "arguments": ["start"' in line for line in open(os.environ["LOG"])) < nodes:
        pass
    sys.exit(int(os.environ["CODE"]))
"""


class Job:
    def __init__(self, folder, nodes, code):
        self.log = folder / "log.jsonl"
        programs = folder / "bin"
        programs.mkdir()
        for name in ("srun", "scontrol", "ray", "coalesce-fleet", "hostname"):
            (programs / name).write_text(PROGRAM.format(python=sys.executable))
            (programs / name).chmod(0o755)
        self.process = subprocess.Popen(
            ["bash", SBATCH, "/in", "--to", "/out dir"], stdout=subprocess.PIPE, text=True,
            env={"PATH": f"{programs}:/usr/bin:/bin", "LOG": str(self.log), "CODE": code, "SLURM_JOB_NUM_NODES": str(nodes),
                 "SLURM_JOB_ID": "40123", "SLURM_JOB_NODELIST": "n[1-3]"})

    def calls(self, name):
        return [call for call in map(json.loads, self.log.read_text().splitlines()) if call["name"] == name]


def is_running(process):
    try:
        return b"ray" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def test_slurm_one_node(tmp_path):
    job = Job(tmp_path, 1, "3")
    assert job.process.wait(60) == 3
    [driver] = job.calls("coalesce-fleet")
    assert driver["arguments"] == ["encode", "--engine", "processes", "/in", "--to", "/out dir"]
    assert not job.calls("srun") and not job.calls("scontrol")


def test_slurm_several_nodes(tmp_path):
    job = Job(tmp_path, 3, "0")
    assert job.process.wait(60) == 0
    [driver] = job.calls("coalesce-fleet")
    assert driver["arguments"] == ["encode", "--address", "10.1.2.3:20123", "/in", "--to", "/out dir"]
    nodes = {call["arguments"][call["arguments"].index("-w") + 1] for call in job.calls("srun") if "start" in call["arguments"]}
    head, *others = [call for call in job.calls("ray") if call["arguments"][0] == "start"]
    assert nodes == {"n1", "n2", "n3"} and "--head" in head["arguments"] and "--port=20123" in head["arguments"]
    assert [call["arguments"] for call in others] == [["start", "--address=10.1.2.3:20123", "--block"]] * 2
    assert {call["token"] for call in (head, *others, driver)} == {driver["token"]} and re.fullmatch("[0-9a-f]{64}", driver["token"])
    while any(is_running(call["pid"]) for call in (head, *others)):  # the cluster ends with the job
        pass


@pytest.mark.parametrize("nodes", [1, 3])
def test_slurm_before_the_time_limit(tmp_path, nodes):
    job = Job(tmp_path, nodes, "wait")
    assert job.process.stdout.readline() == "encoding\n"
    job.process.send_signal(signal.SIGTERM)
    assert job.process.wait(60) == 130
    assert job.calls("scontrol")[-1]["arguments"] == ["requeue", "40123"]


def test_slurm_without_the_fleet(tmp_path):
    done = subprocess.run(["/bin/bash", SBATCH], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 2 and "FLEET_ENV" in done.stderr


def test_kubernetes():
    yaml = pytest.importorskip("yaml")
    claim, job = yaml.safe_load_all((DEPLOY / "kubernetes" / "rayjob.yaml").read_text())
    cluster = job["spec"]["rayClusterSpec"]
    [installed] = re.findall(r"ray\[default\]==([\d.]+)", (DEPLOY / "kubernetes" / "Containerfile").read_text())
    assert cluster["rayVersion"] == installed
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
        assert pod["containers"][0]["volumeMounts"][0]["name"] == pod["volumes"][0]["name"]
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
    program, command, *arguments = shlex.split(job["spec"]["entrypoint"])
    parsed = typer.main.get_command(cli.app).commands[command].make_context(command, arguments).params
    assert program == "coalesce-fleet" and (parsed["inputs"], parsed["to"], parsed["address"]) == (["/archive/in"], "/archive/out", "auto")
