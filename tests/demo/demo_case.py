# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the demo share: running it, and the command line `TEST BUILD_FOLDER`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEMO = ROOT / "scripts" / "demo.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))


class DemoCase(unittest.TestCase):
    build = None  # Meson's build folder

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="coalesce-demo-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def run_demo(cls, *arguments):
        """Runs the demo in the folder; its standard output and standard error are text."""
        command = [sys.executable, str(DEMO), "--build", str(cls.build), *map(str, arguments)]
        environment = dict(os.environ, GST_REGISTRY_1_0=str(cls.folder / "registry"))
        return subprocess.run(command, cwd=cls.folder, env=environment, text=True,
                              errors="surrogateescape", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)


def main():
    DemoCase.build = pathlib.Path(sys.argv.pop(1)).resolve()
    result = unittest.main(verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
