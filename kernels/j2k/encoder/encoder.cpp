// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder.h"

#include <algorithm>

#include "../../core/per_thread.h"
#include "../codestream/codestream.h"
#include "../tier1/tier1.h"
#include "../tier2/packets.h"
#include "encoder_plan.h"
#include "rate_control.h"
#include "tile_transform.h"
#include "tile_writer.h"

namespace coalesce::j2k {
namespace {

struct TileWorker {
  TileTransform transform;
  Status status;
};

struct BlockWorker {
  Tier1Coder coder;
  Status status;
};

// The first that went wrong. (Which of several it is, nobody can rely on.)
template <class Worker>
Status result(PerThread<Worker> *workers) {
  Status first;
  workers->for_all([&](Worker &worker) {
    if (first.ok()) first = worker.status;
  });
  return first;
}

}  // namespace

struct Encoder::State {
  EncoderPlan plan;
  // Uninitialised: pages that nothing is written to cost nothing.
  std::unique_ptr<std::int32_t[]> coefficients;
  std::unique_ptr<Pass[]> passes;
  std::unique_ptr<std::uint8_t[]> bytes;
  std::vector<BlockData> blocks;
  LayerPasses layers;
  PerThread<TileWorker> tile_workers;
  PerThread<BlockWorker> block_workers;
  RateControl rate;  // if there are targets
  Packets packets;
  std::vector<std::uint8_t> main_header;
  std::size_t tlm = 0;  // in the main header

  Status prepare(const EncoderParams &params);
  Status check_samples(const Samples *samples) const;
  Status transform(const Samples *samples, ThreadPool *pool);
  Status code_blocks(ThreadPool *pool);
  void code_block(std::size_t i, BlockWorker *worker);
  Status allocate(ThreadPool *pool);
  Status check_layers() const;
  Status write(std::vector<std::uint8_t> *out);
};

Status Encoder::State::prepare(const EncoderParams &params) {
  if (Status s = make_plan(params, &plan); !s.ok()) return s;
  coefficients.reset(new std::int32_t[plan.coefficients]);
  passes.reset(new Pass[plan.passes]);
  bytes.reset(new std::uint8_t[plan.bytes]);
  blocks.reserve(plan.blocks.size());
  for (const BlockPlan &block : plan.blocks)
    blocks.push_back(
        {passes.get() + block.first_pass, bytes.get() + block.first_byte, {}, block.weight, 0});
  layers.layers = params.layers;
  layers.blocks = blocks.size();
  layers.passes.resize(static_cast<std::size_t>(params.layers) * blocks.size());
  put_main_header(plan.header, &main_header, &tlm);
  return params.targets.empty() ? Status() : rate.prepare(plan, blocks, main_header.size());
}

Status Encoder::State::check_samples(const Samples *samples) const {
  for (int c = 0; c < plan.components(); ++c)
    if (samples[c].bits != plan.params.coding.component[static_cast<std::size_t>(c)].bits)
      return invalid_argument("j2k: samples have other bits than their component");
  return {};
}

// Many tiles are shared out whole, few by their rows.
Status Encoder::State::transform(const Samples *samples, ThreadPool *pool) {
  const int tiles = static_cast<int>(plan.tiles.size());
  const int threads = pool == nullptr ? 1 : pool->threads();
  const bool whole = tiles >= 2 * threads;
  tile_workers.prepare(whole ? threads : 1);
  tile_workers.for_all([&](TileWorker &worker) {
    worker.status = worker.transform.prepare(plan, whole ? nullptr : pool);
  });
  const auto body = [&](int first, int last) {
    typename PerThread<TileWorker>::Lease worker(tile_workers);
    for (int i = first; i < last && worker->status.ok(); ++i)
      worker->status = worker->transform.run(plan, plan.tiles[static_cast<std::size_t>(i)], samples,
                                             coefficients.get(), whole ? nullptr : pool);
  };
  if (whole)
    for_ranges(pool, tiles, 1, body);
  else
    body(0, tiles);
  return result(&tile_workers);
}

void Encoder::State::code_block(std::size_t i, BlockWorker *worker) {
  const BlockPlan &p = plan.blocks[i];
  const CodeBlock block = {coefficients.get() + p.coefficient,
                           static_cast<std::ptrdiff_t>(p.pitch),
                           p.width,
                           p.height,
                           plan.fraction_bits,
                           p.max_planes,
                           p.band,
                           static_cast<std::uint8_t>(plan.params.block_style)};
  worker->status = worker->coder.encode(block, passes.get() + p.first_pass,
                                        bytes.get() + p.first_byte, p.bytes, &blocks[i].coded);
  if (rate.targets().wants_errors()) blocks[i].final_error = final_error(block);
}

Status Encoder::State::code_blocks(ThreadPool *pool) {
  block_workers.prepare(pool == nullptr ? 1 : pool->threads());
  block_workers.for_all([](BlockWorker &worker) { worker.status = {}; });
  for_ranges(pool, static_cast<int>(blocks.size()), 1, [&](int first, int last) {
    typename PerThread<BlockWorker>::Lease worker(block_workers);
    for (int i = first; i < last && worker->status.ok(); ++i)
      code_block(static_cast<std::size_t>(i), &*worker);
  });
  return result(&block_workers);
}

Status Encoder::State::allocate(ThreadPool *pool) {
  if (!plan.params.targets.empty()) return rate.run(pool, &layers);
  for (int layer = 0; layer < layers.layers; ++layer)
    for (std::size_t b = 0; b < layers.blocks; ++b)
      layers.at(layer, b) = static_cast<std::uint8_t>(blocks[b].coded.passes);
  return {};
}

Status Encoder::State::check_layers() const {
  for (int layer = 0; layer < layers.layers; ++layer)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const int passes = layers.at(layer, b), before = layer > 0 ? layers.at(layer - 1, b) : 0;
      if (passes < before || passes > blocks[b].coded.passes)
        return invalid_argument(
            "j2k: a layer has fewer passes than the one before, or more than its block");
    }
  return {};
}

