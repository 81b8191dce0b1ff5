// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/support/bench.h"
#include "j2k/pcrd/rate_block.h"
#include "tests/kernels/j2k/tier2/j2k_packets_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Kind {
  const char *text;
  int layers;
  int precincts;  // log2 of their size
  unsigned style;
};
const Kind kKinds[] = {
    {"j2k-packets, 1 layer", 1, 15, 0},
    {"j2k-packets, 8 layers", 8, 15, 0},
    {"j2k-packets, 8 layers, termall", 8, 15, kTermAll},
    {"j2k-packets, 8 layers, precincts of 256", 8, 8, 0},
};

// About as many bytes as a photograph without loss.
EncoderParams params_of(const Kind &kind) {
  EncoderParams e;
  e.coding.image = {0, 0, 3840, 2160};
  e.coding.num_components = 3;
  e.colour_transform = true;
  e.block_style = kind.style;
  e.layers = kind.layers;
  e.plt = true;
  for (PrecinctSize &size : e.coding.precinct)
    size = {static_cast<std::uint8_t>(kind.precincts), static_cast<std::uint8_t>(kind.precincts)};
  return e;
}
constexpr std::uint32_t kMostBytes = 2200;

void must(const Status &s) {
  require(s.ok(), s.message());
}

MadeBlocks blocks_of(const Kind &kind) {
  Random random(3);
  MadeBlocks made = made_blocks(params_of(kind), kMostBytes, random);
  // Everything, spread evenly.
  for (std::size_t b = 0; b < made.layers.blocks; ++b)
    for (int layer = 0; layer < kind.layers; ++layer)
      made.layers.at(layer, b) =
          static_cast<std::uint8_t>(made.coded[b].passes * (layer + 1) / kind.layers);
  return made;
}

void bench_cpu(Bench &bench, const Backend &backend, const Kind &kind, const MadeBlocks &made,
               std::size_t bytes) {
  std::vector<std::uint8_t> from(bytes), to(bytes);
  Timing t = {kind.text, "library", 3840, 2160, 1, 2 * bytes, {}, {}};
  t.run = [&](int) { to = codestream_of(made); };
  t.copy = [&](int) { std::memcpy(to.data(), from.data(), bytes); };
  bench.time(backend, t);
}

// The stages, each by itself, and the counting of one layer's headers.
void bench_cuda(Bench &bench, const Backend &backend, const Kind &kind, const MadeBlocks &made,
                const std::vector<std::uint8_t> &expected) {
  PacketTables tables;
  must(tables.make(made.plan));
  const PacketFrame frame = frame_of(tables, made);
  const std::size_t bytes = expected.size();
  std::vector<std::unique_ptr<PlacedPackets>> frames;
  for (int i = 0; i < 4; ++i)
    frames.push_back(std::make_unique<PlacedPackets>(made, tables, frame,
                                                     std::vector<std::uint8_t>(bytes), true));
  void *stream = backend.queue().stream();
  const auto time = [&](const char *what, const std::function<Status(PlacedPackets &)> &run) {
    Timing t = {kind.text, what, 3840, 2160, static_cast<int>(frames.size()), 2 * bytes, {}, {}};
    t.run = [&](int i) { must(run(*frames[static_cast<std::size_t>(i)])); };
    t.copy = [&](int i) {
      PlacedPackets &f = *frames[static_cast<std::size_t>(i)];
      device_copy_async(f.out.data(), f.bytes.data(), bytes);
    };
    bench.time(backend, t);
  };
  time("library",
       [&](PlacedPackets &p) { return packets_cuda(p.job, p.out.data(), bytes, stream); });
  for (const auto &placed : frames) {
    must(packets_cuda(placed->job, placed->out.data(), bytes, stream));
    require(placed->out.bytes() == expected, "j2k-packets: other bytes than on the CPU");
  }
  time("headers", [&](PlacedPackets &p) { return make_headers_cuda(p.job, stream); });
  time("places",
       [&](PlacedPackets &p) { return lay_out_packets_cuda(p.job, p.out.data(), bytes, stream); });
  time("writing",
       [&](PlacedPackets &p) { return write_packets_cuda(p.job, p.out.data(), stream); });
  BackendMemory count(kMaxComponents * sizeof(std::uint64_t), true);
  BackendMemory asked(std::vector<HeadersAsked>{{kind.layers - 1, kAllComponents}}, true);
  time("counting the last layer's headers", [&](PlacedPackets &p) {
    return count_headers_cuda(p.job, asked.as<HeadersAsked>(), count.as<std::uint64_t>(), stream);
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const Kind &kind : kKinds) {
    if (!bench.wants(kind.text, 3840, 2160)) continue;
    const MadeBlocks made = blocks_of(kind);
    const std::vector<std::uint8_t> expected = codestream_of(made);
    if (backend.cuda)
      bench_cuda(bench, backend, kind, made, expected);
    else
      bench_cpu(bench, backend, kind, made, expected.size());
  }
}

}  // namespace

BenchCase j2k_packets_bench() {
  return {"j2k-packets", time_all};
}

}  // namespace coalesce::test
