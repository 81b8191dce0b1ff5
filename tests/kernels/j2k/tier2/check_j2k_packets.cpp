// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>

#include "../encoder/j2k_random_params.h"
#include "j2k/encoder/rate_control.h"
#include "j2k_packets_serial.h"
#include "j2k_packets_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr std::size_t kGuard = 64;  // bytes on both sides of the codestream
constexpr std::uint8_t kFill = 0xA5;

// The first ones have something that is rare.
EncoderParams choose_params(Random &random, int index) {
  EncoderParams e = random_params(random, random.pick({400, 5000, 60000}));
  CodingParams &p = e.coding;
  if (index > 2) return e;
  e.tile_parts = TileParts::one;
  e.largest_last = false;
  p.image = {0, 0, 97, 83};
  p.tile_x0 = p.tile_y0 = p.tile_width = p.tile_height = 0;
  e.roi = {};
  p.levels = 2;
  p.precinct = {};
  p.block_x = p.block_y = 2;
  if (index == 0) {  // more packets than one PLT has room for, most of them empty
    for (PrecinctSize &size : p.precinct)
      size = {2, 2};
    e.layers = 70;
    e.plt = true;
  } else if (index == 1) {  // headers that are longer than shared memory
    p.image = {0, 0, 640, 357};
    e.block_style = kTermAll;
    e.layers = 2;
  } else {  // and in one layer
    p.image = {0, 0, 1000, 900};
    p.num_components = 1;
    e.colour_transform = false;
    e.layers = 1;
  }
  return e;
}

std::string difference(const std::vector<std::uint8_t> &expected,
                       const std::vector<std::uint8_t> &got) {
  char text[200];
  const auto at = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
  const auto i = static_cast<std::size_t>(at.first - expected.begin());
  if (i == expected.size() && got.size() == expected.size()) return {};
  if (i == expected.size() || i == got.size())
    std::snprintf(text, sizeof text, "%zu bytes instead of %zu", got.size(), expected.size());
  else
    std::snprintf(text, sizeof text, "byte %zu of %zu is %02x instead of %02x", i, expected.size(),
                  got[i], expected[i]);
  return text;
}

// Of the guards around the codestream's room.
bool is_whole(const std::vector<std::uint8_t> &memory, std::size_t room) {
  const auto is_fill = [](std::uint8_t byte) { return byte == kFill; };
  return std::all_of(memory.begin(), memory.begin() + kGuard, is_fill) &&
         std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(kGuard + room), memory.end(),
                     is_fill);
}

Status run(const PacketJob &job, std::uint8_t *out, std::uint64_t room, const Backend &backend) {
  if (backend.cuda) return packets_cuda(job, out, room, backend.queue().stream());
  packets_serial(job.format, job.scratch, job.input, out, room);
  return {};
}

struct Result {
  PacketResult result;
  std::vector<std::uint32_t> part_lengths;
};
Result result_of(const PlacedPackets &placed) {
  const std::vector<std::uint8_t> scratch = placed.scratch.bytes();
  Result r;
  std::memcpy(&r.result, scratch.data(), sizeof r.result);
  r.part_lengths.resize(placed.job.format.num_parts);
  const auto at = reinterpret_cast<const std::uint8_t *>(placed.job.scratch.part_lengths) -
                  reinterpret_cast<const std::uint8_t *>(placed.job.scratch.result);
  std::memcpy(r.part_lengths.data(), scratch.data() + at,
              r.part_lengths.size() * sizeof(std::uint32_t));
  return r;
}

// With room for the codestream, or a byte less.
std::string run_wrong(PlacedPackets *placed, const std::vector<std::uint8_t> &expected, bool fits,
                      const Backend &backend) {
  const std::size_t room = expected.size() - !fits;
  const Status status = run(placed->job, placed->out.data() + kGuard, room, backend);
  if (!status.ok()) return std::string("it returned: ") + status.message();
  const Result r = result_of(*placed);
  if (r.result.errors != (fits ? 0 : PacketResult::kNoRoom))
    return "errors " + std::to_string(r.result.errors);
  if (r.result.bytes != expected.size())
    return std::to_string(r.result.bytes) + " bytes were told instead of " +
           std::to_string(expected.size());
  std::uint64_t parts = placed->job.format.main_bytes + kEndBytes;
  for (const std::uint32_t length : r.part_lengths)
    parts += length;
  if (parts != expected.size()) return "the tile-parts' lengths are others";
  std::vector<std::uint8_t> memory = placed->out.bytes();
  if (!is_whole(memory, fits ? room : 0)) return "bytes around the codestream were written";
  if (!fits) return {};
  memory.resize(kGuard + room);
  memory.erase(memory.begin(), memory.begin() + kGuard);
  return difference(expected, memory);
}

