// SPDX-License-Identifier: LGPL-2.1-or-later
// The GPU's MQ and raw coders against those of the CPU, which other tests judge by a decoder. On
// the CPU back ends the same stages run lane by lane.
#include <memory>

#include "../../check.h"
#include "j2k/canvas/block_plan.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier1/context/context_model.h"
#include "j2k/tier1/mq/mq_cuda.h"
#include "j2k_blocks.h"
#include "j2k_mq_carries.h"
#include "j2k_mq_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// Decisions as lopsided as it gets; passes of no symbols, of some, of many.
MqBlock random_symbols(Random &random, unsigned style) {
  MqBlock block;
  block.planes = random.below(10) == 0 ? random.below(kMaxPlanes + 1) : random.below(9);
  int one_in[kMqContexts + 1];
  for (int &n : one_in)
    n = 1 << random.below(14);
  const int favourite = random.below(2), most = random.pick({3, 40, 40, 300, 2000});
  const int contexts = random.below(3) == 0 ? random.between(1, 3) : kMqContexts;
  for (int i = 0; i < 3 * block.planes - 2; ++i) {
    const int plane = block.planes - 1 - (i + 2) / 3;
    const bool raw = pass_is_raw(style, block.planes, plane, static_cast<PassType>((i + 2) % 3));
    const int count = random.below(most);
    block.made.push_back({count, static_cast<std::int32_t>(random.bits())});
    for (int n = 0; n < count; ++n) {
      const int context = raw ? int{kContextRaw} : random.below(contexts);
      const bool rare = random.below(one_in[context]) == 0;
      block.symbols.push_back(symbol_of(context, rare ? 1 - favourite : favourite));
    }
  }
  block.room = block.symbols.size() * 2 + block.made.size() * 8;
  return block;
}

// Contexts in all states, then decisions that shift the interval by many bits at once.
std::vector<std::uint8_t> long_shifts(Random &random) {
  std::vector<std::uint8_t> symbols;
  int favourite[kMqContexts];
  for (int context = 0; context < kMqContexts; ++context) {
    favourite[context] = random.below(2);
    symbols.insert(symbols.end(), static_cast<std::size_t>(random.below(1 << random.below(14))),
                   symbol_of(context, favourite[context]));
  }
  for (int i = 0; i < 200; ++i) {
    const int context = random.below(kMqContexts);
    const bool rare = random.below(3) != 0;
    symbols.push_back(symbol_of(context, rare ? 1 - favourite[context] : favourite[context]));
  }
  return symbols;
}

MqBlock one_pass(std::vector<std::uint8_t> symbols) {
  MqBlock block;
  block.planes = 1;
  block.made.push_back({static_cast<int>(symbols.size()), 1});
  block.room = symbols.size() * 2 + 50;
  block.symbols = std::move(symbols);
  return block;
}

// Its own style is replaced.
MqBlock modelled(TestBlock test, unsigned style) {
  static const auto model = std::make_unique<ContextModel>();
  static std::vector<std::uint8_t> symbols(kMaxPassSymbols);
  test.style = style;
  MqBlock block;
  block.planes = model->begin(test.block());
  const auto take = [&block](const PassSymbols &made) {
    block.made.push_back(made);
    block.symbols.insert(block.symbols.end(), symbols.begin(), symbols.begin() + made.count);
  };
  for (int plane = block.planes - 1; plane >= 0; --plane) {
    if (plane < block.planes - 1) {
      const bool raw = pass_is_raw(style, block.planes, plane, PassType::significance);
      take(model->significance(plane, raw, symbols.data()));
      take(model->refinement(plane, raw, symbols.data()));
    }
    take(model->cleanup(plane, symbols.data()));
  }
  block.room = tier1_bytes_bound(test.width * test.height, block.planes, style);
  return block;
}

MqFrame random_frame(Random &random, int index) {
  // Every style comes, some more often; each flag in about half of any few that come one after
  // another.
  constexpr int kStyles = kAllBlockStyles + 1;
  const unsigned style = index < kStyles        ? static_cast<unsigned>(index * 37 % kStyles)
                         : random.below(2) == 0 ? 0
                                                : static_cast<unsigned>(random.below(64));
  const int most_samples = random.pick({100, 300, 1500});
  const int count = random.below(10) == 0 ? random.between(60, 330) : random.between(1, 48);
  std::vector<MqBlock> blocks;
  for (int b = 0; b < count; ++b)
    blocks.push_back(random.below(2) == 0 ? random_symbols(random, style)
                                          : modelled(random_block(random, most_samples), style));
  blocks.front() = one_pass(long_shifts(random));
  blocks.back() = one_pass(carries_through_ones(random, 2500));
  // One of full size.
  if (index % 16 == 0)
    blocks.front() = modelled(block_of(random, 64, 64, Content::photograph), style);
  std::vector<int> gaps;
  for (int b = 0; b < count; ++b)
    gaps.push_back(random.below(2) == 0 ? 0 : random.below(100));
  return frame_of(blocks, style, gaps);
}

// Empty, or what is wrong with its results.
std::string coder_trial(const MqCoder &coder, MqFrame actual, const MqFrame &expected,
                        const Backend &backend) {
  Status status;
  if (backend.cuda) {
    const DeviceMqFrame device(&actual);
    status = device.run(coder.run);
    device_synchronize();
    device.download(&actual);
  } else {
    status = coder.run(actual.view(), actual.made.size(), nullptr, nullptr);
  }
  if (!status.ok()) return std::string("it returned: ") + status.message();
  const std::string wrong = difference(actual, expected);
  return wrong.empty() ? guard_difference(actual) : wrong;
}

}  // namespace

