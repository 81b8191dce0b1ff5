// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp-median: NPP's medians with a replicated border. They synchronise, so that no graph can
// hold them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/peers/npp.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

struct Layout {
  const char *name;
  int channels, sample_bytes;
};
constexpr Layout kLayouts[] = {{"GRAY8", 1, 1}, {"RGB", 3, 1}, {"RGBA", 4, 1}, {"GRAY16_LE", 1, 2}};
constexpr int kWindows[] = {3, 5, 7, 9};  // NPP 13.0.1 ends 15x15 with an illegal access

class Median {
 public:
  Median(const Layout &layout, int side, FrameSize size, const NppStreamContext &npp)
      : layout_(layout), side_(side), size_(size), npp_(npp), scratch_(scratch_bytes()) {}

  bool exists() const { return scratch_.size() > 0; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(step()) * static_cast<std::size_t>(size_.height);
  }

  NppStatus run(const Npp8u *in, Npp8u *out) const {
    if (layout_.sample_bytes == 2)
      return call(nppiFilterMedianBorder_16u_C1R_Ctx, reinterpret_cast<const Npp16u *>(in),
                  reinterpret_cast<Npp16u *>(out));
    return call(layout_.channels == 1   ? nppiFilterMedianBorder_8u_C1R_Ctx
                : layout_.channels == 3 ? nppiFilterMedianBorder_8u_C3R_Ctx
                                        : nppiFilterMedianBorder_8u_C4R_Ctx,
                in, out);
  }

  // Looks at some samples, those of the corners among them.
  bool correct(const DeviceMemory &in, const DeviceMemory &out) const {
    std::vector<Npp8u> from(in.size()), to(out.size());
    in.download(from.data());
    out.download(to.data());
    const auto at = [this](const std::vector<Npp8u> &v, int x, int y, int c) {
      std::uint16_t sample = 0;
      std::memcpy(&sample,
                  &v[static_cast<std::size_t>(y) * static_cast<std::size_t>(step()) +
                     static_cast<std::size_t>((x * layout_.channels + c) * layout_.sample_bytes)],
                  static_cast<std::size_t>(layout_.sample_bytes));
      return sample;
    };
    std::vector<std::uint16_t> window(static_cast<std::size_t>(side_ * side_));
    for (int y = 0; y < size_.height; y = next(y, 197, size_.height))
      for (int x = 0; x < size_.width; x = next(x, 189, size_.width))
        for (int c = 0; c < layout_.channels; ++c) {
          for (int i = 0; i < side_ * side_; ++i)
            window[static_cast<std::size_t>(i)] =
                at(from, std::clamp(x + i % side_ - side_ / 2, 0, size_.width - 1),
                   std::clamp(y + i / side_ - side_ / 2, 0, size_.height - 1), c);
          const auto middle = window.begin() + side_ * side_ / 2;
          std::nth_element(window.begin(), middle, window.end());
          if (at(to, x, y, c) != *middle) return false;
        }
    return true;
  }

 private:
  int step() const { return size_.width * layout_.channels * layout_.sample_bytes; }
  NppiSize region() const { return {size_.width, size_.height}; }
  static int next(int i, int step, int size) {
    return i + 1 == size ? size : std::min(i + step, size - 1);
  }

  // 0: NPP has no such window.
  std::size_t scratch_bytes() const {
    Npp32u bytes = 0;
    auto *const function = layout_.sample_bytes == 2
                               ? nppiFilterMedianBorderGetBufferSize_16u_C1R_Ctx
                           : layout_.channels == 1 ? nppiFilterMedianBorderGetBufferSize_8u_C1R_Ctx
                           : layout_.channels == 3 ? nppiFilterMedianBorderGetBufferSize_8u_C3R_Ctx
                                                   : nppiFilterMedianBorderGetBufferSize_8u_C4R_Ctx;
    if (function(region(), {side_, side_}, &bytes, NPP_BORDER_REPLICATE, npp_) != NPP_SUCCESS)
      return 0;
    return std::max<std::size_t>(bytes, 1);
  }

  template <class Function, class Sample>
  NppStatus call(Function *function, const Sample *in, Sample *out) const {
    return function(in, step(), region(), {0, 0}, out, step(), region(), {side_, side_},
                    {side_ / 2, side_ / 2}, scratch_.data(), NPP_BORDER_REPLICATE, npp_);
  }

  Layout layout_;
  int side_;
  FrameSize size_;
  NppStreamContext npp_;
  DeviceMemory scratch_;
};

bool time(Bench *bench, const Layout &layout, int side, FrameSize size,
          const NppStreamContext &npp) {
  const std::string window = std::to_string(side) + "x" + std::to_string(side);
  const std::string name = std::string(layout.name) + " median " + window +
                           ", nppiFilterMedianBorder_" + (layout.sample_bytes == 2 ? "16u" : "8u") +
                           "_C" + std::to_string(layout.channels);
  if (!bench->wants(name, size.width, size.height)) return true;
  const Median median(layout, side, size, npp);
  if (!median.exists()) {
    std::printf("not timed: NPP has no such window: %s\n", name.c_str());
    return true;
  }
  const FrameWork work = {name, size, median.bytes(), median.bytes(), 2 * median.bytes(), false};
  return time_right(
      bench, work,
      [&](const std::uint8_t *in, std::uint8_t *out) { return status_of(median.run(in, out)); },
      [&](const DeviceMemory &in, const DeviceMemory &out) { return median.correct(in, out); });
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp-median", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const FrameSize size : {FrameSize{1920, 1080}, FrameSize{3840, 2160}})
      for (const Layout &layout : kLayouts)
        for (const int side : kWindows)
          right &= time(bench, layout, side, size, npp);
    return right;
  });
}
