// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp-bilateral: NPP's bilateral filters, with a replicated border. Pictures of one bright
// pixel show that their window is square (ours is round, which has 21 of its 25 pixels at radius
// 2), and that results are cut off.
#include <algorithm>
#include <cmath>
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
constexpr Layout kLayouts[] = {{"RGB", 3, 1}, {"GRAY8", 1, 1}, {"GRAY16_LE", 1, 2}};
constexpr int kRadii[] = {1, 2, 3, 4, 5, 9};
constexpr double kSigmaRange = 25;  // of 8 bits; sigma of space is the radius

class Filter {
 public:
  Filter(const Layout &layout, int radius, FrameSize size, const NppStreamContext &npp)
      : layout_(layout), radius_(radius), size_(size), npp_(npp) {}

  std::size_t bytes() const {
    return static_cast<std::size_t>(step()) * static_cast<std::size_t>(size_.height);
  }

  NppStatus run(const Npp8u *in, Npp8u *out) const {
    if (layout_.sample_bytes == 2)
      return call(nppiFilterBilateralGaussBorder_16u_C1R_Ctx, reinterpret_cast<const Npp16u *>(in),
                  reinterpret_cast<Npp16u *>(out));
    return call(layout_.channels == 1 ? nppiFilterBilateralGaussBorder_8u_C1R_Ctx
                                      : nppiFilterBilateralGaussBorder_8u_C3R_Ctx,
                in, out);
  }

  // Looks at some pixels, those of the corners among them. NPP's manual does not define the
  // distance of colours: sums, roots of squares and maxima of differences are tried.
  bool correct(const DeviceMemory &in, const DeviceMemory &out) const {
    std::vector<Npp8u> from(in.size()), to(out.size());
    in.download(from.data());
    out.download(to.data());
    double least = 1e9;
    for (const Distance distance : {Distance::sum, Distance::root, Distance::maximum})
      least = std::min(least, difference(from, to, distance));
    const double allowed = layout_.sample_bytes == 2 ? 64 : 2;
    if (least > allowed)
      std::printf("%s radius %d: off by %.1f at least, whatever the distance\n", layout_.name,
                  radius_, least);
    return least <= allowed;
  }

 private:
  enum class Distance { sum, root, maximum };

  int step() const { return size_.width * layout_.channels * layout_.sample_bytes; }
  double sigma_range() const { return kSigmaRange * (layout_.sample_bytes == 2 ? 257 : 1); }
  NppiSize region() const { return {size_.width, size_.height}; }
  static int next(int i, int step, int size) {
    return i + 1 == size ? size : std::min(i + step, size - 1);
  }

  double at(const std::vector<Npp8u> &v, int x, int y, int c) const {
    x = std::clamp(x, 0, size_.width - 1), y = std::clamp(y, 0, size_.height - 1);
    std::uint16_t sample = 0;
    std::memcpy(&sample,
                &v[static_cast<std::size_t>(y) * static_cast<std::size_t>(step()) +
                   static_cast<std::size_t>((x * layout_.channels + c) * layout_.sample_bytes)],
                static_cast<std::size_t>(layout_.sample_bytes));
    return sample;
  }

  double distance_of(const std::vector<Npp8u> &v, int x, int y, int i, int j, Distance kind) const {
    double sum = 0, squares = 0, most = 0;
    for (int c = 0; c < layout_.channels; ++c) {
      const double d = std::abs(at(v, x + i, y + j, c) - at(v, x, y, c));
      sum += d, squares += d * d, most = std::max(most, d);
    }
    return kind == Distance::sum ? sum : kind == Distance::root ? std::sqrt(squares) : most;
  }

  // The largest one from the definition, of a result rounded or cut off.
  double difference(const std::vector<Npp8u> &from, const std::vector<Npp8u> &to,
                    Distance kind) const {
    double worst = 0;
    for (int y = 0; y < size_.height; y = next(y, 197, size_.height))
      for (int x = 0; x < size_.width; x = next(x, 189, size_.width)) {
        double weights = 0, sums[3] = {};
        for (int j = -radius_; j <= radius_; ++j)
          for (int i = -radius_; i <= radius_; ++i) {
            const double d = distance_of(from, x, y, i, j, kind) / sigma_range();
            const double r = std::sqrt(i * i + j * j) / radius_;
            const double w = std::exp(-(d * d + r * r) / 2);
            weights += w;
            for (int c = 0; c < layout_.channels; ++c)
              sums[c] += w * at(from, x + i, y + j, c);
          }
        for (int c = 0; c < layout_.channels; ++c)
          worst = std::max(worst, std::abs(at(to, x, y, c) - sums[c] / weights));
      }
    return worst;
  }

  template <class Function, class Sample>
  NppStatus call(Function *function, const Sample *in, Sample *out) const {
    const auto sigma = static_cast<Npp32f>(sigma_range()), space = static_cast<Npp32f>(radius_);
    return function(in, step(), region(), {0, 0}, out, step(), region(), radius_, 1, sigma * sigma,
                    space * space, NPP_BORDER_REPLICATE, npp_);
  }

  Layout layout_;
  int radius_;
  FrameSize size_;
  NppStreamContext npp_;
};

bool time(Bench *bench, const Layout &layout, int radius, FrameSize size,
          const NppStreamContext &npp) {
  const std::string name = std::string(layout.name) + " bilateral radius " +
                           std::to_string(radius) + ", nppiFilterBilateralGaussBorder_" +
                           (layout.sample_bytes == 2 ? "16u" : "8u") + "_C" +
                           std::to_string(layout.channels);
  if (!bench->wants(name, size.width, size.height)) return true;
  const Filter filter(layout, radius, size, npp);
  const FrameWork work = {name, size, filter.bytes(), filter.bytes(), 2 * filter.bytes(), false};
  return time_right(
      bench, work,
      [&](const std::uint8_t *in, std::uint8_t *out) { return status_of(filter.run(in, out)); },
      [&](const DeviceMemory &in, const DeviceMemory &out) { return filter.correct(in, out); });
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp-bilateral", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const FrameSize size : {FrameSize{1920, 1080}, FrameSize{3840, 2160}})
      for (const Layout &layout : kLayouts)
        for (const int radius : kRadii)
          right &= time(bench, layout, radius, size, npp);
    return right;
  });
}
