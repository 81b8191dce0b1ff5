// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for bench-j2k-cuda: planes in device memory, each frame different.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/device.h"

namespace coalesce::test {

struct BenchFrames {
  int width = 0, height = 0;
  int bits = 8;  // more than 8 are in 16
  // Three planes each, one after the other.
  std::vector<DeviceMemory> frames;
  std::vector<std::uint8_t> first;  // on the host, too

  std::size_t pitch() const { return static_cast<std::size_t>(bits > 8 ? 2 * width : width); }
  const std::uint8_t *plane(std::size_t frame, int component) const {
    return frames[frame].data() +
           static_cast<std::size_t>(component) * pitch() * static_cast<std::size_t>(height);
  }
};

// Cut out of a PPM at different places, every other one mirrored; bits: 8, or up to 16, the low
// ones of which are the high ones once more. Throws std::runtime_error.
BenchFrames read_bench_frames(const char *name, int width, int height, int count, int bits = 8);

// Milliseconds of a frame, the mean of each round.
struct PeerResult {
  std::vector<double> single;     // one after the other
  std::vector<double> sustained;  // the best of several numbers of streams
  int streams = 0;                // that number
  double bytes = 0;               // a frame
};

// nvJPEG2000's two coders: of Part 1, and of Part 15 (HTJ2K), which is another codestream.
enum class PeerCoder { part1, ht };
// Without loss, or with the quantiser's step that comes near so many bytes a frame: nvJPEG2000 has
// no target in bytes. False: it is not here, or it failed, which stderr says.
bool nvjpeg2000(const BenchFrames &frames, PeerCoder coder, bool lossless, double bytes,
                PeerResult *result);
std::string nvjpeg2000_version();  // empty: it is not here

}  // namespace coalesce::test
