// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>

#include "bench/j2k/mq_variants.h"
#include "bench/support/bench.h"
#include "core/thread_pool.h"
#include "j2k/encoder/encoder_plan.h"
#include "j2k/encoder/tile_transform.h"
#include "j2k/tier1/context/context_model.h"
#include "tests/kernels/j2k/tier1/j2k_mq_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr int kComponents = 3;

void model(const EncoderPlan &plan, const BlockPlan &block, const std::int32_t *coefficients,
           MqFrame *frame, std::size_t index) {
  static thread_local ContextModel model;
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

struct Setting {
  const char *text;
  unsigned style;
  int block_log2;
  bool study;  // all variants; else those of mq_variants() that the library chooses from
  int width = 3840, height = 2160;
};
// (The largest has codewords enough to fill a GPU.)
const Setting kSettings[] = {{"j2k-mq 64x64", 0, 6, true},
                             {"j2k-mq 64x64", 0, 6, true, 1920, 1080},
                             {"j2k-mq 64x64", 0, 6, true, 1280, 720},
                             {"j2k-mq 32x32", 0, 5, false},
                             {"j2k-mq 32x32", 0, 5, true, 7680, 4320},
                             {"j2k-mq 64x64 bypass", kBypass, 6, false},
                             {"j2k-mq 64x64 termall+reset", kTermAll | kReset, 6, false}};

// All blocks of a picture, without loss.
MqFrame frame_of(const std::vector<std::uint8_t> &picture, const Setting &setting,
                 ThreadPool *pool) {
  EncoderParams params;
  params.coding.image = {0, 0, setting.width, setting.height};
  params.coding.num_components = kComponents;
  params.coding.block_x = params.coding.block_y = setting.block_log2;
  params.colour_transform = true;
  params.block_style = setting.style;
  EncoderPlan plan;
  Status s = make_plan(params, &plan);
  require(s.ok(), s.message());
  Samples samples[kComponents];
  for (int c = 0; c < kComponents; ++c) {
    samples[c].data = picture.data() + static_cast<std::size_t>(c) * picture.size() / kComponents;
    samples[c].pitch = static_cast<std::size_t>(setting.width);
  }
  std::vector<std::int32_t> coefficients(plan.coefficients);
  TileTransform transform;
  s = transform.prepare(plan, pool);
  if (s.ok()) s = transform.run(plan, plan.tiles[0], samples, coefficients.data(), pool);
  require(s.ok(), s.message());

  MqFrame frame;
  frame.plan = plan.blocks;
  frame.style = setting.style;
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

void time_setting(Bench &bench, const Backend &backend, const Setting &setting, ThreadPool *pool) {
  const MqFrame input = frame_of(bench.picture(setting.width, setting.height), setting, pool);
  MqFrame expected = input;
  code_by_pass_coder(&expected);
  std::size_t bytes = input.symbol_count();
  for (const CodedBlock &block : expected.coded)
    bytes += block.length;
  std::printf("%s, %dx%d: %zu blocks, %zu symbols, %zu in the longest\n", setting.text,
              setting.width, setting.height, input.plan.size(), input.symbol_count(),
              longest(input));
  MqFrame frame = input;
  const DeviceMqFrame device(&frame);
  const DeviceMemory from(bytes), to(bytes);
  for (const MqVariant &variant : mq_variants()) {
    if (!(setting.study && bench.variants()) && !variant.candidate) continue;
    if (!bench.wants_variant(variant.name)) continue;
    const Status s = device.run(variant.run);
    require(s.ok(), s.message());
    device_synchronize();
    device.download(&frame);
    const std::string wrong = difference(frame, expected);
    require(wrong.empty(), std::string(variant.name) + ": " + wrong);
    bench.time(backend, {setting.text, variant.name, setting.width, setting.height, 1, bytes,
                         [&](int) {
                           const Status status = device.run(variant.run);
                           require(status.ok(), status.message());
                         },
                         [&](int) { device_copy_async(to.data(), from.data(), bytes / 2); }});
  }
}

void time_all(Bench &bench, const Backend &backend) {
  if (!backend.cuda) return;
  ThreadPool pool;
  for (const Setting &setting : kSettings)
    if (bench.wants(setting.text, setting.width, setting.height))
      time_setting(bench, backend, setting, &pool);
}

std::vector<VariantTrial> variant_trials() {
  std::vector<VariantTrial> trials;
  for (const MqVariant &v : mq_variants())
    trials.push_back({v.name, [&v](Random &random, int index, const Backend &backend) {
                        return j2k_mq_trial({{v.name, v.run}}, random, index, backend);
                      }});
  return trials;
}

}  // namespace

BenchCase j2k_mq_bench() {
  return {"j2k-mq", time_all, variant_trials, true};
}

}  // namespace coalesce::test
