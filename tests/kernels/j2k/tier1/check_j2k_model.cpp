// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>
#include <memory>

#include "../../../support/device.h"
#include "core/thread_pool.h"
#include "j2k/canvas/block_plan.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier1/context/context_model.h"
#include "j2k/tier1/context/context_model_cuda.h"
#include "j2k/tier1/tier1.h"
#include "j2k/transform/quantiser.h"
#include "j2k_blocks.h"
#include "j2k_model_trial.h"
#include "j2k_serial_model.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// A frame's arrays. What nobody is to write has bytes that depend on their place.
struct Frame {
  std::vector<BlockPlan> plan;
  std::vector<std::int32_t> coefficients;
  std::vector<std::uint8_t> planes, symbols;
  std::vector<PassSymbols> made;
  int fraction_bits = 0;
  unsigned style = 0;

  DeviceFrame view() {
    DeviceFrame f = {};
    f.plan = plan.data();
    f.blocks = static_cast<int>(plan.size());
    f.fraction_bits = fraction_bits;
    f.style = style;
    f.coefficients = coefficients.data();
    f.planes = planes.data();
    f.symbols = symbols.data();
    f.made = made.data();
    return f;
  }
};

template <class T>
void fill_guard(std::vector<T> *memory) {
  auto *bytes = reinterpret_cast<std::uint8_t *>(memory->data());
  for (std::size_t i = 0; i < memory->size() * sizeof(T); ++i)
    bytes[i] = static_cast<std::uint8_t>(0xA5 ^ (i * 0x9E3779B1u >> 13));
}

void add_block(Frame *frame, const TestBlock &test, Random &random) {
  BlockPlan plan = {};
  plan.width = static_cast<std::uint16_t>(test.width);
  plan.height = static_cast<std::uint16_t>(test.height);
  plan.band = test.band;
  std::uint32_t most = 0;
  for (int y = 0; y < test.height; ++y)
    for (int x = 0; x < test.width; ++x) {
      const std::int32_t v = test.samples[static_cast<std::size_t>(y * test.pitch + x)];
      most |= v < 0 ? 0u - static_cast<std::uint32_t>(v) : static_cast<std::uint32_t>(v);
    }
  int planes = 0;
  while (planes < kMaxPlanes && (std::uint64_t{most} >> frame->fraction_bits >> planes) != 0)
    ++planes;
  plan.max_planes = static_cast<std::uint8_t>(planes + (random.below(2) == 0 ? 0 : 3));

  // Half of all as an encoder has them: rows that begin at multiples of 64 bytes.
  std::vector<std::int32_t> &all = frame->coefficients;
  const auto width = static_cast<std::size_t>(test.width);
  const bool aligned = random.below(2) == 0;
  plan.pitch = aligned ? (width + 15) / 16 * 16 : width + static_cast<std::size_t>(random.below(5));
  all.resize(aligned ? (all.size() + 15) / 16 * 16 : all.size() + random.below(7), INT32_MAX);
  plan.coefficient = all.size();
  const auto height = static_cast<std::size_t>(test.height);
  all.resize(plan.coefficient + (height - 1) * plan.pitch + width, INT32_MAX);
  for (std::size_t y = 0; y < height; ++y)
    std::copy_n(&test.samples[y * static_cast<std::size_t>(test.pitch)], width,
                &all[plan.coefficient + y * plan.pitch]);

  const auto gap = [&random] { return static_cast<std::size_t>(random.below(3)); };
  const int room = std::min<int>(plan.max_planes, kMaxPlanes);
  plan.first_symbol = frame->symbols.size() + gap();
  plan.first_pass = frame->made.size() + gap();
  frame->symbols.resize(plan.first_symbol + tier1_symbols_bound(test.width * test.height, room));
  frame->made.resize(plan.first_pass + static_cast<std::size_t>(std::max(3 * room - 2, 0)));
  frame->plan.push_back(plan);
  frame->planes.push_back(0);
}

