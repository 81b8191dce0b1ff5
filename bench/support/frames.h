// SPDX-License-Identifier: LGPL-2.1-or-later
// Timing what turns one picture into another: sizes, buffers, and the copy that it is set against.
#pragma once

#include <span>

#include "bench/support/bench.h"
#include "core/status.h"
#include "picture/image.h"

namespace coalesce::test {

struct FrameSize {
  int width;
  int height;
};
inline constexpr FrameSize kCudaSizes[] = {
    {1920, 1080}, {3840, 2160}, {4096, 4096}, {16384, 16384}};
inline constexpr FrameSize kCpuSizes[] = {{1920, 1080}, {3840, 2160}};
inline std::span<const FrameSize> sizes_of(const Backend &backend) {
  return backend.cuda ? std::span<const FrameSize>(kCudaSizes) : kCpuSizes;
}

// Bytes from one row to the next in a benchmark's pictures.
constexpr std::size_t padded(std::size_t row_bytes) {
  return (row_bytes + 255) / 256 * 256;
}

// A picture whose planes follow each other. more: bytes by which addresses and rows are not
// aligned.
template <class Byte>
ImageOf<Byte> picture_at(Byte *data, const PixelFormat &format, FrameSize size,
                         bool interlaced = false, std::size_t more = 0) {
  ImageOf<Byte> image = {format, size.width, size.height, interlaced, {}};
  data += more;
  for (int p = 0; p < format.planes; ++p) {
    const auto row = static_cast<std::size_t>(row_bytes(format, p, size.width));
    const std::size_t pitch = padded(row) + more;
    image.plane[p] = {data, static_cast<int>(row), plane_rows(format, p, size.height), pitch};
    // Of planes that are not aligned each address is odd by as much.
    data += padded(pitch * static_cast<std::size_t>(image.plane[p].height));
  }
  return image;
}

struct PictureBytes {
  std::size_t all = 0, useful = 0;  // with the padding of rows, and without
};
PictureBytes picture_bytes(const PixelFormat &format, FrameSize size, std::size_t more = 0);

struct FrameWork {
  std::string operation;
  FrameSize size;
  std::size_t in_bytes;                    // of memory, with the padding of rows
  std::size_t out_bytes;                   // the same
  std::size_t useful_bytes;                // that must be read and written, without the padding
  bool captured = true;                    // see Timing
  std::vector<std::uint8_t> content = {};  // of each input, in_bytes; none: noise
};
using FrameRun = std::function<Status(const std::uint8_t *in, std::uint8_t *out)>;

struct FrameVariant {
  const char *name;
  FrameRun run;
};

// On CUDA or on the CPU, with buffers of its own.
void time_frames(Bench &bench, const Backend &backend, const FrameWork &work, const FrameRun &run);

// On CUDA: each variant, or only the first; they must give the same bytes as the first. Others than
// the first may refuse.
void time_variants(Bench &bench, const Backend &backend, const FrameWork &work,
                   const std::vector<FrameVariant> &variants);

// On CUDA: throws unless a run gives the bytes of one in host memory.
void compare_with_cpu(const FrameWork &work, const FrameRun &on_device, const FrameRun &on_cpu);

}  // namespace coalesce::test
