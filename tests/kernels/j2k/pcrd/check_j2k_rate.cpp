// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation as a GPU does it: the same tables as RateControl's.
#include <algorithm>

#include "../encoder/j2k_random_params.h"
#include "j2k/encoder/encoder.h"
#include "j2k/encoder/rate_control.h"
#include "j2k/pcrd/allocation.h"
#include "j2k_rate_placed.h"
#include "j2k_rate_serial.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

// Passes as the encoder makes them; and where nothing is as one would expect it.
MadeBlocks blocks_to_cut(const EncoderParams &params, Random &random) {
  std::vector<std::uint8_t> unused;
  MadeBlocks made = encoded_blocks(params, random, &unused);
  const bool usual = random.below(3) > 0;
  for (std::size_t b = 0; b < made.coded.size(); ++b) {
    made.data[b].final_error = static_cast<std::uint32_t>(random.below(1 << 20));
    Pass *passes = made.passes.data() + made.plan.blocks[b].first_pass;
    for (int i = 0; i < made.coded[b].passes && !usual; ++i)
      passes[i].distortion = static_cast<std::int32_t>(random.bits()) >> random.below(32);
  }
  return made;
}

// Not far above what is left when everything is decoded.
LayerBudget small_error(const MadeBlocks &made, Random &random) {
  std::uint64_t left = 0;
  for (const BlockData &block : made.data)
    left += static_cast<std::uint64_t>(error_units(block.final_error, block.weight, 0));
  const std::uint64_t value = left + left * static_cast<unsigned>(random.below(400)) / 100;
  const std::uint64_t usual = left * static_cast<unsigned>(random.below(4)) / 2;
  LayerBudget target = {Kind::error, value, value / 3, usual};
  target.smooth = value * static_cast<unsigned>(random.below(5)) / 4;
  return target;
}

std::vector<LayerBudget> targets_for(const MadeBlocks &made, Random &random) {
  std::uint64_t all = 2000;
  for (const CodedBlock &block : made.coded)
    all += block.length;
  const LengthRange range = {std::min<std::uint64_t>(all, 100 + made.coded.size()), all};
  std::vector<LayerBudget> targets = random_targets(made.plan.params.layers, range, random);
  const int kind = random.below(6);
  if (kind == 0) targets.back() = random_unlimited_target(random);
  if (kind == 1 || kind == 2) targets.back() = small_error(made, random);
  return targets;
}

// Where there can be a tile-part for each component.
void part_components(EncoderParams *params) {
  EncoderParams parted = *params;
  parted.layers = 1;
  parted.progression = Progression::cprl;
  parted.tile_parts = TileParts::component;
  std::unique_ptr<Encoder> encoder;
  if (Encoder::make(parted, &encoder).ok()) *params = parted;
}

// From what some need for their empty packets to more than any has.
void limit_components(MadeBlocks *made, Random &random) {
  EncoderParams &params = made->plan.params;
  std::uint64_t bytes[kMaxComponents] = {};
  for (const TilePlan &tile : made->plan.tiles)
    for (std::size_t i = 0; i < tile.geometry.blocks.size(); ++i) {
      const auto band = static_cast<std::size_t>(tile.geometry.blocks[i].band);
      bytes[tile.geometry.bands[band].component] += made->coded[tile.first_block + i].length;
    }
  const std::uint64_t most = *std::max_element(bytes, bytes + kMaxComponents);
  const std::uint64_t least = (made->plan.tile_parts * 14 + made->coded.size() / 4) /
                              static_cast<unsigned>(params.coding.num_components);
  params.component_bytes = 1 + least + most * static_cast<unsigned>(random.below(120)) / 100;
}

// So many blocks that not all are tried where a limit leaves bytes that hardly one has a pass for.
EncoderParams many_blocks(Random &random) {
  EncoderParams params;
  params.coding.image = {0, 0, 640, 480};
  params.coding.block_x = params.coding.block_y = 2;
  params.layers = random.between(5, 9);
  return params;
}
void limit_nearly_to_nothing(MadeBlocks *made, Random &random) {
  EncoderParams params = made->plan.params;
  params.targets = {static_cast<std::size_t>(params.layers), LayerBudget{Kind::automatic, 0}};
  params.targets.back() = {Kind::bytes, 0};
  std::unique_ptr<Encoder> none;
  std::uint64_t least = 0;
  (void)Encoder::make(params, &none, &least);
  params.targets.back().value = least + static_cast<unsigned>(random.between(6, 16));
  made->plan.params.targets = params.targets;
}

bool is_table(const std::vector<std::uint8_t> &rows, const MadeBlocks &made) {
  const std::size_t blocks = made.coded.size();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] > made.coded[i % blocks].passes || (i >= blocks && rows[i] < rows[i - blocks]))
      return false;
  return true;
}