std::string j2k_mq_trial(const std::vector<MqCoder> &coders, Random &random, int index,
                         const Backend &backend) {
  const MqFrame frame = random_frame(random, index);
  const std::string what =
      "style " + std::to_string(frame.style) + ", " + std::to_string(frame.plan.size()) + " blocks";
  MqFrame expected = frame;
  code_by_pass_coder(&expected);
  for (const MqCoder &coder : coders) {
    const std::string doing = coder.name + ": " + what;
    set_doing(doing);
    const std::string wrong = coder_trial(coder, frame, expected, backend);
    if (!wrong.empty()) return wrong + "\n    " + doing;
  }
  return {};
}

namespace {

MqCoder by_kernel(const char *name, MqKernel kernel) {
  return {name,
          [kernel](const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
            return code_blocks_by(kernel, frame, passes, scratch, stream);
          }};
}

// Of the library; all that it chooses from, for trials are too small for one of them, and another
// is for small devices.
std::vector<MqCoder> coders(bool cuda) {
  if (!cuda) return mq_host_coders();
  std::vector<MqCoder> all = {{"library", code_blocks}, by_kernel("small", MqKernel::small)};
  if (has_memory_for(MqKernel::one)) all.push_back(by_kernel("one pipeline", MqKernel::one));
  if (has_memory_for(MqKernel::two)) all.push_back(by_kernel("two pipelines", MqKernel::two));
  return all;
}

Status true_code(bool cuda, const DeviceFrame &frame, std::size_t passes, void *scratch,
                 void *stream) {
  return coders(cuda)[0].run(frame, passes, scratch, stream);
}

PlantedBug planted_coder(const char *name, bool cuda, CodeBlocks code) {
  return {name, cuda,
          [coders = std::vector<MqCoder>{{"planted", std::move(code)}}](Random &random, int index,
                                                                        const Backend &backend) {
            return j2k_mq_trial(coders, random, index, backend);
          }};
}

// Where a carry stopped behind a byte FF, it goes on into the byte before.
void carry_through_ones(const DeviceFrame &frame) {
  for (int b = 0; b < frame.blocks; ++b) {
    std::uint8_t *bytes = frame.bytes + frame.plan[b].first_byte;
    for (std::uint32_t i = 1; i + 1 < frame.coded[b].length; ++i) {
      if (bytes[i] != 0xFF || bytes[i + 1] < 0x80) continue;
      ++bytes[i - 1];
      bytes[i] = 0;
      bytes[i + 1] &= 0x7F;
      return;
    }
  }
}

template <unsigned kFlag>
PlantedBug ignores(const char *name, bool cuda) {
  return planted_coder(
      name, cuda,
      [cuda](const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
        DeviceFrame changed = frame;
        changed.style &= ~kFlag;
        return true_code(cuda, changed, passes, scratch, stream);
      });
}

PlantedBug forgets_last_block(const char *name, bool cuda) {
  return planted_coder(
      name, cuda,
      [cuda](const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
        DeviceFrame shorter = frame;
        shorter.blocks--;
        return true_code(cuda, shorter, passes, scratch, stream);
      });
}

PlantedBug damages(const char *name, void (*damage)(const DeviceFrame &)) {
  return planted_coder(
      name, false,
      [damage](const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
        const Status s = true_code(false, frame, passes, scratch, stream);
        damage(frame);
        return s;
      });
}

std::vector<PlantedBug> planted() {
  return {
      ignores<kReset>("j2k-mq, no contexts are reset", false),
      ignores<kTermAll>("j2k-mq, segments are too long", false),
      ignores<kBypass>("j2k-mq, raw bits are no segments", false),
      ignores<kPredictable>("j2k-mq, ends as usual", false),
      forgets_last_block("j2k-mq, forgets a block", false),
      damages("j2k-mq, a length less", [](const DeviceFrame &f) { --f.passes[0].length; }),
      damages("j2k-mq, a length more", [](const DeviceFrame &f) { ++f.passes[0].length; }),
      damages("j2k-mq, a distortion more", [](const DeviceFrame &f) { ++f.passes[0].distortion; }),
      damages("j2k-mq, a bit of a byte", [](const DeviceFrame &f) { f.bytes[0] ^= 1; }),
      damages("j2k-mq, a carry goes too far", carry_through_ones),
      damages("j2k-mq, a byte behind a block's room",
              [](const DeviceFrame &f) { f.bytes[f.plan[0].first_byte + f.plan[0].bytes] = 0; }),
      damages("j2k-mq, a zero plane more", [](const DeviceFrame &f) { ++f.coded[0].zero_planes; }),
      ignores<kReset>("j2k-mq, no contexts are reset, kernel", true),
      ignores<kTermAll>("j2k-mq, segments are too long, kernel", true),
      ignores<kBypass>("j2k-mq, raw bits are no segments, kernel", true),
      ignores<kPredictable>("j2k-mq, ends as usual, kernel", true),
      forgets_last_block("j2k-mq, forgets a block, kernel", true),
  };
}

}  // namespace

Case j2k_mq_case() {
  return {"j2k-mq", 80,
          [](Random &random, int index, const Backend &backend) {
            return j2k_mq_trial(coders(backend.cuda), random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
