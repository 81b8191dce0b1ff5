// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "../support/data.h"
#include "core/thread_pool.h"
#include "j2k/encoder_plan.h"
#include "j2k/mq_variants.h"
#include "j2k/parallel_model.h"
#include "j2k/tile_transform.h"
#include "j2k_mq_bench.h"
#include "j2k_mq_frames.h"
#include "j2k_plain_picture.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr int kWidth = 3840, kHeight = 2160, kComponents = 3;

struct Source {
  PlainPicture picture;
  bool colour;
};

Source photograph() {
  const char *path = std::getenv("COALESCE_PHOTOGRAPH");
  const std::string own = test_data("photograph_128x128.pgm");
  Source source = {read_pnm(path != nullptr ? path : own.c_str()), path != nullptr};
  require(source.picture.components == (source.colour ? kComponents : 1), "no such photograph");
  return source;
}

int mirrored(int x, int size) {
  const int place = x % (2 * size);
  return place < size ? place : 2 * size - 1 - place;
}

std::vector<std::uint8_t> component_of(const Source &source, int component) {
  const PlainPicture &p = source.picture;
  const auto plane = static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height);
  const int shift = source.colour ? 0 : 37 * component;
  std::vector<std::uint8_t> samples;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      samples.push_back(
          p.samples[(source.colour ? static_cast<std::size_t>(component) * plane : 0) +
                    static_cast<std::size_t>(mirrored(y + shift, p.height) * p.width +
                                             mirrored(x + 2 * shift, p.width))]);
  return samples;
}

void model(const EncoderPlan &plan, const BlockPlan &block, const std::int32_t *coefficients,
           MqFrame *frame, std::size_t index) {
  static thread_local ParallelModel model;
  static thread_local std::vector<std::uint8_t> symbols(kMaxPassSymbols);
  const unsigned style = frame->style;
  const int planes =
      model.begin({coefficients + block.coefficient, static_cast<std::ptrdiff_t>(block.pitch),
                   block.width, block.height, plan.fraction_bits, block.max_planes, block.band,
                   static_cast<std::uint8_t>(style)});
  frame->planes[index] = static_cast<std::uint8_t>(planes);
  PassSymbols *made = &frame->made[block.first_pass];
  std::uint8_t *at = &frame->symbols[block.first_symbol];
  for (int i = 0; i < 3 * planes - 2; ++i) {
    const int plane = planes - 1 - (i + 2) / 3;
    const auto type = static_cast<PassType>((i + 2) % 3);
    const bool raw = pass_is_raw(style, planes, plane, type);
    made[i] = type == PassType::significance ? model.significance(plane, raw, symbols.data())
              : type == PassType::refinement ? model.refinement(plane, raw, symbols.data())
                                             : model.cleanup(plane, symbols.data());
    at = std::copy_n(symbols.begin(), made[i].count, at);
  }
}

// All blocks of a picture, without loss.
MqFrame frame_of(const Source &source, unsigned style, int block_log2, ThreadPool *pool) {
  EncoderParams params;
  params.coding.image = {0, 0, kWidth, kHeight};
  params.coding.num_components = kComponents;
  params.coding.block_x = params.coding.block_y = block_log2;
  params.colour_transform = source.colour;
  params.block_style = style;
  EncoderPlan plan;
  Status s = make_plan(params, &plan);
  require(s.ok(), s.message());
  std::vector<std::uint8_t> planes[kComponents];
  Samples samples[kComponents];
  for (int c = 0; c < kComponents; ++c) {
    planes[c] = component_of(source, c);
    samples[c].data = planes[c].data();
    samples[c].pitch = kWidth;
  }
  std::vector<std::int32_t> coefficients(plan.coefficients);
  TileTransform transform;
  s = transform.prepare(plan, pool);
  if (s.ok()) s = transform.run(plan, plan.tiles[0], samples, coefficients.data(), pool);
  require(s.ok(), s.message());

  MqFrame frame;
  frame.plan = plan.blocks;
  frame.style = style;
  frame.planes.resize(plan.blocks.size());
  frame.made.resize(plan.passes);
  frame.symbols.resize((plan.symbols + kSymbolsPadding + 15) / 16 * 16);
  for_ranges(pool, static_cast<int>(plan.blocks.size()), 1, [&](int first, int last) {
    for (int b = first; b < last; ++b)
      model(plan, plan.blocks[static_cast<std::size_t>(b)], coefficients.data(), &frame,
            static_cast<std::size_t>(b));
  });
  frame.make_room();
  return frame;
}

std::size_t longest(const MqFrame &frame) {
  std::size_t most = 0;
  for (std::size_t b = 0; b < frame.plan.size(); ++b) {
    std::size_t count = 0;
    for (int i = 0; i < 3 * frame.planes[b] - 2; ++i)
      count += static_cast<std::size_t>(
          frame.made[frame.plan[b].first_pass + static_cast<std::size_t>(i)].count);
    most = std::max(most, count);
  }
  return most;
}

struct Setting {
  const char *text;
  unsigned style;
  int block_log2;
  bool study;  // all variants; else those of mq_variants() that the library chooses from
};
const Setting kSettings[] = {{"j2k-mq 64x64", 0, 6, true},
                             {"j2k-mq 32x32", 0, 5, false},
                             {"j2k-mq 64x64 bypass", kBypass, 6, false},
                             {"j2k-mq 64x64 termall+reset", kTermAll | kReset, 6, false}};

void time_setting(Bench &bench, const Backend &backend, const Source &source,
                  const Setting &setting, ThreadPool *pool) {
  const MqFrame input = frame_of(source, setting.style, setting.block_log2, pool);
  MqFrame expected = input;
  code_by_pass_coder(&expected);
  std::size_t bytes = input.symbol_count();
  for (const CodedBlock &block : expected.coded)
    bytes += block.length;
  std::printf("%s: %zu blocks, %zu symbols, %zu in the longest\n", setting.text, input.plan.size(),
              input.symbol_count(), longest(input));
  for (const int count : {1, 2, 10}) {
    std::vector<MqFrame> frames(static_cast<std::size_t>(count), input);
    const DeviceMqFrames device(frames);
    const DeviceMemory from(static_cast<std::size_t>(count) * bytes),
        to(static_cast<std::size_t>(count) * bytes);
    for (const MqVariant &variant : mq_variants()) {
      if (!setting.study && !variant.candidate) continue;
      const Status s = device.run(variant.run, count);
      require(s.ok(), s.message());
      device_synchronize();
      device.download(frames);
      for (const MqFrame &frame : frames) {
        const std::string wrong = difference(frame, expected);
        require(wrong.empty(), std::string(variant.name) + ": " + wrong);
      }
      bench.time(backend,
                 {std::string(setting.text) + ", " + std::to_string(count), variant.name, kWidth,
                  kHeight, 1, static_cast<std::size_t>(count) * bytes,
                  [&](int) {
                    const Status status = device.run(variant.run, count);
                    require(status.ok(), status.message());
                  },
                  [&](int) { device_copy_async(to.data(), from.data(), bytes * count / 2); }});
    }
  }
}

}  // namespace

void j2k_mq_bench(Bench &bench, const Backend &backend) {
  if (!backend.cuda) return;
  ThreadPool pool;
  const Source source = photograph();
  for (const Setting &setting : kSettings)
    if (bench.wants(setting.text, kWidth, kHeight))
      time_setting(bench, backend, source, setting, &pool);
}

}  // namespace coalesce::test
