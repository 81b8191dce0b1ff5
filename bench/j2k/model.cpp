// SPDX-License-Identifier: LGPL-2.1-or-later
// Context modelling of whole pictures.
#include <algorithm>
#include <cstring>

#include "bench/support/bench.h"
#include "core/thread_pool.h"
#include "j2k/canvas/block_plan.h"
#include "j2k/encoder/encoder_plan.h"
#include "j2k/encoder/tile_transform.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier1/context/context_model_cuda.h"
#include "tests/kernels/j2k/tier1/j2k_model_trial.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Kind {
  const char *text;
  int width, height;
  Wavelet wavelet;
  int block_exponent;
};
constexpr Kind kKinds[] = {
    {"j2k-model 5/3, 64x64", 3840, 2160, Wavelet::reversible_53, 6},
    {"j2k-model 5/3, 32x32", 3840, 2160, Wavelet::reversible_53, 5},
    {"j2k-model 9/7, 64x64", 3840, 2160, Wavelet::irreversible_97, 6},
    {"j2k-model 5/3, 64x64", 1920, 1080, Wavelet::reversible_53, 6},
};

void must(const Status &s) {
  require(s.ok(), s.message());
}

// What the blocks of a picture are before and after, in host memory.
struct Modelled {
  EncoderPlan plan;
  std::vector<std::int32_t> coefficients;
  std::vector<std::uint8_t> planes, symbols;
  std::vector<PassSymbols> made;
  std::size_t count = 0;  // of all symbols

  DeviceFrame view() {
    DeviceFrame f = {};
    f.plan = plan.blocks.data();
    f.blocks = static_cast<int>(plan.blocks.size());
    f.fraction_bits = plan.fraction_bits;
    f.style = plan.params.block_style;
    f.coefficients = coefficients.data();
    f.planes = planes.data();
    f.symbols = symbols.data();
    f.made = made.data();
    return f;
  }
};

void model_picture(const Kind &kind, const std::vector<std::uint8_t> &bytes, Modelled *m) {
  EncoderParams params;
  params.coding.image = {0, 0, kind.width, kind.height};
  params.coding.num_components = 3;
  params.coding.block_x = params.coding.block_y = kind.block_exponent;
  params.colour_transform = true;
  params.wavelet = kind.wavelet;
  params.base_step = fine_base_step(true);
  must(make_plan(params, &m->plan));
  m->coefficients.resize(m->plan.coefficients);
  m->planes.resize(m->plan.blocks.size());
  m->symbols.resize(m->plan.symbols);
  m->made.resize(m->plan.passes);

  Samples samples[3];
  for (int c = 0; c < 3; ++c) {
    samples[c].pitch = static_cast<std::size_t>(kind.width);
    samples[c].data = bytes.data() + static_cast<std::size_t>(c) * bytes.size() / 3;
  }
  ThreadPool pool;
  TileTransform transform;
  must(transform.prepare(m->plan, &pool));
  must(transform.run(m->plan, m->plan.tiles[0], samples, m->coefficients.data(), &pool));
  must(model_frame(m->view(), m->plan.blocks.data(), Queue::cpu(&pool)));
  for (const PassSymbols &one : m->made)
    m->count += static_cast<std::size_t>(one.count);
}

template <class T>
DeviceMemory on_device(const std::vector<T> &from) {
  DeviceMemory memory(from.size() * sizeof(T));
  memory.upload(from.data());
  return memory;
}

// The results of a frame on the device are the host's. What comes after a block's last symbol does
// not count.
void compare(const Modelled &m, const DeviceMemory &planes, const DeviceMemory &symbols,
             const DeviceMemory &made) {
  std::vector<std::uint8_t> got(m.planes.size());
  planes.download(got.data());
  require(got == m.planes, "j2k-model: other planes than on the CPU");
  std::vector<PassSymbols> passes(m.made.size());
  made.download(passes.data());
  got.resize(m.symbols.size());
  symbols.download(got.data());
  for (std::size_t i = 0; i < m.planes.size(); ++i) {
    const BlockPlan &block = m.plan.blocks[i];
    std::size_t count = 0;
    for (std::size_t k = 0; k + 2 < 3u * m.planes[i]; ++k) {
      const PassSymbols &e = m.made[block.first_pass + k], &a = passes[block.first_pass + k];
      require(e.count == a.count && e.distortion == a.distortion,
              "j2k-model: other passes than on the CPU");
      count += static_cast<std::size_t>(e.count);
    }
    require(std::memcmp(&got[block.first_symbol], &m.symbols[block.first_symbol], count) == 0,
            "j2k-model: other symbols than on the CPU");
  }
}

Timing timing_of(const Kind &kind, const Modelled &m, int buffers) {
  Timing t;
  t.operation = kind.text;
  t.variant = std::to_string(m.count) + " symbols";
  t.width = kind.width;
  t.height = kind.height;
  t.buffers = buffers;
  t.bytes = m.coefficients.size() * sizeof(std::int32_t) + m.count;
  return t;
}

void time_on_device(Bench &bench, const Backend &backend, const Kind &kind, Modelled &m) {
  const ModelShape shape = model_shape(m.plan.blocks.data(), static_cast<int>(m.planes.size()));
  const DeviceMemory plan = on_device(m.plan.blocks);
  std::vector<DeviceMemory> coefficients, planes, symbols, made;
  constexpr int kBuffers = 4;
  for (int i = 0; i < kBuffers; ++i) {
    coefficients.push_back(on_device(m.coefficients));
    planes.emplace_back(m.planes.size());
    symbols.emplace_back(m.symbols.size());
    made.emplace_back(m.made.size() * sizeof(PassSymbols));
  }
  Timing t = timing_of(kind, m, kBuffers);
  t.run = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    DeviceFrame frame = m.view();
    frame.plan = reinterpret_cast<const BlockPlan *>(plan.data());
    frame.coefficients = reinterpret_cast<std::int32_t *>(coefficients[k].data());
    frame.planes = planes[k].data();
    frame.symbols = symbols[k].data();
    frame.made = reinterpret_cast<PassSymbols *>(made[k].data());
    must(model_blocks(frame, shape, 0, frame.blocks, backend.queue().stream()));
  };
  t.copy = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    device_copy_async(symbols[k].data(), coefficients[k].data(),
                      std::min({t.bytes / 2, symbols[k].size(), coefficients[k].size()}));
  };
  t.run(0);
  device_synchronize();
  compare(m, planes[0], symbols[0], made[0]);
  bench.time(backend, t);
}

void time_on_cpu(Bench &bench, const Backend &backend, const Kind &kind, Modelled &m) {
  Timing t = timing_of(kind, m, 1);
  t.run = [&](int) { must(model_frame(m.view(), m.plan.blocks.data(), backend.queue())); };
  std::vector<std::uint8_t> to(std::min(t.bytes / 2, m.coefficients.size() * sizeof(std::int32_t)));
  t.copy = [&](int) { std::memcpy(to.data(), m.coefficients.data(), to.size()); };
  bench.time(backend, t);
}

void time_all(Bench &bench, const Backend &backend) {
  for (const Kind &kind : kKinds) {
    if (!bench.wants(kind.text, kind.width, kind.height)) continue;
    Modelled m;
    model_picture(kind, bench.picture(kind.width, kind.height), &m);
    if (backend.cuda)
      time_on_device(bench, backend, kind, m);
    else
      time_on_cpu(bench, backend, kind, m);
  }
}

}  // namespace

BenchCase j2k_model_bench() {
  return {"j2k-model", time_all, {}, true};
}

}  // namespace coalesce::test
