#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs docs/examples/cuda_arrays.py on a GPU; skipped where neither PyTorch nor CuPy finds one.

usage: gpu_arrays.py EXAMPLE
"""
import importlib
import os
import subprocess
import sys


def usable(name):
    try:
        library = importlib.import_module(name)
        return library.cuda.is_available() if name == "torch" else library.cuda.runtime.getDeviceCount() > 0
    except Exception:  # pylint: disable=broad-except (CuPy has an error of its own)
        return False


if not usable("torch") and not usable("cupy"):
    print("SKIP: neither PyTorch nor CuPy finds a GPU")
    sys.exit(77)
done = subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.PIPE, text=True, env=os.environ)
print(done.stdout)
if done.returncode != 0 or "memory:CUDAMemory" not in done.stdout:
    sys.exit("the example failed, or did not run in CUDA memory")
