// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back ends of convolve, median, bilateral and canny for opencv.py.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bilateral/bilateral.h"
#include "canny/canny.h"
#include "convolve/planes.h"
#include "core/thread_pool.h"
#include "median/median.h"
#include "picture/formats.h"

namespace {

struct Bench {
  explicit Bench(int threads) : pool(threads) {}
  coalesce::ThreadPool pool;
  coalesce::Filter filter;
  int median = 0;                   // its size; 0: another operation
  const char *bilateral = nullptr;  // the format of pictures
  coalesce::Bilateral weights;
  const char *canny = nullptr;  // the format of pictures
  coalesce::CannyParams canny_params;
  std::vector<std::uint64_t> scratch;
  coalesce::Queue queue() { return coalesce::Queue::cpu(pool.threads() > 1 ? &pool : nullptr); }
};

coalesce::Status find_edges(Bench *bench, const std::uint8_t *in, std::uint8_t *out, int width,
                            int height) {
  const coalesce::PixelFormat format = coalesce::pixel_format(bench->canny);
  const int row = width * format.component[0].step;
  // (Two words, one of which is aligned to 16 bytes.)
  bench->scratch.resize(
      std::max(bench->scratch.size(), coalesce::canny_scratch_bytes(width, height) / 8 + 2));
  void *scratch = bench->scratch.data();
  std::size_t room = 8 * bench->scratch.size();
  std::align(16, room - 8, scratch, room);
  return canny(bench->canny_params,
               {format, width, height, false, {{in, row, height, static_cast<std::size_t>(row)}}},
               {coalesce::pixel_format("GRAY8"),
                width,
                height,
                false,
                {{out, width, height, static_cast<std::size_t>(width)}}},
               bench->queue(), scratch);
}

}  // namespace

extern "C" {

// 8 bits, correlation with the values as they are: a mask of height rows, or if vertical is not
// null, a row of width values across and one of height down. Null if there is no such filter.
Bench *bench_open(const double *values, int width, const double *vertical, int height,
                  int threads) {
  coalesce::FilterSettings settings;
  settings.correlate = true;
  settings.normalize = false;
  if (vertical != nullptr) {
    settings.horizontal.assign(values, values + width);
    settings.vertical.assign(vertical, vertical + height);
  } else {
    settings.mask = {width, height, std::vector<double>(values, values + width * height)};
  }
  auto *bench = new Bench(threads);
  coalesce::FilterError error;
  if (make_filter(settings, {8, 0}, &bench->filter, &error)) return bench;
  std::fprintf(stderr, "%s %s\n", error.property.c_str(), error.text.c_str());
  delete bench;
  return nullptr;
}

Bench *bench_open_median(int size, int threads) {
  auto *bench = new Bench(threads);
  bench->median = size;
  return bench;
}

// channels: 1, or 3 interleaved ones.
Bench *bench_open_bilateral(int radius, double sigma_space, double sigma_range, int channels,
                            int threads) {
  auto *bench = new Bench(threads);
  bench->bilateral = channels == 1 ? "GRAY8" : "RGB";
  if (make_bilateral({radius, sigma_space, sigma_range}, coalesce::pixel_format(bench->bilateral),
                     &bench->weights)
          .ok())
    return bench;
  delete bench;
  return nullptr;
}

Bench *bench_open_canny(double low, double high, int aperture, int l2, int channels, int threads) {
  auto *bench = new Bench(threads);
  bench->canny = channels == 1 ? "GRAY8" : "RGB";
  bench->canny_params = {low, high, aperture, l2 != 0};
  return bench;
}

void bench_close(Bench *bench) {
  delete bench;
}

// Grey, for bilateral and Canny with their channels, without gaps between the rows; replicated
// borders. 0 if all went well.
int bench_run(Bench *bench, const std::uint8_t *in, std::uint8_t *out, int width, int height) {
  const auto pitch = static_cast<std::size_t>(width);
  coalesce::Status s;
  if (bench->canny != nullptr) {
    s = find_edges(bench, in, out, width, height);
  } else if (bench->bilateral != nullptr) {
    const coalesce::PixelFormat format = coalesce::pixel_format(bench->bilateral);
    const int row = width * format.component[0].step;
    coalesce::BilateralParams params;
    params.bilateral = &bench->weights;
    s = bilateral(
        params, {format, width, height, false, {{in, row, height, static_cast<std::size_t>(row)}}},
        {format, width, height, false, {{out, row, height, static_cast<std::size_t>(row)}}},
        bench->queue());
  } else if (bench->median != 0) {
    coalesce::MedianParams params;
    params.width = params.height = bench->median;
    const coalesce::PixelFormat grey = coalesce::pixel_format("GRAY8");
    s = median(params, {grey, width, height, false, {{in, width, height, pitch}}},
               {grey, width, height, false, {{out, width, height, pitch}}}, bench->queue());
  } else {
    coalesce::ConvolveParams params;
    params.filter = &bench->filter;
    coalesce::ConvolvePlanes image;
    image.plane[0].in = {in, width, height, pitch};
    image.plane[0].out = {out, width, height, pitch};
    s = convolve_planes(params, image, bench->queue());
  }
  if (!s.ok()) std::fprintf(stderr, "%s\n", s.message());
  return s.ok() ? 0 : 1;
}

}  // extern "C"
