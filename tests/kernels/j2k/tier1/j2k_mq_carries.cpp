// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_mq_carries.h"

#include <algorithm>

#include "j2k/tier1/mq/mq_coder.h"
#include "j2k/tier1/mq/mq_table.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The interval of an MQ coder, and how far above its lower end a number is that ends in many zeros.
// As long as that lies in the interval, what is coded is ones and more ones; a carry comes when the
// lower end goes beyond it.
class Chase {
 public:
  Chase() {
    states_[kContextZero] = 2 * 4;
    states_[kContextRun] = 2 * 3;
    states_[kContextUniform] = 2 * 46;
  }
  bool inside() const { return distance_ > 0 && distance_ < range_; }
  void begin(std::uint32_t low) { distance_ = 0x8000 - (low & 0x7FFF); }

  void code(std::uint8_t symbol) {
    static constexpr MqRows kRows = make_mq_rows();
    std::uint8_t &state = states_[symbol >> 1];
    const MqRow row = kRows.at[state];
    const int rest = range_ - row.qe;
    const bool less_probable = ((state ^ symbol) & 1) != 0;
    if (less_probable == (rest < row.qe)) {
      distance_ -= row.qe;
      range_ = rest;
    } else {
      range_ = row.qe;
    }
    if (less_probable || rest < 0x8000) state = less_probable ? row.next_lps : row.next_mps;
    for (; range_ < 0x8000; range_ *= 2)
      distance_ = std::clamp(2 * distance_, -1, 0x10000);
  }

 private:
  std::uint8_t states_[kMqContexts] = {};
  int range_ = 0x8000, distance_ = 0;
};

struct Coders {
  MqCoder coder;
  Chase chase;

  void code(std::uint8_t symbol) {
    coder.encode(&symbol, 1);
    chase.code(symbol);
  }
};

// Four symbols at random. The number of bytes they complete if the last of these is FF and a carry
// goes through it.
int try_four(Coders coders, Random &random, std::uint8_t *symbols) {
  const int before = coders.coder.mark().count;
  for (int i = 0; i < 4; ++i) {
    symbols[i] = symbol_of(random.below(kMqContexts), random.below(2));
    coders.code(symbols[i]);
  }
  const CoderMark mark = coders.coder.mark();
  return mark.pending == 0xFF && mark.low >> (27 - mark.shifts) != 0 ? mark.count - before : 0;
}

// Of these contexts no decision is rare, of the others one is.
constexpr int kEven = 10;

// One that stays inside.
std::uint8_t follow(const Coders &coders, Random &random) {
  const int context = random.below(kEven);
  for (int decision : {0, 1}) {
    Chase chase = coders.chase;
    chase.code(symbol_of(context, decision));
    if (chase.inside()) return symbol_of(context, decision);
  }
  return symbol_of(context, 0);
}

}  // namespace

std::vector<std::uint8_t> carries_through_ones(Random &random, int count) {
  std::vector<std::uint8_t> symbols, bytes(static_cast<std::size_t>(4 * count + 50));
  Coders coders;
  coders.coder.reset_contexts();
  coders.coder.start(bytes.data());
  const auto add = [&](std::uint8_t symbol) {
    symbols.push_back(symbol);
    coders.code(symbol);
  };
  while (static_cast<int>(symbols.size()) < count) {
    for (int i = 0; i < 4 * 8; ++i)
      add(symbol_of(random.between(kEven, kMqContexts - 1), 0));
    coders.chase.begin(coders.coder.mark().low);
    // One byte may do, but two are better.
    const int enough = random.between(1, 2);
    int completed = 0;
    for (int i = 0; i < 12 && completed < enough; ++i) {
      std::uint8_t four[4];
      for (int tries = 0; tries < 40 && completed < enough; ++tries)
        completed = try_four(coders, random, four);
      for (int k = 0; k < 4; ++k)
        add(completed >= enough ? four[k] : follow(coders, random));
    }
  }
  return symbols;
}

}  // namespace coalesce::test