// Some turns at a time, as many as come, until it has ended.
std::string allocate(PlacedRate *rate, const PlacedPackets &packets, const MadeBlocks &made,
                     Random &random, const Backend &backend) {
  void *stream = backend.cuda ? backend.queue().stream() : nullptr;
  Status s;
  if (backend.cuda)
    s = find_hulls_cuda(rate->job, stream);
  else
    find_hulls_serial(rate->job);
  const int most = 1 << random.below(6), layers = made.plan.params.layers;
  const int most_turns = 60 * (layers + 2) + 4 * static_cast<int>(made.coded.size());
  for (int turn = 0; s.ok() && turn < most_turns;) {
    const int first = turn;
    turn += random.between(1, most);
    if (backend.cuda)
      s = allocate_cuda(rate->job, first, turn, stream);
    else
      allocate_serial(rate->job, first, turn);
    if (s.ok() && !is_table(packets.layers.bytes(), made)) return "that is no table";
    const RateReport report = rate->report();
    if (report.turns > turn) return "more turns than there were";
    if (report.step >= PcrdStep::Kind::done) return status_of(report.step).message();
  }
  return s.ok() ? "it does not end" : s.message();
}

std::string differences(const std::vector<std::uint8_t> &rows, const LayerPasses &expected) {
  const auto at = std::mismatch(rows.begin(), rows.end(), expected.passes.begin());
  if (at.first == rows.end()) return {};
  const auto i = static_cast<std::size_t>(at.first - rows.begin());
  return "layer " + std::to_string(i / expected.blocks) + ", block " +
         std::to_string(i % expected.blocks) + ": " + std::to_string(*at.first) +
         " passes instead of " + std::to_string(*at.second);
}

// A planted bug.
struct RateDamage {
  std::function<void(MadeBlocks *)> blocks;
  std::function<void(RateFormat *)> format;
};

std::string rate_trial(const RateDamage &damage, Random &random, int index,
                       const Backend &backend) {
  EncoderParams params = random_params(random, index % 16 == 0 ? 60000 : 5000);
  if (index % 8 == 1) {
    params.layers = random.between(20, 60);
    params.tile_parts = TileParts::one;
  }
  const bool limited = index % 4 == 2, many = index % 64 == 63;
  if (many) params = many_blocks(random);
  if (limited) part_components(&params);
  MadeBlocks made = blocks_to_cut(params, random);
  made.plan.params.targets = targets_for(made, random);
  if (limited && params.tile_parts == TileParts::component) limit_components(&made, random);
  if (many) limit_nearly_to_nothing(&made, random);
  const std::string text =
      describe(params) + ", component bytes " + std::to_string(made.plan.params.component_bytes);
  set_doing(text);

  PacketTables packet_tables;
  if (Status s = packet_tables.make(made.plan); !s.ok()) return s.message();
  const std::size_t main_header = packet_tables.main_bytes();
  RateControl control;
  RateTables tables;
  const Status refused = control.prepare(made.plan, made.data, main_header);
  const std::string answer = tables.make(made.plan, main_header).message();
  if (answer != refused.message()) return answer + ", and not " + refused.message();
  if (!refused.ok()) return {};
  LayerPasses expected = made.layers;
  const std::string message = control.run(nullptr, &expected).message();

  if (damage.blocks) damage.blocks(&made);
  PlacedPackets packets(made, packet_tables, frame_of(packet_tables, made), {0}, backend.cuda);
  PlacedRate rate(made, tables, &packets, backend.cuda);
  if (damage.format) damage.format(&rate.job.format);
  std::string wrong = allocate(&rate, packets, made, random, backend);
  wrong = wrong == message ? differences(packets.layers.bytes(), expected) : wrong;
  return wrong.empty() ? wrong : wrong + "\n    " + text;
}

// The true kernels, with something wrong in what they are told.
void longer_passes(MadeBlocks *made) {
  for (std::size_t b = 0; b < made->coded.size(); ++b)
    for (int i = 0; i < made->coded[b].passes; ++i)
      made->passes[made->plan.blocks[b].first_pass + static_cast<unsigned>(i)].length +=
          static_cast<std::uint32_t>(i / 2);
}
void no_errors(MadeBlocks *made) {
  for (BlockData &block : made->data)
    block.final_error = 0;
}
void no_limits(RateFormat *format) {
  format->limits.count = 0;
}
void other_planes(MadeBlocks *made) {
  for (Pass &pass : made->passes)
    pass.plane ^= 1;
}

std::vector<PlantedBug> planted() {
  std::vector<PlantedBug> bugs;
  const auto add = [&](const char *name, const RateDamage &damage) {
    for (const bool cuda : {false, true})
      bugs.push_back({name, cuda, [damage](Random &random, int index, const Backend &backend) {
                        return rate_trial(damage, random, index, backend);
                      }});
  };
  add("rate: lengths of passes", {longer_passes, nullptr});
  add("rate: no final errors", {no_errors, nullptr});
  add("rate: other planes", {other_planes, nullptr});
  add("rate: no limits of components", {nullptr, no_limits});
  return bugs;
}

}  // namespace

Case j2k_rate_case() {
  return {"j2k-rate", 120,
          [](Random &random, int index, const Backend &backend) {
            return rate_trial({}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
