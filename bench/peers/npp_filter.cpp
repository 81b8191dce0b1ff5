// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp-filter: NPP's convolutions of 8-bit pictures with a replicated border: by masks, and by
// a row and a column with a picture between them. Rows are without padding. Of two interleaved
// channels, the chroma of NV12, NPP has the mask of floats alone.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/peers/npp.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

enum class Way {
  mask_8u,   // nppiFilterBorder_8u: integers
  mask_32f,  // nppiFilterBorder32f_8u
  rows_8u,   // nppiFilterRowBorder_8u, nppiFilterColumnBorder_8u
  rows_32f,  // the same of floats
  gauss,     // nppiFilterGaussAdvancedBorder_8u: its coefficients are symmetric
};
const char *const kFunctions[] = {
    "nppiFilterBorder_8u", "nppiFilterBorder32f_8u", "nppiFilterRow/ColumnBorder_8u",
    "nppiFilterRow/ColumnBorder32f_8u", "nppiFilterGaussAdvancedBorder_8u"};

bool is_mask(Way way) {
  return way == Way::mask_8u || way == Way::mask_32f;
}

// Symmetric, so that it makes no difference which way round it is laid; all sums are positive.
// In device memory, where the kernels that read them run. (Before 23 November 2026 they were in
// page-locked host memory.)
class Coefficients {
 public:
  Coefficients(std::size_t count, bool real) : count_(count) {
    for (std::size_t i = 0; i < count; ++i)
      sum_ += value(i);
    std::vector<Npp32s> integers;
    std::vector<Npp32f> reals;
    for (std::size_t i = 0; i < count; ++i) {
      integers.push_back(value(i));
      reals.push_back(static_cast<float>(value(i)) / static_cast<float>(sum_));
    }
    static_assert(sizeof(Npp32s) == 4 && sizeof(Npp32f) == 4);
    check(cudaMalloc(&data_, 4 * count) == cudaSuccess, "cudaMalloc");
    const void *from = real ? static_cast<const void *>(reals.data()) : integers.data();
    check(cudaMemcpy(data_, from, 4 * count, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
  }
  ~Coefficients() { (void)cudaFree(data_); }
  Coefficients(const Coefficients &) = delete;
  Coefficients &operator=(const Coefficients &) = delete;

  int value(std::size_t i) const {
    const int k = static_cast<int>(std::min(i, count_ - 1 - i));
    return 1 + (k * 37 + k * k * 11) % 9;
  }
  int sum() const { return sum_; }
  const Npp32s *integers() const { return static_cast<const Npp32s *>(data_); }
  const Npp32f *reals() const { return static_cast<const Npp32f *>(data_); }

 private:
  std::size_t count_;
  void *data_ = nullptr;
  int sum_ = 0;
};

struct Layout {
  const char *name;
  int channels;  // of the first plane
  bool chroma;   // a second plane of half the size, of two channels
};
constexpr Layout kGray = {"GRAY8", 1, false}, kNv12 = {"NV12", 1, true}, kRgb = {"RGB", 3, false},
                 kRgba = {"RGBA", 4, false};

struct PlaneShape {
  int width, height, channels;
  std::size_t offset;
  int step() const { return width * channels; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(step()) * static_cast<std::size_t>(height);
  }
};

std::vector<PlaneShape> planes_of(const Layout &layout, FrameSize size) {
  std::vector<PlaneShape> planes = {{size.width, size.height, layout.channels, 0}};
  if (layout.chroma) planes.push_back({size.width / 2, size.height / 2, 2, planes[0].bytes()});
  return planes;
}

struct Pass {
  const Npp8u *in;
  Npp8u *out;
  PlaneShape plane;
  NppStreamContext npp;

  NppiSize size() const { return {plane.width, plane.height}; }
};
constexpr NppiBorderType kBorder = NPP_BORDER_REPLICATE;

NppStatus by_mask(const Pass &p, int side, const Coefficients &c, bool real) {
  const int step = p.plane.step(), anchor = side / 2;
  const auto ints = [&](auto *function) {
    return function(p.in, step, p.size(), {0, 0}, p.out, step, p.size(), c.integers(), {side, side},
                    {anchor, anchor}, c.sum(), kBorder, p.npp);
  };
  const auto floats = [&](auto *function) {
    return function(p.in, step, p.size(), {0, 0}, p.out, step, p.size(), c.reals(), {side, side},
                    {anchor, anchor}, kBorder, p.npp);
  };
  if (!real)
    return ints(p.plane.channels == 1   ? nppiFilterBorder_8u_C1R_Ctx
                : p.plane.channels == 3 ? nppiFilterBorder_8u_C3R_Ctx
                                        : nppiFilterBorder_8u_C4R_Ctx);
  return floats(p.plane.channels == 1   ? nppiFilterBorder32f_8u_C1R_Ctx
                : p.plane.channels == 2 ? nppiFilterBorder32f_8u_C2R_Ctx
                : p.plane.channels == 3 ? nppiFilterBorder32f_8u_C3R_Ctx
                                        : nppiFilterBorder32f_8u_C4R_Ctx);
}

// The function for so many channels.
template <class Function>
Function of_channels(int channels, Function one, Function three, Function four) {
  return channels == 1 ? one : channels == 3 ? three : four;
}

NppStatus by_row_or_column(const Pass &p, bool column, int taps, const Coefficients &c, bool real) {
  const int step = p.plane.step(), channels = p.plane.channels;
  if (real) {
    auto *const function =
        column ? of_channels(channels, nppiFilterColumnBorder32f_8u_C1R_Ctx,
                             nppiFilterColumnBorder32f_8u_C3R_Ctx,
                             nppiFilterColumnBorder32f_8u_C4R_Ctx)
               : of_channels(channels, nppiFilterRowBorder32f_8u_C1R_Ctx,
                             nppiFilterRowBorder32f_8u_C3R_Ctx, nppiFilterRowBorder32f_8u_C4R_Ctx);
    return function(p.in, step, p.size(), {0, 0}, p.out, step, p.size(), c.reals(), taps, taps / 2,
                    kBorder, p.npp);
  }
  auto *const function =
      column ? of_channels(channels, nppiFilterColumnBorder_8u_C1R_Ctx,
                           nppiFilterColumnBorder_8u_C3R_Ctx, nppiFilterColumnBorder_8u_C4R_Ctx)
             : of_channels(channels, nppiFilterRowBorder_8u_C1R_Ctx, nppiFilterRowBorder_8u_C3R_Ctx,
                           nppiFilterRowBorder_8u_C4R_Ctx);
  return function(p.in, step, p.size(), {0, 0}, p.out, step, p.size(), c.integers(), taps, taps / 2,
                  c.sum(), kBorder, p.npp);
}

NppStatus by_gauss(const Pass &p, int taps, const Coefficients &c) {
  const int step = p.plane.step();
  auto *const function = of_channels(p.plane.channels, nppiFilterGaussAdvancedBorder_8u_C1R_Ctx,
                                     nppiFilterGaussAdvancedBorder_8u_C3R_Ctx,
                                     nppiFilterGaussAdvancedBorder_8u_C4R_Ctx);
  return function(p.in, step, p.size(), {0, 0}, p.out, step, p.size(), taps, c.reals(), kBorder,
                  p.npp);
}

// A way of filtering pictures of a layout.
class Filter {
 public:
  Filter(const Layout &layout, Way way, int side)
      : layout_(layout),
        way_(way),
        side_(side),
        coefficients_(static_cast<std::size_t>(is_mask(way) ? side * side : side),
                      way != Way::mask_8u && way != Way::rows_8u) {
    if (layout.chroma)
      chroma_mask_ = std::make_unique<Coefficients>(static_cast<std::size_t>(side * side), true);
  }

  std::string name() const {
    const std::string taps = std::to_string(side_);
    std::string name = std::string(layout_.name) +
                       (is_mask(way_) ? " " + taps + "x" + taps : " separable " + taps) + ", " +
                       kFunctions[static_cast<int>(way_)] + "_C" + std::to_string(layout_.channels);
    if (layout_.chroma) name += ", chroma by nppiFilterBorder32f_8u_C2";
    return name;
  }

  NppStatus run(const Npp8u *in, Npp8u *between, Npp8u *out, FrameSize size,
                const NppStreamContext &npp) const {
    for (const PlaneShape &plane : planes_of(layout_, size)) {
      const Pass pass = {in + plane.offset, out + plane.offset, plane, npp};
      const NppStatus status =
          plane.channels == 2 ? by_mask(pass, side_, *chroma_mask_, true) : luma(pass, between);
      if (status != NPP_SUCCESS) return status;
    }
    return NPP_SUCCESS;
  }

  // Looks at some samples, those of the corners among them. NPP cuts fractions off, twice where
  // there is a picture between.
  bool correct(FrameSize size, const DeviceMemory &in, const DeviceMemory &out) const {
    std::vector<Npp8u> from(in.size()), to(out.size());
    in.download(from.data());
    out.download(to.data());
    for (const PlaneShape &plane : planes_of(layout_, size)) {
      const auto at = [&plane](const std::vector<Npp8u> &v, int x, int y, int c) -> double {
        return v[plane.offset + static_cast<std::size_t>(y) * plane.step() +
                 static_cast<std::size_t>(x * plane.channels + c)];
      };
      const bool mask = is_mask(way_) || plane.channels == 2;
      const Coefficients &k = plane.channels == 2 ? *chroma_mask_ : coefficients_;
      const double divisor = mask ? k.sum() : 1.0 * k.sum() * k.sum();
      for (int y = 0; y < plane.height; y = next(y, 97, plane.height))
        for (int x = 0; x < plane.width; x = next(x, 89, plane.width))
          for (int c = 0; c < plane.channels; ++c) {
            double sum = 0;
            for (int i = 0; i < side_; ++i)
              for (int j = 0; j < side_; ++j)
                sum += weight(k, mask, i, j) *
                       at(from, std::clamp(x + j - side_ / 2, 0, plane.width - 1),
                          std::clamp(y + i - side_ / 2, 0, plane.height - 1), c);
            if (std::abs(at(to, x, y, c) - sum / divisor) > (mask ? 1.1 : 2.1)) return false;
          }
    }
    return true;
  }

 private:
  NppStatus luma(const Pass &pass, Npp8u *between) const {
    if (is_mask(way_)) return by_mask(pass, side_, coefficients_, way_ == Way::mask_32f);
    if (way_ == Way::gauss) return by_gauss(pass, side_, coefficients_);
    const bool real = way_ == Way::rows_32f;
    Pass row = pass, column = pass;
    row.out = between;
    column.in = between;
    const NppStatus status = by_row_or_column(row, false, side_, coefficients_, real);
    return status == NPP_SUCCESS ? by_row_or_column(column, true, side_, coefficients_, real)
                                 : status;
  }
  double weight(const Coefficients &k, bool mask, int i, int j) const {
    return mask ? k.value(static_cast<std::size_t>(i * side_ + j))
                : 1.0 * k.value(static_cast<std::size_t>(i)) * k.value(static_cast<std::size_t>(j));
  }
  static int next(int i, int step, int size) {
    return i + 1 == size ? size : std::min(i + step, size - 1);
  }

  Layout layout_;
  Way way_;
  int side_;
  Coefficients coefficients_;
  std::unique_ptr<Coefficients> chroma_mask_;
};

bool time(Bench *bench, const Layout &layout, Way way, int side, FrameSize size,
          const NppStreamContext &npp) {
  const Filter filter(layout, way, side);
  std::size_t bytes = 0;
  for (const PlaneShape &plane : planes_of(layout, size))
    bytes += plane.bytes();
  const FrameWork work = {filter.name(), size, bytes, bytes, 2 * bytes};
  if (!bench->wants(work.operation, size.width, size.height)) return true;
  const DeviceMemory between(bytes);
  const FrameRun run = [&](const std::uint8_t *in, std::uint8_t *out) {
    return status_of(filter.run(in, between.data(), out, size, npp));
  };
  DeviceMemory in(bytes), out(bytes);
  in.fill_random(1);
  const Status status = run(in.data(), out.data());
  device_synchronize();
  if (!status.ok() || !filter.correct(size, in, out)) {
    std::printf("not timed: %s: %s\n", status.ok() ? "samples differ" : status.message(),
                work.operation.c_str());
    return false;
  }
  time_frames(*bench, npp_backend(), work, run);
  return true;
}

bool time_layout(Bench *bench, const Layout &layout, FrameSize size, const NppStreamContext &npp) {
  bool right = true;
  for (int side : {3, 5, 7, 9, 15}) {
    if (!layout.chroma) right &= time(bench, layout, Way::mask_8u, side, size, npp);
    right &= time(bench, layout, Way::mask_32f, side, size, npp);
  }
  for (int taps : {5, 7, 13, 15, 19, 25, 31, 43, 61})
    for (const Way way : {Way::rows_8u, Way::rows_32f, Way::gauss})
      right &= time(bench, layout, way, taps, size, npp);
  return right;
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp-filter", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const FrameSize &size : kCudaSizes)
      for (const Layout &layout : {kGray, kNv12, kRgb, kRgba})
        right &= time_layout(bench, layout, size, npp);
    return right;
  });
}
