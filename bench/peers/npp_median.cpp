// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp-median: NPP's medians. They read around the picture, so a margin of it is in memory.
#include <algorithm>
#include <vector>

#include "bench/peers/npp.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

struct Layout {
  const char *name;
  int channels, bytes;  // of a pixel, of a sample
};
constexpr Layout kLayouts[] = {{"GRAY8", 1, 1}, {"RGB", 3, 1}, {"RGBA", 4, 1}, {"GRAY16_LE", 1, 2}};

class Median {
 public:
  Median(const Layout &layout, int side, FrameSize size, const NppStreamContext &npp)
      : layout_(layout), side_(side), size_(size), npp_(npp), room_(room_bytes()) {}

  std::string name() const {
    const std::string side = std::to_string(side_);
    return std::string("median ") + side + "x" + side + " " + layout_.name + ", nppiFilterMedian_" +
           (layout_.bytes == 1 ? "8u" : "16u") + "_C" + std::to_string(layout_.channels);
  }

  int pixel() const { return layout_.channels * layout_.bytes; }
  int in_step() const { return (size_.width + side_ - 1) * pixel(); }
  int out_step() const { return size_.width * pixel(); }
  std::size_t in_bytes() const { return bytes(in_step(), size_.height + side_ - 1); }
  std::size_t out_bytes() const { return bytes(out_step(), size_.height); }

  NppStatus run(const std::uint8_t *in, std::uint8_t *out) const {
    const int anchor = side_ / 2;
    const NppiSize size = {size_.width, size_.height}, mask = {side_, side_};
    const auto call = [&](auto *function, const auto *from, auto *to) {
      return function(from, in_step(), to, out_step(), size, mask, {anchor, anchor}, room_.data(),
                      npp_);
    };
    in += static_cast<std::ptrdiff_t>(anchor) * in_step() + anchor * pixel();
    if (layout_.bytes == 2)
      return call(nppiFilterMedian_16u_C1R_Ctx, reinterpret_cast<const Npp16u *>(in),
                  reinterpret_cast<Npp16u *>(out));
    return call(layout_.channels == 1   ? nppiFilterMedian_8u_C1R_Ctx
                : layout_.channels == 3 ? nppiFilterMedian_8u_C3R_Ctx
                                        : nppiFilterMedian_8u_C4R_Ctx,
                in, out);
  }

  // Looks at some samples.
  bool correct(const DeviceMemory &in, const DeviceMemory &out) const {
    std::vector<std::uint8_t> from(in.size()), to(out.size());
    in.download(from.data());
    out.download(to.data());
    const auto at = [this](const std::vector<std::uint8_t> &v, int step, int x, int y, int c) {
      const std::uint8_t *sample =
          v.data() + static_cast<std::size_t>(y) * step + x * pixel() + c * layout_.bytes;
      return layout_.bytes == 1 ? *sample : sample[0] | sample[1] << 8;
    };
    std::vector<int> window;
    for (int y = 0; y < size_.height; y += 191)
      for (int x = 0; x < size_.width; x += 173)
        for (int c = 0; c < layout_.channels; ++c) {
          window.clear();
          for (int j = 0; j < side_; ++j)
            for (int i = 0; i < side_; ++i)
              window.push_back(at(from, in_step(), x + i, y + j, c));
          const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
          std::nth_element(window.begin(), middle, window.end());
          if (at(to, out_step(), x, y, c) != *middle) return false;
        }
    return true;
  }

 private:
  static std::size_t bytes(int step, int rows) {
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(rows);
  }

  std::size_t room_bytes() const {
    Npp32u bytes = 0;
    const auto ask = [&](auto *function) {
      return function({size_.width, size_.height}, {side_, side_}, &bytes, npp_);
    };
    const NppStatus status =
        ask(layout_.bytes == 2      ? nppiFilterMedianGetBufferSize_16u_C1R_Ctx
            : layout_.channels == 1 ? nppiFilterMedianGetBufferSize_8u_C1R_Ctx
            : layout_.channels == 3 ? nppiFilterMedianGetBufferSize_8u_C3R_Ctx
                                    : nppiFilterMedianGetBufferSize_8u_C4R_Ctx);
    check(status == NPP_SUCCESS, "nppiFilterMedianGetBufferSize");
    return std::max<std::size_t>(bytes, 1);
  }

  Layout layout_;
  int side_;
  FrameSize size_;
  NppStreamContext npp_;
  DeviceMemory room_;
};

bool time(Bench *bench, const Layout &layout, int side, FrameSize size,
          const NppStreamContext &npp) {
  const Median median(layout, side, size, npp);
  const FrameWork work = {median.name(), size, median.in_bytes(), median.out_bytes(),
                          2 * median.out_bytes()};
  if (!bench->wants(work.operation, size.width, size.height)) return true;
  const FrameRun run = [&](const std::uint8_t *in, std::uint8_t *out) {
    return status_of(median.run(in, out));
  };
  DeviceMemory in(work.in_bytes), out(work.out_bytes);
  in.fill_random(1);
  const Status status = run(in.data(), out.data());
  device_synchronize();
  if (!status.ok() || !median.correct(in, out)) {
    std::printf("not timed: %s: %s\n", status.ok() ? "samples differ" : status.message(),
                work.operation.c_str());
    return false;
  }
  time_frames(*bench, npp_backend(), work, run);
  return true;
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp-median", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const FrameSize &size : {kCudaSizes[0], kCudaSizes[1]})
      for (const Layout &layout : kLayouts)
        for (const int side : {3, 5, 7, 9, 15})
          right &= time(bench, layout, side, size, npp);
    return right;
  });
}