Status Encoder::State::write(std::vector<std::uint8_t> *out) {
  const std::size_t begin = out->size();
  out->insert(out->end(), main_header.begin(), main_header.end());
  for (const TilePlan &tile : plan.tiles) {
    packets.make(plan.params, tile.geometry, tile.order, blocks.data() + tile.first_block, layers,
                 tile.first_block);
    if (Status s = append_tile(plan.params, tile, packets, begin + tlm, out); !s.ok()) return s;
  }
  put_end(out);
  return {};
}

Encoder::Encoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Encoder::~Encoder() = default;

Status Encoder::make(const EncoderParams &params, std::unique_ptr<Encoder> *encoder,
                     std::uint64_t *least_bytes) {
  if (Status s = check_params(params); !s.ok()) return s;
  return with_memory([&] {
    auto state = std::make_unique<State>();
    const Status s = state->prepare(params);
    if (least_bytes != nullptr) *least_bytes = state->rate.targets().least_bytes();
    if (s.ok()) encoder->reset(new Encoder(std::move(state)));
    return s;
  });
}

Status Encoder::set_targets(const std::vector<LayerBudget> &targets) {
  return state_->rate.set_targets(targets);
}

Status Encoder::code(const Samples *samples, ThreadPool *pool) {
  if (Status s = state_->check_samples(samples); !s.ok()) return s;
  std::fill(state_->layers.passes.begin(), state_->layers.passes.end(), std::uint8_t{0});
  return with_memory([&] {
    const Status s = state_->transform(samples, pool);
    return s.ok() ? state_->code_blocks(pool) : s;
  });
}

const std::vector<BlockData> &Encoder::blocks() const {
  return state_->blocks;
}

Status Encoder::allocate(ThreadPool *pool) {
  return with_memory([&] { return state_->allocate(pool); });
}

LayerPasses *Encoder::layers() {
  return &state_->layers;
}

Status Encoder::write(std::vector<std::uint8_t> *out) {
  const std::size_t begin = out->size();
  if (Status s = state_->check_layers(); !s.ok()) return s;
  const Status s = with_memory([&] { return state_->write(out); });
  if (!s.ok()) out->resize(begin);
  return s;
}

Status Encoder::encode(const Samples *samples, ThreadPool *pool, std::vector<std::uint8_t> *out) {
  if (Status s = code(samples, pool); !s.ok()) return s;
  if (Status s = allocate(pool); !s.ok()) return s;
  return write(out);
}

}  // namespace coalesce::j2k