// Layer by layer, of some components, or of all.
std::string count_wrong(const MadeBlocks &made, const PacketJob &job, unsigned components,
                        const Backend &backend) {
  HeaderCounter counter;
  counter.prepare(made.plan, made.data);
  std::vector<HeadersAsked> asked;
  for (int layer = 0; layer < made.layers.layers; ++layer)
    asked.push_back({layer, components});
  std::vector<std::uint64_t> expected(asked.size() * kMaxComponents);
  BackendMemory questions(asked, backend.cuda);
  BackendMemory counts(std::vector<std::uint64_t>(expected.size(), 5), backend.cuda);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    counter.count(asked[i].layer, components,
                  {made.layers.passes.data(), made.layers.blocks, made.layers.layers},
                  expected.data() + i * kMaxComponents);
    std::uint64_t *count = counts.as<std::uint64_t>() + i * kMaxComponents;
    if (!backend.cuda) {
      count_headers_serial(job.format, job.scratch, job.input, asked[i], count);
      continue;
    }
    const HeadersAsked *question = questions.as<HeadersAsked>() + i;
    const Status s = count_headers_cuda(job, question, count, backend.queue().stream());
    if (!s.ok()) return std::string("counting: it returned: ") + s.message();
  }
  const std::vector<std::uint8_t> bytes = counts.bytes();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::uint64_t count;
    std::memcpy(&count, bytes.data() + i * sizeof count, sizeof count);
    if (count != expected[i])
      return "layer " + std::to_string(i / kMaxComponents) + ", component " +
             std::to_string(i % kMaxComponents) + ": " + std::to_string(count) +
             " bytes of headers were counted instead of " + std::to_string(expected[i]);
  }
  return {};
}

std::size_t scratch_bytes(const PacketTables &tables) {
  Layout l;
  (void)tables.place_scratch(&l);
  return l.end();
}

}  // namespace

PacketFrame frame_of(const PacketTables &tables, const MadeBlocks &made) {
  return {tables.format_at(tables.image().data()), tables.image(), made.plan.blocks, made.coded};
}

PlacedPackets::PlacedPackets(const MadeBlocks &made, const PacketTables &tables,
                             const PacketFrame &frame, const std::vector<std::uint8_t> &out_memory,
                             bool cuda)
    : image(frame.image, cuda),
      plan(frame.plan, cuda),
      coded(frame.coded, cuda),
      passes(made.passes, cuda),
      bytes(made.bytes, cuda),
      layers(made.layers.passes, cuda),
      scratch(std::vector<std::uint8_t>(scratch_bytes(tables), 0xEE), cuda),
      out(out_memory, cuda) {
  job.format = tables.format_at(image.data());
  job.format.one_segment = frame.format.one_segment;
  job.format.eph = frame.format.eph;
  Layout l(256, scratch.data());
  job.scratch = tables.place_scratch(&l);
  job.input = {plan.as<BlockPlan>(), passes.as<Pass>(), bytes.data(), coded.as<CodedBlock>(),
               layers.data()};
}

std::string j2k_packets_trial(const PacketDamage &damage, Random &random, int index,
                              const Backend &backend) {
  const EncoderParams params = choose_params(random, index);
  set_doing(describe(params));
  std::vector<std::uint8_t> expected;
  const bool encoded = index > 2 && random.below(4) == 0;
  const std::uint32_t most = random.pick({40u, 2000u, 1u << 16});
  const MadeBlocks made =
      encoded ? encoded_blocks(params, random, &expected) : made_blocks(params, most, random);
  if (!encoded) expected = codestream_of(made);

  PacketTables tables;
  if (Status s = tables.make(made.plan); !s.ok()) return s.message();
  PacketFrame frame = frame_of(tables, made);
  if (damage) damage(tables, &frame);
  PlacedPackets placed(made, tables, frame,
                       std::vector<std::uint8_t>(expected.size() + 2 * kGuard, kFill),
                       backend.cuda);
  std::string wrong;
  if (random.below(3) == 0) wrong = count_wrong(made, placed.job, kAllComponents, backend);
  if (wrong.empty() && random.below(3) == 0)
    wrong = count_wrong(made, placed.job, 1u << random.below(4), backend);
  if (wrong.empty()) wrong = run_wrong(&placed, expected, false, backend);
  if (wrong.empty()) wrong = run_wrong(&placed, expected, true, backend);
  return wrong.empty() ? wrong : wrong + "\n    " + describe(params);
}

Case j2k_packets_case() {
  return {"j2k-packets", 120,
          [](Random &random, int index, const Backend &backend) {
            return j2k_packets_trial(nullptr, random, index, backend);
          },
          j2k_packets_planted};
}

}  // namespace coalesce::test
