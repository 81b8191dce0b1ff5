// SPDX-License-Identifier: LGPL-2.1-or-later
// The MQ coder and the raw bits of JPEG 2000, judged by a decoder of their own.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "j2k/tier1/mq/mq_coder.h"
#include "j2k/tier1/mq/mq_lengths.h"
#include "j2k/tier1/mq/mq_table.h"
#include "j2k_mq_decoder.h"

namespace coalesce::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The test sequence of ITU-T T.88 H.2: 256 decisions of one context in state 0.
TEST_CASE("sequence") {
  const Bytes decisions = {0x00, 0x02, 0x00, 0x51, 0x00, 0x00, 0x00, 0xC0, 0x03, 0x52, 0x87,
                           0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x82, 0xC0, 0x20, 0x00, 0xFC, 0xD7,
                           0x9E, 0xF6, 0xBF, 0x7F, 0xED, 0x90, 0x4F, 0x46, 0xA3, 0xBF};
  // Without the marker FF AC behind them.
  const Bytes expected = {0x84, 0xC7, 0x3B, 0xFC, 0xE1, 0xA1, 0x43, 0x04, 0x02, 0x20,
                          0x00, 0x00, 0x41, 0x0D, 0xBB, 0x86, 0xF4, 0x31, 0x7F, 0xFF,
                          0x88, 0xFF, 0x37, 0x47, 0x1A, 0xDB, 0x6A, 0xDF};
  Bytes symbols;
  for (std::uint8_t byte : decisions)
    for (int bit = 7; bit >= 0; --bit)
      symbols.push_back(j2k::symbol_of(5, byte >> bit & 1));
  Bytes bytes(64);
  j2k::MqCoder coder;
  coder.reset_contexts();
  coder.start(bytes.data());
  coder.encode(symbols.data(), static_cast<int>(symbols.size()));
  bytes.resize(static_cast<std::size_t>(coder.flush()));
  CHECK_MESSAGE(bytes == expected, bytes.size(), " bytes");

  MqDecoder decoder;
  decoder.reset_contexts();
  decoder.start(expected.data(), static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < symbols.size(); ++i)
    CHECK_MESSAGE(decoder.decode(5) == (symbols[i] & 1), "decision ", i);
}

struct Parts {
  Bytes symbols;
  std::vector<int> ends;  // where the parts end that a decoder may want by themselves
};

// Contexts at random, with decisions as lopsided as it gets.
Parts random_parts(Random &random) {
  Parts made;
  const int parts = random.between(1, 12);
  int one_in[j2k::kMqContexts];
  for (int &n : one_in)
    n = 1 << random.below(14);
  const int favourite = random.below(2);
  for (int part = 0; part < parts; ++part) {
    for (int count = random.below(random.below(3) == 0 ? 500 : 30); count > 0; --count) {
      const int context = random.below(j2k::kMqContexts);
      const bool rare = random.below(one_in[context]) == 0;
      made.symbols.push_back(j2k::symbol_of(context, rare ? 1 - favourite : favourite));
    }
    made.ends.push_back(static_cast<int>(made.symbols.size()));
  }
  return made;
}

// How many symbols come out as they went in.
int decoded(const Parts &parts, bool raw, const std::uint8_t *bytes, int length, bool *predicted) {
  MqDecoder mq;
  RawDecoder bits;
  mq.reset_contexts();
  mq.start(bytes, length);
  bits.start(bytes, length);
  int right = 0;
  for (std::uint8_t symbol : parts.symbols) {
    if ((raw ? bits.decode() : mq.decode(symbol >> 1)) != (symbol & 1)) break;
    ++right;
  }
  *predicted = raw ? bits.ends_predictably() : mq.ends_predictably();
  return right;
}

