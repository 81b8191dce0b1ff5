// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of input of a block: copied, with what lies beyond the picture, and interleaved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/load.cuh"
#include "sparse_shape.cuh"

namespace coalesce {

// Of each four rows a warp brings one, by two buffers in turn. `warp` is the same in all lanes, and
// the compiler knows it.
template <class Shape>
class SparseStrip {
 public:
  // x, y: the first byte that is needed; x is a multiple of 8.
  __device__ __forceinline__ SparseStrip(const SparseArgs<Shape> &a, int x, int y, int warp,
                                         SparseShared<Shape> &shared)
      : s_(a.in),
        shared_(shared),
        x_(x),
        start_(x & ~15),
        first_(max(start_, 0)),
        behind_(min(start_ + Shape::kRawBytes, a.in.width + a.right)),
        warp_(warp),
        lane_(threadIdx.x % 32),
        y_(y + warp),
        row_(static_cast<std::ptrdiff_t>(y + warp) * static_cast<std::ptrdiff_t>(a.in.pitch)) {
    const int end = max(min(start_ + Shape::kRawBytes, a.in.width & ~15), first_);
    bytes_ = end - first_;
    has_rim_ = first_ > x || end < behind_;
    rim_[0] = make_rim(rim_at(0), min(first_, behind_));
    rim_[1] = make_rim(rim_at(1), behind_);
  }

  // Starts the copy of the warp's next row, to this buffer: what stood there is read, and fenced.
  __device__ __forceinline__ void load(int buffer) {
    const bool is_inside = static_cast<unsigned>(y_) < static_cast<unsigned>(s_.height);
    const std::ptrdiff_t row = is_inside ? row_ : border_row();
    std::uint8_t *raw = shared_.raw[buffer][warp_];
    const int bytes = row < 0 ? 0 : bytes_;
    BulkBarrier &arrived = shared_.arrived[buffer][warp_];
    if (elect_lane()) {
      arrived.expect(bytes);
      if (bytes > 0) arrived.copy(raw + (first_ - start_), s_.data + row + first_, bytes);
    }
    if (row < 0)
      fill(raw);
    else if (has_rim_)
      read_rim(s_.data + row);
    y_ += kStepRows;
    row_ += kStepRows * static_cast<std::ptrdiff_t>(s_.pitch);
  }

  // Puts what lies beyond the picture, of the row that load() was called for last, to its place:
  // it has been on its way since.
  __device__ __forceinline__ void add_rim(int buffer) {
    if (!has_rim_) return;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (rim_[i].from != kNone)
        shared_.raw[buffer][warp_][rim_at(i) - start_] = static_cast<std::uint8_t>(rim_[i].value);
  }

  // Brings the warp's row from a buffer to the ring, interleaved; `to`: where four rows begin.
  __device__ __forceinline__ void place(int buffer, int parity, int to) const {
    shared_.arrived[buffer][warp_].wait(parity);
    __syncwarp();
    // Half of a band: of its 32 bytes 8 and the 8 that are 16 further on. Lanes go through bands
    // and halves so that eight of them, writing, do not meet in a bank.
    const int half = lane_ % 2, band = lane_ / 2 ^ 4 * half;
    const std::uint8_t *from =
        shared_.raw[buffer][warp_] + (x_ - start_) + kBandBytes * band + 8 * half;
    to += warp_ / 2 * Shape::kPairPitch;
    if (to >= Shape::kRingBytes) to -= Shape::kRingBytes;
    std::uint8_t *out =
        shared_.ring + to + (warp_ % 2 * 2 + half) * Shape::kTermPitch + kBandBytes * band;
    constexpr int kParts = Shape::kEarly ? 1 : 2, kAtOnce = 4 / kParts;  // saves registers
#pragma unroll
    for (int part = 0; part < kParts; ++part, from += 256 * kAtOnce, out += 256 * kAtOnce) {
      uint2 low[kAtOnce], high[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        low[i] = *reinterpret_cast<const uint2 *>(from + 256 * i);
        high[i] = *reinterpret_cast<const uint2 *>(from + 256 * i + kBandBytes);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        *reinterpret_cast<uint4 *>(out + 256 * i) = make_uint4(
            shuffle_bytes(low[i].x, high[i].x, 0x5140), shuffle_bytes(low[i].x, high[i].x, 0x7362),
            shuffle_bytes(low[i].y, high[i].y, 0x5140), shuffle_bytes(low[i].y, high[i].y, 0x7362));
      asm volatile("" ::: "memory");
    }
  }

 private:
  static constexpr int kNone = -2, kConstant = -1;

  // A byte of each row that a lane brings.
  struct Rim {
    int from;  // in the row; or the value stays as it is; or there is no such byte
    std::uint32_t value;
  };

  // Where in the row it belongs: before what is copied, or behind that.
  __device__ __forceinline__ int rim_at(int i) const {
    return (i == 0 ? x_ : first_ + bytes_) + lane_;
  }

  __device__ __forceinline__ Rim make_rim(int x, int end) const {
    if (x >= end) return {kNone, 0};
    const int pixel = (x + kBandBytes * s_.pixel) / s_.pixel - kBandBytes;
    const int byte = x - pixel * s_.pixel;
    const int position = border_position(s_.border, pixel, s_.width / s_.pixel);
    return {position < 0 ? kConstant : position * s_.pixel + byte,
            static_cast<std::uint8_t>(s_.fill >> (8 * byte))};
  }

  __device__ __forceinline__ void read_rim(const std::uint8_t *row) {
#pragma unroll
    for (Rim &rim : rim_)
      if (rim.from >= 0) rim.value = load_global(row + rim.from);
  }

  // Less than 0: all of the row is border.
  __device__ __forceinline__ std::ptrdiff_t border_row() const {
    const int y = border_position(s_.border, y_, s_.height);
    return y < 0 ? -1 : static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * s_.pitch);
  }

  __device__ __forceinline__ void fill(std::uint8_t *raw) {
#pragma unroll 1
    for (int i = x_ + lane_; i < behind_; i += 32)
      raw[i - start_] = static_cast<std::uint8_t>(load_byte(s_, nullptr, i));
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (rim_[i].from != kNone) rim_[i].value = load_byte(s_, nullptr, rim_at(i));
  }

  const TileSource &s_;
  SparseShared<Shape> &shared_;
  int x_, start_;  // of the buffer's first byte
  int first_;      // of the first that is copied
  int behind_;     // columns that are needed end here
  int bytes_;      // that are copied
  int warp_, lane_;
  int y_;               // the next row, and
  std::ptrdiff_t row_;  // where it lies
  bool has_rim_;
  Rim rim_[2];
};

}  // namespace coalesce
