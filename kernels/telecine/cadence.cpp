// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cadence.h"

#include <algorithm>

namespace coalesce {
namespace {

int period_of(Pulldown pulldown) {
  return pulldown == Pulldown::three_two ? 5 : 2;
}

}  // namespace

int Cadence::Phase::of(int field) const {
  const int period = period_of(pulldown);
  return ((at + field) % period + period) % period;
}

// The fields 0 and 1 of a period are one frame; of five the others another one.
bool Cadence::Phase::ends_frame(int field) const {
  return of(field) == 1 || of(field) == 4;
}

bool Cadence::combs_within(const Phase &phase, const FieldPairs &pairs, int field) {
  if (phase.ends_frame(field) || !pairs.combs(field)) return false;
  int before = field - 1, after = field + 1;
  while (!phase.ends_frame(before))
    --before;
  while (!phase.ends_frame(after))
    ++after;
  return (pairs.knows(before) || pairs.knows(after)) &&
         pairs[field] > std::max(pairs[before], pairs[after]) / 4;
}

bool Cadence::is_certain(const Phase &phase, const FieldPairs &pairs, int from) {
  int between = 0;
  for (int field = from; field <= from + kCadenceFields; ++field) {
    if (combs_within(phase, pairs, field)) return false;
    if (phase.ends_frame(field) && pairs.combs(field)) ++between;
  }
  return between >= 2;
}

void Cadence::restart(Pulldown pulldown) {
  *this = {};
  pulldown_ = pulldown;
}

bool Cadence::find(const FieldPairs &pairs, const Pulldown *candidates, int count) {
  certain_ = false;
  for (int i = 0; i < count && !certain_; ++i)
    for (int at = 0; at < period_of(candidates[i]) && !certain_; ++at) {
      const Phase phase = {candidates[i], at};
      if (!is_certain(phase, pairs, next_)) continue;
      certain_ = true;
      pulldown_ = phase.pulldown;
      at_ = phase.at;
    }
  return certain_;
}

// A single field that is left over goes with the frame after it.
int Cadence::end_of_run() const {
  int end = next_ + 2;
  while (!phase().ends_frame(end - 1))
    ++end;
  return end;
}

FilmRun Cadence::next_run(const FieldPairs &pairs, const Pulldown *candidates, int count,
                          int fields) {
  if (std::find(candidates, candidates + count, pulldown_) == candidates + count) {
    certain_ = false;
    pulldown_ = candidates[0];
  }
  for (int field = next_; certain_ && field + 1 < end_of_run(); ++field)
    if (combs_within(phase(), pairs, field)) certain_ = false;
  if (!certain_) find(pairs, candidates, count);
  FilmRun run = {};
  run.begin = next_;
  run.end = run.woven = end_of_run();
  do
    --run.woven;
  while (run.woven > run.begin && !phase().ends_frame(run.woven - 1));
  const int rest = run.end - run.woven - 2;  // 1 of a frame of three fields
  run.halves = 2 * run.woven + rest;
  run.kept = run.woven + rest;
  run.certain = certain_ && run.woven + 1 < fields;
  run.end = next_ = std::min(run.end, fields);
  run.kept = std::min(run.kept, fields - 1);
  return run;
}

void Cadence::advance(int fields) {
  next_ -= fields;
  const int period = period_of(pulldown_);
  at_ = (at_ + fields) % period;
}

}  // namespace coalesce
