// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/support/bench.h"
#include "j2k/encoder/rate_control.h"
#include "tests/kernels/j2k/pcrd/j2k_rate_placed.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Kind {
  const char *text;
  int layers, turns;  // turns: that are enough
};
const Kind kKinds[] = {{"j2k-rate, 1 layer", 1, 6}, {"j2k-rate, 8 layers", 8, 40}};

void must(const Status &s) {
  require(s.ok(), s.message());
}

// 2 bits per pixel.
MadeBlocks blocks_of(const Kind &kind) {
  EncoderParams e;
  e.coding.image = {0, 0, 3840, 2160};
  e.coding.num_components = 3;
  e.colour_transform = true;
  e.wavelet = Wavelet::irreversible_97;
  e.base_step = fine_base_step(true);
  e.layers = kind.layers;
  Random random(4);
  std::vector<std::uint8_t> unused;
  MadeBlocks made = encoded_blocks(e, random, &unused);
  made.plan.params.targets.assign(static_cast<std::size_t>(kind.layers),
                                  {LayerBudget::Kind::automatic, 0});
  made.plan.params.targets.back() = {LayerBudget::Kind::bytes, 3840 * 2160 / 4};
  return made;
}

struct Placed {
  Placed(const MadeBlocks &made, const PacketTables &packet_tables, const RateTables &tables)
      : packets(made, packet_tables, frame_of(packet_tables, made), {0}, true),
        rate(made, tables, &packets, true) {}

  PlacedPackets packets;
  PlacedRate rate;
};

void bench_cuda(Bench &bench, const Backend &backend, const Kind &kind, const MadeBlocks &made,
                const LayerPasses &expected) {
  PacketTables packet_tables;
  RateTables tables;
  must(packet_tables.make(made.plan));
  must(tables.make(made.plan, packet_tables.main_bytes()));
  std::vector<std::unique_ptr<Placed>> frames;
  for (int i = 0; i < 4; ++i)
    frames.push_back(std::make_unique<Placed>(made, packet_tables, tables));
  void *stream = backend.queue().stream();
  const std::size_t bytes = made.passes.size() * sizeof(Pass);
  BackendMemory to(bytes, true);
  const auto time = [&](const char *what, int turns) {
    Timing t = {kind.text, what, 3840, 2160, static_cast<int>(frames.size()), 2 * bytes, {}, {}};
    t.run = [&, turns](int i) {
      const RateJob &job = frames[static_cast<std::size_t>(i)]->rate.job;
      must(find_hulls_cuda(job, stream));
      if (turns > 0) must(allocate_cuda(job, 0, turns, stream));
    };
    t.copy = [&](int i) {
      device_copy_async(to.data(), frames[static_cast<std::size_t>(i)]->packets.passes.data(),
                        bytes);
    };
    bench.time(backend, t);
  };
  time("library", kind.turns);
  for (const auto &placed : frames) {
    require(placed->rate.report().step == PcrdStep::Kind::done, "j2k-rate: too few turns");
    require(placed->packets.layers.bytes() == expected.passes, "j2k-rate: other passes");
  }
  std::printf("%s: %d turns\n", kind.text, frames[0]->rate.report().turns);
  time("hulls", 0);
}

void bench_cpu(Bench &bench, const Backend &backend, const Kind &kind, RateControl &control,
               LayerPasses *layers) {
  const std::size_t bytes = layers->passes.size();
  std::vector<std::uint8_t> to(bytes);
  Timing t = {kind.text, "library", 3840, 2160, 1, 2 * bytes, {}, {}};
  t.run = [&](int) { must(control.run(backend.pool, layers)); };
  t.copy = [&](int) { std::memcpy(to.data(), layers->passes.data(), bytes); };
  bench.time(backend, t);
}

void time_all(Bench &bench, const Backend &backend) {
  for (const Kind &kind : kKinds) {
    if (!bench.wants(kind.text, 3840, 2160)) continue;
    const MadeBlocks made = blocks_of(kind);
    PacketTables tables;
    must(tables.make(made.plan));
    RateControl control;
    must(control.prepare(made.plan, made.data, tables.main_bytes()));
    LayerPasses layers = made.layers;
    must(control.run(backend.pool, &layers));
    if (backend.cuda)
      bench_cuda(bench, backend, kind, made, layers);
    else
      bench_cpu(bench, backend, kind, control, &layers);
  }
}

}  // namespace

BenchCase j2k_rate_bench() {
  return {"j2k-rate", time_all};
}

}  // namespace coalesce::test