template <class Coder>
std::string trial(const Parts &parts, Coder &coder, bool raw, bool predictable) {
  Bytes bytes(parts.symbols.size() * 2 + 50, 0xEE);
  std::vector<j2k::CoderMark> marks;
  coder.start(bytes.data());
  int done = 0;
  for (int end : parts.ends) {
    coder.encode(parts.symbols.data() + done, end - done);
    marks.push_back(coder.mark());
    done = end;
  }
  const int length = predictable ? coder.flush_predictably() : coder.flush();
  bool predicted = false;
  if (decoded(parts, raw, bytes.data(), length, &predicted) != done) return "decoded otherwise";
  if (predictable && !predicted) return "an end that was not to be expected";
  if (length > 0 && bytes[static_cast<std::size_t>(length - 1)] == 0xFF) return "ends in FF";
  for (int i = 0; i + 1 < length; ++i)
    if (bytes[static_cast<std::size_t>(i)] == 0xFF && bytes[static_cast<std::size_t>(i + 1)] > 0x8F)
      return "a marker at " + std::to_string(i);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::string part = "part " + std::to_string(i);
    const int least = raw ? least_raw_length(marks[i], bytes.data(), length)
                          : least_length(marks[i], bytes.data(), length);
    if (least > length) return part + " is longer than all";
    if (decoded(parts, raw, bytes.data(), least, &predicted) < parts.ends[i])
      return part + " is cut too short";
    if (least > 0 && decoded(parts, raw, bytes.data(), least - 1, &predicted) >= parts.ends[i])
      return part + " has a byte too many";
  }
  return "";
}

TEST_CASE("segments") {
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t seed = seed_of_run(static_cast<unsigned>(i));
    Random random(seed);
    const Parts parts = random_parts(random);
    for (bool predictable : {false, true}) {
      j2k::MqCoder mq;
      mq.reset_contexts();
      const std::string wrong = trial(parts, mq, false, predictable);
      CHECK_MESSAGE(wrong.empty(), "MQ, seed ", seed, ", predictable ", predictable, ": ", wrong);
      j2k::RawCoder raw;
      const std::string raw_wrong = trial(parts, raw, true, predictable);
      CHECK_MESSAGE(raw_wrong.empty(), "raw, seed ", seed, ", predictable ", predictable, ": ",
                    raw_wrong);
    }
  }
}

// What tier1_bytes_bound() says: the longest paths through the states, when a decision takes
// kMostBits less than it does. The size of an interval of the less (more) probable decision depends
// on the register A only through its quotient, which is monotone on each side of A = 2 Qe; and an
// adversary may have the more probable decision change the state or not.
TEST_CASE("longest code") {
  constexpr double kMostBits = 5.4, kMostAhead = 32;
  double ahead[j2k::kMqStates] = {};
  bool changed = true;
  int rounds = 0;
  for (; changed && rounds < 100; ++rounds) {
    changed = false;
    for (int state = 0; state < j2k::kMqStates; ++state) {
      const j2k::MqState &row = j2k::kMqTable[state];
      double less = 0, more = 0;
      for (int a : {0x8000, 0xFFFF, std::clamp(2 * row.qe, 0x8000, 0xFFFF)}) {
        less = std::max(less, std::log2(a / double(std::min<int>(row.qe, a - row.qe))));
        more = std::max(more, std::log2(a / double(std::max<int>(row.qe, a - row.qe))));
      }
      const auto pass_on = [&](int next, double bits) {
        if (ahead[state] + bits - kMostBits <= ahead[next] + 1e-9) return;
        ahead[next] = ahead[state] + bits - kMostBits;
        changed = true;
      };
      pass_on(row.next_lps, less);
      pass_on(row.next_mps, more);
      pass_on(state, more);
    }
  }
  CHECK_MESSAGE(!changed, "more than ", kMostBits, " bits a decision");
  const double most = *std::max_element(ahead, ahead + j2k::kMqStates);
  CHECK_MESSAGE((most <= kMostAhead && most > 1), most, " bits ahead");
}

}  // namespace
}  // namespace coalesce::test
