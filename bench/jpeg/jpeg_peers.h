// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for bench-jpeg, and the encoders that it compares with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coalesce::test {

enum class JpegInput { yuv420, yuv444, rgb };

// Planes of Y, Cb and Cr without padding, or one of R, G and B by turns.
struct JpegFrame {
  JpegInput input = JpegInput::yuv420;
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;

  int shift() const { return input == JpegInput::yuv420 ? 1 : 0; }
  int plane_width(int p) const { return p == 0 ? width : (width + shift()) >> shift(); }
  int plane_height(int p) const { return p == 0 ? height : (height + shift()) >> shift(); }
  std::size_t plane_at(int p) const;
};

// libjpeg(-turbo) on one thread, with SIMD instructions if it has them. RGB becomes 4:2:0. The
// bytes of the file.
class LibjpegEncoder {
 public:
  static bool is_there();
  ~LibjpegEncoder();
  std::size_t encode(const JpegFrame &frame, int quality);

 private:
  unsigned char *file_ = nullptr;
  unsigned long room_ = 0;
};

// The same, from files to the samples of each component. Bad files end the program.
class LibjpegDecoder {
 public:
  static bool is_there();
  void decode(const std::vector<std::uint8_t> &file);

 private:
  std::vector<std::uint8_t> samples_;
};

struct PeerTimes {
  std::vector<double> alone_ms, ms;  // of a frame, one after the other; in several streams
  int streams = 0;
  double bytes = 0;
};
// nvJPEG, planes in device memory to files in page-locked host memory. False: it is not here, or it
// failed, which stderr says.
bool nvjpeg(const std::vector<JpegFrame> &frames, int quality, PeerTimes *times);
// GPUJPEG, the same; its files have the restart markers that it needs.
bool gpujpeg(const std::vector<JpegFrame> &frames, int quality, PeerTimes *times);

struct DecodingPeer {
  const char *name;
  PeerTimes times;
};
// nvJPEG's back ends that can, a file in host memory to planes in device memory.
std::vector<DecodingPeer> nvjpeg_decode(const std::vector<std::uint8_t> &file);
// GPUJPEG, where the file has restart markers enough for its decoder on the GPU.
std::vector<DecodingPeer> gpujpeg_decode(const std::vector<std::uint8_t> &file);

}  // namespace coalesce::test
