// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_mq_frame.h"

#include <algorithm>
#include <cstring>

#include "j2k/canvas/block_plan.h"
#include "j2k/tier1/codeword_segments.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier1/mq/mq_cuda.h"

namespace coalesce::test {
namespace {

constexpr std::uint8_t kUnwritten = 0xA5;
constexpr std::size_t kGuard = 5;  // bytes behind each block's room

std::size_t passes_of(int planes) {
  return static_cast<std::size_t>(planes == 0 ? 0 : 3 * planes - 2);
}

// In place of ContextModel: what it said.
struct Recorded {
  const j2k::PassSymbols *made;
  const std::uint8_t *from;

  j2k::PassSymbols next(std::uint8_t *symbols) {
    std::memcpy(symbols, from, static_cast<std::size_t>(made->count));
    from += made->count;
    return *made++;
  }
  j2k::PassSymbols significance(int, bool, std::uint8_t *symbols) { return next(symbols); }
  j2k::PassSymbols refinement(int, bool, std::uint8_t *symbols) { return next(symbols); }
  j2k::PassSymbols cleanup(int, std::uint8_t *symbols) { return next(symbols); }
};

std::string at(std::size_t block, const std::string &what) {
  return "block " + std::to_string(block) + ": " + what;
}

std::string pass_difference(const j2k::Pass &a, const j2k::Pass &b) {
  if (a.length != b.length)
    return "length " + std::to_string(a.length) + ", not " + std::to_string(b.length);
  if (a.distortion != b.distortion) return "distortion";
  const bool same =
      a.type == b.type && a.plane == b.plane && a.terminated == b.terminated && a.raw == b.raw;
  return same ? "" : "another kind";
}

}  // namespace

void MqFrame::make_room() {
  const j2k::BlockPlan &last = plan.back();
  bytes.assign(last.first_byte + last.bytes + kGuard, kUnwritten);
  passes.assign(made.size(), {0xA5A5A5A5, -1, j2k::PassType::cleanup, 99, false, false});
  coded.assign(plan.size(), {-1, -1, 0xA5A5A5A5});
}

j2k::DeviceFrame MqFrame::view() {
  return {plan.data(),
          static_cast<int>(plan.size()),
          0,
          style,
          nullptr,
          planes.data(),
          symbols.data(),
          made.data(),
          passes.data(),
          bytes.data(),
          coded.data()};
}

std::size_t MqFrame::symbol_count() const {
  std::size_t count = 0;
  for (std::size_t b = 0; b < plan.size(); ++b)
    for (std::size_t i = 0; i < passes_of(planes[b]); ++i)
      count += static_cast<std::size_t>(made[plan[b].first_pass + i].count);
  return count;
}

MqFrame frame_of(const std::vector<MqBlock> &blocks, unsigned style, const std::vector<int> &gaps) {
  MqFrame frame;
  frame.style = style;
  std::size_t byte = 0, pass = 0, symbol = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    j2k::BlockPlan plan = {};
    plan.first_byte = byte;
    plan.first_pass = pass;
    plan.first_symbol = symbol;
    plan.bytes = static_cast<std::uint32_t>(blocks[b].room);
    plan.max_planes = static_cast<std::uint8_t>(j2k::kMaxPlanes + b % 7);
    const auto gap = static_cast<std::size_t>(gaps[b]);
    plan.bytes += static_cast<std::uint32_t>(gap);
    byte += plan.bytes + kGuard;
    pass += blocks[b].made.size() + gap;
    symbol += blocks[b].symbols.size() + gap;
    frame.plan.push_back(plan);
    frame.planes.push_back(static_cast<std::uint8_t>(blocks[b].planes));
  }
  frame.made.resize(pass + 1);
  frame.symbols.assign(symbol + j2k::kSymbolsPadding, 0xFF);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::copy(blocks[b].made.begin(), blocks[b].made.end(),
              frame.made.begin() + static_cast<std::ptrdiff_t>(frame.plan[b].first_pass));
    std::copy(blocks[b].symbols.begin(), blocks[b].symbols.end(),
              frame.symbols.begin() + static_cast<std::ptrdiff_t>(frame.plan[b].first_symbol));
  }
  frame.make_room();
  return frame;
}