Frame random_frame(Random &random, int index, std::string *doing) {
  Frame frame;
  frame.style = random.below(3) == 0 ? static_cast<unsigned>(random.below(kAllBlockStyles + 1))
                                     : 1u << random.below(7) & kAllBlockStyles;
  frame.fraction_bits = random.pick(
      {0, 0, 0, kFractionBitsOf97, random.between(1, 13), random.between(14, kMaxFractionBits)});
  // Blocks as encoders have them, of all sizes, small ones only.
  const int kind = index % 4;
  const int most = kind == 2 ? random.pick({4, 60, 1024}) : kMaxBlockSamples;
  for (int i = random.between(1, 4); i > 0; --i) {
    const Content content = random.pick({Content::photograph, Content::laplacian, Content::dense});
    const int side = random.pick({16, 32, 64});
    const TestBlock test = kind < 2 && random.below(3) != 0
                               ? block_of(random, side, side, content)
                               : random_block(random, kind == 1 ? 1024 : most);
    add_block(&frame, test, random);
    *doing += "\n    block " + std::to_string(frame.plan.size() - 1) + ": " + test.text();
  }
  fill_guard(&frame.planes);
  fill_guard(&frame.symbols);
  fill_guard(&frame.made);
  return frame;
}

template <class Model>
void model_block(Model &model, const DeviceFrame &frame, int index) {
  const BlockPlan &plan = frame.plan[index];
  const CodeBlock block = {frame.coefficients + plan.coefficient,
                           static_cast<std::ptrdiff_t>(plan.pitch),
                           plan.width,
                           plan.height,
                           frame.fraction_bits,
                           plan.max_planes,
                           plan.band,
                           static_cast<std::uint8_t>(frame.style)};
  const int planes = model.begin(block);
  frame.planes[index] = static_cast<std::uint8_t>(planes);
  std::uint8_t pass[kMaxPassSymbols];
  std::uint8_t *symbols = frame.symbols + plan.first_symbol;
  PassSymbols *made = frame.made + plan.first_pass;
  const auto keep = [&](const PassSymbols &one) {
    symbols = std::copy_n(pass, one.count, symbols);
    *made++ = one;
  };
  for (int plane = planes - 1; plane >= 0; --plane) {
    if (plane < planes - 1) {
      const bool raw = pass_is_raw(frame.style, planes, plane, PassType::significance);
      keep(model.significance(plane, raw, pass));
      keep(model.refinement(plane, raw, pass));
    }
    keep(model.cleanup(plane, pass));
  }
}

// The block and pass that have the first symbol or pass that is wrong.
std::string place_of(const Frame &frame, std::size_t symbol, std::size_t pass) {
  for (std::size_t i = 0; i < frame.plan.size(); ++i) {
    const BlockPlan &plan = frame.plan[i];
    std::size_t end = plan.first_symbol;
    for (int k = 0; k < 3 * frame.planes[i] - 2; ++k) {
      const std::size_t at = plan.first_pass + static_cast<std::size_t>(k);
      const std::size_t begin = end;
      end += static_cast<std::size_t>(frame.made[at].count);
      if (at == pass || (symbol >= begin && symbol < end))
        return ", block " + std::to_string(i) + " of " + std::to_string(frame.planes[i]) +
               " planes, pass " + std::to_string(k) + ", symbol " +
               std::to_string(symbol >= begin ? symbol - begin : 0) + " of " +
               std::to_string(frame.made[at].count);
    }
  }
  return ", outside of all passes";
}

