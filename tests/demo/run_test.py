#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""./run in a folder of its own, with programs in place of meson and ninja that write down what they are asked to do."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

import demo_case

# A failure is a file of this name, and its text the message. A trial is a setup in any other folder.
MESON = """#!/bin/bash
case "$1 $2" in
  'introspect --tests') echo '[{"name": "median-cuda"}]' && exit ;;
  'setup --reconfigure') what=reconfigure ;;
  'setup --wipe') what=wipe ;;
  *) what=trial ;;
esac
echo "$what begins" >>"$CALLS"
if [ "$what" = reconfigure ]; then sleep 0.5; fi
echo "$what ends" >>"$CALLS"
! cat "$FAILURES/$what" 2>/dev/null
"""
NINJA = """#!/bin/bash
echo "ninja begins" >>"$CALLS"
[ ! -e "$FAILURES/daemon" ] || sleep 5 >/dev/null 2>&1 &
sleep 0.5
echo "ninja ends" >>"$CALLS"
"""


class Run(demo_case.DemoCase):
    def setUp(self):
        self.root = self.folder / self.id().rsplit(".", 1)[-1]
        (self.root / "build" / "meson-private").mkdir(parents=True)
        (self.root / "build" / "meson-private" / "coredata.dat").touch()
        shutil.copy(demo_case.ROOT / "run", self.root)
        for name in ("scripts", "tests"):
            (self.root / name).symlink_to(demo_case.ROOT / name)
        self.bin, self.failures, self.calls = self.root / "bin", self.root / "failures", self.root / "calls"
        self.failures.mkdir()
        self.bin.mkdir()
        self.program("meson", MESON)
        self.program("ninja", NINJA)
        self.environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}", CALLS=str(self.calls),
                                FAILURES=str(self.failures))
        self.environment.pop("COALESCE_LOCKED", None)

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(self, *words, **environment):
        return subprocess.Popen([self.root / "run", "--no-install", *words], env=dict(self.environment, **environment),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self, process, status=0):
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, output)
        return output

    def called(self):
        return re.findall(r"(\w+) begins\n\1 ends\n", self.calls.read_text())

    def test_two_at_once(self):
        both = [self.start("build"), self.start("build")]
        waited = sum("another ./run uses build/: waiting for it to end" in self.end(process) for process in both)
        self.assertEqual(waited, 1)
        self.assertEqual(self.called(), ["reconfigure", "ninja"] * 2)
        self.assertEqual(len(self.calls.read_text().splitlines()), 8)

    def test_a_daemon_does_not_keep_the_lock(self):
        (self.failures / "daemon").touch()
        self.end(self.start("build"))
        self.assertNotIn("waiting", self.end(self.start("build")))

    def test_a_run_of_a_run_does_not_wait(self):
        self.program("ninja", NINJA + '[ -n "$INNER" ] || INNER=yes "$ROOT/run" --no-install build\n')
        self.end(self.start("build", ROOT=str(self.root)))
        self.assertEqual(self.called()[2:], ["reconfigure", "ninja"])

    def test_without_locks(self):
        for status in (127, 71, 1):  # no flock; a file system without locks; that with busybox's
            self.program("flock", f"#!/bin/sh\nexit {status}\n")
            self.end(self.start("build"))

    def refused_without_wiping(self, text):
        (self.failures / "reconfigure").write_text(text)
        self.assertIn(text, self.end(self.start("build"), 1))
        self.assertNotIn("wipe", self.called())

    def test_another_meson(self):
        self.refused_without_wiping("ERROR: Some other Meson process is already using this build directory. Exiting.\n")

    def test_sources_that_no_folder_can_build(self):
        (self.failures / "trial").write_text("a trial is silent")
        self.refused_without_wiping("meson.build:1:0: ERROR: unknown function\n")

    def test_a_folder_of_another_meson(self):
        (self.failures / "reconfigure").write_text("ERROR: Build directory has been generated with Meson version 0.1")
        self.assertIn("build/ cannot be configured again, and is made anew", self.end(self.start("build")))
        self.assertEqual(self.called(), ["reconfigure", "trial", "wipe", "ninja"])

    @unittest.skipUnless(pathlib.Path("/usr/bin/python3").exists(), "there is no /usr/bin/python3")
    def test_scripts_have_the_interpreter_that_was_checked(self):
        self.program("python3", "#!/bin/sh\necho another interpreter\nexit 9\n")
        output = self.end(self.start("test", "nosuch"), 1)
        self.assertIn("no test has the name 'nosuch'", output)
        self.assertNotIn("another interpreter", output)
        self.assertNotIn("similar", output)

    def test_similar_names_of_tests(self):
        for name in ("median", "medain-cuda"):
            self.assertIn("similar: median-cuda;", self.end(self.start("test", name), 1))

    def test_fuzz_names_the_wrong_argument(self):
        self.assertIn("not 'abc'", self.end(self.start("fuzz", "abc"), 2).splitlines()[0])
        self.assertIn("no target abc", self.end(self.start("fuzz", "1", "abc"), 1))


if __name__ == "__main__":
    demo_case.main()
