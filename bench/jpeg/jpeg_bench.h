// SPDX-License-Identifier: LGPL-2.1-or-later
// What the files of bench-jpeg share.
#pragma once

#include <stdexcept>

#include "bench/jpeg/jpeg_peers.h"
#include "bench/support/results.h"
#include "jpeg/plan/encoder_params.h"
#include "picture/image.h"

namespace coalesce::test {

struct JpegOptions {
  const char *picture = nullptr;
  int quality = 90, width = 3840, height = 2160;
  bool once = false;  // on the GPU, for a profiler: see bench/support/profile.h
};

inline void must(const Status &status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

const char *name_of(JpegInput input);
// data: of the frame, on the host or on the device.
ConstImage image_of(const JpegFrame &frame, const std::uint8_t *data);
jpeg::EncoderParams params_of(const JpegFrame &frame, const JpegOptions &options);
void report(const JpegOptions &options, JpegInput input, const char *encoder, const char *how,
            const std::vector<double> &ms, double bytes, Results *results);

// Ours, nvJPEG and GPUJPEG; in a build without CUDA: nothing.
void time_cuda(const std::vector<JpegFrame> &frames, const JpegOptions &options, Results *results);

}  // namespace coalesce::test
