// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp-canny: NPP's Canny with a replicated border. By its documentation a pixel between the
// thresholds looks at two neighbours only, so that edges are not followed: its pictures are others.
#include <algorithm>
#include <vector>

#include "bench/peers/npp.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

struct Work {
  int channels, aperture, low, high;
  bool l2;
};
// Those of bench-kernels.
constexpr Work kWorks[] = {{1, 3, 50, 150, false},    {1, 3, 700, 900, false},
                           {1, 3, 600, 1100, false},  {1, 3, 500, 650, true},
                           {1, 5, 5000, 6500, false}, {3, 3, 700, 900, false}};

class Canny {
 public:
  Canny(const Work &work, FrameSize size, const NppStreamContext &npp)
      : work_(work), size_(size), npp_(npp), scratch_(scratch_bytes()) {}

  std::size_t in_bytes() const { return out_bytes() * static_cast<std::size_t>(work_.channels); }
  std::size_t out_bytes() const {
    return static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
  }

  NppStatus run(const Npp8u *in, Npp8u *out) const {
    auto *const function =
        work_.channels == 1 ? nppiFilterCannyBorder_8u_C1R_Ctx : nppiFilterCannyBorder_8u_C3C1R_Ctx;
    return function(
        in, size_.width * work_.channels, region(), {0, 0}, out, size_.width, region(),
        NPP_FILTER_SOBEL, work_.aperture == 3 ? NPP_MASK_SIZE_3_X_3 : NPP_MASK_SIZE_5_X_5,
        static_cast<Npp16s>(work_.low), static_cast<Npp16s>(work_.high),
        work_.l2 ? nppiNormL2 : nppiNormL1, NPP_BORDER_REPLICATE, scratch_.data(), npp_);
  }

  // There are edges, and nothing else.
  bool correct(const DeviceMemory &out) const {
    std::vector<Npp8u> samples(out.size());
    out.download(samples.data());
    const auto edges = std::count(samples.begin(), samples.end(), 255);
    return edges > 0 &&
           edges + std::count(samples.begin(), samples.end(), 0) == std::ssize(samples);
  }

 private:
  NppiSize region() const { return {size_.width, size_.height}; }
  std::size_t scratch_bytes() const {
    int bytes = 0;
    check(nppiFilterCannyBorderGetBufferSize(region(), &bytes) == NPP_SUCCESS,
          "nppiFilterCannyBorderGetBufferSize");
    return static_cast<std::size_t>(std::max(bytes, 1));
  }

  Work work_;
  FrameSize size_;
  NppStreamContext npp_;
  DeviceMemory scratch_;
};

bool time(Bench *bench, const Work &work, FrameSize size, const NppStreamContext &npp) {
  const std::string name = std::string("canny ") + (work.channels == 1 ? "GRAY8" : "RGB") +
                           ", aperture " + std::to_string(work.aperture) +
                           (work.l2 ? " l2, " : ", ") + std::to_string(work.low) + " and " +
                           std::to_string(work.high) + ", nppiFilterCannyBorder_8u_C" +
                           (work.channels == 1 ? "1R" : "3C1R");
  if (!bench->wants(name, size.width, size.height)) return true;
  const Canny canny(work, size, npp);
  const FrameWork frames = {
      name, size, canny.in_bytes(), canny.out_bytes(), canny.in_bytes() + canny.out_bytes(), false};
  return time_right(
      bench, frames,
      [&](const std::uint8_t *in, std::uint8_t *out) { return status_of(canny.run(in, out)); },
      [&](const DeviceMemory &, const DeviceMemory &out) { return canny.correct(out); });
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp-canny", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const FrameSize size : {FrameSize{1920, 1080}, FrameSize{3840, 2160}})
      for (const Work &work : kWorks)
        right &= time(bench, work, size, npp);
    return right;
  });
}
