# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encodes archives to JPEG 2000 on the GPUs and CPUs of one machine or many."""

__version__ = "0.2.0"