std::string difference(const Frame &expected, const Frame &actual) {
  constexpr std::size_t kNone = SIZE_MAX;
  for (std::size_t i = 0; i < expected.planes.size(); ++i)
    if (expected.planes[i] != actual.planes[i])
      return "block " + std::to_string(i) + " has " + std::to_string(expected.planes[i]) +
             " planes, not " + std::to_string(actual.planes[i]);
  for (std::size_t i = 0; i < expected.made.size(); ++i) {
    const PassSymbols &e = expected.made[i], &a = actual.made[i];
    if (e.count != a.count || e.distortion != a.distortion)
      return std::to_string(e.count) + " symbols, distortion " + std::to_string(e.distortion) +
             ", not " + std::to_string(a.count) + ", " + std::to_string(a.distortion) +
             place_of(expected, kNone, i);
  }
  for (std::size_t i = 0; i < expected.symbols.size(); ++i)
    if (expected.symbols[i] != actual.symbols[i])
      return "symbol " + std::to_string(expected.symbols[i]) + ", not " +
             std::to_string(actual.symbols[i]) + place_of(expected, i, kNone);
  return {};
}

// The frame's arrays on the device.
class FrameOnDevice {
 public:
  explicit FrameOnDevice(Frame *frame)
      : frame_(frame),
        plan_(up(frame->plan)),
        coefficients_(up(frame->coefficients)),
        planes_(up(frame->planes)),
        symbols_(up(frame->symbols)),
        made_(up(frame->made)) {}

  DeviceFrame view() const {
    DeviceFrame f = frame_->view();
    f.plan = reinterpret_cast<const BlockPlan *>(plan_.data());
    f.coefficients = reinterpret_cast<std::int32_t *>(coefficients_.data());
    f.planes = planes_.data();
    f.symbols = symbols_.data();
    f.made = reinterpret_cast<PassSymbols *>(made_.data());
    return f;
  }
  void download() {
    down(planes_, &frame_->planes);
    down(symbols_, &frame_->symbols);
    down(made_, &frame_->made);
  }

 private:
  // (An allocation has one byte at least.)
  template <class T>
  static DeviceMemory up(const std::vector<T> &from) {
    DeviceMemory memory(std::max<std::size_t>(from.size() * sizeof(T), 1));
    if (!from.empty()) memory.upload(from.data());
    return memory;
  }
  template <class T>
  static void down(const DeviceMemory &from, std::vector<T> *to) {
    if (!to->empty()) from.download(to->data());
  }

  Frame *frame_;
  DeviceMemory plan_, coefficients_, planes_, symbols_, made_;
};

}  // namespace

Status model_frame(const DeviceFrame &frame, const BlockPlan *plan, const Queue &queue) {
  if (queue.on_cuda())
    return model_blocks(frame, model_shape(plan, frame.blocks), 0, frame.blocks, queue.stream());
  for_ranges(queue.pool(), frame.blocks, 1, [&](int first, int last) {
    const auto model = std::make_unique<ContextModel>();
    for (int i = first; i < last; ++i)
      model_block(*model, frame, i);
  });
  return {};
}

std::string j2k_model_trial(const BlockModelling &modelling, Random &random, int index,
                            const Backend &backend) {
  std::string doing;
  Frame expected = random_frame(random, index, &doing);
  doing = "style " + std::to_string(expected.style) + ", " +
          std::to_string(expected.fraction_bits) + " fraction bits" + doing;
  set_doing(doing);
  Frame actual = expected;
  SerialModel serial;
  for (int i = 0; i < static_cast<int>(expected.plan.size()); ++i)
    model_block(serial, expected.view(), i);

  Status status;
  if (backend.cuda) {
    FrameOnDevice device(&actual);
    status = modelling(device.view(), actual.plan.data(), backend.queue());
    device_synchronize();
    device.download();
  } else {
    status = modelling(actual.view(), actual.plan.data(), backend.queue());
  }
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + doing;
  const std::string wrong = difference(expected, actual);
  return wrong.empty() ? wrong : wrong + "\n    " + doing;
}

Case j2k_model_case() {
  return {"j2k-model", 400,
          [](Random &random, int index, const Backend &backend) {
            return j2k_model_trial(model_frame, random, index, backend);
          },
          j2k_model_planted};
}

}  // namespace coalesce::test
