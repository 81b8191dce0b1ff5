# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scripts that the Python with GStreamer's bindings runs by their paths."""