void code_by_pass_coder(MqFrame *frame) {
  static thread_local std::vector<std::uint8_t> symbols;
  for (std::size_t b = 0; b < frame->plan.size(); ++b) {
    const j2k::BlockPlan &plan = frame->plan[b];
    const int planes = frame->planes[b];
    Recorded recorded = {&frame->made[plan.first_pass], &frame->symbols[plan.first_symbol]};
    int most = 0;
    for (std::size_t i = 0; i < passes_of(planes); ++i)
      most = std::max(most, recorded.made[i].count);
    symbols.resize(static_cast<std::size_t>(most) + 1);
    j2k::PassCoder coder;
    coder.start(frame->style, planes, frame->passes.data() + plan.first_pass,
                frame->bytes.data() + plan.first_byte);
    code_passes(recorded, planes, frame->style, symbols.data(), coder);
    frame->coded[b] = {plan.max_planes - planes, coder.passes(), coder.length()};
  }
}

std::string difference(const MqFrame &actual, const MqFrame &expected) {
  for (std::size_t b = 0; b < expected.plan.size(); ++b) {
    const j2k::BlockPlan &plan = expected.plan[b];
    for (std::size_t i = 0; i < passes_of(expected.planes[b]); ++i) {
      const std::string wrong =
          pass_difference(actual.passes[plan.first_pass + i], expected.passes[plan.first_pass + i]);
      if (!wrong.empty()) return at(b, "pass " + std::to_string(i) + ": " + wrong);
    }
    const j2k::CodedBlock &a = actual.coded[b], &e = expected.coded[b];
    if (a.zero_planes != e.zero_planes || a.passes != e.passes || a.length != e.length)
      return at(b, "coded");
    for (std::size_t i = 0; i < e.length; ++i)
      if (actual.bytes[plan.first_byte + i] != expected.bytes[plan.first_byte + i])
        return at(b, "byte " + std::to_string(i) + " of " + std::to_string(e.length));
  }
  return "";
}

std::string guard_difference(const MqFrame &actual) {
  for (std::size_t b = 0; b < actual.plan.size(); ++b) {
    const j2k::BlockPlan &plan = actual.plan[b];
    for (std::size_t i = 0; i < kGuard; ++i)
      if (actual.bytes[plan.first_byte + plan.bytes + i] != kUnwritten)
        return at(b, "byte " + std::to_string(i) + " behind its room");
  }
  return "";
}

namespace {

template <class T>
DeviceMemory uploaded(const std::vector<T> &from) {
  DeviceMemory memory(from.size() * sizeof(T));
  memory.upload(from.data());
  return memory;
}

}  // namespace

DeviceMqFrame::DeviceMqFrame(MqFrame *frame)
    : plan_(uploaded(frame->plan)),
      planes_(uploaded(frame->planes)),
      symbols_(uploaded(frame->symbols)),
      made_(uploaded(frame->made)),
      passes_(uploaded(frame->passes)),
      bytes_(uploaded(frame->bytes)),
      coded_(uploaded(frame->coded)),
      scratch_(j2k::code_blocks_scratch(frame->plan.size(), frame->made.size())),
      frame_(frame->view()),
      pass_count_(frame->made.size()) {
  frame_.plan = reinterpret_cast<const j2k::BlockPlan *>(plan_.data());
  frame_.planes = planes_.data();
  frame_.symbols = symbols_.data();
  frame_.made = reinterpret_cast<j2k::PassSymbols *>(made_.data());
  frame_.passes = reinterpret_cast<j2k::Pass *>(passes_.data());
  frame_.bytes = bytes_.data();
  frame_.coded = reinterpret_cast<j2k::CodedBlock *>(coded_.data());
}

Status DeviceMqFrame::run(const CodeBlocks &code) const {
  return code(frame_, pass_count_, scratch_.data(), device_stream());
}

void DeviceMqFrame::download(MqFrame *frame) const {
  passes_.download(frame->passes.data());
  bytes_.download(frame->bytes.data());
  coded_.download(frame->coded.data());
}

}  // namespace coalesce::test
