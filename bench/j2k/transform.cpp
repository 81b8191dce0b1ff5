// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/support/frames.h"
#include "j2k/encoder/tile_transform.h"
#include "j2k/encoder/transform_tables.h"
#include "j2k/transform/cuda/transform_cuda.h"
#include "tests/kernels/j2k/transform/j2k_transform_trial.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

using namespace j2k;

enum class Format { grey8, planar8, packed8, packed8x, p010 };

struct Kind {
  const char *text;
  Format format;
  Wavelet wavelet;
  int levels, tile;
};

constexpr Wavelet k53 = Wavelet::reversible_53, k97 = Wavelet::irreversible_97;
// (Differences between numbers of levels are what a level takes.)
const Kind kKinds[] = {
    {"j2k-transform 5/3, 8-bit 4:4:4, 1 level", Format::planar8, k53, 1, 0},
    {"j2k-transform 5/3, 8-bit 4:4:4, 2 levels", Format::planar8, k53, 2, 0},
    {"j2k-transform 5/3, 8-bit 4:4:4, 3 levels", Format::planar8, k53, 3, 0},
    {"j2k-transform 5/3, 8-bit 4:4:4, 4 levels", Format::planar8, k53, 4, 0},
    {"j2k-transform 5/3, 8-bit 4:4:4, 5 levels", Format::planar8, k53, 5, 0},
    {"j2k-transform 9/7, 8-bit 4:4:4, 1 level", Format::planar8, k97, 1, 0},
    {"j2k-transform 9/7, 8-bit 4:4:4, 5 levels", Format::planar8, k97, 5, 0},
    {"j2k-transform 5/3, RGB", Format::packed8, k53, 5, 0},
    {"j2k-transform 9/7, RGB", Format::packed8, k97, 5, 0},
    {"j2k-transform 5/3, RGBx", Format::packed8x, k53, 5, 0},
    {"j2k-transform 9/7, RGBx", Format::packed8x, k97, 5, 0},
    {"j2k-transform 5/3, P010", Format::p010, k53, 5, 0},
    {"j2k-transform 9/7, P010", Format::p010, k97, 5, 0},
    {"j2k-transform 5/3, grey", Format::grey8, k53, 5, 0},
    {"j2k-transform 9/7, grey", Format::grey8, k97, 5, 0},
    {"j2k-transform 9/7, tiles of 512", Format::planar8, k97, 5, 512},
    {"j2k-transform 9/7, tiles of 128", Format::planar8, k97, 5, 128},
};

EncoderPlan plan_of(const Kind &kind, FrameSize size) {
  EncoderParams params;
  CodingParams &coding = params.coding;
  coding.image = {0, 0, size.width, size.height};
  coding.tile_width = coding.tile_height = kind.tile;
  coding.num_components = kind.format == Format::grey8 ? 1 : 3;
  coding.levels = kind.levels;
  params.wavelet = kind.wavelet;
  params.colour_transform = coding.num_components == 3 && kind.format != Format::p010;
  if (kind.format == Format::p010) {
    for (Component &c : coding.component)
      c.bits = 10;
    for (std::size_t c = 1; c < 3; ++c)
      coding.component[c].dx = coding.component[c].dy = 2;
  }
  EncoderPlan plan;
  const Status s = make_plan(params, &plan);
  require(s.ok(), s.message());
  return plan;
}

std::size_t in_bytes(const Kind &kind, FrameSize size) {
  const auto samples = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  switch (kind.format) {
    case Format::grey8:
      return samples;
    case Format::packed8x:
      return 4 * samples;
    case Format::planar8:
    case Format::packed8:
    case Format::p010:
      break;
  }
  return 3 * samples;
}

void set_samples(const Kind &kind, FrameSize size, const std::uint8_t *in, Samples *samples) {
  const auto width = static_cast<std::size_t>(size.width);
  const std::size_t plane = width * static_cast<std::size_t>(size.height);
  const int step = kind.format == Format::packed8 ? 3 : kind.format == Format::packed8x ? 4 : 1;
  for (int c = 0; c < 3; ++c) {
    Samples &s = samples[c];
    s = {};
    s.data = step == 1 ? in + static_cast<std::size_t>(c) * plane : in;
    s.pitch = width * static_cast<std::size_t>(step);
    s.first = step == 1 ? 0 : c;
    s.step = step;
    if (kind.format != Format::p010) continue;
    s.data = c == 0 ? in : in + 2 * plane;
    s.pitch = 2 * width;
    s.container = Container::u16;
    s.shift = 6;
    s.bits = 10;
    s.first = c == 2 ? 1 : 0;
    s.step = c == 0 ? 1 : 2;
  }
}

FrameWork work_of(const Kind &kind, FrameSize size, const EncoderPlan &plan) {
  const std::size_t out = plan.coefficients * sizeof(std::int32_t);
  return {kind.text, size, in_bytes(kind, size), out, in_bytes(kind, size) + out};
}

std::int32_t *coefficients(std::uint8_t *out) {
  return reinterpret_cast<std::int32_t *>(out);
}

void bench_on_device(Bench &bench, const Backend &backend, const Kind &kind, FrameSize size) {
  if (!bench.wants(kind.text, size.width, size.height)) return;
  const EncoderPlan plan = plan_of(kind, size);
  const TransformPlan cuda = transform_plan(plan);
  DeviceMemory tiles(cuda.tiles.size() * sizeof(TransformTile));
  DeviceMemory scratch(cuda.scratch_bytes + 1);
  tiles.upload(cuda.tiles.data());
  time_frames(
      bench, backend, work_of(kind, size, plan), [&](const std::uint8_t *in, std::uint8_t *out) {
        Samples samples[3];
        set_samples(kind, size, in, samples);
        return transform_cuda(cuda, reinterpret_cast<const TransformTile *>(tiles.data()), samples,
                              coefficients(out), scratch.data(), backend.queue().stream());
      });
}

void bench_on_cpu(Bench &bench, const Backend &backend, const Kind &kind, FrameSize size) {
  if (!bench.wants(kind.text, size.width, size.height)) return;
  const EncoderPlan plan = plan_of(kind, size);
  TileTransform transform;
  const Status prepared = transform.prepare(plan, backend.pool);
  require(prepared.ok(), prepared.message());
  time_frames(
      bench, backend, work_of(kind, size, plan), [&](const std::uint8_t *in, std::uint8_t *out) {
        Samples samples[3];
        set_samples(kind, size, in, samples);
        for (const TilePlan &tile : plan.tiles)
          if (Status s = transform.run(plan, tile, samples, coefficients(out), backend.pool);
              !s.ok())
            return s;
        return Status();
      });
}

void time_all(Bench &bench, const Backend &backend) {
  constexpr FrameSize kUhd = {3840, 2160}, kHd = {1920, 1080}, kSmall = {512, 512};
  for (const Kind &kind : kKinds) {
    const bool grey = kind.format == Format::grey8;
    if (!backend.cuda) {
      if (kind.levels == 5) bench_on_cpu(bench, backend, kind, kHd);
      if (grey) bench_on_cpu(bench, backend, kind, kSmall);
      continue;
    }
    bench_on_device(bench, backend, kind, kUhd);
    if (grey || (kind.format == Format::planar8 && kind.levels == 5))
      bench_on_device(bench, backend, kind, kHd);
    if (grey) bench_on_device(bench, backend, kind, kSmall);
  }
}

}  // namespace

BenchCase j2k_transform_bench() {
  return {"j2k-transform", time_all};
}

}  // namespace coalesce::test
