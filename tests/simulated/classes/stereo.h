// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity on the simulated driver: frames in either memory.
#pragma once

#include "../../check/stereodisparity/stereo_pair.h"
#include "elements.h"

namespace simulated {

// Of one size and rate, in a memory.
std::string stereo_caps(const char *memory, const char *format, Size size);
// A frame in system memory, or a copy of it on the device, as the nth of its stream.
GstBuffer *in_memory(GstBuffer *frame, GstCudaContext *context, const char *memory,
                     const GstVideoInfo &info, unsigned n);
// What backend=cpu makes of each of these pairs, with these properties, in a format.
std::vector<Bytes> on_cpu(const std::vector<StereoFrames> &frames, const GstVideoInfo &info,
                          const std::string &properties, const char *format = "GRAY16_LE");
// The bytes of a frame that has come out, wherever it is; empty if it cannot be mapped.
Bytes disparities_of(GstBuffer *buffer, Size size, const char *format = "GRAY16_LE");

}  // namespace simulated
